"""docs/exports.md: its programs print what stands below them."""

import contextlib
import io
import re
import subprocess
import sys

import exported
import pytest

PAGE = (exported.ROOT / "docs/exports.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    commands = re.findall(r"^\$ logdepth (.* a5\S*)$", PAGE, re.MULTILINE)
    assert len(commands) == 7
    for command in commands:
        subprocess.run([exported.BINARY, *command.split()], cwd=folder, check=True, capture_output=True)
    return folder


def test_every_target_is_shown():
    assert len(SHOWN) == 3


@pytest.mark.parametrize("program, printed", SHOWN)
def test_the_program_prints_what_stands_below_it(program, printed, folder, monkeypatch):
    """In this process, which has the packages loaded; the modules are those of any exported folder."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(program, "docs/exports.md", "exec"), {})
    assert said.getvalue() == printed
