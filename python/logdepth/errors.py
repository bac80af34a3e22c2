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
