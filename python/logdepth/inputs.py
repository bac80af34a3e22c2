"""Input types: words, graph queries, raw streams."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Union

from . import _bindings
from ._bindings import Real
from .errors import BadInput

Word = Union[str, Sequence[str]]
"""A word: a str as a user types it (letters run together where all are single characters, else with
blanks between them), or its letters one by one."""

Number = Union[int, Fraction, Real, str]
"""An exact number; a str is one as answers print it: "3", "-3/5", "sqrt(2/5)", or a sum of such."""

Streams = Mapping[str, Sequence[Number]]
"""Raw streams: by name an exact number for each token."""


class Reach:
    """The question whether `target` can be reached from `source` in a graph.

    The graph is a networkx graph, a mapping of each vertex to those that it leads to, or pairs (from, to);
    vertices are any values with a hash. Edges of an undirected networkx graph lead both ways. BadInput for
    a source or target that is no vertex.
    """

    def __init__(self, graph: Any, source: Hashable, target: Hashable) -> None:
        self.vertices: list[Hashable]
        self.edges: list[tuple[Hashable, Hashable]]
        self.vertices, self.edges = _vertices_and_edges(graph)
        numbers = {vertex: number for number, vertex in enumerate(self.vertices)}
        for vertex in (source, target):
            if vertex not in numbers:
                raise BadInput(f"{vertex!r} is no vertex of the graph")
        self.source: Hashable = source
        self.target: Hashable = target
        self._question = _bindings.Question(
            len(self.vertices),
            [(numbers[tail], numbers[head]) for tail, head in self.edges],
            numbers[source],
            numbers[target],
        )

    def __repr__(self) -> str:
        return f"<{self.target!r} from {self.source!r} among {len(self.vertices)} vertices?>"


Input = Union[Word, Reach, Streams]
"""Whatever a network reads: a word, a question about a graph, raw streams."""


def as_asked(given: Input) -> str | Sequence[str] | _bindings.Question | _bindings.RawStreams:
    """An input as the extension module takes it. BadInput for a number that is not exact."""
    if isinstance(given, Reach):
        return given._question
    if isinstance(given, Mapping):
        return _bindings.RawStreams(
            {name: [_exact(number) for number in numbers] for name, numbers in given.items()}
        )
    if _is_graph(given):
        raise BadInput("expected Reach(graph, source, target), found a graph without a question")
    return given


def whole(name: str, value: Any, bits: int = 63) -> int:
    """`value` as a count of the library, of 63 or 32 bits. BadInput for another."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{name}: expected a whole number, found {value!r}") from None
    if not 0 <= number < 1 << bits:
        raise BadInput(f"{name}: expected a number from 0 to 2**{bits} - 1, found {number}")
    return number


def whole_or_none(name: str, value: Any, bits: int = 63) -> int | None:
    """The same where it need not be given."""
    return None if value is None else whole(name, value, bits)


def _is_graph(thing: Any) -> bool:
    """As networkx has them."""
    return hasattr(thing, "nodes") and hasattr(thing, "edges")


def _exact(number: Number) -> str:
    if isinstance(number, (int, Fraction, Real, str)):
        return str(number)
    raise BadInput(f"expected an int, a Fraction, a Real or its text, found {number!r}")


def _vertices_and_edges(graph: Any) -> tuple[list[Hashable], list[tuple[Hashable, Hashable]]]:
    if _is_graph(graph):
        edges = [(edge[0], edge[1]) for edge in graph.edges]
        if not graph.is_directed():
            edges += [(head, tail) for tail, head in edges]
        return list(graph.nodes), edges
    if isinstance(graph, Mapping):
        edges = [(tail, head) for tail, heads in graph.items() for head in heads]
        return list(dict.fromkeys([*graph, *(head for _, head in edges)])), edges
    edges = [(tail, head) for tail, head in graph]
    return list(dict.fromkeys(vertex for edge in edges for vertex in edge)), edges
