#!/usr/bin/env bash
# training_program.sh PYTHON FOLDER: logdepth and logdepth-train, built with the libtorch of the PyTorch that PYTHON
# imports (2.7 or newer), in FOLDER, with every shared library that they load but the C library and the driver's. The
# folder runs on another machine with an equal or newer C library; nothing here needs a device. A PyTorch with CUDA
# asks for nvcc.
set -euo pipefail
if [ $# -ne 2 ]; then
  echo "expected: training_program.sh PYTHON FOLDER" >&2
  exit 2
fi
python=$1
folder=$(realpath -m "$2")
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/training
if ! torch=$("$python" -c 'import torch
assert tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 7)
print(torch.utils.cmake_prefix_path)' 2>/dev/null); then
  echo "$python: expected a Python with PyTorch 2.7 or newer" >&2
  exit 2
fi
if ! mkdir -p "$folder/lib" 2>/dev/null; then
  echo "$folder: expected a folder to write to" >&2
  exit 2
fi
# The old tag holds for the libraries that a library loads, too.
cmake -S "$root" --preset release -B "$build" -DLOGDEPTH_TESTS=OFF -DCMAKE_PREFIX_PATH="$torch" \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build "$build" --target logdepth logdepth-train

cp "$build/logdepth" "$build/logdepth-train" "$folder"
# Links where the file system allows it: the libraries of CUDA are gigabytes.
carry() {
  cp --link --dereference --force "$@" "$folder/lib" 2>/dev/null || cp --dereference "$@" "$folder/lib"
}
base='/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*|libcuda)\.so'
libraries=$(LD_LIBRARY_PATH="$torch/../../lib:$build" ldd "$folder/logdepth" "$folder/logdepth-train" |
  awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u | grep -Ev "$base")
for library in $libraries; do
  # Packages of NVIDIA load further files of their folder by name.
  case $library in
    */nvidia/*/lib/*) carry "$(dirname "$library")"/*.so* ;;
    *) carry "$library" ;;
  esac
done

missing=$(env -u LD_LIBRARY_PATH ldd "$folder/logdepth-train" "$folder/logdepth" |
  awk -v own="$folder/lib/" '$2 == "=>" && index($3, own) != 1 {print $1, $3 $4}' | grep -Ev '^(libc|libm|libpthread|libdl|librt|libcuda)\.so' || true)
if [ -n "$missing" ]; then
  echo "expected every library in $folder/lib, found: $missing" >&2
  exit 1
fi
"$folder/logdepth-train" --version
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
"$folder/logdepth" train word-problem --monoid Z2 --depths 1 --widths 16 --max-length 4 --steps 300 --out "$trial"
echo "$folder: $(du -shL "$folder" | cut -f1), tried on the CPU"
