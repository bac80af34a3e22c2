"""Exceptions, with the messages of the command line. Its options are arguments here: `regex=` for `--regex`."""

import re


def _in_python(sentence: str) -> str:
    option = re.compile(r"(?<![\w'\"-])--([a-z][a-z-]*)(:?)")
    named = option.sub(lambda found: found[1].replace("-", "_") + (found[2] or "="), sentence)
    return named.replace("json_automaton", "json")


class BadInput(ValueError):
    """Wrong usage or bad input: a one-line message with the problem and what was expected.

    A construction that breaks a rule of the compiler is bad input, too: the sentence names block,
    statement, cell and reason. The command line exits with 2.
    """

    __module__ = "logdepth"

    def __init__(self, sentence: str) -> None:
        super().__init__(_in_python(sentence))


class Undecided(Exception):
    """An exact run gives no decision: two logits are equal, a norm is not a sum of square roots, or the
    network does not support the input.

    `decision` is "undecided", "outside_field" or "outside_hypotheses", as of the `Answer`; the sentence
    is its `reason`. The command line exits with 3.
    """

    __module__ = "logdepth"

    def __init__(self, reason: str, decision: str = "undecided") -> None:
        super().__init__(reason)
        self.decision = decision


class LimitReached(Exception):
    """The request is larger than a stated limit: forecast, limit, what to try instead. The command line
    exits with 3.
    """

    __module__ = "logdepth"


class ExportRefused(LimitReached):
    """The target does not support this network or length: the message names the feature, and a target that
    supports it. The command line exits with 3.
    """

    __module__ = "logdepth"


class ExportWrong(Exception):
    """The self-test of an export found an input on which the numbers to be written answer differently from
    the exact run, and names it; nothing was written. The command line exits with 1.
    """

    __module__ = "logdepth"
