#!/usr/bin/env bash
# check_wheel.sh FOLDER: the wheels of FOLDER in a root that has Debian's minbase, python3, python3-venv and the two
# programs that draw (graphviz, librsvg2-bin), and nothing else: no compiler, no -dev package, no library of ours, no network. Takes root, for chroot, and a mirror of
# Debian once, for build/bare-root. The tests of the Python package run in it, with the program of the wheel;
# the packages that they use (pytest, torch and others, tests/install_python_peers.sh) are mounted into it.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(realpath "$1")
cd "$here"
[ "$(id -u)" -eq 0 ] || { echo "check_wheel.sh: a bare root takes chroot; expected to be run as root" >&2; exit 2; }
. cmake/install_packages.sh
install_packages debootstrap iproute2
bare=$here/build/bare-root
if [ ! -e "$bare/made" ]; then
  rm -rf "$bare"
  debootstrap --variant=minbase --include=python3,python3-venv,graphviz,librsvg2-bin bookworm "$bare" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$here/build/bare-root.log" ||
    { tail "$here/build/bare-root.log" >&2; exit 1; }
  touch "$bare/made"
fi
peers=$(realpath build/python-peers)
tests=(builder runs asking compare certificates errors threads exchange exports page package playground command notebook
  exports_torch exports_onnx exports_lens exports_answers exports_page)
[ "${2:-all}" = all ] || tests=("${@:2}")
for wheel in "$folder"/logdepth-*-abi3-*.whl "$folder"/logdepth-*-cp311-cp311-*.whl; do
  [ -e "$wheel" ] || continue
  python=/usr/bin/python3
  newer=
  if [[ $wheel == *-abi3-* ]]; then  # Debian 12 has no such Python; the one that compiled it is mounted
    newer=$(build/wheel-tools/3.1[2-9]/bin/python -c 'import sys; print(sys.base_prefix)' | head -n 1)
    python=$newer/bin/python3
  fi
  echo "== $(basename "$wheel") in a bare root"
  # Mounts and network of its own; they end with the last process.
  unshare --mount --net -- bash -euo pipefail -c '
    bare=$1 here=$2 wheel=$3 peers=$4 newer=$5 python=$6
    shift 6
    mount --make-rprivate /
    ip link set lo up  # pages and kernels of notebooks are served on it
    bind() { mkdir -p "$bare$2"; mount --bind "$1" "$bare$2"; mount -o remount,bind,ro "$bare$2"; }
    for place in python/logdepth learned/pretrained bench/results/records README.md python/README.md pyproject.toml tests/python docs examples playground CMakeLists.txt; do
      [ -d "$here/$place" ] || { mkdir -p "$bare/source/$(dirname "$place")"; cp "$here/$place" "$bare/source/$place"; continue; }
      bind "$here/$place" "/source/$place"
    done
    bind "$peers" "$peers"
    [ -z "$newer" ] || bind "$newer" "$newer"
    mount -t proc proc "$bare/proc"
    mount -t tmpfs tmpfs "$bare/tmp"
    mount --rbind /dev "$bare/dev"  # with the terminals of notebooks
    mkdir "$bare/tmp/wheels"
    cp "$wheel" "$bare/tmp/wheels"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 PEERS="$peers" PYTHON="$python" NEWER="$newer" chroot "$bare" bash -euo pipefail -c "
      cd /tmp
      ! ldconfig -p | grep -E \"libmpfr|libfmt|libpugixml|libtbb|libboost\" || exit 1
      ! command -v cc || exit 1
      \$PYTHON -m venv --without-pip empty && \$PYTHON -m venv venv
      ! empty/bin/python -c \"import logdepth\" 2>/dev/null
      venv/bin/pip install --quiet --disable-pip-version-check --no-index wheels/*.whl
      # Of the system only glibc, the libraries of g++ and zlib; minbase has a libgmp for apt, which is not taken.
      for file in venv/lib/python3*/site-packages/logdepth/{bin/logdepth,_bindings*.so}; do
        ldd \$file | grep -q \"logdepth.libs/libgmp\"
        ! ldd \$file | grep \"=>\" | grep -vE \"logdepth[.]libs/|/(libc|libm|libz|libstdc[+][+]|libgcc_s)[.]so\" || exit 1
      done
      venv/bin/logdepth --version
      venv/bin/python -m logdepth compile regular --regex \"(a|b)*abb\" -o abb.json
      venv/bin/logdepth run abb.json --input aabb
      venv/bin/python -c \"import logdepth; print(logdepth.load(\\\"abb.json\\\").run(\\\"aabb\\\").accepted)\"
      [ -z \"\$NEWER\" ] || exit 0
      echo \$PEERS/lib/python3.11/site-packages > venv/lib/python3.11/site-packages/peers.pth
      cd /source/tests/python
      export LOGDEPTH_BINARY=/tmp/venv/bin/logdepth LOGDEPTH_WHEELS=/tmp/wheels OMP_NUM_THREADS=1
      for part; do /tmp/venv/bin/python -B -m pytest -q -p no:cacheprovider test_\$part.py; done
    " inside "$@"
  ' inside "$bare" "$here" "$wheel" "$peers" "$newer" "$python" "${tests[@]}"
done
