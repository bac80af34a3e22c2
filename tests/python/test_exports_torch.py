"""Exported folders in PyTorch: the answers of the exact run, or a named refusal."""

import json
import math
import shutil
import subprocess

import exported
import pytest
import torch
from safetensors.torch import load_file, save_file

SEPARATED = ["a5", "abb", "cascade", "layernorm", "majority", "dyck"]
COUNTED = ["modular", "tree"]  # a norm or a head without a proved separation
LENGTH = 14


def network(name, length, *options, **loading):
    folder = exported.exported(name, "torch", length, *options)
    return exported.module(folder, "logdepth_torch").load(folder, **loading)


def assert_right_verdicts(net, name, letters="ab"):
    asked = exported.words(net.config["alphabet"], net.config["length"])
    right, answers = exported.verdicts(name, asked), exported.answers()
    verdict_of = {}
    for length in set(map(len, asked)):
        words = [word for word in asked if len(word) == length]
        logits = net(torch.tensor([answers.tokens_of(net.config, word) for word in words]))
        verdict_of.update((word, answers.verdict(net.config, rows)) for word, rows in zip(words, logits))
    wrong = [word for word, verdict in zip(asked, right) if verdict_of[word] is not verdict]
    assert wrong == [] and True in right and False in right
    assert [net.accepts(word) for word in asked[-9:]] == right[-9:]


@pytest.mark.parametrize("unrolled", [False, True])
@pytest.mark.parametrize("attention", ["softmax", "hard"])
@pytest.mark.parametrize("name", SEPARATED)
def test_verdicts_are_those_of_the_exact_run(name, attention, unrolled):
    assert_right_verdicts(network(name, LENGTH, attention=attention, unrolled=unrolled), name)


def test_an_unknown_attention_is_refused():
    with pytest.raises(ValueError, match="expected one of softmax, hard, averaging-hard; found 'Hard'"):
        network("a5", LENGTH, attention="Hard")
    assert network("a5", LENGTH, attention="averaging-hard").repeated[0][0].heads[0].hard


@pytest.mark.parametrize("name", COUNTED)
def test_averaging_hard_verdicts_are_those_of_the_exact_run(name):
    assert_right_verdicts(network(name, LENGTH, "--temperature", "hard"), name)


@pytest.mark.parametrize("name", ["modular", "tree", "division", "connectivity"])
def test_no_temperature_where_a_separation_is_not_proved(name):
    length = 4 if name == "connectivity" else LENGTH
    said = exported.refusal(name, "torch", length)
    assert "no score separation is proved" in said and "--temperature hard" in said


@pytest.mark.parametrize("attention", ["softmax", "hard"])
def test_prefix_products_of_a5(attention):
    net = network("a5", LENGTH, attention=attention)
    maps = {"a": [1, 2, 0, 3, 4], "b": [1, 2, 3, 4, 0]}
    for word in exported.words("ab", LENGTH):
        point, right = list(range(5)), []
        for letter in word:
            point = [maps[letter][image] for image in point]
            right.append(point)
        assert net.prefixes(word) == right


@pytest.mark.parametrize("name, length, options", [
    ("a5", LENGTH, ()), ("abb", LENGTH, ()), ("cascade", LENGTH, ()), ("layernorm", LENGTH, ()),
    ("a5", 5, ("--precision", "float32"))])
def test_temperatures_are_the_least_powers_of_two_that_gaps_and_rounding_ask_for(name, length, options):
    config = network(name, length, *options).config
    unit = 2.0**-24 if config["precision"] == "float32" else 2.0**-53
    asked = math.log(2 * (config["most_tokens"] - 1) / unit)
    heads = [head for layer in config["layers"] for head in layer["attention"]["heads"] if head["compares"]]
    assert heads
    for head in heads:
        gap = head["gap"] - 2 * head["rounding"]
        assert head["gap"] > 8 * head["rounding"] > 0
        assert head["temperature"] * gap >= asked > head["temperature"] / 2 * gap
        assert math.frexp(head["temperature"])[0] == 0.5


def test_a_pattern_is_the_softmax_of_scores_at_the_temperature_of_the_head():
    net = network("abb", LENGTH)
    for name, module in net.named_modules():
        if hasattr(module, "temperature"):
            module.temperature /= 2.0**12  # so low that every weight is seen
    _, cache = net.run_with_cache(net.encode("abbabab"))
    seen = 0
    for name, head in [(name, module) for name, module in net.named_modules() if hasattr(module, "temperature")]:
        for scores, pattern in zip(cache[f"{name}.scores"], cache[f"{name}.pattern"]):
            for i, row in enumerate(scores[0].tolist()):
                row = row[:i + 1] if head.causal else row
                weights = [math.exp(head.temperature * (score - max(row))) for score in row]
                right = [weight / sum(weights) for weight in weights] + [0.0] * (scores.shape[-1] - len(row))
                assert pattern[0, i].tolist() == pytest.approx(right, abs=1e-12)
                seen += any(1e-6 < weight < 0.9 for weight in right)
    assert seen > 20


