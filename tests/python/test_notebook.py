"""examples/notebooks/own_construction.ipynb: run after the installation that it names, it says what is stored in it."""

import ast
import os
import pathlib
import re
import site
import subprocess
import sys
import tomllib

import nbformat
import pytest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/notebooks/own_construction.ipynb"


def shown(notebook):
    """Of each cell of code its source and what it shows: what is printed, results, kinds of pictures."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        printed, results, pictures = "", [], []
        for output in cell.outputs:
            if output.output_type == "stream":
                # What packages warn of on standard error is theirs.
                printed += output.text if output.name == "stdout" else ""
            else:
                results.append(output.data["text/plain"])
                pictures += [kind for kind in output.data if kind.startswith("image/")]
        cells.append((cell.source, printed, results, pictures))
    return cells


@pytest.fixture(scope="module")
def stored():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(tmp_path_factory, stored):
    """As its first cell says, in an environment of its own; PyPI's packages are those of this environment's peers, and
    there is no way to a network."""
    folder = tmp_path_factory.mktemp("notebook")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    packages = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True, check=True
    ).stdout.strip()
    peers = (pathlib.Path(site.getsitepackages()[0]) / "peers.pth").read_text()
    (pathlib.Path(packages) / "peers.pth").write_text(peers)
    unreachable = "http://127.0.0.1:9"
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
                   "http_proxy": unreachable, "https_proxy": unreachable}

    def run(*arguments):
        done = subprocess.run([python, "-m", *arguments], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    (wheel,) = pathlib.Path(os.environ["LOGDEPTH_WHEELS"]).glob("logdepth-*.whl")
    # The peers are without triton, which pip would ask for.
    run("pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
    run("nbconvert", "--to", "notebook", "--execute", "--output-dir", folder, NOTEBOOK)
    return nbformat.read(folder / NOTEBOOK.name, as_version=4)


def test_it_says_what_is_stored_in_it(stored, executed):
    assert shown(executed) == shown(stored)


def test_its_installation_names_what_it_imports(stored):
    (extras,) = re.findall(r"`pip install '\.\[(.*?)\]'` in a clone", stored.cells[0].source)
    named = tomllib.loads((NOTEBOOK.parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    required = {re.match(r"[\w-]+", line)[0] for extra in extras.split(",") for line in named[extra]}
    code = ast.parse("\n".join(source for source, *_ in shown(stored)))
    imported = {alias.name.split(".")[0] for node in ast.walk(code) if isinstance(node, ast.Import) for alias in node.names}
    assert imported - sys.stdlib_module_names - {"logdepth"} <= required
    assert {"torch", "onnx", "onnxruntime"} <= imported and {"transformer-lens", "nbconvert", "ipykernel"} <= required


def test_it_ends_with_equal_answers(stored):
    cells = shown(stored)
    assert sum("verdicts equal: True" in printed for _, printed, _, _ in cells) == 3
    assert cells[-1][1].startswith("PyTorch, ONNX Runtime, TransformerLens and the exact run: 574 of 574 words")
    assert any("'+-' is answered with accept" in printed for _, printed, _, _ in cells), "the shrunk word"
    assert any("image/svg+xml" in pictures for _, _, _, pictures in cells), "the drawing"


def test_what_is_stored_is_complete_and_of_no_machine(stored):
    text = NOTEBOOK.read_text(encoding="utf-8")
    for place in (str(NOTEBOOK.parents[2]), "/home/", "/tmp/", "/work/", '"stderr"'):
        assert place not in text, place
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
