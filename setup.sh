#!/usr/bin/env bash
# Installs what is missing (Debian packages), builds logdepth and runs the main job on a small
# example: an automaton in, a weights file out, words through it exactly, a picture of the network.
set -euo pipefail
cd "$(dirname "$0")"

packages=(build-essential cmake ninja-build pkg-config libgmp-dev libmpfr-dev libboost-dev
          libfmt-dev libcli11-dev nlohmann-json3-dev libpugixml-dev libssl-dev zlib1g-dev
          libthrust-dev libtbb-dev librandom123-dev graphviz)
. cmake/install_packages.sh
# Where libtorch is, the training program is built, and Debian's reference BLAS makes a run 13 times slower.
if dpkg-query -W -f='${Status}' libtorch-dev 2>/dev/null | grep -q '^install ok installed'; then
  packages+=(libopenblas0-pthread)
fi
install_packages "${packages[@]}"

cmake --preset release -DLOGDEPTH_TESTS=OFF
cmake --build --preset release
logdepth=build/release/logdepth

mkdir -p build/example
echo
echo "== an automaton goes in, a weights file comes out"
"$logdepth" compile regular --fst examples/automata/even_a.fst -o build/example/even_a.json
echo
echo "== words go through the network, exactly"
printf 'aabb\nab\nbbbb\n\n' > build/example/words.txt
"$logdepth" run build/example/even_a.json --batch build/example/words.txt > build/example/answers.txt
paste build/example/words.txt build/example/answers.txt
echo
echo "== the answers are compared with an oracle that never saw the network's automaton"
"$logdepth" test build/example/even_a.json --against fst:examples/automata/even_a.fst --up-to 8
echo
echo "== a picture of the network"
"$logdepth" draw build/example/even_a.json -o build/example/even_a.svg
echo
echo "The program is $logdepth; cmake --install build/release installs it."
