"""Files that the checker once certified and that answer otherwise. Each is refused, at the step that is false. Those of words answer
otherwise only from some length on, so the exact runs are long."""
import copy
import math
import unittest
from fractions import Fraction

from files import RECHECK, ROOT, certified, claim, compiled, drop_zeros, first_difference, load, run, seal, store

FALSE = ROOT / "tests/recheck/false"
LENGTHS = "a norm mixes 1/(p+1) with other numbers; expected a direction, found "


def decide(document, certificate):
    """(status, what is printed, what is said of the refusal)"""
    document = seal(document)
    status, out, error = run(RECHECK, store(document), store({**certificate, "sha256": document["sha256"]}))
    return status, out, error.partition("not certified: ")[2]



def verdicts(statement):
    """What the statement claims of a word, without its prefixes."""
    right = claim(statement)
    return lambda word: (right(word)[0], None)


def widened(document):
    """Four times the width, which doubles every normalised number: the same function, with room for more."""
    def halved(matrix):
        for entry in matrix["entries"]:
            entry[2] = str(Fraction(entry[2]) / 2)
    document["width"] *= 4
    for layer in document["layers"]:
        units = layer["feedforward"]
        for matrix in [head["value"] for head in layer["attention"]["heads"]] + [units["in"]]:
            halved(matrix)
        for matrix in [head[name] for head in layer["attention"]["heads"] for name in ("query", "key", "value")] + [units["in"]]:
            matrix["columns"] *= 4
        for matrix in [head["output"] for head in layer["attention"]["heads"]] + [units["out"]]:
            matrix["rows"] *= 4
    document["unembedding"]["columns"] *= 4
    return document


def matrix(rows, columns, *entries):
    return {"rows": rows, "columns": columns, "entries": sorted(map(list, entries))}


def layer(document, mask=(), units=(), attends=(), values=()):
    """A layer: units as (coordinate read, factor, coordinate written, factor), and a head that averages."""
    width = document["width"]
    heads = [{"causal": True, "promise": {"kind": "uniform"}, "query": matrix(0, width), "key": matrix(0, width),
              "value": matrix(len(values), width, *[(r, c, x) for r, (row, _) in enumerate(values) for c, x in row.items()]),
              "output": matrix(width, len(values), *[(c, r, x) for r, (_, to) in enumerate(values) for c, x in to.items()])}] if values else []
    return {"attention": {"mask": sorted(map(list, attends)), "heads": heads},
                "feedforward": {"mask": sorted(map(list, mask)),
                                "in": matrix(len(units), width, *[(i, c, x) for i, (row, _) in enumerate(units) for c, x in row.items()]),
                                "out": matrix(width, len(units), *[(c, i, x) for i, (_, to) in enumerate(units) for c, x in to.items()])}}


def insert(document, block, *layers):
    """At the beginning of a block."""
    blocks = ["initial", "repeated", "final"]
    at = sum(blocks.index(other["block"]) < blocks.index(block) for other in document["layers"])
    document["layers"][at:at] = [{"block": block, **new} for new in layers]
    document["shape"][block] += len(layers)


def copied(read, to, root, sign=1):
    return [({read: s}, {to: str(Fraction(sign * int(s), root))}) for s in ("1", "-1")]


