"""Weights files and their exports, and what is right about them, for the tests of exports."""

import functools
import hashlib
import importlib
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

BINARY = os.environ["LOGDEPTH_BINARY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = tempfile.TemporaryDirectory()

FILES = {
    "a5": ["regular", "--group", "A5"],
    "abb": ["regular", "--regex", "(a|b)*abb"],
    "cascade": ["regular", "--regex", "(a|b)*abb", "--construction", "cascade"],
    "layernorm": ["regular", "--group", "S3", "--norm", "layernorm"],
    "modular": ["regular", "--group", "Z6", "--construction", "cascade"],
    "element": ["regular", "--group", "Z6", "--table", "monoid"],
    "tree": ["regular", "--group", "S3", "--construction", "tree"],
    "reset": ["regular", "--json-automaton", "FLIPFLOP"],
    "majority": ["crasp", str(ROOT / "examples/crasp/majority.crasp")],
    "dyck": ["crasp", str(ROOT / "examples/crasp/dyck1.crasp")],
    "formula": ["formula"],
    "khop": ["khop", "--hops", "5", "--letters", "3"],
    "ltl": ["ltl", "H(a -> Y b)"],
    "division": ["division"],
    "division_layernorm": ["division", "--norm", "layernorm"],
    "connectivity": ["connectivity"],
    "rows": ["connectivity", "--construction", "rows", "--size", "4"],
}


def logdepth(*arguments, given=None, status=0):
    done = subprocess.run([BINARY, *map(str, arguments)], input=given, capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


# Letters of several characters.
FLIPFLOP = {
    "states": ["off", "on"], "input_symbols": ["set", "reset", "keep"], "initial_state": "off", "final_states": ["on"],
    "transitions": {state: {"set": "on", "reset": "off", "keep": state} for state in ("off", "on")},
}


@functools.cache
def compiled(name):
    file, flipflop = (pathlib.Path(FOLDER.name) / f"{file}.json" for file in (name, "FLIPFLOP"))
    flipflop.write_text(json.dumps(FLIPFLOP))
    logdepth("compile", *(flipflop if part == "FLIPFLOP" else part for part in FILES[name]), "-o", file)
    return file


@functools.cache
def exported(name, target, length, *options):
    path = pathlib.Path(FOLDER.name) / "-".join([name, target, str(length), *options])
    logdepth("export", compiled(name), "--to", target, "--length", length, "-o", path, *options)
    return path


def refusal(name, target, length, *options):
    """The sentence of a refusal, exit status 3; nothing is written."""
    path = pathlib.Path(FOLDER.name) / "refused"
    done = logdepth("export", compiled(name), "--to", target, "--length", length, "-o", path, *options,
                    status=3)
    assert not path.exists()
    return done.stderr


def module(folder, name):
    """logdepth_torch or logdepth_lens as they lie in an exported folder."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def answers():
    """logdepth_answers as exported folders contain it; no package is needed."""
    return module(ROOT / "python/logdepth", "answers")


def with_new_sums(folder):
    """As if that had been exported."""
    names = [line.partition("  ")[2] for line in (folder / "SHA256SUMS").read_text().splitlines()]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(sums))
    return folder


def words(letters, length):
    """All words of at most six letters, and all prefixes of twenty random words."""
    found = ["".join(word) for n in range(min(7, length + 1)) for word in itertools.product(letters, repeat=n)]
    choice = random.Random(len(letters) * 1000 + length)
    for _ in range(20):
        word = "".join(choice.choice(letters) for _ in range(length))
        found += [word[:n] for n in range(len(word) + 1)]
    return found


def verdicts(name, asked):
    """Of the exact run."""
    answers = logdepth("run", compiled(name), "--batch", "-", given="".join(word + "\n" for word in asked))
    return [line == "accept" for line in answers.stdout.splitlines()]


def division(length, choice):
    """Given values of one input of the division lemma, [T, 6] in the order i, m, a, and the numbers:
    (dividend, divisor) of every position."""
    divisor = choice.randint(1, length)
    dividends = [choice.randint(0, i) for i in range(length)]
    phi = lambda x: [x / (x * x + 1) ** 0.5, 1 / (x * x + 1) ** 0.5]
    rows = [[i, 1, divisor, 1, *phi(a)] for i, a in enumerate(dividends)]
    right = [phi(a // divisor) + phi(a % divisor) for a in dividends]
    return rows, right


def graph(n, choice):
    """Adjacency matrix of a random graph, and its reachability."""
    edges = [[choice.random() < 1.2 / n for _ in range(n)] for _ in range(n)]
    reach = [[i == j or edges[i][j] for j in range(n)] for i in range(n)]
    for k, i, j in itertools.product(range(n), repeat=3):
        reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
    return edges, reach


def graph_tokens(kinds, edges, source, target):
    n = len(edges)
    names = ["<edge>" if edges[i][j] else "<no-edge>" for i in range(n) for j in range(n)]
    names += ["<pad>"] * (n**3 - n**2) + ["<source>"] * (source + 1) + ["<target>"] * (target + 1)
    return [kinds.index(name) for name in names]
