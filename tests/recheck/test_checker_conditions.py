"""Every side condition of logdepth-recheck matters, as those of its peer do (test_side_conditions.py): recheck_without is the
program compiled with a `need` that lets one condition pass. Files refused by a condition are decided without it. The lists
differ from the peer's where a later step of one program refuses and the other ends with an error."""
import collections
import os
import re
import subprocess
import unittest

from files import ROOT, path, store
from side_conditions import NO_FILE
from test_side_conditions import collection

WITHOUT = os.environ["LOGDEPTH_RECHECK_WITHOUT"]
REFUSED = re.compile(r"not proved: ([a-z_]+\.cpp):(\d+): ")

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
    "<begin> does not act as the identity",
    "a direction of weight {}",
    "a logit reads more than the product: {}",
    "coordinate {} is claimed twice",
    "no {} layers; expected a level of the tree in a loop and one after it",
    "one loop makes intervals of length {}; expected {}",
    "output {}: not one component of a direction; found {}",
    "pointer {} is in a product cell",
    "the loop begins with intervals of length {}; expected {}",
    "the loop makes new classes of tokens in 16 passes",
    "the shift {} is negative",
    "two labels of a product cell stand for the same map",
    "unroll: not a number of loops of this theorem",
    "{}, feed-forward: a unit of unknown sign, ReLU({})",
    "{}: a direction without a constant",
    "{}: a norm mixes 1/(p+1) with other numbers; expected a direction, found {}",
    "{}: a score multiplies two flags",
    "{}: averages {}",
    "{}: moves back by {} s + {}; expected counts",
    "{}: not a direction of separate numbers",
    "{}: reads the class of a token that is known by its position alone",
    "{}: the query is not a direction of numbers",
    "{}: the query is not one pointer; found {}",
    "{}: the query is not one position",
]


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
    done = subprocess.run([WITHOUT, document, certificate], capture_output=True, text=True, timeout=120, env=environment)
    return done.returncode, done.stderr


class CheckerConditions(unittest.TestCase):
    maxDiff = None

    def test_each_is_noticed_when_it_is_removed(self):
        found = list(conditions())
        by_place = collections.defaultdict(list)
        for document, certificate in collection():
            pair = store(document), store(certificate)
            status, error = decided(*pair)
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


if __name__ == "__main__":
    unittest.main()
