"""`Model.export`: the files of the command line, opened with the packages that they are for, and its refusals."""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import threading
import time

import pytest

import logdepth
from logdepth.cells import BEGIN, circle, fetch, rightmost

PROGRAM = os.environ["LOGDEPTH_BINARY"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LENGTH = 8


def a_switch():
    """On after "+", off after "-" and at the beginning; "." changes nothing."""
    p = logdepth.Program("switch").alphabet(["+", "-", "."]).fixed_loops(0)
    p.constant()
    place, acts = p.key("place", circle), p.flag("acts")
    letter, now = p.onehot("letter", ["off", "on"]), p.onehot("now", ["off", "on"])
    p.position(place)
    p.token(BEGIN, ~acts, letter == "off").token(".", ~acts, letter == "off")
    p.token("+", acts, letter == "on").token("-", acts, letter == "off")
    p.final(fetch("last").causal(rightmost(acts).key(place)).copy(now, letter))
    return logdepth.compile(p.output("accept", now["on"]).output("reject", now["off"]))


MODELS = {
    "a5": lambda: logdepth.compile_regular(group="A5"),
    "switch": a_switch,
    "connectivity": logdepth.compile_connectivity,
}


def files_of(path):
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize(
    "name, target, options",
    [(name, target, {}) for name in ("a5", "switch") for target in ("torch", "safetensors", "onnx", "transformer-lens")]
    + [("a5", "torch", {"temperature": "hard"}), ("a5", "onnx", {"temperature": 65536.0}),
       ("a5", "safetensors", {"temperature": "hard", "precision": "float32"}), ("switch", "onnx", {"seed": 7}),
       ("connectivity", "torch", {"temperature": "hard"})],
)
def test_the_files_are_those_of_the_command_line(name, target, options, tmp_path):
    model, length = MODELS[name](), 3 if name == "connectivity" else LENGTH
    report = model.export(target, tmp_path / "python", length=length, **options)
    model.save(tmp_path / "model.json")
    typed = [str(part) for key, value in options.items() for part in (f"--{key}", value)]
    done = subprocess.run(
        [PROGRAM, "export", tmp_path / "model.json", "--to", target, "--length", str(length), "--json", *typed,
         "-o", tmp_path / "command"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"wrote {tmp_path / 'command'}: {report.text}\n" and repr(report) == f"<{report.text}>"
    ours, theirs = files_of(tmp_path / "python"), files_of(tmp_path / "command")
    assert list(ours.values()) and sorted(ours.values()) == sorted(theirs.values())
    said = json.loads(done.stdout)
    for field in ("temperature", "loops", "tokens", "inputs", "answers", "separated"):
        assert getattr(report, field) == said[field]
    assert (report.temperature is None) == (options.get("temperature") == "hard")


def test_the_module_of_the_package_for_transformer_lens_opens_the_same_folder(tmp_path):
    import logdepth.lens

    a_switch().export("transformer-lens", tmp_path / "lens", length=LENGTH)
    bridge = logdepth.lens.load(tmp_path / "lens")
    names = bridge.logdepth
    _, cache = bridge.run_with_cache(names.encode("+..-."))
    assert cache["blocks.0.attn.hook_pattern"][0, 0].argmax(-1).tolist() == [0, 1, 1, 1, 4, 4]


def refused(kind, ask, arguments, exits, tmp_path):
    """The sentence, which the command line says of the same request."""
    model, target, options = ask
    model.save(tmp_path / "model.json")
    path = tmp_path / "refused"
    with pytest.raises(kind) as e:
        model.export(target, path, **options)
    assert type(e.value) is kind and not path.exists()
    done = subprocess.run(
        [PROGRAM, "export", tmp_path / "model.json", "--to", target, "-o", path, *arguments],
        capture_output=True, text=True)
    # Of wrong input the option is an argument: length: for --length:
    assert (done.returncode, re.sub(r"^logdepth: --([a-z]+):", r"logdepth: \1:", done.stderr)) == (exits, f"logdepth: {e.value}\n")
    return str(e.value)


def test_what_is_refused_is_said_alike(tmp_path):
    a5, division = logdepth.compile_regular(group="A5"), logdepth.compile_division()
    four = logdepth.compile_regular("(a|b)*abb", unroll=4)
    for ask, arguments, sentence in (
        ((division, "transformer-lens", {"length": 4}), ("--length", "4"), "no score separation is proved"),
        ((a5, "torch", {"length": 32, "precision": "float32"}), ("--length", "32", "--precision", "float32"),
         "no temperature is proved"),
    ):
        assert sentence in refused(logdepth.ExportRefused, ask, arguments, 3, tmp_path)
    assert issubclass(logdepth.ExportRefused, logdepth.LimitReached)
    for ask, arguments, sentence in (
        ((four, "onnx", {"length": 5}), ("--length", "5"), "length: expected at most 4"),
        ((a5, "onnx", {"length": 8, "temperature": "warm"}), ("--length", "8", "--temperature", "warm"),
         "expected auto, tested, hard or a number above 0, found 'warm'"),
    ):
        assert sentence in refused(logdepth.BadInput, ask, arguments, 2, tmp_path)


def test_an_export_that_answers_wrongly_is_not_written(tmp_path):
    a5 = logdepth.compile_regular(group="A5")
    ask = (a5, "torch", {"length": LENGTH, "temperature": 1})
    said = refused(logdepth.ExportWrong, ask, ("--length", "8", "--temperature", "1"), 1, tmp_path)
    assert said.startswith("nothing was written: on the word ")


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"target": "jax"}, "target: expected one of 'torch', 'safetensors', 'onnx', 'transformer-lens', 'circuit', found 'jax'"),
        ({"precision": "half"}, "precision: expected one of 'float64', 'float32', found 'half'"),
        ({"length": 0}, "length: expected at least 1"),
        ({"temperature": -1}, "temperature: expected auto, tested, hard or a number above 0"),
        ({"temperature": float("nan")}, "temperature: expected auto, tested, hard or a number above 0"),
        ({"temperature": []}, "temperature: expected auto, tested, hard or a number above 0, found a list"),
        ({"path": os.path.join("no", "such", "folder.onnx")}, "folder.onnx: cannot be written"),
    ],
)
def test_an_argument_that_is_none_is_bad_input(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(logdepth.BadInput) as e:
        a_switch().export(**{"target": "onnx", "path": "x.onnx", "length": LENGTH, **arguments})
    assert sentence in str(e.value) and not list(tmp_path.iterdir())


def test_python_goes_on_while_an_export_is_tested(tmp_path):
    done, turns = threading.Event(), 0
    model = logdepth.compile_regular(group="A5")
    worker = threading.Thread(target=lambda: (model.export("onnx", tmp_path / "a5.onnx", length=16), done.set()))
    worker.start()
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    worker.join()
    # Were the interpreter held, there would be one turn, as long as the export.
    assert (tmp_path / "a5.onnx").exists() and turns > 20


PAGE = (ROOT / "docs/interpretability.md").read_text(encoding="utf-8")


def test_the_programs_of_the_page_on_interpretability_print_what_stands_below_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in blocks] == ["python", "text"] * (len(blocks) // 2) and len(blocks) >= 12
    names = {}
    for (_, program), (_, printed) in zip(blocks[::2], blocks[1::2]):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(program, "docs/interpretability.md", "exec"), names)
        assert said.getvalue() == printed, program


