"""Property tests against functions of Python's."""

from fractions import Fraction

import numpy
import pytest

import logdepth
from logdepth.cells import BEGIN, fetch, uniform

ABB = logdepth.compile_regular("(a|b)*abb")


def test_every_short_word_and_random_long_ones_are_asked():
    asked = []

    def ends_in_abb(word):
        asked.append(word)
        return word.endswith("abb")

    result = ABB.test(ends_in_abb, up_to=5, random=30, max_length=50, seed=3)
    assert result and result.passed and result.wrong is None
    assert (result.exhaustive_words, result.random_words) == (63, 30)
    assert {w for w in asked if len(w) <= 5} >= {"", "a", "abb", "bbbbb"} and max(map(len, asked)) <= 50
    assert str(result).startswith("passed: 63 short words, 304 words with one letter that differs from the rest, 30 random words")
    again = []
    ABB.test(lambda w: again.append(w) or w.endswith("abb"), up_to=5, random=30, max_length=50, seed=3)
    assert again == asked, "the same seed asks the same words"
    assert result.promises > 0 and not result.unasked


def test_the_words_of_a_batch_are_asked_first():
    asked = []
    result = ABB.test(lambda w: asked.append(w) or w.endswith("abb"), up_to=1, random=0, batch=["babba", ["a", "b", "b"]])
    assert result and asked[:3] == ["", "babba", "abb"], "the empty word once before all, to see what the function answers"
    assert str(result).startswith("passed: 2 given words, 3 short words")
    with pytest.raises(logdepth.BadInput, match="c"):
        ABB.test("(a|b)*abb", batch=["abc"])


def test_a_wrong_word_is_found_and_shrunk():
    result = ABB.test(lambda word: word.endswith("abb") and word != "babb")
    assert not result
    assert result.wrong.word == ["b", "a", "b", "b"] and result.wrong.wrong == "answer"
    assert (result.wrong.expected, result.wrong.got) == ("reject", "accept")
    assert "babb" in str(result).replace(" ", "")


def test_oracles_of_the_command_line_are_named_by_a_str():
    assert ABB.test("(a|b)*abb")
    assert not ABB.test("(a|b)*ab")
    a5 = logdepth.compile_regular(group="A5")
    result = a5.test("group:A5", up_to=4)
    assert result and result.products > 0
    with pytest.raises(logdepth.BadInput, match="nothing"):
        ABB.test("group:nothing")


def test_letters_of_several_characters_come_as_a_tuple():
    p = logdepth.Program("x").alphabet(["on", "off"]).fixed_loops(0)
    one, on = p.constant(), p.onehot("on", ["no", "yes"])
    p.token(BEGIN, on == "no").token("on", on == "yes").token("off", on == "no")
    model = logdepth.compile(p.output("accept", on["yes"]).output("reject", one / 2))
    assert model.test(lambda word: word[-1:] == ("on",))


def test_numbers_are_compared_exactly():
    p = logdepth.Program("share").alphabet(["a", "b"]).fixed_loops(0)
    letter, share = p.onehot("letter", ["begin", "a", "b"]), p.number("share")
    p.token(BEGIN, letter == "begin").token("a", letter == "a").token("b", letter == "b")
    p.final(fetch("count").causal(uniform()).add(share, letter["a"]))
    model = logdepth.compile(p.output("share", share))
    assert model.test(lambda w: {"share": Fraction(w.count("a"), len(w) + 1)}).numbers > 0
    wrong = model.test(lambda w: {"share": Fraction(w.count("a"), len(w) + 1) if w != "ab" else 0})
    assert wrong.wrong.word == ["a", "b"]
    with pytest.raises(logdepth.BadInput, match="found the float"):
        model.test(lambda w: {"share": w.count("a") / (len(w) + 1)})


class Mistake(Exception):
    pass


def test_what_an_oracle_raises_comes_through_as_it_is():
    mistake = Mistake("of the user's")

    def oracle(word):
        if len(word) == 3:
            raise mistake
        return word.endswith("abb")

    with pytest.raises(Mistake) as e:
        ABB.test(oracle)
    assert e.value is mistake
    with pytest.raises(KeyboardInterrupt):
        ABB.test(lambda word: (_ for _ in ()).throw(KeyboardInterrupt()))


def test_a_forgotten_return_is_no_verdict():
    with pytest.raises(logdepth.BadInput, match="it returned None"):
        ABB.test(lambda word: None)


@pytest.mark.parametrize("verdict", ["reject", "", 0, 1, (), {0}])
def test_a_verdict_is_true_or_false(verdict):
    with pytest.raises(logdepth.BadInput, match="a function that returns True or False; it returned"):
        ABB.test(lambda word: verdict)
    with pytest.raises(logdepth.BadInput, match="True or False"):
        logdepth.compile_connectivity().test_graphs(lambda graph, s, t: verdict, random=1)


def test_a_bool_of_numpy_is_a_verdict():
    assert ABB.test(lambda word: numpy.bool_(word.endswith("abb")))


@pytest.mark.parametrize("ask", [
    lambda: ABB.test("(a|b)*abb", up_to=-1), lambda: ABB.test(str.isalpha, seed=-3), lambda: ABB.depth(-1),
    lambda: ABB.test("(a|b)*abb", random=2**63), lambda: ABB.export("torch", "x", length=-1),
    lambda: ABB.rounded(threads=-1), lambda: logdepth.compile_division().divide(-1, 2),
    lambda: logdepth.compile_connectivity(construction="rows", size=2**32),
    lambda: logdepth.compile_regular("a", construction="radix", radix=-2), lambda: logdepth.compile_regular("a", unroll=-1),
])
def test_a_number_that_is_no_count_is_bad_input(ask):
    with pytest.raises(logdepth.BadInput, match=r"^\w+: expected a number from 0 to 2\*\*\d\d - 1, found -?\d+$"):
        ask()


def test_graphs_are_asked_against_a_search_or_a_function():
    model = logdepth.compile_connectivity()
    assert model.test_graphs(up_to=2, random=5)

    def reaches(graph, source, target):
        seen, waiting = {source}, [source]
        while waiting:
            waiting += [v for v in graph[waiting.pop()] if v not in seen and not seen.add(v)]
        return target in seen

    assert model.test_graphs(reaches, up_to=2, random=5)
    wrong = model.test_graphs(lambda graph, s, t: s == t, random=0).wrong
    assert wrong.graph == {0: [], 1: [0]} and (wrong.source, wrong.target) == (1, 0)


def test_divisions_are_asked():
    assert logdepth.compile_division().test_division(up_to=5, random=2).divisions > 0
