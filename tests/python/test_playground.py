"""Model.play: the page with a network, on loopback."""

import pathlib
import urllib.error
import urllib.request

import pytest

import logdepth

PAGE = pathlib.Path(__file__).resolve().parents[2] / "playground"


@pytest.fixture(scope="module")
def model():
    return logdepth.compile_regular(regex="(a|b)*abb")


def test_the_page_and_the_network_are_served(model):
    page = model.play("aabb", folder=PAGE, height=500)
    try:
        address, question = page.url.split("#")
        assert address.startswith("http://127.0.0.1:")
        assert question == "kind=file&file=model.json&word=aabb"
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
            assert answer.read() == (PAGE / "index.html").read_bytes()
        with urllib.request.urlopen(address + "worker.mjs") as answer:
            assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        with urllib.request.urlopen(address + "examples/model.json") as answer:
            assert answer.read().decode() == model.text()
        shown = page._repr_html_()
        assert shown.startswith("<iframe ") and 'height="500"' in shown and "&amp;word=aabb" in shown
        for name in ("none", "../README.md", "..%2fREADME.md", "examples/"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(address + name)
        foreign = urllib.request.Request(address, headers={"Host": "example.org"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign)
    finally:
        page.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(page.url)


def test_a_folder_without_the_page_is_refused(model, tmp_path):
    with pytest.raises(logdepth.BadInput, match="expected a folder with index.html"):
        model.play(folder=tmp_path)
