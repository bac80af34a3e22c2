"""An exported network run edge by edge: every part sees the sum of what all earlier parts write, and on one edge what
its source writes in another word. Shapes: B words of T tokens, M dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

import torch

from .errors import BadInput
from .torch import Network, load, weigh

Edge = tuple[str, str, str]  # source, target, part
_Writes = dict[str, torch.Tensor]  # by node, [B, T, M]
_Patch = tuple[torch.Tensor, Union[torch.Tensor, float]]  # what is seen instead, and its share by coordinate

_EQUAL = 1e-9
_TIE = {"value": _EQUAL, "relative": True}


class EdgeRuns:
    """Of the folder of an export to torch with averaging-hard attention."""

    def __init__(self, folder: str) -> None:
        self.network: Network = load(folder, unrolled=True)
        turns = [layer for turn in self.network.repeated for layer in turn]
        self.layers = [*self.network.initial, *turns, *self.network.final]

    @torch.no_grad()
    def run(self, tokens: torch.Tensor, patches: Mapping[Edge, _Patch] | None = None) -> tuple[torch.Tensor, _Writes]:
        """Logits [B, T, rows] of tokens [B, T], and what every node writes. On the edges of `patches` the target sees
        another tensor in place of what the source writes, in shares by coordinate: 1 is all of it, 0 nothing."""
        network = self.network
        writes = {"embed": network.embedding[tokens],
                  "pos": network.positions[:tokens.shape[1]].expand(len(tokens), -1, -1)}
        stream = writes["embed"] + writes["pos"]
        patched: dict[tuple[str, str], list[tuple[str, _Patch]]] = {}
        for (source, target, part), patch in (patches or {}).items():
            patched.setdefault((target, part), []).append((source, patch))

        def seen(target: str, part: str = "") -> torch.Tensor:
            return sum((share * (other - writes[source])
                        for source, (other, share) in patched.get((target, part), ())), stream)

        visible = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool)
        for number, layer in enumerate(self.layers):
            for k, head in enumerate(layer.heads):
                name = f"a{number}.h{k}"
                q, key, v = (layer.attention_norm(seen(name, part)) @ matrix.T for part, matrix in
                             (("q", head.query), ("k", head.key), ("v", head.value)))
                pattern = weigh(q @ key.transpose(-1, -2), visible.tril() if head.causal else visible, 1.0, _TIE)
                writes[name] = pattern @ v @ head.output.T
            stream = sum((writes[f"a{number}.h{k}"] for k in range(len(layer.heads))), stream)
            if len(layer.inward):
                units = torch.relu(layer.feedforward_norm(seen(f"m{number}")) @ layer.inward.T)
                writes[f"m{number}"] = units @ layer.outward.T
                stream = stream + writes[f"m{number}"]
        return seen("logits") @ network.unembedding.T, writes

    def answers(self, logits: torch.Tensor, answer: str) -> torch.Tensor:
        """What is compared, [B, ...]; two answers are the same where no entry differs by more than 1e-9."""
        if answer == "logit":
            return logits
        output, ends = self.network.config["output"], self.network.config["input"]
        if answer == "verdict":
            margin = logits[:, -1, output["accept"]] - logits[:, -1, output["reject"]]
            return torch.where(margin.abs() <= _EQUAL, 0, margin.sign())[:, None]
        prefix = output.get("prefix")
        if prefix is None:
            raise BadInput("answer: this network has no prefix readout; expected verdict or logit")
        sizes = {"state": lambda: [prefix["states"]], "element": lambda: [len(prefix["elements"])],
                 "transformation": lambda: [len(images) for images in prefix["images"]]}[prefix["kind"]]()
        row, columns = prefix["first_row"], []
        for size in sizes:
            two = logits[:, int(ends.get("begin", False)):, row:row + size].topk(min(2, size), -1)
            tie = two.values[..., 0] - two.values[..., -1] <= _EQUAL
            columns.append(torch.where(tie & (size > 1), -1, two.indices[..., 0]))
            row += size
        return torch.stack(columns, -1)

    def witnesses(self, words: Sequence[Sequence[str]], edges: Sequence[Edge], how: str,
                  answer: str) -> dict[Edge, tuple[int, int | None]]:
        """For each edge that changes an answer of one of the words, all of one length: the first such word and,
        unless it is zeroed, the word whose write it sees instead."""
        tokens = torch.cat([self.network.encode(list(word)) for word in words])
        logits, writes = self.run(tokens)
        count = len(words)
        zero = how == "zero"
        clean = torch.arange(count).repeat_interleave(1 if zero else count)
        swapped = torch.arange(count) if zero else torch.arange(count).repeat(count)
        right = self.answers(logits, answer)[clean]
        found: dict[Edge, tuple[int, int | None]] = {}
        for edge in edges:
            written = writes[edge[0]]
            if not zero and torch.equal(written, written[:1].expand_as(written)):
                continue  # the same in all words of this length
            other = torch.zeros_like(written) if zero else written[swapped]
            patched, _ = self.run(tokens[clean], {edge: (other, 1.0)})
            changed = ((self.answers(patched, answer) - right).abs() > _EQUAL).flatten(1).any(1).nonzero()
            if len(changed):
                first = int(changed[0])
                found[edge] = int(clean[first]), None if zero else int(swapped[first])
        return found
