#!/usr/bin/env bash
# make book: the pages of docs/ as a book, by mdBook, which is built once into target/tools.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

version=0.5.4
if [ "$("$tools/bin/mdbook" --version 2>/dev/null)" != "mdbook v$version" ]; then
  say "Installing mdbook $version into target/tools (once)"
  cargo install mdbook --version "=$version" --locked --root "$tools"
fi
"$tools/bin/mdbook" build --dest-dir "$TARGET/book"
say "The book: $TARGET/book/index.html"
