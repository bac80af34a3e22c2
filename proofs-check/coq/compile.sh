#!/bin/sh
# Compiles the library into the folder that is named, one file after the other: compile.sh FOLDER
set -e
mkdir -p "$1"
rm -f "$1"/*.v "$1"/*.vo  # files that the library no longer has
cp "$(dirname "$0")"/*.v "$1"
cd "$1"
for file in Rows Model Statement Atoms Checker Norms Attention Layers ShiftScan ClassesChecker Classes GraphChecker Connectivity; do
  coqc -q -R . Logdepth "$file.v"
done
