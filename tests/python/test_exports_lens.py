"""Exported folders in TransformerLens: the answers of the exact run, for every construction that is exported."""

import functools
import json
import math
import shutil

import exported
import pytest
import torch
from transformer_lens.model_bridge import TransformerBridge

LENGTH = 14
SEPARATED = ["a5", "abb", "cascade", "layernorm"]
# Norms whose scale depends on the input: counts, tests for zero, heads that are not causal, raw streams.
COUNTED = [("majority", ()), ("dyck", ()), ("modular", ("--temperature", "hard")), ("tree", ("--temperature", "hard")),
           ("abb", ("--temperature", "hard")), ("majority", ("--precision", "float32"))]


@functools.cache
def bridge(name, length=LENGTH, *options):
    return fresh(name, length, *options)


def fresh(name, length=LENGTH, *options):
    folder = exported.exported(name, "transformer-lens", length, *options)
    exported.module(folder, "logdepth_torch")  # what logdepth_lens imports
    return exported.module(folder, "logdepth_lens").load(folder)


@pytest.mark.parametrize("name, options", [(name, ()) for name in SEPARATED] + COUNTED)
def test_verdicts_are_those_of_the_exact_run(name, options):
    lens = bridge(name, LENGTH, *options)
    assert isinstance(lens, TransformerBridge)
    config, answers = lens.logdepth.config, exported.answers()
    asked = exported.words(config["alphabet"], LENGTH)
    asked = [word for word in asked if word or config["input"]["begin"] or config["input"].get("end")]
    right = dict(zip(asked, exported.verdicts(name, asked)))
    for length in sorted(set(map(len, asked))):
        batch = [word for word in asked if len(word) == length]
        tokens = torch.cat([lens.logdepth.encode(word) for word in batch])
        logits = lens(tokens, return_type="logits")
        assert [answers.verdict(config, rows) for rows in logits] == [right[word] for word in batch]
    assert True in right.values() and False in right.values()


@pytest.mark.parametrize("name, options", [("majority", ()), ("modular", ("--temperature", "hard")),
                                           ("division_layernorm", ("--temperature", "hard"))])
def test_norms_have_the_usual_hooks_and_are_exact(name, options):
    """|x| / sqrt(M) by another calculation, and an edit of the scale that takes effect."""
    lens = bridge(name, 12, *options)
    config = lens.logdepth.config
    asked = lens.logdepth.encode((7, 3)) if name.startswith("division") else lens.logdepth.encode("a" * 7)
    logits, cache = lens.run_with_cache(asked)
    found = changed = 0
    for block, layer in enumerate(config["layers"]):
        for place, sublayer in (("ln1", "attention"), ("ln2", "feedforward")):
            at = f"blocks.{block}.{place}."
            if layer[sublayer]["norm"] is None:
                assert (cache[at + "hook_scale"] == 1).all()
                continue
            mask = getattr(lens.original_model.layers[block], place).original_component.mask
            for token, h in enumerate(cache[at + "hook_in"][0]):
                x = [weight * value for weight, value in zip(mask.tolist(), h.tolist())]
                if max(map(abs, x)) < max(layer[sublayer]["norm"]["zero_below"], 1e-300):
                    assert (cache[at + "hook_out"][0, token] == 0).all()
                    continue
                if config["norm"] == "layernorm":
                    mean = math.fsum(x) / len(x)
                    x = [value - mean for value in x]
                scale = math.sqrt(math.fsum(value * value for value in x) / len(x))
                assert cache[at + "hook_scale"][0, token].item() == pytest.approx(scale, rel=1e-12)
                assert cache[at + "hook_out"][0, token].tolist() == pytest.approx([value / scale for value in x])
                found += 1
            edited = lens.run_with_hooks(asked, fwd_hooks=[(at + "hook_normalized", lambda value, hook: 0 * value)])
            assert torch.equal(cache[at + "hook_normalized"], cache[at + "hook_out"])
            changed += not torch.equal(edited, logits)
    assert found > 5 and changed > 0


def test_scores_are_before_the_softmax_and_edits_of_them_count():
    lens = bridge("a5")
    tokens = lens.logdepth.encode("abbab")
    logits, cache = lens.run_with_cache(tokens)
    for block in range(lens.cfg.n_layers):
        scores, pattern = (cache[f"blocks.{block}.attn.hook_{name}"] for name in ("attn_scores", "pattern"))
        assert torch.allclose(torch.softmax(scores, -1), pattern, atol=1e-15)
        assert torch.isinf(scores[0, 0]).sum() == 15 and (scores[0, 0].tril() != 0).any()
    level = lambda scores, hook: torch.where(torch.isinf(scores), scores, torch.zeros_like(scores))
    assert not torch.equal(lens.run_with_hooks(tokens, fwd_hooks=[("blocks.0.attn.hook_attn_scores", level)]), logits)