def of_two_lengths(document, block):
    """Rejects from 25 letters on. c0 = p/(p+1) and c2 = p/sqrt(p^2 + 49) are multiples of the sign of p by two factors; a unit reads
    4 * 3/5 c2 - 3 * 4/5 c0 > 0 from p = 25 on. Afterwards c0, c1 and c2 are as before, which a level of the tree has to leave."""
    document = widened(document)
    width = document["width"]
    root, free, position = math.isqrt(width), width - 9, document["position"]
    first, *ones, c0, c1, c2, c3, unread = range(free, width)
    assert position["kind"] == "first-flag" and root * root == width
    for key, sign in (("first", "1"), ("rest", "-1")):
        position[key] += [[first, sign]] + [[c, "1"] for c in ones]

    def averages(sign):  # p/(p+1) and 1/(p+1)
        x, minus = str(Fraction(sign, root)), str(Fraction(-sign, root))
        return layer(document, attends=[(c, "1") for c in [first, *ones]],
                     values=[({ones[0]: x, first: minus}, {c0: "1"}), ({ones[0]: x, first: x}, {c1: "1"})])

    def direction(sign):
        return layer(document, [(c0, "1"), (c1, "7")], copied(c0, c2, root, sign))
    first_code = layer(document, [(c0, "1"), (c1, "1")], copied(c0, unread, root))
    no_code = layer(document, [(c0, "1"), (c1, "1")], copied(c0, unread, root, -1))
    wrong = layer(document, [(c0, "4/5"), (c2, "3/5")], [({c0: "-3", c2: "4"}, {c3: "1000000"})])
    insert(document, block, averages(1), first_code, no_code, direction(1), wrong, direction(-1), averages(-1))
    document["unembedding"]["entries"] = sorted(document["unembedding"]["entries"] + [[document["output"]["reject"], c3, "1"]])
    return drop_zeros(document)


class TwoLengths(unittest.TestCase):
    """One norm has one length. Each of these is refused, and rejects what it accepted from 25 letters on."""

    def refused(self, document, certificate, block):
        status, out, error = decide(document, certificate)
        self.assertEqual(status, 0, error)
        right = verdicts(out)
        changed = of_two_lengths(copy.deepcopy(document), block)
        status, _, error = decide(changed, certificate)
        self.assertEqual(status, 1)
        self.assertIn(LENGTHS, error)
        for lengths, good in (((23, 24), True), ((25, 26), False)):
            some = [[letter] * n for letter in document["alphabet"] for n in lengths]
            self.assertEqual(first_difference(changed, right, some) is None, good)

    def test_a_cascade_of_resets(self):
        file = compiled("regular", "--regex", "(a|b)*b", "--construction", "cascade", "--positions", "first-flag")
        self.refused(load(file), load(certified(file)), "final")

    def test_a_tree(self):
        file = compiled("regular", "--group", "Z2", "--construction", "tree")
        self.refused(load(file), load(certified(file)), "final")

    def test_a_scan_of_one_point(self):
        document, certificate = load(FALSE / "one_point.json"), load(FALSE / "one_point.cert.json")
        self.refused(document, certificate, "final")


class Stored(unittest.TestCase):
    """Files as they were found."""

    def refused(self, name):
        document = load(FALSE / f"{name}.json")
        status, _, error = decide(document, load(FALSE / f"{name}.cert.json"))
        self.assertEqual(status, 1)
        return document, error

    def test_a_scan_that_is_right_to_31_letters(self):
        document, error = self.refused("scan_of_two_lengths")
        self.assertIn("layer 4, feed-forward: " + LENGTHS, error)
        right = verdicts(run(RECHECK, *self.a5())[1])
        self.assertIsNone(first_difference(document, right, [["a"] * 31]))
        self.assertIsNotNone(first_difference(document, right, [["a"] * 33]))

    def a5(self):
        file = compiled("regular", "--group", "A5", "--construction", "scan", "--positions", "circle", "--table", "matrix")
        return file, certified(file)

    def test_a_counting_program(self):
        document, error = self.refused("counting_of_two_lengths")
        self.assertIn("layer 2, feed-forward: " + LENGTHS, error)
        self.assertIsNotNone(first_difference(document, lambda word: (1, None), [["a"]]))  # it was printed as L := true

    def test_a_direction_of_the_argument_as_one_of_the_token(self):
        _, error = self.refused("division_at_another_token")
        self.assertIn("layer 6, feed-forward: a norm of a direction of another token", error)

    def test_a_scan_of_one_point_is_true(self):
        """Two implementations decided this one differently, by the order of two equally frequent values."""
        document = load(FALSE / "one_point.json")
        status, out, error = decide(document, load(FALSE / "one_point.cert.json"))
        self.assertEqual(status, 0, error)
        self.assertIsNone(first_difference(document, verdicts(out), [["a"] * n for n in (0, 1, 2, 33, 100)]))
        letter, begin = document["embedding"]["a"], document["embedding"]["<begin>"]
        for first, other in zip(begin, letter):  # the values of the first flag exchanged: the other order
            if first[1] != other[1]:
                first[1], other[1] = other[1], first[1]
        heads = document["layers"][0]["attention"]["heads"]
        for entry in heads[0]["output"]["entries"]:
            entry[1] = 1 - entry[1]
        self.assertEqual(decide(document, load(FALSE / "one_point.cert.json"))[0], 0)


