#!/usr/bin/env bash
# make soak: tests/tests/soak.rs for SOAK_MINUTES (30), on a cluster of its own, with a pgbouncer between.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

scripts/setup.sh
find_postgres
run=$(cluster_base)/soak
mkdir -p "$run"
exec 9<"$run"                          # one at a time
flock 9
cluster_install "$run"
unpack pgbouncer libc-ares2 libevent-2.1-7
export PG_TOPDOWN_BINDIR=$run/tree$PG_BIN PG_TOPDOWN_PGBOUNCER=$unpacked SOAK_MINUTES=${SOAK_MINUTES:-30}
say "$SOAK_MINUTES minutes"
cargo test -p client-tests --test soak -- --nocapture