def test_float32_at_a_length_that_is_proved():
    assert "float32 can lose" in exported.refusal("a5", "torch", LENGTH, "--precision", "float32")
    net = network("majority", LENGTH, "--precision", "float32")
    assert net.positions.dtype == torch.float32 and net.config["certified"]["to_length"] == LENGTH
    assert_right_verdicts(net, "majority")


TESTED = ("--precision", "float32", "--temperature", "tested")


@pytest.mark.parametrize("name, length", [("modular", 20), ("tree", 10), ("cascade", 16), ("a5", 24)])
def test_what_passes_as_a_tested_temperature_loads_and_is_right(name, length):
    net = network(name, length, *TESTED)
    # Of Z6 at 20 letters float32 moves logits by 0.013 and no answer.
    assert_right_verdicts(net, name, net.config["alphabet"])


@pytest.mark.parametrize("name, length", [("modular", 24), ("tree", 40)])
def test_a_tested_temperature_that_is_right_by_the_luck_of_its_rounding_is_none(name, length):
    assert "no power of two passes the self-test" in exported.refusal(name, "torch", length, *TESTED)


LOWER = {"half": torch.float16, "bfloat16": torch.bfloat16}


@pytest.mark.parametrize("kind", LOWER)
@pytest.mark.parametrize("name", ["a5", "abb", "cascade", "layernorm"])
def test_half_precision_is_refused_where_its_answers_are_others(name, kind):
    net = network(name, LENGTH)
    said = f"does not calculate what was exported, in {LOWER[kind]} on the tokens"
    for cast in (getattr(net, kind), lambda: net.to(LOWER[kind]), getattr(torch.nn.Sequential(net), kind)):
        with pytest.raises(RuntimeError, match=said):
            cast()
    with pytest.raises(RuntimeError, match=said):
        network(name, LENGTH, dtype=LOWER[kind])
    assert net.positions.dtype == torch.float64  # nothing was changed
    assert_right_verdicts(net, name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_lower_precision_in_which_the_examples_pass_is_taken(dtype):
    for net in (network("majority", LENGTH).to(dtype), network("majority", LENGTH, dtype=dtype)):
        assert net.positions.dtype == dtype and net.accepts("aab") and not net.accepts("abb")


def test_autocast_changes_no_product():
    net = network("a5", LENGTH, *TESTED)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert net.answer("abbab").dtype == torch.float32
        assert_right_verdicts(net, "a5")


@pytest.mark.parametrize("name, options", [(name, ()) for name in ("a5", "abb", "cascade", "layernorm")] +
                         [("a5", ("--temperature", "hard"))])
def test_gradients_see_no_query_and_no_key(name, options):
    """docs/interpretability.md says so."""
    net = network(name, LENGTH, *options)
    weights = {place: weight.requires_grad_() for place, weight in net.named_parameters()}
    net.answer("abbabaabbaabab").square().sum().backward()
    largest = {kind: max(0 if weight.grad is None else weight.grad.abs().max().item()
                         for place, weight in weights.items() if place.rsplit(".", 1)[1:] == [kind])
               for kind in ("query", "key", "value", "output", "inward", "outward")}
    assert max(largest["query"], largest["key"]) <= (0 if options else 1e-30)
    assert min(largest[kind] for kind in ("value", "output", "inward", "outward")) > 1


def test_points_of_a_run_have_names_and_may_be_replaced():
    looped, unrolled = network("a5", LENGTH), network("a5", LENGTH, unrolled=True)
    tokens = looped.encode("abbaab")
    logits, cache = looped.run_with_cache(tokens)
    again, unrolled_cache = unrolled.run_with_cache(tokens)
    assert torch.equal(logits, again)
    turns = cache["repeated.0.0.heads.0.pattern"]
    assert len(turns) == 3 and turns[0].shape == (1, 7, 7)
    for turn, pattern in enumerate(turns):
        assert torch.equal(pattern, unrolled_cache[f"repeated.{turn}.0.heads.0.pattern"][0])
        assert torch.allclose(pattern.sum(-1), torch.ones(1, 7, dtype=torch.float64))
    hook = looped.points()["repeated.0.0.after_attention"].register_forward_hook(lambda *passed: 0 * passed[2])
    assert not torch.equal(looped(tokens), logits)
    hook.remove()
    assert torch.equal(looped(tokens), logits)
    assert len(looped.config["residual"]) == tokens.new_zeros(64).numel()


def test_exact_weights_stand_beside_the_floats():
    tensors = load_file(exported.exported("a5", "safetensors", LENGTH) / "model.safetensors")
    assert tensors["layers.0.in.numerator"].dtype == torch.int64
    floats = [name for name in tensors if f"{name}.numerator" in tensors]
    assert len(floats) == 9
    for name in floats:
        quotient = tensors[f"{name}.numerator"].double() / tensors[f"{name}.denominator"].double()
        assert torch.equal(quotient, tensors[name])
    # -15/104 of the file under a mask of 13/2 and the scale 16/15
    assert tensors["layers.0.in.numerator"][0, 0] == -1 and tensors["layers.0.in.denominator"][0, 0] == 1


def changed(change, tmp_path, name="a5"):
    """A folder in which something is wrong."""
    folder = shutil.copytree(exported.exported(name, "torch", LENGTH), tmp_path / "changed")
    config = json.loads((folder / "config.json").read_text())
    tensors = load_file(folder / "model.safetensors")
    change(config, tensors)
    (folder / "config.json").write_text(json.dumps(config))
    save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, folder / "model.safetensors")
    return folder


