#!/usr/bin/env bash
# Runs pg_regress/ (the argument pg_regress) or pg_regress/isolation/ (the argument isolation) with
# PostgreSQL's own driver on the running server that PGHOST, PGPORT and PGUSER name; the extension must be
# installed there. Every sql/*.sql or specs/*.spec is a test, further arguments name just some of them; one
# without expected output fails here, because the drivers skip it or stop the whole run. Results and differences go to $OUTPUT (default
# target/regress/<suite>). The last line is "N passed, N failed".
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
find_postgres || die "no complete PostgreSQL at $PG_CONFIG: run make install first, or set PG_CONFIG"

suite=$1
shift
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
tests=() total=0 passed=0 status=0
# What the others need comes first, whichever these are.
[ "$suite" = isolation ] || set -- setup "${@#*setup.sql}"
for file; do
  [ -n "$file" ] || continue
  name=$(basename "$file" "$ending")
  [ -e "$input/$inputs/$name$ending" ] || die "there is no $input/$inputs/$name$ending"
  total=$((total + 1))
  if [ -e "$input/expected/$name.out" ]; then tests+=("$name"); else echo "$name: FAILED, there is no $input/expected/$name.out"; fi
done

if [ ${#tests[@]} -gt 0 ]; then
  "$driver" --inputdir="$input" --outputdir="$output" --bindir="$PG_BIN" --dbname=contrib_regression \
    --no-locale --encoding=UTF8 --load-extension=pg_topdown "${tests[@]}" 2>&1 | tee "$output/driver.log" || status=$?
  # "test name ... ok" up to PostgreSQL 15, "ok 1 - name" from 16 on
  passed=$(grep -cE '^test .* \.\.\. ok\b|^ok [0-9]+ ' "$output/driver.log") || true
  if [ -s "$output/regression.diffs" ]; then
    head -n 200 "$output/regression.diffs"
    echo "(the first 200 lines at most; all of it: $output/regression.diffs)"
  fi
fi
failed=$((total - passed))
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
