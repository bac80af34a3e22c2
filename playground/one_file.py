#!/usr/bin/env python3
"""Writes playground.html into the folder of the page (copy_page.sh): one file with the modules, the style and the
stored files in itself, which also runs from a disk, where browsers load nothing else. Usage: one_file.py FOLDER"""
import base64
import hashlib
import json
import re
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
IMPORTS = re.compile(r"^import \{([^}]*)\} from '\./([\w.]+)';$", re.MULTILINE)
LATER = re.compile(r"\bimport\('\./([\w.]+)'\)")
EXPORTS = re.compile(r"^export (?:(?:async )?function\*?|const|class) ([\w$]+)", re.MULTILINE)
AGAIN = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)

modules = {}


def add(name):
    """The module as a function that returns what it exports, and the modules that it imports."""
    if name in modules:
        return
    text = (FOLDER / name).read_text()
    modules[name] = ""
    for other in [other for _, other in IMPORTS.findall(text)] + LATER.findall(text):
        add(other)
    exports = EXPORTS.findall(text) + AGAIN.findall(text)
    text = IMPORTS.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = load('{found[2]}');", text)
    text = LATER.sub(r"load('\1')", text)
    text = re.sub(r"^export (?!\{)", "", AGAIN.sub("", text), flags=re.MULTILINE)
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE), name
    modules[name] = f"'{name}': () => {{\n{text}return {{{', '.join(exports)}}};\n}}"


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def main():
    for entry in ("page.mjs", "worker.mjs"):
        add(entry)
    stored = {path.name: path.read_text() for path in sorted((FOLDER / "examples").iterdir())}
    inside = json.dumps(stored, ensure_ascii=False).replace("<", "\\u003c")
    assert modules["stored_files.mjs"].count("INSIDE = null;") == 1
    modules["stored_files.mjs"] = modules["stored_files.mjs"].replace("INSIDE = null;", f"INSIDE = {inside};").replace(
        "import.meta.url", "location.href")  # where it is not used
    script = ("'use strict';\nconst loaded = {}, load = (name) => (loaded[name] ??= MODULES[name]());\n"
              "const MODULES = {\n" + ",\n".join(modules.values()) + "\n};\n"
              "load(typeof document === 'undefined' ? 'worker.mjs' : 'page.mjs');\n").replace("</", "<\\/")  # no end of the script
    style = (FOLDER / "style.css").read_text()
    assert "</" not in style
    policy = (f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {digest(script)}; "
              f"style-src {digest(style)}; img-src data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'")
    page = (FOLDER / "index.html").read_text()
    for pattern, part in [(r'(?<=Policy" content=")[^"]*', policy), (r"<script>.*</script>\n", ""),
                          (r'<link rel="stylesheet"[^>]*>', f"<style>{style}</style>"),
                          (r'(?<=<script type="module") src="page.mjs">', f">{script}")]:
        page, count = re.subn(pattern, lambda _: part, page)
        assert count == 1, pattern
    (FOLDER / "playground.html").write_text(page)


main()
