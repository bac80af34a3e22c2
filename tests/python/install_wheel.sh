#!/usr/bin/env bash
# install_wheel.sh PEERS FOLDER PROGRAM: an sdist of this tree, a wheel from the sdist with a program that is built already,
# and the wheel in a fresh virtual environment FOLDER/venv, which also sees the packages of the environment PEERS.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
peers=$(cd "$1" && pwd)
folder=$2
program=$(realpath "$3")
rm -rf "$folder"
mkdir -p "$folder"
# Python would call the compiler by the name that Python was built with; the names of CMake are those of README.
export CC=${CC:-cc} CXX=${CXX:-c++}
"$peers/bin/python" -m build --no-isolation --outdir "$folder" -C cmake.define.LOGDEPTH_PROGRAM="$program" "$root" |
  tee "$folder/build.log"
grep -qE '^\[[0-9]+/[0-9]+\] ' "$folder/build.log"  # what `pip install -v` shows: every step
"$peers/bin/python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --no-index --no-deps --quiet "$folder"/logdepth-*.whl
# The wheel needs nothing else.
"$folder/venv/bin/python" -c 'import logdepth; assert logdepth.compile_regular("a*b").run("aab")'
packages=$("$peers/bin/python" -c 'import site; print(site.getsitepackages()[0])')
echo "$packages" > "$("$folder/venv/bin/python" -c 'import site; print(site.getsitepackages()[0])')/peers.pth"
