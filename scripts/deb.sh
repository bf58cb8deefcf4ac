#!/usr/bin/env bash
# make deb: a Debian package postgresql-<version>-topdown for each PostgreSQL of PG_CONFIGS (else for that of PG_CONFIG), in
# target/deb, by Debian's own tools from packaging/debian; lintian looks at each, and an error of its fails. Every time in a
# package is its commit's; docs/RELEASING.md tells what else its bytes depend on.
#
# make deb-check (argument check): the package is installed with apt into a clean Debian (scripts/debian.sh), the first tour
# of the README that it brings is run there, a release is made and refreshed, the extension is dropped and the package purged.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

version=$(cargo_version)
out=$TARGET/deb
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(commit_time)

tools_needed() {
  local missing=()
  for package in debhelper dpkg-dev fakeroot lintian; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
}

build() {
  scripts/build.sh
  find_postgres
  local package=postgresql-${PG_FEATURE#pg}-topdown stage=$out/stage/$PG_FEATURE built=$TARGET/package/$PG_FEATURE source
  [[ $("$PG_CONFIG" --pkglibdir) == /usr/lib/* ]] || die "$PG_CONFIG is no Debian package's: a .deb can be made for those only"
  source=$stage/pg-topdown-$version
  rm -rf "$stage"
  mkdir -p "$source/examples"
  # The tree, with what belongs to everybody who reads documentation beside it.
  cp -r "$built/usr" packaging/debian "$source/"
  cp -r README.md docs "$source/"
  cp CHANGELOG.md "$source/docs/"
  cp sql/examples/* "$source/examples/"
  cargo run -q --locked -p client-tests --bin licences >"$source/THIRD-PARTY.txt"
  chmod -R u=rwX,go=rX "$source"
  find "$source/usr" "$source/docs" "$source/examples" -type f -exec chmod 644 {} +
  sed -i -e "s/@PACKAGE@/$package/; s/@MAJOR@/${PG_FEATURE#pg}/; s/@MAINTAINER@/$maintainer_in_sed/" "$source/debian/control"
  printf 'pg-topdown (%s) unstable; urgency=medium\n\n  * Release %s: see CHANGELOG.md in docs beside this file.\n\n -- %s  %s\n' \
    "$version" "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$source/debian/changelog"
  {
    printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' 'Upstream-Name: pg_topdown' '' 'Files: *' \
      "Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE)" 'License: PostgreSQL'
    sed -n '5,$ { s/^$/./; s/^/ /; p }' LICENSE
    printf '%s\n' 'Comment:' ' The library contains Rust crates; THIRD-PARTY.txt beside this file has the licence of each.'
  } >"$source/debian/copyright"
  say "Packing $package $version"
  (cd "$source" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps >"$stage/log" 2>&1) ||
    { tail -n 30 "$stage/log" >&2; die "dpkg-buildpackage failed: $stage/log"; }
  cp "$stage"/*.deb "$out/"
  lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file "$stage"/*.changes
  sha256sum "$out/$package"*.deb
}

check() {
  find_postgres || die "no PostgreSQL"
  local package=postgresql-${PG_FEATURE#pg}-topdown suite
  # shellcheck disable=SC1091
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  scripts/debian.sh "$suite" '' scripts/deb.sh inside "$package" "$(ls -t "$out/${package}_$version"_*.deb | head -1)"
  say "$package $version: installed, toured and purged in a clean Debian $suite"
}

# In the clean system, as its root.
inside() {
  local package=$1 deb=$2 major=${1//[^0-9]/}
  apt-get -q update
  apt-get -q -y --no-install-recommends install "$deb"
  say "The README's first tour"
  {
    zcat -f "/usr/share/doc/$package/README.md"* |
      awk '/^## / { tour = /^## Five minutes/ } /^```$/ { sql = 0 } tour && sql; /^```sql$/ { sql = 1 }'
    echo 'DROP EXTENSION pg_topdown;'
  } >/tmp/tour.sql
  grep -q 'tds_anonymize' /tmp/tour.sql || die "the README has no tour"
  pg_virtualenv -v "$major" psql -X -v ON_ERROR_STOP=1 -f /tmp/tour.sql
  # What a job of a scheduler does; each statement by itself, as psql reads them.
  say "A release is made, refreshed and dropped"
  cat >/tmp/release.sql <<-'SQL'
	CREATE EXTENSION pg_topdown;
	SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown';
	CREATE TABLE people AS SELECT 20 + i % 40 AS age, 'c' || i % 3 AS city FROM generate_series(1, 600) i;
	SELECT tds_anonymize('people', 'people_r', ARRAY[k_anonymity(ARRAY['age', 'city'], 10)]);
	INSERT INTO people SELECT 20 + i % 40, 'c' || i % 3 FROM generate_series(1, 600) i;
	CALL release_refresh_all();
	SELECT 1 / (version - 1) AS refreshed FROM people_r.about;
	SELECT count(*), 1 / (min(n) >= 10)::int AS k FROM (SELECT count(*) AS n FROM people_r.people GROUP BY age, city) g;
	SELECT release_assert('people_r');
	DROP EXTENSION pg_topdown;
	-- It is read without the extension.
	SELECT count(*) FROM people_r.people;
	DROP SCHEMA people_r, people_r_private CASCADE;
	SQL
  pg_virtualenv -v "$major" psql -X -v ON_ERROR_STOP=1 -f /tmp/release.sql
  apt-get -q -y purge "$package"
  [ -z "$(find /usr -name '*topdown*')" ] || die "left behind: $(find /usr -name '*topdown*')"
}

case ${1:-build} in
  build)
    tools_needed
    mkdir -p "$out"
    if [ -z "${PG_CONFIGS:-}" ]; then build; else
      for config in $PG_CONFIGS; do (export PG_CONFIG=$config && "$self" build_one); done
    fi ;;
  build_one) PG_CONFIGS='' build ;;
  check) check ;;
  inside) inside "$2" "$3" ;;
  *) die "unknown argument $1" ;;
esac
