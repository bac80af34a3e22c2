import fcntl
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from logdepth.pretrained import etd, relit
from logdepth.pretrained.commands import main
from logdepth.pretrained.models import open_model, save_model
from logdepth.pretrained.problem import Problem
from logdepth.pretrained.questions import Question, held_out, read_questions
from logdepth.pretrained.relit_block import Relit
from logdepth.pretrained.rules import Rules
from logdepth.pretrained.shapes import parse_shape, set_shape
from logdepth.pretrained.training import Run, Training


@pytest.fixture
def sums(tmp_path):
    """Sums modulo 3: digits alone tell the answer."""
    lines = [{"question": f"{a} + {b} + {c} =", "answer": str((a + b + c) % 3), "kind": "arithmetic" if c else "recall", "difficulty": 1 + (c > 2)}
             for a in range(7) for b in range(7) for c in range(4)]
    file = tmp_path / "sums.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(file)


@pytest.mark.parametrize("shape", ["2-2x3-2", "2-2+2-2", "2-2-2-mixture"])
def test_a_saved_model_opens_in_its_shape(model, tokens, tmp_path, shape):
    torch.manual_seed(1)
    set_shape(model, parse_shape(shape))
    save_model(model, tmp_path)
    with torch.no_grad():
        assert torch.equal(open_model(tmp_path).network(tokens, use_cache=False).logits, model.network(tokens, use_cache=False).logits)


def learner(model, sums, shape, batch=8):
    task = etd.Lines(sums, model.path, batch=batch, length=20)
    return etd.learner(model, parse_shape(shape), etd.line_set(read_questions(sums), model, task), task, 1)


def test_one_pass_measures_what_greedy_decoding_writes(model, sums):
    one = learner(model, sums, "2-2*2-2")
    right = 0
    for lines in one.measured.values():
        for line in lines:
            written = model.network.generate(torch.tensor([line.question]), max_new_tokens=len(line.answer), do_sample=False, pad_token_id=0)
            right += written[0, len(line.question):].tolist() == line.answer
    assert right == sum(t["right"] for t in one.tallies(1000).values())


def test_lines_that_are_too_long(model, sums):
    task = etd.Lines(sums, model.path, length=5)
    with pytest.raises(Problem, match="lines of at most 5 tokens"):
        etd.line_set(read_questions(sums), model, task)
    with pytest.raises(Problem, match="questions to train on and questions to measure"):
        etd.line_set([Question("0 + 1 =", "1")], model, etd.Lines(sums, model.path))


def test_training_lowers_the_loss_in_every_shape(folder, sums, tmp_path):
    assert main(["etd", "train", "--base", folder, "--text", sums, "--shape", "2-2*2-2,2-2+2-2,2-2-2-mixture", "--steps", "40", "--batch", "16",
                 "--set", "training.learning_rate=3e-3", "--out", str(tmp_path / "runs")]) == 0
    for shape in ("2-2x2-2", "2-2+2-2", "2-2-2-mixture"):
        record = json.loads((tmp_path / "runs" / shape / "seed-1" / "record.json").read_text())
        assert record["training"]["loss"] < 3 and record["training"]["steps"] == 40
        assert sum(k["asked"] for k in record["result"]["kinds"]) > 10
        assert record["readings"] == etd.readings(record["result"], record["config"]) and record["config"]["shape"]["name"] == shape
        assert ("largest_loops" in record["result"]) == ("mixture" in shape)


