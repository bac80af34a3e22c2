"""Tier S: what each head selects and each norm is, for every length. Every line that is accepted is
compared with exact runs of the independent runner, which judges the contracts by code of its own; changed programs, changed contracts
and hostile certificates are refused, or their lines are true; TRUST.md lists every program text and what becomes of it."""
import collections
import copy
import hashlib
import itertools
import json
import pathlib
import random
import re
import time
import unittest

import changes
import files
import targeted
from files import ROOT, RUNNER, certified_lines, compiled, edited, load, path, recheck, run, seal, store

sign, Fraction = RUNNER.sign, RUNNER.Fraction


def equal(x, y):
    return sign(x + y * -1) == 0


def claimed(document, lines):
    return {"format": "logdepth-certificate", "version": 1, "theorem": "selections", "tier": "S", "sha256": document["sha256"], "proves": lines}


def program(name):
    """A weights file of a program of the examples, or of the tests."""
    found = ROOT / f"examples/programs/{name}.cells"
    return compiled("program", found if found.exists() else ROOT / f"tests/programs/{name}.cells")


class Judge(files.Prefixes):
    """Runs a file exactly, and compares every head and norm with the lines of a certificate and with the file's contracts."""

    def __init__(self, document, lines):
        super().__init__(document)
        self.shared = {}  # every step is compared with these lines
        self.contracts = [[head["promise"] for head in layer["attention"]["heads"]] for layer in document["layers"]]
        self.number = {id(mask): n for n, layer in enumerate(self.layers, 1) for mask in (layer[1], layer[3])}
        self.lines = dict(line.split(": ", 1) for line in lines)
        self.signs = collections.defaultdict(set)
        self.wrong = None

    def expect_that(self, good, what):
        self.wrong = self.wrong or (None if good else what)

    def check_norm(self, place, h):
        mask, texts = h[0], self.lines[place].split(" or ")
        for x in h[1]:
            x = {c: v * x[c] for c, v in mask.items() if c in x}
            if self.norm == "layernorm":
                mean = sum(x.values(), Fraction(0)) * Fraction(1, self.width)
                x = {c: x.get(c, Fraction(0)) + mean * -1 for c in range(self.width)}
            square = sum((v * v for v in x.values()), Fraction(0))
            z = RUNNER.norm({c: v for c, v in x.items() if sign(v)}, self.width, self.norm) if "sign of a number" in texts else {}
            for c, v in z.items():
                self.signs[place, c].add(RUNNER.shown(v * sign(v)))
            good = any(equal(square, Fraction(text[13:])) if text.startswith("squared norm ") else
                       sign(square) == 0 if text == "zero" else
                       sign(square) > 0 if text.startswith("direction of ") else
                       text == "sign of a number" and all(len(self.signs[place, c]) == 1 for c in z) for text in texts)
            self.expect_that(good, f"{place}: the squared norm is {RUNNER.shown(square)}, not {texts}")

    def check_head(self, place, contract, i, visible, chosen, h, keys):
        """The contract as runtime/README.md states it, and the line of the certificate."""
        form = lambda key, j: sum((Fraction(v) * h[j][c] for c, v in contract[key] if c in h[j]), Fraction(0))
        same = lambda a, b: all(equal(keys[a].get(r, Fraction(0)), keys[b].get(r, Fraction(0))) for r in {*keys[a], *keys[b]})
        kind, text = contract["kind"], self.lines[place]
        if kind == "uniform":
            good = chosen == visible and text == "all visible positions"
        elif kind == "match" and contract["selects"] == "exactly-one":
            good = len(chosen) == 1 and any(
                chosen == [i] if t == "the own position" else
                chosen == [max(i - int(t.split()[2]), 0)] if re.fullmatch(r"the position \d+ before", t) else
                t in ("the position of a pointer", "the position nearest to a ratio") or t.endswith(" before that of a pointer")
                for t in text.removesuffix(", alone").split(" or "))
        elif kind == "match":
            good = chosen == [j for j in visible if same(i, j)] and text == "the positions with the token's own key"
        elif kind == "rightmost":
            last = visible[0]
            for j in visible:
                last = j if sign(form("flag", j) + form("flag", last) * -1) >= 0 else last
            good = chosen == [last] and text == "the last position where its flag is largest"
        else:
            flagged = [j for j in visible if sign(form("flag", j)) > 0] if "when" not in contract or sign(form("when", i)) > 0 else []
            good = kind == "flagged" and chosen == (flagged or visible) and text == "the positions with its flag, else all"
        self.expect_that(good, f"{place}: token {i} selects {chosen} under {contract} and \"{text}\"")

    def check_attention(self, mask, heads, h, paths):
        """`paths`: of every token, the tokens up to it."""
        n, before = self.number[id(mask)], [dict(x) for x in h]
        z = self.read(mask, h)
        self.check_norm(f"layer {n}, attention", (mask, before))
        for s, (causal, query, key, _, _) in enumerate(heads):
            keys = [RUNNER.apply(key, x) for x in z]
            for x, path in zip(z, paths):
                visible, own = path if causal else range(len(h)), len(path) - 1
                seen = [keys[j] for j in visible]
                self.check_head(f"layer {n}, head {s}", self.contracts[n - 1][s], own, list(range(len(seen))), RUNNER.best(RUNNER.apply(query, x), seen),
                                [before[j] for j in visible], seen)

    def attention(self, mask, heads, h):
        if heads:
            self.check_attention(mask, heads, h, self.paths)
        super().attention(mask, heads, h)

    def step(self, layer, h):
        mask, heads, ff_mask, w, u = layer
        if heads:
            self.check_attention(mask, heads, h, [range(i + 1) for i in range(len(h))])
            super().step((mask, heads, None, {}, {}), h)
        if ff_mask is not None:
            self.check_norm(f"layer {self.number[id(ff_mask)]}, feed-forward", (ff_mask, [dict(x) for x in h]))
            super().step(({}, [], ff_mask, w, u), h)


