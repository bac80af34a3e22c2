"""The circuit of a network as data: against an independent computation, exact runs, and the tools that read it."""
import contextlib
import csv
import hashlib
import io
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import sys

import pytest
import torch

import logdepth
from logdepth._edge_runs import EdgeRuns
from logdepth.torch import load, rotated

ROOT = pathlib.Path(__file__).parents[2]


def compiled(name):
    if name in ("majority", "dyck1"):
        return logdepth.zoo(f"crasp-{name}")
    kind, _, what = name.partition(" ")
    if kind == "cascade":
        return logdepth.compile_regular(group=what, construction="cascade")
    if kind == "regex":
        return logdepth.compile_regular(regex=what, unroll=8)
    return logdepth.compile_regular(group=what, unroll=8, layernorm=kind == "layernorm")


NETWORKS = ["majority", "dyck1", "cascade S3", "cascade S4", "scan Z2", "scan S3", "regex (a|b)*abb", "layernorm A5"]


@pytest.fixture(scope="module", params=NETWORKS)
def network(request):
    return request.param, compiled(request.param)


def recheck(model, circuit, folder, *options):
    model.save(folder / "model.json")
    (folder / "circuit.json").write_text(json.dumps(circuit), encoding="utf-8")
    return subprocess.run([sys.executable, "-B", ROOT / "examples/circuit_recheck.py", folder / "model.json",
                           folder / "circuit.json", *options], capture_output=True, text=True)


