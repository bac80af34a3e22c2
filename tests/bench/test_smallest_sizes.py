"""Every script of bench/ at its smallest size: it ends well, stores what it says, and its contenders
give the same answers. No time counts.

LOGDEPTH_BUILD is the folder with the programs, LOGDEPTH_PYTHON an interpreter for the scripts (they look
for one with numpy and PyTorch themselves).
"""

import json
import os
import pathlib
import subprocess

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
BUILD = pathlib.Path(os.environ["LOGDEPTH_BUILD"])
PYTHON = os.environ.get("LOGDEPTH_PYTHON", "/usr/bin/python3")
DIRECT = {"sequential", "scan", "search", "squaring"}


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
    timed = {"scan", "tree", "cascade", "radix", "radix3", "connectivity", "rows"}
    assert set(cases) == {*timed, "codes", "batch", "ledger", "rounding", "profile"}
    assert len(cases["codes"]["sizes"]) == 6
    for case in *timed, "codes":
        for size in cases[case]["sizes"]:
            records = size["records"]
            floats = set() if case in ("cascade", "radix", "radix3", "codes") else {"float64", "numpy", "torch"}
            assert {"exact", "exact-2", "general"} | floats < set(records) and DIRECT & set(records)
            for name, record in records.items():
                if name == "exact-2" and len(os.sched_getaffinity(0)) == 1:
                    assert "requires 2 cores" in record["refused"]
                    continue
                assert record.get("differs") == "", f"{case}, {name}: {record}"
                assert record["runs"][0]["seconds"] > 0
    for record in *(b["record"] for b in cases["batch"]["batches"]), cases["ledger"]["record"]:
        assert record["differs"] == "" and record["runs"][0]["processor_seconds"] > 0
    for row in cases["rounding"]["words"]:
        assert row["differs"]["exact"] == ""
    for row in cases["rounding"]["graphs"]:
        assert row["pairs"] == 2 and row["wrong"]["exact"] == 0
    assert len(cases["rounding"]["phi"]) == 5
    for profile in cases["profile"]["profiles"]:
        assert profile["counters"][0].startswith("attention: "), profile
    assert len(list((tmp_path / "results").glob("*.svg"))) == 7


def measured(head):
    assert "refused" not in head, head
    for name, record in head["contenders"].items():
        assert "refused" not in record, f"{name}: {record}"
        assert record["wall"] and min(record["wall"]) > 0
        if name.startswith("runtime"):
            assert record["wrong_rows"] == record["wrong_but_decided"] == 0


def answered(run_record):
    answers = run_record["answers"]
    assert answers["wrong_but_certified"] == 0 and answers["products"] > 0
    if run_record["number"] == "float64":
        assert answers["wrong"] == 0 and answers["certified"] == answers["products"]


def test_float_throughput(tmp_path):
    run("float_throughput.py", BUILD, "--smallest", "--out", tmp_path)
    parts = stored(tmp_path, "float_throughput")["parts"]
    assert set(parts) == {"heads", "ties", "runs", "gpu"}
    assert len(parts["heads"]["heads"]) == 2 and len(parts["ties"]["heads"]) == 1
    for head in parts["heads"]["heads"] + parts["ties"]["heads"]:
        assert {"runtime, float64", "tiled, float32", "numpy", "torch"} < set(head["contenders"])
        measured(head)
        for name in "numpy", "torch", "plain, distances, float64":
            assert head["contenders"][name]["wrong_rows"] == 0
    assert len(parts["runs"]["runs"]) == 4
    for record in parts["runs"]["runs"]:
        answered(record)
    gpu = parts["gpu"]
    if "refused" in gpu:
        assert gpu["refused"] in ("not measured: built without CUDA", "not measured: no CUDA device answered")
        return
    for head in gpu["heads"]:
        measured(head)
    for record in gpu["runs"]:
        answered(record)


def test_training_throughput(tmp_path):
    program = BUILD / "bench_training_throughput"
    if not program.exists():
        pytest.fail("bench_training_throughput is not built: libtorch was not found")
    run("training_throughput.py", "--program", program, "--peer", "/usr/bin/python3", "--smallest", "--out", tmp_path)
    (row,) = json.loads((tmp_path / "training_throughput.json").read_text(encoding="utf-8"))["rows"]
    assert row["peer"].startswith("PyTorch ") and row["ours_ms"] > 0 and row["peer_ms"] > 0
    assert row["losses_apart"] < 2e-3
    assert len(rows((tmp_path / "training_throughput.md").read_text(encoding="utf-8"))) == 1


def test_compile_sizes():
    (row,) = rows(run("compile_sizes.py", BUILD / "logdepth", "--smallest"))
    assert row.startswith("| (a\\|b)*abb |") and "refused" not in row


def test_python_calls():
    """With the package as python/wheel installs it."""
    small = ["--words", 20, "--letters", 8, "--rounds", 1]
    printed = run("python_calls.py", BUILD / "logdepth", *small, python=BUILD / "python/venv/bin/python")
    assert len(rows(printed)) == 3


def looped_runs(folder, monoid, *more):
    subprocess.run([BUILD / "logdepth", "train", "word-problem", "--monoid", monoid, "--kind", "adaptive-loop",
                    "--depths", "1", "--widths", "16", "--max-length", "8", "--out", folder,
                    "--set", "training.promotion=0.01", "--set", "training.read_every=1", *more], check=True,
                   capture_output=True)
    return folder


def test_learned_edges(tmp_path):
    runs = looped_runs(tmp_path / "runs", "S3", "--steps", "20")
    run("learned_edges.py", BUILD / "logdepth", runs, "--words", 4, "--measured", 20, "--out", tmp_path)
    (one,) = stored(tmp_path, "learned_edges")["runs"]
    assert one["problem"] == "S3" and one["layers"] == len(one["whole"]) == len(one["distances"])
    assert len(one["more"]) == one["layers"] + 1
    for kind in "kept", "cut":
        assert {len(loops) for loops in one[kind].values()} == {one["layers"]}


def test_learned_patching(tmp_path):
    """With PyTorch and the package as python/wheel installs it. A network that knows eight letters."""
    runs = looped_runs(tmp_path / "runs", "Z2", "--steps", "600", "--set", "training.learning_rate=0.01")
    run("learned_patching.py", BUILD / "logdepth", runs, "--words", 8, "--out", tmp_path,
        python=BUILD / "python/venv/bin/python")
    (one,) = stored(tmp_path, "learned_patching")["runs"]
    assert one["problem"] == "Z2" and one["letters"] == min(16, one["reach"]) >= 5
    assert len(one["iterations"]) == 2
    for iteration, shares in enumerate(one["iterations"], 1):
        affected = [(p, q) for p in range(2 ** iteration + 1, one["letters"] + 1) for q in range(p, one["letters"] + 1)
                    if (q - p) % 2 ** iteration == 0]
        assert shares["window"]["of"] == shares["prefix"]["of"] == 8 * len(affected)


def test_from_compiled(tmp_path):
    run("from_compiled.py", BUILD / "logdepth", "--monoid", "S3", "--length", 8, "--steps", 5, "--smallest", "--out",
        tmp_path)
    untrained, moved, kept = stored(tmp_path, "from_compiled")["cases"]
    assert untrained["n"] == 8 and untrained["relative_change"] < 1e-20
    assert kept["zeros"] and not moved["zeros"] and 0 < kept["relative_change"] < moved["relative_change"]
