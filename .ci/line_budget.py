#!/usr/bin/env python3
"""Fails where the tracked code has more lines than .ci/line_budget allows: product, and tests. Counted are lines that are neither blank
nor a comment alone, in every language; docs, examples, stored results and .ci are not. Nothing raises the two numbers:
what a feature adds above them is deleted elsewhere."""
import collections
import pathlib
import re
import subprocess
import sys

CODE = re.compile(r"(\.(cpp|hpp|h|cu|cuh|py|pyi|js|mjs|css|html|v|ml|mli|sh|cmake)|(^|/)CMakeLists\.txt)$")
LEFT_OUT = re.compile(r"^(docs|examples|\.ci|bench/results)/")


def code_lines(text, name):
    """`name` says the language, and so what begins a comment."""
    if name.endswith((".v", ".ml", ".mli")):
        text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
    elif name.endswith((".cpp", ".hpp", ".h", ".cu", ".cuh", ".js", ".mjs", ".css")):
        text = re.sub(r"(?m)^\s*/\*.*?\*/\s*$", "", text, flags=re.S)
    mark = "#" if name.endswith((".py", ".pyi", ".sh", ".cmake", ".txt")) else "//"
    return sum(1 for line in text.split("\n") if line.strip() and not line.strip().startswith(mark))


def counted(folder):
    lines = collections.Counter()
    tracked = subprocess.run(["git", "-C", folder, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, tracked):
        if CODE.search(name) and not LEFT_OUT.match(name) and (folder / name).is_file():
            part = "tests" if name.startswith("tests/") else "product"
            lines[part] += code_lines((folder / name).read_text(errors="replace"), name)
    return lines


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    budget = dict(line.split() for line in (folder / ".ci/line_budget").read_text().splitlines())
    lines, over = counted(folder), False
    for part in ("product", "tests"):
        over |= lines[part] > int(budget[part])
        print(f"{part}: {lines[part]} lines of code, at most {budget[part]}")
    if over:
        sys.exit("more lines of code than .ci/line_budget allows: delete as many elsewhere")


if __name__ == "__main__":
    main()
