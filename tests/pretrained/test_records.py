"""Records in the common form: the readings of the stored ones are those that their results give."""
import gzip
import json
from pathlib import Path

import pytest

from logdepth.pretrained import etd, relit
from logdepth.pretrained.commands import main
from logdepth.pretrained.records import angles_record, shape_fields
from logdepth.pretrained.shapes import parse_shape

STORED = Path(__file__).parents[2] / "bench/results/pretrained"
KNOWN = {"of", "at", "iterations", "layers", "score", "samples", "what"}


@pytest.mark.parametrize("series, module, runs, readings", [("etd", etd, 23, 391), ("relit", relit, 47, 156)])
def test_readings_of_the_stored_records_are_those_of_their_results(series, module, runs, readings):
    records = [json.loads(line) for line in gzip.open(STORED / f"{series}.jsonl.gz", "rt", encoding="utf-8")]
    assert len(records) == runs and sum(len(r["readings"]) for r in records) == readings
    for record in records:
        assert record["readings"] == module.readings(record["result"], record["config"]), record["run"]
        assert all(r.keys() == KNOWN and 0 <= r["score"] <= 1 for r in record["readings"])


def test_shapes_of_the_stored_records_are_those_of_their_folders():
    records = [json.loads(line) for line in gzip.open(STORED / "etd.jsonl.gz", "rt", encoding="utf-8")]
    trained = [r for r in records if r["config"]["initial_weights"]]
    assert len(trained) == len(records) - 1  # and their base
    for record in trained:
        assert record["config"]["shape"] == shape_fields(parse_shape(record["run"].split("/")[0]), (3, 2, 3))


def test_iterations_and_layers_of_a_reading_are_those_of_the_network():
    def read(think, kind="fixed", least=1, **more):
        config = {"model": {"initial": 2, "repeated": think, "final": 1, "loops": {"kind": kind, "least": least}}}
        result = {"kinds": [{"kind": "arithmetic", "difficulties": [{"difficulty": 4, "asked": 8, "right": 6, **more}]}]}
        return etd.readings(result, config)
    common = {"of": "terms", "at": 4, "score": 0.75, "samples": 8, "what": "arithmetic"}
    assert read(3, least=2) == [{**common, "iterations": 2, "layers": 9}]
    assert read(0, least=2) == [{**common, "iterations": 1, "layers": 3}]  # nothing is repeated
    assert read(3, "adaptive", mean_loops=1.5) == [{**common, "iterations": 1.5, "layers": 7.5}]


def test_the_chosen_block_is_that_of_the_cut():
    found = [shape_fields(parse_shape(text), (3, 2, 3)) for text in ("3-2*3-3", "3-2-3-mixture", "2-2*3-4", "3-2+2-3")]
    assert [f["chosen"] for f in found] == [True, True, False, True]
    assert found[0] == {"name": "3-2x3-3", "cut": "3-2-3", "block": "looped", "passes": 3, "think": 2, "chosen": True}


@pytest.mark.parametrize("place, cut", [("own", [3, 2, 3]), ("smollm2", [11, 10, 9])])
def test_a_measurement_of_angles_is_a_record_whose_readings_are_the_cut(place, cut):
    stored = json.loads((STORED / "etd" / place / "angular.measurement.json").read_text())
    measured = {k: v for k, v in stored.items() if k in ("measurement", "model", "text", "distances", "standard_errors", "cut")}
    assert angles_record(measured, "cpu") | {"machine": {}} == stored  # nobody knows on which machine
    assert [(r["what"], r["at"], r["score"]) for r in stored["readings"]] == [*zip(("encoder", "think", "decoder"), cut, (1, 1, 1))]


def test_a_run_is_finished_whatever_cut_the_command_names_and_measured_again_without_its_record(folder, tmp_path, capsys):
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps({"question": f"{a} + {b} =", "answer": str((a + b) % 3)}) + "\n" for a in range(7) for b in range(7)))
    command = ["etd", "train", "--base", folder, "--text", str(lines), "--batch", "4", "--steps", "1", "--threads", "1", "--out", str(tmp_path / "runs")]
    file = tmp_path / "runs/2-2x2-2/seed-1/record.json"
    assert main([*command, "--cut", "2-2-2", "--loops", "2"]) == 0
    first = json.loads(file.read_text())
    assert first["config"]["shape"]["chosen"] is True and first["readings"]
    assert main([*command, "--shape", "2-2*2-2", "--cut", "1-2-3"]) == 0 and "finished before" in capsys.readouterr().err
    assert json.loads(file.read_text()) == first
    file.unlink()
    assert main([*command, "--shape", "2-2*2-2", "--cut", "1-2-3"]) == 0
    again = json.loads(file.read_text())
    assert again["config"]["shape"]["chosen"] is False and again["readings"] == first["readings"]
