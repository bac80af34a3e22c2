#!/usr/bin/env python3
"""failed_tests.py BUILD: the end of what each failed test of the last run printed. Among thousands that
passed, it is hard to find."""
import pathlib
import re
import sys

LINES = 40


def main():
    log = pathlib.Path(sys.argv[1]) / "Testing" / "Temporary" / "LastTest.log"
    tests = re.split(r"(?m)^\d+/\d+ Testing: ", log.read_text(encoding="utf-8", errors="replace"))[1:]
    for text in tests:
        name, _, printed = text.partition("\n")
        if re.search(r"(?m)^Test Failed\.$", printed):
            output = printed.partition("Output:\n")[2].partition("<end of output>")[0].splitlines()[1:]
            print(f"== {name} failed; the end of what it printed:", *output[-LINES:], sep="\n")


if __name__ == "__main__":
    main()
