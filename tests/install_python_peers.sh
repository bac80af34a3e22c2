#!/usr/bin/env bash
# Installs the Python packages that exports and the Python package are tested with, from PyPI, in a
# Python environment of their own: build/python-peers, or the folder given (5 GB: PyPI has torch with
# the libraries of CUDA only, which it needs to start). Does nothing where they are there. Debian's
# python3-venv has to be installed (test.sh does).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/python-peers}
wanted=tests/python_peers.txt
! cmp -s "$wanted" "$folder/installed" || exit 0
fail() {
  echo "Python packages are not in $folder: $1" >&2
  exit 1
}
mkdir -p "$(realpath -m "$folder")"  # a link to a folder that is not there yet
/usr/bin/python3 -m venv "$folder" ||
  fail "install Debian's python3-venv, then run tests/install_python_peers.sh again"
install() {
  "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 2 --no-compile "$@" ||
    fail "PyPI gave not all of $wanted; tests/install_python_peers.sh needs it once, through a network"
}
install wheel==0.45.1  # of one package there is only a source
install --no-deps --no-build-isolation -r "$wanted"
cp "$wanted" "$folder/installed"
