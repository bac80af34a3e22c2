"""Numbers, heads, layers, codes and read-outs of small files are changed. Every changed file is decided as is stored (decisions.txt); where
one is certified, with the old certificate or a new one, the theorem is true on every word that is run (exactly, by the independent
runner): a false theorem fails the test, whatever else happens."""
import collections
import itertools
import json
import random
import unittest

import changes
import files
from files import LOGDEPTH, ROOT, certified, claim, compiled, edited, first_difference, first_wrong_division, load, path, recheck, run, seal, store, words
from test_selections import first_false_line


# Every how many-th number is changed, of which file, and the words that are run.
REGULAR = [
    (15, "--group Z2 --construction scan --positions circle --table matrix", 3),
    (83, "--regex (a|b)*b --construction scan --positions first-flag --norm layernorm", 3),
    (31, "--regex (a|b)*b --construction scan --positions two-circle --table matrix", 3),
    (195, "--regex (a|b)*b --construction scan --positions circle --unroll 8", 3),
    (9, "--regex (a|b)*b --construction cascade", 3),
    (19, "--group flipflop --construction cascade --positions first-flag", 3),
    (87, "--regex (ab)* --construction cascade", 3),
    (11, "--regex (b|ab*a)* --construction cascade", 3),
    (75, "--group Z3 --construction cascade --norm layernorm", 3),
    (15, "--group Z2 --construction cascade --positions first-flag", 8),
    (83, "--regex (b|ab*a)* --construction cascade --positions first-flag", 3),
    (19, "--group Z2 --construction radix", 8),
    (203, "--regex (a|b)*b --construction radix --radix 3 --norm layernorm", 3),
    (59, "--group Z2 --construction tree", 8),
    (803, "--regex (a|b)*b --construction tree --table matrix --norm layernorm", 3),
]


def all_changes(document, every, entries):
    """(name, changed file, whether another certificate may fit it)"""
    for name, changed in changes.changed_numbers(document, every):
        yield name, changed, False
    for name, changed in changes.random_entries(document, entries):
        yield name, changed, True
    for name, change in changes.whole_changes(document):
        copied = changes.copy.deepcopy(document)
        change(copied)
        if copied != document:
            yield name, changes.drop_zeros(copied), True


def first_long_difference(document, answer):
    """The same on a word of 33 letters, and on one of 100 by `logdepth run`; by the other runner where that finds a broken contract,
    which no theorem reads."""
    draw = random.Random(5)
    some = [[draw.choice(document["alphabet"]) for _ in range(n)] for n in (33, 100)]
    if document["unroll"].get("max_length", 100) < 100:
        return first_difference(document, answer, some)
    status, out, _ = run(LOGDEPTH, "run", store(document, path("long.json")), "--json", "--tokens", " ".join(some[1]))
    if status != 0:
        return first_difference(document, answer, some)
    good = json.loads(out)["results"][0]["outcome"] == ("accept" if answer(some[1])[0] == 1 else "reject")
    return first_difference(document, answer, some[:1]) if good else f"{some[1]}: verdict"


class ChangedFiles(unittest.TestCase):
    def decide(self, file, certificate, every, entries=12, up_to=3):
        document, given = load(file), load(certificate)
        some = list(words(document["alphabet"], up_to))
        own = claim(recheck(file, certificate)[1])
        for tree in (True, False):  # the words of changed files are run as a tree: here both ways agree
            self.assertIsNone(first_difference(document, own, some, tree))
        count = collections.Counter()
        for name, changed, anew in all_changes(document, every, entries):
            seal(changed)
            at, claimed = store(changed, path("changed.json")), path("changed.cert.json")
            store({**given, "sha256": changed["sha256"]}, claimed)
            status, out, _ = recheck(at, claimed)
            if status != 0 and anew and run(LOGDEPTH, "certify", at, "-o", claimed)[0] == 0:
                status, out, _ = recheck(at, claimed)
                self.assertEqual(status, 0, name)
                count["certified by a new certificate"] += 1
            whole = status == 0 and "theorem    selections, tier S\n" not in out
            if whole:
                self.assertIsNone(first_difference(changed, claim(out), some) or first_long_difference(changed, claim(out)),
                                  f"{file}: FALSE THEOREM of {name}\n{out}")
            elif status == 0:  # tier S, less than a theorem of the answers: its lines are true
                self.assertIsNone(first_false_line(changed, load(claimed)["proves"], some + [(some[-1] * 12)[:n] for n in (33, 100)])[0], f"{file}: FALSE THEOREM of {name}\n{out}")
            count["certified" if whole else "refused"] += 1
        # The test can fail only where something is certified.
        self.assertGreater(count["certified"], 8, count)
        self.assertGreater(count["refused"], 20, count)

    def test_regular_languages(self):
        for every, options, up_to in REGULAR:
            with self.subTest(options):
                file = compiled("regular", *options.split())
                self.decide(file, certified(file), every, up_to=up_to)

    def test_counting_programs(self):
        for name, every, up_to in (("majority", 3, 6), ("dyck1", 7, 5), ("subsequence", 13, 3), ("anbncn", 19, 3)):
            file = compiled("crasp", ROOT / f"examples/crasp/{name}.crasp")
            self.decide(file, certified(file), every, up_to=up_to)


class ChangedDivisions(unittest.TestCase):
    """The same of divisions: what is printed of a changed file is compared with runs on all arguments that were drawn."""

    def decide(self, every, *options):
        file = compiled("division", *options)
        document, given = load(file), load(certified(file))
        lengths = (8, 33) if "max_length" not in document["unroll"] else (8,)
        self.assertIsNone(first_wrong_division(document, recheck(file, certified(file))[1], lengths, (1, 2, 3, 5)))
        count = collections.Counter()
        of_layers = itertools.takewhile(lambda change: change[0] != "minus 1", changes.whole_changes(document))
        whole = ((name, edited(document, change)) for name, change in of_layers)
        for name, changed in itertools.chain(changes.changed_numbers(document, every), changes.random_entries(document, 20), whole):
            seal(changed)
            status, out, _ = recheck(store(changed, path("changed.json")), store({**given, "sha256": changed["sha256"]}, path("changed.cert.json")))
            if status == 0:
                wrong = first_wrong_division(changed, out, lengths, (1, 2, 3, 5))
                self.assertIsNone(wrong, f"{options}: FALSE THEOREM of {name}\n{out}")
            count["certified" if status == 0 else "refused"] += 1
        self.assertGreater(count["certified"], 8, count)
        self.assertGreater(count["refused"], 20, count)

    def test_divisions(self):
        for every, *options in ((13,), (5, "--unit-inputs", "--own-argument"), (11, "--construction", "floor", "--for-length", "8")):
            with self.subTest(options):
                self.decide(every, *options)


def tearDownModule():
    files.most_are_stored(1790)


if __name__ == "__main__":
    unittest.main()
