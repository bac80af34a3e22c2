"""What runs answer, against direct calculations in Python."""

import copy
import itertools
import json
import pathlib
import pickle
import random
from fractions import Fraction

import networkx
import numpy
import pytest

import logdepth
from logdepth import Reach
from logdepth.cells import BEGIN, fetch, uniform


def shares(of_a, of_b):
    """The shares of a and of b among the tokens of at most 8 letters."""
    p = logdepth.Program("shares").alphabet(["a", "b"]).fixed_loops(0).at_most(8)
    letter = p.onehot("letter", ["begin", "a", "b"])
    a, b = p.number("a"), p.number("b")
    p.token(BEGIN, letter == "begin").token("a", letter == "a").token("b", letter == "b")
    p.final(fetch("shares").causal(uniform()).add(a, letter["a"]).add(b, letter["b"]))
    return logdepth.compile(p.output(of_a, a).output(of_b, b))


ABB = logdepth.compile_regular("(a|b)*abb")
ELECTION = shares("accept", "reject")
COUNTED = shares("share_of_a", "share_of_b")
# The generators a, b of A5, as `logdepth info --json` prints them.
A5 = logdepth.compile_regular(group="A5")
A5_IMAGES = {"a": [1, 2, 0, 3, 4], "b": [1, 2, 3, 4, 0]}


def product(word):
    images = list(range(5))
    for letter in word:  # the first letter acts first
        images = [A5_IMAGES[letter][point] for point in images]
    return images


def test_what_becomes_of_a_word_has_a_name():
    decisions = {w: ELECTION.run(w).decision for w in ("aab", "bba", "ab", "", "aaaaaaaaa")}
    assert decisions == {
        "aab": "accepted",
        "bba": "rejected",
        "ab": "undecided",
        "": "undecided",
        "aaaaaaaaa": "outside_hypotheses",
    }
    assert ELECTION.run("aab").accepted is True and bool(ELECTION.run("bba")) is False
    assert ELECTION.run("aab").depth == 1 and ELECTION.run("aab").reason == ""


@pytest.mark.parametrize(
    "word, decision, sentence",
    [
        ("ab", "undecided", "undecided: the logits of accept and reject are both 1/3"),
        ("a" * 9, "outside_hypotheses", "the input has 9 letters; this network supports at most 8"),
    ],
)
def test_a_verdict_that_was_not_reached_raises_undecided_with_its_reason(word, decision, sentence):
    answer = ELECTION.run(word)
    for ask in (lambda: answer.accepted, lambda: bool(answer)):
        with pytest.raises(logdepth.Undecided) as e:
            ask()
        assert str(e.value) == answer.reason and sentence in str(e.value)
        assert e.value.decision == decision == answer.decision


def test_numbers_are_fractions_for_every_token():
    answer = COUNTED.run(["a", "a", "b"])
    assert answer.decision == "computed"
    assert answer.numbers == {
        "share_of_a": [0, Fraction(1, 2), Fraction(2, 3), Fraction(1, 2)],
        "share_of_b": [0, 0, 0, Fraction(1, 4)],
    }
    assert all(type(n) is Fraction for n in answer.numbers["share_of_a"])
    with pytest.raises(logdepth.BadInput, match="returns named numbers, not a decision; use .numbers"):
        answer.accepted


def test_a_number_that_is_not_rational_is_exact_too():
    p = logdepth.Program("root").alphabet(["a"]).fixed_loops(0)
    letter, share, d = p.onehot("letter", ["begin", "a"]), p.number("share", 2), p.direction("d")
    p.token(BEGIN, letter == "begin").token("a", letter == "a")
    p.final(fetch("s").causal(uniform()).add(share[0], letter["a"]).add(share[1], letter["begin"]))
    p.final(logdepth.cells.normalise(d).from_(share[0], share[1]))
    root = logdepth.compile(p.output("sine", 1 * d[0])).run("aa").numbers["sine"][-1]
    assert isinstance(root, logdepth.Real)
    assert abs(float(root) - 2 / 5**0.5) < 1e-15 and "sqrt" in root.text
    again = logdepth.from_text(logdepth.compile(p).text()).run("aa").numbers["sine"][-1]
    assert root == again and hash(root) == hash(again) and str(root) == root.text and root != 2


def test_products_of_prefixes_are_the_products_of_permutations():
    letters = random.Random(7)
    words = ["".join(letters.choices("ab", k=letters.randrange(30))) for _ in range(40)] + [""]
    answers = A5.run_all(words, prefixes=True)
    array = A5.prefix_array(words)
    assert array.shape == (41, max(map(len, words)), 5) and array.dtype == numpy.int32
    for word, answer, rows in zip(words, answers, array):
        expected = [product(word[: i + 1]) for i in range(len(word))]
        assert answer.products == expected == rows[: len(word)].tolist()
        assert (rows[len(word) :] == -1).all()
        assert answer.accepted == (product(word) == [0, 1, 2, 3, 4])
    assert A5.prefixes(words[0]) == answers[0].products
    assert A5.run_all(words[:1])[0].products is None, "only on request"


