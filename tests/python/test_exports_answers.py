"""One reader of inputs and answers for PyTorch, ONNX Runtime and TransformerLens: words with and without <begin> and
<end>, prefix products as images, elements and states, graphs, divisions, padding, lengths, and the model card."""

import functools
import itertools
import json
import random
import re


import exported
import numpy
import onnxruntime
import pytest
import torch

LENGTH = 14
HARD = ("--temperature", "hard")
PACKAGES = ["torch", "onnx", "transformer-lens"]


class Onnx:
    def __init__(self, file):
        self.session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        self.entries = self.session.get_modelmeta().custom_metadata_map
        self.config = json.loads(self.entries["logdepth"])

    def answer(self, asked):
        return self.session.run(["logits"], exported.answers().feeds(self.config, asked, numpy))[0][0]

    def batch(self, tokens):
        return self.session.run(["logits"], {"tokens": numpy.array(tokens)})[0]


@functools.cache
def opened(name, package, length, *options):
    """The network with `config`, `answer(input)` and `batch(tokens)`, its reader aside."""
    path = exported.exported(name, package, length, *options)
    if package == "onnx":
        return Onnx(path)
    torch_module = exported.module(path, "logdepth_torch")
    if package == "torch":
        network = torch_module.load(path)
        network.batch = lambda tokens: network(torch.tensor(tokens))
        return network
    bridge = exported.module(path, "logdepth_lens").load(path)
    bridge.logdepth.batch = lambda tokens: bridge(torch.tensor(tokens), return_type="logits")
    return bridge.logdepth


WORDS = ["ab", "abab", "bbbbbbb", "abbaabbaabbaab", "babba", "aaabbb", "abb", "abbb"]


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("name, options", [("tree", HARD), ("element", ()), ("cascade", ())])
def test_prefixes_are_those_of_the_exact_run(name, options, package):
    """With <end> (tree), as elements, and as states."""
    network, answers = opened(name, package, 8, *options), exported.answers()
    letters = network.config["alphabet"]
    kind = {"tree": "transformation", "element": "element", "cascade": "state"}[name]
    assert network.config["output"]["prefix"]["kind"] == kind
    assert (name == "tree") == network.config["input"].get("end", False)
    choice = random.Random(11)
    words = ["".join(choice.choice(letters) for _ in range(n)) for n in (1, 2, 3, 5, 7, 8)]
    done = exported.logdepth("run", exported.compiled(name), "--batch", "-", "--prefixes", "--json",
                             given="".join(word + "\n" for word in words))
    for word, exact in zip(words, json.loads(done.stdout)["results"]):
        assert answers.prefixes(network.config, network.answer(word)) == exact["prefixes"]
        assert answers.verdict(network.config, network.answer(word)) is (exact["outcome"] == "accept")


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("name", ["formula", "khop", "ltl"])
def test_answers_of_hops_formulas_and_temporal_logic_are_those_of_the_exact_run(name, package):
    """Of every short word: the letter that the hops lead to, or the verdict."""
    network = opened(name, package, 8)
    letters = network.config["alphabet"]
    words = ["".join(word) for n in (1, 2, 3) for word in itertools.product(letters, repeat=n)] + ["11&0!|", "01|1&!0|"] * (name == "formula")
    done = exported.logdepth("run", exported.compiled(name), "--batch", "-", "--json", given="".join(word + "\n" for word in words))
    for word, exact in zip(words, json.loads(done.stdout)["results"], strict=True):
        if name == "khop":
            assert numpy.allclose(network.answer(word)[-1].tolist(), [float(exact["cells"][cell]) for cell in network.config["output"]["names"]]), word
        else:
            assert exported.answers().verdict(network.config, network.answer(word)) is (exact["outcome"] == "accept"), word


@pytest.mark.parametrize("package", ["onnx", "transformer-lens"])
@pytest.mark.parametrize("name, options", [("a5", ()), ("tree", HARD), ("majority", ())])
def test_padding_on_the_right_changes_no_answer(name, options, package):
    network, answers = opened(name, package, LENGTH, *options), exported.answers()
    tokens, sizes = answers.batch(network.config, WORDS)
    assert len({len(row) for row in tokens}) == 1 and sizes == [len(word) for word in WORDS]
    for token in range(len(network.config["tokens"])):
        padded = [row[:size + len(row) - max(sizes)] + [token] * (max(sizes) - size) for row, size in zip(tokens, sizes)]
        for word, size, logits in zip(WORDS, sizes, network.batch(padded)):
            alone = network.answer(word)
            assert answers.verdict(network.config, logits, size) == answers.verdict(network.config, alone)
            if "prefix" in network.config["output"]:
                assert answers.prefixes(network.config, logits, size) == answers.prefixes(network.config, alone)


