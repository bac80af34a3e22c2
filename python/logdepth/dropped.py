"""Results that nobody used: `head.copy(a, b)` returns a new head, and alone it does nothing.

Heads and selectors remember which members were called on them. `compile` and `Program.text` look through the
heads of a program and raise BadInput for a call whose result is not part of any statement. Heads that write
cells of the program and are in no statement at all are found by these cells: BadInput where nobody holds the
head any more, a warning where a variable does, since a statement may follow.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from . import _bindings
from .errors import BadInput

MEMBERS: dict[str, tuple[str, ...]] = {
    "Fetch": ("causal", "unmasked", "under", "copy", "add", "set"),
    "Match": ("back", "key"),
    "Rightmost": ("key",),
    "Nearest": ("key",),
    "Flagged": ("when",),
    "Found": ("also", "prefer"),
    "FoundTerm": ("key",),
    "Related": ("label", "prefer"),
}
"""Members that return a new value, by their classes."""


class _Origin:
    """How a value was made, and what was made of it."""

    def __init__(self, value: Any, call: str = "", parts: Iterable[_Origin] = ()) -> None:
        self.value = weakref.ref(value)
        self.call = call
        self.parts = list(parts)
        self.later: list[_Origin] = []
        self.stated = False
        for part in self.parts:
            part.later.append(self)

    def used(self) -> bool:
        """Whether a statement contains it, or what was made of it."""
        return self.stated or any(one.used() for one in self.later)

    def alive(self) -> bool:
        """Whether someone still holds it, or what was made of it."""
        return self.value() is not None or any(one.alive() for one in self.later)


_origins: weakref.WeakKeyDictionary[Any, _Origin] = weakref.WeakKeyDictionary()
_heads: weakref.WeakKeyDictionary[Any, list[_Origin]] = weakref.WeakKeyDictionary()
_cells: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()
"""The cells that programs declared, by their identities."""
_built: weakref.WeakKeyDictionary[Any, list[_Origin]] = weakref.WeakKeyDictionary()
"""The heads that write these cells, in statements or not."""
_WRITING = ("copy", "add")
_DECLARING = (
    *("constant", "flag", "flags", "onehot", "key", "pointer"),
    *("direction", "integer_direction", "number", "cell"),
)
_classes = (_bindings.Selector, *(getattr(_bindings, name) for name in MEMBERS))


def _origin(value: Any) -> _Origin:
    if value not in _origins:
        _origins[value] = _Origin(value)
    return _origins[value]


def _flat(values: Any) -> Iterator[Any]:
    """Values, and those of lists of them."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value


def _declaring(member: Any) -> Any:
    @functools.wraps(member)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        result = member(self, *arguments, **named)
        _cells.setdefault(self, {}).update((id(cell), cell) for cell in _flat([result]))
        return result

    return call


def _remembering(member: Any, name: str) -> Any:
    @functools.wraps(member)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        parts = [_origin(part) for part in (self, *arguments, *named.values()) if isinstance(part, _classes)]
        try:
            result = member(self, *arguments, **named)
        except Exception:
            for part in parts:
                part.stated = True  # used, in what was refused
            raise
        frame = sys._getframe(1)
        place = f"{os.path.basename(frame.f_code.co_filename)}, line {frame.f_lineno}"
        _origins[result] = _Origin(result, f".{name}(...) ({place})", parts)
        if name in _WRITING and isinstance(result, _bindings.Fetch):
            written = {id(cell) for cell in _flat((*arguments, *named.values()))}
            for program, declared in _cells.items():
                if not written.isdisjoint(declared):
                    _built.setdefault(program, []).append(_origins[result])
        return result

    return call


def _stated(statements: Any) -> Iterator[_Origin]:
    """The heads among statements, and in lists of them."""
    if isinstance(statements, _bindings.Fetch):
        yield _origin(statements)
    elif isinstance(statements, (list, tuple)):
        for statement in statements:
            yield from _stated(statement)


def _stating(member: Any) -> Any:
    @functools.wraps(member)
    def call(self: Any, *statements: Any) -> Any:
        origins = list(_stated(statements))
        for origin in origins:
            origin.stated = True  # also where the statement is refused
        result = member(self, *statements)
        _heads.setdefault(self, []).extend(origins)
        return result

    return call


def require_none(program: Any) -> None:
    """BadInput where a head of the program, or a selector of it, has a member call whose result was dropped."""
    _require_no_dropped_call(program)
    for origin in _built.get(program, ()):
        if origin.later or origin.used():
            continue
        text = (
            f"the head that ends with {origin.call} is in no statement: expected it among the arguments of "
            "initial, repeated or final"
        )
        if not origin.alive():
            raise BadInput(text)
        warnings.warn(text, stacklevel=3)


def _require_no_dropped_call(program: Any) -> None:
    waiting, seen = list(_heads.get(program, ())), set()
    while waiting:
        origin = waiting.pop()
        if id(origin) in seen:
            continue
        seen.add(id(origin))
        waiting += origin.parts
        for later in origin.later:
            # What a program does not contain yet may follow, unless the value without it is a statement already.
            if not later.used() and (origin.stated or not later.alive()):
                while later.later:
                    later = later.later[-1]
                raise BadInput(
                    f"the result of {later.call} is dropped: it is a new value, and the old one is unchanged; "
                    "expected a statement that contains the result"
                )


def install() -> None:
    """Makes the classes of the extension module remember."""
    for name, members in MEMBERS.items():
        kind = getattr(_bindings, name)
        for member in members:
            setattr(kind, member, _remembering(getattr(kind, member), member))
    program = _bindings.Program
    for member in _DECLARING:
        setattr(program, member, _declaring(getattr(program, member)))
    for member in ("initial", "repeated", "final"):
        setattr(program, member, _stating(getattr(program, member)))
    undone = _bindings.undone

    @functools.wraps(undone)
    def stating_undone(heads: Any) -> Any:
        for origin in _stated(heads):
            origin.stated = True
        return undone(heads)

    setattr(_bindings, "undone", stating_undone)
    text = program.text

    @functools.wraps(text)
    def checked(self: Any) -> str:
        require_none(self)
        return text(self)

    setattr(program, "text", checked)


install()
