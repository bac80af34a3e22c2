"""A compiled transformer, or the network of a training run, as a torch.nn.Module.

`load(folder)` reads what `logdepth export FILE --to torch --length N -o FOLDER` wrote: model.safetensors
and config.json (library/exports/README.md of logdepth describes both). Needs torch and safetensors.

    network = load("a5")
    network.accepts("abab")                       # the verdict
    network.prefixes("abab")                      # what is read after every letter
    network.run_with_cache(network.encode("abab"))  # logits, and every point of the run by its name

`load_run(folder)` reads the network of a finished run of `logdepth train word-problem`, in float32 and
trainable: `load_run("runs/A5/loop-2/seed-1")(tokens)` are the logits that the program has, to rounding.

Shapes: B inputs of T tokens, residual stream of M dimensions, heads of D query and V value dimensions.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import math
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, Union

import torch
from safetensors.torch import load_file

if __package__:
    from .answers import encoded, numbers, prefixes, relation, tokens_of, verdict
else:  # beside this file, in an exported folder
    from logdepth_answers import encoded, numbers, prefixes, relation, tokens_of, verdict

_Folder = Union[str, pathlib.Path]
_Config = dict[str, Any]
_Weights = Mapping[str, torch.Tensor]
_T = TypeVar("_T")
_Attention = Literal["softmax", "hard", "averaging-hard"]

DTYPES = {"float32": torch.float32, "float64": torch.float64}
ATTENTIONS = {"softmax": "softmax", "hard": "hard", "averaging-hard": "hard"}


class Point(torch.nn.Identity):
    """A place of the run: hooks see, and may replace, the tensor that passes."""


class Norm(torch.nn.Module):
    """sqrt(M) x / |x| of x = mask * h, without epsilon; 0 where x is 0. Under layer norm the mean is
    subtracted first. Absent where the scale is proved: then it is in the matrices that read."""

    def __init__(self, mask: torch.Tensor, zero_below: float, subtract_mean: bool) -> None:
        super().__init__()
        self.mask = torch.nn.Parameter(mask, requires_grad=False)
        self.zero_below = zero_below
        self.subtract_mean = subtract_mean

    def forward(self, h: torch.Tensor,
                at_scale: Callable[[torch.Tensor], torch.Tensor] = lambda scale: scale) -> torch.Tensor:
        """`at_scale` sees, and may replace, |x| / sqrt(M), and 1 where x is 0."""
        x = self.mask * h
        largest = x.abs().amax(-1, keepdim=True)
        zero = (largest == 0) | (largest < self.zero_below)
        if self.subtract_mean:
            x = x - x.mean(-1, keepdim=True)
        # Chosen before the root, whose gradient at 0 is infinite.
        square = torch.where(zero, torch.full_like(largest, h.shape[-1]), x.square().sum(-1, keepdim=True))
        scale = at_scale(square.sqrt() / math.sqrt(h.shape[-1]))
        return torch.where(zero, torch.zeros_like(x), x / scale)


def weigh(scores: torch.Tensor, visible: torch.Tensor, temperature: float,
          tolerance: Mapping[str, Any] | None = None) -> torch.Tensor:
    """What a head makes of its scores: softmax at a temperature; with a tolerance (a number, or of the largest
    score if `relative`) averaging-hard attention."""
    if tolerance is None:
        return torch.softmax((temperature * scores).masked_fill(~visible, -math.inf), -1)
    near = tolerance["value"]
    if tolerance["relative"]:
        near = near * scores.abs().masked_fill(~visible, 0).amax(-1, keepdim=True)
    scores = scores.masked_fill(~visible, -math.inf)
    selected = (scores >= scores.amax(-1, keepdim=True) - near).to(scores.dtype)
    return selected / selected.sum(-1, keepdim=True)


def spread(config: _Config, given: torch.Tensor) -> torch.Tensor:
    """Given values [B, T, values] at their places of the stream, [B, T, M]."""
    place = config["given"]
    stream = given.new_zeros(*given.shape[:2], config["width"])
    stream[..., :place["values"]] = given
    if place["mirror"]:
        stream[..., place["mirror"]:place["mirror"] + place["values"]] = -given
    return stream


class Head(torch.nn.Module):
    """One attention head: query, key [D, M], value [V, M], output [M, V]."""

    def __init__(self, settings: Mapping[str, Any], weights: _Weights, hard: bool) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (
            torch.nn.Parameter(weights[name], requires_grad=False) for name in ("query", "key", "value", "output"))
        self.causal: bool = settings["causal"]
        self.hard = hard
        self.temperature: float = settings["temperature"]
        self.tolerance: Mapping[str, Any] | None = settings["tolerance"]
        self.scores, self.pattern, self.result = Point(), Point(), Point()

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        scores = self.scores((z @ self.query.T) @ (z @ self.key.T).transpose(-1, -2))
        visible = torch.ones(scores.shape[-2:], dtype=torch.bool, device=z.device)
        if self.causal:
            visible = visible.tril()
        pattern = self.pattern(weigh(scores, visible, self.temperature, self.tolerance if self.hard else None))
        return self.result(pattern @ (z @ self.value.T) @ self.output.T)


class Layer(torch.nn.Module):
    """Attention, then feed-forward units; both add to the residual stream."""

    def __init__(self, settings: Mapping[str, Any], weights: _Weights, index: int, hard: bool,
                 subtract_mean: bool) -> None:
        super().__init__()

        def part(name: str) -> torch.Tensor:
            return weights[f"layers.{index}.{name}"]

        def norm(sublayer: str) -> Norm | torch.nn.Identity:
            own = settings[sublayer]["norm"]
            if own is None:
                return torch.nn.Identity()
            return Norm(part(f"{sublayer}.mask")[0], own["zero_below"], subtract_mean)

        self.attention_norm, self.feedforward_norm = norm("attention"), norm("feedforward")
        self.heads = torch.nn.ModuleList(
            Head(head, {name: part(f"heads.{k}.{name}") for name in ("query", "key", "value", "output")},
                 hard)
            for k, head in enumerate(settings["attention"]["heads"]))
        self.inward = torch.nn.Parameter(part("in"), requires_grad=False)
        self.outward = torch.nn.Parameter(part("out"), requires_grad=False)
        self.after_attention, self.units, self.after_feedforward = Point(), Point(), Point()

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        z = self.attention_norm(h) if len(self.heads) else h
        h = self.after_attention(h + sum(head(z) for head in self.heads))
        units = self.units(torch.relu(self.feedforward_norm(h) @ self.inward.T))
        return self.after_feedforward(h + units @ self.outward.T)


class Watched(torch.nn.Module):
    """A network whose points are seen by their names."""

    def points(self) -> dict[str, Point]:
        """Every Point by its name: embedded, initial.0.after_attention, ..."""
        return {name: module for name, module in self.named_modules() if isinstance(module, Point)}

    def run_with_cache(self, *inputs: Any, **options: Any) -> tuple[torch.Tensor, dict[str, list[torch.Tensor]]]:
        """Logits, and a dictionary from the names of points to what passed them: one tensor for each
        time that the point was passed (looped layers are passed once a turn)."""
        cache: dict[str, list[torch.Tensor]] = {name: [] for name in self.points()}

        def keep(name: str) -> Callable[..., None]:
            return lambda _module, _inputs, output: cache[name].append(output.detach())

        hooks = [point.register_forward_hook(keep(name)) for name, point in self.points().items()]
        try:
            return self(*inputs, **options), cache
        finally:
            for hook in hooks:
                hook.remove()


class Network(Watched):
    """config and weights as `load` reads them. `attention`: "softmax" or "hard" ("averaging-hard") instead of
    what the export was made for; ValueError for other names. `unrolled`: every turn of the loop has layers, and points, of its own."""

    def __init__(self, config: _Config, weights: _Weights, attention: _Attention | None = None,
                 unrolled: bool = False) -> None:
        super().__init__()
        if attention not in (None, *ATTENTIONS):
            raise ValueError(f"attention: expected one of {', '.join(ATTENTIONS)}; found {attention!r}")
        attention = ATTENTIONS[attention or config["attention"]]
        if attention == "softmax" and config["attention"] == "hard":
            raise ValueError("this export has no temperature; write one with --temperature auto")
        self.config = config
        self.embedding, self.positions, self.unembedding = (
            torch.nn.Parameter(weights[name], requires_grad=False) for name in ("embedding", "positions", "unembedding"))

        def layers(block: str) -> list[Layer]:
            return [Layer(settings, weights, index, attention == "hard", config["norm"] == "layernorm")
                    for index, settings in enumerate(config["layers"]) if settings["block"] == block]

        self.initial = torch.nn.ModuleList(layers("initial"))
        turns = config["loops"] if unrolled else 1
        self.repeated = torch.nn.ModuleList(torch.nn.ModuleList(layers("repeated")) for _ in range(turns))
        self.final = torch.nn.ModuleList(layers("final"))
        self.unrolled = unrolled
        self.embedded = Point()

    def loops(self, size: int) -> int:
        """Turns of the loop for an input of `size` letters, vertices or raw tokens."""
        rule = self.config["unroll"]
        if rule["kind"] == "fixed":
            return rule["loops"]
        size = self.config["input"].get("size", size) - rule["minus"]
        base, reached, turns = rule.get("base", 2), 1, 0
        while reached < size:
            reached, turns = reached * base, turns + 1
        return turns

    def forward(self, tokens: torch.Tensor | None = None, given: torch.Tensor | None = None, size: int | None = None,
                loops: int | None = None) -> torch.Tensor:
        """Logits [B, T, rows] of tokens [B, T] (indices of config["tokens"]), or of given values
        [B, T, values] where the file takes raw streams or rows of a graph. `size`: letters or vertices
        of the inputs, where it is not the number of letters."""
        count = (tokens if tokens is not None else given).shape[1]
        if count > self.config["most_tokens"]:
            raise ValueError(f"expected at most {self.config['most_tokens']} tokens (length {self.config['length']}), "
                             f"found {count}: export with a larger --length")
        h = self.positions[:count].unsqueeze(0)
        if tokens is not None and len(self.config["tokens"]):
            h = self.embedding[tokens] + h
        if given is not None:
            h = h + spread(self.config, given.to(h.dtype))
        h = self.embedded(h)
        if loops is None:
            letters = count - sum(self.config["input"].get(end, False) for end in ("begin", "end"))
            loops = self.loops(letters if size is None else size)
        if self.unrolled and loops > len(self.repeated):
            raise ValueError(f"{loops} loops; this network is unrolled for {len(self.repeated)}")
        with torch.autocast(h.device.type, enabled=False):
            for layer in self.initial:
                h = layer(h)
            for turn in range(loops):
                for layer in self.repeated[turn if self.unrolled else 0]:
                    h = layer(h)
            for layer in self.final:
                h = layer(h)
            return h @ self.unembedding.T

    def try_examples(self, name: str = "this network") -> None:
        """`try_examples` of the module, on this network in its present precision."""
        loops = self.config["loops"] if self.config["unrolled"] else None
        try_examples(self.config, lambda example: self._logits(
            example["tokens"] or None, example["given"] or None, example["size"], loops), name)

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], *options: Any) -> Network:
        """What `half`, `bfloat16` and `to` do: RuntimeError, and nothing is changed, where an example fails then."""
        return cast([self], lambda: super(Network, self)._apply(fn, *options), self.try_examples)

    def encode(self, word: Any) -> torch.Tensor:
        """Tokens [1, T] of a word: a list of letters, or a string as `letters_of` takes it apart; or of a graph."""
        return torch.tensor([tokens_of(self.config, word)], device=self.positions.device)

    def answer(self, input: Any) -> torch.Tensor:
        """Logits [T, rows] of an input: a word, a graph or a division, as `logdepth_answers.encoded` takes it."""
        parts = encoded(self.config, input)
        return self._logits(parts["tokens"], parts["given"], parts["size"])

    def _logits(self, tokens: list[int] | None, given: list[list[float]] | None, size: int,
                loops: int | None = None) -> torch.Tensor:
        place = self.positions.device
        return self(None if tokens is None else torch.tensor([tokens], device=place),
                    None if given is None else torch.tensor([given], dtype=torch.float64, device=place),
                    size, loops)[0]

    def accepts(self, input: Any) -> bool | None:
        """Whether a word, or a graph with source and target, is accepted; None where both logits are equal."""
        return verdict(self.config, self.answer(input))

    def prefixes(self, word: Any) -> list[Any]:
        """After each letter: the product of the letters so far, as the images of the points, or the
        number of the state; None where two largest logits are equal."""
        return prefixes(self.config, self.answer(word).tolist())


def require_whole(folder: pathlib.Path) -> None:
    """Raises RuntimeError where config.json or model.safetensors is not what SHA256SUMS says, which
    `sha256sum -c` reads as well. To change a network on purpose, give `Network` what `read` gives."""
    sums = {}
    if (folder / "SHA256SUMS").exists():
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
        sums = {name: sum for sum, _, name in (line.partition("  ") for line in lines)}
    for name in ("config.json", "model.safetensors"):
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sums.get(name):
            raise RuntimeError(f"{folder / name} is not the file that `logdepth export` wrote: its "
                               "SHA-256 is not that of SHA256SUMS")


def read(folder: _Folder) -> tuple[_Config, dict[str, torch.Tensor]]:
    """config.json and the float weights of model.safetensors."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("format") != "logdepth-network" or config.get("version") != 1:
        raise ValueError(f"{folder}: expected a folder that `logdepth export` wrote")
    require_whole(folder)
    weights = {name: tensor for name, tensor in load_file(folder / "model.safetensors").items()
               if not name.endswith((".numerator", ".denominator"))}
    return config, weights