@pytest.mark.parametrize("name, options", [("a5", ()), ("cascade", ()), ("majority", ()), ("layernorm", ())])
def test_switches_of_heads_change_no_logit_and_their_hooks_count(name, options):
    """What every head reads and writes, a head alone: edits take effect, and the sum of the heads is what was written."""
    lens = fresh(name, LENGTH, *options)
    assert not lens.training and not lens.original_model.training
    tokens = lens.logdepth.encode([lens.logdepth.tokens[k % 2] for k in range(7)])
    right, plain = lens.run_with_cache(tokens)
    last = lens.cfg.n_layers - 1
    for switches in ([lens.set_use_attn_result], [lens.set_use_split_qkv_input], [lens.set_use_attn_in],
                     [lens.set_use_attn_result, lens.set_use_split_qkv_input, lens.set_use_hook_mlp_in]):
        for switch in switches:
            switch(True)
        logits, cache = lens.run_with_cache(tokens)
        assert (logits - right).abs().max() <= 1e-12 * right.abs().max()
        inputs = [f"blocks.{last}.attn.hook_{name}_input" for name in "qkv" if lens.cfg.use_split_qkv_input]
        inputs += [f"blocks.{last}.attn.hook_attn_in"] if lens.cfg.use_attn_in else []
        for place in inputs:
            assert torch.equal(cache[place], cache[f"blocks.{last}.hook_resid_pre"][:, :, None].expand_as(cache[place]))
        if lens.cfg.use_attn_result:
            written = cache[f"blocks.{last}.attn.hook_result"]
            assert written.shape[2] == lens.cfg.n_heads
            assert torch.allclose(written.sum(2), plain[f"blocks.{last}.attn.hook_out"], atol=1e-12)
            inputs.append(f"blocks.{last}.attn.hook_result")
        changed = [not torch.equal(lens.run_with_hooks(tokens, fwd_hooks=[(place, lambda value, hook: 0 * value)]), right)
                   for place in inputs]
        assert any(changed) or last == 0, (name, inputs)
        for switch in switches:
            switch(False)
    assert torch.equal(lens(tokens, return_type="logits"), right)


def test_gradients_are_numbers_where_a_norm_reads_zero():
    lens = bridge("majority")
    _, cache = lens.run_with_cache(lens.logdepth.encode("ab"))
    stream = cache["blocks.0.hook_resid_pre"].detach().requires_grad_()
    lens.run_with_hooks(lens.logdepth.encode("ab"), fwd_hooks=[
        ("blocks.0.hook_resid_pre", lambda value, hook: stream)]).sum().backward()
    assert torch.isfinite(stream.grad).all() and (stream.grad != 0).any()


@pytest.mark.parametrize("kind, dtype", [("half", torch.float16), ("bfloat16", torch.bfloat16)])
def test_half_precision_is_refused_where_its_answers_are_others(kind, dtype):
    lens, word = fresh("a5"), "abbabaabbaabab"
    right = lens.logdepth.prefixes(word)
    for cast in (getattr(lens, kind), lambda: lens.to(dtype)):
        with pytest.raises(RuntimeError, match=f"does not calculate what was exported, in {dtype} on the tokens"):
            cast()
        assert lens.W_E.dtype == lens.cfg.dtype == torch.float64 and lens.logdepth.prefixes(word) == right
    counts = fresh("majority").to(dtype)  # whose examples pass
    assert counts.W_E.dtype == counts.cfg.dtype == dtype
    assert counts.logdepth.accepts("aab") and not counts.logdepth.accepts("abb")


def test_autocast_changes_no_product():
    lens = bridge("a5", LENGTH, "--precision", "float32", "--temperature", "tested")
    right = lens.logdepth.answer("abbab")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(lens.logdepth.answer("abbab"), right) and right.dtype == torch.float32


def test_a_network_without_layers_opens():
    folder = exported.exported("abb", "transformer-lens", 1)  # no loop for one letter
    lens = exported.module(folder, "logdepth_lens").load(folder)
    assert lens.cfg.n_layers == 0
    asked = ["", "a", "b"]
    assert [lens.logdepth.accepts(word) for word in asked] == exported.verdicts("abb", asked)


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
    lens = fresh("a5")  # whose weights change
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
    assert lens.cfg.n_heads == max(heads) > min(heads) and lens.cfg.attention_dir == "causal"
    assert bridge("connectivity", 4, "--temperature", "hard").cfg.attention_dir == "bidirectional"


def test_what_was_changed_does_not_load(tmp_path):
    folder = shutil.copytree(exported.exported("a5", "transformer-lens", LENGTH), tmp_path / "changed")
    config = json.loads((folder / "config.json").read_text())
    config["layers"][0]["attention"]["heads"][0]["temperature"] /= 256
    (folder / "config.json").write_text(json.dumps(config))
    load = exported.module(folder, "logdepth_lens").load
    with pytest.raises(RuntimeError, match="is not the file that `logdepth export` wrote"):
        load(folder)
    with pytest.raises(RuntimeError, match="does not calculate what was exported"):
        load(exported.with_new_sums(folder))