def first_false_line(document, lines, words):
    """Runs the file; the first word on which a head or a norm is not what the lines say, or None. Counts the words that were run."""
    judge, limit, runs = Judge(document, lines), document["unroll"].get("max_length", 1 << 60), 0
    words = [word for word in words if len(word) <= limit]
    judge.grow(words)
    for word in words:
        try:
            judge.run(judge.word(word))
            runs += 1
        except RUNNER.Outside:  # a norm that is no sum of roots: nothing is compared
            pass
        if judge.wrong:
            return f"{word}: {judge.wrong}", runs
    return None, runs


def some_words(letters, up_to, longer):
    yield from (list(word) for n in range(up_to + 1) for word in itertools.product(letters, repeat=n))
    draw = random.Random(4)
    for _ in range(longer):
        yield [draw.choice(letters) for _ in range(draw.randint(6, 8))]


def program_texts():
    """Every program text of examples and docs: name, file to compile."""
    for found in sorted((ROOT / "examples").rglob("*.cells")):
        yield str(found.relative_to(ROOT)), str(found)
    for name, old, new in (("broken.cells", "- 1/2 letter", "- 3/2 letter"), ("tie.cells", " - 1/2 letter[begin]", "")):
        text = (ROOT / "examples/programs/majority.cells").read_text()
        assert old in text and name in (ROOT / "docs/tutorial.md").read_text()
        pathlib.Path(path(name)).write_text(text.replace(old, new))
        yield f"docs/tutorial.md, {name}", path(name)


