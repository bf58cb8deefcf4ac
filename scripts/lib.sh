# shellcheck shell=bash disable=SC2034 # what is unused here is used where it is sourced
# What the scripts here share; sourced, never run. It finds the repository, Rust and PostgreSQL, and
# knows how to act as somebody else: as_root for the system's directories (through sudo unless we are
# root), as_server for the private cluster, because PostgreSQL refuses to be run by root.
#
# A script called through sudo in somebody's own work tree carries on as that somebody, so that
# nothing under target/ comes to belong to root; the few steps that need root ask sudo themselves.
set -euo pipefail
umask 022

say() { printf '\n==> %s\n' "$*"; }
die() { printf 'pg_topdown: %s\n' "$*" >&2; exit 1; }

self=$(realpath "$0")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$ROOT"
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")

if [ "$EUID" -eq 0 ] && [ "${SUDO_UID:-0}" -ne 0 ] && [ "$(stat -c %u "$ROOT")" -eq "$SUDO_UID" ]; then
  home=$(getent passwd "$SUDO_UID" | cut -d: -f6)
  exec setpriv --reuid="$SUDO_UID" --regid="$SUDO_GID" --init-groups \
    env HOME="$home" USER="$SUDO_USER" PATH="$PATH:$home/.cargo/bin" bash "$self" "$@"
fi

command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin

as_root() {
  if [ "$EUID" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "this needs root, and there is no sudo: $*"; fi
}

# Debian packages, into the system.
apt_install() {
  as_root apt-get -q -o DPkg::Lock::Timeout=300 update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 install "$@"
}

# The directory is changed because the repository may be where the other user cannot go.
as_server() {
  if [ "$EUID" -ne 0 ]; then (cd / && "$@")
  else (cd / && setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --init-groups "$@"); fi
}
server_user=$(id -un)
if [ "$EUID" -eq 0 ]; then
  server_user=postgres
  id "$server_user" >/dev/null 2>&1 || server_user=nobody
fi

# PostgreSQL: PG_CONFIG where given, else Debian's 15, else what is on PATH. PG_TEST_DRIVERS names another installation's
# <pgxs>/src/test, where its own pg_regress and pg_isolation_regress are of no use.
debian_pg_config=/usr/lib/postgresql/15/bin/pg_config
pg_config_given=${PG_CONFIG:+yes}

# Is there all of it: the server, its headers, its test programs? (Debian's client package has a pg_config too.)
complete() {
  local pgxs
  pgxs=$("$1" --pgxs 2>/dev/null) && [ -x "$("$1" --bindir)/postgres" ] &&
    [ -f "$("$1" --includedir-server)/postgres.h" ] && [ -x "${pgxs%/makefiles/pgxs.mk}/test/regress/pg_regress" ]
}

find_postgres() {
  if [ -z "$pg_config_given" ]; then
    PG_CONFIG=$debian_pg_config
    complete "$PG_CONFIG" || PG_CONFIG=$(command -v pg_config || echo "$debian_pg_config")
  fi
  complete "$PG_CONFIG" || return 1
  PG_CONFIG=$(realpath "$(command -v "$PG_CONFIG")")
  PG_FEATURE=pg$("$PG_CONFIG" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
  PG_BIN=$("$PG_CONFIG" --bindir)
  export PGRX_PG_CONFIG_PATH=$PG_CONFIG
  PG_DRIVERS=$("$PG_CONFIG" --pgxs) PG_DRIVERS=${PG_TEST_DRIVERS:-${PG_DRIVERS%/makefiles/pgxs.mk}/test}
  grep -q "^$PG_FEATURE = " Cargo.toml || die "$("$PG_CONFIG" --version) of $PG_CONFIG is not supported"
}

# Builds the library for the PostgreSQL that was found, with cargo alone: $library. WITH_TESTS=yes builds the tests beside it,
# so that what both depend on is compiled once (cargo's features are those of all that is built together).
tested=(-p pg_topdown -p engine-tests -p engine-units -p client-tests)
build_library() {
  local profile=${PROFILE:-release} what=(-p pg_topdown --features "$PG_FEATURE")
  [ -z "${WITH_TESTS:-}" ] || what=("${tested[@]}" --bins --tests --features "pg_topdown/$PG_FEATURE")
  cargo build --lib --locked --profile "$profile" --no-default-features "${what[@]}"
  if [ "$profile" = dev ]; then profile=debug; fi
  library=$TARGET/$profile/libpg_topdown.so
}

# Unpacks Debian packages that a test can do with into target/tools/<the first's name>, which $unpacked then names,
# and installs nothing: no service of theirs is started. Where that cannot be done, it is said and left.
unpack() {
  local into=$TARGET/tools/$1
  if [ ! -e "$into/done" ]; then
    rm -rf "$into"
    mkdir -p "$into"
    if command -v apt-get >/dev/null && (cd "$into" && apt-get -q download "$@" && for package in *.deb; do dpkg -x "$package" .; done); then
      touch "$into/done"
    else
      say "No package of $* can be had"
    fi
  fi
  unpacked=$into
}

tools=$ROOT/target/tools
PATH=$tools/bin:$PATH

# Who packages are by; the version that is built, and the time of its commit (of CHANGELOG.md, where this is no clone).
maintainer="${DEBFULLNAME:-pg_topdown maintainers} <${DEBEMAIL:-pg_topdown@example.com}>"
# As sed takes it for what stands in the place of something.
maintainer_in_sed=$(sed 's/[&/\\]/\\&/g' <<<"$maintainer")
cargo_version() { sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -1; }
commit_time() { git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md; }
