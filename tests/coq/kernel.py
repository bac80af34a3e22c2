"""What the tests of this folder share: Coq's compiled library, and logdepth-prove."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "proofs-check/coq"
LIBRARY = pathlib.Path(os.environ["LOGDEPTH_COQ_FOLDER"])
PROVE = os.environ.get("LOGDEPTH_PROVE")
SKIPPED = 77
sys.path.insert(0, str(ROOT / "tests/recheck"))


def tools_or_skip():
    if shutil.which("coqc") is None or not PROVE:
        print("skipped: no logdepth-prove; install coq and ocaml-findlib, configure with -DLOGDEPTH_PROVE=ON")
        sys.exit(SKIPPED)


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