class ProgramTexts(unittest.TestCase):
    maxDiff = None

    def test_the_table_of_trust_md_says_what_becomes_of_each(self):
        rows = dict(re.findall(r"^\| `((?:examples|docs)/[^`]*)` \| (.*) \|$", (ROOT / "TRUST.md").read_text(), re.M))
        texts = dict(program_texts())
        self.assertEqual(sorted(rows), sorted(texts))
        for name, source in texts.items():
            file, certificate = compiled("program", source), path("text.cert.json")
            status, out, error = run(files.LOGDEPTH, "certify", file, "-o", certificate)
            if rows[name].startswith("refused: "):
                self.assertEqual((status, out), (1, ""), name)
                self.assertIn(rows[name][9:].strip("`"), error, name)
                continue
            self.assertEqual(status, 0, (name, error))
            self.assertIn(f"theorem    {rows[name].strip('`')}\n", out, name)
            self.assertEqual(recheck(file, certificate)[:2], (0, out), name)

    def test_every_length_is_claimed_and_the_outputs_are_not(self):
        file, certificate = program("majority"), path("majority.cert.json")
        status, out, _ = run(files.LOGDEPTH, "certify", file, "-o", certificate)
        self.assertEqual(status, 0)
        self.assertEqual(out, f"{file}: selections hold for every word of every length: 1 head selects what its contract states, 1 norm is what it is; "
                              "what the outputs compute is not certified\ntheorem    selections, tier S\n"
                              f"sha256     {load(file)['sha256']} of the weights\n"
                              f"sha256     {hashlib.sha256(pathlib.Path(certificate).read_bytes()).hexdigest()} of the certificate\n"
                              "layer 1, head 0: all visible positions\nlayer 1, attention: squared norm 1\n")
        status, out, _ = run(files.LOGDEPTH, "certify", file, "--json")
        self.assertEqual((status, json.loads(out)["certified"], json.loads(out)["theorem"]), (0, False, "selections"))
        status, out, _ = run(files.LOGDEPTH, "info", file)
        self.assertIn("selections    every length, theorem selections, tier S; what the outputs compute is not certified\n", out)
        bounded = compiled("program", ROOT / "examples/programs/parity.cells", "--unroll", "5")
        self.assertEqual(run(files.LOGDEPTH, "certify", bounded, "-o", certificate)[0], 0)
        self.assertIn(": selections hold for every word of at most 5 letters: 3 heads select", recheck(bounded, certificate)[1])

    def test_an_automaton_is_not_certified(self):
        file, dfa = program("flipflop"), path("some.dfa.json")
        compiled("regular", "--regex", "a", emit=dfa)
        arguments = file, store(claimed(load(file), certified_lines(load(file)))), "--against", dfa
        self.assertEqual(run(files.RECHECK, *arguments)[0], 2)


class FixturesOfTheTests(unittest.TestCase):
    """The programs that the tests of the compiler run, in both norms: a head of every kind."""

    REFUSED = {"count_modulo_three": "the query is not the direction of a position before the own one", "phi_read_by_attention": "the norm is irrational",
               "the_letter_after_the_last_such_letter": "the score depends on the class of the key"}

    def test_words_after_begin_are_certified_and_true(self):
        texts = collections.Counter()
        for source in sorted((ROOT / "tests/programs").glob("*.cells")):
            for norm in ("rms", "layernorm"):
                file = compiled("program", source, "--norm", norm)
                document = load(file)
                lines = certified_lines(document)
                if lines is None:
                    begins = document["input"]["kind"] == "word" and document["input"]["begin"]
                    status, _, error = recheck(file, store(claimed(document, [])))
                    self.assertEqual(status, 1)
                    self.assertIn(self.REFUSED.get(source.stem, "" if begins else "input: expected words after <begin>") or "nothing", error, source)
                    continue
                status, out, error = recheck(file, store(claimed(document, lines)))
                self.assertEqual(status, 0, error)
                wrong, runs = first_false_line(document, lines, some_words(document["alphabet"], 3, 6))
                self.assertIsNone(wrong, f"{source}: FALSE\n{out}")
                self.assertGreater(runs, 8)
                texts.update(re.sub(r"\d+", "N", line.split(": ", 1)[1]) for line in lines)
        for text in ("all visible positions", "the own position, alone", "the position N before, alone", "the position nearest to a ratio, alone",
                     "the position of a pointer, alone", "the last position where its flag is largest", "the positions with its flag, else all",
                     "the positions with the token's own key", "sign of a number", "direction of N numbers"):
            self.assertGreater(texts[text], 0, text)


