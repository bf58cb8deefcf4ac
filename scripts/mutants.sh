#!/usr/bin/env bash
# make mutants: changes the engine in one place at a time and says which changes no test notices (cargo-mutants). All of them
# take a day: SHARD=0/100 takes every hundredth, FILES="engine/src/loss.rs" those of some files. .cargo/mutants.toml says which tests
# decide; what survived is in target/mutants/mutants.out/missed.txt.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

version=27.1.0
[ -x "$tools/bin/cargo-mutants" ] || cargo install cargo-mutants --locked --version "=$version" --root "$tools"
arguments=(--package topdown --jobs "$(nproc)" --output "$TARGET/mutants")
[ -z "${SHARD:-}" ] || arguments+=(--shard "$SHARD" --sharding round-robin)
for file in ${FILES:-}; do arguments+=(--file "$file"); done
mkdir -p "$TARGET/mutants"
# Building takes most of the time.
CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 "$tools/bin/cargo-mutants" mutants "${arguments[@]}"
