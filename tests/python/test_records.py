"""Training runs as a table: the stored records, folders of runs, and what is no record."""

import gzip
import json
import pathlib

import pandas
import pytest

import logdepth

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "bench/results/records"


def record(seed, scores, **training):
    readings = [{"of": "letters", "at": i + 1, "iterations": 2, "layers": 2, "score": s, "samples": 100} for i, s in enumerate(scores)]
    curve = {"score": "n*", "points": [{"steps": 5, "score": 1, "tokens": 50}, {"steps": 10, "score": 2}]}
    return {"format": "logdepth-run", "version": 2, "seed": seed, "config": {"seed": seed, "task": {"monoid": "S3", "edges": []}, "model": {"width": 8}},
            "machine": {}, "training": {"steps": 10, "tokens": 100, "stopped": "steps", "curve": curve, **training}, "result": {}, "readings": readings}


def test_every_stored_reading_is_a_row_with_the_settings_of_its_run():
    table = logdepth.records(RESULTS)
    assert table["run"].nunique() == 402
    stored = [json.loads(line) for file in sorted(RESULTS.glob("*.gz")) for line in gzip.open(file, "rt")]
    assert len(table) == sum(len(one["readings"]) for one in stored)
    widths = [one["config"]["model"]["width"] for one in stored for _ in one["readings"]]
    assert table["model.width"].tolist() == widths
    assert table["score"].between(0, 1).all()


def test_runs_and_measurements_of_pretrained_models_are_read_too():
    table = logdepth.records(RESULTS.parent / "pretrained")
    assert table["run"].nunique() == 72 and len(table) == 391 + 156 + 6
    cut = table[table["measurement"] == "angular-distance"].groupby("model.name")["at"].apply(list)
    assert cut.to_dict() == {"base/seed-1": [3, 2, 3], "SmolLM2-135M-Instruct.Q4_1": [11, 10, 9]}
    halts = table[(table["task.set"] == "nli") & (table["preset"] == "relit") & (table["what"] == "right")]
    assert halts["iterations"].between(2, 2.01).all()


def test_n_star_by_depth_and_budget_is_that_of_the_records():
    table = logdepth.records(RESULTS / "fixed_depth.jsonl.gz")
    own = table[table["own"] & (table["what"] == "right")]
    reach = pandas.Series({name: logdepth.n_star(rows) for name, rows in own.groupby("run")})
    for line in gzip.open(RESULTS / "fixed_depth.jsonl.gz", "rt"):
        one = json.loads(line)
        assert reach[str(RESULTS / one["run"])] == one["result"]["strict"], one["run"]


def test_folders_of_runs_and_their_curves_are_read(tmp_path):
    for seed, scores in ((1, [1, 0.96, 0.2]), (2, [0.9])):
        (tmp_path / f"seed-{seed}").mkdir()
        (tmp_path / f"seed-{seed}/record.json").write_text(json.dumps(record(seed, scores)))
    table = logdepth.records(tmp_path)
    assert table["seed"].tolist() == [1, 1, 1, 2]
    assert table["task.edges"].tolist() == ["[]"] * 4
    assert [logdepth.n_star(rows) for _, rows in table.groupby("seed")] == [2, 0]
    curve = logdepth.records(tmp_path, of="curve")
    assert curve["score"].tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "other"}'])
def test_a_damaged_record_is_named_with_its_line(tmp_path, text):
    file = tmp_path / "runs.jsonl.gz"
    file.write_bytes(gzip.compress((json.dumps(record(1, [1])) + "\n" + text).encode()))
    with pytest.raises(logdepth.BadInput, match=r"runs.jsonl.gz:2: expected a record"):
        logdepth.records(file)


def test_a_place_without_runs_is_refused(tmp_path):
    with pytest.raises(logdepth.BadInput, match="found no readings"):
        logdepth.records(tmp_path)
    with pytest.raises(logdepth.BadInput, match="expected a folder"):
        logdepth.records(tmp_path / "none")
    with pytest.raises(logdepth.BadInput, match='expected "readings" or "curve"'):
        logdepth.records(RESULTS, of="points")


def test_the_notebook_of_trained_depth_runs(monkeypatch):
    notebook = RESULTS.parents[2] / "examples/notebooks/trained_depth.ipynb"
    monkeypatch.chdir(notebook.parent)
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert sum(len(cell["source"]) for cell in cells) <= 40
    names = {}
    for cell in cells:
        exec("".join(cell["source"]), names)
    depths = names["n_star"].groupby(["task.monoid", "training.steps", "layers"])["n*"].median()
    assert depths[("A5", 3440, 4.0)] == 8.5 and depths[("S3", 3440, 6.0)] == 14.5