def test_states_are_read_where_the_file_has_them():
    parity = logdepth.compile_regular(
        automaton={"states": ["even", "odd"], "input_symbols": ["a", "b"], "initial_state": "even", "final_states": ["even"],
                   "transitions": {"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}}},
        construction="cascade",
    )
    assert parity.prefixes("abaab") == [1, 1, 0, 1, 1]
    array = parity.prefix_array(["aba", "", ["a"]])
    assert array.tolist() == [[[1], [1], [0]], [[-1], [-1], [-1]], [[1], [-1], [-1]]]
    for refused in (lambda: ELECTION.prefixes("a"), lambda: ELECTION.prefix_array(["a"])):
        with pytest.raises(logdepth.BadInput, match="has no prefix readout"):
            refused()


def test_one_by_one_and_all_at_once_are_the_same_answers():
    abb = logdepth.compile_regular("(a|b)*abb")
    words = ["".join(w) for n in range(7) for w in itertools.product("ab", repeat=n)]
    together = [answer.accepted for answer in abb.run_all(words)]
    assert together == [abb.run(list(word)).accepted for word in words]
    assert together == [word.endswith("abb") for word in words]


def test_a_word_is_a_str_or_its_letters():
    p = logdepth.Program.from_text(
        logdepth.Program("x").alphabet(["on", "off"]).fixed_loops(0).text()
    )
    one, on = p.constant(), p.onehot("on", ["no", "yes"])
    p.token(BEGIN, on == "no").token("on", on == "yes").token("off", on == "no")
    model = logdepth.compile(p.output("accept", on["yes"]).output("reject", one / 2))
    assert model.run("off on").accepted and model.run(["off", "on"]).accepted
    assert model.run(("on", "off")).accepted is False and model.alphabet == ["on", "off"]


@pytest.mark.parametrize("word, sentence", [
    (3, "expected a word as a str or a list of letters, found a int"),
    (None, "expected a word as a str or a list of letters, found a NoneType"),
    (["a", 1], "expected letters that are texts, found 1"),
    ("a\ud800", "expected a word as a str or a list of letters, found 'a\\ud800'"),
    (["a", "\ud800"], "expected letters that are texts, found '\\ud800'"),
    (networkx.path_graph(2), "expected Reach(graph, source, target), found a graph without a question"),
])
def test_what_is_no_word_is_bad_input(word, sentence):
    for ask in (ABB.run, ABB.trace, ABB.rounded().run):
        with pytest.raises(logdepth.BadInput) as e:
            ask(word)
        assert str(e.value) == sentence


def test_a_model_is_copied_and_sent_to_other_processes_by_its_text():
    for again in (copy.copy(ABB), copy.deepcopy(ABB), pickle.loads(pickle.dumps(ABB))):
        assert again.sha256 == ABB.sha256 and again.run("aabb").accepted and again.text() == ABB.text()


def test_graphs_are_asked_by_the_names_of_their_vertices():
    model = logdepth.compile_connectivity()
    edges = [("Berlin", "Prague"), ("Prague", "Vienna"), ("Oslo", "Bergen")]
    ways = {"Berlin": {"Berlin", "Prague", "Vienna"}, "Oslo": {"Oslo", "Bergen"}}
    for source, target in itertools.product(ways, ("Vienna", "Bergen", "Oslo")):
        assert model.run(Reach(edges, source, target)).accepted == (target in ways[source])
    assert model.run(Reach({1: [2], 2: [3], 4: []}, 1, 3)).accepted
    assert not model.run(Reach({1: [2], 2: [3], 4: []}, 1, 4)).accepted
    import networkx

    assert model.run(Reach(networkx.path_graph(4), 3, 0)).accepted, "edges lead both ways"
    assert not model.run(Reach(networkx.DiGraph([(0, 1), (1, 2)]), 2, 0)).accepted
    with pytest.raises(logdepth.BadInput, match="'Rome' is no vertex"):
        Reach(edges, "Berlin", "Rome")
    with pytest.raises(logdepth.BadInput, match="does not take words"):
        model.run("ab")


def test_numbers_are_divided():
    model = logdepth.compile_division()
    for dividend, divisor in ((17, 5), (5, 17), (0, 3), (12, 12), (30, 1)):
        assert model.divide(dividend, divisor) == divmod(dividend, divisor)
    with pytest.raises(logdepth.BadInput):
        model.divide(1, 0)


def test_raw_streams_are_exact():
    model = logdepth.compile_division()

    def phi(x):
        """The unit vector over (x, 1), as text: what a dividend is given as, and what is answered."""
        return f"sqrt({Fraction(x * x, x * x + 1)})", f"sqrt({Fraction(1, x * x + 1)})"

    # Token p divides its own number by 3.
    rows = [(Fraction(p), 1, 3, 1, *phi(p)) for p in range(8)]
    names = json.loads(model.text())["input"]["names"]
    assert names == ["i.0", "i.1", "m.0", "m.1", "a.0", "a.1"]
    streams = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    for stream in (streams, {name: [str(n) for n in column] for name, column in streams.items()}):
        answer = model.run(stream)
        assert answer.decision == "computed", answer
        for p in range(8):
            for name, number in (("quotient", p // 3), ("remainder", p % 3)):
                # Of a rational number the root is written without one.
                right = {"sqrt(0)": "0", "sqrt(1)": "1"}
                expected = [right.get(root, root) for root in phi(number)]
                assert [str(answer.numbers[f"{name}.{i}"][p]) for i in (0, 1)] == expected
    quotients = {f"a.{i}": answer.numbers[f"quotient.{i}"] for i in (0, 1)}  # a Real goes in again
    again = model.run({**streams, **quotients})
    assert [str(n) for n in again.numbers["remainder.0"]] == ["0"] * 3 + ["sqrt(1/2)"] * 3 + ["sqrt(4/5)"] * 2
    refused = model.run({**streams, "a.1": [1] * 8})
    assert refused.decision == "outside_hypotheses" and "cell a may not be given" in refused.reason
    with pytest.raises(logdepth.BadInput, match="found 0.5"):
        model.run({"i": [0.5]})


def test_rounded_runs_say_whether_they_may_be_trusted():
    words = ["abab", "", "ab" * 15]
    for engine in ("float64", "float32", "mpfr:80"):
        answers = A5.rounded(engine).run_all(words)
        for word, answer in zip(words, answers):
            assert answer.certainty == "certified" and answer.certified
            assert answer.accepted == A5.run(word).accepted
            assert answer.products == [product(word[: i + 1]) for i in range(len(word))]
            assert set(answer.prefixes) <= {"certified"}
    plain = A5.rounded(rule="plain").run("abab")
    assert plain.certainty == "uncertified" and plain.accepted is False
    tie = ELECTION.rounded().run("ab")
    assert tie.decision == "undecided" or not tie.certified
    number = COUNTED.rounded().run("aab").numbers["share_of_b"][-1]
    assert abs(float(number) - 0.25) <= number.error < 1e-10
    assert logdepth.compile_connectivity().rounded().run(Reach([(0, 1)], 0, 1)).accepted


def test_a_broken_contract_takes_the_certificate_away():
    false = pathlib.Path(__file__).resolve().parents[1] / "claims/false_floats/contract_after_a_tie.json"
    model = logdepth.load(false)
    for engine in ("float64", "float32", "mpfr:80"):
        rounded = model.rounded(engine).run("aab")
        assert rounded.broken_promise == model.run("aab").broken_promise is not None
        assert rounded.certainty == "uncertified" and not rounded.certified
        assert model.rounded(engine).run("a").certified and model.rounded(engine).run("a").broken_promise is None


def test_a_trace_has_every_number_of_the_run():
    trace = A5.trace("abab")
    values, entries = trace.values(), trace.entries()
    assert values.shape == entries.shape == trace.shape == (5, 5, len(trace.columns))
    assert trace.answer.accepted == A5.run("abab").accepted
    for at in itertools.product(*map(range, trace.shape)):
        number = trace.number(*at)
        assert abs(float(number) - values[at]) < 1e-12 and number == trace.numbers[entries[at]]
    # The pointer of the scan goes back by 1, then by 2.
    prev = [head for head in trace.heads if head.name == "prev"]
    assert [head.selected for head in prev] == [
        [[0], [0], [1], [2], [3]],
        [[0], [0], [0], [1], [2]],
    ]
    assert [(m.layer, m.sublayer) for m in trace.moments][:2] == [(0, "embedding"), (1, "attention")]
    with pytest.raises(IndexError, match="not in a trace of shape"):
        trace.number(5, 0, 0)
    layers = logdepth.compile_connectivity().trace(Reach([(0, 1)], 0, 1))
    assert layers.answer.accepted and layers.values().shape == layers.shape


def test_pictures_are_shown_by_a_notebook_and_written_as_the_program_writes_them(tmp_path):
    for drawing in (A5.draw(), A5.draw("abab"), logdepth.compile_connectivity().draw(Reach([(0, 1)], 0, 1))):
        assert drawing._repr_svg_() == drawing.svg and "<svg" in drawing.svg
        drawing.save(tmp_path / "picture.svg")
        assert (tmp_path / "picture.svg").read_text() == drawing.svg
    with pytest.raises(logdepth.BadInput):
        A5.draw("ab").save(tmp_path / "picture.doc")


def test_files_are_those_of_the_program(tmp_path):
    A5.save(tmp_path / "a5.json.gz")
    again = logdepth.load(tmp_path / "a5.json.gz")
    assert again.text() == A5.text() and again.sha256 == A5.sha256 and again.name == A5.name
    sheet = again.info()
    assert (sheet.depth, sheet.initial, sheet.repeated, sheet.final) == ("ceil(log2 n)", 0, 1, 0)
    assert again.depth(9) == 4 and sheet.alphabet == ["a", "b"]
    assert "Theorem 4.1" in sheet.source or sheet.source
    assert len(sheet.head_index) >= 1 and sheet.head_index[0].name
