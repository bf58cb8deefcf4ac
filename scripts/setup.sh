#!/usr/bin/env bash
# Gets what a build needs and is not there yet, and nothing else: Debian packages through apt-get
# (PostgreSQL's only when no PG_CONFIG was given). The packages' own cluster, "15 main", is never touched. Where nothing is
# missing it takes a fraction of a second.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

command -v cargo >/dev/null || die "Rust is needed, and cargo is not on PATH: see https://rustup.rs"
mkdir -p "$tools"
exec 8<"$tools"                        # one set-up at a time
flock 8

missing=()
if command -v dpkg-query >/dev/null; then
  for package in clang libclang-dev pkg-config; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  command -v cc >/dev/null || missing+=(gcc libc6-dev)
fi
if ! find_postgres; then
  [ -z "$pg_config_given" ] || die "$PG_CONFIG: no complete PostgreSQL (server, headers, pg_regress) belongs to it"
  missing+=(postgresql-15 postgresql-server-dev-15)
fi
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || die "please install ${missing[*]}, or name a complete PostgreSQL with PG_CONFIG"
  say "Installing Debian packages: ${missing[*]}"
  apt_install "${missing[@]}"
  find_postgres || die "no complete PostgreSQL at $debian_pg_config even now"
fi
