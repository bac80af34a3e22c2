#!/usr/bin/env bash
# Copies the page to a folder, with playground.html, the same page in one file: playground/copy_page.sh OUT [PROGRAM].
# PROGRAM: the folder where make_playground.sh builds the program; without it the page has none. `--check OUT` only checks
# that OUT may be written.
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then check=$1; shift; fi
out=${1:?expected a folder}
if [ -e "$out" ] && [ ! -f "$out/index.html" ] && [ -n "$(ls -A "$out")" ]; then
  echo "make_playground.sh: $out: expected a new folder or one that it made, found other files" >&2
  exit 2
fi
[ -z "$check" ] || exit 0
mkdir -p "$out/examples"
out=$(cd "$out" && pwd)
program=${2:+$(cd "$2" && pwd)}
cd "$(dirname "$0")"
cp ./*.mjs ./*.html ./*.css "$out"
cp examples/*.json ../bench/results/circuits/learned-S5.svg "$out/examples"
./one_file.py "$out"
if [ -n "$program" ]; then
  cp "$program/logdepth.wasm" "$out"
  { cat "$program/logdepth.js"; echo 'export default logdepthModule;'; } > "$out/logdepth.mjs"
fi
