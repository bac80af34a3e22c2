"""A construction, written down: what `logdepth.cells` says, as the text form (`.cells`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, Optional, TypeVar, Union

from . import _bindings, dropped
from .arguments import check_calls, require
from .cells import Cell, Constant, Direction, Fetch, Flag, Key, Linear, Number, OneHot, Pointer
from .cells import PositionCode, Said, Stated, Truth, Value, Vector, as_value
from .cells import linear, numbered, quoted, statements
from .errors import BadInput

Lifetime = Literal["permanent", "state", "scratch"]
Padding = Literal["n3", "n3-n2", "n4-n2"]
Kind = TypeVar("Kind", bound=Cell)

_HEADER = "logdepth-cells 1"
_KINDS: dict[str, type[Cell]] = {
    kind.__name__.lower(): kind
    for kind in (Constant, Flag, OneHot, Key, Pointer, Direction, Number)
}
# Of these lines a program has one each.
_ONCE = (
    "program construction source alphabet begin no-begin end input unroll relation prefix".split()
)
_QUOTED = r'"((?:[^"\\]|\\.)*)"'


def _words(line: str) -> list[str]:
    """The words of a line, as they are without quotation marks."""

    def plain(inside: re.Match[str]) -> str:
        return re.sub(r"\\(.)", lambda mark: "\n" if mark[1] == "n" else mark[1], inside[1])

    return [re.sub(_QUOTED, plain, word[0]) for word in re.finditer(rf'(?:[^ "]|{_QUOTED})+', line)]


def _canonical(text: str) -> str:
    """A text made of a program, as the library prints it. BadInput names the line that is wrong."""
    try:
        return _bindings.program_text(text, "program")
    except BadInput as error:
        place, _, sentence = str(error).partition(": ")
        line = text.split("\n")[int(place.rpartition(":")[2]) - 1]
        raise BadInput(f"{line.strip()}: {sentence}") from None


class Program:
    """A construction, written down: cells with their types, then statements in the order in which a
    theorist writes them, one after the other at every token at once (compiler/README.md has the
    meaning of each word). Setters answer with the program itself.

        p = logdepth.Program("majority").alphabet(["0", "1"]).fixed_loops(0)
        letter = p.onehot("letter", ["begin", "zero", "one"])
        margin = p.number("margin")
        p.token(BEGIN, letter == "begin")
        p.token("0", letter == "zero").token("1", letter == "one")
        p.final(fetch("count").causal(uniform())
                .add(margin, letter["one"] - letter["zero"] - letter["begin"] / 2))
        p.output("accept", margin).output("reject")

    Errors: BadInput for a name, label or component that is not there, where it is written; that
    the program as a whole obeys the rules is found when it is compiled.
    """

    def __init__(self, name: str) -> None:
        """A program without cells and statements."""
        if not isinstance(name, str):
            raise TypeError(f"Program: expected (name: str), found ({type(name).__name__})")
        self._record = dropped.Record()
        self._name = name
        self._cells: dict[str, Cell] = {}
        self._lines: list[str] = []
        self._once = {"program": f"program {quoted(name)}"}
        self._tokens: dict[str, str] = {}
        self._blocks: dict[str, list[str]] = {"initial": [], "repeated": [], "final": []}

    @staticmethod
    def from_text(text: str, source: str = "program") -> Program:
        """Parses a program text (`.cells`), to extend or compile; `source` names it in messages. BadInput with
        line and expected text.
        """
        block = None
        lines = _bindings.program_text(text, source).split("\n")[1:]
        program = Program(_words(lines[0])[1])
        for line in filter(None, lines):
            if line.startswith(" "):
                program._blocks[block or ""].append(line)
            elif line in program._blocks:
                block = line
            else:
                program._read(line)
        return program

    def _read(self, line: str) -> None:
        """Takes a line outside the blocks."""
        keyword, *rest = _words(line)
        if keyword == "token":
            self._tokens[rest[0]] = line
        elif keyword in _ONCE:
            self._once[keyword.replace("no-begin", "begin")] = line
        elif keyword == "parameter":
            self._once[f"parameter {rest[0]}"] = line
        else:
            self._lines.append(line)
        if keyword == "cell":
            name, *type_ = rest
            self._cells[name] = self._cell(name, *type_[type_[0] in ("state", "scratch") :])

    def _cell(self, name: str, kind: str, *rest: str) -> Cell:
        of = _KINDS[kind]
        if kind == "onehot":
            return OneHot(name, rest, self._record)
        if of in (Key, Pointer):
            return of(name, 4 if rest[0] == "two-circle" else 2, self._record)
        return of(name, int(rest[0]) if rest else 1, self._record)

    def _text(self) -> str:
        """The canonical text, whatever was dropped."""
        lines = [_HEADER, *self._lines, *self._once.values(), *self._tokens.values()]
        for name, block in self._blocks.items():
            lines += [name, *block] if block else []
        return _canonical("\n".join(lines))

    def _own(self, *parts: Union[str, Said], statement: str = "") -> str:
        """These words. BadInput for a cell of another program."""
        said = Said(*parts)
        stranger = f"a cell that program '{self._name}' has not declared: it belongs to another one"
        require(said._records <= {self._record}, statement + stranger)
        return said._text

    def _add(self, *parts: Union[str, Said]) -> Program:
        """Takes a line."""
        self._lines.append(self._own(*parts))
        return self

    def _set(self, key: str, *parts: Union[str, Said]) -> Program:
        """Takes a line that a program has once, in place of what it had."""
        self._once[key] = self._own(*parts)
        return self

    # What it is.

    def construction(self, text: str) -> Program:
        """Name of the construction."""
        return self._set("construction", "construction", quoted(text))

    def source(self, text: str) -> Program:
        """Its source: paper and statement."""
        return self._set("source", "source", quoted(text))

    def hypothesis(self, text: str) -> Program:
        """Its hypotheses, one sentence each."""
        return self._add("hypothesis", quoted(text))

    def deviation(self, text: str) -> Program:
        """Its deviations from the source, with reasons, one sentence each."""
        return self._add("deviation", quoted(text))

    def parameter(self, name: str, value: str) -> Program:
        """A parameter of the construction."""
        return self._set(f"parameter {name}", "parameter", quoted(name), quoted(value))

    def alphabet(self, letters: Union[str, Sequence[str]]) -> Program:
        """Reads words over these letters, which have one or more characters each, or over the characters of a
        string.
        """
        return self._set("alphabet", "alphabet", *map(quoted, letters))

    def no_begin(self) -> Program:
        """Adds no token before the first letter."""
        return self._words_alone()._set("begin", "no-begin")

    def end(self) -> Program:
        """Adds a token `<end>` after the last letter."""
        return self._words_alone()._set("end", "end")

    def _words_alone(self) -> Program:
        require("input" not in self._once, "only words have a beginning and an end token")
        return self

    def _reads(self, words: str) -> Program:
        for line in ("begin", "end"):
            self._once.pop(line, None)
        return self._set("input", f"input {words}")

    def reads_cells(self) -> Program:
        """Reads raw streams: the given cells of every token."""
        return self._reads("cells")

    def reads_adjacency(self, padding: Padding = "n3-n2", size: Optional[int] = None) -> Program:
        """It reads graphs: the n^2 tokens of an adjacency matrix, so many of padding behind them, s and t.
        `size`: made for graphs of that size.
        """
        of_size = "" if size is None else f" size {size}"
        return self._reads(f"graph adjacency {padding}{of_size}")

    def reads_rows(self, size: int) -> Program:
        """It reads graphs of `size` vertices: a token for each, given its row of the adjacency matrix."""
        return self._reads(f"graph rows size {size}")

    def _loops(self, words: str) -> Program:
        _, most, size = self._once.get("unroll", "").partition(" max ")
        return self._set("unroll", f"unroll {words}{most}{size}")

    def fixed_loops(self, loops: int) -> Program:
        """Sets a fixed number of iterations of the repeated block."""
        return self._loops(f"fixed {loops}")

    def log_loops_of_letters(self, base: int = 2, minus: int = 0) -> Program:
        """ceil(log_base(n - minus)) times for n letters; minus is 0 or 1."""
        return self._loops(f"ceil_log{'' if base == 2 else ' '}{base} letters minus {minus}")

    def log_loops_of_vertices(self, base: int = 2, minus: int = 0) -> Program:
        """ceil(log_base(n - minus)) times for n vertices; minus is 0 or 1."""
        return self._loops(f"ceil_log{'' if base == 2 else ' '}{base} vertices minus {minus}")

    def at_most(self, size: int) -> Program:
        """Longer inputs are rejected (hypothesis violated)."""
        loops = self._once.get("unroll", "unroll ceil_log2 letters minus 0").partition(" max ")[0]
        return self._set("unroll", f"{loops} max {size}")

    # Its cells.

    def _declare(self, kind: type[Kind], name: str, lifetime: Lifetime, *rest: Any) -> Kind:
        require(name not in self._cells, f"cell {name} is declared twice")
        words = ["cell", quoted(name), *([] if lifetime == "permanent" else [lifetime])]
        line = " ".join([*words, kind.__name__.lower(), *map(str, rest)])
        _canonical(f"{_HEADER}\n{line}")
        self._read(line)
        cell = self._cells[name]
        assert isinstance(cell, kind)
        return cell

    def constant(self, name: str = "one") -> Constant:
        """The number 1 at every token; at most one such cell."""
        return self._declare(Constant, name, "permanent")

    def flag(self, name: str, lifetime: Lifetime = "permanent") -> Flag:
        """A cell that is true (+1) or false (-1). `lifetime` of this and the others: "permanent", not written by
        the repeated block; "state", carried from loop to loop; "scratch", zero at the beginning and at the end
        of the repeated block.
        """
        return self._declare(Flag, name, lifetime)

    def flags(self, name: str, count: int, lifetime: Lifetime = "permanent") -> list[Flag]:
        """Flags NAME.0, NAME.1, ...: a row of a relation."""
        return [self.flag(each, lifetime) for each in numbered(count, f"{name}.")]

    def onehot(self, name: str, labels: Sequence[str], lifetime: Lifetime = "permanent") -> OneHot:
        """A cell with one of these labels; as many components as labels."""
        return self._declare(OneHot, name, lifetime, *map(quoted, labels))

    def key(self, name: str, code: PositionCode, lifetime: Lifetime = "permanent") -> Key:
        """The code of the token's own position."""
        return self._declare(Key, name, lifetime, code._text)

    def pointer(self, name: str, code: PositionCode, lifetime: Lifetime = "permanent") -> Pointer:
        """The code of some position not after the token."""
        return self._declare(Pointer, name, lifetime, code._text)

    def direction(self, name: str, size: int = 2, lifetime: Lifetime = "permanent") -> Direction:
        """A unit vector of `size` components."""
        return self._declare(Direction, name, lifetime, size)

    def integer_direction(
        self, name: str, size: int = 2, lifetime: Lifetime = "permanent", bound: int = 1
    ) -> Direction:
        """The direction of integers that are at most `bound` times the number of tokens: a hypothesis that the
        construction owes, checked where the program is interpreted.
        """
        return self._declare(Direction, name, lifetime, size, "integers", bound)

    def number(self, name: str, size: int = 1, lifetime: Lifetime = "permanent") -> Number:
        """`size` numbers of any magnitude."""
        return self._declare(Number, name, lifetime, size)

    def cell(self, name: str) -> Union[Constant, Flag, OneHot, Key, Pointer, Direction, Number]:
        """The cell of this name, of a program that is there already. BadInput where there is none."""
        require(name in self._cells, f"program '{self._name}' has no cell {name}")
        return self._cells[name]  # type: ignore[return-value]  # one of these kinds

    # What fills them before the first layer.

    def given(self, cell: Cell) -> Program:
        """The cell comes with the input."""
        return self._add("given", cell)

    def given_position(self, cell: Number) -> Program:
        """(p, 1) at position p."""
        return self._add("given", cell, "position")

    def given_natural(self, cell: Number) -> Program:
        """(m, 1), m >= 1, the same at all tokens."""
        return self._add("given", cell, "natural")

    def given_ratio(self, cell: Direction) -> Program:
        """Of (x, 1) for a rational x."""
        return self._add("given", cell, "ratio")

    def position(self, cell: Cell, back: int = 0) -> Program:
        """The code of max(p - back, 0) at position p, from 0; a flag: whether p = 0."""
        return self._add("position", cell, "back", str(back))

    def position_parity(self, flag: Flag) -> Program:
        """Whether p is even; beside position codes."""
        return self._add("position", flag, "parity")

    def at(self, *entries: Union[Truth, tuple[Vector, int]]) -> Program:
        """The next row of the table of positions: values, and codes of numbers."""
        return self._add("at", *map(_entry, entries))

    def token(self, kind: str, *values: Truth) -> Program:
        """What a kind of token (a letter, BEGIN, END) fills; several calls add up."""
        line = self._tokens.get(kind, f"token {quoted(kind)}")
        self._tokens[kind] = self._own(line, *map(as_value, values))
        return self

    # What happens.

    def _append(self, block: str, said: Sequence[Stated]) -> Program:
        lines = []
        for part in statements(said):
            if isinstance(part, Fetch):
                part.use()
            lines.append(part._statement())
            self._own(part, statement=lines[-1].split("\n")[0].strip() + ": ")
        self._blocks[block] += lines
        return self

    def initial(self, *statements: Stated) -> Program:
        """Statements that run once, before the iterations."""
        return self._append("initial", statements)

    def repeated(self, *statements: Stated) -> Program:
        """What happens in each loop."""
        return self._append("repeated", statements)

    def final(self, *statements: Stated) -> Program:
        """What happens once, after the loops."""
        return self._append("final", statements)

    # What is read off.

    def output(self, name: str, form: Union[Linear, int, None] = None) -> Program:
        """ "accept" and "reject", the larger of which answers, or numbers by name. Without a form: 0."""
        return self._add("output", quoted(name), linear(form))

    def outputs(self, name: str, cell: Vector) -> Program:
        """The components of a cell as NAME.0, ..., or just NAME."""
        names = [name] if len(cell) == 1 else numbered(len(cell), f"{name}.")
        for each, component in zip(names, cell):
            self.output(each, component)
        return self

    def relation(self) -> Program:
        """The outputs are the rows of a relation between vertices."""
        return self._set("relation", "relation")

    def prefix(
        self,
        cell: Union[OneHot, Sequence[Union[OneHot, int]]],
        elements: Sequence[Sequence[int]] = (),
    ) -> Program:
        """Prefix products. Of one cell: over the elements, each a list of images of the points 0, 1, ... Of a
        list: point by point, each a cell whose labels are numbers of points, or always the same one.
        """
        if isinstance(cell, OneHot):
            images = ["[" + ",".join(map(str, element)) + "]" for element in elements]
            return self._set("prefix", "prefix element", cell, *images)
        points = [point if isinstance(point, OneHot) else f"always:{point}" for point in cell]
        return self._set("prefix", "prefix points", *points)

    def prefix_states(self, cell: OneHot, states: Sequence[int]) -> Program:
        """In place of products the state after every prefix: per label of the cell the number of a state, which
        several labels may mean.
        """
        return self._set("prefix", "prefix state", cell, *map(str, states))

    def text(self) -> str:
        """The text form of it, which a `.cells` file holds and `logdepth compile program` reads."""
        dropped.require_none(self._record)
        return self._text()

    def __repr__(self) -> str:
        return f"<program {quoted(self._name, True)}>"


def _entry(entry: Any) -> Said:
    """A row's entry of the table of positions."""
    if isinstance(entry, (Value, Flag)):
        return as_value(entry)
    is_pair = isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], Vector)
    expected = "expected a value of a cell or a pair (cell, number)"
    require(is_pair, f"{expected}, found a {type(entry).__name__}")
    return Said(entry[0], end=f"={entry[1]}")


check_calls(globals())