def test_padding_is_refused_where_it_could_change_an_answer():
    answers = exported.answers()
    with pytest.raises(ValueError, match="the number of iterations follows from the length"):
        answers.batch(opened("a5", "torch", LENGTH).config, ["ab", "aba"])
    assert answers.batch(opened("a5", "torch", LENGTH).config, ["ab", "ba"])[1] == [2, 2]
    with pytest.raises(ValueError, match="only words are padded"):
        answers.batch(opened("rows", "torch", 4).config, [[[1]]])
    bidirectional = json.loads(json.dumps(opened("a5", "onnx", LENGTH).config))
    bidirectional["layers"][0]["attention"]["heads"][0]["causal"] = False
    with pytest.raises(ValueError, match="is not causal"):
        answers.batch(bidirectional, ["ab"])


@pytest.mark.parametrize("package", PACKAGES)
def test_graphs_are_answered_as_a_search_does(package):
    answers, choice, seen = exported.answers(), random.Random(12), set()
    adjacency, rows = opened("connectivity", package, 4, *HARD), opened("rows", package, 4)
    for number in range(40):
        edges, reach = exported.graph(choice.randint(2, 4), choice)
        # A smaller graph gets vertices without edges.
        found = answers.relation(rows.config, rows.answer(edges))
        assert [line[:len(edges)] for line in found[:len(edges)]] == reach
        for source, target in itertools.product(range(len(edges) if number < 12 else 0), repeat=2):
            asked = (edges, source, target)
            assert answers.tokens_of(adjacency.config, asked) == exported.graph_tokens(
                adjacency.config["tokens"], edges, source, target)
            assert answers.verdict(adjacency.config, adjacency.answer(asked)) is reach[source][target]
            seen.add(reach[source][target])
    assert seen == {False, True}


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("name", ["division", "division_layernorm"])
def test_divisions_are_right_at_every_token(name, package):
    network, answers, choice = opened(name, package, 12, *HARD), exported.answers(), random.Random(2)
    for _ in range(40):
        rows, right = exported.division(choice.randint(1, 12), choice)
        numbers = answers.numbers(network.config, network.answer(rows))
        got = [numbers[part] for part in ("quotient.0", "quotient.1", "remainder.0", "remainder.1")]
        assert numpy.allclose(numpy.transpose(got), right, atol=1e-9, rtol=0)
    for dividend, divisor in ((11, 3), (7, 7), (5, 12), (0, 1)):
        answer = network.answer((dividend, divisor))
        assert answers.divisions(network.config, answer) == [divmod(i, divisor) for i in range(dividend + 1)]


