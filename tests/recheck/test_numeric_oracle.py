"""Random files against runs in numbers (oracle/numeric_oracle.cpp), with what `logdepth compile` makes as bases. Options are those of
the program: `test_numeric_oracle.py --seed 7 --seconds 600` runs for long."""
import os
import subprocess
import sys

from files import ROOT, certified, compiled

PROGRAMS = ["majority", "flipflop", "parity", "sorting", "dyck1", "share_of_capitals_among_equal_letters", "the_letter_in_the_middle",
            "floor_of_a_ninth", "last_flag_or_else_the_last_position"]
BASES = [("regular", "--group", "Z2", "--construction", "scan", "--positions", "first-flag"),
         ("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"),
         ("regular", "--group", "Z2", "--construction", "scan", "--positions", "two-circle", "--norm", "layernorm"),
         ("regular", "--group", "Z2", "--construction", "radix"),
         ("regular", "--regex", "(a|b)*b", "--construction", "radix", "--radix", "3"),
         ("regular", "--regex", "(a|b)*b", "--construction", "cascade"),
         ("regular", "--group", "Z6", "--construction", "cascade", "--positions", "first-flag"),
         ("regular", "--group", "Z2", "--construction", "tree"),
         ("crasp", ROOT / "examples/crasp/dyck1.crasp"),
         ("division",), ("division", "--own-argument"), ("division", "--construction", "floor", "--for-length", "100", "--own-argument")]


def bases():
    for options in BASES:
        yield compiled(*options)
    for name in PROGRAMS:
        found = ROOT / f"examples/programs/{name}.cells"
        yield compiled("program", found if found.exists() else ROOT / f"tests/programs/{name}.cells")


if __name__ == "__main__":
    pairs = [x for file in bases() for x in (file, certified(file))]
    sys.exit(subprocess.run([os.environ["LOGDEPTH_NUMERIC_ORACLE"], *(sys.argv[1:] or ["--seed", "1", "--files", "7000", "--seconds", "60"]), *pairs]).returncode)
