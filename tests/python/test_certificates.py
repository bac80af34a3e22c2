"""Proofs for every length: certify and recheck, as the program does them."""

import json
import os
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import logdepth
from test_runs import ELECTION

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAM = os.environ.get("LOGDEPTH_BINARY")


def test_a_network_of_a_regular_language_is_certified_for_every_length():
    proof = logdepth.compile_regular("(a|b)*abb").certify()
    assert proof and proof.theorem == "shift-scan" and proof.scope == "every length" and proof.outputs_certified
    assert "correct for every word of every length" in proof.statement and proof.failed == []
    assert repr(proof) == "<certified: theorem shift-scan, every length>"


def test_every_kind_of_construction_has_its_theorem():
    tree = logdepth.compile_regular("(a|b)*abb", construction="tree")
    cascade = logdepth.compile_regular("(a|b)*abb", construction="cascade")
    counting = logdepth.compile_crasp(EXAMPLES / "crasp" / "majority.crasp")
    found = [network.certify().theorem for network in (tree, cascade, counting, logdepth.compile_division())]
    assert found == ["levels", "resets", "counting", "division"]


def test_what_heads_select_certifies_no_answers(tmp_path):
    ELECTION.save(tmp_path / "election.json")
    wrong = json.loads((tmp_path / "election.json").read_text())
    for entry in wrong["unembedding"]["entries"]:  # the accept logit is negated
        if entry[0] == wrong["output"]["accept"]:
            entry[2] = str(-Fraction(entry[2]))
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    with pytest.raises(logdepth.BadInput, match="hashes to ") as changed:
        logdepth.load(tmp_path / "wrong.json")
    wrong["sha256"] = re.search("hashes to ([0-9a-f]{64})", str(changed.value))[1]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    for one in ELECTION, logdepth.load(tmp_path / "wrong.json"):
        found = one.certify()
        assert found.theorem == "selections" and not found and not found.outputs_certified and not one.recheck(found.certificate)
        assert repr(found) == "<selections hold, at most 8 letters; outputs not certified>"
        assert ": selections hold for every word of at most 8 letters: " in found.statement
        assert "; what the outputs compute is not certified\n" in found.statement and found.failed == []
    assert ELECTION.run("aab").accepted != logdepth.load(tmp_path / "wrong.json").run("aab").accepted


def test_a_certificate_is_of_its_network_and_no_other():
    one, other = logdepth.compile_regular("(a|b)*abb"), logdepth.compile_regular("(a|b)*ab")
    proof = one.certify()
    again = one.recheck(proof.certificate)
    assert again and again.statement == proof.statement
    refused = other.recheck(proof.certificate)
    assert not refused and "sha256" in refused.failed[0].reason and repr(refused) == "<not certified>"
    with pytest.raises(logdepth.BadInput, match="certificate"):
        one.recheck("{}")


def test_what_is_not_certified_names_the_step():
    rows = logdepth.compile_connectivity(construction="rows", size=4)
    for network, reason in (logdepth.compile_connectivity(), "adjacency"), (rows, "logdepth-prove proves this theorem"):
        found = network.certify()
        assert not found and found.certificate == "" and not found.outputs_certified
        assert found.failed and reason in found.failed[0].reason


@pytest.mark.skipif(PROGRAM is None, reason="LOGDEPTH_BINARY names the program")
def test_the_certificate_is_that_of_the_program(tmp_path):
    network = logdepth.compile_regular(group="S3")
    network.save(tmp_path / "s3.json")
    command = [PROGRAM, "certify", "s3.json", "-o", "s3.cert.json"]
    printed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    proof = network.certify()
    assert proof.certificate == (tmp_path / "s3.cert.json").read_text()
    assert proof.statement.splitlines()[1:] == printed.splitlines()[1:]
