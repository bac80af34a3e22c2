#!/usr/bin/env bash
# Makes the page of logdepth (playground/README.md): a folder of static files for any file server.
#   ./make_playground.sh [OUT]     default build/playground
# Installs what is missing (Debian packages), and builds the program as WebAssembly (playground/face/README.md).
set -euo pipefail
cd "$(dirname "$0")"
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: ./make_playground.sh [OUT]" >&2
  exit 2
fi
out=${1:-build/playground}
playground/copy_page.sh --check "$out"

. cmake/install_packages.sh
install_packages build-essential cmake ninja-build emscripten nodejs python3 dpkg-dev libgmp-dev libfmt-dev libcli11-dev \
  nlohmann-json3-dev libboost-dev
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}  # emscripten's modules, whichever node is first in the path

cmake/wasm_dependencies.sh build/wasm-deps
echo "== the program as WebAssembly"
cmake -G Ninja -B build/wasm -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm_toolchain.cmake" -DCMAKE_BUILD_TYPE=None \
  -DLOGDEPTH_WASM=ON -DLOGDEPTH_TESTS=OFF -DLOGDEPTH_WERROR="${CI:+ON}" > build/wasm-configure.log 2>&1 || {
  cat build/wasm-configure.log >&2
  exit 2
}
cmake --build build/wasm

playground/copy_page.sh "$out" build/wasm
{
  cat playground/LICENCES.txt
  echo "Sources: Debian $(. /etc/os-release && echo "$VERSION_CODENAME"):"
  (cd build/wasm-deps/sources && ls ./*.dsc | sed 's/^\.\//  /; s/\.dsc$//')
  for library in gmp mpfr zlib pugixml; do
    printf '\n==== %s ====\n\n' "$library"
    cat "build/wasm-deps/copyright/$library"
  done
  for package in libfmt-dev nlohmann-json3-dev libcli11-dev emscripten; do
    printf '\n==== %s ====\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
  done
} > "$out/LICENCES.txt"
echo "wrote $out; to show it: python3 -m http.server --bind 127.0.0.1 --directory $out"
