#!/usr/bin/env bash
# make install: builds the extension as the calling user, then copies its files to the directories of
# PG_CONFIG (below DESTDIR, if set), with sudo only where these are not writable. install(1) replaces a
# file instead of writing into it, so sessions that have the library loaded go on undisturbed.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

scripts/build.sh
find_postgres
package=$TARGET/package/$PG_FEATURE

# Can we create files in this directory, or in the nearest one above that exists?
writable() { local d=$1; until [ -e "$d" ]; do d=$(dirname "$d"); done; [ -w "$d" ]; }

say "Installing into ${DESTDIR:-}$("$PG_CONFIG" --pkglibdir) and ${DESTDIR:-}$("$PG_CONFIG" --sharedir)/extension"
find "$package" -type f -printf '/%P\n' | while read -r file; do
  to=${DESTDIR:-}$file mode=644
  case $file in *.so) mode=755 ;; esac
  if writable "$(dirname "$to")"; then run="env"; else run="as_root"; fi
  "$run" install -D -m "$mode" "$package$file" "$to" </dev/null
  echo "$to"
done
say "Installed. In a database: CREATE EXTENSION pg_topdown;"
