"""The package as it is installed: documented, typed, of the project's version, with nothing it does not need."""

import importlib.metadata
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import logdepth
import logdepth.cells

ROOT = pathlib.Path(__file__).parents[2]
# The conventions of Python itself say what these do.
PLAIN = {"__init__", "__repr__", "__module__", "__str__", "_repr_svg_"}


def public_names():
    """Name and object of everything that a user can write, members of classes included."""
    for module in (logdepth, logdepth.cells):
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if not member.startswith("_") or member in ("__add__", "__getitem__", "__eq__"):
                        yield f"{module.__name__}.{name}.{member}", value


def test_every_public_name_is_documented():
    seen, missing = 0, []
    for name, thing in public_names():
        if not (callable(thing) or isinstance(thing, (property, staticmethod)) or inspect.isclass(thing) or inspect.isdatadescriptor(thing)):
            continue  # a constant: its type is documented
        seen += 1
        said = inspect.getdoc(thing) or ""
        # Functions of the extension begin with their signature.
        said = "\n".join(line for line in said.splitlines() if not re.match(r"\w+\(.*\)( -> .*)?$", line))
        if len(said.strip()) < 10:
            missing.append(name)
    assert not missing
    assert seen > 250, seen


def test_the_version_is_that_of_the_project():
    cmake = re.search(r"project\(logdepth VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert importlib.metadata.version("logdepth") == logdepth.__version__ == cmake[1]


def test_the_wheel_holds_the_package_and_nothing_else():
    files = {str(file) for file in importlib.metadata.files("logdepth") if "__pycache__" not in str(file)}
    sources = {f"logdepth/{f.name}" for f in (ROOT / "python" / "logdepth").iterdir() if f.is_file()}
    page = {f"logdepth/playground/{f.relative_to(ROOT / 'playground')}" for f in (ROOT / "playground").rglob("*")
            if f.suffix in (".mjs", ".html", ".css", ".json")} | {"logdepth/playground/examples/learned-S5.svg"}
    pretrained = ROOT / "learned/pretrained"
    sources |= {f"logdepth/pretrained/{f.relative_to(pretrained)}" for f in pretrained.rglob("*") if f.suffix in (".py", ".json", ".md")}
    # The program and what it says of itself (test_command.py), and libraries, if they are inside the wheel.
    program = {f for f in files if re.match(r"\.\./\.\./\.\./(bin|share)/", f)} | {"logdepth/bin/logdepth"}
    libraries = {f for f in files if f.startswith("logdepth.libs/")}
    assert len(program & files) == 4, program
    assert {f for f in files - program - libraries if "dist-info" not in f and "_bindings" not in f} == sources | page
    assert {"logdepth/_bindings.pyi", "logdepth/py.typed"} <= files
    assert any("licenses/LICENSE" in f for f in files)


def test_neither_numpy_nor_torch_is_needed():
    forbidden = "import sys; sys.modules['numpy'] = sys.modules['torch'] = None; "
    use = "import logdepth; m = logdepth.compile_regular('a*b'); t = m.trace('ab'); print(t.number(0, 0, 0), m.run('ab').accepted)"
    said = subprocess.run([sys.executable, "-c", forbidden + use], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert said.stdout.split()[1] == "True"


TYPED = '''
from fractions import Fraction

import logdepth
from logdepth.cells import BEGIN, circle, fetch, lookup, rightmost, uniform, when

p = logdepth.Program("majority").alphabet(["0", "1"]).fixed_loops(0)
letter = p.onehot("letter", ["begin", "zero", "one"])
even, key, margin = p.flag("even"), p.key("I", circle), p.number("margin")
p.token(BEGIN, letter == "begin", ~even).token("0", letter == "zero")
p.final(fetch("count").causal(uniform()).add(margin, letter["one"] - Fraction(1, 2) * letter["zero"] + even))
p.final(fetch("last").causal(rightmost(~even).key(key)).copy(letter, letter))
p.final(lookup("x", [when(even, letter == "one").then(~even)]))
p.output("accept", margin).output("reject")
model = logdepth.compile(p)
products: "list[list[int]] | None" = model.run("0110").products
number: "Fraction | logdepth.Real" = model.run("0").numbers["x"][0]
passed: bool = model.test(lambda word: word.count("1") > 1).passed
if model.run("0").decision == "accepted":
    print(model.draw("01").svg, model.rounded().run("1").certainty)
'''

MISTAKES = {
    "model.run(3)": "arg-type",
    "p.final(fetch('x').add(margin, 0.5 * margin))": "operator",
    "p.key('J', 'circle')": "arg-type",
    "fetch('x').causal(uniform)": "arg-type",
    "logdepth.compile_regular('a', construction='best')": "arg-type",
    "model.runn('a')": "attr-defined",
    "model.run('a').decision == 'yes'": "comparison-overlap",
    "p.flag('g', lifetime='long')": "arg-type",
}


def test_a_strict_type_checker_takes_the_builder_and_finds_mistakes(tmp_path):
    lines = TYPED.splitlines()
    (tmp_path / "example.py").write_text("\n".join(lines + list(MISTAKES)) + "\n")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    found = dict(re.findall(r"^example\.py:(\d+): error: .*\[([a-z-]+)\]$", checked.stdout, re.M))
    expected = {str(len(lines) + i + 1): code for i, code in enumerate(MISTAKES.values())}
    assert found == expected, checked.stdout + checked.stderr


def test_the_package_itself_is_strictly_typed(tmp_path):
    installed = pathlib.Path(logdepth.__file__).parent
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--exclude", "(torch|lens|exchange|_edge_runs).py|pretrained", installed],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout


def test_the_sheets_are_of_the_file():
    sheet = logdepth.compile_regular("(a|b)*abb").info()
    assert sheet.width == 36 and sheet.nonzeros == 353 and "ceil(log2 n)" in repr(sheet)
    assert {cell.name for cell in sheet.cells} >= {"one"}
    assert sheet.largest is None and sheet.proved
    with pytest.raises(AttributeError):
        sheet.width = 3