class ChangedPrograms(unittest.TestCase):
    """Numbers, heads, layers, codes and contracts of a program's file are changed: refused, or every line is true of all words that are
    run."""

    def decide(self, name, every, up_to, longer, least_certified=8):
        document = load(program(name))
        words = list(some_words(document["alphabet"], up_to, longer))
        self.assertEqual(first_false_line(document, certified_lines(document), words), (None, len(words)))
        count = collections.Counter()
        whole = ((what, edited(document, change)) for what, change in changes.whole_changes(document))
        for what, changed in itertools.chain(changes.changed_numbers(document, every), changes.random_entries(document, 15), whole, changed_contracts(document)):
            seal(changed)
            lines = certified_lines(changed)
            at, certificate = store(changed, path("changed.json")), store(claimed(changed, lines or []), path("changed.cert.json"))
            status, out, error = recheck(at, certificate)
            self.assertEqual(status == 0, lines is not None, (what, error))
            if status == 0:
                self.assertIsNone(first_false_line(changed, lines, words)[0], f"{name}: FALSE THEOREM of {what}\n{out}")
            count["certified" if status == 0 else "refused"] += 1
        self.assertGreater(count["certified"], least_certified, count)
        self.assertGreater(count["refused"], 12, count)

    def test_majority(self):
        self.decide("majority", 1, 6, 10)

    def test_the_flip_flop(self):
        self.decide("flipflop", 5, 4, 12)

    def test_one_position_back(self):
        self.decide("previous_letter_equals_this_one", 23, 4, 8)

    def test_counting_in_two_layers(self):
        self.decide("dyck1", 19, 5, 10)

    def test_a_loop(self):
        self.decide("parity", 15, 4, 8)

    def test_flags_and_equal_keys(self):
        self.decide("share_among_the_flagged", 7, 3, 6)
        self.decide("share_of_capitals_among_equal_letters", 7, 3, 6)

    def test_the_nearest_position(self):
        self.decide("the_letter_in_the_middle", 29, 3, 2)

    def test_sorting(self):
        self.decide("sorting", 61, 2, 2)


def changed_contracts(document):
    """Every contract is replaced, and the numbers of its flag are changed."""
    for n, layer in enumerate(document["layers"]):
        for s, head in enumerate(layer["attention"]["heads"]):
            others = [{"kind": "uniform"}, {"kind": "match", "selects": "exactly-one"}, {"kind": "match", "selects": "at-least-one"}]
            others += [{"kind": kind, "flag": [[c, v]]} for kind in ("rightmost", "flagged") for c in range(document["width"]) for v in ("1", "-1")]
            for key in ("flag", "when"):
                for e, (_, v) in enumerate(head["promise"].get(key, [])):
                    for new in (str(Fraction(v) * 2), str(-Fraction(v)), str(Fraction(v) + Fraction(1, 7))):
                        other = copy.deepcopy(head["promise"])
                        other[key][e][1] = new
                        others.append(other)
            if "when" in head["promise"]:
                others.append({k: v for k, v in head["promise"].items() if k != "when"})
            for other in others:
                if other != head["promise"]:
                    changed = copy.deepcopy(document)
                    changed["layers"][n]["attention"]["heads"][s]["promise"] = other
                    yield f"layer {n}, head {s}: contract {other}", changed