class Entries(unittest.TestCase):
    def test_a_cell_of_the_tree_enters_the_loop_as_a_label(self):
        """A constant is added once, before the loop, and taken away in every level: right in the first one."""
        file = compiled("regular", "--group", "Z2", "--construction", "tree")
        document, certificate = widened(load(file)), load(certified(file))
        label, accept, reject = document["cells"]["d"]["coordinates"][0], document["output"]["accept"], document["output"]["reject"]
        width, one, copy_of = document["width"], document["cells"]["one"]["coordinates"][0], document["width"] - 1
        root = math.isqrt(width)
        held = next(at for cell in certificate["cells"] for at in cell["at"] if at[0] == label)
        certificate["cells"][0]["at"].append([copy_of, *held[1:]])
        for vector in document["embedding"].values():
            vector += [[copy_of, x] for c, x in vector if c == label]
        for part in document["layers"]:
            for written in [part["feedforward"]["out"]] + [head["output"] for head in part["attention"]["heads"]]:
                written["entries"] += [[copy_of, column, x] for row, column, x in written["entries"] if row == label]
        document["unembedding"]["entries"] = [[accept, copy_of, "1"], [reject, one, "1/2"]] + [
            entry for entry in document["unembedding"]["entries"] if entry[0] not in (accept, reject)]
        drop_zeros(document)
        status, out, error = decide(document, certificate)
        self.assertEqual(status, 0, error)
        for block, sign in (("initial", 1), ("repeated", -1), ("final", -1)):
            insert(document, block, layer(document, [(one, "1")], [({one: "1"}, {copy_of: str(Fraction(sign, root))})]))
        status, _, error = decide(document, certificate)
        self.assertEqual(status, 1)
        self.assertIn("before the loop: coordinate ", error)
        right = verdicts(out)
        self.assertIsNone(first_difference(document, right, [["a"]]))
        self.assertIsNotNone(first_difference(document, right, [["a", "a"], ["a"] * 4]))


class Nearest(unittest.TestCase):
    """The position whose angle is nearest to p/m is not always the nearest one, and over 3/4 two can be equally near."""

    def output_near(self, over):
        document = load(compiled("division", "--own-argument"))
        document["layers"] = document["layers"][:2]
        document["shape"]["initial"] = 2
        at = {name: cell["coordinates"] for name, cell in document["cells"].items()}
        del document["cells"], document["derived"]
        document["layers"][0]["attention"]["mask"] = sorted([[at["i"][0], "1"], [at["i"][1], over]])
        head = document["layers"][1]["attention"]["heads"][0]
        head["query"]["entries"][1][2] = over
        document["layers"][1]["attention"]["heads"] = [head]
        document["layers"][1]["feedforward"] = {"mask": [], "in": matrix(0, document["width"]), "out": matrix(document["width"], 0)}
        document["output"]["names"] = ["near"]
        document["unembedding"] = matrix(1, document["width"], (0, at["Q"][0], "1"))
        given = load(certified(compiled("division", "--own-argument")))
        return decide(drop_zeros(document), given)

    def test_it_is_no_answer(self):
        status, _, error = self.output_near("1")
        self.assertEqual(status, 1)
        self.assertIn("output near: no code of a position", error)

    def test_its_code_is_over_an_integer(self):
        status, _, error = self.output_near("3/4")
        self.assertEqual(status, 1)
        self.assertIn("not the position nearest to p/m", error)


if __name__ == "__main__":
    unittest.main()
