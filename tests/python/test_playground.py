"""Model.widget: what the browser is sent (tests/playground/test_notebook.mjs shows it in one). The page that the package has."""

import pathlib
import subprocess
import sys
import urllib.request

import pytest

import logdepth

PAGE = pathlib.Path(__file__).resolve().parents[2] / "playground"


@pytest.fixture(scope="module")
def model():
    return logdepth.compile_regular(regex="(a|b)*abb")


def test_the_package_has_the_page(model, tmp_path):
    model.save(tmp_path / "abb.json")
    program = pathlib.Path(logdepth.__file__).parent / "bin" / "logdepth"
    server = subprocess.Popen([program, "play", "--no-open", tmp_path / "abb.json"], stdout=subprocess.PIPE, text=True, cwd=tmp_path,
                              env={"PATH": "/usr/bin:/bin"})
    try:
        address, question = server.stdout.readline().rstrip().split("#")
        assert question == "kind=file&file=given%2Fabb.json"  # the page has an example of that name
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == (PAGE / "index.html").read_bytes()
        with urllib.request.urlopen(address + "examples/given%2Fabb.json") as answer:
            assert answer.read().decode() == model.text()
        with urllib.request.urlopen(address + "examples/abb.json") as answer:
            assert answer.read() == (PAGE / "examples" / "abb.json").read_bytes()
    finally:
        server.terminate()
        server.communicate()


def test_a_widget_has_the_word_and_the_answer(model):
    shown = model.widget("aabb", layer=2)
    assert (shown.word, shown.layer, shown.token, shown.given) == ("aabb", 2, -1, {})
    assert shown.weights == model.text()
    assert shown.answer.accepted
    shown.word = "aab"
    assert shown.answer.decision == "rejected"
    shown.word = "aac"
    assert shown.answer is None
    assert model.widget(["a", "b"]).word == "ab"
    with pytest.raises(logdepth.BadInput, match="letter 'c' at position 3"):
        model.widget("aac")


def test_a_widget_has_graphs_and_raw_streams():
    roads = logdepth.compile_connectivity(construction="rows", size=4)
    with pytest.raises(logdepth.BadInput, match="does not take words"):
        roads.widget()
    shown = roads.widget(logdepth.Reach([("New York", 1), (1, "#")], "#", 1))
    assert shown.given == {"graph": "New_York\n1\n_\nNew_York 1\n1 _", "source": "_", "target": "1"}
    assert shown.answer.decision == "rejected" and shown.answer.depth == 2
    shown = roads.widget(logdepth.Reach([("a b", "a_b")], "a b", "a_b"))
    assert shown.given == {"graph": "1\n2\n1 2", "source": "1", "target": "2"}
    division = logdepth.compile_division()
    lines = division.widget(division.division(2, 3)).given["cells"].splitlines()
    assert len(lines) == 4 and lines[0].split() == ["a.0", "a.1", "i.0", "i.1", "m.0", "m.1"]
    assert lines[3] == "sqrt(4/5) sqrt(1/5) 2 1 3 1"


def test_a_widget_is_one_module_of_the_files_of_the_page(model):
    source = model.widget("a")._esm
    for name in ("notebook_view", "attention_view", "exact_runner", "weights_file"):
        assert source.count(f'["{name}.mjs", "') == 1
    assert "https://" not in source and "fetch(" not in source


def test_without_anywidget_the_extra_is_named():
    program = ("import sys; sys.modules['anywidget'] = None; import logdepth\n"
               "logdepth.compile_regular('a').widget('a')")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: Model.widget requires anywidget: pip install 'logdepth[widget]'")


def test_a_trace_is_displayed_as_the_picture_of_its_run(model):
    assert model.trace("abb")._repr_svg_() == model.draw("abb").svg
    assert model.trace("a" * 100)._repr_svg_() is None
