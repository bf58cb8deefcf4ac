#!/usr/bin/env bash
# Runs pg_regress/ (the argument pg_regress) or pg_regress/isolation/ (the argument isolation) with PostgreSQL's own driver on
# the running server that PGHOST, PGPORT and PGUSER name; the extension must be installed there. Every sql/*.sql or specs/*.spec
# is a test, further arguments name just some of them; setup.sql runs before any others and is not counted. A test without
# expected output fails here, because the drivers skip it or stop the whole run. So does what the extension says and
# pg_regress/messages.txt does not have; with the argument messages and what runs met (messages in their $OUTPUT) the other way
# round. Results and differences go to $OUTPUT (default target/regress/<suite>). The last line is "N passed, N failed", with
# ", N skipped" behind it if there are any; these are named in $PG_TOPDOWN_SKIPS, if that is set.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
find_postgres || die "no complete PostgreSQL at $PG_CONFIG: run make install first, or set PG_CONFIG"

# What the extension said, sorted, beside the catalogue of its messages: comm prints what is in one of the two.
beside_catalogue() { LC_ALL=C sort -u "${@:2}" | LC_ALL=C comm "-$1"3 - pg_regress/messages.txt; }

suite=$1
shift
if [ "$suite" = messages ]; then
  unmet=$(beside_catalogue 1 "$@")
  [ -n "$unmet" ] || exit 0
  printf 'In pg_regress/messages.txt, and never said:\n%s\n' "$unmet"
  exit 1
fi
case $suite in
  pg_regress) input=pg_regress inputs=sql ending=.sql driver=$PG_DRIVERS/regress/pg_regress ;;
  isolation) input=pg_regress/isolation inputs=specs ending=.spec driver=$PG_DRIVERS/isolation/pg_isolation_regress ;;
  *) die "unknown suite $suite" ;;
esac
if [ ! -d "$input/$inputs" ]; then
  echo "There is no $input/$inputs yet."
  exit
fi
output=${OUTPUT:-$TARGET/regress/$suite}
rm -rf "$output"
mkdir -p "$output"

[ $# -gt 0 ] || set -- "$input/$inputs"/*"$ending"
tests=() total=0 passed=0 skipped=0 status=0
# What the others need comes first, whichever these are.
[ "$suite" = isolation ] || set -- setup "${@#*setup.sql}"
for file; do
  [ -n "$file" ] || continue
  name=$(basename "$file" "$ending")
  [ -e "$input/$inputs/$name$ending" ] || die "there is no $input/$inputs/$name$ending"
  needs=$(sed -n 's/^-- Needs: //p' "$input/$inputs/$name$ending")
  if [ -n "$needs" ] && [ "$("$PG_BIN/psql" -AtXqc "SELECT $needs" postgres)" = f ]; then
    echo "SKIPPED: $name: not true of this server: $needs" | tee -a "${PG_TOPDOWN_SKIPS:-/dev/null}"
    skipped=$((skipped + 1))
    continue
  fi
  [ "$name" = setup ] || total=$((total + 1))
  if [ -e "$input/expected/$name.out" ]; then tests+=("$name"); else echo "$name: FAILED, there is no $input/expected/$name.out"; fi
done

if [ ${#tests[@]} -gt 0 ]; then
  MESSAGES=$output/messages "$driver" --launcher="'$ROOT/scripts/regress_launcher.sh'" --inputdir="$input" --outputdir="$output" \
    --bindir="$PG_BIN" --dbname=contrib_regression --no-locale --encoding=UTF8 --load-extension=pg_topdown "${tests[@]}" 2>&1 | tee "$output/driver.log" || status=$?
  # "test name ... ok" up to PostgreSQL 15, "ok 1 - name" from 16 on
  passed=$(grep -vE '(^test| -) setup ' "$output/driver.log" | grep -cE '^test .* \.\.\. ok\b|^ok [0-9]+ ') || true
  if [ -s "$output/regression.diffs" ]; then
    head -n 200 "$output/regression.diffs"
    echo "(the first 200 lines at most; all of it: $output/regression.diffs)"
  fi
fi
failed=$((total - passed))
# Other versions word what they raise themselves, and is passed on, in other ways.
if [ -s "$output/messages" ] && [ "$PG_FEATURE" = pg15 ]; then
  unknown=$(beside_catalogue 2 "$output/messages")
  if [ -n "$unknown" ]; then
    printf 'Not in pg_regress/messages.txt:\n%s\n' "$unknown"
    failed=$((failed + 1))
  fi
fi
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
totals="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || totals+=", $skipped skipped"
echo "$totals"
[ "$failed" -eq 0 ]