def low_temperature(config, _):
    config["layers"][0]["attention"]["heads"][0]["temperature"] /= 256  # 64; the least that passes is 256


def unfolded_scale(_, tensors):
    tensors["layers.0.heads.0.value"] *= 3 / 8


def transposed(_, tensors):
    tensors["layers.0.in"][:64] = tensors["layers.0.in"][:64].T.clone()


def swapped(_, tensors):
    query, key = "layers.0.heads.0.query", "layers.0.heads.0.key"
    tensors[query], tensors[key] = tensors[key], tensors[query]


def without_loop(config, _):
    config["unroll"]["minus"] = 1


@pytest.mark.parametrize("change", [low_temperature, unfolded_scale, transposed, swapped, without_loop])
def test_what_was_changed_does_not_load(change, tmp_path):
    load = exported.module(exported.exported("a5", "torch", LENGTH), "logdepth_torch").load
    folder = changed(change, tmp_path)
    with pytest.raises(RuntimeError, match="is not the file that `logdepth export` wrote"):
        load(folder)
    with pytest.raises(RuntimeError, match="does not calculate what was exported"):
        load(exported.with_new_sums(folder))


def names_of_tokens(config, _):
    config["tokens"].reverse()


def verdicts(config, _):
    config["output"].update(accept=config["output"]["reject"], reject=config["output"]["accept"])


def first_row(config, _):
    config["output"]["prefix"]["first_row"] += 1


def numerators(_, tensors):
    tensors["layers.0.in.numerator"] += 1


@pytest.mark.parametrize("change", [names_of_tokens, verdicts, first_row, numerators])
def test_what_no_logit_shows_does_not_load_either(change, tmp_path):
    load = exported.module(exported.exported("a5", "torch", LENGTH), "logdepth_torch").load
    folder = changed(change, tmp_path)
    with pytest.raises(RuntimeError, match="is not the file that `logdepth export` wrote"):
        load(folder)
    (folder / "SHA256SUMS").unlink()
    with pytest.raises(RuntimeError, match="SHA256SUMS"):
        load(folder)


def test_a_network_without_examples_does_not_load(tmp_path):
    load = exported.module(exported.exported("a5", "torch", LENGTH), "logdepth_torch").load
    with pytest.raises(RuntimeError, match="has no examples"):
        load(exported.with_new_sums(changed(lambda config, _: config.update(examples=[]), tmp_path)))


def test_the_sums_are_those_that_sha256sum_checks():
    subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=exported.exported("a5", "torch", LENGTH), check=True)


def test_words_are_taken_apart_as_the_program_does():
    named = network("reset", 6)
    for word in ("set", "set keep", " set keep  reset", "set\tkeep\treset", "", "keep", ["reset", "set"]):
        typed = word if isinstance(word, str) else " ".join(word)
        assert [named.accepts(word)] == exported.verdicts("reset", [typed])
    with pytest.raises(ValueError, match="the letter 'setkeep' is not in the alphabet"):
        named.accepts("setkeep")
    with pytest.raises(ValueError, match="the letter '<begin>' is not in the alphabet"):
        named.accepts(["<begin>"])
    a5 = network("a5", LENGTH)
    assert a5.prefixes("ab ba\n") == a5.prefixes("abba") == a5.prefixes(["a", "b", "b", "a"])
