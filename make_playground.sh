#!/usr/bin/env bash
# Makes the page of logdepth (playground/README.md): a folder of static files for any file server.
#   ./make_playground.sh [OUT]     default build/playground
set -euo pipefail
cd "$(dirname "$0")"
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: ./make_playground.sh [OUT]" >&2
  exit 2
fi
out=${1:-build/playground}
if [ -e "$out" ] && [ ! -f "$out/index.html" ] && [ -n "$(ls -A "$out")" ]; then
  echo "make_playground.sh: $out: expected a new folder or one that it made, found other files" >&2
  exit 2
fi
mkdir -p "$out/examples"
cp playground/*.mjs playground/*.html playground/*.css "$out"
cp playground/examples/*.json bench/results/circuits/learned-S5.svg "$out/examples"
echo "wrote $out: build/release/logdepth play shows it, and so does any file server"
