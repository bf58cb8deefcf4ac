#!/usr/bin/env bash
# What cargo calls in place of the compiler for the crates of this workspace (RUSTC_WORKSPACE_WRAPPER): clippy looks at each
# while it is compiled, so that what they depend on is compiled once, and not for clippy, too. A warning fails the build.
set -euo pipefail

# Questions about the compiler are no crates. The library for other versions has the same sources.
case " $* " in
  *" --emit="*) ;;
  *) exec "$@" ;;
esac
case " $* " in
  *' feature="pg16" '* | *' feature="pg17" '* | *' feature="pg18" '*) exec "$@" ;;
esac

# Clippy's own output goes nowhere, and cargo is told of the compiler's alone.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
looked_at=() before=''
for argument; do
  case $argument in
    --emit=*) argument=--emit=metadata ;;
    --json=*) argument=${argument/,artifacts/} ;;
  esac
  [ "$before" != --out-dir ] || argument=$scratch
  looked_at+=("$argument")
  before=$argument
done
clippy-driver "${looked_at[@]}" -D warnings &
"$@"
wait $!