def test_what_is_no_input_is_refused_in_words():
    answers = exported.answers()
    words, rows = opened("a5", "torch", LENGTH).config, opened("rows", "torch", 4).config
    graphs, divided = opened("connectivity", "torch", 4, *HARD).config, opened("division", "torch", 12, *HARD).config
    for config, asked, sentence in [
        (words, "abc", "the letter 'c' is not in the alphabet"),
        (words, "ab" * 8, "the input has 16 letters and needs 17 tokens; expected at most 14 letters, 15 tokens"),
        (rows, [[1] * 5] * 5, "the graph has 5 vertices; expected at most 4"),
        (graphs, [[1, 0], [0, 1]], r"expected \(matrix, source, target\)"),
        (graphs, ([[1, 0], [0, 1]], 0, 2), "2 is no vertex of a graph of 2"),
        (graphs, ([[1, 0]], 0, 0), "expected a square matrix"),
        (divided, (3, 0), "a divisor from 1"),
        (divided, (12, 1), "expected at most 12 tokens"),
        (divided, [[1, 2]], "expected 6 values per token"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            answers.encoded(config, asked)
    with pytest.raises(ValueError, match="use encoded"):
        answers.tokens_of(divided, (3, 2))
    for read, config in ((answers.relation, words), (answers.verdict, divided), (answers.numbers, graphs)):
        with pytest.raises(ValueError, match="this network answers with"):
            read(config, [[0.0] * 4])
    with pytest.raises(ValueError, match="no prefix readout"):
        answers.prefixes(graphs, [[0.0, 0.0]])


def test_equal_logits_are_no_answer():
    answers, config = exported.answers(), opened("a5", "torch", LENGTH).config
    assert answers.verdict(config, [[1.0] * 27]) is None
    assert answers.prefixes(config, [[1.0] * 27] * 2) == [[None] * 5]


def test_too_many_tokens_are_named_by_onnx_itself():
    network = opened("a5", "onnx", 6)
    with pytest.raises(Exception, match=r"position: at most 7 tokens \(length 6\)"):
        network.session.run(["logits"], {"tokens": numpy.zeros((1, 8), dtype=numpy.int64)})
    # Where the table has one row, nothing is repeated.
    one = opened("division", "onnx", 1, *HARD)
    with pytest.raises(Exception, match=r"position: at most 1 token \(length 1\)"):
        one.session.run(["logits"], {"given": numpy.ones((1, 2, 6))})


@pytest.mark.parametrize("name, options", [("a5", ()), ("majority", ()), ("connectivity", HARD), ("division", HARD)])
@pytest.mark.parametrize("package", PACKAGES + ["safetensors"])
def test_the_program_of_a_model_card_runs(name, options, package, monkeypatch, capsys):
    length = 4 if name == "connectivity" else 6
    path = exported.exported(name, package, length, *options)
    if package == "onnx":
        card = opened(name, package, length, *options).entries["model_card.md"]
    else:
        card = (path / "README.md").read_text()
        monkeypatch.chdir(path)
        monkeypatch.syspath_prepend(str(path))
    program = re.search(r"```python\n(.*?)```", card, re.DOTALL)[1].replace("FILE", repr(str(path)))
    exec(compile(program, "card", "exec"), {})
    printed = capsys.readouterr().out.strip().splitlines()[-1]
    config = json.loads((path / "config.json").read_text()) if package != "onnx" else opened(name, package, length, *options).config
    if package == "safetensors":
        assert printed == f"({len(config['logits'])}, {config['width']})"
    else:
        assert len(json.loads(printed)[0]) == len(config["logits"])
    for fact in (config["sha256"], f"{config['tested']['answers']} answers", config["precision"]):
        assert fact in card
    assert ("Not proved: that every head" in card) == (config["certified"]["to_length"] is None)


@pytest.mark.parametrize("name", ["a5", "tree"])
def test_the_tested_temperature_is_the_least_power_of_two_that_passes(name):
    length, single = (12, ("--precision", "float32")) if name == "a5" else (6, ())
    said = exported.refusal(name, "torch", length, *single)
    found = float(re.search(r"--temperature (\S+) passes the self-test \(--temperature tested\)", said)[1])
    if name == "a5":
        apart, loss, least = map(float, re.search(
            r"(\S+) apart, of which float32 can lose (\S+); expected a separation of more than 8 times that loss, (\S+);", said).groups())
        assert apart < least and least == pytest.approx(8 * loss, rel=0.05)
    else:
        assert "no score separation is proved" in said
    network = opened(name, "torch", length, "--temperature", "tested", *single)
    heads = [head for layer in network.config["layers"] for head in layer["attention"]["heads"]]
    assert {head["temperature"] for head in heads} == {found} and network.config["certified"]["to_length"] is None
    below = exported.logdepth("export", exported.compiled(name), "--to", "torch", "--length", length, *single,
                              "--temperature", found / 2, "-o", exported.FOLDER.name + "/below", status=1)
    assert "nothing was written: on the word" in below.stderr
    asked = exported.words("ab", length)
    asked = [word for word in asked if word or name == "a5"]
    assert [network.accepts(word) for word in asked] == exported.verdicts(name, asked)


def test_logits_that_are_no_numbers_are_no_answer():
    """As half precision gives them: comparisons with them are false, which is not "rejected"."""
    answers, nan = exported.answers(), float("nan")
    accept = {"output": {"kind": "accept", "accept": 0, "reject": 1, "prefix": {"kind": "state", "first_row": 0, "states": 2}},
              "input": {}}
    for row in ([nan, 0.0], [0.0, nan], [nan, nan], [1.0, 1.0]):
        assert answers.verdict(accept, [row]) is None and answers.prefixes(accept, [row]) == [None]
    assert answers.relation({"output": {"kind": "relation"}}, [[nan, 0.0, 1.0, -1.0]]) == [[None, None, True, False]]
