#!/usr/bin/env bash
# make quick: what one runs while working, in less than a minute where everything was built before: formatting, clippy, the
# engine's unit tests, and a few SQL tests on a private cluster that stays, with the extension built without optimization.
# TESTS="regrouped withhold" adds files of pg_regress/sql; those that were changed are added in any case.
# The cluster is stopped by `scripts/quick.sh stop`. The last line is that of scripts/regress.sh.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/cluster.sh
source scripts/cluster.sh

# Each takes less than a second.
tests=(signatures objects release_objects bad_input_columns types_suppression types_taxonomy few_rows release_refresh_rights
  privacy_published_columns withhold)

scripts/setup.sh
find_postgres
dir=$(cluster_base)/quick-$PG_FEATURE
if [ "${1:-}" = stop ]; then
  cluster_stop "$dir"
  exit
fi
features=()
[ "$PG_FEATURE" = pg15 ] || features=(--no-default-features --features "pg_topdown/$PG_FEATURE")
cargo fmt --all --check
cargo clippy -q --workspace --all-targets "${features[@]}" -- -D warnings
cargo test -q -p engine-units
mkdir -p "$dir"
chmod 755 "$dir"
PROFILE=dev scripts/build.sh "$dir/package"
cluster_stop "$dir"
cluster_tree "$dir"
cluster_start "$dir"
for file in $(git diff --name-only HEAD -- pg_regress/sql pg_regress/expected) ${TESTS:-}; do
  name=$(basename "$file")
  name=${name%.*}
  [[ " ${tests[*]} " == *" $name "* ]] || [ ! -e "pg_regress/sql/$name.sql" ] || tests+=("$name")
done
scripts/regress.sh pg_regress "${tests[@]}"
