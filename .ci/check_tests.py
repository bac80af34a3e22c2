#!/usr/bin/env python3
"""check_tests.py LOG BUILD: whether a test run was the whole one. LOG is what ctest printed, BUILD
the folder that it ran in. Every folder of tests has to be there (what needs libtorch is not built
where that is missing, and then nothing is skipped), and nothing may be skipped or disabled but what
needs a GPU and what is meant to be run by hand."""
import json
import pathlib
import re
import subprocess
import sys

# Folders without tests: tests/README.md says what they are.
NO_TESTS = {"support", "mutants", "preload", "corpus"}
NEEDS_A_GPU = re.compile(r"\bFloatDevices\.")
RUN_BY_HAND = re.compile(r"HundredThousand")  # a minute: tests/README.md has the command


def folders(tests):
    for folder in tests.iterdir():
        holds_tests = any(any(folder.glob(files)) for files in ("*.cpp", "test_*.py", "test_*.mjs"))
        if folder.is_dir() and holds_tests and folder.name not in NO_TESTS:
            yield folder.name


def labels(build):
    """The labels of all tests that are registered, learned_slow among them."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                            capture_output=True, text=True)
    found = set()
    for test in json.loads(listed.stdout)["tests"]:
        for value in test.get("properties", []):
            if value["name"] == "LABELS":
                found.update(value["value"])
    return found


def complaints(log, build, tests):
    missing = sorted(set(folders(tests)) - labels(build))
    if missing:
        yield "not built, for want of something that they need: tests/" + ", tests/".join(missing)
    ran = 0
    for line in log.splitlines():
        result = re.match(r"\s*\d+/\d+ Test +#\d+: (.*?) \.*\s*(.*)", line)
        if not result:
            continue
        ran += 1
        name, ended = result.groups()
        if "Skipped" in ended and not NEEDS_A_GPU.search(name):
            yield f"skipped: {name}"
        if "Disabled" in ended and not RUN_BY_HAND.search(name):
            yield f"disabled: {name}"
    if ran == 0:
        yield "no test ran"


def main():
    log, build = sys.argv[1:]
    found = list(complaints(pathlib.Path(log).read_text(encoding="utf-8", errors="replace"), build,
                            pathlib.Path(__file__).resolve().parent.parent / "tests"))
    for complaint in found:
        print("the test run was not the whole one:", complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
