"""The builder says the same programs as the C++ library, and refuses what is not exact or not there."""

import warnings
from fractions import Fraction
from pathlib import Path

import pytest

import logdepth
from logdepth.cells import *

ROOT = Path(__file__).parents[2]


def majority():
    p = logdepth.Program("majority")
    p.construction("program").source("counting by uniform attention")
    p.alphabet(["0", "1"]).fixed_loops(0)
    p.constant()
    letter = p.onehot("letter", ["begin", "zero", "one"])
    margin = p.number("margin")
    p.token(BEGIN, letter == "begin").token("0", letter == "zero").token("1", letter == "one")
    p.final(
        fetch("count")
        .causal(uniform())
        .add(margin, letter["one"] - letter["zero"] - letter["begin"] / 2)
    )
    return p.output("accept", margin).output("reject")


def dyck1():
    p = logdepth.Program("Dyck-1")
    p.construction("program").source("counting by uniform attention")
    p.alphabet(["(", ")"]).fixed_loops(0)
    one = p.constant()
    letter = p.onehot("letter", ["begin", "open", "close"])
    excess, below, even = p.number("excess"), p.flag("below"), p.flag("even")
    times, never = p.number("times"), p.flag("never")
    for kind, label in ((BEGIN, "begin"), ("(", "open"), (")", "close")):
        p.token(kind, letter == label, ~below, even, never)
    p.final(fetch("count").causal(uniform()).add(excess, letter["close"] - letter["open"]))
    p.final(test(below).positive(excess), test(even).zero(excess))
    p.final(fetch("times").causal(uniform()).add(times, one / 2 + Fraction(1, 2) * below))
    p.final(test(never).zero(times))
    return p.output("accept", even + never - one).output("reject", 0)


def flipflop():
    p = logdepth.Program("flip-flop")
    p.construction("program").source("reset monoids: one hard-attention head")
    p.hypothesis("rational position encoding: circle")
    p.alphabet(["keep", "set", "reset"]).fixed_loops(0)
    p.constant()
    I = p.key("I", circle)
    acts = p.flag("acts")
    letter, now = p.onehot("letter", ["off", "on"]), p.onehot("state", ["off", "on"])
    p.position(I)
    p.token(BEGIN, ~acts, letter == "off").token("keep", ~acts, letter == "off")
    p.token("set", acts, letter == "on").token("reset", acts == True, letter == "off")
    p.final(fetch("last").causal(rightmost(acts).key(I)).copy(now, letter))
    return p.output("accept", now["on"]).output("reject", now["off"])


def sorting():
    p = logdepth.Program("sorting")
    p.construction("program").source("counting by uniform attention")
    p.alphabet(["a", "b", "c"]).fixed_loops(0)
    one = p.constant()
    letter = p.onehot("letter", ["begin", "a", "b", "c"])
    place, upto = p.number("place", 2), p.number("upto", size=3)
    I, a, b = p.key("I", phi), p.direction("a"), p.direction("b")
    behind = p.number("behind", 2)
    behind_a, behind_b = p.flag("behind_a"), p.flag("behind_b")
    sorted_ = p.onehot("sorted", ["a", "b", "c"])
    p.token(BEGIN, letter == "begin", ~behind_a, ~behind_b)
    for x in "abc":
        p.token(x, letter == x, ~behind_a, ~behind_b)
    p.final(
        fetch("place")
        .causal(uniform())
        .add(place[0], one - letter["begin"])
        .add(place[1], letter["begin"])
    )
    half = letter["begin"] / 2
    p.final(
        fetch("counts")
        .unmasked(uniform())
        .add(upto[0], letter["a"] + half)
        .add(upto[1], sum([letter["a"], letter["b"], half]))
        .add(upto[2], letter["begin"])
    )
    p.final(normalise(I).from_(place[0], place[1]))
    p.final([normalise(a).from_(upto[0], upto[2]), normalise(b).from_(upto[1], upto[2])])
    p.final(
        fetch("compare").causal(match(I).key(I)).add(behind[0], I[0] - a[0]).add(behind[1], I[0] - b[0])
    )
    p.final(test(behind_a).positive(behind[0]), test(behind_b).positive(behind[1]))
    p.final(
        lookup(
            "letter",
            [
                when(~behind_a).then(sorted_ == "a"),
                when(behind_a, ~behind_b).then(sorted_ == "b"),
                when(behind_a, behind_b).then(sorted_ == "c"),
            ],
        )
    )
    for x in "abc":
        p.output(x, sorted_[x])
    return p


