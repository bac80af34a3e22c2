"""What the command line refuses, the package refuses with the same sentence."""

import os
import re
import subprocess

import pytest

import logdepth
from logdepth import cells

PROGRAM = os.environ["LOGDEPTH_BINARY"]


def sentence_of(*arguments, exits):
    ended = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert ended.returncode == exits, ended.stderr
    return ended.stderr.splitlines()[-1].removeprefix("logdepth: ")


def in_python(sentence):
    """Options as arguments."""
    named = re.sub(r"(?<!')--([a-z-]+)(:?)", lambda found: found[1].replace("-", "_") + (found[2] or "="), sentence)
    return named.replace("json_automaton", "json")


@pytest.fixture(scope="module")
def abb(tmp_path_factory):
    file = tmp_path_factory.mktemp("abb") / "abb.json"
    logdepth.compile_regular("(a|b)*abb").save(file)
    return file


def test_bad_input_is_said_alike(abb, tmp_path):
    broken, cells = tmp_path / "broken.json", tmp_path / "wrong.cells"
    broken.write_text(abb.read_text().replace('"rms"', '"rsm"'))
    cells.write_text("logdepth-cells 1\nprogram x\ncell\n")
    out = ("-o", tmp_path / "out.json")
    for arguments, ask in (
        (("run", abb, "--input", "abc"), lambda: logdepth.load(abb).run("abc")),
        (("run", broken, "--input", "ab"), lambda: logdepth.load(broken)),
        (("run", tmp_path / "no.json", "--input", "a"), lambda: logdepth.load(tmp_path / "no.json")),
        (("run", abb, "--input", "a", "--engine", "float16"), lambda: logdepth.load(abb).rounded("float16").run("a")),
        (("compile", "regular", "--regex", "(ab", *out), lambda: logdepth.compile_regular("(ab")),
        (("compile", "regular", *out), lambda: logdepth.compile_regular()),
        (("compile", "regular", "--group", "A99x", *out), lambda: logdepth.compile_regular(group="A99x")),
        (("compile", "connectivity", "--construction", "rows", *out), lambda: logdepth.compile_connectivity(construction="rows")),
        (("compile", "program", cells, *out), lambda: logdepth.Program.from_text(cells.read_text(), str(cells))),
        (("test", abb, "--against", "group:nothing"), lambda: logdepth.load(abb).test("group:nothing")),
        (("draw", abb, "--input", "a" * 90, "-o", tmp_path / "x.svg"), lambda: logdepth.load(abb).draw("a" * 90)),
    ):
        with pytest.raises(logdepth.BadInput) as e:
            ask()
        # The command line says before it which option or program it is of.
        before, sentence, after = in_python(sentence_of(*arguments, exits=2)).partition(str(e.value))
        assert sentence and not after and re.fullmatch(r"([a-z]+: )?", before)
        assert isinstance(e.value, ValueError)


def test_options_are_named_as_arguments():
    for call, said in (
        (lambda: logdepth.compile_regular("a", group="A5"), "expected one of regex=, fst=, jff=, dot=, mata=, json=, group= to "
         "name the language, found regex= and group="),
        (lambda: logdepth.compile_regular("a", letters="all"), "letters= requires group="),
        (lambda: logdepth.compile_regular("a", construction="x"), "construction: expected one of scan, tree, radix, cascade, "
         "auto; found 'x'"),
        (lambda: logdepth.compile_regular(group="--regex"), "unknown group or monoid '--regex'"),
        (lambda: logdepth.Program("x").number("n")["a"], "cell n has 1 components, from 0: there is no n['a']"),
    ):
        with pytest.raises(logdepth.BadInput, match=re.escape(said)):
            call()


def test_an_expression_that_is_a_name_of_a_group_is_noted():
    with pytest.warns(UserWarning, match="^the expression 'S4' is read as a word of letters; group= reads it as a group$"):
        model = logdepth.compile_regular("S4")
    assert model.run("S4") and not model.run("4S")
    with pytest.warns(UserWarning, match="the letter 'ε' is read as a letter"):
        logdepth.compile_regular("a|ε")


def test_an_automaton_in_the_place_of_a_regular_expression_is_bad_input():
    with pytest.raises(logdepth.BadInput, match="an automaton is given as automaton=..., found a dict"):
        logdepth.compile_regular({"states": {"q"}})


def test_a_program_that_breaks_a_rule_is_said_alike(tmp_path):
    program = logdepth.Program("x").alphabet(["a"]).fixed_loops(0)
    flag = program.flag("f")
    program.token("a", flag).output("accept", flag).output("reject")
    (tmp_path / "x.cells").write_text(program.text())
    with pytest.raises(logdepth.BadInput) as e:
        logdepth.compile(program)
    said = sentence_of("compile", "program", tmp_path / "x.cells", "-o", tmp_path / "x.json", exits=2)
    assert in_python(said) == f"the program is rejected: {e.value}"


def test_limits_are_said_alike(tmp_path):
    with pytest.raises(logdepth.LimitReached) as e:
        logdepth.compile_regular(group="S9", table="monoid")
    said = sentence_of("compile", "regular", "--group", "S9", "--table", "monoid", "-o", tmp_path / "s9.json", exits=3)
    assert str(e.value) == said


def test_what_is_undecided_is_said_alike(abb, tmp_path):
    model = logdepth.compile_regular("(a|b)*abb", unroll=4)
    model.save(tmp_path / "four.json")
    answer = model.run("ababab")
    assert answer.decision == "outside_hypotheses"
    assert sentence_of("run", tmp_path / "four.json", "--input", "ababab", exits=3) == answer.reason
    with pytest.raises(logdepth.Undecided, match="at most 4"):
        model.prefixes("ababab")


@pytest.mark.parametrize("call, said", [
    (lambda: logdepth.Program("x").key("J", "circle"), "Program.key: expected (name: str, code: PositionCode, lifetime: "
     "Literal['permanent', 'state', 'scratch'] = 'permanent'), found ('J', 'circle')"),
    (lambda: logdepth.Program("x").alphabet(3), "Program.alphabet: expected (letters: Union[str, Sequence[str]]), found (3)"),
    (lambda: logdepth.Program("x").number("n", size=-1), "Program.number: expected (name: str, size: int = 1, lifetime: "
     "Literal['permanent', 'state', 'scratch'] = 'permanent'), found ('n', size=-1)"),
    (lambda: logdepth.Program(3), "Program: expected (name: str), found (int)"),
    (lambda: cells.fetch("x").causal(cells.uniform), "Fetch.causal: expected (selector: Selector), found (a function)"),
    (lambda: logdepth.compile_regular("a").rounded(temperature="x"), "rounded: expected (engine: str, device: str, temperature: "
     "float | None, rule: str, tolerance: float, threads: int), found ('float64', 'cpu', 'x', 'bounded', 0, 1)"),
])
def test_an_argument_of_the_wrong_type_is_one_sentence(call, said):
    with pytest.raises(TypeError) as e:
        call()
    assert str(e.value) == said


def test_a_setting_is_checked_where_it_is_named():
    model = logdepth.compile_regular("a")
    for engine in ("float16", "mpfr:1", "mpfr:501", "mpfr:x"):
        with pytest.raises(logdepth.BadInput, match="^engine: expected .*, found"):
            model.rounded(engine)
    with pytest.raises(logdepth.BadInput, match="^temperature"):
        model.rounded(temperature=-1)