@pytest.mark.parametrize("norms", ["exported", "file"])
def test_edges_are_those_of_an_independent_computation_and_those_that_are_none_do_nothing(network, norms, tmp_path):
    name, model = network
    runs = "1" if norms == "exported" and name != "layernorm A5" else "0"
    done = recheck(model, model.circuit(8, norms=norms).data, tmp_path, "--runs", runs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 differ;" in done.stdout and ", 0 change a logit;" in done.stdout
    assert runs == "0" or "; 0 exact runs" not in done.stdout


def test_a_changed_circuit_does_not_pass_the_independent_computation(tmp_path):
    model = compiled("scan Z2")
    changes = {"kind": "norm", "varies": None, "entries": 1, "cells": [], "reason": None}
    for key, value in changes.items():
        circuit = json.loads(json.dumps(model.circuit(8).data))
        edge = next(e for e in circuit["edges"] if e["source"] == "embed" and e["target"] == "m0")
        edge[key] = not edge["varies"] if key == "varies" else value
        assert recheck(model, circuit, tmp_path).returncode == 1, key
    assert recheck(logdepth.zoo("group-Z3"), circuit, tmp_path).returncode == 2


@pytest.mark.parametrize("name", ["majority", "cascade S3", "scan S3", "layernorm A5"])
def test_files_with_a_weight_removed_have_the_edges_of_the_independent_computation(name, tmp_path):
    sys.path.insert(0, str(ROOT / "examples"))
    import exact_runner

    original = compiled(name)
    known = {edge.name for edge in original.circuit(8, norms="file").edges if edge.kind == "structural"}
    choice, lost = random.Random(name), 0
    for _ in range(6):
        file = json.loads(original.text())
        layer = choice.choice(file["layers"])
        matrices = [head[part] for head in layer["attention"]["heads"] for part in ("query", "key", "value", "output")]
        matrices += [layer["feedforward"][part] for part in ("in", "out")] + [file["unembedding"]]
        entries = choice.choice([matrix["entries"] for matrix in matrices if matrix["entries"]])
        entries.pop(choice.randrange(len(entries)))
        rest = {key: value for key, value in file.items() if key not in ("sha256", "derived")}
        file = {**rest, "sha256": hashlib.sha256((exact_runner.canonical(rest) + "\n").encode()).hexdigest()}
        changed = logdepth.from_text(json.dumps(file))
        circuit = changed.circuit(8)
        done = recheck(changed, circuit.data, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert all(edge.read_cells is None for edge in circuit.edges)
        lost += not known <= {edge.name for edge in circuit.edges if edge.kind == "structural"}
    assert lost or name != "majority"


# What a prototype counted, from other code: structural, possible; through norms of the file.
COUNTS = {"majority": (4, 13, 1), "dyck1": (8, 39, 4), "cascade S3": (29, 174, 23), "scan S3": (37, 59, 6),
          "regex (a|b)*abb": (37, 59, 6)}


@pytest.mark.parametrize("name", COUNTS)
def test_edges_are_as_many_as_the_prototype_found(name):
    circuit, file = compiled(name).circuit(8), compiled(name).circuit(8, norms="file")
    kinds = [edge.kind for edge in file.edges]
    assert (kinds.count("structural"), len(circuit.possible), kinds.count("norm")) == COUNTS[name]
    assert [edge.name for edge in circuit.edges if edge.kind == "structural"] == [
        edge.name for edge in file.edges if edge.kind == "structural"]
    possible = set(circuit.possible)
    assert {edge.name for edge in file.edges} <= possible and len(possible) == len(circuit.possible)


def test_a_loop_and_the_unrolled_file_have_one_circuit():
    looped, unrolled = (logdepth.compile_regular(group="S3", **options).circuit(8) for options in ({}, {"unroll": 8}))
    assert looped.edges == unrolled.edges
    for one, other in zip(looped.nodes, unrolled.nodes):
        assert (one.name, one.reads, one.writes, one.units, one.copies) == (
            other.name, other.reads, other.writes, other.units, other.copies)


# Prototype, exhaustive up to n: edges that change a verdict when resampled, and when zeroed.
CAUSAL = {"majority": (6, 3, 4), "dyck1": (6, 7, 8), "cascade S3": (4, None, None), "regex (a|b)*abb": (5, 13, None)}


@pytest.mark.parametrize("name", CAUSAL)
def test_edges_with_a_witness_are_among_those_that_vary_and_every_witness_holds_exactly(name, tmp_path):
    n, resampled, zeroed = CAUSAL[name]
    model = compiled(name)
    circuit = model.circuit(8)
    for how, count in (("resample", resampled), ("zero", zeroed)):
        found = circuit.causal(n, how=how)
        allowed = {e.name for e in circuit.edges if (e.varies if how == "resample" else e.kind == "structural")}
        assert found and set(found) <= allowed
        assert count is None or len(found) == count
        (tmp_path / "witnesses.json").write_text(json.dumps(found), encoding="utf-8")
        done = recheck(model, circuit.data, tmp_path, "--witnesses", str(tmp_path / "witnesses.json"))
        assert done.returncode == 0, done.stdout
        assert f"{len(found)} witnesses, 0 change no verdict, " in done.stdout
        assert int(done.stdout.split(" outside the field")[0].rsplit(" ", 1)[1]) <= len(found) // 2


def test_an_idle_layer_is_structural_and_changes_no_verdict():
    # (a|b)*abb is decided by its last three letters, so doubling to 8 changes none.
    circuit = compiled("regex (a|b)*abb").circuit(8)
    idle = {e.name for e in circuit.edges if e.kind == "structural" and e.target == "a2.h0"}
    assert "a2.h0->m2" in {e.name for e in circuit.edges if e.varies}
    assert idle and not idle & set(circuit.causal(4))


def test_what_is_outside_the_structural_edges_can_be_resampled_at_once_and_so_can_cells_that_are_not_read(tmp_path):
    model = compiled("scan S3")
    circuit = model.circuit(8)
    model.export("torch", tmp_path / "s3", length=8, temperature="hard")
    runs = EdgeRuns(str(tmp_path / "s3"))
    words = list(itertools.product(model.alphabet, repeat=4))
    tokens = torch.cat([runs.network.encode(list(word)) for word in words])
    logits, writes = runs.run(tokens)
    clean, other = (index.flatten() for index in torch.meshgrid(torch.arange(16), torch.arange(16), indexing="ij"))
    known = {edge.name: edge for edge in circuit.edges}

    def share(cells):
        own = [c for cell in cells for c in circuit.data["cells"][cell]["coordinates"]]
        return torch.tensor([0.0 if c in own else 1.0 for c in range(circuit.data["width"])], dtype=torch.float64)

    def equal(patched):
        edges = {edge: (writes[edge[0]][other], patched(known.get(name)))
                 for name, edge in circuit.possible.items()}
        return ((runs.run(tokens[clean], edges)[0] - logits[clean]).abs().flatten(1).amax(1) < 1e-9).sum().item()

    assert equal(lambda edge: 0.0 if edge and edge.kind == "structural" else 1.0) == 256
    assert equal(lambda edge: share(edge.read_cells) if edge else 1.0) == 256
    # Whole edges without a cell that is read are no circuit: what is erased later is needed to be erased.
    assert equal(lambda edge: 0.0 if edge and edge.read_cells else 1.0) < 256


def test_coordinates_units_and_heads_have_the_names_of_the_program():
    circuit = compiled("regex (a|b)*abb").circuit(8)
    assert "d=abb" in circuit.data["coordinates"] and "sd=bb" in circuit.data["coordinates"]
    head = next(node for node in circuit.nodes if node.name == "a0.h0")
    assert (head.title, head.selects, head.copies) == ("prev", "exactly one position", ("sE := E", "sd := d"))
    assert head.reads == {"q": ("E",), "k": ("I",), "v": ("E", "d")}
    units = next(node for node in circuit.nodes if node.name == "m0").units
    rules = [unit for unit in units if unit["lookup"] == "product"]
    assert len(rules) == 49
    assert {"when": ["d=b", "sd=ab"], "then": ["d=abb"], "lookup": "product"} in [
        {**unit, "when": sorted(unit["when"])} for unit in rules]
    assert "letters" in circuit.data["cells"]["d"]["holds"]


def test_pairs_differ_in_one_letter_and_in_the_exact_verdict(tmp_path):
    model = compiled("scan S3")
    report = model.export("circuit", tmp_path / "c", length=8)
    assert "64 pairs of 8 letters" in report.text
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c/pairs.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 64 and len({(row["clean"], row["corrupted"]) for row in rows}) == 64
    accepted = 0
    for row in rows:
        clean, corrupted = row["clean"].split(), row["corrupted"].split()
        changed = [i for i, (a, b) in enumerate(zip(clean, corrupted)) if a != b]
        assert changed == [int(row["token"]) - 1] and len(clean) == len(corrupted) == 8
        verdicts = [model.run(word).accepted for word in (clean, corrupted)]
        assert verdicts == ([True, False] if row["correct_idx"] == "0" else [False, True])
        accepted += verdicts[0]
    assert accepted == 32
    prompts = json.loads((tmp_path / "c/prompts.json").read_text(encoding="utf-8"))["prompts"]
    letters = {letter: i for i, letter in enumerate(model.alphabet)}
    assert [p["clean"][1:] for p in prompts] == [[letters[x] for x in row["clean"].split()] for row in rows]
    assert {p["clean"][0] for p in prompts} == {len(letters)}


def test_the_files_of_other_tools_name_every_edge_that_those_tools_have(tmp_path):
    model = compiled("scan S3")
    model.export("circuit", tmp_path / "c", length=8, pairs=0)
    circuit = model.circuit(8)
    assert sorted(file.name for file in (tmp_path / "c").iterdir()) == [
        "circuit.eap.json", "circuit.json", "edges.autocircuit.json", "pyvene.json"]
    eap = json.loads((tmp_path / "c/circuit.eap.json").read_text(encoding="utf-8"))
    layers, heads = eap["cfg"]["n_layers"], eap["cfg"]["n_heads"]
    stream, names = ["input"], set()  # EAP-IG, graph.py: Graph.from_model
    for layer in range(layers):
        names |= {f"{u}->a{layer}.h{k}<{part}>" for u in stream for k in range(heads) for part in "qkv"}
        stream += [f"a{layer}.h{k}" for k in range(heads)]
        names |= {f"{u}->m{layer}" for u in stream}
        stream.append(f"m{layer}")
    assert set(eap["edges"]) == names | {f"{u}->logits" for u in stream} and set(eap["nodes"]) == {*stream, "logits"}
    inside = {name.replace("input->", "embed->") for name, edge in eap["edges"].items() if edge["in_graph"]}
    assert inside == {e.name for e in circuit.edges if e.kind == "structural" and e.source != "pos"}
    auto = json.loads((tmp_path / "c/edges.autocircuit.json").read_text(encoding="utf-8"))
    assert "Resid Start->A0.0.Q" in auto and "A2.0->MLP 2" in auto and "MLP 2->Resid End" in auto
    structural = [e for e in circuit.edges if e.kind == "structural"]
    assert len(auto) == len({(e.source.replace("pos", "embed"), e.target, e.part) for e in structural})
    pyvene = json.loads((tmp_path / "c/pyvene.json").read_text(encoding="utf-8"))
    assert [b for _, b in pyvene["subspace_partition"][:-1]] == [a for a, _ in pyvene["subspace_partition"][1:]]
    for (first, end), cell in zip(pyvene["subspace_partition"], pyvene["cells"]):
        assert cell is None or set(range(first, end)) <= set(circuit.data["cells"][cell]["coordinates"])


def test_transformer_lens_finds_the_structural_edges_faithful_and_gives_every_other_edge_nothing(tmp_path):
    import logdepth.lens
    from transformer_lens.tools.analysis import attribution_patching as patching

    model = compiled("dyck1")
    circuit = model.circuit(6)
    model.export("transformer-lens", tmp_path / "lens", length=6)
    model.export("circuit", tmp_path / "c", length=6, pairs=8)
    assert json.loads((tmp_path / "lens/circuit.json").read_text(encoding="utf-8")) == circuit.data
    bridge = logdepth.lens.load(tmp_path / "lens")

    def name(node):
        if node.head is not None:
            return f"a{node.layer}.h{node.head}", node.kind[0] if node.kind.endswith("input") else ""
        return {"embed": "embed", "logits": "logits"}.get(node.kind, f"m{node.layer}"), ""

    def edge_name(edge):
        (source, _), (target, part) = map(name, edge)
        return f"{source}->{target}" + (f"<{part}>" if part else "")

    truth = {e.name for e in circuit.edges if e.kind == "structural"}
    for row in csv.DictReader(io.StringIO((tmp_path / "c/pairs.csv").read_text(encoding="utf-8"))):
        right, wrong = int(row["correct_idx"]), int(row["incorrect_idx"])
        clean, corrupted = bridge.to_tokens(row["clean"]), bridge.to_tokens(row["corrupted"])

        def metric(logits):
            return logits[0, -1, right] - logits[0, -1, wrong]

        scores = patching.attribution_patch(bridge, clean, corrupted, metric,
                                            patching.EdgeAttributionConfig(granularity="edge")).edge_scores
        kept = [edge for edge in scores if edge_name(edge) in truth]
        assert patching.faithfulness(bridge, clean, corrupted, metric, kept).recovered == 1.0
        assert all(scores[edge] == 0 for edge in scores if edge_name(edge) not in truth)


def test_scores_of_a_method_are_compared_with_every_kind_of_truth():
    circuit = compiled("majority").circuit(6)
    structural = [e.name for e in circuit.edges if e.kind == "structural"]
    perfect = circuit.score({name: float(name in structural) for name in circuit.possible}, causal=structural[:1])
    assert perfect["structural"] == {"auroc": 1.0, "precision": 1.0, "recall": 1.0, "found": 4, "true": 4}
    assert perfect["causal"]["recall"] == 1.0 and perfect["causal"]["precision"] == 0.25
    tied = circuit.score({name.replace("embed->", "input->"): 0.0 for name in circuit.possible})
    assert tied["structural"]["auroc"] == 0.5 and tied["structural"]["recall"] == 0.0
    assert math.isnan(tied["structural"]["precision"])
    tiny = circuit.score({name: 1e-149 * (name in structural) for name in circuit.possible})
    assert tiny["structural"]["auroc"] == 1.0 and tiny["structural"]["recall"] == 0.0


def test_circuits_are_graphs_and_tables():
    circuit = compiled("majority").circuit(6)
    graph = circuit.to_networkx()
    assert set(graph) == {"embed", "pos", "a0.h0", "m0", "logits"} and graph.number_of_edges() == len(circuit.edges)
    assert {row.name for row in circuit.to_frame().itertuples(index=False)} == {edge.name for edge in circuit.edges}
    assert "4 of 13 possible edges structural" in repr(circuit)


def test_a_rotated_network_gives_the_same_answers_in_a_basis_without_names(tmp_path):
    model = compiled("scan S3")
    model.export("torch", tmp_path / "s3", length=8)
    network = load(tmp_path / "s3")
    turned = rotated(network, seed=3)
    words = ["".join(word) for word in itertools.product("ab", repeat=5)]
    assert [turned.prefixes(word) for word in words] == [model.prefixes(word) for word in words]
    tokens = network.encode("abba")
    _, before = network.run_with_cache(tokens)
    _, after = turned.run_with_cache(tokens)
    stream, other = before["embedded"][0], after["embedded"][0]
    assert torch.allclose(stream @ stream.transpose(-1, -2), other @ other.transpose(-1, -2))
    assert (other.abs() > 1e-6).float().mean() > 0.9 > (stream.abs() > 1e-6).float().mean()
    compiled("dyck1").export("torch", tmp_path / "dyck1", length=8)
    with pytest.raises(ValueError, match="its basis cannot be changed"):
        rotated(load(tmp_path / "dyck1"))


def test_the_program_of_the_page_prints_what_stands_below_it():
    page = (ROOT / "docs/circuits.md").read_text(encoding="utf-8")
    (program, printed), = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", page, re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(program, "docs/circuits.md", "exec"), {})
    assert said.getvalue() == printed


def test_wrong_questions_have_one_sentence(tmp_path):
    model = compiled("scan Z2")
    circuit = model.circuit(8)
    with pytest.raises(logdepth.LimitReached, match=r"n = 9: 262144 pairs of words are more than the limit of 65536"):
        model.circuit(8).causal(8, how="zero")
        logdepth.compile_regular(group="S3").circuit(9).causal(9)
    for wrong in (lambda: model.circuit(0), lambda: circuit.causal(9), lambda: circuit.causal(0),
                  lambda: circuit.causal(2, how="mean"), lambda: circuit.causal(2, answer="loss"),
                  lambda: model.circuit(8, norms="none"), lambda: logdepth.zoo("graphs-rows-3").circuit(3),
                  lambda: compiled("majority").circuit(4).causal(2, answer="prefix")):
        with pytest.raises(logdepth.BadInput):
            wrong()
    with pytest.raises(logdepth.ExportRefused, match="reads no words"):
        logdepth.zoo("graphs-rows-3").export("circuit", tmp_path / "g", length=3)
