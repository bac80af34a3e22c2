"""A compiled transformer as a TransformerBridge of TransformerLens 4.

`load(folder)` reads what `logdepth export FILE --to transformer-lens --length N -o FOLDER` wrote. The
loop is unrolled: a block for every layer that runs. Needs torch, safetensors and transformer-lens.

    bridge = load("a5")
    logits, cache = bridge.run_with_cache(bridge.logdepth.encode("abab"))
    cache["blocks.0.attn.hook_pattern"]

`bridge.logdepth` has the names that TransformerLens has no place for: `residual` (of dimensions),
`tokens`, `logits`, `heads` (of every block), and reads answers: `accepts`, `prefixes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.generalized_components import AttentionBridge, NormalizationBridge
from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_from_module
from transformer_lens.model_bridge.sources.native.model import NativeAttention, NativeModel

if __package__:
    from .answers import batch, encoded, prefixes, verdict
    from .torch import DTYPES, Norm, _Config, _Folder, cast, read, spread, try_examples, weigh
else:  # beside this file, in an exported folder
    from logdepth_answers import batch, encoded, prefixes, verdict
    from logdepth_torch import DTYPES, Norm, _Config, _Folder, cast, read, spread, try_examples, weigh

# Scores are divided by it. TransformerLens takes no 1 here, and would take sqrt(d_head); a power of two
# in the queries undoes it without rounding.
SCALE = 2.0


class Attention(NativeAttention):
    """NativeAttention whose heads each have a direction and, under averaging-hard attention, a tolerance. The
    queries contain the temperatures."""

    def __init__(self, cfg: Any, heads: Sequence[Mapping[str, Any]], hard: bool) -> None:
        super().__init__(cfg)
        causal = [head["causal"] for head in heads] + [True] * (cfg.n_heads - len(heads))
        self.register_buffer("sees_later", ~torch.tensor(causal)[:, None, None], persistent=False)
        self.tolerances = [head["tolerance"] for head in heads] if hard else []

    def forward(self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None,
                position_ids: torch.Tensor | None = None, pattern_fn: Any = None, scores_fn: Any = None,
                split_fn: Any = None, result_fn: Any = None, **_: Any) -> tuple[torch.Tensor, torch.Tensor]:
        batch, count, _ = hidden_states.shape
        parts = split_fn(hidden_states) if split_fn is not None else [
            read(hidden_states).view(batch, count, self.n_heads, self.d_head) for read in (self.q, self.k, self.v)]
        queries, keys, values = (part.transpose(1, 2) for part in parts)
        scores = queries @ keys.transpose(-2, -1) / self.scale
        earlier = torch.ones(count, count, dtype=torch.bool, device=scores.device).tril()
        visible = (earlier | self.sees_later).expand(batch, -1, -1, -1)
        if attention_mask is not None:
            visible = ~self._combine_attention_mask(~visible, attention_mask, batch=batch)
        if scores_fn is not None:
            scores = scores_fn(scores.masked_fill(~visible, -torch.inf))
        if self.tolerances:
            parts = [weigh(scores[:, head], visible[:, head], 1.0, tolerance)
                     for head, tolerance in enumerate(self.tolerances)]
            parts += [torch.zeros_like(scores[:, 0])] * (self.n_heads - len(parts))
            pattern = torch.stack(parts, 1)
        else:
            pattern = weigh(scores, visible, 1.0)
        # A query that sees nothing, as padding may be, has no weights.
        pattern = pattern.masked_fill(~visible, 0.0)
        if pattern_fn is not None:
            pattern = pattern_fn(pattern)
        mixed = (pattern @ values).transpose(1, 2)
        flat = mixed.reshape(batch, count, -1)
        return self.o(flat) if result_fn is None else result_fn(flat, mixed.shape), pattern


class ExactAttentionBridge(AttentionBridge):
    """AttentionBridge whose hook_attn_scores is before the softmax, and whose edits take effect. With the switches of
    the bridge (`set_use_attn_result`, `set_use_split_qkv_input`, `set_use_attn_in`) every head reads a stream of its
    own, and what it writes is seen before the sum."""

    supports_attn_result = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        inputs = (self.hook_in(args[0]), *args[1:])
        forked = self.config.use_split_qkv_input or self.config.use_attn_in
        try:
            result, pattern = self.original_component(
                *inputs, pattern_fn=self.hook_pattern, scores_fn=self.hook_attn_scores,
                split_fn=self._split if forked else None,
                result_fn=self._result if self.config.use_attn_result else None, **kwargs)
        finally:
            self._captured_pre_ln_residual = None
        return self.hook_out(result), pattern

    def _split(self, hidden: torch.Tensor) -> list[torch.Tensor]:
        """Queries, keys and values [B, T, heads, d_head], each head's of its own copy of the stream before the norm."""
        source = hidden if self._captured_pre_ln_residual is None else self._captured_pre_ln_residual
        heads, size = self.config.n_heads, self.config.d_head
        if self.config.use_split_qkv_input:
            copies = [self._fork_and_norm_per_head(source, hook, heads)
                      for hook in (self.hook_q_input, self.hook_k_input, self.hook_v_input)]
        else:
            copies = [self._fork_and_norm_per_head(source, self.hook_attn_in, heads)] * 3
        return [self._project_per_head_qkv(read, copy, heads, size)
                for read, copy in zip((self.q, self.k, self.v), copies)]

    def _result(self, mixed: torch.Tensor, shape: torch.Size) -> torch.Tensor:
        """What all heads write, of values [B, T, heads * d_head]."""
        return self._compute_per_head_result(self.o.hook_in(mixed).view(shape), self.config.n_heads, self.config.d_head)


