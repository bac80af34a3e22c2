"""The command that the package installs: the program in the wheel, its manual page and its completions."""

import importlib.metadata
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import logdepth

SCRIPT = pathlib.Path(sys.prefix) / "bin/logdepth"
INSIDE = pathlib.Path(logdepth.__file__).parent / "bin/logdepth"
WAYS = {"script": [SCRIPT], "module": [sys.executable, "-m", "logdepth"], "inside": [INSIDE]}


def run(way, *arguments, given=""):
    return subprocess.run([*WAYS[way], *arguments], input=given, capture_output=True, text=True)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_the_program_of_this_version(way):
    said = run(way, "--version")
    assert (said.returncode, said.stdout, said.stderr) == (0, f"logdepth {importlib.metadata.version('logdepth')}\n", "")
    assert run(way, "--help").stdout == run("inside", "--help").stdout
    assert "Usage: logdepth" in run(way, "--help").stdout


@pytest.mark.parametrize("way", WAYS)
def test_arguments_input_and_exit_status_are_those_of_the_program(way, tmp_path):
    file = tmp_path / "ends in b.json"
    assert run(way, "compile", "regular", "--regex", "(a|b)*b", "-o", file).returncode == 0
    assert logdepth.load(file).run("aab").accepted
    answered = run(way, "run", file, "--batch", "-", given="ab\nba\n\n")
    assert (answered.returncode, answered.stdout) == (0, "accept\nreject\nreject\n")
    refused = run(way, "run", tmp_path / "none.json", "--input", "a")
    assert refused.returncode == 2 and "none.json" in refused.stderr and refused.stdout == ""
    wrong = run(way, "test", file, "--against", "(a|b)*a", "--up-to", "2")
    assert wrong.returncode == 1


def test_the_script_becomes_the_program(tmp_path):
    # A signal to the command reaches the program, which waits for words, and no Python waits beside it.
    file = tmp_path / "a.json"
    assert run("inside", "compile", "regular", "--regex", "(a|b)*a", "-o", file).returncode == 0
    waiting = [SCRIPT, "run", file, "--batch", "-"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        end = time.monotonic() + 60  # of a machine that is busy
        while (now := os.readlink(f"/proc/{command.pid}/exe")) != str(INSIDE.resolve()):
            assert command.poll() is None and time.monotonic() < end, f"Python was not replaced by the program: {now}"
            time.sleep(0.01)
        command.send_signal(signal.SIGKILL)
        assert command.wait(10) == -signal.SIGKILL


def test_the_manual_page_and_the_completions_are_installed():
    share = pathlib.Path(sys.prefix) / "share"
    for file, *arguments in (
        ("man/man1/logdepth.1", "--man"),
        ("bash-completion/completions/logdepth", "--completion", "bash"),
    ):
        text = (share / file).read_text()
        assert text == run("inside", *arguments).stdout and len(text) > 1000, file
