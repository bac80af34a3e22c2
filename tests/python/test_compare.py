"""Runs beside what is right: check, diff, and pictures with what is wrong in red."""

import pytest

import logdepth
from logdepth.cells import *

ABB = logdepth.compile_regular("(a|b)*abb")


def switch(looks_for):
    """Copies the last token whose flag is `looks_for`."""
    p = logdepth.Program("switch").alphabet(["+", "-"]).fixed_loops(0)
    p.constant()
    place, acts = p.key("place", circle), p.flag("acts")
    letter, now = p.onehot("letter", ["off", "on"]), p.onehot("now", ["off", "on"])
    p.position(place)
    p.token(BEGIN, ~acts, letter == "off").token("+", acts, letter == "on").token("-", ~acts, letter == "off")
    p.final(fetch("last").causal(rightmost(acts if looks_for else ~acts).key(place)).copy(now, letter))
    return p.output("accept", now["on"]).output("reject", now["off"])


def test_a_right_run_has_nothing_to_report():
    assert ABB.check("aabb") and ABB.check("aabb", against="(a|b)*abb").problems == []
    checked = ABB.check("aabb", against="program")
    assert checked and checked.answer.accepted and repr(checked) == "<check passed>"


def test_a_wrong_answer_is_a_sentence():
    checked = ABB.check("ab", against="(a|b)*ab")
    assert not checked and checked.answer.decision == "rejected"
    assert "expected accept, found reject" in checked.problems[0]
    a5 = logdepth.compile_regular(group="A5")
    assert a5.check("abab", against="group:A5")
    assert any("product" in problem for problem in a5.check("abab", against="group:S5").problems)


def test_graphs_and_divisions_are_checked():
    model = logdepth.compile_connectivity()
    assert model.check(logdepth.Reach({0: [1], 1: []}, 0, 1), against="graph:reachability")
    division = logdepth.compile_division()
    streams = division.division(7, 3)
    assert division.check(streams, against="division") and division.run(streams).decision == "computed"
    assert division.draw(streams, against="division").svg == division.draw(streams).svg
    with pytest.raises(logdepth.BadInput, match="takes graphs"):
        model.check(logdepth.Reach({0: []}, 0, 0), against="division")


def test_the_first_difference_names_its_place():
    plus, minus = logdepth.compile(switch(True)), switch(False)
    assert plus.diff("+-") is None and plus.diff("+-", program=switch(True)) is None
    first = plus.diff("+-", program=minus)
    assert (first.layer, first.sublayer, first.token, first.cell) == (1, "attention", 1, "now[0]")
    assert (first.expected, first.found) == ("1", "0") and str(first).startswith("layer 1, attention, token 1")
    problems = plus.check("+-", program=minus).problems
    assert problems == ["first difference from the program: " + str(first)]


def test_a_float_is_compared_with_the_exact_run():
    assert ABB.diff("abab", engine="float64", rule="bounded") is None
    with pytest.raises(logdepth.BadInput, match="rule= and scores= require a floating-point"):
        ABB.diff("ab", rule="plain")
    with pytest.raises(logdepth.BadInput, match="^rule: expected one of plain, bounded; found 'x'"):
        ABB.diff("ab", engine="float64", rule="x")


def test_what_is_wrong_is_red_in_a_notebook(tmp_path):
    plus = logdepth.compile(switch(True))
    right, wrong = plus.draw("+-", against="program"), plus.draw("+-", program=switch(False))
    ring = 'class="wrong" fill="none" stroke-width="3"'
    assert wrong._repr_svg_().count(ring) == 1 and ring not in right.svg
    assert wrong.notes == [] and "first difference" in wrong.svg
    wrong.save(tmp_path / "wrong.svg")
    assert (tmp_path / "wrong.svg").read_text() == wrong.svg
    assert "expected accept" in ABB.draw("ab", against="(a|b)*ab").svg
    with pytest.raises(logdepth.BadInput, match="require an input"):
        plus.draw(against="program")


def test_a_network_of_the_zoo_is_that_of_its_command():
    networks = logdepth.zoo_networks()
    assert len(networks) == 100 and networks["tomita4"] == "Tomita languages: no 000"
    tomita4 = logdepth.zoo("tomita4")
    assert tomita4.sha256 == logdepth.compile_regular("(1|01|001)*(0|00)?", alphabet=["0", "1"], construction="scan").sha256
    assert all(tomita4.run(word).accepted == ("000" not in word) for word in ("", "000", "1001", "10001", "0100100"))
    with pytest.raises(logdepth.BadInput, match="expected one of the 100 networks of logdepth zoo, found 'group-S33'; did you mean group-S3"):
        logdepth.zoo("group-S33")