def decided(config: _Config, logits: Any) -> list[Any]:
    """The answers that are read off the logits of an input; None for what they leave undecided."""
    if config["output"]["kind"] == "relation":
        return [answer for row in relation(config, logits) for answer in row]
    answers = prefixes(config, logits) if "prefix" in config["output"] else []
    return [verdict(config, logits)] + [None if isinstance(answer, list) and None in answer else answer
                                        for answer in answers]


def try_examples(config: _Config, logits_of: Callable[[dict[str, Any]], torch.Tensor], name: str) -> None:
    """Inputs that the export was tested with and wrote down with their exact logits. Raises RuntimeError where an
    answer is another one, as that test did: named numbers may be off by 2^-8, and what is undecided is skipped."""
    if not config["examples"]:
        raise RuntimeError(f"{name} has no examples, so nothing is known of it")
    for example in config["examples"]:
        with torch.no_grad():
            logits = logits_of(example)
        exact, got = example["logits"], logits.to(torch.float64).cpu().tolist()
        if config["output"]["kind"] == "cells":
            right = all(abs(a - b) <= 2**-8 for name, column in numbers(config, exact).items()
                        for a, b in zip(column, numbers(config, got)[name]))
        else:
            right = all(a is None or a == b for a, b in zip(decided(config, exact), decided(config, got)))
        if len(got) != len(exact) or not right:
            raise RuntimeError(f"{name} does not calculate what was exported, in {logits.dtype} on the tokens "
                               f"{example['tokens'] or example['given']}")


