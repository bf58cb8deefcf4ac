#!/usr/bin/env bash
# make experiments: the papers' experiments, from SQL through weka, on a private cluster of their own; PARTS="useful iotf" or the
# arguments choose some of them. Each part of scripts/experiments writes what it found into docs/experiments/<part>.csv and draws it
# (scripts/plot.sh), and its tables replace those in docs/EXPERIMENTS.md. The file begins with the machine and the date.
# TABLES=1 measures nothing: tables and pictures are made again of what was found.
# It needs the shared data (PG_TOPDOWN_DATA) and Debian's weka, which it unpacks into target/tools and does not install.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh
# shellcheck source=scripts/experiments/common.sh
source scripts/experiments/common.sh

parts=("$@")
[ ${#parts[@]} -gt 0 ] || read -ra parts <<<"${PARTS:-tds multi ga scale pda iotf useful}"
dir=$(mktemp -d "$(cluster_base)/experiments.XXXXXX")
chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT
if [ -z "${TABLES:-}" ]; then
  data=${PG_TOPDOWN_DATA:-$ROOT/../shared/data}
  [ -d "$data/adult" ] || die "the experiments are on the shared data, and there is none at $data"
  scripts/setup.sh
  find_postgres
  unpack weka cup
  java=$unpacked/usr/share/java
  [ -e "$java/weka.jar" ] || die "there is no weka"
  trap 'cluster_stop "$dir"; rm -rf "$dir"' EXIT
  cluster_install "$dir"
  cluster_start "$dir"
  psql=("$PG_BIN/psql" -XqAtd postgres -v ON_ERROR_STOP=1)
  load
  machine="$(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), PostgreSQL $("${psql[@]}" -c 'SHOW server_version'), weka 3.6.14"
fi
mkdir -p docs/experiments
for part in "${parts[@]}"; do
  [ -e "scripts/experiments/$part.sh" ] || die "there is no part $part"
  say "$part"
  begin "$part"
  # shellcheck disable=SC1090
  source "scripts/experiments/$part.sh"
done
