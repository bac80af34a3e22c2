#!/usr/bin/env bash
# Copies the page without the program to a folder: playground/copy_page.sh OUT. make_playground.sh adds the program.
set -euo pipefail
out=${1:?expected a folder}
if [ -e "$out" ] && [ ! -f "$out/index.html" ] && [ -n "$(ls -A "$out")" ]; then
  echo "make_playground.sh: $out: expected a new folder or one that it made, found other files" >&2
  exit 2
fi
mkdir -p "$out/examples"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")"
cp ./*.mjs ./*.html ./*.css "$out"
cp examples/*.json ../bench/results/circuits/learned-S5.svg "$out/examples"
