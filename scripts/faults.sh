#!/usr/bin/env bash
# make faults: puts the faults of tests/faults/ into a copy of the work tree, one at a time, runs the test that
# has to notice, and says whether it did. FAULT=<name> puts in just that one (or several: FAULT="a b").
# A fault is a file <name>.fault:
#
#   # What it breaks, in a line or two.
#   file: src/postgres/operation.rs
#   test: pg_regress privacy_borrowed_rights
#   --- old
#   the text that is replaced; it must be in the file exactly once
#   --- new
#   the text that takes its place
#
# and `test` is one of
#   pg_regress <names>     files of pg_regress/sql, on a private cluster
#   isolation <names>      files of pg_regress/isolation/specs, there too
#   client <arguments>     cargo test -p client-tests <arguments>, there too
#   engine <arguments>     cargo test -p topdown <arguments>
#
# First of all every test that is named must pass without a fault. Everything lies in target/faults: the
# copy of the work tree (tree), what is built from it (build), and the outputs (output/<name>.log). The copy
# is built without optimization, for PostgreSQL, or with a little, for the engine: it is building that takes
# the time. The last line is "N caught, N survived, N failed"; a fault that cannot be put in or built has
# failed.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

base=$TARGET/faults tree=$TARGET/faults/tree output=$TARGET/faults/output
limit=600                                # seconds that a test may take; a fault may keep it from ending
mkdir -p "$base"
exec 9<"$base"
flock -n 9 || die "another make faults is running"

# read_fault <name> sets file, test, old and new.
read_fault() {
  local from=tests/faults/$1.fault text
  [ -f "$from" ] || die "there is no $from"
  text=$(cat "$from")
  file=$(sed -n 's/^file: //p;/^---/q' "$from")
  test=$(sed -n 's/^test: //p;/^---/q' "$from")
  old=${text#*$'\n--- old\n'} new=${text#*$'\n--- new'}
  [ "$old" != "$text" ] && [ "$new" != "$text" ] && [ -n "$file" ] && [ -n "$test" ] || die "$from cannot be read"
  old=${old%%$'\n--- new'*} new=${new#$'\n'}
}

# The text of file $1 with the fault in it; fails unless the old text is there exactly once.
replaced() {
  local text rest
  text=$(cat "$1"; echo .)
  rest=${text#*"$old"}
  [ "$rest" != "$text" ] && [ "${rest#*"$old"}" = "$rest" ] || return 1
  text=${text%"$old$rest"}$new$rest
  printf '%s' "${text%.}"
}

# Builds what a test needs from the copy, and puts it where the test finds it.
build() {
  local suite arguments
  read -r suite arguments <<<"$1"
  if [ "$suite" = engine ]; then
    # shellcheck disable=SC2086 # several arguments
    (cd "$tree" && cargo test -p topdown --release --no-run ${arguments%% -- *})
  else
    (cd "$tree" && cargo build --lib -p pg_topdown --no-default-features --features "$PG_FEATURE") &&
      install -m 755 "$CARGO_TARGET_DIR/debug/libpg_topdown.so" "$library"
  fi
}

# Runs a test on what was built.
run() {
  local suite arguments
  read -r suite arguments <<<"$1"
  # shellcheck disable=SC2086 # several arguments
  case $suite in
    pg_regress | isolation) (cd "$tree" && OUTPUT=$output/$suite timeout "$limit" scripts/regress.sh "$suite" $arguments) ;;
    client) (cd "$tree" && CARGO_TARGET_DIR=$base/client timeout "$limit" cargo test -p client-tests $arguments) ;;
    engine) (cd "$tree" && timeout "$limit" cargo test -p topdown --release $arguments) ;;
    *) die "unknown suite $suite" ;;
  esac
}

# The cluster as it was at first: a test that fails may leave roles, sessions or a crashed server behind.
fresh() {
  cluster_stop "$dir"
  if [ -d "$dir/first" ]; then rm -rf "$dir/data" && cp -a "$dir/first" "$dir/data"; else cp -a "$dir/data" "$dir/first"; fi
  cluster_start "$dir" >/dev/null
}