class ExactNormBridge(NormalizationBridge):
    """The norm of logdepth, without epsilon, with the hooks of a norm: hook_in, hook_scale, hook_normalized,
    hook_out. Where the scale is proved it is in the matrices that read: then the scale is 1."""

    property_aliases: dict[str, str] = {}

    def forward(self, hidden_states: torch.Tensor, **_: Any) -> torch.Tensor:
        h, norm = self.hook_in(hidden_states), self.original_component
        if isinstance(norm, Norm):
            result = norm(h, self.hook_scale)
        else:
            result = h / self.hook_scale(torch.ones_like(h[..., :1]))
        return self.hook_out(self.hook_normalized(result))


class ExactBridge(TransformerBridge):
    """A bridge that is cast only where the examples still pass, and that autocast leaves as it is."""

    logdepth: Names

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with torch.autocast(self.W_E.device.type, enabled=False):
            return super().forward(*args, **kwargs)

    def _validate_attention_fork_supported(self, flag_name: str) -> None:
        """ExactAttentionBridge supports every switch; TransformerLens knows two classes by their names."""

    def to_tokens(self, input: str | Sequence[str], *_: Any, **__: Any) -> torch.Tensor:
        """Words as tokens [words, T], as `logdepth.encode` reads them: the token that begins a word is always there,
        and shorter words are padded on the right."""
        rows, _sizes = batch(self.logdepth.config, [input] if isinstance(input, str) else input)
        return torch.tensor(rows, device=self.W_E.device)

    def to_str_tokens(self, input: Any, *_: Any, **__: Any) -> list[str]:
        """The names of the tokens of one word, or of a row of tokens."""
        tokens = self.to_tokens(input) if isinstance(input, str) else torch.as_tensor(input)
        return [self.logdepth.tokens[token] for token in tokens.flatten().tolist()]

    def generate(self, *_: Any, **__: Any) -> Any:
        """NotImplementedError: logits are answers."""
        raise NotImplementedError("a compiled network generates nothing: its logits are answers "
                                  "(`bridge.logdepth.logits` names the rows), not tokens")

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], *options: Any) -> ExactBridge:
        change = super()._apply
        try:
            return cast([self, self.original_model], lambda: change(fn, *options), self.logdepth.try_examples)
        finally:
            self.cfg.dtype = self.W_E.dtype


class Names:
    """What dimensions, tokens, logits and heads are called, and the answers of inputs."""

    def __init__(self, config: _Config, layers: Sequence[int], bridge: TransformerBridge) -> None:
        self.config = config
        self.residual, self.tokens, self.logits = config["residual"], config["tokens"], config["logits"]
        self.heads = [[head["name"] for head in config["layers"][layer]["attention"]["heads"]]
                      for layer in layers]
        self._bridge = bridge

    def encode(self, input: Any) -> torch.Tensor:
        """Tokens [1, T] of a word (a list of letters, or a string as `letters_of` takes it apart) or a graph.
        Of an input with values, as a division, the embedded stream [1, T, M] without positions, which the
        bridge takes as well."""
        parts = encoded(self.config, input)
        return self._taken(parts["tokens"], parts["given"])

    def _taken(self, tokens: list[int] | None, given: list[list[float]] | None) -> torch.Tensor:
        embedding = self._bridge.W_E
        place = embedding.device
        tokens = None if tokens is None else torch.tensor([tokens], device=place)
        if given is None:
            return tokens
        stream = spread(self.config, torch.tensor([given], dtype=embedding.dtype, device=place))
        return stream if tokens is None else stream + embedding[tokens]

    def try_examples(self, name: str = "this network") -> None:
        """`try_examples` of the torch module, on the bridge in its present precision."""
        try_examples(self.config, lambda example: self._bridge(
            self._taken(example["tokens"] or None, example["given"] or None), return_type="logits")[0], name)

    def answer(self, input: Any) -> torch.Tensor:
        """Logits [T, rows] of an input."""
        return self._bridge(self.encode(input), return_type="logits")[0]

    def accepts(self, input: Any) -> bool | None:
        """Whether a word, or a graph with source and target, is accepted; None where both logits are equal."""
        return verdict(self.config, self.answer(input))

    def prefixes(self, word: Any) -> list[Any]:
        """After each letter: the product of the letters so far, as the images of the points, or the number
        of the state; None where two largest logits are equal."""
        return prefixes(self.config, self.answer(word).tolist())


