#!/usr/bin/env bash
# Installs what the tests need (Debian packages, and peer programs from PyPI), builds everything, and
# runs every test, on top of what setup.sh built. `./test.sh asan-ubsan` does the same under the sanitizers, `./test.sh dev`
# with debug symbols, `./test.sh clang` with the other compiler. Says how long each part took; what
# follows `--` goes to ctest.
set -euo pipefail
cd "$(dirname "$0")"
preset=release
if [ $# -gt 0 ] && [ "$1" != -- ]; then
  preset=$1
  shift
fi
if [ $# -gt 0 ] && [ "$1" != -- ] || [[ $preset == -* ]]; then
  echo "usage: ./test.sh [release|dev|clang|asan-ubsan] [-- CTEST-OPTION ...]" >&2
  exit 2
fi
[ $# -eq 0 ] || shift

packages=(build-essential cmake ninja-build pkg-config libgmp-dev libmpfr-dev libboost-dev
          libfmt-dev libcli11-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev
          libthrust-dev libtbb-dev graphviz libgtest-dev librapidcheck-dev python3 clang-format
          librsvg2-bin chromium  # pictures as PDF and PNG; a reader of pages
          clang doxygen  # readers of the public headers
          librandom123-dev libtorch-dev libopenblas0-pthread  # the learned half
          libcgal-dev libfst-tools gap-core gap-smallgrp  # independent oracles
          git  # counts the lines that CI allows
          file  # CPack asks it what is a program
          groff-base zsh  # readers of what the program says of itself
          nodejs  # the runner in JavaScript
          python3-venv  # packages of PyPI
          python3-gmpy2  # exact runs of many changed files
          coq ocaml-findlib libzarith-ocaml-dev libyojson-ocaml-dev libsha-ocaml-dev  # logdepth-prove, and the kernel behind it
          slurm-wlm munge)  # a cluster of its own, on the loopback address
. cmake/install_packages.sh

part() {  # part NAME COMMAND ...: runs the command and says how long it took
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "== $name took $(((SECONDS - begin) / 60)) min $(((SECONDS - begin) % 60)) s"
}
part "installing" install_packages "${packages[@]}"
# Gigabytes, of which the build needs nothing.
tests/install_python_peers.sh &
python_peers=$!
trap 'kill "$python_peers" 2>/dev/null || true' EXIT
part "configuring" cmake --preset "$preset" -DLOGDEPTH_TESTS=ON -DLOGDEPTH_BENCH=ON -DLOGDEPTH_PROVE=ON
part "building" cmake --build --preset "$preset"
part "waiting for the Python packages" wait "$python_peers" || true
echo "== testing"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
