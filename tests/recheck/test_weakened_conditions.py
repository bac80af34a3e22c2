"""Conditions of the checker, each a little weaker (weakened.py): a file that misses the true condition narrowly is refused, and goes
on where the condition is weaker. Conditions that a program of another strength would not need are in SOUND, each with its reason."""
import os
import subprocess
import unittest

from files import certified, compiled, drop_zeros, load, seal, store
from targeted import entries, heads
from test_false_theorems import copied, insert, layer, matrix, widened
from test_hostile_files import one_back
from test_selections import program
from weakened import EDITS

# Weaker conditions that change nothing:
SOUND = {
    "intervals of length u s + v with v < minus": "u >= 1 and u + v >= minus + 1 are enough (shift_scan.cpp, lemma loops): no longer asked",
    "a tree over a code of L <= 1/4": "the bisector is right for every L > 0 (tree.cpp, lemma floor): no longer asked",
    "a count of at most 1": "a norm that reads a count is a direction or a sign, so no unit is asked for its bounds: now refused by name",
    "the sign of a sum, read at another token": "its square is no constant, so a stream that holds it has no norm but that of the sign alone, "
                                                "and a head reads no code beside it",
}


def theorem(name, **more):
    return {"format": "logdepth-certificate", "version": 1, "theorem": name, **more}


SCAN = theorem("shift-scan", cells=[], decode=[[None, 0]])
SELECTIONS = theorem("selections", tier="S", proves=[])
# Of the files made by hand: constants at 0 and 3, the letter at 1, <begin> at 2.
C0, C1, K0, K1, S, T, U = range(5, 12)


def by_hand(*layers):
    """A word before two logits; the layers are functions of the file."""
    signs = {"<begin>": (1, -1, 1, 1), "a": (1, 1, -1, 1), "b": (1, -1, -1, 1)}
    document = {"format": "logdepth-weights", "version": 1, "name": "boundary", "construction": "by hand", "source": "none", "hypotheses": [],
                "deviations": [], "parameters": {}, "alphabet": ["a", "b"], "input": {"kind": "word", "begin": True},
                "output": {"kind": "accept", "accept": 0, "reject": 1}, "norm": "rms", "width": 16,
                "shape": {"initial": 0, "repeated": 0, "final": 0}, "unroll": {"kind": "fixed", "loops": 0},
                "position": {"kind": "first-flag", "first": [], "rest": []},
                "embedding": {kind: [[c, str(x)] for c, x in enumerate(row)] for kind, row in signs.items()}, "layers": [],
                "unembedding": matrix(2, 16, (0, 0, "1"))}
    insert(document, "initial", *[make(document) for make in layers])
    return drop_zeros(document)


def averages(*values):
    """A head that averages: what is read of coordinates 0 to 3, of size 2, and where it is written."""
    return lambda d: layer(d, attends=[(c, "1") for c in range(4)], values=[(row, {to: "1"}) for row, to in values])


SHARES = averages(({0: "1/4", 2: "-1/4"}, C0), ({0: "1/4", 2: "1/4"}, C1))  # p/(p+1) and 1/(p+1)


def copies(mask, *pairs):
    """Units that copy what is read."""
    return lambda d: layer(d, sorted(mask.items()), [unit for read, to in pairs for unit in copied(read, to, 4)])


def units(mask, *some):
    return lambda d: layer(d, sorted(mask.items()), some)


def selects(mask, query, key, value, to, contract=None):
    """A head with one row of query and key for each pair."""
    def make(d):
        made = layer(d, attends=sorted(mask.items()), values=[(value, {to: "1"})])
        head = made["attention"]["heads"][0]
        head["promise"] = contract or {"kind": "uniform"}
        for name, rows in (("query", query), ("key", key)):
            head[name] = matrix(len(rows), d["width"], *[(r, c, x) for r, row in enumerate(rows) for c, x in row.items()])
        return made
    return make


CODE = copies({C0: "1", C1: "1"}, (C0, K0), (C1, K1))  # of the own position, over 1


def changed(document, change):
    change(document)
    return drop_zeros(document)


def division():
    return compiled("division")


def a_norm_beside_y():
    file = division()
    d, c = widened(load(file)), load(certified(file))
    root, y, to, one = 10, d["width"] - 1, d["width"] - 2, d["cells"]["one"]["coordinates"][0]
    difference = next(part for part in d["layers"] if part["feedforward"]["mask"] == [[d["cells"]["D"]["coordinates"][0], "1"]])
    difference["feedforward"]["out"]["entries"] += [[y, 0, "1"], [y, 1, "-1"]]
    beside = layer(d, [(y, "1"), (one, "4/3")], copied(y, to, root))
    d["layers"].append({"block": "initial", **beside})
    d["shape"]["initial"] += 1
    return drop_zeros(d), c


def of_compiled(options, change):
    file = compiled(*options)
    return changed(load(file), change), load(certified(file))


def weighed(key):
    """The key with this weight of the flag beside the position."""
    return lambda d: heads(d)[0]["key"]["entries"][-1].__setitem__(2, key)


def of_division(key):
    at = {name: cell["coordinates"] for name, cell in load(division())["cells"].items()}
    return of_compiled(("division",), lambda d: heads(d, 2)[0]["key"].update(entries=entries((0, at["I"][0], "1"), (0, at["e"][0], key))))


def flat(d):
    heads(d)[0]["query"]["entries"] = entries((0, 5, "1/4"), (0, 6, "1/4"), (0, 7, "1/4"))
    heads(d)[0]["key"]["entries"] = entries((0, 0, "1"))


