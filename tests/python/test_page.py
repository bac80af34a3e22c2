"""docs/python.md and python/README.md: their programs, block after block, print what stands below each."""

import contextlib
import io
import pathlib
import re

import pytest

import logdepth

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


def blocks_of(page):
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


BLOCKS = blocks_of(PAGE)
PACKAGE_BLOCKS = blocks_of((ROOT / "python/README.md").read_text(encoding="utf-8"))


def test_every_program_is_followed_by_what_it_prints():
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds == ["sh"] + ["python", "text"] * (len(kinds) // 2) and kinds.count("python") > 12


def test_the_page_of_the_package_installs_and_shows_what_a_program_prints():
    assert [kind for kind, _ in PACKAGE_BLOCKS] == ["sh", "python", "text"]
    front = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [block for block in front if block[0] == "python"] == PACKAGE_BLOCKS[1:2]


def test_it_is_installed_as_the_page_says():
    # tests/python/install_wheel.sh does so by way of the wheel, which pip builds as well.
    assert BLOCKS[0] == PACKAGE_BLOCKS[0] == ("sh", "pip install .\n")


@pytest.mark.parametrize("blocks", [BLOCKS, PACKAGE_BLOCKS], ids=["guide", "package"])
def test_the_programs_print_what_stands_below_them(blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names = {}
    for (_, program), (_, printed) in zip(blocks[1::2], blocks[2::2]):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(program, "docs/python.md", "exec"), names)
        assert said.getvalue() == printed, program


@pytest.mark.parametrize("name", ["BadInput", "Undecided", "LimitReached", "ExportRefused", "ExportWrong"])
def test_the_table_of_errors_has_every_error_and_its_bases(name):
    row = re.search(rf"^\| `{name}`(?:, an? `(\w+)`)? \|", PAGE, re.MULTILINE)
    assert row, name
    base = getattr(logdepth, name).__mro__[1]
    assert row[1] == (base.__name__ if base is not Exception else None)


def test_no_error_of_the_package_is_left_out():
    errors = {name for name in logdepth.__all__ if isinstance(thing := getattr(logdepth, name), type)
              and issubclass(thing, BaseException)}
    assert errors == set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE)) - {"TypeError"}
