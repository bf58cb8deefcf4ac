#!/usr/bin/env bash
# make soak: tests/tests/soak.rs for SOAK_MINUTES (30), on a cluster of its own, with a pgbouncer between; then features two at a time
# (tests/tests/pairs.rs) for PAIRS_MINUTES (60), LAW_SEQUENCES (2000) sequences of verbs on withheld rows (tests/tests/law.rs), and
# all cases of what make test tries some of (LONG=1).
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
trap 'cluster_stop "$run"' EXIT
cluster_start "$run"
export PAIRS_MINUTES=${PAIRS_MINUTES:-60} LAW_SEQUENCES=${LAW_SEQUENCES:-2000} LONG=1
cargo test -p client-tests --test pairs --test law --test hostile --test kmember -- --nocapture
cargo test -p topdown --release --test differential
