#!/usr/bin/env bash
# Builds the extension and lays it out in a directory (the argument, default target/package/pg<version>)
# as it will lie under /: library, control file and SQL scripts. From there install.sh copies it
# to PostgreSQL, and cluster.sh into the private copy of PostgreSQL that tests and demo run on.
# PROFILE=dev builds without optimization.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
find_postgres
package=${1:-$TARGET/package/$PG_FEATURE}
say "Building pg_topdown for $("$PG_CONFIG" --version) of $PG_CONFIG into $package"
build_library
extension=$package$("$PG_CONFIG" --sharedir)/extension
rm -rf "$package"
install -D -m 755 "$library" "$package$("$PG_CONFIG" --pkglibdir)/pg_topdown.so"
mkdir -p "$extension"
sed "s/@CARGO_VERSION@/$(cargo_version)/" pg_topdown.control >"$extension/pg_topdown.control"
find sql -name "pg_topdown--*.sql" -exec install -m 644 {} "$extension" \;
