"""Everything that happened in an exact run, as arrays."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Callable

from . import _bindings
from ._bindings import Answer, Real, TraceColumn, TraceHead, TraceMoment
from .drawing import Drawing
from .errors import BadInput

if TYPE_CHECKING:
    import numpy
    import numpy.typing


class Trace:
    """An exact run, every number of it: an array of moments x tokens x columns.

    `moments` are the places between sublayers, `columns` the numbers of the cells, `heads` what was selected
    where, `answer` what `Model.run` says. A run that is refused is there as far as it came. The arrays need
    numpy; `number` does not. A notebook shows the picture of `Model.draw`.
    """

    def __init__(self, trace: _bindings.RawTrace, draw: Callable[[], Drawing]) -> None:
        """Of a trace of the extension module; `Model.trace` makes one."""
        self._draw = draw
        self.moments: list[TraceMoment] = trace.moments
        self.tokens: int = trace.tokens
        self.columns: list[TraceColumn] = trace.columns
        self.heads: list[TraceHead] = trace.heads
        self.answer: Answer = trace.answer
        self.numbers: list[Fraction | Real] = trace.numbers
        self._entries = trace.entries
        self._floats = trace.floats

    @property
    def shape(self) -> tuple[int, int, int]:
        """Moments, tokens, columns."""
        return len(self.moments), self.tokens, len(self.columns)

    def number(self, moment: int, token: int, column: int) -> Fraction | Real:
        """The exact number at these three indices, from 0."""
        moments, tokens, columns = self.shape
        if not (0 <= moment < moments and 0 <= token < tokens and 0 <= column < columns):
            raise IndexError(f"({moment}, {token}, {column}) is not in a trace of shape {self.shape}")
        place = (moment * tokens + token) * columns + column
        return self.numbers[memoryview(self._entries).cast("I")[place]]

    def entries(self) -> numpy.typing.NDArray[numpy.uint32]:
        """Moments x tokens x columns indices into `numbers`, in which every number stands once: two
        entries are equal exactly if the exact numbers are."""
        import numpy

        return numpy.frombuffer(self._entries, dtype=numpy.uint32).reshape(self.shape)

    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """Moments x tokens x columns floats near the exact numbers."""
        import numpy

        near: numpy.typing.NDArray[numpy.float64] = numpy.frombuffer(self._floats)[self.entries()]
        return near

    def _repr_svg_(self) -> str | None:
        """Of an input that is too long for a picture none."""
        try:
            return self._draw().svg
        except BadInput:
            return None

    def __repr__(self) -> str:
        return f"<trace of {len(self.moments)} moments, {self.tokens} tokens, {len(self.columns)} columns>"
