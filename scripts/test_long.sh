#!/usr/bin/env bash
# make test-long: what make test does a short form of, in full. The soak (tests/tests/soak.rs) for SOAK_MINUTES (30), on a cluster
# of its own, with a pgbouncer between; features two at a time (pairs.rs) for PAIRS_MINUTES (60); LAW_SEQUENCES (2000) sequences of
# verbs on withheld rows (law.rs); and all cases of the others (LONG=1).
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

scripts/setup.sh
find_postgres
run=$(cluster_base)/long
mkdir -p "$run"
exec 9<"$run"                          # one at a time
flock 9
cluster_install "$run"
unpack pgbouncer libc-ares2 libevent-2.1-7
export PG_TOPDOWN_BINDIR=$run/tree$PG_BIN PG_TOPDOWN_PGBOUNCER=$unpacked SOAK_MINUTES=${SOAK_MINUTES:-30}
say "The soak, for $SOAK_MINUTES minutes"
cargo test -p client-tests soak:: -- --nocapture
trap 'cluster_stop "$run"' EXIT
cluster_start "$run"
export PAIRS_MINUTES=${PAIRS_MINUTES:-60} LAW_SEQUENCES=${LAW_SEQUENCES:-2000} LONG=1
for module in pairs law hostile kmember large measures memory shards; do
  say "$module"
  cargo test -p client-tests "$module::" -- --nocapture
done
say "The engine"
export COUNTS_TABLES=2000
cargo test -p engine-tests -p engine-units --release
