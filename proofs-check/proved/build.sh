#!/bin/sh
# Compiles Coq's library into COQ, extracts its checkers, and compiles logdepth-prove in FOLDER: build.sh COQ FOLDER
set -e
here=$(cd "$(dirname "$0")" && pwd)
"$here/../coq/compile.sh" "$1"
coq=$(cd "$1" && pwd)
mkdir -p "$2"
cp "$here"/*.v "$here"/*.ml "$2"
cd "$2"
coqc -q -R "$coq" Logdepth Extract.v
ocamlfind ocamlopt -package zarith,yojson,sha,unix -linkpkg checkers.mli checkers.ml document.ml weights.ml certificate.ml \
  coq_text.ml main.ml -o logdepth-prove
