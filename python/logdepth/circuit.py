"""The circuit of a compiled network as data: which part reads what which other part writes, decided exactly.

    c = logdepth.zoo("group-S3").circuit(letters=8)
    [edge.name for edge in c.edges if edge.varies]     # what flows there may depend on the letters
    c.causal(4)                                        # edges that change a verdict, each with two words
    c.score({"embed->m0": 0.7, "a0.h0->m0": 0.1})      # of a method, against every kind of truth

Kinds of edges, and which of them is the truth for which tool: docs/circuits.md. The names are those of EAP-IG,
where `input` is our `embed`. Layers are those of a run, from 0.
"""

from __future__ import annotations

import importlib
import itertools
import json
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from .errors import BadInput, LimitReached

if TYPE_CHECKING:
    from .model import Model

_MOST_PAIRS = 2**16
_EQUAL = 1e-9  # numbers that float64 does not tell apart


@dataclass(frozen=True)
class Node:
    """A part of the network that writes the residual stream, or the logits. `layer` and `head`: from 0, None where
    there is none; `reads`: cells by part (q, k, v of a head, else ""); `copies`: what a head moves, "sd := d";
    `units`: of an mlp, each with `when`, `then` and the `lookup` whose rule it is; `hooks`: its place in torch
    (unrolled) and TransformerLens."""

    name: str
    kind: str
    layer: int | None
    head: int | None
    title: str
    selects: str
    copies: tuple[str, ...]
    reads: Mapping[str, tuple[str, ...]]
    writes: tuple[str, ...]
    units: tuple[Mapping[str, Any], ...]
    hooks: Mapping[str, str]


@dataclass(frozen=True)
class Edge:
    """`part` of `target` reads what `source` writes. `reason`: a largest entry of the exact map, at `row` of the
    reader and `column` of the writer, None of kind "norm". `read_cells`: None where the file carries no program."""

    source: str
    target: str
    part: str
    kind: Literal["structural", "norm"]
    varies: bool
    reason: Fraction | None
    row: int | None
    column: str | None
    cells: tuple[str, ...]
    read_cells: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """As EAP-IG writes it: "a0.h1->m0", "embed->a0.h0<q>"."""
        return _named(self.source, self.target, self.part)


def _named(source: str, target: str, part: str) -> str:
    return f"{source}->{target}" + (f"<{part}>" if part else "")


