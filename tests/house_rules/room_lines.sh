#!/usr/bin/env bash
# Prints the lines of C++ and CUDA of every room of the product, and of all: "LINES ROOM".
# `room_lines.sh --bounds > room_bounds.txt` states what the rooms may grow to, 5 % more (house_rules.cpp).
set -euo pipefail
cd "$(dirname "$0")/../.."
share=100
[ "${1:-}" != --bounds ] || share=105
find base objects oracle logdepth runtime compiler constructions report proofs-check recheck library learned cli python \
  -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' |
  LC_ALL=C sort | xargs wc -l | awk -v share="$share" '
    $2 == "total" { next }
    { room = $2; sub("/[^/]*$", "", room); lines[room] += $1; all += $1 }
    END { lines["all"] = all
          for (room in lines) printf "%d %s\n", int(lines[room] * share / 100), room }' |
  LC_ALL=C sort -k2
