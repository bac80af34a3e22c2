"""Every side condition of every lemma matters: recheck_without is logdepth-recheck compiled with a `need` that lets one condition
pass. Files of the collection below that are refused by a condition are decided without it: one is then certified, or ends otherwise. The
conditions that no file notices are listed, each with its reason. Every file of the collection is decided as is stored (decisions.txt)."""
import collections
import itertools
import os
import re
import subprocess
import unittest

import changes
import files
import targeted
import test_hostile_files
import test_selections
from files import ROOT, agrees, certified, compiled, edited, load, path, store

WITHOUT = os.environ["LOGDEPTH_RECHECK_WITHOUT"]
REFUSED = re.compile(r"not certified: ([a-z_]+\.cpp):(\d+): ")

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
    "{}: divides by {}",
    "{}: reads {} positions back; expected at most {}",
    "{}: more than 400 classes of tokens",
    "{}: too many cases",
]
# A later step refuses the files that these refuse:
LATER = [
    "a count has no bound",
    "<begin> does not act as the identity",
    "a direction of weight {}",
    "coordinate {} is claimed twice",
    "no {} layers; expected a level of the tree in a loop and one after it",
    "one loop makes intervals of length {}; expected {}",
    "pointer {} is in a product cell",
    "the loop begins with intervals of length {}; expected {}",
    "the loop makes new classes of tokens in 16 passes",
    "the shift {} is negative",
    "two labels of a product cell stand for the same map",
    "unroll: not a number of loops of this theorem",
    "{}: a direction without a constant",
    "{}: averages {}",
    "{}: moves back by {} s + {}; expected counts",
    "{}: not a direction of separate numbers",
    "{}: reads the class of a token that is known by its position alone",
    "{}: the query is not a direction of numbers",
    "{}: the query is not one pointer; found {}",
    "{}: the query is not one position",
]
# No file of the collection comes to this:
NO_FILE = ["two position codes: {} and {}"]


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
                           (("division", "--construction", "floor", "--for-length", "9", "--own-argument"), 2)]:
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
    for _, certificate in test_selections.HostileCertificates.hostile(document, files.certified_lines(document)):
        yield document, certificate


def end_of_call(source, start):
    """The place behind the call whose parenthesis opens at `start`, and the place of the comma before its last argument."""
    depth, comma, quoted, at = 0, None, False, start
    while True:
        c = source[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1, comma
        elif c == "," and depth == 1:
            comma = at
        at += 1


def template(message):
    """The text of a message, with {} for what is filled in: "{}: moves back by {}; expected a count"."""
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', message)
    text = ""
    for piece in pieces:
        if piece.startswith('"'):
            text += piece[1:-1].replace('\\"', '"')
        elif re.sub(r"[+\s]|std::string\(|\[.*?\]\s*\{|return|[;})]", "", piece):
            text += "{}"
    return text


def conditions():
    """(file, first line, last line, text of the message) of every `need` of the sources."""
    for file in sorted((ROOT / "recheck").glob("*.cpp")):
        source = file.read_text()
        for call in re.finditer(r"\bneed\(", source):
            end, comma = end_of_call(source, call.end() - 1)
            first, last = (source.count("\n", 0, at) + 1 for at in (call.start(), end))
            yield file.name, first, last, template(source[comma + 1:end - 1])


def decided(document, certificate, without=None):
    """Exit status and standard error of the program."""
    environment = {**os.environ, "RECHECK_WITHOUT": without or ""}
    done = subprocess.run([WITHOUT, document, certificate], capture_output=True, text=True, timeout=600, env=environment)
    return done.returncode, done.stderr


def false_theorems():
    for certificate in sorted((ROOT / "tests/recheck/false").glob("*.cert.json")):
        yield load(str(certificate).replace(".cert", "")), load(certificate)


class CheckerConditions(unittest.TestCase):
    maxDiff = None

    def test_each_is_noticed_when_it_is_removed(self):
        found = list(conditions())
        by_place = collections.defaultdict(list)
        for document, certificate in itertools.chain(collection(), false_theorems()):
            pair = store(document), store(certificate)
            status, error = decided(*pair)
            agrees(*pair, status, error)
            place = REFUSED.search(error) if status == 1 else None
            if place:
                by_place[place[1], int(place[2])].append(pair)
        unnoticed = set()
        for file, first, last, message in found:
            noticed = False
            for line in range(first, last + 1):
                tried = by_place[file, line]
                for pair in tried[-12:] + tried[::max(1, len(tried) // 50)]:
                    noticed = noticed or decided(*pair, f"{file}:{line}")[0] != 1
            if not noticed:
                unnoticed.add(message)
        self.assertEqual(sorted(unnoticed), sorted(set(LIMITS + LATER + NO_FILE)), f"{len(found)} conditions")


def tearDownModule():
    files.most_are_stored(5200)


if __name__ == "__main__":
    unittest.main()
