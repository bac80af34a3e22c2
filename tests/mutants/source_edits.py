#!/usr/bin/env python3
"""Applies single faults to the sources, one at a time, and asks whether the tests notice.

A line of edits.jsonl says the file, the function (its name, or more of its head where names are alike), the old text, which
must be there exactly once in what the name says, the new text, and what is wrong then. Edits that keep the meaning do not belong there.

Works on a copy of the tree that is built once: every function with edits gets a branch for each of them, which the
environment variable chooses by the edit's number. So an edit costs the tests that it needs: those are run until one fails, the
quickest tests of each program first. What is no function of C++, or does not compile beside the others, is built by itself. How
long every test takes is measured without any edit, once for as long as the tree stays the same (--folder).
With --record, what was judged is kept and not judged again while the edit and its function are the same: a command that
was stopped goes on; where the function has changed since, the test that saw the edit then is asked first. With --quick,
slow tests are not asked, and what the others do not see is left to the next command without it. Ends with 1 when an edit survived, with 3 when not all were judged.
"""

import argparse
import concurrent.futures
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Programs of tests, a folder each. Those of python are files of tests, run on the program with the packages of
# tests/install_python_peers.sh.
PROGRAMS = ["programs", "rejects", "properties", "claims", "learned", "training", "exports", "python"]
PYTHON_TESTS = "test_exports_torch.py test_exports_onnx.py test_exports_lens.py test_exports_answers.py"
PYTHON = ROOT / "build" / "python-peers" / "bin" / "python"
# Tests of at most so many seconds are one round, then those of at most so many. The last are slow.
STEPS = (0.1, 1.0, float("inf"))
# What the edits of a folder can change; of any other: everything but what is only of python.
REACH = {"learned": ("learned", "training", "claims"), "exports": ("exports", "python", "claims"), "python": ("python",),
         "figures": ("properties", "claims", "programs")}
