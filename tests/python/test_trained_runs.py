"""Networks of training runs in PyTorch: the logits and the attention of the program."""

import json
import pathlib
import shutil
import subprocess

import exported
import pytest
import torch

TRAIN = pathlib.Path(exported.BINARY).with_name("logdepth-train")
WORD = [1, 0, 3, 5, 2, 4, 4]
# What models of word problems differ in.
RUNS = {
    "loop": ["--kind", "adaptive-loop", "--depths", "1"],
    "packed": ["--packed", "--kind", "loop", "--depths", "3"],
    "table": ["--depths", "2", "--set", "task.positions=table", "--set", "model.positions=none", "--set",
              "model.norm=layernorm", "--set", "model.activation=gelu"],
    "gated": ["--kind", "loop", "--depths", "2", "--set", "model.gate=gru", "--set",
              "model.step_embedding=learned", "--set", "model.initial=1", "--set", "model.final=1"],
    "automaton": ["--regex", "(a|b|c|d|e|f)*abb", "--depths", "1"],
    "crasp": ["--crasp", "own.crasp", "--depths", "1"],
    "edges": ["--kind", "adaptive-loop", "--depths", "1", "--edges", "2,3,2", "--set",
              "training.promotion=0.001", "--set", "training.read_every=1"],
    "words": ["--data", "own.csv", "--kind", "adaptive-loop", "--depths", "1"],
}
PROGRAM = "alphabet a b c d e f\nL := #[Q_a] > #[Q_b]\n"
OWN = "input,target\na b c d e f a b,1 0 1 0 1 0 1 0\nf e d c b a f e,0 1 0 1 0 1 0 1\n"


@pytest.fixture(scope="module")
def torch_module():
    return exported.module(exported.exported("a5", "torch", 14), "logdepth_torch")


def train(name, out, data):
    options = [str(data / option) if option.startswith("own.") else option for option in RUNS[name]]
    task = [] if name in ("automaton", "crasp", "words") else ["--monoid", "S3"]
    exported.logdepth("train", "word-problem", *task, "--max-length", "8", "--widths", "16", "--steps", "3",
                      "--set", "task.validation=20", *options, "--out", out)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    (out / "own.csv").write_text(OWN)
    (out / "own.crasp").write_text(PROGRAM)
    found = {}
    for name in RUNS:
        train(name, out / name, out)
        found[name], = (path.parent for path in (out / name).rglob("model.safetensors"))
    return found


def program(folder):
    question = json.dumps({"word": WORD, "words": 1, "seed": 1})
    done = subprocess.run([TRAIN, folder, "--inspect", "word-attention", "--question", question],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", RUNS)
def test_logits_and_attention_are_those_of_the_program(name, folders, torch_module):
    network, said = torch_module.load_run(folders[name]), program(folders[name])
    logits, cache = network.run_with_cache(network.encode(WORD))
    first = int(network.begins)
    assert torch.allclose(logits[0, first:], torch.tensor(said["logits"]), rtol=0, atol=1e-5)
    assert network.prefixes(WORD) == said["answers"]
    turns = len(cache["repeated.0.pattern"]) if network.model["repeated"] else 0
    patterns = [cache[f"initial.{i}.pattern"][0] for i in range(network.model["initial"])]
    patterns += [cache["repeated.0.pattern"][turn] for turn in range(turns)]
    patterns += [cache[f"final.{i}.pattern"][0] for i in range(network.model["final"])]
    assert len(patterns) == len(said["word"])
    for pattern, level in zip(patterns, said["word"]):
        assert torch.allclose(pattern[0, :, first:, first:], torch.tensor(level["heads"]), rtol=0, atol=1e-5)


def test_letters_have_the_names_of_the_file_the_program_and_the_automaton(folders, torch_module):
    for name, labels in ("automaton", None), ("crasp", None), ("words", ["0", "1"]):
        network = torch_module.load_run(folders[name])
        assert (network.letters, network.labels) == (list("abcdef"), labels)
        assert torch.equal(network.encode(["b", "f"]), network.encode([1, 5]))
        assert torch.equal(network.encode([["b", "f"], [0, 0]]), network.encode([[1, 5], [0, 0]]))
        with pytest.raises(ValueError):
            network.encode(["g"])


def test_a_run_can_be_trained_on_and_its_activations_replaced(folders, torch_module):
    network = torch_module.load_run(folders["loop"])
    tokens = network.encode([WORD, WORD[::-1]])
    network(tokens).sum().backward()
    assert all(parameter.grad is not None for name, parameter in network.named_parameters())
    before = network(tokens)
    hook = network.points()["repeated.0.pattern"].register_forward_hook(lambda *given: given[2] * 0)
    assert not torch.allclose(before, network(tokens))
    hook.remove()
    assert torch.equal(before, network(tokens))


def test_what_this_module_does_not_have_is_refused_by_name(folders, torch_module, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(folders["loop"], folder)
    config = json.loads((folder / "config.json").read_text())
    for part, name, value, message in [("model", "positions", "deberta", "model.positions: expected one of"),
                                       ("model", "router", "mixture", "model.router"),
                                       ("model", "rotary_pairs", "neighbours", "model.rotary_pairs"),
                                       ("task", "kind", "hops", "expected a run of")]:
        changed = json.loads(json.dumps(config))
        changed[part][name] = value
        (folder / "config.json").write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=message):
            torch_module.load_run(folder)