@pytest.mark.parametrize("build", [majority, dyck1, flipflop, sorting], ids=lambda f: f.__name__)
def test_an_example_of_the_library_is_the_same_text(build):
    text = (ROOT / "examples" / "programs" / f"{build.__name__}.cells").read_text()
    assert build().text() == logdepth.Program.from_text(text).text()


EVERYTHING = """\
unroll ceil_log2 letters minus 1

cell one constant
cell I key fine 3
cell E state pointer fine 3
cell f flag
cell g.0 scratch flag
cell g.1 scratch flag
cell v onehot v0 v1
cell d direction 2
cell n scratch number 1

position I
position E back 1
token <begin> f=true v=v0
token x f=false v=v1

repeated
  fetch a causal match E back 2 key I
    add n - 3 v[v0] + 2/5 v[v1]
  fetch b_again causal nearest ( + v[v1] : + v[v0] ) key I
    add n - f
  fetch c unmasked flagged f=false when v=v1
    copy v v
  fetch e causal same v f under d
    set f=false
  fetch h unmasked find d key d and d key d prefer f=true margin n
    copy v v
  fetch k unmasked find-one d key d
    copy v v
  fetch r unmasked related g.0 g.1 label v prefer f=false
    copy v v
  move E E
  erase n v f
  lookup t
    rule f=true v=v0 -> g.0=true g.1=false

output accept + f
output reject
"""


def test_every_statement_and_selector_is_said_as_its_text_form_says_it():
    p = logdepth.Program("all").alphabet(["x"]).log_loops_of_letters(minus=1)
    p.constant()
    I, E = p.key("I", fine(3)), p.pointer("E", fine(3), lifetime="state")
    f, g = p.flag("f"), p.flags("g", 2, lifetime="scratch")
    v = p.onehot("v", numbered(2, "v"))
    d = p.direction("d")
    n = p.number("n", lifetime="scratch")
    p.position(I).position(E, back=1)
    p.token(BEGIN, f, v == "v0").token("x", ~f, v.at(1))
    p.repeated(
        fetch("a").causal(match(E).back(2).key(I)).add(n, -3 * v["v0"] + v["v1"] * Fraction(2, 5)),
        undone(fetch("b").causal(nearest(v["v1"] / v["v0"]).key(I)).add(n, f)),
        fetch("c").unmasked(flagged(~f).when(v == "v1")).copy(v, v),
        fetch("e").causal(same(v, f)).under(d).set(f == False),
        fetch("h").unmasked(find(d).key(d).also(d).key(d).prefer(f, 1 * n)).copy(v, v),
        fetch("k").unmasked(find_one(d).key(d)).copy([v], [v]),
        fetch("r").unmasked(related(g).label(v).prefer(~f)).copy(v, v),
        move(E, E),
        erase(n, [v, f]),
    )
    p.repeated(lookup("t", under([f], [when(v == "v0").then(g[0], ~g[1])])))
    p.output("accept", f).output("reject")
    text = p.text()
    assert text[text.index("unroll") :] == EVERYTHING
    assert logdepth.Program.from_text(text).text() == text


@pytest.mark.parametrize("rounded", [0.5, -1.0, 0.1, float("nan")])
def test_a_float_is_refused_with_a_sentence_that_says_how_to_write_it(rounded):
    n = logdepth.Program("p").number("n")
    for say in (lambda: rounded * n, lambda: n * rounded, lambda: n / rounded):
        with pytest.raises(logdepth.BadInput, match="expected an exact number, found the float") as e:
            say()
    if rounded == rounded:
        assert f'write Fraction("{rounded!r}")' in str(e.value)
        assert Fraction(repr(rounded)) == Fraction(str(rounded))


