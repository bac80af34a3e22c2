#!/usr/bin/env bash
# make_wheel.sh [OUT]: the sdist and the wheels of logdepth that need nothing of the system but glibc, in OUT (build/wheels).
# On Debian 12. Installs what is missing: Debian packages, and tools from PyPI in build/wheel-tools.
# One wheel is for Debian's CPython 3.11; one is for every CPython from 3.12 on (the stable ABI) and takes the
# headers of such a Python: $PYTHON312, a python3.12 to python3.14 on the PATH, or one of pyenv. Without one it is left out, and said.
# `./make_wheel.sh --check [OUT]` tries the wheels that are there in a root without anything of ours.
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --check ]; then
  shift
  exec packaging/check_wheel.sh "${1:-build/wheels}"
fi
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: ./make_wheel.sh [--check] [OUT]" >&2
  exit 2
fi
out=$(realpath -m "${1:-build/wheels}")

. cmake/install_packages.sh
install_packages build-essential cmake ninja-build pkg-config libgmp-dev libmpfr-dev libboost-dev \
  libfmt-dev libcli11-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev libthrust-dev \
  libtbb-dev librandom123-dev python3-dev python3-venv

newer() {  # the path of a CPython that has the stable ABI of 3.12 and its headers
  local candidate
  for candidate in ${PYTHON312:-} python3.12 python3.13 python3.14 ~/.pyenv/versions/3.1[2-9]*/bin/python; do
    "$candidate" -c 'import pathlib, sys, sysconfig
here = sys.implementation.name == "cpython" and sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED")
sys.exit(not (here and (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists()))' 2>/dev/null &&
      "$candidate" -c 'import sys; print(sys.executable)' && return
  done
  return 1
}
tools_of() {  # tools_of PYTHON: the folder of the programs of an environment with packaging/wheel_tools.txt
  local folder
  folder=$PWD/build/wheel-tools/$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  if ! cmp -s packaging/wheel_tools.txt "$folder/installed"; then
    rm -rf "$folder"
    "$1" -m venv "$folder" &&
      "$folder/bin/pip" install --quiet --disable-pip-version-check -r packaging/wheel_tools.txt || return
    cp packaging/wheel_tools.txt "$folder/installed"
  fi
  echo "$folder/bin"
}

recorded() {  # recorded LOG COMMAND ...: on a terminal its last line is seen, in a pipe nothing; all of it if it fails
  local log=$1
  shift
  if [ -t 2 ]; then
    "$@" 2>&1 | tee "$log" | while IFS= read -r line; do printf '\r\033[K%.78s' "$line" >&2; done && printf '\r\033[K' >&2
  else
    "$@" >"$log" 2>&1
  fi || { tail -n 40 "$log" >&2; exit 1; }
}

# The compiler by the name that CMake calls it by elsewhere; times in archives are those of the last change.
export CC=${CC:-cc} CXX=${CXX:-c++}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1667997441)}
export SOURCE_DATE_EPOCH
raw=build/wheel-raw
rm -rf "$raw"
mkdir -p "$raw" "$out"
rm -f "$out"/logdepth-*
pythons=(/usr/bin/python3)
if python=$(newer); then
  pythons+=("$python")
else
  echo "no CPython 3.12 or newer with headers (PYTHON312 names one): the wheel for CPython 3.12 and newer is left out" >&2
fi
tools=$(tools_of /usr/bin/python3)
recorded "$raw/sdist.log" "$tools/python" -m build --no-isolation --sdist --outdir "$out" .
# At one place, whichever checkout it came from, and two folders below the root, as build/release is.
sources=build/wheel-sources
rm -rf "$sources"
mkdir -p "$sources"
tar -xzf "$out"/logdepth-*.tar.gz -C "$sources" --strip-components=1
for python in "${pythons[@]}"; do
  begin=$SECONDS
  tools=$(tools_of "$python")
  PATH=$tools:$PATH recorded "$raw/build.log" "$tools/python" -m build --no-isolation --wheel --outdir "$raw" \
    -C cmake.define.LOGDEPTH_WERROR="${LOGDEPTH_WERROR:-OFF}" "$sources"
  mkdir "$raw/repaired"
  PATH=$tools:$PATH recorded "$raw/repair.log" \
    "$tools/auditwheel" repair --plat manylinux_2_36_x86_64 --wheel-dir "$raw/repaired" "$raw"/logdepth-*.whl
  rm "$raw"/logdepth-*.whl
  wheel=$(echo "$raw"/repaired/logdepth-*.whl)
  "$tools/python" packaging/wheel_licences.py "$wheel"
  case $wheel in *-abi3-*) "$tools/abi3audit" --strict "$wheel" ;; esac
  mv "$wheel" "$out"
  rmdir "$raw/repaired"
  echo "$(basename "$wheel"): $(stat -c %s "$out/$(basename "$wheel")") bytes, $((SECONDS - begin)) s"
done
(cd "$out" && sha256sum logdepth-*)
echo "./make_wheel.sh --check tries them in a root without the packages that they were built with."