def cast(networks: Iterable[torch.nn.Module], change: Callable[[], _T], try_examples: Callable[[], None]) -> _T:
    """Does `change`, and undoes it where the networks then have a precision in which an example fails."""
    modules = [module for network in networks for module in network.modules()]
    parameters = [(one, one.data) for module in modules for one in module.parameters(recurse=False)]
    buffers = [(module, dict(module.named_buffers(recurse=False))) for module in modules]
    changed = change()
    try:
        if any(one.dtype != data.dtype for one, data in parameters):
            try_examples()
    except RuntimeError:
        for one, data in parameters:
            one.data = data
        for module, kept in buffers:
            module._buffers.update(kept)
        raise
    return changed


def load(folder: _Folder, attention: _Attention | None = None, unrolled: bool = False,
         device: str | torch.device | None = None, dtype: torch.dtype | None = None) -> Network:
    """The network that a folder holds, tried on the examples of its config.json, in every precision. `attention`
    and `unrolled` as for `Network`. `dtype`: another precision than that of the export."""
    config, weights = read(folder)
    weights = {name: tensor.to(device=device, dtype=dtype) for name, tensor in weights.items()}
    network = Network(config, weights, attention, unrolled)
    network.try_examples(f"the network of {folder}")
    return network


def rotated(network: Network, seed: int = 1) -> Network:
    """The same network in another basis of the residual stream, a random orthogonal one: the same answers and the same
    circuit, with no coordinate that means anything. ValueError where a norm is computed: its mask picks coordinates."""
    layers = [layer for _, layer in network.named_modules() if isinstance(layer, Layer)]
    if any(isinstance(norm, Norm) for layer in layers for norm in (layer.attention_norm, layer.feedforward_norm)):
        raise ValueError("a norm of this network is computed of masked coordinates, so its basis cannot be changed")
    turned = copy.deepcopy(network)
    width = turned.embedding.shape[1]
    generator = torch.Generator().manual_seed(seed)
    basis = torch.linalg.qr(torch.randn(width, width, generator=generator, dtype=torch.float64))[0].to(turned.embedding)
    with torch.no_grad():
        for name, weights in turned.named_parameters():
            if name.rpartition(".")[2] in ("output", "outward"):
                weights.copy_(basis.T @ weights)
            else:  # embeddings, and all that reads
                weights.copy_(weights @ basis)
    turned.try_examples("the rotated network")
    return turned


