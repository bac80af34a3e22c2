import json
import math
import os
import subprocess
from pathlib import Path

import pytest
import torch
from conftest import stored_record

from logdepth.pretrained import relit
from logdepth.pretrained.commands import main
from logdepth.pretrained.problem import Problem
from logdepth.pretrained.relit_block import METHODS, Relit
from logdepth.pretrained.rules import Rules

TASK = dict(set="nli", training_samples=12, test_samples=9, batch=6)


def learner(model, method="relit", seed=1, task=TASK, **more):
    settings = Relit(backbone=model.path, **{**METHODS[method], **more})
    return relit.Learner(model, settings, Rules(**task, macro_steps=settings.macro_steps), seed)


def backward_only(loss):
    loss.backward()


@pytest.mark.parametrize("method", METHODS)
def test_the_language_model_stays_as_it_is_and_all_else_learns(model, method):
    before = model.fingerprint()
    one = learner(model, method)
    optimiser = torch.optim.SGD(one.net.parameters(), 1e-2)

    def descend(loss):
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    first = {n: p.detach().clone() for n, p in one.net.named_parameters()}
    for step in range(2):
        one.learn(step, descend)
    assert model.fingerprint() == before and all(p.grad is None for p in model.network.parameters())
    still = {n for n, p in one.net.named_parameters() if torch.equal(p, first[n])}
    # Adapters' down maps move once the up maps are no longer zero; a deviation of z that replace throws away has no effect on y at once.
    assert not {n for n in still if not n.endswith(("_down", "z_log_deviation", "z_mean"))}, still


def test_adapters_begin_as_nothing(model):
    tokens = torch.tensor([[3, 4, 5]])
    before = model.states(tokens)
    learner(model, "adapters")
    assert torch.equal(model.states(tokens), before)


def test_recall_has_no_graph_and_the_gradient_is_that_of_the_last_recursion(model):
    one = learner(model, recursions=3)
    rows, targets = one.samples(one.prompts.training_batch(0))
    x = one.net.x(rows)
    y, z = one.net.block.begin(x)
    late_y, late_z = one.net.macro_step(y, z, x, None, True)
    with torch.no_grad():
        held_y, held_z = one.net.recur(y, z, x, None, 2)
    assert not held_y.requires_grad
    again_y, again_z = one.net.block(held_y.detach(), held_z.detach(), x)
    assert torch.equal(again_y, late_y) and torch.equal(again_z, late_z)
    names, parameters = zip(*[(n, p) for n, p in one.net.block.named_parameters() if "z_mean" not in n and "z_log" not in n])
    a, b = (torch.autograd.grad(t.square().sum(), parameters) for t in (late_y, again_y))
    assert all(torch.equal(g, h) for g, h in zip(a, b)), names


def test_through_time_reaches_the_beginning(model):
    for method, reaches in (("through-time", True), ("relit", False)):
        one = learner(model, method, macro_steps=2)
        one.learn(0, lambda loss: loss.backward() if loss.requires_grad else None)
        grad = one.net.block.z_mean.grad
        assert (grad is not None and bool(grad.abs().sum() > 0)) == reaches, method


@pytest.mark.parametrize("method, losses", [("relit", 3), ("no-halting", 3), ("no-deep-supervision", 1), ("through-time", 1),
                                            ("one-pass", 1), ("linear-probe", 1)])
def test_deep_supervision_is_a_loss_after_every_macro_step(model, method, losses):
    seen = []
    learner(model, method, loss_epsilon=0.0).learn(0, lambda loss: (seen.append(loss.item()), loss.backward()))
    assert len(seen) == losses


def test_halting(model):
    one = learner(model, macro_steps=4)
    rows, _ = one.samples(one.prompts.test())
    assert one.answers(rows)[2].tolist() == [4] * 9  # nothing halts at first
    torch.nn.init.constant_(one.net.halting.bias, 5.0)
    assert one.answers(rows)[2].tolist() == [2] * 9  # the least step
    seen = []
    one.learn(0, lambda loss: (seen.append(1), loss.backward()))
    assert len(seen) == 2  # all have halted: the batch ends
    result = one.measure()
    assert result["halting"] == [0, 9, 0, 0] and result["mean_halting"] == 2


