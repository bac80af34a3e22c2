#!/usr/bin/env python3
"""Applies single faults to the sources, one at a time, and asks whether the tests notice.

Works on a copy of the tree. Test programs are built and run one after the other until one fails, the
quickest tests of each first, so an edit costs little more than what its death needs. How long every
test takes is measured on the tree without any edit, once for as long as it stays the same (--folder).
With --record, what was judged is kept and not judged again while the edit and its file are the same.
With --quick, slow tests are not asked, and what the others do not see is left to the next command without
it. Ends with 1 when an edit survived, with 3 when not all were judged.
"""

import argparse
import hashlib
import json
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
# Programs of tests, a folder each. Those of python are files of tests, run on the program with the packages of
# tests/install_python_peers.sh.
PROGRAMS = ["programs", "rejects", "properties", "claims", "learned", "training", "exports", "python"]
PYTHON_TESTS = "test_exports_torch.py test_exports_onnx.py test_exports_lens.py"
PYTHON = ROOT / "build" / "python-peers" / "bin" / "python"
# Tests of at most so many seconds are one round, then those of at most so many. The last are slow.
STEPS = (0.1, 1.0, float("inf"))
# What the edits of a folder can change; of any other: everything but what is only of python.
REACH = {"learned": ("learned", "training", "claims"), "exports": ("exports", "python", "claims"), "python": ("python",),
         "figures": ("properties", "claims", "programs")}


def rounds_for(edit, rounds):
    """The rounds that can see the edit: by their time, then by the order of the programs."""
    folder = edit[0].split("/")[0]
    reach = REACH.get(folder, PROGRAMS)
    return sorted((one for one in rounds if one.program in reach),
                  key=lambda one: (one.step, reach.index(one.program)))


class Round:
    """Tests of one program that take about as long as each other."""

    def __init__(self, program, step, tests, seconds):
        self.program, self.step, self.tests = program, step, tests
        self.seconds = seconds  # without any edit


class Record:
    """Results by edit, a line of JSON each; a line counts while the edit and its file are the same."""

    def __init__(self, path):
        self.path, self.results = path, {}
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                self.results[said["edit"]] = (said["result"], said["by"])

    @staticmethod
    def name(edit):
        text = (ROOT / edit[0]).read_text(encoding="utf-8")
        return hashlib.sha256("\0".join((*edit[:3], text)).encode()).hexdigest()

    def get(self, edit):
        return self.results.get(self.name(edit))

    def add(self, edit, result, detail):
        self.results[self.name(edit)] = (result, detail)
        if self.path:
            line = {"edit": self.name(edit), "file": edit[0], "wrong": edit[3], "result": result, "by": detail}
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")


def occurrences(root, edit):
    file = root / edit[0]
    return file.read_text(encoding="utf-8").count(edit[1]) if file.exists() else 0


