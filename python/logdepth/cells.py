"""The words of a program: what heads select, statements, codes of positions.

`from logdepth.cells import *` reads as the text form (`.cells`, compiler/README.md) does, and every word is
kept as that text; the words are those of the C++ library (logdepth/statements.hpp). A cell itself is declared
by a `logdepth.Program`.
"""

from __future__ import annotations

import copy
import numbers
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NoReturn, Union, overload

from .arguments import check_calls, require
from .dropped import Record, Remembers, returns_new_value
from .errors import BadInput

__all__ = ["Cell", "Constant", "Flag", "OneHot", "Vector", "Key", "Pointer", "Direction", "Number"]
__all__ += ["Component", "Form", "Ratio", "Value", "BEGIN", "END", "numbered"]
__all__ += ["PositionCode", "phi", "phi_over", "circle", "two_circle", "fine"]
__all__ += ["Selector", "uniform", "same", "match", "rightmost", "nearest"]
__all__ += ["flagged", "find", "find_one", "related"]
__all__ += ["Fetch", "Rule", "Statements", "fetch", "undone", "when", "under", "lookup"]
__all__ += ["move", "erase", "normalise", "test"]

BEGIN, END = "<begin>", "<end>"


def quoted(text: str, always: bool = False) -> str:
    """A word as the text form has it."""
    if not always and text and not re.search(r'["\\# \t\n\r]', text):
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text).replace("\n", "\\n") + '"'


class Said:
    """Words of the text form, and the records of the programs whose cells they name."""

    def __init__(self, *parts: Union[str, Said], end: str = "") -> None:
        """Internal. Use the functions of this module and of a `logdepth.Program`."""
        words = [part if isinstance(part, str) else part._text for part in parts]
        said = [part._records for part in parts if isinstance(part, Said)]
        self._text: str = " ".join(words) + end
        self._records: frozenset[Record] = frozenset().union(*said)

    def _statement(self) -> str:
        """The text as lines of a program. BadInput where something is still to be said."""
        return self._text


def _no_truth(instead: str) -> NoReturn:
    raise TypeError(
        f"what a cell holds is known token by token, when the network runs: write {instead}"
    )


# --- cells, and what is read of them --------------------------------------------------------------


class PositionCode(Said):
    """Which unit code of a position a key or pointer holds: `phi`, `phi_over(L)`, `circle`, `two_circle`,
    `fine(b)`.
    """

    def __eq__(self, other: object) -> bool:
        """The same code."""
        return isinstance(other, PositionCode) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


phi, circle, two_circle = PositionCode("phi"), PositionCode("circle"), PositionCode("two-circle")


def phi_over(L: int) -> PositionCode:
    """phi(p / L) = (p, L) / sqrt(p^2 + L^2), L >= 1: single square roots, 2 components."""
    return phi if L == 1 else PositionCode(f"phi over {L}")


def fine(b: int) -> PositionCode:
    """(a^2 - 1, 2a) / (a^2 + 1) with a = 2p + b, b >= 1: rational, 2 components."""
    return PositionCode(f"fine {b}")


def exact(number: Any) -> Fraction:
    """A factor as it is. BadInput for a float, which is rounded, and for what is no number."""
    if isinstance(number, float):
        raise BadInput(
            f"expected an exact number, found the float {number!r}: "
            f'write Fraction("{number!r}"), or divide by an int'
        )
    if not isinstance(number, numbers.Rational):
        raise BadInput(f"expected an int or a Fraction, found a {type(number).__name__}")
    fraction = Fraction(int(number.numerator), int(number.denominator))
    expected = "expected a number whose numerator and denominator have at most 63 bits, found"
    require(_is_small(fraction), f"{expected} {number!r}")
    return fraction


def _is_small(factor: Fraction) -> bool:
    return max(abs(factor.numerator), factor.denominator) < 1 << 63


