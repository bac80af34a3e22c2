"""Results that nobody used: `head.copy(a, b)` returns a new head, and alone it does nothing.

Heads and selectors whose members were called remember the call, until a later call or a statement contains them.
`compile` and `Program.text` raise BadInput for a call whose result is not part of any statement.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import Any, Callable, TypeVar, cast

from .errors import BadInput

Member = TypeVar("Member", bound=Callable[..., Any])

# A statement that lacks one of these is refused, so its result counts as the value before it.
_NEEDED = ("causal", "unmasked", "key", "label")


class Record:
    """What a program and its cells share: the calls whose results are in no statement yet."""

    def __init__(self) -> None:
        self.unused: dict[object, str] = {}


class Remembers:
    """A value that knows the call that made it."""

    _records: frozenset[Record]
    _made_by: object = None

    def use(self) -> None:
        """A later call or a statement contains it."""
        for record in self._records:
            record.unused.pop(self._made_by, None)


def returns_new_value(member: Member) -> Member:
    """A member of such a value whose result is another one, to be used in its place."""

    @functools.wraps(member)
    def call(*arguments: Any, **named: Any) -> Any:
        result = member(*arguments, **named)
        needed = member.__name__ in _NEEDED
        for part in (*arguments[needed:], *named.values()):
            if isinstance(part, Remembers):
                part.use()
        if needed:
            result._made_by = arguments[0]._made_by
            return result
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals.get("__name__", "").startswith("logdepth."):
            frame = frame.f_back
        place = f"{os.path.basename(frame.f_code.co_filename)}, line {frame.f_lineno}"
        result._made_by = object()
        for record in result._records:
            record.unused[result._made_by] = f".{member.__name__}(...) ({place})"
        return result

    return cast(Member, call)


def require_none(record: Record) -> None:
    """BadInput where the result of a call is in no statement of the program."""
    for call in record.unused.values():
        raise BadInput(
            f"the result of {call} is dropped: it is a new value, and the old one is unchanged; "
            "expected a statement that contains the result"
        )
