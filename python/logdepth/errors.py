"""What can go wrong, with the sentences of the command line."""


class BadInput(ValueError):
    """Wrong usage or bad input: one sentence that names what is wrong and what was expected.

    A construction that breaks a rule of the compiler is bad input, too: the sentence names block,
    statement, cell and reason. The command line exits with 2.
    """

    __module__ = "logdepth"


class Undecided(Exception):
    """A verdict was asked for where an exact run gives none: two logits are equal, a norm is no sum of
    square roots, or the input is none that the file is made for.

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
    """What an export is for cannot say the network, or not up to that length: the sentence names what, and
    what can. The command line exits with 3.
    """

    __module__ = "logdepth"


class ExportWrong(Exception):
    """The self-test of an export found an input on which the numbers to be written answer differently from
    the exact run, and names it; nothing was written. The command line exits with 1.
    """

    __module__ = "logdepth"