class Linear(Said):
    """What stands for a linear form: a component, a cell of one number, or a form."""

    _converts = True  # functions that take one say themselves what else they found
    __array_ufunc__ = None  # else numpy makes an array of `numpy.int64(3) * form`

    def _terms(self) -> list[tuple[Linear, Fraction]]:
        return [(self, Fraction(1))]

    def __add__(self, other: Linear) -> Form:
        """The sum of two forms."""
        if not isinstance(other, Linear):
            return NotImplemented
        return Form(self._terms() + other._terms())

    def __radd__(self, start: int) -> Form:
        """`0 + form`, with which `sum(forms)` begins."""
        return linear(start) + self

    def __sub__(self, other: Linear) -> Form:
        """The difference of two forms."""
        return self + -other if isinstance(other, Linear) else NotImplemented

    def __neg__(self) -> Form:
        """The form with all factors negated."""
        return self * -1

    def __mul__(self, factor: int | Fraction) -> Form:
        """A multiple. BadInput for a float: a factor is exact."""
        by = exact(factor)
        terms = [(component, by * of) for component, of in self._terms() if by]
        small = all(_is_small(of) for _, of in terms)
        require(small, "a factor of a linear form has more than 63 bits")
        return Form(terms)

    __rmul__ = __mul__

    @overload
    def __truediv__(self, divisor: int | Fraction) -> Form: ...
    @overload
    def __truediv__(self, divisor: Linear) -> Ratio: ...
    def __truediv__(self, divisor: Any) -> Form | Ratio:
        """By a number: a form, exactly. By a form: the ratio that `nearest` and `find` look for."""
        if isinstance(divisor, Linear):
            return Ratio(linear(self), linear(divisor))
        if not isinstance(divisor, numbers.Number):
            return NotImplemented
        by = exact(divisor)
        require(by != 0, "a form is divided by 0")
        return self * (1 / by)


class Component(Linear):
    """One number of a cell."""


class Form(Linear):
    """A linear form of a token's cells: `one / 2 - 3 * letter["a"]`, exactly."""

    def __init__(self, terms: list[tuple[Linear, Fraction]]) -> None:
        """Internal. Use sums and multiples of cells."""
        parts: list[Union[str, Said]] = []
        for component, factor in terms:
            size = [] if abs(factor) == 1 else [str(abs(factor))]
            parts += ["-" if factor < 0 else "+", *size, component]
        super().__init__(*parts)
        self._sum = terms

    def _terms(self) -> list[tuple[Linear, Fraction]]:
        return self._sum


def linear(form: Any) -> Form:
    """A form, or what stands for one; None and 0 are the empty one."""
    if isinstance(form, Linear):
        return Form(form._terms())
    if form is None or (isinstance(form, int) and not form):
        return Form([])
    expected = 'expected a linear form of cells, as letter["a"] - one / 2'
    raise BadInput(f"{expected}, found a {type(form).__name__}")


def _single(form: Any, what: str) -> tuple[Linear, Fraction]:
    """The one component of a form that has to be one, and its factor."""
    terms = linear(form)._terms()
    expected = f"{what} is one component, possibly with a factor"
    require(len(terms) == 1, f"{expected}, and not a sum of {len(terms)}")
    return terms[0]


def _weighted(form: Any, what: str) -> Said:
    component, factor = _single(form, what)
    said = Said(component)
    said._text = said._text if factor == 1 else f"{factor}*{said._text}"
    return said


class Cell(Said):
    """A named value that every token holds. It belongs to the program that declared it; `Program.onehot` and
    its siblings make one.
    """

    def __init__(self, name: str, size: int, record: Record) -> None:
        """Internal. Use the functions of a `logdepth.Program`."""
        self._text, self._size, self._records = name, size, frozenset([record])

    @property
    def name(self) -> str:
        """As it was declared."""
        return self._text

    def __len__(self) -> int:
        """Number of components."""
        return self._size

    def __repr__(self) -> str:
        return f"<cell {self.name}>"

    def _holds(self, label: str) -> Value:
        return Value(self, end=f"={quoted(label)}")


class Value(Said):
    """A condition of a rule, what a rule assigns, what the embedding of a token fills: "cell = value"."""

    def __bool__(self) -> bool:
        """TypeError: a value is a condition on tokens, not a truth of Python's."""
        _no_truth("it as a condition of when(...)")


class Constant(Cell, Linear):
    """The number 1 at every token."""


