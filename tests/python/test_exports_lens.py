"""Exported folders in TransformerLens: the answers of the exact run, or a named refusal."""

import json
import shutil

import exported
import pytest
import torch
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.sources.native import boot

LENGTH = 14
SEPARATED = ["a5", "abb", "cascade", "layernorm"]


def bridge(name, length=LENGTH, *options):
    folder = exported.exported(name, "transformer-lens", length, *options)
    exported.module(folder, "logdepth_torch")  # what logdepth_lens imports
    return exported.module(folder, "logdepth_lens").load(folder)


@pytest.mark.parametrize("name", SEPARATED)
def test_verdicts_are_those_of_the_exact_run(name):
    lens = bridge(name)
    assert isinstance(lens, TransformerBridge)
    config = lens.logdepth.config
    asked = exported.words(config["alphabet"], LENGTH)
    right = dict(zip(asked, exported.verdicts(name, asked)))
    for length in range(LENGTH + 1):
        batch = [word for word in asked if len(word) == length]
        tokens = torch.cat([lens.logdepth.encode(word) for word in batch])
        last = lens(tokens, return_type="logits")[:, -1]
        got = last[:, config["output"]["accept"]] > last[:, config["output"]["reject"]]
        assert got.tolist() == [right[word] for word in batch]


def test_a_network_without_layers_opens():
    folder = exported.exported("abb", "transformer-lens", 1)  # no loop for one letter
    lens = exported.module(folder, "logdepth_lens").load(folder)
    assert lens.cfg.n_layers == 0
    output, asked = lens.logdepth.config["output"], ["", "a", "b"]
    last = [lens(lens.logdepth.encode(word), return_type="logits")[0, -1] for word in asked]
    assert [(logits[output["accept"]] > logits[output["reject"]]).item() for logits in last] == exported.verdicts("abb", asked)


def test_words_are_taken_apart_as_the_program_does():
    lens = bridge("reset", 6)
    assert torch.equal(lens.logdepth.encode("set keep"), lens.logdepth.encode(["set", "keep"]))
    with pytest.raises(ValueError, match="the letter 's' is not in the alphabet"):
        lens.logdepth.encode(["s"])


def test_names_of_dimensions_tokens_and_heads():
    lens = bridge("a5")
    names = lens.logdepth
    assert names.tokens == ["a", "b", "<begin>"] and names.heads == [["prev"]] * 4
    assert len(names.residual) == lens.cfg.d_model == 64 and len(set(names.residual)) == 64
    assert names.logits[names.config["output"]["accept"]] == "accept"
    _, cache = lens.run_with_cache(names.encode("abba"))
    # The first layer looks at the letter before, the second at two letters before that.
    steps = [cache[f"blocks.{block}.attn.hook_pattern"][0, 0, 4].argmax().item() for block in range(3)]
    assert steps == [3, 2, 0]


def test_patterns_are_softmax_at_the_temperature_of_the_head():
    lens = bridge("a5")
    folder = exported.exported("a5", "torch", LENGTH)
    module = exported.module(folder, "logdepth_torch").load(folder)
    temperature = module.config["layers"][0]["attention"]["heads"][0]["temperature"]
    lower = 2.0**-14  # so low that every weight is seen
    for block in lens.original_model.layers:
        block.attn.q.weight.data *= lower
    module.repeated[0][0].heads[0].temperature *= lower
    tokens = module.encode("abbab")
    _, cache = lens.run_with_cache(tokens)
    _, points = module.run_with_cache(tokens, loops=module.config["loops"])
    head = "repeated.0.0.heads.0"
    for turn in range(module.config["loops"]):
        scores, right = (points[f"{head}.{name}"][turn][0] for name in ("scores", "pattern"))
        assert torch.allclose(cache[f"blocks.{turn}.attn.hook_pattern"][0, 0], right, atol=1e-12, rtol=0)
        weights = torch.exp(temperature * lower * scores).tril()
        assert torch.allclose(right, weights / weights.sum(-1, keepdim=True), atol=1e-12, rtol=0)
        assert ((right > 1e-6) & (right < 0.9)).sum() > 10


def test_heads_of_unequal_sizes_are_padded():
    lens = bridge("cascade")
    heads = [len(layer) for layer in lens.logdepth.heads]
    assert lens.cfg.n_heads == max(heads) > min(heads)


@pytest.mark.parametrize("name, sentence", [
    ("modular", "the norm before the feed-forward of layer 1, whose scale depends on the input"),
    ("tree", "the norm before the feed-forward of layer 1"),
    ("majority", "the norm before the feed-forward of layer 1"),
    ("division", "the input, raw streams"),
    ("connectivity", "the input, a graph"),
    ("rows", "the input, a graph")])
def test_what_it_cannot_say_is_refused_by_name(name, sentence):
    said = exported.refusal(name, "transformer-lens", 4)
    assert "TransformerLens does not support " + sentence in said and "--to torch" in said


def test_averaging_hard_attention_is_refused():
    assert "averaging-hard attention" in exported.refusal("a5", "transformer-lens", LENGTH,
                                                          "--temperature", "hard")


def test_defaults_of_transformer_lens_give_another_network():
    """Why a plain load_state_dict is wrong: the layer norm that is there if none is refused."""
    lens = bridge("a5")
    names, cfg = lens.logdepth, lens.cfg
    shape = {key: getattr(cfg, key) for key in
             ("d_model", "d_head", "n_heads", "n_layers", "n_ctx", "d_vocab", "d_vocab_out", "d_mlp")}
    plain = boot(TransformerBridgeConfig(**shape, act_fn="relu", dtype=torch.float64), dtype=torch.float64)
    loaded = plain.original_model.load_state_dict(lens.original_model.state_dict(), strict=False)
    assert all(".ln1." in key or ".ln2." in key or "ln_out." in key for key in loaded.missing_keys)
    assert loaded.missing_keys and not loaded.unexpected_keys
    words = [word for word in exported.words("ab", LENGTH) if len(word) == LENGTH]
    tokens = torch.cat([names.encode(word) for word in words])
    right, got = lens(tokens, return_type="logits"), plain(tokens, return_type="logits")
    images = slice(2, None)
    same = (right[..., images].argmax(-1) == got[..., images].argmax(-1)).double().mean()
    assert same < 0.5


def test_what_was_changed_does_not_load(tmp_path):
    folder = shutil.copytree(exported.exported("a5", "transformer-lens", LENGTH), tmp_path / "changed")
    config = json.loads((folder / "config.json").read_text())
    config["layers"][0]["attention"]["heads"][0]["temperature"] /= 64
    (folder / "config.json").write_text(json.dumps(config))
    load = exported.module(folder, "logdepth_lens").load
    with pytest.raises(RuntimeError, match="is not the file that `logdepth export` wrote"):
        load(folder)
    with pytest.raises(RuntimeError, match="does not calculate what was exported"):
        load(exported.with_new_sums(folder))
