"""The constructions of the papers, ready-made: what `logdepth compile` compiles.

Arguments have the names, values and defaults of the command's options, and what is wrong with them is said
in its sentences.
"""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Sequence
from typing import Any, Callable, Literal, Union

from . import _bindings, dropped
from .errors import BadInput
from .exchange import automaton_json
from .inputs import whole, whole_or_none
from .model import Model
from .program import Program

Source = Union[str, "os.PathLike[str]", tuple[str, str]]
"""A file to read, or a pair: what a text is called in messages, and the text."""


def compile(
    program: Program,
    *,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """The network of a program, which does at every token of every input, exactly, what the program says.

    `layernorm`: layer normalisation that subtracts the mean (Def. 2.2 of MS25 has both), otherwise root
    mean square. `strict`: padded so that every query, key and value has width / heads numbers. `unroll`:
    the standard transformer without a loop, for all inputs up to this size. `name`: in the weights; else
    what the program is called. BadInput naming block, statement, cell and reason for a program that breaks
    a rule, and for a call like `head.copy(a, b)` whose result is not part of any statement.
    """
    if not isinstance(program, Program):
        raise TypeError(f"compile: expected a Program, found a {type(program).__name__}")
    dropped.require_none(program._record)
    return Model(_bindings.compile(program._text(), _compiling(layernorm, strict, unroll, name)))


def compile_regular(
    regex: str | None = None,
    *,
    fst: Source | None = None,
    jff: Source | None = None,
    dot: Source | None = None,
    mata: Source | None = None,
    json: Source | None = None,
    automaton: Any = None,
    group: str | None = None,
    alphabet: Sequence[str] | None = None,
    symbols: Source | None = None,
    letters: Literal["generators", "all"] | None = None,
    construction: Literal["scan", "tree", "radix", "cascade", "auto"] = "scan",
    for_length: int | None = None,
    radix: int | None = None,
    block: int | None = None,
    positions: Literal["two-circle", "circle", "fine", "first-flag"] | None = None,
    table: Literal["auto", "matrix", "monoid"] = "auto",
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
    say: Callable[[str], None] | None = None,
) -> Model:
    """A network that recognises a regular language and, in the constructions that multiply, yields every
    prefix product (MS25 Theorem 4.1).

    The language is named by exactly one of `regex`, `fst` (AT&T / OpenFst text), `jff` (JFLAP), `dot`
    (Graphviz, accepting states as doublecircle), `mata` (of the library Mata), `json` (the dictionary of
    Python's libraries as JSON), `automaton` (a DFA or an NFA of automata-lib, or what `logdepth.exchange`
    takes for one: a dict as well) and `group` (a group or monoid: "A5", "Z6", "flipflop"). `alphabet` gives
    the letters of all but groups in their order, `symbols` the symbols file of `fst`, `letters` those of a
    group: its generators or "all" elements.

    `construction`: "scan" (Theorem 4.1), "tree" (with the paper's own tree), "radix" (Corollary 4.2; `radix`
    products in a layer, `block` layers in the loop), "cascade" (Krohn and Rhodes, constant depth where the
    groups are solvable), "auto" (the one of the fewest layers for words of `for_length` letters).
    `positions` is their code, `table` how products are looked up; the rest as of `compile`. `say` is called
    with every line that the command prints on its way; without it, notes are warnings. BadInput and LimitReached as the command.
    """
    if automaton is not None:
        if json is not None:
            raise BadInput("expected json or automaton to name the language, found both")
        json = ("automaton", automaton_json(automaton))
    if not isinstance(regex, (str, type(None))):
        raise BadInput(
            "expected a regular expression as a str; an automaton is given as automaton=..., "
            f"found a {type(regex).__name__}"
        )
    named = _bindings.AutomatonSource()
    named.regex, named.group = regex, group
    named.fst, named.jff, named.dot = _source(fst), _source(jff), _source(dot)
    named.mata, named.json = _source(mata), _source(json)
    named.symbols, named.letters = _source(symbols), letters
    named.alphabet = None if alphabet is None else list(alphabet)
    settings = _bindings.RegularSettings()
    settings.construction = construction
    settings.for_length = whole_or_none("for_length", for_length)
    settings.radix = whole_or_none("radix", radix, 32)
    settings.block = whole_or_none("block", block, 32)
    settings.positions, settings.table = positions, table
    compiling = _compiling(layernorm, strict, unroll, name)
    lines: list[str] = []
    model = Model(_bindings.compile_regular(named, settings, compiling, say or lines.append))
    for note in itertools.takewhile(lambda line: not line.startswith("automaton: "), lines):
        warnings.warn(f"{BadInput(note)}", stacklevel=3)
    return model


def compile_connectivity(
    *,
    construction: Literal["compact", "paper", "rows", "radix", "bounded"] = "compact",
    size: int | None = None,
    radix: int | None = None,
    for_vertices: int | None = None,
    padding: Literal["n3", "n3-n2"] | None = None,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network that decides whether t can be reached from s in a graph (MS25 Theorem 5.1).

    `construction`: "compact" (a layer per squaring), "paper" (two, the paper's, repaired), "rows" (a token
    per vertex, all pairs at once, for `size` vertices), "radix" (walks of `radix` times the length in one
    layer, for `size`), "bounded" (a layer fewer, for `for_vertices`). `padding`: tokens behind the n^2 of
    the matrix, "n3-n2" if not given. The rest as of `compile`. BadInput and LimitReached as the command.
    """
    compiling = _compiling(layernorm, strict, unroll, name)
    return Model(
        _bindings.compile_connectivity(
            construction,
            whole_or_none("size", size, 32),
            whole_or_none("radix", radix, 32),
            whole_or_none("for_vertices", for_vertices, 32),
            padding,
            compiling,
        )
    )


def compile_division(
    *,
    construction: Literal["compact", "paper", "floor"] = "compact",
    own_argument: bool = False,
    unit_inputs: bool = False,
    for_length: int | None = None,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network that gives quotient and remainder of a_i by m at every token, from raw streams (MS25 Lemma
    3.1).

    `construction`: "compact" (fewest layers for every length), "paper" (the paper's steps, repaired),
    "floor" (fewest layers for `for_length` tokens, from unit vectors). `own_argument`: the position itself
    is divided (compact, floor); `unit_inputs`: phi(i) and the direction of (i, m) are given (compact). The
    rest as of `compile`. BadInput and LimitReached as the command.
    """
    compiling = _compiling(layernorm, strict, unroll, name)
    return Model(
        _bindings.compile_division(
            construction,
            own_argument,
            unit_inputs,
            whole_or_none("for_length", for_length),
            compiling,
        )
    )


def compile_crasp(
    program: Source,
    *,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
    say: Callable[[str], None] | None = None,
) -> Model:
    """A network that decides what a C-RASP program (docs/crasp.md) decides, at every length.

    BadInput with the line of the program; the rest as of `compile_regular`.
    """
    source = _source(program)
    assert source is not None
    return Model(
        _bindings.compile_crasp(source, _compiling(layernorm, strict, unroll, name), say)
    )


def compile_computation_graph(
    *,
    construction: Literal["compact", "pairwise"] = "compact",
    prime: int = 3,
    names: int = 32,
    operands: int = 3,
    depth: int = 1,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network for arithmetic modulo `prime` on computation graphs of `names` variables, expressions of at
    most `operands` (1 to 3) operands and at most this `depth`, one iteration per unit of depth.

    `construction`: "compact" (a layer per unit of depth), "pairwise" (an operation in each, smaller tables).
    The rest as of `compile`. BadInput and LimitReached as the command.
    """
    compiling = _compiling(layernorm, strict, unroll, name)
    return Model(
        _bindings.compile_computation_graph(
            construction,
            whole("prime", prime, 32),
            whole("names", names, 32),
            whole("operands", operands, 32),
            whole("depth", depth, 32),
            compiling,
        )
    )


def compile_khop(
    *,
    hops: int = 2,
    form: Literal["fixed", "loops", "token"] = "fixed",
    letters: int = 4,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network of k-hop induction heads: at every token the letter that `hops` hops lead to, each to the
    place behind the last occurrence of the letter (Sanford, Hsu, Telgarsky 2024, Theorem 4.2).

    `form`: "fixed" (any number of hops), "loops" (a power of two, one loop per doubling), "token" (the
    number with which the word begins, at most `hops`). `letters`: how many, from "a" on. The rest as of
    `compile`. BadInput as the command.
    """
    compiling = _compiling(layernorm, strict, unroll, name)
    numbers = whole("hops", hops, 32), whole("letters", letters, 32)
    return Model(_bindings.compile_khop(numbers[0], form, numbers[1], compiling))


def compile_formula(
    *,
    algebra: Literal["boolean", "mod2", "mod3", "mod4", "mod5", "mod6", "mod7"] = "boolean",
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network that finds the value of formulas in postfix order, in 4 ceil(log2 n) + 7 layers (Jerad et al.
    2026; Rytter 1985).

    `algebra`: "boolean" (letters 0 1 ! & |, accepted where the value is 1), "mod2" to "mod7" (letters 0 1 ...
    + *, an output per value and `none` for what is no formula). The rest as of `compile`. BadInput as the
    command.
    """
    return Model(_bindings.compile_formula(algebra, _compiling(layernorm, strict, unroll, name)))


def compile_ltl(
    formula: str,
    *,
    alphabet: Sequence[str] | None = None,
    layernorm: bool = False,
    strict: bool = False,
    unroll: int | None = None,
    name: str = "",
) -> Model:
    """A network that accepts the words at whose last letter a formula of past temporal logic holds, one layer
    per temporal operator inside another (Yang, Chiang, Angluin 2024).

    Letters (lower case, or in double quotes), true, false, ! & | -> <->, Y (at the previous position), O
    (once), H (always so far), S (since): "H(g -> Y(!g S r))". The alphabet, if none is given, is that of
    the letters in their order. The rest as of `compile`. BadInput with the place in the formula.
    """
    compiling = _compiling(layernorm, strict, unroll, name)
    letters = None if alphabet is None else list(alphabet)
    return Model(_bindings.compile_ltl(formula, letters, compiling))


def _compiling(
    layernorm: bool, strict: bool, unroll: int | None, name: str
) -> _bindings.CompileSettings:
    settings = _bindings.CompileSettings()
    settings.layernorm, settings.strict = layernorm, strict
    settings.unroll, settings.name = whole_or_none("unroll", unroll), name
    return settings


def _source(source: Source | None) -> _bindings.SourceFile | None:
    if source is None:
        return None
    if isinstance(source, tuple):
        return _bindings.SourceFile(*source)
    return _bindings.SourceFile(os.fspath(source))


def zoo(name: str) -> Model:
    """A compiled network whose algorithm is known, by a name of `zoo_networks`: "group-S3", "tomita4". BadInput
    for another name."""
    return Model(_bindings.zoo(name))


def zoo_networks() -> dict[str, str]:
    """What each network of `zoo` computes, by its name. `logdepth zoo FOLDER` writes all of them, with exports."""
    return _bindings.zoo_networks()
