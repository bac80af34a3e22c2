"""Every side condition of float_recheck.py matters: each `need` is removed in turn, and an input of the collection below that was refused is
then confirmed, or ends otherwise. The conditions that no input notices are listed, each with its reason."""
import collections
import copy
import fractions
import json
import pathlib
import struct
import tempfile
import unittest

import changes
import files
import side_conditions
import test_float_certificates as certificates
from files import ROOT, compiled, edited, load

SOURCE = (ROOT / "recheck/float_recheck.py").read_text()
# Limits, and conditions that a later step repeats: without one of these no input of the collection is confirmed. A list may become shorter.
UNNOTICED = [
    "config.json: other tokens",
    "numbers are too large for the format",
    "{}, token {}: two tokens may share the largest score; expected one",
    "{}: another shape",
    "{}: more than {} streams of a token",
    "{}: rounding may take {} of the norm {}",
    "{}: the norm depends on the iteration",
    "{}: the temperature is no number of the format",
]


CHECKER = side_conditions.with_a_switch(SOURCE)


def decided(document, certificate, folder=None, removed=None):
    """None if all is confirmed by the checker without a condition, else the exception."""
    CHECKER.REMOVED = removed
    try:
        hashed = {k: v for k, v in document.items() if k not in ("derived", "sha256")}
        found = CHECKER.hashlib.sha256((CHECKER.canonical(hashed) + "\n").encode()).hexdigest()
        CHECKER.require_hash(found, document, certificate)
        proof = CHECKER.Proof(document, certificate)
        proof.run()
        if folder:
            proof.exported(pathlib.Path(folder))
        return None
    except Exception as error:  # whatever a checker without a condition runs into
        return error


def weak(certificate):
    """A certificate that states next to nothing, so that only the conditions of the proof refuse it."""
    least, most = "1/1" + "0" * 60, "1" + "0" * 60
    heads = [{**head, "separation": least, "left": least, "rounding": most, "tolerance": "0"} for head in certificate["heads"]]
    return {**certificate, "heads": heads, "answers": [{**answer, "margin": least, "error": most} for answer in certificate["answers"]]}


def large_logits(document):
    """Adds a large number to both logits of the verdict, which then lose their difference in floating point."""
    constant = document["cells"]["one"]["coordinates"][0]
    output, entries = document["output"], document["unembedding"]["entries"]
    rows = (output["accept"], output["reject"])
    for row in rows:
        old = [e for e in entries if e[:2] == [row, constant]]
        entries[:] = [e for e in entries if e not in old] + [[row, constant, str(10**18 + sum(fractions.Fraction(e[2]) for e in old))]]


def collection():
    """Changed files, certificates and exports."""
    for index, every in [(2, 11), (1, 31), (3, 43), (8, 97), (10, 61), (12, 97)]:
        document = load(compiled(*certificates.COVERED[index]))
        certificate = load(certificates.certified(files.store(document), 2, "float64", "--temperature", "hard"))
        document.pop("derived")
        for _, changed in changes.changed_numbers(document, every):
            files.seal(changed)
            yield changed, {**certificate, "sha256": changed["sha256"]}
            yield changed, {**weak(certificate), "sha256": changed["sha256"]}
        yield document, {**weak(certificate), "measured_norms": ["layer 1, feed-forward", "layer 1, attention"]}
        large = edited(document, large_logits)
        yield large, {**weak(certificate), "precision": "float32", "sha256": large["sha256"]}
        factors = [lambda d, zeros=zeros: d["unembedding"]["entries"][0].__setitem__(2, "1" + "0" * zeros) for zeros in (40, 400)]
        for change in (*(change for _, change in changes.whole_changes(document)), *factors, lambda d: d.update(norm="layernorm"),
                       lambda d: d["layers"][-1]["attention"]["heads"][0].update(causal=False), lambda d: d["unroll"].update(max_length=1),
                       lambda d: d["position"].update(parity=[[1, "1"]]), lambda d: d.update(width=d["width"] + 1)):
            changed = edited(document, change)
            yield changed, {**certificate, "sha256": changed["sha256"]}
        for temperature in ("hard", "auto"):
            whole = load(certificates.certified(files.store(document | {"derived": load(compiled(*certificates.COVERED[index]))["derived"]}), 2, "float32", "--temperature", temperature))
            for _, change in certificates.changes_of(whole):
                changed = copy.deepcopy(whole)
                change(changed)
                yield document, changed
        yield document, {**certificate, "length": 10**9}
    other = load(compiled("division"))
    yield other, {**certificate, "sha256": other["sha256"]}
    for file in sorted((ROOT / "tests/recheck/false_floats").glob("*0.json")):
        yield load(file), load(file.with_suffix(".cert.json"))
    yield from exports()


