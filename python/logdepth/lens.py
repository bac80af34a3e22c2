"""A compiled transformer as a TransformerBridge of TransformerLens 4.

`load(folder)` reads what `logdepth export FILE --to transformer-lens --length N -o FOLDER` wrote. The
loop is unrolled: a block for every layer that runs. Needs torch, safetensors and transformer-lens.

    bridge = load("a5")
    logits, cache = bridge.run_with_cache(bridge.logdepth.encode("abab"))
    cache["blocks.0.attn.hook_pattern"]

`bridge.logdepth` has the names that TransformerLens has no place for: `residual` (of dimensions),
`tokens`, `logits`, `heads` (of every block).
"""

import torch
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge.sources.native import boot

if __package__:
    from .torch import DTYPES, read, tokens_of, try_examples
else:
    from logdepth_torch import DTYPES, read, tokens_of, try_examples  # beside this file, in an exported folder

# Scores are divided by it. TransformerLens takes no 1 here, and would take sqrt(d_head); a power of two
# in the queries undoes it without rounding.
SCALE = 2.0


class Names:
    """What dimensions, tokens, logits and heads are called."""

    def __init__(self, config, layers):
        self.config = config
        self.residual, self.tokens, self.logits = config["residual"], config["tokens"], config["logits"]
        self.heads = [[head["name"] for head in config["layers"][layer]["attention"]["heads"]]
                      for layer in layers]

    def encode(self, word):
        """Tokens [1, T] of a word: a list of letters, or a string as `letters_of` takes it apart."""
        return torch.tensor([tokens_of(self.config, word)])


def layers_in_order(config):
    """The layers that run, by their numbers in the file."""
    def block(name):
        return [index for index, layer in enumerate(config["layers"]) if layer["block"] == name]

    return block("initial") + block("repeated") * config["loops"] + block("final")


def load(folder, device=None):
    """A TransformerBridge, tried on the examples of config.json."""
    config, weights = read(folder)
    dtype = DTYPES[config["precision"]]
    layers = layers_in_order(config)
    heads = max((len(config["layers"][layer]["attention"]["heads"]) for layer in layers), default=0)
    size = max((weights[f"layers.{layer}.heads.{k}.{name}"].shape[0] for layer in layers
                for k in range(len(config["layers"][layer]["attention"]["heads"]))
                for name in ("query", "value")), default=1)
    bridge = boot(
        TransformerBridgeConfig(
            d_model=config["width"], d_head=size, n_heads=max(heads, 1), n_layers=len(layers),
            n_ctx=config["most_tokens"], d_vocab=len(config["tokens"]),
            d_vocab_out=len(config["logits"]),
            d_mlp=max((weights[f"layers.{layer}.in"].shape[0] for layer in layers), default=0) or 1,
            act_fn="relu",
            normalization_type=None, attention_dir="causal", use_attn_scale=True, attn_scale=SCALE,
            positional_embedding_type="standard", init_weights=False, dtype=dtype),
        dtype=dtype, device=device, model_name=config["name"])
    model = bridge.original_model
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.tok_embed.weight.copy_(weights["embedding"])
        model.pos.weight.copy_(weights["positions"])
        model.head.weight.copy_(weights["unembedding"])
        for block, layer in zip(model.layers, layers):
            def part(name):
                return weights[f"layers.{layer}.{name}"]

            for k, head in enumerate(config["layers"][layer]["attention"]["heads"]):
                query, key, value = (part(f"heads.{k}.{name}") for name in ("query", "key", "value"))
                first = k * size  # heads of unequal sizes are padded with zeros
                block.attn.q.weight[first:first + len(query)] = SCALE * head["temperature"] * query
                block.attn.k.weight[first:first + len(key)] = key
                block.attn.v.weight[first:first + len(value)] = value
                block.attn.o.weight[:, first:first + len(value)] = part(f"heads.{k}.output")
            units = len(part("in"))
            block.mlp.fc_in.weight[:units] = part("in")
            block.mlp.fc_out.weight[:, :units] = part("out")
    bridge.logdepth = Names(config, layers)

    def logits_of(example):
        return bridge(torch.tensor([example["tokens"]], device=device), return_type="logits")[0]

    try_examples(config, logits_of, f"TransformerLens, given the network of {folder},")
    return bridge