class TrainedNorm(torch.nn.Module):
    """RMS norm or layer norm over the channels, epsilon inside the root; `weight`, and `bias` of layer norm."""

    def __init__(self, model: Mapping[str, Any], weights: _Weights, name: str) -> None:
        super().__init__()
        self.epsilon = model["norm_epsilon"]
        self.weight = torch.nn.Parameter(weights[f"{name}.weight"])
        self.bias = torch.nn.Parameter(weights[f"{name}.bias"]) if model["norm"] == "layernorm" else None

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        if self.bias is not None:
            return torch.nn.functional.layer_norm(h, self.weight.shape, self.weight, self.bias, self.epsilon)
        return h * torch.rsqrt(h.square().mean(-1, keepdim=True) + self.epsilon) * self.weight


def trained_linear(weights: _Weights, name: str) -> torch.nn.Linear:
    weight, bias = weights[f"{name}.weight"], weights.get(f"{name}.bias")
    linear = torch.nn.Linear(weight.shape[1], weight.shape[0], bias is not None)
    linear.weight = torch.nn.Parameter(weight)
    if bias is not None:
        linear.bias = torch.nn.Parameter(bias)
    return linear


class TrainedBlock(torch.nn.Module):
    """Attention, then feed-forward, each with its norm. The rows of `query_key_value` are the queries of all
    heads, then their keys, then their values; under SwiGLU the first half of the rows of `inward` is the
    gate, silu(first half) * second half."""

    def __init__(self, model: Mapping[str, Any], weights: _Weights, name: str) -> None:
        super().__init__()
        self.model = model
        self.attention_norm = TrainedNorm(model, weights, f"{name}.attention_norm")
        self.feedforward_norm = TrainedNorm(model, weights, f"{name}.feed_forward_norm")
        self.query_key_value = trained_linear(weights, f"{name}.query_key_value")
        self.output = trained_linear(weights, f"{name}.output")
        self.inward, self.outward = trained_linear(weights, f"{name}.in"), trained_linear(weights, f"{name}.out")
        self.scores, self.pattern, self.result = Point(), Point(), Point()
        self.after_attention, self.units, self.after_feedforward = Point(), Point(), Point()

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        """Rotary positions of x [B, heads, T, w]: channel c of either half turns by position * 10000^(-2c/w)."""
        count, half = x.shape[-2], x.shape[-1] // 2
        speeds = torch.exp(torch.arange(half, dtype=torch.float64, device=x.device)
                           * (-math.log(10000) / half))
        angles = torch.outer(torch.arange(count, dtype=torch.float64, device=x.device), speeds)
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cosine - b * sine, a * sine + b * cosine), -1)

    def attend(self, z: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        heads = self.model["heads"]
        width = self.model["width"] // heads
        q, k, v = (part.unflatten(-1, (-1, width)).transpose(1, 2)
                   for part in self.query_key_value(z).chunk(3, -1))
        if self.model["positions"] == "rotary":
            q, k = self.turned(q), self.turned(k)
        scores = self.scores(q @ k.transpose(-1, -2) / math.sqrt(width))
        pattern = self.pattern(torch.softmax(scores.masked_fill(~visible, -math.inf), -1))
        return self.result(self.output((pattern @ v).transpose(1, 2).flatten(2)))

    def feed_forward(self, z: torch.Tensor) -> torch.Tensor:
        hidden = self.inward(z)
        if self.model["activation"] == "swiglu":
            gate, value = hidden.chunk(2, -1)
            hidden = torch.nn.functional.silu(gate) * value
        else:
            hidden = getattr(torch.nn.functional, self.model["activation"])(hidden)
        return self.outward(self.units(hidden))

    def sublayer(self, h: torch.Tensor, norm: TrainedNorm,
                 body: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        return h + body(norm(h))

    def forward(self, h: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        """`visible` [T, T]: which tokens each row may read."""
        h = self.after_attention(self.sublayer(h, self.attention_norm, lambda z: self.attend(z, visible)))
        return self.after_feedforward(self.sublayer(h, self.feedforward_norm, self.feed_forward))


class TrainedRun(Watched):
    """The network of a run of word problems. `config` is its config.json. `letters` and `labels` are the names
    of an automaton, a C-RASP program or a file, else None. With positions "begin" the token before the first
    letter is the last row of the embedding, with a "table" a second embedding has a row for each position.
    Before each iteration `step_scale` times the iteration's row of `step_embedding` is added to the state."""

    step_embedding: torch.nn.Parameter | None
    initial: torch.nn.ModuleList
    repeated: torch.nn.ModuleList
    final: torch.nn.ModuleList

    def __init__(self, config: _Config, weights: _Weights, letters: list[str] | None = None,
                 labels: list[str] | None = None) -> None:
        super().__init__()
        self.config, self.model = config, config["model"]
        self.letters, self.labels = letters, labels
        tables = sorted(name for name in weights if name.startswith("embedding."))
        self.embeddings = torch.nn.ParameterList(torch.nn.Parameter(weights[name]) for name in tables)
        steps = weights.get("step_embedding")
        self.step_embedding = None if steps is None else torch.nn.Parameter(steps)
        for part in ("initial", "repeated", "final"):
            setattr(self, part, torch.nn.ModuleList(TrainedBlock(self.model, weights, f"{part}.{i}")
                                                    for i in range(self.model[part])))
        self.gate = trained_linear(weights, "gate") if self.model["gate"] == "gru" else None
        self.final_norm = (TrainedNorm(self.model, weights, "final_norm") if self.model["final_norm"]
                           else torch.nn.Identity())
        self.readout = trained_linear(weights, "readout")
        self.embedded = Point()

    @property
    def begins(self) -> bool:
        """Whether a token stands before the first letter."""
        return self.config["task"]["positions"] == "begin"

    def loops(self, letters: int) -> int:
        """Iterations for words of so many letters."""
        rule = self.model["loops"]
        if rule["kind"] == "per-doubling":
            return max(1, rule["least"] * (letters - 1).bit_length())
        return rule["most"] if rule["kind"] == "range" else rule["least"]

    def step(self, h: torch.Tensor, number: int) -> torch.Tensor:
        if self.step_embedding is None:
            return h
        if number >= len(self.step_embedding):
            raise ValueError(f"{number + 1} loops; this network has steps for {len(self.step_embedding)}")
        return h + self.model["step_scale"] * self.step_embedding[number]

    def encode(self, words: Any) -> torch.Tensor:
        """Tokens [B, T] of words of equal length, lists of letters by their numbers or names."""
        if not isinstance(words, torch.Tensor):
            several = words if isinstance(words[0], (list, tuple)) else [words]
            words = [[self.letters.index(one) if isinstance(one, str) else one for one in word]
                     for word in several]
        words = torch.as_tensor(words, device=self.embeddings[0].device)
        words = words.unsqueeze(0) if words.dim() == 1 else words
        if not self.begins:
            return words
        begin = words.new_full((len(words), 1), len(self.embeddings[0]) - 1)
        return torch.cat((begin, words), 1)

    def views(self, count: int, device: str | torch.device | None = None) -> list[torch.Tensor]:
        """Which of `count` tokens each row may read, [T, T] for every layer that runs, the last for all behind
        it. With `task.edges`, radices of a scan, rows of level l read the letters W, 2W, ..., (r - 1) W back, where
        W is the product of the radices before, themselves, and the token before the word."""
        at = torch.arange(count, device=device)
        back = at[:, None] - at
        causal, begin = back >= 0, int(self.begins)
        radices = self.config["task"].get("edges")
        if not radices:
            return [causal]
        always = causal & ((back == 0) | (at < begin))
        views, window = [], 1
        for radix in radices:
            reads = (back > 0) & (back % window == 0) & (back < radix * window) & (at >= begin)
            views.append(always | reads)
            window = min(window * radix, count)
        return [*views, always]

    def forward(self, tokens: torch.Tensor, loops: int | None = None) -> torch.Tensor:
        """Logits [B, T, classes] of tokens as `encode` has them."""
        views, layers = self.views(tokens.shape[1], tokens.device), itertools.count()

        def through(blocks: torch.nn.ModuleList, h: torch.Tensor) -> torch.Tensor:
            for block in blocks:
                h = block(h, views[min(next(layers), len(views) - 1)])
            return h

        h = self.embeddings[0][tokens]
        if len(self.embeddings) > 1:
            h = h + self.embeddings[1][:tokens.shape[1]]
        h = self.embedded(h)
        h = through(self.initial, h)
        turns = self.loops(tokens.shape[1] - self.begins) if loops is None else loops
        for number in range(turns if len(self.repeated) else 0):
            before, h = h, self.step(h, number)
            h = through(self.repeated, h)
            if self.gate is not None:
                h = torch.lerp(before, h, torch.sigmoid(self.gate(torch.cat((h, before), -1))))
        return self.readout(self.final_norm(through(self.final, h)))

    def prefixes(self, word: Any) -> list[int]:
        """The class after each letter of one word."""
        return self(self.encode(word))[0, int(self.begins):].argmax(-1).tolist()

def load_run(folder: _Folder, device: str | torch.device | None = None, dtype: torch.dtype | None = None) -> TrainedRun:
    """The network of a finished run, `config.json` and `model.safetensors` of its folder. ValueError for a run
    of another task, or a part of a model that this module does not have."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("task", {}).get("kind") != "words" or config.get("constructed") or config.get("network"):
        raise ValueError(f"{folder}: expected a run of `logdepth train word-problem`")
    model = config["model"]
    known = {"positions": ("none", "rotary"), "gate": ("none", "gru"), "step_embedding": ("none", "learned"),
             "layer_scale": (None,)}
    # Settings that are gone, which older runs name.
    gone = {"router": "none", "rotary_pairs": "halves", "rotary_base": 10000, "norm_place": "before", "key_value_heads": 0,
            "query_key_norm": False, "tied_readout": False}
    known.update((name, (value,)) for name, value in gone.items() if name in model)
    for name, values in known.items():
        if model[name] not in values:
            raise ValueError(f"{folder}: model.{name}: expected one of {', '.join(map(str, values))}; "
                             f"found {model[name]}")
    record = folder / "record.json"
    result = json.loads(record.read_text(encoding="utf-8"))["result"] if record.exists() else {}
    letters = result.get("automaton", result.get("crasp", result)).get("letters")
    network = TrainedRun(config, load_file(folder / "model.safetensors"), letters, result.get("labels"))
    return network.to(device=device, dtype=dtype)
