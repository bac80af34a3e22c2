"""Every side condition of every lemma matters: each `need` of recheck.py is removed in turn, and a file of the collection below
that was refused is then proved, or ends otherwise. The conditions that no file notices are listed, each with its reason."""
import collections
import unittest

import changes
import files
import side_conditions
import targeted
from files import ROOT, certified, compiled, edited, load
import test_hostile_files
import test_selections

SOURCE = (ROOT / "recheck/recheck.py").read_text()

# Conditions that no file of the collection notices. A list may become shorter.
# Limits of size:
LIMITS = [
    "--against: too many pairs of states",
    "a shift is beyond 2^40",
    "more than 100000 products",
    "more than 400 choices of signs",
    "more than 20000 classes of tokens",
    "more than 20000 states of the heads",
    "{}: a product reads too many cells",
    "{}: divides by {}/{}",
    "{}: reads {} positions back; expected at most 64",
    "{}: more than 400 classes of tokens",
    "{}: too many cases",
]
# A later step refuses the files that these refuse:
LATER = [
    "<begin> does not act as the identity",
    "one loop makes intervals of length {}; expected {}",
    "the loop begins with intervals of length {}",
    "the shift {} is negative",
    "token {}, feed-forward: a unit of unknown sign",
    "two labels of a product cell stand for the same map",
    "unroll: not a number of loops of this theorem",
    "a direction of weight {}",
    "coordinate {} is claimed twice",
    "{}: a direction without a constant",
    "{}: a norm mixes 1/(p+1) with other numbers",
    "{}: a score multiplies two flags",
    "{}: compares differently at different tokens",
    "{}: moves back by {}; expected a count",
    "{}: not a direction of separate numbers",
    "{}: reads the class of a token that is known by its position alone",
    "{}: selects differently at different tokens",
    "{}: the key is not the rising component of a position code",
    "{}: the query is not one pointer",
]
# No file of the collection comes to these:
NO_FILE = side_conditions.NO_FILE + ["{}: the score is not that of one count and the own position code"]


CHECKER = side_conditions.with_a_switch(SOURCE)


def spelled(x):
    return CHECKER.json.loads(CHECKER.json.dumps(x), parse_int=CHECKER.Number, parse_float=CHECKER.Number)


def decided(document, certificate, removed=None):
    """None if it is proved by the checker without a condition, else the exception."""
    CHECKER.REMOVED = removed
    try:
        if certificate.get("proves") == "what this checker finds":
            certificate = {**certificate, "proves": CHECKER.Selections(CHECKER.Weights(document)).prove()}
        CHECKER.prove(document, certificate)
        return None
    except Exception as error:  # whatever a checker without a condition runs into
        return error


def collection():
    """Changed files and certificates of every theorem."""
    for options, every in [(("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"), 3),
                           (("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "first-flag"), 5),
                           (("regular", "--group", "Z2", "--construction", "scan", "--positions", "two-circle", "--norm", "layernorm"), 7),
                           (("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--unroll", "4"), 40),
                           (("regular", "--regex", "(a|b)*b", "--construction", "cascade"), 2),
                           (("regular", "--regex", "(ab)*", "--construction", "cascade"), 23),
                           (("regular", "--regex", "(a|b)*b", "--construction", "cascade", "--positions", "first-flag"), 5),
                           (("regular", "--regex", "(ab)*", "--construction", "cascade", "--positions", "first-flag"), 29),
                           (("regular", "--regex", "(b|ab*a)*", "--construction", "cascade"), 2),
                           (("regular", "--group", "Z6", "--construction", "cascade"), 9),
                           (("regular", "--group", "Z2", "--construction", "cascade", "--positions", "first-flag"), 3),
                           (("regular", "--group", "Z6", "--construction", "cascade", "--positions", "first-flag"), 41),
                           (("regular", "--group", "Z2", "--construction", "radix"), 2),
                           (("crasp", ROOT / "examples/crasp/dyck1.crasp"), 3),
                           (("division",), 5),
                           (("regular", "--group", "Z2", "--construction", "tree"), 5),
                           (("division", "--construction", "floor", "--for-length", "9", "--own-argument"), 2),
                           (("connectivity", "--construction", "rows", "--size", "3"), 2)]:
        file = compiled(*options)
        document, certificate = load(file), load(certified(file))
        for key in ("derived", "cells"):
            document.pop(key)
        for _, changed in list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, 40)):
            files.seal(changed)
            yield changed, {**certificate, "sha256": changed["sha256"]}
        for _, change in changes.whole_changes(document) if document["alphabet"] else []:
            changed = edited(document, change)
            yield changed, {**certificate, "sha256": changed["sha256"]}
    yield from selections_of_programs()
    test_hostile_files.Lists.setUpClass()
    lists = test_hostile_files.Lists()
    for _, change in lists.must_be_refused():
        changed = edited(lists.document, change)
        yield changed, {**lists.certificate, "sha256": changed["sha256"]}
    for _, claimed in lists.hostile_certificates():
        if isinstance(claimed, dict):
            yield lists.document, claimed
    yield from targeted.all_targeted(test_hostile_files.one_back)
    hostile = test_hostile_files.one_back(True)
    yield hostile, {"format": "logdepth-certificate", "version": 1, "theorem": "resets", "sha256": hostile["sha256"]}


def selections_of_programs():
    """Files of tier S: changed numbers, entries, heads and contracts of programs with a head of every kind."""
    def own(changed):
        return changed, test_selections.claimed(changed, "what this checker finds")
    for name, every in (("majority", 3), ("flipflop", 3), ("previous_letter_equals_this_one", 11), ("share_among_the_flagged", 5), ("parity", 19),
                        ("share_of_capitals_among_equal_letters", 5), ("the_letter_in_the_middle", 11), ("sorting", 67), ("dyck1", 9)):
        document = load(test_selections.program(name))
        document.pop("derived")
        for _, changed in [*changes.changed_numbers(document, every), *changes.random_entries(document, 20), *test_selections.changed_contracts(document)]:
            yield own(files.seal(changed))
        for _, change in changes.whole_changes(document):
            yield own(edited(document, change))
    for document, change in targeted.of_selections(test_selections.program):
        yield own(edited(document, change))
    document = load(test_selections.program("majority"))
    for _, certificate in test_selections.HostileCertificates.hostile(document, test_selections.lines_of(document)):
        yield document, certificate


class SideConditions(unittest.TestCase):
    maxDiff = None

    def test_each_is_noticed_when_it_is_removed(self):
        all_conditions = side_conditions.conditions(SOURCE)
        by_condition = collections.defaultdict(list)
        for pair in collection():
            pair = tuple(map(spelled, pair))
            error = decided(*pair)
            if not isinstance(error, CHECKER.Refused):
                continue
            at = side_conditions.line_of_need(error)
            for i, (first, last, _) in enumerate(all_conditions):
                if first <= at <= last:
                    by_condition[i].append(pair)
        unnoticed = set()
        for i, (_, _, message) in enumerate(all_conditions):
            tried = by_condition[i]
            sample = tried[-12:] + tried[::max(1, len(tried) // 50)]  # the last ones were made for one condition each
            if not any(not isinstance(decided(*pair, removed=i), CHECKER.Refused) for pair in sample):
                unnoticed.add(message)
        self.assertEqual(sorted(unnoticed), sorted(set(LIMITS + LATER + NO_FILE)), f"{len(all_conditions)} conditions")


if __name__ == "__main__":
    unittest.main()