def run(command, timeout=None, folder=None, environment=None):
    """Exit code (None: out of time) and output."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                              env={**os.environ, **(environment or {})}, timeout=timeout, text=True,
                              errors="replace")
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
                        if name not in (".git", "__pycache__")
                        and not (name.startswith("build") and pathlib.Path(folder) == ROOT)]
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
        # Tests are run by this script, so nothing has to be discovered while building. Files with edits are
        # compiled by themselves: a room of them takes a minute.
        alone = sorted({edit[0] for edit in EDITS if edit[0].endswith(".cpp")})
        code, output = run(["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
                            "-DCMAKE_BUILD_TYPE=Release", "-DLOGDEPTH_TESTS=ON",
                            "-DLOGDEPTH_ALONE=" + ";".join(alone),
                            "-DLOGDEPTH_PEERS=" + str(ROOT / "build" / "peers"),
                            "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"])
        if code != 0:
            sys.exit("the tree cannot be configured:\n" + output)

    def compile(self, program):
        target = "logdepth" if program == "python" else "test_" + program
        return run(["ninja", "-C", str(self.build), "-j", str(self.jobs), target])

    def digest(self):
        """Of everything that is copied: results of the tree without edits hold while it is the same."""
        seen = hashlib.sha256()
        for path in sorted(self.tree.rglob("*")):
            if path.is_file():
                seen.update(str(path.relative_to(self.tree)).encode() + b"\0" + path.read_bytes() + b"\0")
        return seen.hexdigest()

    def rounds(self, program, without):
        """The tests of the program that pass without any edit, by their time, and those that do not; `without` are
        not run."""
        if program == "python":
            began = time.monotonic()
            failed = self.test(Round(program, 1, PYTHON_TESTS, self.timeout))
            one = Round(program, 1, PYTHON_TESTS, time.monotonic() - began)
            return ([], [failed]) if failed else ([one], [])
        told = self.build / "times.json"
        told.unlink(missing_ok=True)
        run([str(self.build / "tests" / ("test_" + program)), "--gtest_brief=1",
             "--gtest_output=json:" + str(told)], None, self.tree,
            {"GTEST_FILTER": "-" + ":".join(without)} if without else None)
        if not told.exists():
            sys.exit("{} does not end without any edit".format(program))
        suites = json.loads(told.read_text(encoding="utf-8"))["testsuites"]
        times, failed = {}, []
        for test in (test for suite in suites for test in suite["testsuite"]):
            name = test["classname"] + "." + test["name"]
            if name in without:
                continue
            if test.get("result") == "COMPLETED" and not test.get("failures"):
                times[name] = float(test["time"].rstrip("s"))
            else:
                failed.append(program + "/" + name)
        made = []
        for step, (least, most) in enumerate(zip((-1.0, *STEPS), STEPS)):
            if names := [name for name, time in times.items() if least < time <= most]:
                made.append(Round(program, step, ":".join(names), sum(times[name] for name in names)))
        return made, failed

    def test(self, one):
        """None when the tests of a round pass, else what failed first. What takes ten times as long as without the
        edit, and half a minute more, does not end."""
        limit = min(self.timeout, 30 + 10 * one.seconds)
        if one.program == "python":
            code, output = run([str(PYTHON), "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
                                *one.tests.split()], limit, self.tree / "tests" / "python",
                               {"LOGDEPTH_BINARY": str(self.build / "logdepth"), "OMP_NUM_THREADS": "1"})
        else:
            binary = self.build / "tests" / ("test_" + one.program)
            code, output = run([str(binary), "--gtest_fail_fast", "--gtest_brief=1"], limit, self.tree,
                               {"GTEST_FILTER": one.tests})
        if code == 0:
            return None
        if code is None:
            return "{}: not done after {:.0f} s".format(one.program, limit)
        failed = re.search(r"(?:\[  FAILED  \]|^FAILED|^ERROR) ([^\s,]+)", output, re.M)
        return "{}: {}".format(one.program, failed.group(1) if failed else "exit code %d" % code)

    def apply(self, edit):
        """Writes the edited file and returns its old text."""
        path = self.tree / edit[0]
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(edit[1], edit[2]), encoding="utf-8")
        return text

    def restore(self, edit, text):
        (self.tree / edit[0]).write_text(text, encoding="utf-8")

    def judge(self, rounds):
        for one in rounds:
            code, output = self.compile(one.program)
            if code != 0:
                error = re.search(r".*error: .*", output)
                return "did not compile", error.group(0) if error else output[-300:]
            killer = self.test(one)
            if killer:
                return "killed", killer
        return "SURVIVED", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the edits and end")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="edits by number")
    parser.add_argument("--tests", default=".", metavar="REGEX",
                        help="programs to use, such as 'properties|rejects'")
    parser.add_argument("--quick", action="store_true",
                        help="only tests of at most a second; what they do not see stays to be judged")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="passed to ninja")
    parser.add_argument("--timeout", type=int, default=600, help="seconds per test program")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="judge no further edit after so many; the next time goes on (with --record)")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE",
                        help="keep results here, and do not judge again what is there")
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

    begun = time.monotonic()
    record = Record(arguments.record)
    with tempfile.TemporaryDirectory(prefix="source-edits-") as temporary:
        bench = Bench(arguments.folder or pathlib.Path(temporary), arguments.jobs,
                      arguments.timeout)
        rounds = baseline(bench, arguments.tests, arguments.quick)

        for number in chosen:
            edit = EDITS[number - 1]
            started = time.monotonic()
            if record.get(edit):
                continue
            if started - begun > arguments.seconds:
                break
            text = bench.apply(edit)
            try:
                result, detail = bench.judge(rounds_for(edit, rounds))
            finally:
                bench.restore(edit, text)
            if arguments.quick and result == "SURVIVED":
                result = "left by the quick tests"
            else:
                record.add(edit, result, detail)
            print("{:3} {}: {}\n      {}{} ({:.0f} s)".format(
                number, edit[0], edit[3], result, " by " + detail if detail else "",
                time.monotonic() - started), flush=True)
        sys.exit(summary(chosen, record))


def baseline(bench, wanted, quick):
    """The rounds of tests that pass without any edit; from the last time, where the tree is the same. Tests that were
    slow at any time are left out of what is quick."""
    programs = [program for program in PROGRAMS if re.search(wanted, program)]
    kept, digest = bench.build / "baseline.json", bench.digest()
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if known.get("tree") != digest:
        known = {"tree": digest, "programs": {}, "slow": known.get("slow", {})}
    rounds = []
    for program in programs:
        code, output = bench.compile(program)
        if code != 0:
            sys.exit("{} does not compile without any edit:\n{}".format(program, output[-3000:]))
        name = program + (", quick" if quick else "")
        if name not in known["programs"]:
            made, failed = bench.rounds(program, known["slow"].get(program, []) if quick else [])
            slow = [test for one in made if one.step == len(STEPS) - 1 for test in one.tests.split(":")]
            known["slow"][program] = sorted({*known["slow"].get(program, []), *slow})
            known["programs"][name] = {"rounds": [(one.step, one.tests, one.seconds) for one in made],
                                       "failed": failed}
            kept.write_text(json.dumps(known), encoding="utf-8")
        for failure in known["programs"][name]["failed"]:
            print("NOT USED, fails without any edit: " + failure, flush=True)
        rounds += [Round(program, *one) for one in known["programs"][name]["rounds"]
                   if not quick or one[0] < len(STEPS) - 1]
    if not rounds:
        sys.exit("no test program is left")
    print("{} rounds of tests pass without any edit".format(len(rounds)), flush=True)
    return rounds


def summary(chosen, record):
    """Prints what is known of the edits; the exit status."""
    edits = [EDITS[number - 1] for number in chosen]
    judged = [record.get(edit)[0] for edit in edits if record.get(edit)]
    count = {result: judged.count(result) for result in ("killed", "SURVIVED", "did not compile")}
    print("{killed} killed, {SURVIVED} survived, {did not compile} did not compile".format(**count))
    for edit in edits:
        if record.get(edit) and record.get(edit)[0] != "killed":
            print("{}: {}: {}".format(record.get(edit)[0], edit[0], edit[3]))
    if compiled := count["killed"] + count["SURVIVED"]:
        print("kill rate {:.1f}%".format(100 * count["killed"] / compiled))
    if count["SURVIVED"] or count["did not compile"]:
        return 1
    if left := len(edits) - len(judged):
        print("{} edits are left; the same command goes on with them".format(left))
        return 3
    return 0


if __name__ == "__main__":
    main()