class Flag(Cell, Linear):
    """+1 (true) or -1 (false). As a value: true; `~f`: false."""

    def __invert__(self) -> Value:
        """The value "false"."""
        return self._holds("false")

    def __eq__(self, value: object) -> Value:  # type: ignore[override]
        """The value "true" or "false"."""
        if isinstance(value, Cell):
            return NotImplemented  # whether they are the same one
        is_truth = isinstance(value, bool)
        require(is_truth, f"the cell {self.name}: expected True or False, found {value!r}")
        return self._holds("true" if value else "false")

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        """TypeError: a flag is true or false at a token, not in Python."""
        _no_truth('~flag for "false"')


class OneHot(Cell):
    """1 at one of its labels, 0 at the others."""

    def __init__(self, name: str, labels: Sequence[str], record: Record) -> None:
        """Internal. Use `Program.onehot`."""
        super().__init__(name, len(labels), record)
        self._labels = dict.fromkeys(labels)

    @property
    def labels(self) -> list[str]:
        """Its labels in their order."""
        return list(self._labels)

    def _known(self, label: str) -> str:
        if label in self._labels:
            return label
        some = ", ".join(self.labels[:20]) + (", ..." if len(self) > 20 else "")
        raise BadInput(f"cell {self.name} has no label '{label}': expected one of {some}")

    def __eq__(self, label: object) -> Value:  # type: ignore[override]
        """The value "the cell has this label". BadInput for a label that it does not have."""
        if isinstance(label, Cell):
            return NotImplemented  # whether they are the same one
        if isinstance(label, str):
            return self._holds(self._known(label))
        expected = "expected one of its labels, as a str"
        raise BadInput(f"the cell {self.name}: {expected}, found {label!r}")

    def __hash__(self) -> int:
        return id(self)

    def __getitem__(self, label: str) -> Component:
        """The component that is 1 at this label. BadInput for a label that it does not have."""
        return Component(self, end=f"[{quoted(self._known(label))}]")

    def at(self, label: int) -> Value:
        """The value by the index of its label, from 0."""
        there = f"cell {self.name} has {len(self)} labels"
        require(label < len(self), f"{there}, and no number {label}")
        return self._holds(self.labels[label])


class Vector(Cell):
    """A cell of several numbers."""

    def __getitem__(self, index: int) -> Component:
        """Component `index`, from 0. BadInput where there is none."""
        there = f"cell {self.name} has {len(self)} components, from 0"
        known = hasattr(index, "__index__") and 0 <= index < len(self)
        require(known, f"{there}: there is no {self.name}[{index!r}]")
        return Component(self, end=f"[{index}]")

    def __iter__(self) -> Iterator[Component]:
        """The components in their order."""
        return (self[index] for index in range(len(self)))


class Key(Vector):
    """The code of the token's own position."""


class Pointer(Vector):
    """The code of some position not after the token."""


class Direction(Vector):
    """A unit vector; with 2 components also the code of a rational x, the direction of (x, 1)."""


class Number(Vector, Linear):
    """Numbers of any size."""

    def _terms(self) -> list[tuple[Linear, Fraction]]:
        there = f"cell {self.name} has {len(self)} components"
        require(len(self) == 1, f"{there}: expected {self.name}[...]")
        return super()._terms()


class Ratio(Said):
    """numerator : denominator, a number that a head looks for."""

    def __init__(self, numerator: Form, denominator: Form) -> None:
        """Internal. Use quotients of forms, and cells of two components."""
        super().__init__("(", numerator, ":", denominator, ")")
        self._parts = numerator, denominator

    def back(self, by: int) -> Ratio:
        """The number `by` below it."""
        numerator, denominator = self._parts
        return Ratio(numerator - by * denominator, denominator)


Truth = Union[Value, Flag]
Wanted = Union[Ratio, Key, Pointer, Direction, Number]


def as_value(truth: Any) -> Value:
    """A value, or a flag that stands for its truth."""
    if isinstance(truth, Flag):
        return truth._holds("true")
    if isinstance(truth, Value):
        return truth
    expected = 'expected a value of a cell, as letter == "a", flag or ~flag'
    raise BadInput(f"{expected}, found a {type(truth).__name__}")


