#!/usr/bin/env bash
# make lint: formatting, clippy and the pages' English.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
find_postgres
cargo fmt --all --check
cargo clippy --release --locked --workspace --all-targets --no-default-features --features "pg_topdown/$PG_FEATURE" -- -D warnings
scripts/prose.sh
