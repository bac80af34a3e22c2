"""A network, its runs and its tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, Literal

from . import _bindings
from ._bindings import (
    Answer,
    Certification,
    ClaimSheet,
    DivisionTestResult,
    ExportReport,
    FirstDifference,
    GraphTestResult,
    RoundedAnswer,
    TestResult,
)
from .circuit import Circuit
from .drawing import Drawing
from .errors import BadInput, Undecided
from .inputs import Input, Word, as_asked, whole
from .program import Program
from .traces import Trace

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    from .widget import RunWidget


class Model:
    """A transformer with exact rational weights, as a weights file has it (runtime/README.md).

    It never changes, and threads may use one together: the interpreter is free for them while it runs.
    `compile`, `load` and the functions `compile_...` make one.
    """

    def __init__(self, transformer: _bindings.Transformer) -> None:
        """Internal. Use load(), from_text() or a compile function."""
        self._transformer = transformer

    @property
    def name(self) -> str:
        """Name given by its author."""
        return self._transformer.name

    @property
    def alphabet(self) -> list[str]:
        """The letters of its words, in their order; empty where it reads something else."""
        return self._transformer.alphabet

    @property
    def sha256(self) -> str:
        """Names the weights: 64 hexadecimal digits, as `logdepth info` prints them."""
        return self._transformer.sha256

    def depth(self, n: int) -> int:
        """The layers that an input of n letters, vertices or given tokens is run through."""
        return self._transformer.depth(whole("n", n))

    def text(self) -> str:
        """The bytes of the weights file: the same network gives the same ones."""
        return self._transformer.text()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the weights file, gzip where the name ends in .gz; it appears when it is complete.

        BadInput when it cannot be written.
        """
        self._transformer.save(os.fspath(file))

    def info(self) -> ClaimSheet:
        """The model card: sizes, cells with their meanings, heads, states, hypotheses, what is proved."""
        return self._transformer.inspect()

    def program(self) -> Program:
        """The embedded program, from which the network was compiled; `text()` of it is the text form.

        The result is a copy: change it and compile it again. BadInput where the file has no program.
        """
        return Program.from_text(self._transformer.program())

    def run(self, input: Input) -> Answer:
        """Runs an input, exactly: no rounding, ties found, every selection contract checked.

        An input is a word ("aabb", ["set", "keep"]), a `Reach(graph, source, target)`, or a dict of raw
        streams. BadInput for what the network does not read, and for a letter outside its alphabet;
        LimitReached for an input that needs more than 8 GiB. What is not decided is no error but an `Answer`
        that says so.
        """
        return self._transformer.run(as_asked(input))

    def run_all(self, words: Iterable[Word], *, prefixes: bool = False) -> list[Answer]:
        """Runs many words, faster than one by one: what was computed for one is remembered for the next.

        `prefixes`: the answers have `products` or `states` as well. Errors: as `run`.
        """
        return self._transformer.run_all(words, prefixes)

    def prefixes(self, word: Word) -> list[list[int]] | list[int]:
        """The product of the first 1, 2, ... letters, each as the images of the points 0, 1, ... (letters x
        points); of a file that reads states the state after each of them (letters).

        BadInput where the file has no prefix readout; Undecided where one is not decided.
        """
        answer = self.run(word)
        found = answer.products if answer.products is not None else answer.states
        if found is not None:
            return found
        if answer.reason:
            raise Undecided(answer.reason, answer.decision)
        raise BadInput(f"the weights file '{self.name}' has no prefix readout")

    def prefix_array(self, words: Iterable[Word]) -> numpy.typing.NDArray[numpy.int32]:
        """The same of many words as one array, words x letters x points: -1 behind a word's end and where it
        is not decided; states are one point. Needs numpy. Errors: as `run`; BadInput where the file does not
        say how prefixes are read.
        """
        import numpy

        spelled = [self._transformer.word(word) if isinstance(word, str) else word for word in words]
        answers = self.run_all(spelled, prefixes=True)
        found = [answer.states if answer.products is None else answer.products for answer in answers]
        if answers and all(prefixes is None and not answer.reason for prefixes, answer in zip(found, answers)):
            raise BadInput(f"the weights file '{self.name}' has no prefix readout")
        points = max((numpy.size(prefixes[0]) for prefixes in found if prefixes), default=1)
        array = numpy.full((len(spelled), max(map(len, spelled), default=0), points), -1, numpy.int32)
        for rows, prefixes in zip(array, found):
            if prefixes:
                rows[: len(prefixes)] = numpy.reshape(prefixes, (-1, points))
        return array

    def divide(self, dividend: int, divisor: int) -> tuple[int, int]:
        """Quotient and remainder by a network of the division lemma, at the position `dividend`.

        BadInput where it is no such network, for the divisor 0, and for a dividend above 1000000; Undecided
        where nothing was computed.
        """
        quotient, remainder, answer = self._transformer.divide(
            whole("dividend", dividend), whole("divisor", divisor)
        )
        if not quotient:
            raise Undecided(answer.reason, answer.decision)
        return int(quotient), int(remainder)

    def trace(self, input: Input) -> Trace:
        """Runs an input and keeps every number of the run. LimitReached for more than 2^28 of them."""
        return Trace(self._transformer.trace(as_asked(input)), lambda: self.draw(input))

    def rounded(
        self,
        engine: str = "float64",
        *,
        device: Literal["cpu", "cuda"] = "cpu",
        temperature: float | None = None,
        rule: Literal["bounded", "plain", "snapped"] = "bounded",
        tolerance: float = 0,
        threads: int = 1,
    ) -> Rounded:
        """The same weights in floating point, to be run as this network is.

        `engine`: "float64", "float32" or "mpfr:BITS" with 2 to 500 bits. `temperature`: softmax of so many
        times the score in place of averaging the largest ones. `rule`: what a head takes for the largest
        score and a test for zero: "bounded" (what error bounds say; the only rule that certifies), "plain"
        (equal numbers), "snapped" (within `tolerance`). BadInput here for a setting that is none.
        """
        settings = _bindings.rounded(
            engine, device, temperature, rule, tolerance, whole("threads", threads)
        )
        return Rounded(self._transformer, settings)

    def test(
        self,
        against: Callable[[Any], bool | Mapping[str, Any]] | str,
        *,
        up_to: int = 6,
        random: int = 200,
        max_length: int = 100,
        seed: int = 1,
        batch: Iterable[Word] = (),
    ) -> TestResult:
        """Asks it every word of at most `up_to` letters and `random` longer ones of at most `max_length`,
        half of them long runs of few letters: whether its exact answer is right, whether every head
        selects what it promises, whether as many layers run as it claims, and whether a word beyond its
        limit is refused. The same seed asks the same words. `batch`: words that are asked before these.

        `against` says what is right. A function is called with a word (a str where all letters are single
        characters, else a tuple of letters), perhaps more than once: whether it is accepted; of a network
        that answers with named numbers a dict of ints, Fractions or Reals, the numbers of the last token.
        What is no bool (None, which a forgotten `return` gives; a match; a text) is BadInput. What it raises
        ends the test and comes through as it is. A str is what `logdepth test --against` knows: a regular
        expression, "group:A5", "fst:FILE", ...

        The result is true where nothing is wrong; otherwise `result.wrong` is a shrunk word. BadInput where
        the network reads no words, and when up_to means more than 2^24 words.
        """
        asked = _questions(up_to, random, "max_length", max_length, seed)
        if isinstance(against, str):
            return self._transformer.test_against(against, asked, batch)
        return self._transformer.test_function(against, asked, batch)

    def test_graphs(
        self,
        connected: Callable[[dict[int, list[int]], int, int], bool] | None = None,
        *,
        up_to: int = 2,
        random: int = 20,
        max_size: int = 5,
        seed: int = 1,
        undirected: bool = False,
    ) -> GraphTestResult:
        """Asks it about every graph of at most `up_to` vertices and `random` larger ones of at most
        `max_size`, each with many sources and targets; otherwise as `test`.

        `connected(graph, source, target)` says what is right of a graph given as a dict of each vertex to
        those that it leads to; without it a search does. BadInput where the network reads no graphs, and
        when up_to means more than 2^20 questions.
        """
        asked = _questions(up_to, random, "max_size", max_size, seed)
        return self._transformer.test_graphs(connected, asked, undirected)

    def test_division(
        self, *, up_to: int = 8, random: int = 10, max_length: int = 40, seed: int = 1
    ) -> DivisionTestResult:
        """Asks a network of the division lemma for all dividends below `up_to` by all divisors up to it, and
        `random` inputs of at most `max_length` tokens, and compares with exact division at every token.

        BadInput where it is no such network.
        """
        return self._transformer.test_division(
            _questions(up_to, random, "max_length", max_length, seed)
        )

    def export(
        self,
        target: Literal["torch", "safetensors", "onnx", "transformer-lens", "circuit"],
        path: str | os.PathLike[str],
        *,
        length: int,
        temperature: Literal["auto", "tested", "hard"] | float = "auto",
        precision: Literal["float64", "float32"] = "float64",
        seed: int = 1,
        certify: bool = False,
        pairs: int | None = None,
    ) -> ExportReport:
        """Writes it in floating point for other programs to `path`: a folder, or of "onnx" a file.

        `length`: letters of the longest word, vertices of the largest graph, or tokens of the longest stream.
        `temperature`: of the softmax, "auto" for what the proved separations ask for, "tested" for the least power of
        two that passes the self-test (with `certify`, at which every answer is certified), or a number; "hard" for
        averaging-hard attention. Before anything is written, the numbers that are to be written are evaluated on
        short words, on powers of letters, on random words (`seed`) and on all their prefixes, and give the answers of
        the exact run. docs/exports.md shows how they are opened; to write them, none of those packages is needed.

        "circuit" writes no numbers but who reads what of whom, with pairs of words that differ in a letter and in the
        verdict (`pairs` of them; 64), and has no temperature and no precision (docs/circuits.md).

        `certify`: also writes certificate.json, bounds that hold for every word up to the length, which
        recheck/float_recheck.py confirms; not for "onnx". It needs the program python3.

        ExportRefused for what the target cannot say, and where no temperature is proved for the length; ExportWrong
        where the self-test fails, or the certificate is not shown; BadInput for a length of 0 or beyond the network's
        own limit, for a temperature that is none or beyond the format's numbers, where the path cannot be written,
        and for `certify` where python3 is missing; LimitReached.
        """
        return self._transformer.export(
            target,
            os.fspath(path),
            whole("length", length),
            temperature,
            precision,
            whole("seed", seed),
            certify,
            None if pairs is None else whole("pairs", pairs),
        )

    def circuit(self, letters: int, norms: Literal["exported", "file"] = "exported") -> Circuit:
        """Which part reads what which other part writes, exactly, for words of at most so many letters.

        `norms`: "exported", where a scale that is proved to be constant is part of the matrices, or "file", where
        every norm is computed of what its reader sees. BadInput where the network reads no words, and for a length of
        0 or beyond its limit.
        """
        if norms not in ("exported", "file"):
            raise BadInput(f"norms: expected exported or file, found {norms!r}")
        return Circuit(self._transformer.circuit(whole("letters", letters), norms == "file"), self)

    def draw(
        self,
        input: Input | None = None,
        *,
        against: str = "",
        program: Program | None = None,
    ) -> Drawing:
        """Its circuit, or its run on an input: who attends where, layer by layer, in red what breaks; of a
        graph what is known loop by loop, where the file says where it keeps it.

        `against` and `program` are those of `check`: what differs from them is red, and the first value
        that differs has a red ring. `Drawing.notes` says which comparison was left out, and why.
        BadInput for a word of more than 80 tokens, where Graphviz is not installed, and for `against` or
        `program` without an input.
        """
        network = self._transformer
        if input is None:
            if against or program is not None:
                raise BadInput("against and program require an input")
            return Drawing(network.svg(), network.draw)
        asked, text = as_asked(input), _text(program)
        svg, notes = network.svg(asked, against, text)
        return Drawing(svg, lambda file: network.draw(asked, file, against, text), notes)

    def widget(self, input: Input = "", *, layer: int = 1, token: int = -1) -> RunWidget:
        """A run on an input with a slider over its layers, for a notebook: who reads whom, the exact numbers of
        every token, the contracts of the heads. A word can be changed in it. Nothing is loaded from a network.

        The browser waits for the run, so it shows inputs of at most 256 tokens. BadInput as `run`;
        ModuleNotFoundError without anywidget, which the extra `widget` installs.
        """
        try:
            from .widget import RunWidget
        except ModuleNotFoundError as error:
            if error.name not in ("anywidget", "traitlets"):
                raise
            raise ModuleNotFoundError(
                "Model.widget requires anywidget: pip install 'logdepth[widget]'", name=error.name
            ) from None
        return RunWidget(self, input, layer, token)

    def check(self, input: Input, *, against: str = "", program: Program | None = None) -> Check:
        """Runs one input and reports what is wrong: a violated selection contract, and whatever differs
        from `against` and `program`. `test` does the same for many words.

        `against` is what `logdepth draw --against` takes: a regular expression, "group:A5", "fst:FILE",
        "graph:reachability", "division", ...; answer and prefixes are compared. With `against`, the run is
        also compared with the embedded program, or with `program` if it is given, value by value;
        "program" does only that. BadInput where they do not fit the network.
        """
        return Check(*self._transformer.check(as_asked(input), against, _text(program)))

    def diff(
        self,
        input: Input,
        *,
        program: Program | None = None,
        engine: str = "exact",
        rule: Literal["plain", "bounded"] | None = None,
        scores: Literal["product", "distance"] | None = None,
    ) -> FirstDifference | None:
        """The first value of a run that differs from the embedded program, or from `program`; with
        another `engine` the first value of a floating-point run that differs from the exact run by more
        than its error bound. None where all values are equal. Arguments are those of `logdepth diff`.

        Undecided for an input that the network does not support; BadInput where the network has no
        embedded program.
        """
        first, refused = self._transformer.diff(
            as_asked(input), _text(program), engine, rule, scores
        )
        if refused:
            raise Undecided(refused, "outside_hypotheses")
        return first

    def certify(self) -> Certification:
        """Certifies the weights correct for every word of every length, from the matrices alone.

        The result is true where the answers are certified, and has statement and certificate. It has them too, and is
        false, where the theorem is `selections`: what heads select and norms are. Without a theorem `failed`
        has each that was tried, with the step that fails. TRUST.md says what this rests on.
        """
        return self._transformer.certify()

    def recheck(self, certificate: str) -> Certification:
        """What a certificate certifies of these weights, with the code of `logdepth-recheck`, whoever made it.

        As `certify`; without a theorem `failed` has the step. BadInput for what is no certificate.
        """
        return self._transformer.recheck(certificate)

    def division(self, dividend: int, divisor: int) -> dict[str, list[str]]:
        """The raw streams of a division, for `run`, `trace`, `draw`, `check` and `diff`: the last token
        divides. BadInput where the network is not of the division lemma.
        """
        return self._transformer.division_streams(
            whole("dividend", dividend), whole("divisor", divisor)
        )

    def __reduce__(self) -> tuple[Callable[[str, str], Model], tuple[str, str]]:
        """Copies and pickles, as other processes are sent them, are the text of the weights file."""
        return from_text, (self.text(), self.name)

    def __repr__(self) -> str:
        return f"<model {self.name}, {self.sha256[:8]}>"