def test_the_notebook_of_a_circuit_says_what_is_stored_in_it_in_forty_lines(tmp_path, monkeypatch):
    """Cell by cell in this process, which has the packages loaded."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "examples/notebooks/ground_truth_circuit.ipynb").read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert sum(len("".join(cell["source"]).splitlines()) for cell in cells) <= 40
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for place in (str(ROOT), "/home/", "/tmp/", "/work/", '"stderr"'):
        assert place not in text, place
    names, pictures = {}, 0
    for cell in cells:
        tree, said = ast.parse("".join(cell["source"])), io.StringIO()
        shown = isinstance(tree.body[-1], ast.Expr) and "image/svg+xml" in str(cell["outputs"])
        last = ast.Expression(tree.body.pop().value) if shown else None
        with contextlib.redirect_stdout(said):
            exec(compile(tree, "notebook", "exec"), names)
        stored = [output for output in cell["outputs"] if output["output_type"] == "stream"]
        assert said.getvalue() == "".join("".join(output["text"]) for output in stored)
        if shown:
            picture = eval(compile(last, "notebook", "eval"), names)
            assert picture._repr_svg_().startswith("<svg")
            pictures += 1
    assert pictures == 1 and "changed: [2, 4, 6, 8, 10, 12, 14, 16]" in text
    assert text.count("16 of 16 as predicted") == 4


def test_the_tested_temperature_of_a_certified_export_is_the_least_by_halves(tmp_path):
    abb = logdepth.compile_regular("(a|b)*abb")
    assert abb.export("torch", tmp_path / "least", length=6, temperature="tested", certify=True).temperature == 1024
    with pytest.raises((logdepth.ExportRefused, logdepth.ExportWrong)):
        abb.export("torch", tmp_path / "half", length=6, temperature=512, certify=True)


def test_a_tested_temperature_is_written_and_reported(tmp_path):
    tree = logdepth.compile_regular(group="S3", construction="tree")
    with pytest.raises(logdepth.ExportRefused, match="passes the self-test") as refusal:
        tree.export("torch", tmp_path / "tree", length=4)
    found = float(re.search(r"--temperature (\S+) passes", str(refusal.value))[1])
    report = tree.export("torch", tmp_path / "tree", length=4, temperature="tested")
    assert report.temperature == found and not report.separated and "tested, not proved" in report.text
    with pytest.raises(logdepth.ExportWrong, match="no certificate of floating-point answers"):
        tree.export("torch", tmp_path / "other", length=4, temperature="tested", certify=True)


def test_a_certificate_is_written_by_python3(tmp_path, monkeypatch):
    scan = logdepth.compile_regular(group="Z2", construction="scan")
    assert scan.export("safetensors", tmp_path / "scan", length=4, certify=True).certified
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(logdepth.BadInput, match="needs the program python3, which is missing"):
        scan.export("safetensors", tmp_path / "other", length=4, certify=True)
