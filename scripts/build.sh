#!/usr/bin/env bash
# Builds the extension and lays it out in a directory (the argument, default target/package/pg<version>)
# as it will lie under /: library, control file and SQL scripts. From there install.sh copies it
# to PostgreSQL, and cluster.sh into the private copy of PostgreSQL that tests and demo run on.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
find_postgres
package=${1:-$TARGET/package/$PG_FEATURE}
say "Building pg_topdown for $("$PG_CONFIG" --version) of $PG_CONFIG into $package"
rm -rf "$package"
cargo pgrx package --pg-config "$PG_CONFIG" --out-dir "$package"
