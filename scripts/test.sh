#!/usr/bin/env bash
# make test: the engine's tests, pg_regress, isolation and client tests. SUITES=pg_regress,client runs just some of them.
# Everything is compiled once, as it is for users. Then as many jobs as there are processors (four at most) run side by side,
# each on a private cluster of its own, the longest first: a job is a module of a test program, or a part of pg_regress. A
# failure does not keep the next from running. Each job is counted by the way its tool reports; one in which nothing ran, or
# that failed without naming a test, counts as one failure. Tests that lack the shared data append a line to
# $PG_TOPDOWN_SKIPS and return: they are taken off the passed ones and counted as skipped.
# The last line is "N passed, N failed", with ", N skipped" behind it if there are any.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

all=(engine pg_regress isolation client)
longest=(hostile differential pg_regress kmember pairs memory soak large)
workers=$(nproc)
[ "$workers" -le 4 ] || workers=4
passed=0 failed=0 skipped=0 run='' in_memory='' report=()

finish() {
  local status=$? totals worker
  set +e
  trap '' INT TERM
  if [ "$status" -ne 0 ]; then
    failed=$((failed + 1))
    report+=("Stopped before the end")
  fi
  if [ -n "$run" ]; then
    for ((worker = 0; worker < workers; worker++)); do cluster_stop "$run/$worker"; done
    [ -z "$in_memory" ] || rm -rf "$in_memory"
    mapfile -t -O ${#report[@]} report < <(cat "$run"/output/*/*.skips 2>/dev/null)
    if [ "$failed" -gt 0 ]; then
      rm -rf "$TARGET/test-output"
      cp -r "$run/output" "$TARGET/test-output"
      for ((worker = 0; worker < workers; worker++)); do cp "$run/$worker/log" "$TARGET/test-output/server-$worker.log"; done 2>/dev/null
      report+=("What the tests and the servers said is in $TARGET/test-output")
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

suites=,${SUITES:=$(IFS=, && echo "${all[*]}")},
for suite in ${SUITES//,/ }; do
  [[ " ${all[*]} " == *" $suite "* ]] || die "there is no suite $suite"
done
wanted() { [[ $suites == *,$1,* ]]; }

# The ways to count print passed, failed and skipped, given a test's output, its exit status and its skips.
by_status() { if [ "$2" -eq 0 ]; then echo 1 0 0; else echo 0 1 0; fi; }
by_last_line() { sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\?$/\1 \2 0\4/p' "$1" | grep . || echo 0 0 0; }
by_results() { # "test result: ok. 3 passed; 0 failed; 1 ignored; ..."
  local skips=0
  [ ! -f "$3" ] || skips=$(wc -l <"$3")
  awk -v skips="$skips" '/^test result: / { p += $4; f += $6; s += $8 } END { print p - skips, f + 0, s + skips }' "$1"
}

# perform <suite> <name> <how to count> <directory> <command>...: runs a test, says how it ended, and keeps that for the sums.
perform() {
  local suite=$1 name=$2 count=$3 directory=$4 out=$run/output/$1/$2 status=0 p f s from=$SECONDS
  shift 4
  mkdir -p "$run/output/$suite"
  export OUTPUT=$out PG_TOPDOWN_SKIPS=$out.skips
  # shellcheck source=/dev/null
  [ ! -e "$run/${WORKER:-none}/environment" ] || . "$run/$WORKER/environment"
  (cd "$directory" && exec "$@") >"$out.log" 2>&1 || status=$?
  read -r p f s < <("$count" "$out.log" "$status" "$out.skips")
  if [ $((p + f + s)) -eq 0 ] || { [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; }; then f=$((f + 1)); fi
  echo "$p $f $s $((SECONDS - from))" >"$out.counts"
  [ "$f" -eq 0 ] || cat "$out.log"
  printf '%-11s %-20s %4d passed %4d failed %4d skipped %5d s\n' "$suite" "$name" "$p" "$f" "$s" $((SECONDS - from))
}

scripts/setup.sh
# A report is rendered by a real browser; where none can be had, its test says so and counts as skipped.
if wanted client && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null && command -v apt-get >/dev/null; then
  say "Getting Chromium, for the tests of reports"
  # In a shell of its own: without root and sudo the tests go on.
  (apt_install chromium fonts-dejavu-core) || say "No Chromium can be had"
fi
find_postgres
features=(--no-default-features --features "pg_topdown/$PG_FEATURE")

# A directory of this run's own, locked as long as it lives; those of killed runs are cleared away.
base=$(cluster_base)
exec 8<"$base"
flock 8
for stale in "$base"/test.*; do
  if [ -d "$stale" ] && flock -n "$stale" true; then
    say "Clearing away $stale, which a killed run left behind"
    for cluster in "$stale" "$stale"/[0-9]; do
      cluster_stop "$cluster" || true
      [ ! -L "$cluster/data" ] || rm -rf "$(dirname "$(readlink "$cluster/data")")"
    done
    rm -rf "$stale"
  fi
done
run=$(mktemp -d "$base/test.XXXXXX")
chmod 755 "$run"
mkdir "$run/output"
exec 9<"$run"
flock 9
exec 8<&-

# Compiled once: the library that is tested, as it is for users, and what tests it. A line for each program: its directory and itself.
find_tests() {
  cargo test --release --locked --no-run --tests "${tested[@]}" "${features[@]}" --message-format=json |
    sed -n 's#.*"manifest_path":"'"$ROOT"'/\(engine/tests\|engine/units\|tests\)/Cargo.toml".*"kind":\["test"\].*"executable":"\([^"]*\)".*#\1 \2#p'
}
jobs=()                                # lines of arguments of perform
if wanted engine || wanted client; then
  export WITH_TESTS=yes
  build_library
  while read -r directory program; do
    suite=engine
    [ "$directory" != tests ] || suite=client
    wanted "$suite" || continue
    modules=''
    [ "$directory" = engine/units ] || modules=$("$program" --list --format terse | sed -n 's/^\([a-z_]*\)::.*: test$/\1/p' | sort -u)
    if [ -z "$modules" ]; then
      name=$(basename "$program")
      jobs+=("$suite ${name%-*} by_results $directory $program")
    fi
    for module in $modules; do jobs+=("$suite $module by_results $directory $program $module::"); done
  done < <(find_tests)
  [ ${#jobs[@]} -gt 0 ] || die "no test program was built"
fi
if wanted pg_regress; then
  for ((part = 1; part <= 2 * workers; part++)); do
    mapfile -t tests < <(printf '%s\n' pg_regress/sql/*.sql | grep -v '/setup\.sql$' | awk -v "part=$part" -v "parts=$((2 * workers))" 'NR % parts + 1 == part')
    jobs+=("pg_regress pg_regress_$part by_last_line . scripts/regress.sh pg_regress ${tests[*]}")
  done
fi
if wanted isolation; then jobs+=("isolation isolation by_last_line . scripts/regress.sh isolation"); fi
for name in "${longest[@]}"; do printf '%s\n' "${jobs[@]}" | grep "^[a-z_]* ${name}[_0-9]* " || true; done >"$run/jobs"
printf '%s\n' "${jobs[@]}" | grep -vxF -f "$run/jobs" >>"$run/jobs" || true

if wanted pg_regress || wanted isolation || wanted client; then cluster_install "$run/0"; else workers=0; fi

# pg_cron, for tests/tests/schedule.rs: Debian's, unpacked beside Debian's PostgreSQL; PG_TOPDOWN_CRON=0 goes without.
cron=''
if [[ ${PG_TOPDOWN_CRON:-1} != 0 && $PG_BIN == /usr/lib/postgresql/* ]]; then
  unpack "postgresql-${PG_FEATURE#pg}-cron"
  cron=$unpacked
fi
# In memory, where there is enough: a sixth of the time of a small release is ext4's, which looks for numbers of new files.
room_in_kb() { df --output=avail -k /dev/shm 2>/dev/null | tail -1; awk '/^MemAvailable:/ { print $2 }' /proc/meminfo; }
if [ "$workers" -gt 0 ] && [ -w /dev/shm ] && [ "$(room_in_kb | sort -n | head -1)" -ge $((8 << 20)) ]; then
  in_memory=$(mktemp -d /dev/shm/pg_topdown.XXXXXX)
  chmod 755 "$in_memory"
fi
for ((worker = 0; worker < workers; worker++)); do
  mkdir -p "$run/$worker"
  if [ "$worker" -gt 0 ]; then
    ln -s ../0/package "$run/$worker/package"
    cluster_tree "$run/$worker"
  fi
  [ -z "$cron" ] || [ ! -d "$cron/usr" ] || cp -r "$cron/usr/lib" "$cron/usr/share" "$run/$worker/tree/usr/"
  cluster_start "$run/$worker"
  # With the programs, for tests that need pg_dump and the like, or a second cluster.
  printf 'export PGHOST=%q PGPORT=%q PGUSER=%q PG_TOPDOWN_BINDIR=%q PG_TOPDOWN_INITDB=%q\n' "$PGHOST" "$PGPORT" "$PGUSER" \
    "$run/$worker/tree$PG_BIN" "$initdb" >"$run/$worker/environment"
done
say "The tests, side by side"
export run
export -f perform by_last_line by_results
# shellcheck disable=SC2016 # expanded there
xargs -a "$run/jobs" -L 1 -P "$((workers > 0 ? workers : 2))" --process-slot-var=WORKER bash -c 'perform "$@"' job || true

# Each part has compared what it met with the catalogue; together they have met all of it, where the server lacks nothing.
if wanted pg_regress && [ "$PG_FEATURE" = pg15 ]; then
  perform pg_regress messages by_status . scripts/regress.sh messages "$run"/output/pg_regress/pg_regress_*/messages
  echo "pg_regress messages" >>"$run/jobs"
fi

for suite in "${all[@]}"; do
  wanted "$suite" || continue
  read -r p f s seconds < <(cat "$run/output/$suite"/*.counts 2>/dev/null | awk '{ p += $1; f += $2; s += $3; t += $4 } END { print p + 0, f + 0, s + 0, t + 0 }')
  # One that did not come to its end has no counts.
  missing=$(grep -c "^$suite " "$run/jobs") || true
  missing=$((missing - $(find "$run/output/$suite" -name '*.counts' 2>/dev/null | wc -l)))
  f=$((f + missing))
  [ "$missing" -eq 0 ] || report+=("$suite: $missing ended without a result")
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  report+=("$(printf '%-12s %4d passed %4d failed %4d skipped %5d s' "$suite" "$p" "$f" "$s" "$seconds")")
done
if grep -E 'terminated by signal|PANIC:|TRAP:' "$run"/*/log; then
  failed=$((failed + 1))
  report+=("The server crashed: see the lines of its log above")
fi