class HostileCertificates(unittest.TestCase):
    @staticmethod
    def hostile(document, lines):
        c = claimed(document, lines)
        yield "wrong hash", {**c, "sha256": "0" * 64}
        yield "tier I", {**c, "tier": "I"}
        yield "no tier", {k: v for k, v in c.items() if k != "tier"}
        yield "no lines", {k: v for k, v in c.items() if k != "proves"}
        yield "an empty list", {**c, "proves": []}
        yield "a line left out", {**c, "proves": lines[1:]}
        yield "a line more", {**c, "proves": lines + ["and this computes majority"]}
        yield "a line that says nothing", {**c, "proves": lines + ["nothing"]}
        yield "a line twice", {**c, "proves": lines + lines[-1:]}
        yield "lines exchanged", {**c, "proves": lines[::-1]}
        yield "another norm", {**c, "proves": [line.replace("norm 1", "norm 4") for line in lines]}
        yield "another selection", {**c, "proves": [line.replace("all visible", "the flagged") for line in lines]}
        yield "a number for a line", {**c, "proves": [1]}
        yield "a wrong line and a number", {**c, "proves": ["wrong", 1]}
        yield "an object for the lines", {**c, "proves": {"0": lines[0]}}
        yield "a million lines", {**c, "proves": lines * 500000}
        yield "an unknown key", {**c, "outputs": "majority"}
        yield "another theorem", {**c, "theorem": "counting"}

    def test_each_is_refused_at_once(self):
        file = program("majority")
        document = load(file)
        lines = certified_lines(document)
        self.assertEqual(recheck(file, store(claimed(document, lines)))[0], 0)
        for name, certificate in self.hostile(document, lines):
            with self.subTest(name):
                begin = time.process_time()
                self.assertIn(recheck(file, store(certificate))[0], (1, 2))
                self.assertLess(time.process_time() - begin, 6)

    def test_hostile_contracts_are_refused(self):
        document = load(program("flipflop"))
        lines = certified_lines(document)
        for status, contract in ((2, {"kind": "find", "terms": 1, "prefer": False, "selects": "exactly-one"}), (1, {"kind": "related", "pairs": [[0, 0]], "prefer": []}),
                                 (2, {"kind": "related", "pairs": [], "prefer": []}), (2, {"kind": "everything"}), (2, {"kind": "match", "selects": "all"}), (2, {"kind": "rightmost"}), (2, {"kind": 1}), (2, []),
                                 (2, {"kind": "uniform", "flag": []}), (2, {"kind": "rightmost", "flag": [[10 ** 6, "1"]]}), (2, None),
                                 (2, {"kind": "flagged", "flag": [[10 ** 6, "1"]], "when": [[1, "1"]]})):
            with self.subTest(contract):
                changed = edited(document, lambda d, contract=contract: d["layers"][0]["attention"]["heads"][0].update(promise=contract))
                self.assertEqual(recheck(store(changed), store(claimed(changed, lines)))[0], status)

    def test_words_need_a_token_that_begins_them_and_no_letter_has_its_name(self):
        for theorem, file in (("selections", program("majority")), ("counting", compiled("crasp", ROOT / "examples/crasp/dyck1.crasp"))):
            document = load(file)

            def begins_with_a_letter(d):
                d["input"]["begin"] = False
                d["alphabet"].insert(0, "<begin>")
            for change, expected, said in ((targeted.words_without_begin, 1, "input: expected words after <begin>"),
                                           (begins_with_a_letter, 2, "alphabet: expected letters")):
                changed = edited(document, change)
                certificate = {"format": "logdepth-certificate", "version": 1, "theorem": theorem, "sha256": changed["sha256"]}
                status, _, error = recheck(store(changed), store({**certificate, **({"tier": "S", "proves": []} if theorem == "selections" else {})}))
                self.assertEqual(status, expected)
                self.assertIn(said, error)

    def test_files_that_break_one_condition_each_are_refused(self):
        for document, change in targeted.of_selections(program):
            with self.subTest(change.__name__):
                lines, changed = certified_lines(document), edited(document, change)
                status, _, error = recheck(store(changed), store(claimed(changed, lines)))
                self.assertEqual(status, 1)
                self.assertNotIn("certificate claims", error)

    def test_a_file_of_a_graph_is_refused(self):
        document = load(compiled("connectivity", "--construction", "rows", "--size", "3"))
        self.assertEqual(recheck(store(document), store(claimed(document, [])))[0], 1)


def tearDownModule():
    files.most_are_stored(1650)


if __name__ == "__main__":
    unittest.main()
