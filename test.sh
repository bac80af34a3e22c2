#!/usr/bin/env bash
# Installs what the tests need (Debian packages), builds everything with warnings as errors, and
# runs every test. `./test.sh asan-ubsan` does the same under the sanitizers.
set -euo pipefail
cd "$(dirname "$0")"
preset=${1:-dev}

packages=(build-essential cmake ninja-build pkg-config libgmp-dev libmpfr-dev libboost-dev
          libboost-graph-dev libcli11-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev
          libthrust-dev libtbb-dev graphviz libgtest-dev librapidcheck-dev python3 clang-format
          librandom123-dev libtorch-dev libopenblas0-pthread  # the learned half
          libcgal-dev libfst-tools gap-core)  # independent oracles
. cmake/install_packages.sh
install_packages "${packages[@]}"

cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
