"""The list of changes that must be refused and of those that must be certified, hostile certificates, and files whose attention is
wrong in a way that a careless checker would not see."""
import json
import pathlib
import time
import unittest
from fractions import Fraction

import changes
import files
import targeted
from files import certified, claim, compiled, edited, first_difference, load, path, recheck, run, seal, store, words

SCAN = ("regular", "--regex", "(a|b)*abb", "--construction", "scan", "--positions", "circle", "--table", "matrix")


def entries(d, layer, matrix, head=None):
    part = d["layers"][layer]
    return (part["feedforward"][matrix] if head is None else part["attention"]["heads"][head][matrix])["entries"]


def nudge(entry, key):
    entry[key] = str(Fraction(entry[key]) + Fraction(1, 7))


def negate(entry):
    entry[2] = str(-Fraction(entry[2]))


class Lists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = compiled(*SCAN)
        cls.document, cls.certificate = load(cls.file), load(certified(cls.file))

    def decide(self, change, certificate=None):
        changed = edited(self.document, change)
        claimed = {**(certificate or self.certificate), "sha256": changed["sha256"]}
        return changed, recheck(store(changed), store(claimed))

    def head(self, d):
        return d["layers"][0]["attention"]["heads"]

    def must_be_refused(self):
        head, layer = self.head, lambda d: d["layers"][0]
        for matrix in ("query", "key", "value", "output"):
            yield f"{matrix} + 1/7", lambda d, m=matrix: nudge(entries(d, 0, m, 0)[0], 2)
        for matrix in ("in", "out"):
            yield f"{matrix} + 1/7", lambda d, m=matrix: nudge(entries(d, 0, m)[0], 2)
            yield f"sign of {matrix}", lambda d, m=matrix: negate(entries(d, 0, m)[0])
        yield "a mask entry", lambda d: nudge(layer(d)["attention"]["mask"][0], 1)
        yield "query and key exchanged", lambda d: head(d)[0].update(query=head(d)[0]["key"], key=head(d)[0]["query"])
        yield "head removed", lambda d: head(d).pop(0)
        yield "head doubled", lambda d: head(d).append(head(d)[0])
        yield "back 1 to 2", lambda d: d["position"]["fills"][1].update(back=2)
        yield "minus 1", lambda d: d["unroll"].update(minus=1)
        yield "base 3", lambda d: d.update(unroll={"kind": "ceil_log", "base": 3, "of": "letters", "minus": 0})
        yield "other norm", lambda d: d.update(norm="layernorm")
        yield "width + 1", changes.widen
        yield "<begin> as a letter", lambda d: d["embedding"].update({"<begin>": d["embedding"]["a"]})
        yield "images exchanged", lambda d: d["output"]["prefix"]["images"][0].reverse()
        yield "scratch is not erased", lambda d: layer(d)["feedforward"]["out"].update(entries=entries(d, 0, "out")[1:])
        yield "loops of fixed number", lambda d: d.update(unroll={"kind": "fixed", "loops": 3})
        yield "loops too few for the largest length", lambda d: d.update(unroll={"kind": "fixed", "loops": 3, "max_length": 9})

    def test_each_of_these_is_refused(self):
        for name, change in self.must_be_refused():
            with self.subTest(name):
                _, found = self.decide(change)
                self.assertIn(found[0], (1, 2), found)
                self.assertNotEqual(found[2], "")

    def must_be_certified(self):
        head, layer = self.head, lambda d: d["layers"][0]
        yield "cells removed", lambda d: d.pop("cells")
        yield "derived removed", lambda d: d.pop("derived")
        yield "contracts changed", lambda d: [h.update(promise={"kind": "uniform"}) for h in head(d)]
        yield "another basis of a head", lambda d: changes.head_basis(head(d)[0])
        yield "head split", lambda d: changes.split_head(head(d), 0)
        yield "units reversed", lambda d: changes.reverse_units(layer(d)["feedforward"])
        yield "logits scaled", lambda d: d["unembedding"].update(entries=[[r, c, str(3 * Fraction(x))] for r, c, x in d["unembedding"]["entries"]])
        yield "a match head that sees all tokens", lambda d: head(d)[0].update(causal=False)
        yield "loops enough for the largest length", lambda d: d.update(unroll={"kind": "fixed", "loops": 3, "max_length": 8})

    def test_each_of_these_is_certified_and_true(self):
        for name, change in self.must_be_certified():
            with self.subTest(name):
                changed, (status, out, error) = self.decide(change)
                self.assertEqual(status, 0, error)
                self.assertIsNone(first_difference(changed, claim(out), list(words("ab"))))

    def test_permuted_coordinates_are_certified_by_a_new_certificate(self):
        changed = edited(self.document, changes.permute)
        file = store(changed)
        self.assertEqual(recheck(file, certified(file))[0], 0)

    def test_a_negated_verdict_is_another_automaton(self):
        dfa = path()
        compiled(*SCAN, emit=dfa)

        def negate(d):
            d["output"].update(accept=d["output"]["reject"], reject=d["output"]["accept"])
        changed = edited(self.document, negate)
        file, claimed = store(changed), store({**self.certificate, "sha256": changed["sha256"]})
        status, out, _ = recheck(file, claimed, "--against", dfa)
        self.assertEqual(status, 1)
        self.assertIn("another language", out)
        self.assertIn("accepting  0 1 2\n", out)

    def hostile_certificates(self):
        c = self.certificate
        cell, loop = c["cells"][0], c["loop"]
        with_cell = lambda **change: {**c, "cells": [{**cell, **change}] + c["cells"][1:]}
        with_loop = lambda **change: {**c, "loop": {**loop, **change}}
        pointer = lambda i, value: [[*loop["pointers"][0][:i], value, *loop["pointers"][0][i + 1:]]] + loop["pointers"][1:]
        yield "wrong hash", {**c, "sha256": "0" * 64}
        yield "factor 3", with_loop(factor=3)
        yield "factor 1", with_loop(factor=1)
        yield "factor 2^40", with_loop(factor=1 << 40)
        yield "factor 1e3", {**c, "loop": json.loads(json.dumps(loop).replace('"factor": 2', '"factor": 1e3'))}
        yield "factor true", with_loop(factor=True)
        yield "length [1,1]", with_loop(length=[1, 1])
        yield "length [2,-1]", with_loop(length=[2, -1])
        yield "length [0,1]", with_loop(length=[0, 1])
        yield "length [1]", with_loop(length=[1])
        yield "pointer of two strides", with_loop(pointers=pointer(3, 2))
        yield "pointer of a negative shift", with_loop(pointers=pointer(4, -2))
        yield "pointer of another factor", with_loop(pointers=pointer(2, "2"))
        yield "pointer at component 3", with_loop(pointers=pointer(1, 3))
        yield "pointer in a product cell", with_loop(pointers=pointer(0, cell["at"][0][0]))
        yield "pointer beyond the width", with_loop(pointers=pointer(0, 10 ** 6))
        yield "pointer twice", with_loop(pointers=loop["pointers"] + loop["pointers"][:1])
        yield "no pointers", with_loop(pointers=[])
        yield "no loop", {k: v for k, v in c.items() if k != "loop"}
        yield "no cells", {k: v for k, v in c.items() if k != "cells"}
        yield "no decode", {k: v for k, v in c.items() if k != "decode"}
        yield "label beyond the size", with_cell(at=[[a, 9, x] for a, _, x in cell["at"]])
        yield "labels exchanged", with_cell(at=[[a, cell["size"] - 1 - l, x] for a, l, x in cell["at"]])
        yield "size 1000000000", with_cell(size=10 ** 9)
        yield "size 100000", with_cell(size=10 ** 5)
        yield "a coordinate twice", with_cell(at=cell["at"] + cell["at"][:1])
        yield "a coordinate left out", with_cell(at=cell["at"][1:])
        yield "factor zero", with_cell(at=[[a, l, "0"] for a, l, _ in cell["at"]])
        yield "factor 1.0", with_cell(at=[[a, l, 1.0] for a, l, _ in cell["at"]])
        yield "a coordinate beyond the width", with_cell(at=[[a + 10 ** 6, l, x] for a, l, x in cell["at"]])
        yield "names twice", {**c, "cells": c["cells"] + c["cells"]}
        yield "decode of the wrong size", {**c, "decode": [[n, images + [0]] for n, images in c["decode"]]}
        yield "decode without a point", {**c, "decode": c["decode"][:-1]}
        yield "decode of equal images", {**c, "decode": [[n, [0 for _ in images]] for n, images in c["decode"]]}
        yield "decode of an unknown cell", {**c, "decode": [["?", images] for _, images in c["decode"]]}
        yield "decode of constants", {**c, "decode": [[None, q] for q in range(len(c["decode"]))]}
        yield "another theorem", {**c, "theorem": "resets"}
        yield "an unknown theorem", {**c, "theorem": "everything"}
        yield "version 2", {**c, "version": 2}
        yield "an unknown key", {**c, "trust": True}
        yield "a list", [c]
        yield "null", None

    def test_hostile_certificates_are_refused_at_once(self):
        seen = 0
        for name, claimed in self.hostile_certificates():
            with self.subTest(name):
                begin = time.process_time()
                found = recheck(self.file, store(claimed))
                self.assertIn(found[0], (1, 2), found)
                self.assertLess(time.process_time() - begin, 2)
                seen += 1
        self.assertGreater(seen, 40)

    def test_hostile_texts_are_refused(self):
        text = pathlib.Path(self.file).read_bytes()
        for name, hostile in [("deep", b"[" * 100000), ("deep objects", b'{"a":' * 100000), ("empty", b""), ("half", text[: len(text) // 2]),
                              ("byte order mark", b"\xef\xbb\xbf" + text), ("twice", text + text), ("a key twice", b'{"a":1,"a":2}'),
                              ("not UTF-8", b'["\xff"]'), ("overlong", b'["\xc0\xaf"]'), ("surrogate", b'["\\ud800"]'), ("packed", b"\x1f\x8b\x08"),
                              ("NaN", b"[NaN]"), ("comment", b"[1] // one"), ("leading zero", b"[01]"), ("control", b'["\x01"]'), ("NUL", b"[1]\x00")]:
            with self.subTest(name):
                file = path()
                with open(file, "wb") as out:
                    out.write(hostile)
                for arguments in ((self.file, file), (file, store(self.certificate))):
                    self.assertEqual(recheck(*arguments)[0], 2)

    def test_wrong_calls_are_refused(self):
        claimed = store(self.certificate)
        for arguments in ((), (self.file,), (self.file, claimed, claimed), ("--steps",), (self.file, claimed, "--fast"), (self.file, "/none"), (self.file, claimed, "--against"),
                          (self.file, claimed, "--against", "/none"), (self.file, claimed, "--against", ""), (self.file, claimed, "--against", claimed)):
            with self.subTest(arguments):
                self.assertEqual(run(files.RECHECK, *arguments)[0], 2)

    def test_a_wrong_automaton_is_named_before_anything_is_printed(self):
        mark = path()
        pathlib.Path(mark).write_bytes(b"\xef\xbb\xbf{}")
        claimed = store(self.certificate)
        for against, said in (("/none", "/none: cannot be read"), (claimed, f"{claimed}: line 1: missing key transitions"),
                              (mark, f"{mark}: a byte order mark; expected JSON without it")):
            with self.subTest(against):
                status, out, error = run(files.RECHECK, self.file, claimed, "--against", against)
                self.assertEqual(status, 2)
                self.assertIn(said, error)
                self.assertEqual(error.count("\n"), 1)
                if against != claimed:
                    self.assertEqual(out, "")

    def test_a_file_that_was_changed_and_not_sealed_is_refused(self):
        changed = edited(self.document, lambda d: d.pop("derived"))
        self.assertEqual(recheck(store(changed), store(self.certificate))[0], 0)
        changed["unroll"]["minus"] = 1
        self.assertEqual(recheck(store(changed), store(self.certificate))[0], 2)


def one_back(last_letter_weighs):
    """Reads the letter one position back, and the own one: nine states. The key's length depends on the letter where
    `last_letter_weighs`, so that the wrong token is selected although every norm is the same within a kind of token."""
    kinds, m = ["<begin>", "a", "b"], 18
    sparse = lambda rows, columns, at: {"rows": rows, "columns": columns, "entries": sorted([r, c, x] for (r, c), x in at.items())}
    embedding = {kind: [[5 + k, "1"]] for k, kind in enumerate(kinds)}
    if last_letter_weighs:
        embedding["b"].insert(0, [4, "12"])
    back = {0: "1/4", 1: "1/4", 2: "3/4" if last_letter_weighs else "1/4"}
    head = {"causal": True, "promise": {"kind": "uniform"}, "query": sparse(2, m, {(0, 2): "1", (1, 3): "1"}), "key": sparse(2, m, {(0, 0): "1", (1, 1): "1"}),
            "value": sparse(3, m, {(k, 5 + k): "1" for k in range(3)}), "output": sparse(m, 3, {(8 + k, k): x for k, x in back.items()})}
    logits = {(3 * i + j, c): "1" for i in range(3) for j in range(3) for c in (8 + i, 5 + j)}
    logits[9, 7] = "1"
    logits[10, 5] = logits[10, 6] = "1"
    layer = {"block": "initial", "attention": {"mask": [[c, "1"] for c in range(5)] + [[c, "4"] for c in (5, 6, 7)], "heads": [head]},
             "feedforward": {"mask": [], "in": sparse(0, m, {}), "out": sparse(m, 0, {})}}
    return seal({
        "format": "logdepth-weights", "version": 1, "name": "", "construction": "", "source": "", "hypotheses": [], "deviations": [], "parameters": {},
        "alphabet": ["a", "b"], "input": {"kind": "word", "begin": True}, "norm": "rms", "width": m, "shape": {"initial": 1, "repeated": 0, "final": 0},
        "output": {"kind": "accept", "accept": 9, "reject": 10, "prefix": {"kind": "state", "states": 9, "first_row": 0}},
        "unroll": {"kind": "fixed", "loops": 0}, "embedding": embedding, "layers": [layer], "unembedding": sparse(11, m, logits),
        "position": {"kind": "circle", "fills": [{"at": [0, 1], "back": 0, "scale": "1"}, {"at": [2, 3], "back": 1, "scale": "1"}]}})


class HostileClaims(unittest.TestCase):
    """Certificates that claim other directions of a loop, or other inputs of a division: refused, or another theorem."""

    def refused(self, file, claims):
        for name, claimed in claims:
            with self.subTest(name):
                begin = time.process_time()
                self.assertIn(recheck(file, store(claimed))[0], (1, 2))
                self.assertLess(time.process_time() - begin, 2)

    def test_directions(self):
        file = compiled("regular", "--group", "Z2", "--construction", "radix")
        c = load(certified(file))
        claims = c["loop"]["directions"]
        first = lambda i, value: {**c, "loop": {**c["loop"], "directions": [[*claims[0][:i], value, *claims[0][i + 1:]]] + claims[1:]}}
        last = lambda i, value: {**c, "loop": {**c["loop"], "directions": claims[:-1] + [[*claims[-1][:i], value, *claims[-1][i + 1:]]]}}
        self.refused(file, [
            ("beyond the width", first(0, 10 ** 6)), ("in a product cell", first(0, c["cells"][0]["at"][0][0])), ("number 3", first(1, 3)),
            ("number 1", first(1, 1)), ("factor 2", first(2, "2")), ("factor 0", first(2, "0")), ("not old", first(3, False)), ("old 1", first(3, 1)),
            ("old", last(3, True)), ("weight 0", last(4, "0")), ("weights -1 and 3", {**c, "loop": {**c["loop"], "directions": [
                [*x[:4], "3", "-1"] for x in claims]}}), ("weights 1/2 and 3/2", {**c, "loop": {**c["loop"], "directions": [[*x[:4], "1/2", "3/2"] for x in claims]}}),
            ("weight 1.0", last(4, 1.0)), ("five entries", {**c, "loop": {**c["loop"], "directions": [x[:5] for x in claims]}}),
            ("no directions", {**c, "loop": {**c["loop"], "directions": []}}), ("an object", {**c, "loop": {**c["loop"], "directions": {}}}),
            ("factor 3", {**c, "loop": {**c["loop"], "factor": 3}}), ("huge factor", {**c, "loop": {**c["loop"], "factor": 1 << 30}})])

    def test_inputs_of_a_division(self):
        file = compiled("division")
        c = load(certified(file))
        given = lambda i, value: {**c, "given": c["given"][:i] + [value] + c["given"][i + 1:]}
        self.refused(file, [
            ("one less", {**c, "given": c["given"][:-1]}), ("one more", {**c, "given": c["given"] + c["given"][:1]}), ("none", {**c, "given": None}),
            ("p for 1", given(1, ["p", "", 0])), ("m for p", given(0, ["m", "", 0])), ("1 for m", given(2, ["1", "", 0])), ("q", given(0, ["q", "", 0])),
            ("a number with a component", given(0, ["p", "", 1])), ("component 2", given(4, ["a", "1", 2])), ("dir(a, 2)", given(4, ["a", "2", 0])),
            ("dir(a, m)", given(4, ["a", "m", 0])), ("dir(m, 1)", given(4, ["m", "1", 0])), ("dir(p, 0)", given(0, ["p", "0", 0])),
            ("dir(p, -3)", given(0, ["p", "-3", 0])), ("dir(p, 10^30)", given(0, ["p", "1" + "0" * 30, 0])), ("dir(p, 1e3)", given(0, ["p", "1e3", 0])),
            ("components exchanged", {**c, "given": c["given"][:4] + [["a", "1", 1], ["a", "1", 0]]}), ("a string", given(0, "p")), ("two entries", given(0, ["p", ""]))])
        own = given(4, ["p", "1", 0])
        own["given"][5] = ["p", "1", 1]
        status, out, _ = recheck(file, store(own))
        self.assertEqual(status, 0)  # a is p: a theorem about fewer inputs
        self.assertIn('given      "a.0" = dir(p, 1).0\n', out)
        self.assertIn('answers    "quotient.0" = dir(floor(p/m), 1).0\n', out)


class WrongTokens(unittest.TestCase):
    """Queries that select another token, but look much like the right ones: refused, and wrong on a short word."""

    def test_each_is_wrong_and_refused(self):
        seen = 0
        named = ("a_count_that_is_rounded_up", "a_step_of_one_and_a_half_strides", "a_product_of_the_wrong_tokens",
                 "a_position_that_weighs_more_than_a_token")
        for document, certificate, change in [*targeted.of_counts(), *targeted.of_trees()]:
            if change.__name__ not in named:
                continue
            right = claim(recheck(store(document), store(certificate))[1])
            changed = edited(document, change)
            self.assertEqual(recheck(store(changed), store({**certificate, "sha256": changed["sha256"]}))[0], 1)
            self.assertIsNotNone(first_difference(changed, right, list(words("a", 12))), change.__name__)
            seen += 1
        self.assertEqual(seen, len(named))


class LengthsOfKeys(unittest.TestCase):
    """A match needs keys of one length: a longer key beats the right one."""

    def decide(self, last_letter_weighs):
        document = one_back(last_letter_weighs)
        claimed = {"format": "logdepth-certificate", "version": 1, "theorem": "resets", "sha256": document["sha256"]}
        return document, recheck(store(document), store(claimed))

    def test_keys_of_one_length(self):
        document, (status, out, error) = self.decide(False)
        self.assertEqual(status, 0, error)
        self.assertIsNone(first_difference(document, claim(out), list(words("ab", 4))))

    def test_keys_of_two_lengths_are_refused(self):
        document, (status, _, error) = self.decide(True)
        self.assertEqual(status, 1)
        self.assertIn("the score depends on the class of the key", error)
        _, (_, right, _) = self.decide(False)
        self.assertIsNotNone(first_difference(document, claim(right), list(words("ab", 4))))


def tearDownModule():
    files.most_are_stored(145)


if __name__ == "__main__":
    unittest.main()