class Check:
    """What is wrong in one run; true where nothing is.

    `answer` is that of `Model.run`, `problems` are sentences, `notes` say which comparison was left out.
    """

    def __init__(self, answer: Answer, problems: list[str], notes: list[str]) -> None:
        """Of `Model.check`."""
        self.answer = answer
        self.problems = problems
        self.notes = notes

    def __bool__(self) -> bool:
        return not self.problems

    def __repr__(self) -> str:
        return "<check passed>" if self else "<check failed: " + "; ".join(self.problems) + ">"


class Rounded:
    """A network in floating point. Every answer says whether an exact run is proved to give the same."""

    def __init__(self, transformer: _bindings.Transformer, settings: _bindings.RoundedSettings) -> None:
        """Of the extension module; `Model.rounded` makes one."""
        self._transformer = transformer
        self._settings = settings

    def run(self, input: Input) -> RoundedAnswer:
        """Runs an input, as `Model.run` takes it. BadInput also for a device that is not there."""
        return self._transformer.run_rounded(as_asked(input), self._settings)

    def run_all(self, words: Iterable[Word]) -> list[RoundedAnswer]:
        """Runs many words; the weights are prepared once."""
        return self._transformer.run_rounded_all(words, self._settings)


def _text(program: Program | None) -> str | None:
    return None if program is None else program._text()


def _questions(up_to: int, random: int, name: str, longest: int, seed: int) -> list[int]:
    """Counts as tests take them. BadInput for what is none."""
    counts = {"up_to": up_to, "random": random, name: longest, "seed": seed}
    return [whole(of, count) for of, count in counts.items()]


def load(file: str | os.PathLike[str]) -> Model:
    """Reads a weights file (.json, or gzip whatever the name).

    BadInput naming file, key and line for whatever is not exactly the format.
    """
    return Model(_bindings.Transformer.load(os.fspath(file)))


def from_text(json: str, source: str = "weights") -> Model:
    """Reads the text of a weights file, as `Model.text` gives it; `source` names it in messages."""
    return Model(_bindings.Transformer.from_text(json, source))