def layers_in_order(config: _Config) -> list[int]:
    """The layers that run, by their numbers in the file."""
    def block(name):
        return [index for index, layer in enumerate(config["layers"]) if layer["block"] == name]

    return block("initial") + block("repeated") * config["loops"] + block("final")


def load(folder: _Folder, device: str | torch.device | None = None) -> ExactBridge:
    """A TransformerBridge, tried on the examples of config.json."""
    config, weights = read(folder)
    dtype, hard = DTYPES[config["precision"]], config["attention"] == "hard"
    layers = layers_in_order(config)
    all_heads = [config["layers"][layer]["attention"]["heads"] for layer in layers]
    size = max((weights[f"layers.{layer}.heads.{k}.{name}"].shape[0] for layer, heads in zip(layers, all_heads)
                for k in range(len(heads)) for name in ("query", "value")), default=1)
    causal = all(head["causal"] for heads in all_heads for head in heads)
    cfg = TransformerBridgeConfig(
        d_model=config["width"], d_head=size, n_heads=max(map(len, all_heads), default=0) or 1, n_layers=len(layers),
        n_ctx=config["most_tokens"], d_vocab=len(config["tokens"]) or 1, d_vocab_out=len(config["logits"]),
        d_mlp=max((weights[f"layers.{layer}.in"].shape[0] for layer in layers), default=0) or 1,
        act_fn="relu", normalization_type=None, attention_dir="causal" if causal else "bidirectional",
        use_attn_scale=True, attn_scale=SCALE, positional_embedding_type="standard", init_weights=False,
        dtype=dtype, architecture="TransformerLensNative")
    model = NativeModel(cfg)
    for block, layer, heads in zip(model.layers, layers, all_heads):
        settings = config["layers"][layer]
        block.attn = Attention(cfg, heads, hard)
        for place, sublayer in (("ln1", "attention"), ("ln2", "feedforward")):
            norm = settings[sublayer]["norm"]
            if norm is not None:
                mask = weights[f"layers.{layer}.{sublayer}.mask"][0]
                setattr(block, place, Norm(mask, norm["zero_below"], config["norm"] == "layernorm"))
    model = model.to(device=device, dtype=dtype)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if not name.endswith(".mask"):
                parameter.zero_()
        if config["tokens"]:
            model.tok_embed.weight.copy_(weights["embedding"])
        model.pos.weight.copy_(weights["positions"])
        model.head.weight.copy_(weights["unembedding"])
        for block, layer, heads in zip(model.layers, layers, all_heads):
            def part(name):
                return weights[f"layers.{layer}.{name}"]

            for k, head in enumerate(heads):
                query, key, value = (part(f"heads.{k}.{name}") for name in ("query", "key", "value"))
                first = k * size  # heads of unequal sizes are padded with zeros
                temperature = 1.0 if hard else head["temperature"]
                block.attn.q.weight[first:first + len(query)] = SCALE * temperature * query
                block.attn.k.weight[first:first + len(key)] = key
                block.attn.v.weight[first:first + len(value)] = value
                block.attn.o.weight[:, first:first + len(value)] = part(f"heads.{k}.output")
            units = len(part("in"))
            block.mlp.fc_in.weight[:units] = part("in")
            block.mlp.fc_out.weight[:, :units] = part("out")

    def exact_components(adapter):
        parts = adapter.component_mapping["blocks"].submodules
        for name in ("ln1", "ln2"):
            parts[name] = ExactNormBridge(name=name, config=adapter.cfg)
        parts["attn"] = ExactAttentionBridge(name="attn", config=adapter.cfg, submodules=parts["attn"].submodules)

    bridge = build_bridge_from_module(model, "TransformerLensNative", tl_config=cfg, dtype=dtype, device=device,
                                      model_name=config["name"], post_adapter_hook=exact_components)
    names = Names(config, layers, bridge)
    object.__setattr__(bridge, "logdepth", names)
    bridge.__class__ = ExactBridge
    bridge.eval()  # as tools that attribute expect it; nothing differs in training
    names.try_examples(f"TransformerLens, given the network of {folder},")
    return bridge
