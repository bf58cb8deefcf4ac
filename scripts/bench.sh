#!/usr/bin/env bash
# Runs a benchmark (the argument, an SQL file) on a private cluster of its own, in a database with the
# extension and the table adult: the 45,222 complete rows of the shared data (PG_TOPDOWN_DATA, default
# ../shared/data), or, where that is absent, as many invented ones. LARGE=1: with what takes much longer.
# RECORD=1: what sql/bench/targets.sql measures becomes the recorded run.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

data=${PG_TOPDOWN_DATA:-$ROOT/../shared/data}
scripts/setup.sh
find_postgres
dir=$(mktemp -d "$(cluster_base)/bench.XXXXXX")
chmod 755 "$dir"
trap 'cluster_stop "$dir"; rm -rf "$dir"' EXIT
cluster_install "$dir"
cluster_start "$dir"
psql=("$PG_BIN/psql" -Xqd postgres -v ON_ERROR_STOP=1)
if [ -d "$data/adult" ]; then
  "${psql[@]}" -c "CREATE TABLE adult (age int, workclass text, fnlwgt int, education text, education_num int,
    marital_status text, occupation text, relationship text, race text, sex text, capital_gain int,
    capital_loss int, hours_per_week int, native_country text, income text)"
  cat "$data/adult/adult.data" "$data/adult/adult.test" | grep , | grep -v '?' | sed 's/, /,/g; s/\.$//' |
    "${psql[@]}" -c "COPY adult FROM STDIN (FORMAT csv)"
  "${psql[@]}" -c "VACUUM ANALYZE adult"
  for taxonomy in "$data"/taxonomy/own/*.csv; do
    table=tax_$(basename "$taxonomy" .csv | tr - _)
    "${psql[@]}" -c "CREATE TABLE $table (child text, parent text)"
    "${psql[@]}" -c "COPY $table FROM STDIN (FORMAT csv, HEADER)" <"$taxonomy"
  done
else
  say "no data at $data: everything is measured on invented rows"
  "${psql[@]}" -f sql/bench/generated.sql
fi
machine="$(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), PostgreSQL $("${psql[@]}" -Atc 'SHOW server_version')"
say "$1 on $machine"
PAGER='' "${psql[@]}" -v machine="$machine" -v large="${LARGE:-0}" -f "$1"
[ "${RECORD:-0}" = 0 ] || cp target/bench.csv sql/bench/recorded.csv
