#!/usr/bin/env bash
# make test: formatting, the pages' English, clippy, the engine's tests, then pg_regress, isolation and client tests on a
# private cluster of this run's own; SUITES=pg_regress,client runs just some of them. A suite that fails
# does not keep the next from running. Each suite's output is counted by the way its tool reports; a suite in which nothing ran, or whose tool failed
# without naming a test, counts as one failure. Tests that lack the shared data append a line to
# $PG_TOPDOWN_SKIPS and return: they are taken off the passed ones and counted as skipped.
# The last line is "N passed, N failed", with ", N skipped" behind it if there are any.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

passed=0 failed=0 skipped=0 run='' report=()

finish() {
  local status=$? totals skips
  set +e
  trap '' INT TERM
  if [ "$status" -ne 0 ]; then
    failed=$((failed + 1))
    report+=("Stopped before the end")
  fi
  if [ -n "$run" ]; then
    cluster_stop "$run"
    skips=$(cat "$run"/output/*.skips 2>/dev/null) && report+=("$skips")
    if [ "$failed" -gt 0 ]; then
      rm -rf "$TARGET/test-output"
      cp -r "$run/output" "$TARGET/test-output"
      cp "$run/log" "$TARGET/test-output/server.log" 2>/dev/null
      report+=("What the suites and the server said is in $TARGET/test-output")
    fi
    rm -rf "$run"
  fi
  totals="$passed passed, $failed failed"
  [ "$skipped" -eq 0 ] || totals+=", $skipped skipped"
  printf '\n'
  printf '%s\n' "${report[@]}" "$totals"
  exit $((failed > 0))
}
trap finish EXIT
trap 'exit 130' INT TERM

suites=${SUITES:-}
for suite in ${suites//,/ }; do
  [[ $suite =~ ^(fmt|prose|clippy|engine|pg_regress|isolation|client)$ ]] || die "there is no suite $suite"
done
wanted() { case ,${SUITES:-$1}, in *,$1,*) ;; *) return 1 ;; esac; }

# suite <name> <how to count> <command>...
suite() {
  local name=$1 count=$2 log=$run/output/$1.log status=0 p=0 f=0 s=0 from=$SECONDS
  shift 2
  wanted "$name" || return 0
  export PG_TOPDOWN_SKIPS=$run/output/$name.skips
  say "$name: $*"
  "$@" 2>&1 | tee "$log" || status=$?
  read -r p f s < <("$count" "$log" "$status")
  if [ $((p + f)) -eq 0 ] || { [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; }; then f=$((f + 1)); fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  report+=("$(printf '%-12s %4d passed %4d failed %4d skipped %5d s' "$name" "$p" "$f" "$s" $((SECONDS - from)))")
}
# The ways to count print passed, failed and skipped, given a suite's output and exit status.
by_status() { if [ "$2" -eq 0 ]; then echo 1 0 0; else echo 0 1 0; fi; }
by_last_line() { sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\?$/\1 \2 0\4/p' "$1" | grep . || echo 0 0 0; }
by_results() { # "test result: ok. 3 passed; 0 failed; 1 ignored; ..." of each test program
  local skips=0
  [ ! -f "$PG_TOPDOWN_SKIPS" ] || skips=$(wc -l <"$PG_TOPDOWN_SKIPS")
  awk -v skips="$skips" '/^test result: / { p += $4; f += $6; s += $8 } END { print p - skips, f + 0, s + skips }' "$1"
}

scripts/setup.sh
# A report is rendered by a real browser; where none can be had, its test says so and counts as skipped.
if wanted client && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null && command -v apt-get >/dev/null; then
  say "Getting Chromium, for the tests of reports"
  # In a shell of its own: without root and sudo the tests go on.
  (apt_install chromium fonts-dejavu-core) || say "No Chromium can be had"
fi
find_postgres
features=()
[ "$PG_FEATURE" = pg15 ] || features=(--no-default-features --features "pg_topdown/$PG_FEATURE")

# A directory of this run's own, locked as long as it lives; those of killed runs are cleared away.
base=$(cluster_base)
exec 8<"$base"
flock 8
for stale in "$base"/test.*; do
  if [ -d "$stale" ] && flock -n "$stale" true; then
    say "Clearing away $stale, which a killed run left behind"
    cluster_stop "$stale" || true
    rm -rf "$stale"
  fi
done
run=$(mktemp -d "$base/test.XXXXXX")
chmod 755 "$run"
mkdir "$run/output"
exec 9<"$run"
flock 9
exec 8<&-

suite fmt by_status cargo fmt --all --check
suite prose by_last_line scripts/prose.sh
suite clippy by_status cargo clippy --workspace --all-targets "${features[@]}" -- -D warnings
suite engine by_results cargo test -p topdown --release --no-fail-fast

cluster_install "$run"
# pg_cron, for tests/tests/schedule.rs: Debian's, unpacked beside Debian's PostgreSQL; PG_TOPDOWN_CRON=0 goes without.
if [[ ${PG_TOPDOWN_CRON:-1} != 0 && $PG_BIN == /usr/lib/postgresql/* ]]; then
  unpack "postgresql-${PG_FEATURE#pg}-cron"
  [ ! -d "$unpacked/usr" ] || cp -r "$unpacked/usr/lib" "$unpacked/usr/share" "$run/tree/usr/"
fi
cluster_start "$run"
export PG_TOPDOWN_BINDIR=$run/tree$PG_BIN      # for tests that need pg_dump and the like, or a second cluster
OUTPUT=$run/output/pg_regress suite pg_regress by_last_line scripts/regress.sh pg_regress
if [ -d pg_regress/isolation/specs ]; then
  OUTPUT=$run/output/isolation suite isolation by_last_line scripts/regress.sh isolation
fi
suite client by_results cargo test -p client-tests --no-fail-fast

if grep -E 'terminated by signal|PANIC:|TRAP:' "$run/log"; then
  failed=$((failed + 1))
  report+=("The server crashed: see the lines of its log above")
fi
