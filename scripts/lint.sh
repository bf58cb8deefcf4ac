#!/usr/bin/env bash
# make lint: formatting, clippy and the pages' English. Where clippy looks at what is compiled (clippy_beside.sh), only what no
# test compiles is looked at here.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
find_postgres
cargo fmt --all --check
what=(--workspace --no-default-features --features "pg_topdown/$PG_FEATURE")
[ -z "${RUSTC_WORKSPACE_WRAPPER:-}" ] || what=(-p engine-bench)
cargo clippy --release --locked --all-targets "${what[@]}" -- -D warnings
scripts/prose.sh