class Circuit:
    """The circuit for words of at most `letters` letters. `edges` are those of kind structural and norm; every other
    possible one (`possible` lists them all) does nothing: no selection and no logit depends on it."""

    def __init__(self, text: str, model: Model) -> None:
        """Internal. Use Model.circuit()."""
        data = json.loads(text)
        self._model = model
        self.data: dict[str, Any] = data
        self.letters: int = data["letters"]
        self.nodes = tuple(Node(
            node["name"], node["kind"], node.get("layer"), node.get("head"), node.get("title", ""),
            node.get("selects", ""), tuple(node.get("copies", ())),
            {part: tuple(cells) for part, cells in (node["reads"] or {}).items()},
            tuple(node["writes"]), tuple(data["units"][str(node["file_layer"])] if node["kind"] == "mlp" else ()),
            node["hooks"]) for node in data["nodes"])
        self.edges = tuple(Edge(
            edge["source"], edge["target"], edge["part"], edge["kind"], edge["varies"],
            Fraction(edge["reason"]["value"]) if edge["reason"] else None, (edge["reason"] or {}).get("row"),
            (edge["reason"] or {}).get("column"), tuple(edge["cells"]),
            None if edge["read_cells"] is None else tuple(edge["read_cells"])) for edge in data["edges"])

    def __repr__(self) -> str:
        kinds = [edge.kind for edge in self.edges]
        return (f"<circuit of {self.data['model']} for {self.letters} letters: {len(self.nodes)} nodes, "
                f"{kinds.count('structural')} of {self.data['possible']} possible edges structural>")

    @property
    def possible(self) -> dict[str, tuple[str, str, str]]:
        """All edges that a transformer of these parts could have, in the order of their targets: source, target and part
        by name."""
        place = {node.name: -1 if node.layer is None else 2 * node.layer + (node.kind == "mlp")
                 for node in self.nodes}
        place["logits"] = 2 * self.data["n_layers"]
        edges = [(source.name, target.name, part) for target in self.nodes
                 for part in {"head": "qkv", "mlp": ("",), "logits": ("",)}.get(target.kind, "")
                 for source in self.nodes if place[source.name] < place[target.name]]
        return {_named(*edge): edge for edge in edges}

    def to_networkx(self) -> Any:
        """A networkx.MultiDiGraph: nodes by name, edges keyed by part, with the fields of Node and Edge."""
        import networkx  # type: ignore[import-untyped]

        graph = networkx.MultiDiGraph(letters=self.letters, sha256=self.data["sha256"])
        for node in self.nodes:
            graph.add_node(node.name, **{key: value for key, value in vars(node).items() if key != "name"})
        for edge in self.edges:
            graph.add_edge(edge.source, edge.target, key=edge.part, **vars(edge))
        return graph

    def to_frame(self) -> Any:
        """The edges as a pandas.DataFrame, one a row."""
        import pandas  # type: ignore[import-untyped]

        return pandas.DataFrame([{"name": edge.name, **vars(edge)} for edge in self.edges])

    def causal(self, n: int, how: Literal["resample", "zero"] = "resample",
               answer: Literal["verdict", "prefix", "logit"] = "verdict") -> dict[str, tuple[str, str | None]]:
        """The edges that change an answer when one of them alone is patched, over all words of at most n letters: by
        name, with a witness (clean word, other word). An edge that is missing changes none of them up to n.

        `how`: the reader sees what the source writes in another word of the same length, or nothing. `answer`: the
        verdict, any prefix product, or any logit. It is a run in float64 with averaging-hard attention of the
        exported network, whatever `norms` are asked for; scores within 1e-9 of the largest are ties. Needs torch.
        LimitReached beyond 65536 pairs of words.
        """
        if how not in ("resample", "zero") or answer not in ("verdict", "prefix", "logit"):
            raise BadInput("expected how 'resample' or 'zero', and answer 'verdict', 'prefix' or 'logit'; "
                           f"found {how!r}, {answer!r}")
        if not 1 <= n <= self.letters:
            raise BadInput(f"n: expected 1 to {self.letters}, the letters of the circuit; found {n}")
        pairs = len(self._model.alphabet)**(n if how == "zero" else 2 * n)
        if pairs > _MOST_PAIRS:
            raise LimitReached(f"n = {n}: {pairs} pairs of words are more than the limit of {_MOST_PAIRS}")
        with tempfile.TemporaryDirectory() as folder:
            self._model.export("torch", folder + "/network", length=self.letters, temperature="hard")
            # Of another name for type checkers: torch has no strict types.
            runs = importlib.import_module("logdepth._edge_runs").EdgeRuns(folder + "/network")
        left = self.possible
        found: dict[str, tuple[str, str | None]] = {}
        for length in range(1, n + 1):
            words = list(itertools.product(self._model.alphabet, repeat=length))
            for edge, (clean, other) in runs.witnesses(words, list(left.values()), how, answer).items():
                found[_named(*edge)] = " ".join(words[clean]), None if other is None else " ".join(words[other])
                del left[_named(*edge)]
        return found

    def score(self, scores: Mapping[str, float], causal: Collection[str] | None = None,
              threshold: float = _EQUAL) -> dict[str, dict[str, float]]:
        """How well the scores of a method (by edge name; `input` means `embed`) find each kind of truth:
        "structural", "varies", and "causal" where names are given.

        AUROC over the edges that have a score, with ties counted half, nan where all are true or none is; precision
        and recall of those whose absolute score is above the threshold. Edges that only the method has count as not
        there.
        """
        mine = {"embed" + name[5:] if name.startswith("input->") else name: abs(score)
                for name, score in scores.items()}
        truths = {"structural": {e.name for e in self.edges if e.kind == "structural"},
                  "varies": {e.name for e in self.edges if e.varies}}
        if causal is not None:
            truths["causal"] = set(causal)
        return {kind: _score(mine, truth, threshold) for kind, truth in truths.items()}


def _score(scores: Mapping[str, float], truth: Collection[str], threshold: float) -> dict[str, float]:
    inside = [score for name, score in scores.items() if name in truth]
    outside = [score for name, score in scores.items() if name not in truth]
    found = {name for name, score in scores.items() if score > threshold}
    right = len(found.intersection(truth))
    wins = sum((a > b) + (a == b) / 2 for a in inside for b in outside)
    return {"auroc": wins / (len(inside) * len(outside)) if inside and outside else float("nan"),
            "precision": right / len(found) if found else float("nan"),
            "recall": right / len(truth) if truth else float("nan"), "found": len(found), "true": len(truth)}
