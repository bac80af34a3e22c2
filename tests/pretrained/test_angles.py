import json
from pathlib import Path

import numpy as np
import pytest
import torch

from logdepth.pretrained.angles import angular_distances, find_knee, knee_difference, last_knee, layer_cut, loops_without_training
from logdepth.pretrained.commands import main
from logdepth.pretrained.shapes import Shape, set_shape

RUNS = Path(__file__).parents[2] / "bench/results/pretrained"


def test_knees():
    x = np.linspace(0, 1, 11)
    assert find_knee((1 - x) ** 2) == 5
    assert find_knee(1 - x) is None and find_knee([2.0] * 9) is None and find_knee([1, 0]) is None
    printed = (1 - x) ** 2 - (1 - x)  # the paper's curve, of which this is the negative
    assert np.allclose(knee_difference((1 - x) ** 2), -printed)


def test_a_knee_is_a_maximum_behind_which_the_difference_falls_by_more_than_a_step():
    assert find_knee([1.0] * 5 + [0.0] + [1.0] * 5) == 4  # the parabola's difference is 3x - 4x^2, largest at 3/8
    assert find_knee((1 - np.linspace(0, 1, 10)) ** 2) == 5  # of two alike the later
    assert last_knee([0, 0.5, 0.375, 0.25, 0.25]) is None  # a step of 5 points is .25
    assert last_knee([0, 0.5, 0.375, 0.25, 0.24]) == 1
    assert last_knee([0, 0.5, 0.375, 0.25, 0.25], 0.9) == 1 and last_knee([0, 0.5, 0.375, 0.25, 0.24], 2) is None
    assert last_knee([0, 0.5, 0.1, 0.6, 0.2, 0.1, 0.3, 0.25, 0.2]) == 3  # the third does not fall far enough
    assert last_knee([1, 0.5, 0, -1]) is None and last_knee([-1, 0, 0.5, 1]) is None  # neither end
    assert last_knee([0, 1, 1, 1, -1]) == 3 and last_knee([0, 1, 1 - 1e-15, -1, -1]) == 2  # of a plateau the last point


@pytest.mark.parametrize("file", ["etd/smollm2/angular.measurement.json", "etd/own/angular.measurement.json"])
def test_cuts_of_the_stored_curves(file):
    stored = json.loads((RUNS / file).read_text())
    assert layer_cut(stored["distances"]) == stored["cut"]


def test_without_knees_the_published_shares():
    cut = layer_cut([1.0] * 16)
    assert (cut["encoder"], cut["think"], cut["decoder"], cut["encoder_knee"]) == (7, 4, 5, False)


def test_measurements(any_model):
    sequences = [[i % 60 + 2 for i in range(s, s + 12)] for s in range(5)]
    set_shape(any_model, Shape(0, 6, 0))
    found = angular_distances(any_model, sequences, "text")
    assert len(found["distances"]) == 6 and all(0 < d < 1 for d in found["distances"])
    loops = loops_without_training(any_model, sequences, "text", [2], [1, 2], every=2)
    once, twice = ([s for s in loops["shapes"] if s["loops"] == k] for k in (1, 2))
    assert all(s["difference"] == 0 for s in once) and all(s["difference"] != 0 for s in twice)


def test_streams_are_those_that_enter_each_pass_of_a_layer_and_leave_the_last(any_model, tokens):
    with torch.no_grad():
        set_shape(any_model, Shape(2, 2, 2, 2))
        streams = any_model.streams(tokens)
        assert len(streams) == 9 and torch.equal(any_model.body.norm(streams[-1]), any_model.states(tokens))
        set_shape(any_model, Shape(0, 6, 0))
        plain = any_model.body(input_ids=tokens, use_cache=False, output_hidden_states=True).hidden_states
        assert all(torch.equal(a, b) for a, b in zip(streams[:4], plain))
        assert all(torch.equal(a, b) for a, b in zip(any_model.streams(tokens)[:6], plain))


def test_the_model_of_the_examples_has_the_distances_and_costs_that_the_program_in_cpp_printed(tmp_path):
    examples = Path(__file__).parents[2] / "examples/models"
    common = ["etd", "measure", str(examples / "lines"), "--text", str(examples / "lines.txt"), "--length", "24", "--out", str(tmp_path)]
    assert main([*common, "--sequences", "30"]) == 0 and main([*common, "--sequences", "12", "--blocks", "2"]) == 0
    angles, loops = (json.loads((tmp_path / f"{name}.measurement.json").read_text()) for name in ("angular", "loops"))
    assert [round(d, 4) for d in angles["distances"]] == [0.3796, 0.2436, 0.2200, 0.2042, 0.1969, 0.1573]
    assert [round(e, 4) for e in angles["standard_errors"]] == [0.0116, 0.0092, 0.0084, 0.0087, 0.0079, 0.0066]
    assert (angles["cut"]["encoder"], angles["cut"]["decoder"], angles["cut"]["decoder_knee"]) == (2, 2, False)
    assert round(loops["loss"], 4) == 2.3726
    assert [(s["encoder"], round(s["loss"], 4), round(s["difference"], 4)) for s in loops["shapes"]] == [
        (0, 3.9583, 1.5857), (1, 3.4179, 1.0453), (2, 2.8907, 0.5181), (3, 2.3843, 0.0117), (4, 2.4862, 0.1136)]