LONGEST = 600  # seconds, of a test program
CHOSEN = "LOGDEPTH_PLANTED_EDIT"  # the environment variable
PLANTED = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace planted {
inline const int number = std::getenv("%s") ? std::atoi(std::getenv("%s")) : 0;
constexpr bool chosen(int edit) { return !std::is_constant_evaluated() && number == edit; }
}
""" % (CHOSEN, CHOSEN)

TOKENS = re.compile(r'//.*|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\])'|[(){};]")


def definitions(file, text, name):
    """(start, end) of every definition whose head has `name` in its first line."""
    if file.endswith(".py"):
        yield from (found.span() for found in re.finditer(
            r"^( *)(?:def|class) " + re.escape(name) + r"\b.*\n(?:\1 .*\n|\n)*", text, re.M))
        return
    for head in re.finditer(r"^[^\n=;(){}#/\"]*?(?<![\w~.])" + re.escape(name) + r"(?=[ ({\[:]|$)", text, re.M):
        function = "(" in name + text[head.end():head.end() + 1]
        depth, body = name.count("(") - name.count(")"), False
        for token in TOKENS.finditer(text, head.end()):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token.group(), 0)
            body = body or (token.group() == "{" and depth == 1)
            if token.group() == "}" and re.compile(r"\s*[,{]").match(text, token.end()):
                continue  # of a member that is initialised
            if depth < 0 or (depth == 0 and token.group() in "};"):
                if depth == 0 and (body or not function):
                    yield head.start(), token.end()
                break


def places(file, text, name, old):
    """Where `old` is in these definitions: (place, start and end of the smallest definition)."""
    found = {}
    for start, end in sorted(definitions(file, text, name)):
        found.update({start + at.start(): (start, end) for at in re.finditer(re.escape(old), text[start:end])})
    return sorted(found.items())


def body(text, start, end):
    """(start, end) of the braces that end a definition, where they are those of a function."""
    opened = []
    for token in TOKENS.finditer(text, start, end):
        if token.group() in ("(", "{"):
            opened.append(token.start())
        elif token.group() in (")", "}") and opened:
            at = opened.pop()
            if token.end() == end and token.group() == "}" and "(" in text[start:at]:
                return at, end
    return None


class Edit:
    def __init__(self, number, line):
        said = json.loads(line)
        self.number = number
        self.file, self.function, self.wrong = said["file"], said["function"], said["wrong"]
        self.old, self.new = said["old"], said["new"]
        path = ROOT / self.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        self.stale = len(found := places(self.file, text, self.function, self.old)) != 1
        if self.stale:
            return
        (at, (start, end)), = found
        behind = at + len(self.old)
        self.at, self.text, self.edited = at, text, text[:at] + self.new + text[behind:]
        self.body = body(text, start, end) if self.file.endswith((".cpp", ".hpp")) else None
        if self.body and at <= self.body[0]:
            self.body = None
        # The same wherever the function stands.
        self.name = hashlib.sha256("\0".join((text[start:end], text[start:at] + self.new + text[behind:end])).encode()).hexdigest()

    def rounds(self, rounds):
        """Those that can see it: by their time, then by the order of the programs."""
        reach = REACH.get(self.file.split("/")[0], PROGRAMS)
        return sorted((one for one in rounds if one.program in reach),
                      key=lambda one: (one.step, reach.index(one.program)))


EDITS = [Edit(number, line) for number, line in enumerate((ROOT / "tests/mutants/edits.jsonl").read_text(encoding="utf-8").splitlines(), 1)]


def woven(text, start, end, edits):
    """This part of a file with a branch for each of these edits in the body that it is of."""
    outer = [edit.body for edit in edits
             if not any(other.body != edit.body and other.body[0] <= edit.body[0] and edit.body[1] <= other.body[1]
                        for other in edits)]
    result, done = [], start
    for first, last in sorted(set(outer)):
        own = [edit for edit in edits if edit.body == (first, last)]
        inner = [edit for edit in edits if first < edit.body[0] and edit.body[1] < last]
        result.append(text[done:first] + "{ ")
        for edit in own:
            changed = text[first + 1:edit.at] + edit.new + text[edit.at + len(edit.old):last - 1]
            result.append("if (planted::chosen({})) {{{}}} else ".format(edit.number, changed))
        result.append("{" + woven(text, first + 1, last - 1, inner) + "} }")
        done = last
    return "".join(result) + text[done:end]


class Round:
    """Tests of one program that take about as long as each other."""

    def __init__(self, program, step, tests, seconds):
        self.program, self.step, self.tests = program, step, tests
        self.seconds = seconds  # without any edit


class Record:
    """Results by edit, a line of JSON each; a line counts while the edit and its function are the same."""

    def __init__(self, path):
        self.path, self.results, self.killers = path, {}, {}
        if path and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                self.results[said["edit"]] = (said["result"], said["by"])
                self.killers[said["file"], said["wrong"]] = said["by"].partition(": ")[::2]

    def get(self, edit):
        return self.results.get(edit.name)

    def killer(self, edit):
        """(program, test) that saw this edit when its function was another; ("", "") where there was none."""
        return self.killers.get((edit.file, edit.wrong), ("", ""))

    def add(self, edit, result, detail):
        self.results[edit.name] = (result, detail)
        if self.path:
            line = {"edit": edit.name, "file": edit.file, "wrong": edit.wrong, "result": result, "by": detail}
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")


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

    def __init__(self, folder):
        self.tree = folder.resolve() / "tree"
        self.build = folder.resolve() / "build"
        self.copy_sources()
        self.configure()

    def copy_sources(self):
        """Brings the copy up to date by content, so that ninja rebuilds what differs, no more. Files with edits are
        left to `weave`."""
        sources, edited = set(), {pathlib.Path(edit.file) for edit in EDITS}
        for folder, names, files in os.walk(ROOT):
            names[:] = [name for name in names
                        if name not in (".git", "__pycache__")
                        and not (name.startswith("build") and pathlib.Path(folder) == ROOT)]
            sources.update(pathlib.Path(folder, file).relative_to(ROOT) for file in files)
        for old in [path for path in self.tree.rglob("*") if path.is_file()]:
            if old.relative_to(self.tree) not in sources:
                old.unlink()
        for source in sources:
            copied = self.tree / source
            if copied.exists() and (source in edited or copied.read_bytes() == (ROOT / source).read_bytes()):
                continue
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, copied)
            shutil.copymode(ROOT / source, copied)

    def configure(self):
        self.build.mkdir(parents=True, exist_ok=True)
        if not (self.build / "planted.hpp").exists():
            (self.build / "planted.hpp").touch()
        # Tests are run by this script, so nothing has to be discovered while building. -O1: it is built more often than
        # it is run.
        code, output = run(["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
                            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                            "-DCMAKE_CXX_FLAGS=-include " + str(self.build / "planted.hpp"), "-DLOGDEPTH_TESTS=ON",
                            "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"])
        if code != 0:
            sys.exit("the tree cannot be configured:\n" + output)

    def weave(self, edits):
        """Writes every file with its edits beside each other and builds everything; what does not compile so is left
        out. The edits that are there."""
        write(self.build / "planted.hpp", PLANTED)
        there = [edit for edit in edits if not edit.stale and edit.body]
        while True:
            for file in sorted({edit.file for edit in edits}):
                of_file = [edit for edit in there if edit.file == file]
                text = (ROOT / file).read_text(encoding="utf-8")
                write(self.tree / file, woven(text, 0, len(text), of_file))
            code, output = run(["ninja", "-C", str(self.build), "-k", "0", *map(target, PROGRAMS)])
            if code == 0:
                return there
            wrong = self.not_compiled(output, there)
            if not wrong:
                sys.exit("the tree does not compile:\n" + output[-3000:])
            for edit in wrong:
                print("{:3} {}: does not compile beside the others".format(edit.number, edit.file), flush=True)
            there = [edit for edit in there if edit not in wrong]

    def not_compiled(self, output, edits):
        """The edits in whose branches the compiler found errors."""
        wrong = set()
        for file, line in re.findall(r"^([^\s:]+):(\d+):\d+: error: ", output, re.M):
            path = pathlib.Path(os.path.normpath(self.build / file))
            before = path.read_text(encoding="utf-8").split("\n")[:int(line)] if path.exists() else []
            found = re.findall(r"planted::chosen\((\d+)\)", "\n".join(before))
            wrong.update(edit for edit in edits if found and edit.number == int(found[-1]) and path.match(edit.file))
        return wrong

    def compile(self, program):
        return run(["ninja", "-C", str(self.build), target(program)])

    def digest(self):
        """Of everything that is copied: results of the tree without edits hold while it is the same."""
        seen = hashlib.sha256()
        for path in sorted(self.tree.rglob("*")):
            if path.is_file():
                seen.update(str(path.relative_to(self.tree)).encode() + b"\0" + path.read_bytes() + b"\0")
        return seen.hexdigest()

    def rounds(self, program):
        """The tests of the program that pass without any edit, by their time, and those that do not."""
        if program == "python":
            began = time.monotonic()
            failed = self.test(Round(program, 1, PYTHON_TESTS, LONGEST))
            one = Round(program, 1, PYTHON_TESTS, time.monotonic() - began)
            return ([], [failed]) if failed else ([one], [])
        told = self.build / "times.json"
        told.unlink(missing_ok=True)
        run([str(self.build / "tests" / ("test_" + program)), "--gtest_brief=1",
             "--gtest_output=json:" + str(told)], None, self.tree)
        if not told.exists():
            sys.exit("{} does not end without any edit".format(program))
        suites = json.loads(told.read_text(encoding="utf-8"))["testsuites"]
        times, failed = {}, []
        for test in (test for suite in suites for test in suite["testsuite"]):
            name = test["classname"] + "." + test["name"]
            if test.get("result") == "COMPLETED" and not test.get("failures"):
                times[name] = float(test["time"].rstrip("s"))
            else:
                failed.append(program + "/" + name)
        made = []
        for step, (least, most) in enumerate(zip((-1.0, *STEPS), STEPS)):
            if names := [name for name, time in times.items() if least < time <= most]:
                made.append(Round(program, step, ":".join(names), sum(times[name] for name in names)))
        return made, failed

    def test(self, one, chosen=0):
        """None when the tests of a round pass, else what failed first. What takes ten times as long as without the
        edit, and half a minute more, does not end."""
        limit = min(LONGEST, 30 + 10 * one.seconds)
        with tempfile.TemporaryDirectory(prefix="source-edit-") as temporary:
            return self.run_tests(one, limit, {CHOSEN: str(chosen), "TMPDIR": temporary})

    def run_tests(self, one, limit, environment):
        if one.program == "python":
            code, output = run([str(PYTHON), "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
                                *one.tests.split()], limit, self.tree / "tests" / "python",
                               {"LOGDEPTH_BINARY": str(self.build / "logdepth"), "OMP_NUM_THREADS": "1", **environment})
        else:
            binary = self.build / "tests" / ("test_" + one.program)
            code, output = run([str(binary), "--gtest_fail_fast", "--gtest_brief=1"], limit, self.tree,
                               {"GTEST_FILTER": one.tests, **environment})
        if code == 0:
            return None
        if code is None:
            return "{}: not done after {:.0f} s".format(one.program, limit)
        failed = re.search(r"(?:\[  FAILED  \]|^FAILED|^ERROR) ([^\s,]+)", output, re.M)
        return "{}: {}".format(one.program, failed.group(1) if failed else "exit code %d" % code)

    def passing(self, killers):
        """A round of each of these tests that passes without any edit, by its program and name."""
        def tried(killer):
            one = Round(killer[0], 0, killer[1], LONGEST)
            began = time.monotonic()
            failed = self.test(one)
            one.seconds = time.monotonic() - began
            return None if failed else one

        known = [killer for killer in sorted(killers) if killer[0] in PROGRAMS and "." in killer[1]]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return {killer: one for killer, one in zip(known, pool.map(tried, known)) if one}

    def judge(self, edit, rounds, there):
        """What became of an edit that is there, to be chosen, or has to be built by itself."""
        if there:
            return next((("killed", killer) for one in rounds if (killer := self.test(one, edit.number))), ("SURVIVED", ""))
        path = self.tree / edit.file
        before = path.read_text(encoding="utf-8")
        write(path, edit.edited)
        try:
            for one in rounds:
                code, output = self.compile(one.program)
                if code != 0:
                    error = re.search(r".*error: .*", output)
                    return "did not compile", error.group(0) if error else output[-300:]
                if killer := self.test(one):
                    return "killed", killer
        finally:
            write(path, before)
            for program in {one.program for one in rounds}:  # what comes next runs without this edit
                self.compile(program)
        return "SURVIVED", ""


def write(path, text):
    """Where it is another one: what is the same is not built again."""
    if path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def target(program):
    return "logdepth" if program == "python" else "test_" + program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show the edits and end")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="edits by number")
    parser.add_argument("--quick", action="store_true",
                        help="only tests of at most a second; what they do not see stays to be judged")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE",
                        help="keep results here, and do not judge again what is there")
    parser.add_argument("--folder", type=pathlib.Path,
                        help="keep the copy and its build here for the next time")
    arguments = parser.parse_args()

    edits = [edit for edit in EDITS if not arguments.only or edit.number in arguments.only]
    if arguments.list:
        for edit in edits:
            print("{:3} {}: {}".format(edit.number, edit.file, edit.wrong))
    if stale := [edit for edit in edits if edit.stale]:
        for edit in stale:
            print("edit {}: in {} of {} the old text must occur exactly once:\n{}".format(
                edit.number, edit.function, edit.file, edit.old), file=sys.stderr)
        sys.exit(2)
    if arguments.list:
        return

    record = Record(arguments.record)
    with tempfile.TemporaryDirectory(prefix="source-edits-") as temporary:
        bench = Bench(arguments.folder or pathlib.Path(temporary))
        there = bench.weave(EDITS)

        def judge_one(edit, rounds, survivors):
            started = time.monotonic()
            result, detail = bench.judge(edit, rounds, edit in there)
            if survivors and result == "SURVIVED":
                result = survivors
            else:
                record.add(edit, result, detail)
            print("{:3} {}: {}\n      {}{} ({:.0f} s)".format(
                edit.number, edit.file, edit.wrong, result, " by " + detail if detail else "",
                time.monotonic() - started), flush=True)

        def judge(asked, rounds, survivors):
            left = [edit for edit in asked if not record.get(edit)]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda edit: judge_one(edit, rounds(edit), survivors),
                              [edit for edit in left if edit in there]))
            for edit in [edit for edit in left if edit not in there]:
                judge_one(edit, rounds(edit), survivors)

        killers = bench.passing({record.killer(edit) for edit in edits if not record.get(edit)})
        judge([edit for edit in edits if record.killer(edit) in killers],
              lambda edit: [killers[record.killer(edit)]], "left by the test that saw it before")
        if all(record.get(edit) for edit in edits):
            sys.exit(summary(edits, record))
        rounds = baseline(bench)
        if arguments.quick:
            rounds = [one for one in rounds if one.step < len(STEPS) - 1]
        judge(edits, lambda edit: edit.rounds(rounds), "left by the quick tests" if arguments.quick else "")
        sys.exit(summary(edits, record))


def baseline(bench):
    """The rounds of tests that pass without any edit; from the last time, where the tree is the same."""
    kept, digest = bench.build / "baseline.json", bench.digest()
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if known.get("tree") != digest:
        known = {"tree": digest, "rounds": []}
        for program in PROGRAMS:
            made, failed = bench.rounds(program)
            for failure in failed:
                print("NOT USED, fails without any edit: " + failure, flush=True)
            known["rounds"] += [vars(one) for one in made]
        kept.write_text(json.dumps(known), encoding="utf-8")
    print("{} rounds of tests pass without any edit".format(len(known["rounds"])), flush=True)
    return [Round(**one) for one in known["rounds"]]


def summary(edits, record):
    """Prints what is known of the edits; the exit status."""
    judged = [(edit, record.get(edit)[0]) for edit in edits if record.get(edit)]
    count = {wanted: sum(result == wanted for _, result in judged) for wanted in ("killed", "SURVIVED", "did not compile")}
    print("{killed} killed, {SURVIVED} survived, {did not compile} did not compile".format(**count))
    for edit, result in judged:
        if result != "killed":
            print("{}: {}: {}".format(result, edit.file, edit.wrong))
    if count["SURVIVED"] or count["did not compile"]:
        return 1
    if left := len(edits) - len(judged):
        print("{} edits are left; the same command goes on with them".format(left))
        return 3
    return 0


if __name__ == "__main__":
    main()
