#!/usr/bin/env python3
"""Applies single faults to the sources, one at a time, and asks whether the tests notice.

Works on a copy of the tree. Test programs are built and run one after the other until one fails, so
an edit costs little more than what its death needs. Ends with 1 when an edit survived.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from edits import EDITS

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Rounds of tests, the quick killers first: a program (a folder of tests) and a filter of its tests.
ROUNDS = [("programs", "*"), ("rejects", "*"), ("laws", "*Schema.*:PositionCodes.*"), ("claims", "*Mutants.*:Scan*"),
          ("laws", "*"), ("claims", "*"), ("learned", "*")]


def occurrences(root, edit):
    return (root / edit[0]).read_text(encoding="utf-8").count(edit[1])


def run(command, timeout=None):
    """Exit code (None: out of time) and output."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout, text=True, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


class Bench:
    """A copy of the tree with a build folder that is kept between edits."""

    def __init__(self, folder, jobs, timeout):
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.jobs, self.timeout = jobs, timeout
        self.copy_sources()
        self.configure()

    def copy_sources(self):
        """Brings the copy up to date by content, so that ninja rebuilds what differs, no more."""
        sources = set()
        for folder, names, files in os.walk(ROOT):
            names[:] = [name for name in names
                        if name not in (".git", "__pycache__") and not name.startswith("build")]
            sources.update(pathlib.Path(folder, file).relative_to(ROOT) for file in files)
        for old in [path for path in self.tree.rglob("*") if path.is_file()]:
            if old.relative_to(self.tree) not in sources:
                old.unlink()
        for source in sources:
            target = self.tree / source
            if target.exists() and target.read_bytes() == (ROOT / source).read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, target)
            shutil.copymode(ROOT / source, target)

    def configure(self):
        # Tests are run by this script, so nothing has to be discovered while building.
        code, output = run(["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
                            "-DCMAKE_BUILD_TYPE=Release",
                            "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"])
        if code != 0:
            sys.exit("the tree cannot be configured:\n" + output)

    def compile(self, program):
        return run(["ninja", "-C", str(self.build), "-j", str(self.jobs), "test_" + program])

    def test(self, program, tests):
        """None when they pass, else what failed first."""
        binary = self.build / "tests" / ("test_" + program)
        code, output = run([str(binary), "--gtest_fail_fast", "--gtest_brief=1",
                            "--gtest_filter=" + tests], self.timeout)
        if code == 0:
            return None
        if code is None:
            return "{}: not done after {} s".format(program, self.timeout)
        failed = re.search(r"\[  FAILED  \] ([^\s,]+)", output)
        return "{}: {}".format(program, failed.group(1) if failed else "exit code %d" % code)

    def apply(self, edit):
        """Writes the edited file and returns its old text."""
        path = self.tree / edit[0]
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(edit[1], edit[2]), encoding="utf-8")
        return text

    def restore(self, edit, text):
        (self.tree / edit[0]).write_text(text, encoding="utf-8")

    def judge(self, rounds):
        for program, tests in rounds:
            code, output = self.compile(program)
            if code != 0:
                error = re.search(r".*error: .*", output)
                return "did not compile", error.group(0) if error else output[-300:]
            killer = self.test(program, tests)
            if killer:
                return "killed", killer
        return "SURVIVED", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the edits and end")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="edits by number")
    parser.add_argument("--tests", default=".", metavar="REGEX",
                        help="programs to use, such as 'laws|rejects'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="passed to ninja")
    parser.add_argument("--timeout", type=int, default=600, help="seconds per test program")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="keep the copy and its build here for the next time")
    arguments = parser.parse_args()

    stale = [number for number, edit in enumerate(EDITS, 1) if occurrences(ROOT, edit) != 1]
    if arguments.list:
        for number, edit in enumerate(EDITS, 1):
            note = "  (STALE: old text not found exactly once)" if number in stale else ""
            print("{:3} {}: {}{}".format(number, edit[0], edit[3], note))
    chosen = arguments.only or range(1, len(EDITS) + 1)
    stale = [number for number in stale if number in chosen]
    if stale:
        for number in stale:
            print("edit {}: in {} the old text must occur exactly once:\n{}".format(
                number, EDITS[number - 1][0], EDITS[number - 1][1]), file=sys.stderr)
        sys.exit(2)
    if arguments.list:
        return

    with tempfile.TemporaryDirectory(prefix="source-edits-") as temporary:
        bench = Bench(arguments.folder or pathlib.Path(temporary), arguments.jobs,
                      arguments.timeout)
        rounds = []
        for program, tests in ROUNDS:
            if not re.search(arguments.tests, program):
                continue
            code, output = bench.compile(program)
            if code != 0:
                sys.exit("{} does not compile without any edit:\n{}".format(program,
                                                                           output[-3000:]))
            failure = bench.test(program, tests)
            if failure:
                print("NOT USED, fails without any edit: " + failure, flush=True)
            else:
                rounds.append((program, tests))
        if not rounds:
            sys.exit("no test program is left")
        print("{} rounds of tests pass without any edit".format(len(rounds)), flush=True)

        count = {"killed": 0, "SURVIVED": 0, "did not compile": 0}
        for number in chosen:
            edit = EDITS[number - 1]
            started = time.monotonic()
            text = bench.apply(edit)
            try:
                result, detail = bench.judge(rounds)
            finally:
                bench.restore(edit, text)
            count[result] += 1
            print("{:3} {}: {}\n      {}{} ({:.0f} s)".format(
                number, edit[0], edit[3], result, " by " + detail if detail else "",
                time.monotonic() - started), flush=True)
        compiled = count["killed"] + count["SURVIVED"]
        print("{killed} killed, {SURVIVED} survived, {did not compile} did not compile".format(
            **count))
        if compiled:
            print("kill rate {:.1f}%".format(100 * count["killed"] / compiled))
        sys.exit(1 if count["SURVIVED"] or count["did not compile"] else 0)


if __name__ == "__main__":
    main()