def exports():
    """An export whose numbers, settings or names are changed, with certificates that have the new hash."""
    file = compiled(*certificates.SCANS[4])
    folder = certificates.exported(file, 2)
    document, certificate, config = load(file), load(folder / "certificate.json"), load(folder / "config.json")
    data = (folder / "model.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])

    def variant(change_header=None, change_config=None, change_data=None, seal=True, change_sums=lambda names: names):
        made = pathlib.Path(tempfile.mkdtemp(dir=files.FOLDER))
        own, settings, numbers = copy.deepcopy(header), copy.deepcopy(config), bytearray(data[start:])
        for change, value in ((change_header, own), (change_config, settings), (change_data, numbers)):
            if change:
                change(value)
        text = json.dumps(own).encode()
        whole = struct.pack("<Q", len(text)) + text + bytes(numbers)
        (made / "model.safetensors").write_bytes(whole)
        (made / "config.json").write_text(json.dumps(settings))
        (made / "certificate.json").write_text(json.dumps(certificate))
        names = change_sums(["config.json", "model.safetensors", "certificate.json"])
        of = {name: certificates.CHECKER.hashlib.sha256((made / name).read_bytes()).hexdigest() for name in names if "/" not in name}
        (made / "SHA256SUMS").write_text("".join(f"{of.get(name, '0' * 64)}  {name}\n" for name in names))
        hashed = certificates.CHECKER.hashlib.sha256(whole).hexdigest()
        return document, {**certificate, "tensors": hashed if seal else certificate["tensors"]}, made

    name = "layers.0.heads.0.query"
    yield variant(change_config=lambda c: c.update(length=3))
    yield variant(change_config=lambda c: c.update(norm="layernorm"))
    yield variant(change_config=lambda c: c.update(loops=9))
    yield variant(change_config=lambda c: c["tokens"].append(c["tokens"][0]))
    yield variant(change_config=lambda c: c["layers"][0]["attention"]["heads"][0].update(causal=False))
    yield variant(change_config=lambda c: c["layers"][0]["attention"]["heads"][0].update(temperature=2.0))
    yield variant(change_config=lambda c: c["layers"][0]["attention"].update(norm={"zero_below": 0.5}))
    yield variant(change_header=lambda h: h.update(extra=dict(h[name])))
    yield variant(change_header=lambda h: h.pop(name))
    yield variant(change_header=lambda h: h[name].update(dtype="I64"))
    yield variant(change_header=lambda h: h["embedding"].update(shape=h["embedding"]["shape"][::-1]))
    yield variant(change_data=lambda d: d.__setitem__(slice(header["unembedding"]["data_offsets"][0], header["unembedding"]["data_offsets"][0] + 8), struct.pack("<d", 2**-30)))
    yield variant(change_header=lambda h: h.update(__metadata__={"a": "b"}), seal=False)
    for _, change in certificates.changes_of_examples():
        yield variant(change_config=change)
    yield variant(change_sums=lambda names: names[1:])
    yield variant(change_sums=lambda names: [*names, "../config.json"])


class FloatConditions(unittest.TestCase):
    maxDiff = None

    def test_each_is_noticed_when_it_is_removed(self):
        every = side_conditions.conditions(SOURCE)
        by_condition = collections.defaultdict(list)
        for given in collection():
            error = decided(*given)
            if not isinstance(error, CHECKER.Refused):
                continue
            at = side_conditions.line_of_need(error)
            for i, (first, last, _) in enumerate(every):
                if first <= at <= last:
                    by_condition[i].append(given)
        unnoticed = set()
        for i, (_, _, message) in enumerate(every):
            tried = [(*given, None)[:3] for given in by_condition[i]]
            if not any(not isinstance(decided(*given, removed=i), CHECKER.Refused) for given in tried[:6] + tried[-6:]):
                unnoticed.add(message)
        self.assertEqual(sorted(unnoticed - set(UNNOTICED)), [], f"{len(every)} conditions")


if __name__ == "__main__":
    unittest.main()
