"""Every script of bench/ at its smallest size: it ends well, stores what it says, and its contenders
give the same answers. No time counts.

LOGDEPTH_BUILD is the folder with the programs, LOGDEPTH_PYTHON an interpreter with numpy and PyTorch.
"""

import gzip
import json
import os
import pathlib
import subprocess

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
BUILD = pathlib.Path(os.environ["LOGDEPTH_BUILD"])
PYTHON = os.environ.get("LOGDEPTH_PYTHON", "/usr/bin/python3")


def run(script, *arguments, python=PYTHON):
    done = subprocess.run([python, "-B", BENCH / script, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def stored(folder, name):
    page = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith("# ") and len(page) > 600
    content = json.loads((folder / "results" / f"{name}.json").read_text(encoding="utf-8"))
    assert content["schema"] == f"logdepth-bench/{name}/1"
    return content


def rows(text):
    """Of the Markdown table of a text, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert set(lines[1]) <= set("|-"), text
    return lines[2:]


def test_exact_cost(tmp_path):
    run("exact_cost.py", BUILD, "--smallest", "--out", tmp_path)
    cases = stored(tmp_path, "exact_cost")["cases"]
    assert set(cases) == {"scan", "tree", "connectivity"}
    for case, content in cases.items():
        (size,) = content["sizes"]
        assert set(size["records"]) == {"exact", "numpy", "search" if case == "connectivity" else "sequential"}
        for name, record in size["records"].items():
            assert record.get("differs") == "", f"{case}, {name}: {record}"
            assert record["runs"][0]["seconds"] > 0 and record["runs"][0]["peak_bytes"] > 0


def answered(run_record):
    answers = run_record["answers"]
    assert answers["wrong_but_certified"] == 0 and answers["products"] == run_record["tokens"] - 1
    assert answers["wrong"] == 0 and answers["certified"] == answers["products"]
    assert 0 < min(run_record["attention_wall"]) < min(run_record["wall"])


def test_float_throughput(tmp_path):
    for device in "cpu", "cuda":
        run("float_throughput.py", BUILD, "--smallest", "--device", device, "--out", tmp_path)
    devices = stored(tmp_path, "float_throughput")["devices"]
    assert set(devices) == {"cpu", "cuda"}  # the second keeps the first
    for device, measured in devices.items():
        assert [one["number"] for one in measured["runs"]] == ["float64", "float32"]
        for one in measured["runs"]:
            if "refused" not in one:
                answered(one)
                continue
            assert device == "cuda"
            assert one["refused"] in ("not measured: built without CUDA", "not measured: no CUDA device answered")


def looped_runs(folder, monoid, *more):
    subprocess.run([BUILD / "logdepth", "train", "word-problem", "--monoid", monoid, "--kind", "adaptive-loop",
                    "--depths", "1", "--widths", "16", "--max-length", "8", "--out", folder,
                    "--set", "training.promotion=0.01", "--set", "training.read_every=1", *more], check=True,
                   capture_output=True)
    return folder


def test_learned_circuits(tmp_path):
    """With PyTorch and the package as python/wheel installs it. One network knows eight letters, the other too few
    for states to be replaced."""
    runs = tmp_path / "runs"
    looped_runs(runs, "Z2", "--steps", "600", "--set", "training.learning_rate=0.01")
    looped_runs(runs, "S3", "--steps", "20")
    run("learned_circuits.py", BUILD / "logdepth", runs, "--words", 8, "--measured", 20, "--out", tmp_path,
        "--pictures", tmp_path / "pictures", python=BUILD / "python/venv/bin/python")
    few, known = stored(tmp_path, "learned_circuits")["runs"]
    assert (few["problem"], known["problem"]) == ("S3", "Z2") and "states" not in few
    for one in few["edges"], known["edges"]:
        assert one["layers"] == len(one["whole"]) == len(one["distances"]) == len(one["more"]) - 1
        for kind in "kept", "cut":
            assert {len(loops) for loops in one[kind].values()} == {one["layers"]}
    states = known["states"]
    assert states["letters"] >= 5 and len(states["iterations"]) == 2
    for iteration, shares in enumerate(states["iterations"], 1):
        affected = [(p, q) for p in range(2 ** iteration + 1, states["letters"] + 1)
                    for q in range(p, states["letters"] + 1) if (q - p) % 2 ** iteration == 0]
        assert shares["window"]["of"] == shares["prefix"]["of"] == 8 * len(affected)
    for picture in (tmp_path / "pictures").iterdir():
        assert "<svg" in picture.read_text(encoding="utf-8")
    assert len(list((tmp_path / "pictures").iterdir())) == 2


def test_circuit_scores(tmp_path):
    """With TransformerLens and the package as python/wheel installs it. Exact patching finds what resampling can, of a
    method by gradients the norm before a threshold hides all but one edge."""
    run("circuit_scores.py", "--smallest", "--pairs", 4, "--out", tmp_path, python=BUILD / "python/venv/bin/python")
    majority, flipflop = stored(tmp_path, "circuit_scores")["networks"]
    assert len(majority["causal"]) == 3 and majority["possible"] == 13 and flipflop["pairs"] == 4
    for one in majority, flipflop:
        for method, scores in one["methods"].items():
            assert scores["structural"]["precision"] == 1.0, method  # nothing else is scored
        assert one["methods"]["exact patching"]["causal"]["auroc"] == one["methods"]["exact patching"]["causal"]["recall"] == 1.0
    assert majority["methods"]["EAP"]["structural"]["found"] == 1
    assert len(rows((tmp_path / "circuit_scores.md").read_text(encoding="utf-8"))) == 4


def test_stored_networks(tmp_path):
    """They are those of the records, the page is about them, and one of them is measured and drawn again."""
    networks = BENCH / "results/networks"
    with gzip.open(BENCH / "results/records/word_problems.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = {record["run"]: record for record in map(json.loads, lines)}
    page = json.loads((BENCH / "results/learned_circuits.json").read_text(encoding="utf-8"))
    assert len(page["runs"]) == len(list(networks.rglob("model.safetensors"))) == 6
    for one in page["runs"]:
        network = json.loads((networks / one["run"] / "record.json").read_text(encoding="utf-8"))
        recorded = records[one["run"]]
        assert all(network["result"][name] == value for name, value in recorded["result"].items())
        assert network["readings"] == recorded["readings"]
        assert one["edges"]["whole"] == [loop["strict"] for loop in network["result"]["by_loops"]]
    (tmp_path / "runs").symlink_to(networks / "A5/adaptive-loop-1/seed-5", target_is_directory=True)
    run("learned_circuits.py", BUILD / "logdepth", tmp_path / "runs", "--words", 64, "--out", tmp_path,
        python=BUILD / "python/venv/bin/python")
    (again,) = stored(tmp_path, "learned_circuits")["runs"]
    (before,) = (one for one in page["runs"] if one["run"] == "A5/adaptive-loop-1/seed-5")
    # Another processor adds in another order: lengths are compared, and shares roughly.
    assert again["edges"]["whole"] == before["edges"]["whole"] and again["edges"]["drawn"] == before["edges"]["drawn"]
    for one, other in zip(again["states"]["iterations"], before["states"]["iterations"]):
        assert abs(one["others"]["share"] - other["others"]["share"]) < 0.01