def test_halted_samples_weigh_nothing_in_later_losses(model):
    one = learner(model, macro_steps=3, loss_epsilon=0.0)
    stop = iter([torch.zeros(6, dtype=torch.bool), torch.tensor([True] * 5 + [False]), torch.zeros(1, dtype=torch.bool)])
    one.net.halts = lambda read, step: next(stop)
    seen = []
    one.learn(0, lambda loss: seen.append(loss.item()))
    assert seen[2] < seen[1] / 2


def test_refinement_adds_and_replacement_does_not(model):
    x = torch.randn(1, 4, 32)
    for method in ("relit", "replace"):
        block = learner(model, method, latent_steps=1).net.block
        for p in block.blocks.parameters():
            torch.nn.init.zeros_(p)  # R(h) = h
        torch.nn.init.zeros_(block.concatenation.weight)
        torch.nn.init.zeros_(block.step_embedding)
        z = torch.randn(1, 4, 32)
        kept = torch.nn.functional.cosine_similarity(block(x, z, x)[1], z, dim=-1)
        assert torch.allclose(kept, torch.full_like(kept, float(method == "relit")), atol=1e-5), method


@pytest.mark.parametrize("more", [{}, {"z_start": "zero"}, {"z_start": "from_x"}, {"update_y": "block"}, {"y_every_latent": True}, {"replace": True}], ids=str)
def test_a_recursion_is_the_equations_written_out(model, more):
    block = learner(model, latent_steps=3, **more).net.block
    x = torch.randn(2, 5, 32)
    y, z = block.begin(x)
    assert torch.equal(y, x) and torch.equal(z, x if more.get("z_start") == "from_x" else torch.zeros_like(x))
    y, z = torch.randn(2, 2, 5, 32)
    place = block.rotary(x, torch.arange(5).unsqueeze(0))

    def refined(h):
        return block.blocks[0](h, position_embeddings=place)

    def norm(v, scale):
        return v / (v.square().mean(-1, keepdim=True) + model.config.rms_norm_eps).sqrt() * scale.weight

    def answer(y, z):
        change = torch.cat([y, z], -1) @ block.answer.weight.T
        return norm(y + (refined(change) if more.get("update_y") == "block" else change), block.y_norm)
    with torch.no_grad():
        found = block(y, z, x)
        for step in range(3):
            h = refined(torch.cat([x, y, z], -1) @ block.concatenation.weight.T + block.step_embedding[step])
            z = norm(h if more.get("replace") else z + h, block.z_norm)
            if more.get("y_every_latent"):
                y = answer(y, z)
        y = y if more.get("y_every_latent") else answer(y, z)
        assert torch.allclose(found[0], y, atol=1e-5) and torch.allclose(found[1], z, atol=1e-5)


def test_the_head_of_its_own_begins_as_the_models_and_a_batch_ends_when_its_loss_stays(model):
    own = learner(model, "trainable-head")
    assert torch.equal(own.net.head(own.net.x([(3, 4)])), model.head(model.states(torch.tensor([[3, 4]]))))
    for epsilon, losses in ((1e9, 2), (0.0, 4)):  # at least two macro steps
        seen = []
        one = learner(model, "no-halting", macro_steps=4)
        one.settings.loss_epsilon = one.net.settings.loss_epsilon = epsilon
        one.learn(0, lambda loss: seen.append(loss.item()))
        assert len(seen) == losses


def test_padding_changes_nothing(model):
    one = learner(model)
    rows, _ = one.samples(one.prompts.test())
    together = torch.stack(one.answers(rows)[0])
    alone = torch.stack([torch.stack(one.answers([r])[0])[:, 0] for r in rows], 1)
    assert torch.equal(together, alone) and len({len(r) for r in rows}) > 1


def test_states_are_computed_once_for_all_runs_of_a_command(model, monkeypatch):
    rows = [(3, 4, 5), (6, 7)]
    first = learner(model).net.x(rows)
    assert not torch.equal(learner(model, states="embedding").net.x(rows), first)
    monkeypatch.setattr(model, "states", None)  # nothing is left to compute
    assert torch.equal(learner(model, "one-pass").net.x(rows), first)


