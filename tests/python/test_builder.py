"""The builder says the same programs as the C++ library, and refuses what is not exact or not there."""

from fractions import Fraction
from pathlib import Path

import pytest

import logdepth
from logdepth.cells import *

ROOT = Path(__file__).parents[2]


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


def test_an_example_of_the_library_is_the_same_text():
    text = (ROOT / "examples/programs/sorting.cells").read_text()
    assert sorting().text() == logdepth.Program.from_text(text).text()


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


@pytest.mark.parametrize("say, line", [
    (lambda p, c: p.reads_rows(3), "input graph rows size 3"),
    (lambda p, c: p.reads_adjacency("n3", size=4), "input graph adjacency n3 size 4"),
    (lambda p, c: p.end().reads_cells(), "input cells"),
    (lambda p, c: p.no_begin().end(), "no-begin\nend"),
    (lambda p, c: p.fixed_loops(2).at_most(7).log_loops_of_vertices(3), "unroll ceil_log 3 vertices minus 0 max 7"),
    (lambda p, c: p.deviation('a "b" # \\\nc').source("x").source("y"), 'source "y"\ndeviation "a \\"b\\" # \\\\\\nc"'),
    (lambda p, c: p.parameter("k", "1").parameter("k", "2"), 'parameter k "2"'),
    (lambda p, c: p.given(c("f")).given_position(c("n")).given_natural(c("n")), "given f\ngiven n position\ngiven n natural"),
    (lambda p, c: p.given_ratio(c("d")).position_parity(c("f")), "given d ratio\nposition f parity"),
    (lambda p, c: p.hypothesis("one").hypothesis("two").token("x", c("f") == True), 'hypothesis "one"\nhypothesis "two"'),
    (lambda p, c: p.at(c("v") == "a b", c("f"), (c("d"), 3)), 'at v="a b" f=true d=3'),
    (lambda p, c: p.token("x", c("f")).token("x", c("v") == "state"), "token x f=true v=state"),
    (lambda p, c: p.integer_direction("permanent", lifetime="state", bound=2), "cell permanent state direction 2 integers 2"),
    (lambda p, c: p.final(normalise(c("d")).from_(c("n")[0] / 2, c("n")[1])), "normalise d from 1/2*n[0] n[1]"),
    (lambda p, c: p.final(test(c("f")).positive(c("n")[1]), test(c("f")).zero(c("d")[0])), "test f positive n[1]\n  test f zero d[0]"),
    (lambda p, c: p.final(fetch("").unmasked(nearest((c("f") / c("d")[1]).back(2)).key(c("I"))).set(~c("f"))),
     'fetch "" unmasked nearest ( + f - 2 d[1] : + d[1] ) key I\n    set f=false'),
    (lambda p, c: p.final(fetch("r").causal(rightmost(c("f"), c("v") == "state").key(c("I"))).add(c("n")[0], 0)),
     "causal rightmost f=true v=state key I\n    add n[0]\n"),
    (lambda p, c: p.final(fetch("i").causal(rightmost(c("f")).same(c("v"), c("v")).key(c("I"))).copy(c("v"), c("v"))),
     "causal rightmost f=true same v v key I\n"),
    (lambda p, c: p.relation().outputs("n", c("n")), "relation\noutput n.0 + n[0]\noutput n.1 + n[1]"),
    (lambda p, c: p.prefix(c("v"), [[1, 0], [0, 1]]), "prefix element v [1,0] [0,1]"),
    (lambda p, c: p.prefix([c("v"), 1]), "prefix points v always:1"),
    (lambda p, c: p.prefix_states(c("v"), [1, 0]), "prefix state v 1 0"),
])
def test_every_other_word_is_said_as_its_text_form_says_it(say, line):
    p = logdepth.Program("p").alphabet(["x"])
    p.flag("f"), p.onehot("v", ["a b", "state"]), p.number("n", 2), p.direction("d"), p.key("I", phi_over(3))
    say(p, p.cell)
    text = p.text()
    assert line in text
    assert logdepth.Program.from_text(text).text() == text


def test_a_statement_is_named_where_a_word_of_it_is_missing_or_is_of_another_program():
    p, q = logdepth.Program("p"), logdepth.Program("q")
    f, I = q.flag("f"), p.key("I", circle)
    for say in (lambda: p.final(erase(f)), lambda: p.final(fetch("x").causal(flagged(f))), lambda: p.position(f)):
        with pytest.raises(logdepth.BadInput, match="a cell that program 'p' has not declared"):
            say()
    assert "final" not in p.text()
    with pytest.raises(logdepth.BadInput, match="^fetch x causal match I: expected 'key' and a cell"):
        p.final(fetch("x").causal(match(I))).text()
    with pytest.raises(logdepth.BadInput, match="^cell 9 flag: '9' is not a name for a cell"):
        p.flag("9")
    with pytest.raises(TypeError, match="compile: expected a Program, found a str"):
        logdepth.compile("logdepth-cells 1")


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
    p = logdepth.Program("forgotten")
    head, now, letter, acts, place = a_head(p)
    p.final(head.copy(now, letter))
    held = fetch("held").add(p.number("share"), letter["a"]).causal(rightmost(acts).key(place))
    assert "the result of .add(...)" in dropped(p)
    q = logdepth.Program("another")  # of which this says nothing
    head, now, letter, _, _ = a_head(q)
    q.final(head.copy(now, letter))
    assert logdepth.compile(q).run("ab").decision == "rejected"
    p.final(held)
    assert logdepth.compile(p).run("ab").decision == "rejected"


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
