#!/bin/sh
# Compiles the library into the folder that is named, one file after the other: compile.sh FOLDER
set -e
mkdir -p "$1"
cp "$(dirname "$0")"/*.v "$1"
cd "$1"
for file in Codes Rows Model Statement Settle FirstFlag Atoms Floors Checker Norms Attention Layers ReadOut ShiftScan ResetsChecker Classes Resets CountingChecker Counting Walks GraphChecker Connectivity; do
  coqc -q -R . Logdepth "$file.v"
done