def negated(d):
    for entry in heads(d)[0]["query"]["entries"]:
        entry[2] = entry[2][1:] if entry[2][0] == "-" else "-" + entry[2]


# Name of the edit: what the true checker says, and the file with its certificate.
BOUNDARIES = {
    "two thirds of the flag": ("not the last multiple of m", lambda: of_division("2/5")),
    "1/(p+1) is never below 1": ("the scores differ; expected equal ones", lambda: (by_hand(
        averages(({2: "1/4"}, S)), copies({S: "1"}, (S, T)), selects({0: "4/3", T: "1"}, [{0: "1"}], [{T: "1"}], {0: "1"}, U)), SELECTIONS)),
    "components of directions are at most 1": ("is written by a unit that is not linear", lambda: (by_hand(
        SHARES, CODE, copies({C0: "4", C1: "1"}, (C0, S), (C1, T)),
        units({0: "4/3", S: "1", T: "1"}, ({0: "1/4", T: "-1"}, {U: "1"}))), SCAN)),
    "Y is 1 or -1": ("the norm is not the same at every token", a_norm_beside_y),
    "Z is 1 or -1": ("the norm is not the same at every token", lambda: (by_hand(
        SHARES, copies({C0: "1"}, (C0, S)), copies({0: "4/3", S: "1"}, (0, T))), SCAN)),
    "multiples are not compared": ("not a direction of separate numbers", lambda: (by_hand(SHARES, copies({0: "4/5", C0: "3/5"}, (C0, S))), SCAN)),
    "moves ahead": ("moves back by -1; expected a count", lambda: (by_hand(
        SHARES, CODE, selects({K0: "1", K1: "1"}, [{K0: "1", K1: "1"}, {K1: "1"}], [{K0: "1"}, {K1: "1"}], {K0: "1/4"}, S)), SCAN)),
    "negative matches": ("is matched with -", lambda: of_compiled(
        ("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"), negated)),
    "moves ahead of the stride": ("moves back by 1 s + -2; expected counts", lambda: of_compiled(
        ("regular", "--group", "Z2", "--construction", "radix"), lambda d: heads(d, 2)[0]["query"]["entries"].insert(2, [0, 12, "2"]))),
    "intervals one short": ("are too short for the number of loops", lambda: of_compiled(
        ("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"), lambda d: d["unroll"].update(minus=1))),
    "negative counts": ("and no negative one", lambda: (by_hand(
        SHARES, averages(({0: "1/4", 1: "1/2", 2: "1/4"}, S)), CODE, copies({S: "1", C1: "1"}, (S, T), (C1, U)),
        selects({0: "4", K0: "1", K1: "1", T: "4/3", U: "4/3"}, [{T: "1", U: "-1/2"}, {U: "1"}], [{K0: "1"}, {K1: "1"}], {0: "1"}, 12)),
        theorem("resets"))),
    "half the slope": ("the position may outweigh the class", lambda: of_compiled(
        ("regular", "--group", "flipflop", "--construction", "cascade"), weighed("2/5"))),
    "circle rises": ("selects several tokens of some classes", lambda: (changed(one_back(False), flat), theorem("resets"))),
    "half the slope of a contract": ("the position may outweigh the flag", lambda: (changed(load(program("flipflop")), weighed("2/5")), SELECTIONS)),
    "a denominator falls": ("the denominator of a ratio may be 0", lambda: (changed(
        load(program("the_letter_in_the_middle")), lambda d: heads(d, 1)[0]["query"]["entries"].append([1, 4, "-1/8"])), SELECTIONS)),
    "a mean is above its least": ("a direction that may be of zeros", lambda: (by_hand(
        averages(({0: "1/4", 1: "1/4"}, S), ({1: "-1/4", 2: "-1/4"}, T)), copies({S: "1", T: "1"}, (S, U))), SELECTIONS)),
    "no sign is 0": ("the scores differ; expected equal ones", lambda: (by_hand(
        SHARES, copies({C0: "1"}, (C0, S)),
        selects({0: "2/3", 2: "4/3", 3: "4/3", S: "3/2"}, [{0: "1"}], [{0: "3", 2: "1", S: "7/3"}], {0: "1"}, T)), SELECTIONS)),
    "no relu is 0": ("a direction that may be of zeros", lambda: (by_hand(
        averages(({0: "1/4", 1: "1/4"}, S), ({1: "-1/4", 2: "-1/4"}, T), ({0: "1/4", 2: "1/4"}, C1)),
        units({C1: "1", S: "1"}, ({S: "1"}, {U: "1/4"})), copies({U: "1", T: "1"}, (U, 12))), SELECTIONS)),
}


def refusal(pair, weaker=None):
    """What the program says of a pair, "" if it is certified."""
    environment = {**os.environ, "RECHECK_WITHOUT": f"weakened:{weaker}"}
    done = subprocess.run([os.environ["LOGDEPTH_RECHECK_WITHOUT"], *pair], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode < 2, done.stderr
    return done.stderr


class WeakenedConditions(unittest.TestCase):
    def test_each_is_missed_narrowly(self):
        self.assertEqual(sorted(BOUNDARIES), sorted(edit[0] for edit in EDITS))
        for name, (says, make) in BOUNDARIES.items():
            with self.subTest(name):
                document, certificate = make()
                document.pop("derived", None)
                seal(document)
                pair = store(document), store({**certificate, "sha256": document["sha256"]})
                self.assertIn(says, refusal(pair))
                self.assertNotIn(says, refusal(pair, name))


if __name__ == "__main__":
    unittest.main()