def _ratio(wanted: Wanted) -> Ratio:
    """A ratio; of a cell of two components the rational that they code."""
    if isinstance(wanted, Ratio):
        return wanted
    there = f"cell {wanted.name} has {len(wanted)} components"
    require(len(wanted) == 2, f"{there}, so it codes no number: expected numerator / denominator")
    return wanted[0] / wanted[1]


def _cells(cells: Any, of: str = "") -> list[Cell]:
    """Cells, and lists of them, one after the other. Where they are those `of` a word, there is one."""
    if isinstance(cells, Cell):
        return [cells]
    if not isinstance(cells, (list, tuple)):
        raise BadInput(f"expected cells, found a {type(cells).__name__}")
    found = [cell for part in cells for cell in _cells(part)]
    require(not of or len(found) > 0, f"{of}: expected a cell")
    return found


def numbered(count: int, prefix: str = "") -> list[str]:
    """The labels PREFIX0, PREFIX1, ...: `count` of them."""
    return [f"{prefix}{number}" for number in range(count)]


# --- what a head selects --------------------------------------------------------------------------


class Selector(Said, Remembers):
    """What a head selects among the visible positions: the arg max of a score, proved for every length
    (compiler/README.md). Its members return new selectors, with more words; which ones follow a word,
    and which have to, is said at the function that begins it.
    """

    @returns_new_value
    def key(self, key: Cell) -> Selector:
        """The cell of the visible positions that is compared."""
        return Selector(self, "key", key)

    @returns_new_value
    def back(self, by: int) -> Selector:
        """Of `match`: max(e - by, 0) in place of e."""
        return Selector(self, "back", str(by))

    @returns_new_value
    def when(self, value: Truth) -> Selector:
        """Of `flagged`: tokens where `value` does not hold select all visible positions."""
        return Selector(self, "when", as_value(value))

    @returns_new_value
    def same(self, own: OneHot, there: OneHot) -> Selector:
        """Of `rightmost`: a further condition, that `there` has the label of the token's `own`; a key follows."""
        return Selector(self, "same", own, there)

    @returns_new_value
    def also(self, wanted: Wanted) -> Selector:
        """Of `find(k).key(U)`: of these, those with a second code; a key follows."""
        return Selector(self, "and", _ratio(wanted))

    @returns_new_value
    def label(self, cell: OneHot) -> Selector:
        """Of `related`: the one-hot cell that is compared."""
        return Selector(self, "label", cell)

    @returns_new_value
    def prefer(self, value: Truth, margin: Union[Linear, None] = None) -> Selector:
        """Of `find` and `related`: of these, those where `value` holds if there is one. The margin, which `find`
        needs, is positive and smaller than what any mismatch costs: a hypothesis that the construction proves.
        """
        of = () if margin is None else ("margin", _weighted(margin, "a margin"))
        return Selector(self, "prefer", as_value(value), *of)


def uniform() -> Selector:
    """All visible positions."""
    return Selector("uniform")


def same(*cells: Cell) -> Selector:
    """All visible positions whose cells equal the token's own."""
    return Selector("same", *_cells(cells, "same"))


def match(pointer: Union[Pointer, Key]) -> Selector:
    """`match(E).key(I)`, `match(E).back(1).key(I)`: the one position that E codes, or 1 before it (not before
    0). Of a key: the token's own position.
    """
    return Selector("match", pointer)


def rightmost(*values: Truth) -> Selector:
    """`rightmost(e).key(I)`: the last of the visible positions where most of the values hold. With
    `.same(A, B)` one of them is that B there has the label of the token's own A:
    `rightmost().same(letter, before).key(I)` is an induction head.
    """
    return Selector("rightmost", *map(as_value, values))


def nearest(target: Wanted) -> Selector:
    """`nearest(c / n).key(I)`: the visible position whose code, phi or fine, is nearest in angle to the
    direction of the ratio.
    """
    return Selector("nearest", _ratio(target))


def flagged(value: Truth) -> Selector:
    """All visible positions where the value holds, or all visible ones if there is none."""
    return Selector("flagged", as_value(value))


