#!/usr/bin/env bash
# make demo, make psql and make stop (the argument: run, psql, stop). They share a private cluster that
# stays on disk, target/cluster/demo-pg<version>, with one database, "demo". Who starts, fills or stops
# it holds <dir>/mutex (descriptor 7); who uses it holds a shared lock on <dir> (descriptor 9), so that
# the last one to leave can stop the server, unless `make demo KEEP=1` asked for it to stay.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

find_postgres || { scripts/setup.sh && find_postgres; }
dir=$(cluster_base)/demo-$PG_FEATURE
psql=$PG_BIN/psql

lock() {
  mkdir -p "$dir"
  exec 7>"$dir/mutex" 9<"$dir"
  flock -n 7 || { say "Waiting for another make demo to finish"; flock 7; }
}

leave() {
  flock 7
  if [ ! -e "$dir/keep" ] && flock -xn 9; then
    say "Stopping the private cluster" >&2
    cluster_stop "$dir"
  fi
}

run_demo() {
  lock
  trap leave EXIT
  trap 'exit 130' INT TERM
  [ "${KEEP:-0}" != 1 ] || touch "$dir/keep"
  cluster_install "$dir"
  cluster_start "$dir"
  flock -s 9
  "$psql" -Xqd postgres -v ON_ERROR_STOP=1 <<'SQL'
SELECT 'CREATE DATABASE demo' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'demo') \gexec
\c demo
SET client_min_messages = warning;
DROP EXTENSION IF EXISTS pg_topdown CASCADE;    -- its SQL may have been rebuilt under the same version
SQL
  say "psql -f sql/examples/demo.sql"
  PAGER='' "$psql" -Xqd demo -v ON_ERROR_STOP=1 -f sql/examples/demo.sql
  "$psql" -XqAtd demo -c "SELECT release_report('census_release')" >"$TARGET/census_release.html"
  trap - EXIT
  leave
  say "The release as a page: $TARGET/census_release.html"
  if [ -e "$dir/keep" ]; then say "The private cluster stays up until make stop"; fi
  say "Done. To look around in it yourself: make psql"
}

open_psql() {
  if [ ! -e "$dir/data/PG_VERSION" ]; then "$self" run </dev/null; fi >&2
  lock >&2
  trap leave EXIT
  trap : INT                           # Ctrl-C is psql's
  cluster_start "$dir" >&2
  flock -s 9
  flock -u 7
  "$psql" -d demo
}

case $1 in
  run) run_demo ;;
  psql) open_psql ;;
  stop) lock; rm -f "$dir/keep"; cluster_stop "$dir" ;;
  *) die "unknown argument $1" ;;
esac