def test_factors_are_exact_and_not_larger_than_63_bits():
    n = logdepth.Program("p").number("n")
    with pytest.raises(logdepth.BadInput, match="at most 63 bits"):
        2**63 * n
    with pytest.raises(logdepth.BadInput, match="63 bits"):
        2**62 * (2**62 * n)
    with pytest.raises(logdepth.BadInput, match="divided by 0"):
        n / 0
    with pytest.raises(logdepth.BadInput, match="found a str"):
        n * "2"


def test_what_is_not_there_is_bad_input_where_it_is_written():
    p = logdepth.Program("p")
    v, f, d = p.onehot("v", ["a", "b"]), p.flag("f"), p.direction("d")
    for say, sentence in (
        (lambda: v == "c", "cell v has no label 'c': expected one of a, b"),
        (lambda: v == 5, "the cell v: expected one of its labels, as a str, found 5"),
        (lambda: f == 1, "the cell f: expected True or False, found 1"),
        (lambda: f == "true", "found 'true'"),
        (lambda: v["c"], "cell v has no label 'c'"),
        (lambda: v.at(2), "no number 2"),
        (lambda: d[2], "there is no d[2]"),
        (lambda: p.flag("f"), "declared twice"),
        (lambda: p.flag("h", lifetime="long"), "expected one of 'permanent', 'state', 'scratch'"),
        (lambda: p.cell("q"), "has no cell q"),
        (lambda: p.token("x", 3), "found a int"),
        (lambda: p.final("fetch"), "expected statements"),
        (lambda: p.output("accept", v), "expected a linear form"),
        (lambda: erase(3), "expected cells"),
        (lambda: undone(erase(f)), "heads"),
        (lambda: logdepth.Program.from_text("cell", "x.cells"), "x.cells:1: "),
        (lambda: logdepth.compile(p.output("accept", f)), "."),
    ):
        with pytest.raises(logdepth.BadInput) as e:
            say()
        assert sentence in str(e.value)


def test_a_string_is_an_alphabet_of_its_characters():
    text = logdepth.Program("p").alphabet("aé😀").text()
    assert text == logdepth.Program("p").alphabet(["a", "é", "😀"]).text() and "alphabet a é 😀" in text


def test_a_value_is_no_truth_of_python():
    p = logdepth.Program("p")
    v, f = p.onehot("v", ["a", "b"]), p.flag("f")
    for say in (lambda: not f, lambda: bool(v == "a"), lambda: v != "a"):
        with pytest.raises(TypeError, match="token by token"):
            say()


def test_the_cells_of_a_program_that_is_there_are_of_their_kind():
    p = logdepth.Program.from_text(sorting().text())
    kinds = {name: type(p.cell(name)) for name in ("one", "letter", "I", "a", "place", "behind_a")}
    assert kinds == {
        "one": Constant,
        "letter": OneHot,
        "I": Key,
        "a": Direction,
        "place": Number,
        "behind_a": Flag,
    }
    assert p.cell("letter").labels == ["begin", "a", "b", "c"] and len(p.cell("place")) == 2
    assert len(list(p.cell("place"))) == 2


def a_head(p):
    """A program with a place, a flag and two labels, and a head without writes."""
    p.alphabet(["a", "b"]).fixed_loops(0)
    p.constant()
    place, acts = p.key("place", circle), p.flag("acts")
    letter, now = p.onehot("letter", ["a", "b"]), p.onehot("now", ["a", "b"])
    p.position(place)
    p.token(BEGIN, ~acts, letter == "a").token("a", acts, letter == "a").token("b", acts, letter == "b")
    p.output("accept", letter["a"]).output("reject", letter["b"])
    return fetch("last").causal(rightmost(acts).key(place)), now, letter, acts, place


def dropped(p):
    with pytest.raises(logdepth.BadInput, match="is dropped: it is a new value") as e:
        logdepth.compile(p)
    with pytest.raises(logdepth.BadInput, match="is dropped"):
        p.text()
    return str(e.value)