def find(wanted: Wanted) -> Selector:
    """`find(r).key(U)`: all visible positions where U is the direction of r; the selection contract is
    violated if there is none.
    """
    return Selector("find", _ratio(wanted))


def find_one(wanted: Wanted) -> Selector:
    """Like `find`; the selection contract is violated if there are several, too."""
    return Selector("find-one", _ratio(wanted))


def related(flags: Sequence[Flag]) -> Selector:
    """`related(R).label(v).prefer(f)`: the visible positions whose one-hot v is some l with R[l] true at the
    token, of these those where f holds, if there is one.
    """
    return Selector("related", *flags)


# --- statements -----------------------------------------------------------------------------------


class Fetch(Said, Remembers):
    """One attention head: `fetch("prev").causal(match(E).key(I)).copy(sd, d)`. Every member returns a new head
    and leaves this one unchanged: `head.copy(sd, d)` alone does nothing, and `compile` rejects a program that
    ends so.
    """

    def __init__(self, name: str) -> None:
        """Starts a head with this name, as `fetch`."""
        super().__init__()
        self._name = name
        self._selects, self._under = Said(), Said()
        self._writes: list[tuple[str, Said, Said]] = []

    def _with(self, **changes: Any) -> Fetch:
        head = copy.copy(self)
        vars(head).update(changes)
        said = [head._selects, head._under, *(part for write in head._writes for part in write[1:])]
        head._records = Said(*said)._records
        return head

    @returns_new_value
    def causal(self, selector: Selector) -> Fetch:
        """Returns a new head: among the token and those to its left."""
        return self._with(_selects=Said("causal", selector))

    @returns_new_value
    def unmasked(self, selector: Selector) -> Fetch:
        """Returns a new head: among all tokens."""
        return self._with(_selects=Said("unmasked", selector))

    @returns_new_value
    def under(self, *cells: Cell) -> Fetch:
        """Returns a new head: selector and forms read these cells divided by their joint norm."""
        return self._with(_under=Said("under", *_cells(cells, "under")))

    @returns_new_value
    def copy(
        self, target: Union[Cell, Sequence[OneHot]], source: Union[Cell, Sequence[OneHot]]
    ) -> Fetch:
        """Returns a new head: target := what the selected positions hold in source, all the same; target was
        blank. Lists of one-hot cells are copied row by row.
        """
        targets, sources = _cells(target), _cells(source)
        rows = f"a product of {len(sources)} rows is copied to one of {len(targets)}"
        require(len(targets) == len(sources), f"fetch '{self._name}': {rows}")
        return self._with(_writes=self._writes + [("copy", *row) for row in zip(targets, sources)])

    @returns_new_value
    def add(self, target: Union[Component, Number], form: Linear) -> Fetch:
        """Returns a new head: target += the average of the form over the selected positions. A number that is a
        target has one component.
        """
        to, _ = _single(target, "what a head adds to")
        return self._with(_writes=[*self._writes, ("add", to, linear(form))])

    @returns_new_value
    def set(self, value: Truth) -> Fetch:
        """Returns a new head: cell := value, where the head selects the token itself; overwrites."""
        return self._with(_writes=[*self._writes, ("set", as_value(value), Said())])

    def _statement(self) -> str:
        missing = "has no selector: expected .causal(...) or .unmasked(...)"
        require(self._selects._text != "", f"fetch '{self._name}' {missing}")
        writes = [part for write in self._writes for part in ("\n   ", *write)]
        return Said("  fetch", quoted(self._name), self._selects, self._under, *writes)._text


class Statements(Said):
    """Statements that run one after the other."""

    _heads: Sequence[Fetch] = ()


Stated = Union[Fetch, Statements, Sequence[Union[Fetch, Statements]]]


def statements(said: Any) -> list[Fetch | Statements]:
    """Heads and other statements, and lists of them, one after the other."""
    if isinstance(said, Statements) and not said._text:
        return list(said._heads)
    if isinstance(said, (Fetch, Statements)):
        return [said]
    if not isinstance(said, (list, tuple)):
        expected = "expected statements, as fetch(...), lookup(...)"
        raise BadInput(f"{expected}, found a {type(said).__name__}")
    return [statement for part in said for statement in statements(part)]


