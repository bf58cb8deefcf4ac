#!/usr/bin/env bash
# make dist: the archive for PGXN, target/dist/pg_topdown-<version>.zip: what is committed at HEAD, and META.json made of
# packaging/META.json, which PGXN's own validator (pgxn_meta, built once into target/tools) has found good. What is changed
# and not committed is not in it, and that is said.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

version=$(cargo_version)
out=$TARGET/dist
archive=$out/pg_topdown-$version.zip
validator_version=0.7.0
mkdir -p "$out"

if ! "$tools/bin/pgxn_meta" --version 2>/dev/null | grep -qF "$validator_version"; then
  say "Installing pgxn_meta $validator_version into target/tools (once)"
  cargo install pgxn_meta --version "=$validator_version" --locked --root "$tools"
fi
[ -z "$(git status --porcelain --untracked-files=no)" ] || say "Changes that are not committed are not in the archive"
sed "s/@VERSION@/$version/; s/@MAINTAINER@/$maintainer_in_sed/" packaging/META.json >"$out/META.json"
"$tools/bin/pgxn_meta" "$out/META.json"
rm -f "$archive"
git archive --format=zip --prefix="pg_topdown-$version/" --add-file="$out/META.json" -o "$archive" HEAD
sha256sum "$archive"