def test_a_block_learns_a_toy(model):
    """One word in the prompt tells the answer."""
    one = learner(model, task=dict(set="nli", training_samples=30, test_samples=30, batch=15))
    one.prompts.training_batch = one.prompts.test = lambda step=None: [
        relit.Prompt(f"question : {w} {n} . answer :", a, i) for i, n in enumerate(("dogs", "cats", "birds")) for w, a in (("big", "yes"), ("red", "no"))]
    optimiser = torch.optim.Adam(one.net.parameters(), 3e-3)

    def descend(loss):
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    for step in range(40):
        one.learn(step, descend)
    result = one.measure()
    assert result["right"] == 6 and result["halting"] == [0, 6, 0] and result["by_macro_step"][2]["right"] == 6


def test_spectral_radius():
    matrix = torch.diag(torch.tensor([0.5, 0.25, 0.1]))
    assert math.isclose(relit.spectral_radius(lambda v: v @ matrix, torch.ones(3)), 0.5, rel_tol=1e-3)


def test_answers_of_several_tokens(model):
    with pytest.raises(Problem, match="every answer to be one token, found 2"):
        learner(model).samples([relit.Prompt("question :", "big red")])


def test_runs_and_records(folder, tmp_path, capsys):
    out = str(tmp_path)
    common = ["relit", "train", "--backbone", folder, "--prompts", "nli", "--training-samples", "12", "--test-samples", "9", "--batch", "6", "--steps", "2",
              "--out", out]
    assert main([*common, "--method", "relit,one-pass,linear-probe", "--seeds", "1,2,3"]) == 0
    assert main([*common, "--states", "random"]) == 0
    record = json.loads((tmp_path / "relit" / "seed-1" / "record.json").read_text())
    stored = stored_record("relit", "nli/relit/seed-1")
    del stored["run"]
    assert set(record) == set(stored) and set(record["config"]["task"]) == set(stored["config"]["task"])
    assert set(record["config"]["network"]) <= set(stored["config"]["network"]) and set(record["result"]) <= set(stored["result"])
    assert main([*common]) == 0 and "finished before" in capsys.readouterr().err
    assert main(["relit", "measure", f"{out}/relit/seed-1"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["language_model_unchanged"] and len(measured["samples"][0]["changes"]) == 16
    assert record["readings"] == relit.readings(record["result"], record["config"])
    page = subprocess.run([os.environ["LOGDEPTH_BINARY"], "compare", out, "--paper", "relit"], capture_output=True, text=True, check=True)
    assert "10 runs in 4 series" in page.stdout and "| nli one-pass, states of " in page.stdout and not page.stderr


@pytest.mark.parametrize("more, said", [(["--method", "other"], "--method: expected some of relit"),
                                        (["--depths", "3,1"], "--depths: expected growing numbers"),
                                        (["--set", "network.heads=5"], "network.heads: expected heads of an even width"),
                                        (["--set", "network.none=5"], "--set: expected NAME=VALUE"),
                                        (["--prompts", "file"], "--questions: expected a file")])
def test_errors_are_a_sentence(folder, tmp_path, capsys, more, said):
    assert main(["relit", "train", "--backbone", folder, "--out", str(tmp_path), *more]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_model_that_is_none(tmp_path, capsys):
    def refused(model):
        assert main(["etd", "measure", str(model), "--text", "x", "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error
    assert "none.gguf: expected a GGUF file, found none" in refused(tmp_path / "none.gguf")
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\3\0\0\0")
    assert "cut.gguf: expected a language model of a known family, llama, olmo" in refused(tmp_path / "cut.gguf")
    assert "expected a language model of a known family" in refused(tmp_path) and "expected a language model of a known family" in refused("no/such-model")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    assert "expected a model of a known family, llama, olmo, olmo2, olmo3, qwen2, qwen3; found gpt2" in refused(tmp_path)


def test_a_cut_model_file_is_named(folder, tmp_path, capsys):
    for file in Path(folder).iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[:1000 if file.suffix == ".safetensors" else None])
    assert main(["etd", "measure", str(tmp_path), "--text", "x", "--out", str(tmp_path)]) == 2
    assert f"{tmp_path}: expected a language model" in capsys.readouterr().err
