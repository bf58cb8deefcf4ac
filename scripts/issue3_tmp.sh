#!/usr/bin/env bash
source "$(dirname "$0")/lib.sh"
source scripts/cluster.sh
find_postgres
dir=$(cluster_base)/issue3
mkdir -p "$dir"
cluster_install "$dir"
cluster_start "$dir"
printf 'export PGHOST=%s PGPORT=%s PGUSER=%s\n' "$PGHOST" "$PGPORT" "$PGUSER" > /tmp/issue3.env