finish() {
  local status=$?
  [ -z "${dir:-}" ] || { cluster_stop "$dir"; rm -rf "$dir"; }
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

faults=()
if [ -n "${FAULT:-}" ]; then
  read -r -a faults <<<"$FAULT"
else
  for fault in tests/faults/*.fault; do faults+=("$(basename "$fault" .fault)"); done
fi
tests=() on_server=''
for fault in "${faults[@]}"; do
  read_fault "$fault"
  tests+=("$test")
  [[ $test == engine\ * ]] || on_server=yes
done

scripts/setup.sh
find_postgres
rm -rf "$output"
mkdir -p "$output" "$tree"
say "Copying the work tree to $tree"
# Only what differs is written: cargo goes by the time.
(cd "$tree" && find . -type f -printf '%P\n') | while read -r known; do
  [ -e "$known" ] || rm "$tree/$known"
done
git ls-files -z --cached --others --exclude-standard | while read -r -d '' known; do
  if [ -f "$known" ] && ! cmp -s "$known" "$tree/$known"; then
    mkdir -p "$(dirname "$tree/$known")"
    cp "$known" "$tree/$known"
  fi
done
export CARGO_TARGET_DIR=$base/build
export CARGO_PROFILE_RELEASE_OPT_LEVEL=2 CARGO_PROFILE_RELEASE_INCREMENTAL=true CARGO_PROFILE_RELEASE_DEBUG=0
export PG_TOPDOWN_DATA=${PG_TOPDOWN_DATA:-$ROOT/../shared/data}
export PROPTEST_MAX_SHRINK_ITERS=0       # that a case fails is enough
export LONG=1                            # every case is tried

if [ -n "$on_server" ]; then
  say "Building pg_topdown without a fault"
  dir=$(mktemp -d "$(cluster_base)/faults.XXXXXX")
  chmod 755 "$dir"
  (cd "$tree" && PROFILE=dev scripts/build.sh "$dir/package")
  cluster_tree "$dir"
  cluster_start "$dir"
  fresh
  export PG_TOPDOWN_BINDIR=$dir/tree$PG_BIN
  library=$(find "$dir/tree" -name pg_topdown.so)
  script=$(find "$dir/tree" -name 'pg_topdown--*.sql' ! -name 'pg_topdown--*--*')
fi

# Without a fault every test must pass: one that fails anyway decides nothing.
mapfile -t tests < <(printf '%s\n' "${tests[@]}" | sort -u)
for test in "${tests[@]}"; do
  say "Without a fault: $test"
  log=$output/without-$(tr -cs 'a-z0-9_\n' - <<<"$test").log
  { build "$test" && run "$test"; } >"$log" 2>&1 || { tail -n 40 "$log"; die "$test fails without a fault: see $log"; }
done

caught=0 survived=0 failed=0 table=()
say "Putting in ${#faults[@]} faults"
for fault in "${faults[@]}"; do
  read_fault "$fault"
  log=$output/$fault.log from=$SECONDS target=$tree/$file
  case $file in
    sql/pg_topdown--*) target=$(dirname "$script")/${file#sql/} ;;
    sql/*) target=$script ;;
  esac
  cp "$target" "$base/original"
  if ! replaced "$target" >"$base/faulty"; then
    verdict='not put in: the old text is not there exactly once'
  else
    cat "$base/faulty" >"$target"
    if ! build "$test" >"$log" 2>&1; then
      verdict='does not build'
    elif run "$test" >>"$log" 2>&1; then
      verdict=survived
    else
      verdict=caught
      if [[ $test != engine\ * ]]; then fresh; fi
    fi
    cat "$base/original" >"$target"
  fi
  case $verdict in
    caught) caught=$((caught + 1)) ;;
    survived) survived=$((survived + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
  table+=("$(printf '%-34s %-28s %-46s %3d s  %s' "$fault" "$file" "${test:0:46}" $((SECONDS - from)) "$verdict")")
  echo "${table[-1]}"
done

say "$(git describe --always --dirty), $(nproc) cores of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $SECONDS s"
printf '%s\n' "${table[@]}"
echo "$caught caught, $survived survived, $failed failed"
[ $((survived + failed)) -eq 0 ]
