"""Exported graphs in ONNX Runtime: checked, named, and the answers of the exact run."""

import json

import exported
import numpy
import onnx
import onnx.numpy_helper
import onnxruntime
import pytest

LENGTH = 14
SEPARATED = ["a5", "abb", "cascade", "layernorm", "majority", "dyck"]
COUNTED = ["modular", "tree"]


class Graph:
    def __init__(self, name, length, *options):
        file = exported.exported(name, "onnx", length, *options)
        self.model = onnx.load(file)
        onnx.checker.check_model(self.model, full_check=True)
        self.config = json.loads(self.model.metadata_props[0].value)
        self.session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])

    def logits(self, **inputs):
        return self.session.run(["logits"], inputs)[0]

    def accepts(self, words):
        """Of words of one length, as one batch."""
        ends = self.config["input"]
        names = [["<begin>"] * ends.get("begin", False) + list(word) + ["<end>"] * ends.get("end", False)
                 for word in words]
        tokens = [[self.config["tokens"].index(name) for name in word] for word in names]
        last = self.logits(tokens=numpy.array(tokens))[:, -1]
        output = self.config["output"]
        return (last[:, output["accept"]] > last[:, output["reject"]]).tolist()


@pytest.mark.parametrize("name, options", [(name, ()) for name in SEPARATED] +
                         [(name, ("--temperature", "hard")) for name in SEPARATED + COUNTED] +
                         [(name, ("--precision", "float32")) for name in ("majority", "dyck")])
def test_verdicts_are_those_of_the_exact_run(name, options):
    graph = Graph(name, LENGTH, *options)
    asked = exported.words(graph.config["alphabet"], LENGTH)
    if not graph.config["input"]["begin"]:
        asked = [word for word in asked if word or graph.config["input"].get("end")]
    right = dict(zip(asked, exported.verdicts(name, asked)))
    for length in range(LENGTH + 1):
        batch = [word for word in asked if len(word) == length]
        if batch:
            assert graph.accepts(batch) == [right[word] for word in batch]


def test_every_step_has_a_name():
    graph = Graph("a5", LENGTH)
    names = [node.name for node in graph.model.graph.node]
    assert len(set(names)) == len(names)
    assert {"step 1: head 1 pattern", "step 4: head 1 pattern", "step 4: units"} <= set(names)
    assert "step 5: units" not in names  # ceil(log2 14) = 4
    outputs = {output.name for output in graph.model.graph.output}
    assert outputs == {"logits"} | {f"residual {step}" for step in range(1, 5)}
    weights = {tensor.name for tensor in graph.model.graph.initializer}
    assert "layers.0.in.transposed" in weights and len(weights) == len(graph.model.graph.initializer)


@pytest.mark.parametrize("name", ["a5", "cascade", "majority"])
def test_every_head_has_its_temperature(name):
    graph = Graph(name, LENGTH)
    numbers = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.model.graph.initializer}
    found = {node.name: numbers[node.input[1]].item() for node in graph.model.graph.node if "tempered" in node.name}
    layers = graph.config["layers"]
    order = [layer for layer in layers if layer["block"] == "initial"]
    order += [layer for layer in layers if layer["block"] == "repeated"] * graph.config["loops"]
    order += [layer for layer in layers if layer["block"] == "final"]
    assert found == {f"step {step}: head {k} tempered": head["temperature"]
                     for step, layer in enumerate(order, 1)
                     for k, head in enumerate(layer["attention"]["heads"], 1)}


@pytest.mark.parametrize("name", ["modular", "division"])
def test_no_temperature_where_a_separation_is_not_proved(name):
    assert "no score separation is proved" in exported.refusal(name, "onnx", LENGTH)