def test_a_dropped_result_is_noticed_where_the_program_ends():
    p = logdepth.Program("dropped")
    head, now, letter, _, _ = a_head(p)
    head = head.copy(now, letter)
    head.add(p.number("share"), letter["a"])
    p.final(head)
    assert "the result of .add(...) (test_builder.py, line" in dropped(p)
    # Kept in a name, it is dropped all the same: the head without it is a statement.
    p = logdepth.Program("kept")
    head, now, letter, _, _ = a_head(p)
    first = head.copy(now, letter)
    p.final([first])
    kept = first.add(p.number("share"), letter["a"])
    assert "the result of .add(...)" in dropped(p) and kept is not first
    # The last call of a chain is the one that is named.
    p = logdepth.Program("chain")
    head, now, letter, _, _ = a_head(p)
    first = head.copy(now, letter)
    first.add(p.number("share"), letter["a"]).add(p.number("other"), letter["b"])
    p.final(first)
    assert "the result of .add(...)" in dropped(p)


def test_a_head_in_no_statement_is_noticed():
    def program():
        p = logdepth.Program("forgotten")
        head, now, letter, acts, place = a_head(p)
        p.final(head.copy(now, letter))
        return p, letter, acts, place

    # Nobody holds it any more: no statement can follow.
    p, letter, acts, place = program()
    fetch("lost").causal(rightmost(acts).key(place)).copy(p.onehot("old", ["a", "b"]), letter)
    for ends in (logdepth.compile, logdepth.Program.text):
        with pytest.raises(
            logdepth.BadInput,
            match=r"the head that ends with \.copy\(\.\.\.\) \(test_builder.py, line \d+\) is in no statement",
        ):
            ends(p)
    # A variable holds it: a statement may follow, and then it is used.
    p, letter, acts, place = program()
    held = fetch("held").causal(rightmost(acts).key(place)).add(p.number("share"), letter["a"])
    with pytest.warns(UserWarning, match=r"the head that ends with \.add\(\.\.\.\)"):
        logdepth.compile(p)
    p.final(held)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        logdepth.compile(p)
    # The heads of one program say nothing about another one.
    p, letter, acts, place = program()
    fetch("lost").causal(rightmost(acts).key(place)).copy(p.onehot("old", ["a", "b"]), letter)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        logdepth.compile(program()[0])


def test_a_dropped_selector_is_noticed():
    p = logdepth.Program("selector")
    _, now, letter, acts, place = a_head(p)
    found = flagged(acts)
    found.when(acts)
    p.final(fetch("any").causal(found).add(p.number("share"), letter["a"]))
    assert "the result of .when(...)" in dropped(p)


def test_a_head_without_writes_names_the_dropped_results():
    p = logdepth.Program("nothing")
    head, now, letter, _, _ = a_head(p)
    p.final(head)
    with pytest.raises(logdepth.BadInput, match="the head writes nothing: expected a copy, add or set; in C.. and "
                       "Python each of them returns a new head, which has to be used"):
        logdepth.compile(p)


def test_values_that_are_used_later_or_twice_are_no_dropped_results():
    p = logdepth.Program("shared")
    head, now, letter, acts, place = a_head(p)
    selector = rightmost(acts).key(place)
    p.final(fetch("one").causal(selector).copy(now, letter))
    waiting = fetch("two").causal(selector).copy(p.onehot("old", ["a", "b"]), letter)
    with pytest.warns(UserWarning, match="is in no statement"):
        assert logdepth.compile(p).run("ab").decision == "rejected"
    p.final(waiting)
    assert logdepth.compile(p).run("ab").decision == "rejected" and p.text().count("fetch") == 2
    # A call that is refused uses nothing up.
    p = logdepth.Program("refused")
    head, now, letter, _, _ = a_head(p)
    with pytest.raises(logdepth.BadInput):
        head.copy([now], [letter, letter])
    p.final(head.copy(now, letter))
    assert logdepth.compile(p).run("ab").decision == "rejected"
    # Heads that are undone are used.
    p = logdepth.Program("undone")
    head, now, letter, _, _ = a_head(p)
    share = p.number("share")
    summed = head.add(share, letter["a"])
    p.final(summed).final(undone(summed))
    assert logdepth.compile(p).run("ab").decision == "rejected"