def fetch(name: str) -> Fetch:
    """Starts a head with this name."""
    return Fetch(name)


def undone(heads: Stated) -> Statements:
    """The same heads again with negated averages, which undoes what they added. Copied and set values stay.
    BadInput for a statement that is not a head.
    """
    again = []
    for head in statements(heads):
        if not isinstance(head, Fetch):
            expected = "expected statements fetch alone"
            raise BadInput(f"undone(...) takes back what heads added: {expected}")
        head.use()
        added = [(add, to, -linear(form)) for add, to, form in head._writes if add == "add"]
        if added:
            again.append(head._with(_name=f"{head._name}_again", _writes=added))
    said = Statements()
    said._heads = again
    return said


class Rule(Said):
    """Where all conditions hold, the cells get these values; `when(...).then(...)` makes one."""

    def __init__(self, conditions: Sequence[Value], then: Sequence[Value] = ()) -> None:
        """Internal. Use `when`."""
        super().__init__("\n    rule", *conditions, "->", *then)
        self._when, self._then = conditions, then

    def then(self, *values: Truth) -> Rule:
        """The rule that assigns these values."""
        return Rule(self._when, list(map(as_value, values)))


def when(*values: Truth) -> Rule:
    """`when(act, ~odd).then(act)`, `when().then(~act)`: no cell twice on either side."""
    return Rule(list(map(as_value, values)))


def under(conditions: Sequence[Truth], rules: Sequence[Rule]) -> list[Rule]:
    """The rules, each under these conditions as well, which come first."""
    first = list(map(as_value, conditions))
    return [Rule([*first, *rule._when], rule._then) for rule in rules]


def lookup(name: str, rules: Sequence[Rule], otherwise: Sequence[Truth] = ()) -> Statements:
    """A finite table: for each cell that is assigned exactly one of its rules holds, whatever the cells of the
    conditions hold; a cell of `otherwise` gets that value where none does. Overwrites.
    """
    require(all(rule._then for rule in rules), f"lookup '{name}': a rule assigns nothing")
    last: list[str | Said] = ["\n    else", *map(as_value, otherwise)] if otherwise else []
    return Statements("  lookup", quoted(name), *rules, *last)


def move(target: Cell, source: Cell, when: Sequence[Truth] = ()) -> Statements:
    """target := source, of the same type; overwrites. With conditions, no cell twice, only where all of them hold:
    `move(J, sJ, when=[act, ~odd])`; the target has a value before.
    """
    conditions: list[str | Said] = ["when", *map(as_value, when)] if when else []
    return Statements("  move", target, source, *conditions)


def erase(*cells: Union[Cell, Sequence[Cell]]) -> Statements:
    """cells := 0."""
    return Statements("  erase", *_cells(cells, "erase"))


class Normalise(Said):
    """`normalise(I)`, still without its group."""

    def from_(self, *group: Linear) -> Statements:
        """The targets, blank before, := the group divided by its norm. Each of the group is one component,
        possibly with a factor > 0.
        """
        return Statements(self, "from", *(_weighted(form, "what is normalised") for form in group))


def normalise(*targets: Cell) -> Normalise:
    """`normalise(I, E).from_(a[0], a[1])`: unit vectors."""
    return Normalise("  normalise", *_cells(targets, "normalise"))


class Test(Said):
    """`test(e)`, still without the question."""

    def zero(self, number: Linear) -> Statements:
        """e := [number = 0], where e was true at every token."""
        return self._asked("zero", number)

    def positive(self, number: Linear) -> Statements:
        """e := [number > 0], where e was false at every token."""
        return self._asked("positive", number)

    def _asked(self, question: str, number: Linear) -> Statements:
        # A component as it stands: a factor could turn its sign.
        component, factor = _single(number, "what is tested")
        require(factor == 1, "what is tested is one component without a factor")
        return Statements(self, question, component)


def test(flag: Flag) -> Test:
    """`test(e).zero(D)`, `test(e).positive(D)`: exact comparisons with 0."""
    return Test("  test", flag)


test.__test__ = False  # type: ignore[attr-defined]  # `from logdepth.cells import *` gives pytest no test
check_calls(globals(), __all__)
