"""A run with a slider over its layers, in a notebook. Needs anywidget, the extra `widget`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ._bindings import Answer
from .errors import BadInput, LimitReached
from .inputs import Input, Reach

if TYPE_CHECKING:
    from .model import Model

_FOLDER = Path(__file__).parent / "playground"  # of the page, beside this file when it is installed
_LINK = """
const urls = {};
for (const [name, source] of modules) {
  const linked = source.replace(/ from '\\.\\/(\\w+\\.mjs)'/g, (_, other) => ` from '${urls[other]}'`);
  urls[name] = URL.createObjectURL(new Blob([linked], {type: 'text/javascript'}));
}
export default (await import(urls['notebook_view.mjs'])).default;
"""


def _one_module() -> str:
    """notebook_view.mjs and all that it imports, as one module that needs no server."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        source = (_FOLDER / name).read_text(encoding="utf-8")
        for other in re.findall(r"^(?!//).* from '\./(\w+\.mjs)'", source, re.MULTILINE):
            if other not in modules:
                add(other)
        modules[name] = source

    add("notebook_view.mjs")
    return f"const modules = {json.dumps(list(modules.items()))};{_LINK}"


class RunWidget(anywidget.AnyWidget):
    """The run of a network on an input, as a widget of notebooks: who reads whom in each layer, the exact
    numbers of each token, the contracts of the heads. `Model.widget` makes one.

    `layer` and `token` are shown, `word` is what the network reads; each can be set and observed, as traits.
    A negative token counts from the last. The browser makes the run itself; `answer` is that of `Model.run`.
    """

    _esm = _one_module()
    _css = (_FOLDER / "notebook_view.css").read_text(encoding="utf-8")

    weights = traitlets.Unicode(read_only=True).tag(sync=True)
    given = traitlets.Dict(read_only=True).tag(sync=True)
    word = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int(1).tag(sync=True)
    token = traitlets.Int(-1).tag(sync=True)

    def __init__(self, model: Model, input: Input, layer: int = 1, token: int = -1) -> None:
        """BadInput for an input that `Model.run` does not take."""
        self._model = model
        self.answer: Answer | None = model.run(input)
        """Of `Model.run`; None for a typed word that is not of the alphabet."""
        word, given = _as_text(model, input)
        self._words = given == {}
        super().__init__(layer=layer, token=token, word=word)
        self.set_trait("weights", model.text())
        self.set_trait("given", given)

    @traitlets.observe("word")
    def _run_again(self, _: Any) -> None:
        """Of a word that was typed or set."""
        if not self.trait_has_value("weights"):
            return  # __init__ has the answer
        try:
            self.answer = self._model.run(self.word) if self._words else self.answer
        except (BadInput, LimitReached):  # the browser has a sentence
            self.answer = None

    def __repr__(self) -> str:
        return f"<run of {self._model.name}, {self.answer!r}>"


def _as_text(model: Model, input: Input) -> tuple[str, dict[str, str]]:
    """A word as it is typed, or another input as the page has it."""
    if isinstance(input, Reach):
        names = [re.sub(r"[\s#]", "_", str(vertex)) or "_" for vertex in input.vertices]
        if len(set(names)) < len(names):
            names = [str(number) for number in range(1, len(names) + 1)]
        name = dict(zip(input.vertices, names))
        lines = names + [f"{name[tail]} {name[head]}" for tail, head in input.edges]
        ends = {"source": name[input.source], "target": name[input.target]}
        return "", {"graph": "\n".join(lines), **ends}
    if isinstance(input, Mapping):
        rows = zip(*([str(number).replace(" ", "") for number in numbers] for numbers in input.values()))
        return "", {"cells": "\n".join([" ".join(input), *(" ".join(row) for row in rows)])}
    if isinstance(input, str):
        return input, {}
    single = all(len(letter) == 1 for letter in model.alphabet)
    return ("" if single else " ").join(input), {}
