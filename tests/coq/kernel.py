"""What the tests of this folder share: the compiled library, printed files, terms for Coq."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "proofs-check/coq"
LIBRARY = pathlib.Path(os.environ.get("LOGDEPTH_COQ_FOLDER", ROOT / "build/coq"))
SKIPPED = 77
sys.path.insert(0, str(ROOT / "tests/recheck"))


def coqc_or_skip():
    if shutil.which("coqc") is None:
        print("skipped: coqc is not installed; apt-get install coq")
        sys.exit(SKIPPED)


def module(name, path):
    sys.path.insert(0, str(path.parent))
    return __import__(name)


READ_BACK = module("read_back", SOURCES / "read_back.py")


def compile_library():
    subprocess.run([SOURCES / "compile.sh", LIBRARY], check=True, timeout=600)


def coq(text, name, folder):
    """Standard output of coqc, which has to succeed."""
    file = pathlib.Path(folder) / f"{name}.v"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(["coqc", "-q", "-R", LIBRARY, "Logdepth", file], capture_output=True, text=True, timeout=1200, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def axioms(printed):
    """Names of what `Print Assumptions` lists."""
    return set(re.findall(r"^([A-Za-z_][\w.]*)(?=$| :|\n  :)", printed.split("Axioms:")[1], re.M))


def library_checked_again():
    """What coqchk, the checker of compiled libraries, says of all that the library and the parts of Coq that it loads assume: heading -> names."""
    done = subprocess.run(["coqchk", "-silent", "-o", "-R", LIBRARY, "Logdepth", *(f"Logdepth.{file.stem}" for file in sorted(LIBRARY.glob("*.vo")))],
                          capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^\* (.*?):(.*?)$((?:\n    .*$)*)", (done.stdout + done.stderr), re.M)
    return {heading: set(beside.split() + names.split()) for heading, beside, names in found}


def stored_axioms():
    return set((SOURCES / "axioms.txt").read_text().split())


def printed(text):
    """Header, and the definitions of a printed file."""
    head, body = text.split("Open Scope nat_scope.\n")
    return head + "Open Scope nat_scope.\n", body.split("\nTheorem checked")[0]


def checked_together(modules, folder, name):
    """`check` of several files in one run: modules is a list of (printed file, list of (definitions, arguments of check)). All booleans,
    in order."""
    header = None
    out = []
    for i, (text, calls) in enumerate(modules):
        header = header or printed(text)[0]
        out.append(f"Module M{i}.\n{printed(text)[1]}\n")
        out += [f"{definitions}\n" for definitions, _ in calls]
        check = re.search(r"^Theorem checked : (\w+) F\b.* = true\.$", text, re.M)[1]
        out.append(f"Eval vm_compute in [{';'.join(f'{check} {call}' for _, call in calls)}].\nEnd M{i}.\n")
    found = coq(header + "".join(out), name, folder)
    return [word == "true" for word in re.findall(r"\b(?:true|false)\b", found)]


def term(value):
    """Coq's text of what read_back reads."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"(Qmake ({value.numerator}) {value.denominator})"
    if isinstance(value, dict):
        return "{| " + "; ".join(f"{k} := {term(v)}" for k, v in value.items()) + " |}"
    if isinstance(value, list):
        return "[" + ";".join(map(term, value)) + "]"
    if isinstance(value, tuple):
        applied = isinstance(value[0], str)
        return "(" + (" " if applied else ",").join(map(term, value)) + ")"
    return str(value)