@pytest.mark.parametrize("paper", ["etd", "relit"])
def test_an_interrupted_run_goes_on_bit_for_bit(folder, sums, tmp_path, paper):
    def run(name, steps, plan=8):
        if paper == "etd":
            one = learner(open_model(folder), sums, "2-2*2-2")
        else:  # with noise in every step
            one = relit.Learner(open_model(folder), Relit(), Rules(set="nli", training_samples=12, test_samples=9, batch=6), 1)
        run = Run(tmp_path / name, 1, Training(steps=plan, learning_rate=1e-3, curve_first=4), {"steps": plan}, one)
        learn = one.learn

        def stop(step, descend):
            if step == steps:
                run.save()
                raise KeyboardInterrupt
            return learn(step, descend)
        one.learn = stop
        try:
            run.go()
        except KeyboardInterrupt:
            pass
        return one.state()
    whole = run("whole", 99)
    run("parts", 5)
    parts = run("parts", 99)
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_another_setting_is_refused(model, sums, tmp_path):
    one = learner(model, sums, "2-2*2-2")
    Run(tmp_path, 1, Training(steps=1), {"steps": 1}, one).go()
    with pytest.raises(Problem, match="found another 'steps'"):
        Run(tmp_path, 1, Training(steps=2), {"steps": 2}, one).go()
    assert json.loads((tmp_path / "config.json").read_text()) == {"steps": 1}
    with open(tmp_path / ".lock") as lock, pytest.raises(Problem, match="expected one command at a time to train here"):
        fcntl.flock(lock, fcntl.LOCK_EX)
        Run(tmp_path, 1, Training(steps=1), {"steps": 1}, one).go()
    (tmp_path / "checkpoint.pt").write_bytes(b"damaged")
    with pytest.raises(Problem, match="damaged file"):
        Run(tmp_path, 1, Training(steps=1), {"steps": 1}, one).go()


def test_a_config_without_weights_is_a_model_of_ones_own(folder, sums, tmp_path):
    """Trained once without a loop, saved, and gone on from."""
    own = tmp_path / "own"
    own.mkdir()
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (own / file).write_bytes(open(f"{folder}/{file}", "rb").read())
    common = ["--text", sums, "--batch", "4", "--out", str(tmp_path / "runs")]
    assert main(["etd", "train", "--base", str(own), "--shape", "0-6-0", "--steps", "3", "--save", *common]) == 0
    base = str(tmp_path / "runs" / "0-6x1-0" / "seed-1" / "model")
    assert main(["etd", "train", "--base", base, "--cut", "2-2-2", "--loops", "1,2", "--steps", "2", *common]) == 0
    assert [*sorted(f.parent.parent.name for f in (tmp_path / "runs").rglob("record.json"))] == ["0-6x1-0", "2-2x1-2", "2-2x2-2"]


@pytest.mark.parametrize("paper", ["etd", "relit"])
def test_the_commands_of_the_page(folder, tmp_path, monkeypatch, paper):
    """With fewer steps, and a small model in place of SmolLM2."""
    root = Path(__file__).parents[2]
    blocks = re.findall(r"```sh\n(.*?)```", (root / "docs/pretrained.md").read_text(), re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if f"pretrained {paper} " in line or f"compare runs/{paper} " in line]
    assert len(lines) == 2
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(root / "examples")
    for line in lines:
        words = shlex.split(line.replace("$smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", folder))
        if words[:2] == ["logdepth", "compare"]:
            page = subprocess.run([os.environ["LOGDEPTH_BINARY"], *words[1:]], capture_output=True, text=True, check=True)
            assert "| criterion | required |" in page.stdout and "3 runs in 3 series" in page.stdout and not page.stderr
            continue
        assert words[:3] == ["python", "-m", "logdepth.pretrained"]
        few = ["--steps", "2"] + ["--training-samples", "6", "--test-samples", "6"] * (paper == "relit")
        assert main([*words[3:], *few]) == 0, line


def test_questions_of_the_examples():
    """They are those that the script writes, where the package is."""
    examples = Path(__file__).parents[2] / "examples"
    stored = examples / "texts/reasoning-gym.jsonl"
    assert [*Counter(q.kind for q in read_questions(stored)).values()] == [20] * 7
    few = (("recall", 1), ("common", 1), ("arithmetic", 2))  # of which there are too few to keep some
    measured = [q for q in read_questions(examples / "texts/lines-test.jsonl") if (q.kind, q.difficulty) not in few]
    assert len(measured) == 140 and all(held_out(q.question) for q in measured)  # as their generator's, in C++
    written = subprocess.run([sys.executable, "-B", examples / "reasoning_gym_lines.py", "--seed", "1", "--count", "20"], capture_output=True, text=True)
    if written.returncode:
        assert written.stderr.startswith("reasoning_gym_lines.py: expected the package reasoning-gym 0.1.25"), written.stderr
    else:
        assert written.stdout == stored.read_text()


def test_bfloat16_is_close(model, tokens):
    exact = model.states(tokens)
    model.precision = "bfloat16"
    rough = model.states(tokens)
    assert rough.dtype == torch.float32 and 0 < (rough - exact).abs().max() < 0.2
