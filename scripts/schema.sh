#!/usr/bin/env bash
# make schema: the install script of this version, sql/pg_topdown--<version>.sql, as the code makes it, and what the reference
# (docs/reference) has of it.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/setup.sh
find_postgres
PROFILE=${PROFILE:-dev}
build_library
script=sql/pg_topdown--$(cargo_version).sql
cargo run -q --locked -p client-tests --bin schema "$library" >"$TARGET/schema.sql"
mv "$TARGET/schema.sql" "$script"
cargo run -q --locked -p client-tests --bin reference
git --no-pager diff --stat -- "$script" docs/reference || true
say "$script is what the code makes"
