#!/usr/bin/env bash
# make mutants: changes the code in one place at a time and says which changes no test notices (cargo-mutants makes them). They
# are drawn by SEED (1), from both crates or from FILES="engine/src/loss.rs src/api", until MINUTES (30) have passed for each
# crate. Those of the engine are judged by its own tests, those of src/ by pg_regress on a private cluster, the library being
# built with little optimization. A copy of the work tree lies in target/mutants; your own is not touched. The last lines are the
# survivors, and "N caught, N survived, N not built".
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

version=27.1.0
[ -x "$tools/bin/cargo-mutants" ] || cargo install cargo-mutants --locked --version "=$version" --root "$tools"
scripts/setup.sh
find_postgres
base=$TARGET/mutants tree=$TARGET/mutants/tree
mkdir -p "$base"
exec 9<"$base"
flock -n 9 || die "another make mutants is running"
say "Copying the work tree to $tree"
rm -rf "$tree"
mkdir "$tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --archive --parents --target-directory="$tree"
export CARGO_TARGET_DIR=$base/build CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_INCREMENTAL=true
export PROPTEST_MAX_SHRINK_ITERS=0       # that a case fails is enough
seed=${SEED:-1} minutes=${MINUTES:-30}

# The mutants of a crate, a line each: a number, its name, its diff in base64. In the order of the seed.
mutants() {
  local arguments=()
  for file in ${FILES:-}; do arguments+=(--file "$file*"); done
  (cd "$tree" && "$tools/bin/cargo-mutants" mutants --package "$1" --list --json --diff "${arguments[@]}") |
    python3 -c 'import base64, json, random, sys
all = json.load(sys.stdin)
random.Random(int(sys.argv[1])).shuffle(all)
for n, mutant in enumerate(all):
    print(n, mutant["name"].replace("\t", " "), base64.b64encode(mutant["diff"].encode()).decode(), sep="\t")' "$seed"
}

judge_topdown() { (cd "$tree" && timeout 600 cargo test -q -p engine-tests -p engine-units --release --test units --test laws); }
build_topdown() { (cd "$tree" && cargo test -q -p engine-tests -p engine-units --release --no-run --test units --test laws); }
build_pg_topdown() {
  (cd "$tree" && cargo build -q --lib -p pg_topdown --release --no-default-features --features "$PG_FEATURE") &&
    install -m 755 "$CARGO_TARGET_DIR/release/libpg_topdown.so" "$library"
}
judge_pg_topdown() { # a few files at a time, until one fails
  local files=("$tree"/pg_regress/sql/*.sql) at
  for ((at = 0; at < ${#files[@]}; at += 10)); do
    (cd "$tree" && OUTPUT=$base/output timeout 600 scripts/regress.sh pg_regress "${files[@]:at:10}") || return 1
  done
}

finish() {
  local status=$?
  [ -z "${dir:-}" ] || { cluster_stop "$dir"; rm -rf "$dir"; }
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM
dir=$(mktemp -d "$(cluster_base)/mutants.XXXXXX")
chmod 755 "$dir"
say "Building without a change"
(cd "$tree" && scripts/build.sh "$dir/package")
cluster_tree "$dir"
cluster_start "$dir"
library=$(find "$dir/tree" -name pg_topdown.so)

caught=0 survived=0 unbuilt=0 survivors=()
for crate in topdown pg_topdown; do
  end=$((SECONDS + 60 * minutes))
  say "Mutants of $crate, seed $seed"
  while IFS=$'\t' read -r _ name diff; do
    [ "$SECONDS" -lt "$end" ] || break
    file=${name%%:*}
    cp "$tree/$file" "$base/original"
    base64 -d <<<"$diff" | patch -s "$tree/$file" || die "cannot apply $name"
    if ! "build_$crate" >"$base/log" 2>&1; then
      unbuilt=$((unbuilt + 1))
    elif "judge_$crate" >>"$base/log" 2>&1; then
      survived=$((survived + 1))
      survivors+=("$name")
      echo "survived: $name"
    else
      caught=$((caught + 1))
      echo "caught:   $name"
    fi
    cp "$base/original" "$tree/$file"
    [ "$crate" = topdown ] || cluster_running "$dir" || cluster_start "$dir"
  done < <(mutants "$crate")
done
say "Survivors"
printf '%s\n' "${survivors[@]}"
echo "$caught caught, $survived survived, $unbuilt not built"
