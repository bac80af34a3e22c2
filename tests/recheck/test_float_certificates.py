"""Certificates of floating-point answers: which constructions have one, that float_recheck.py confirms what it wrote for `certify --float` and
`export --certify`, that it refuses changed ones, that float runs of all short words agree with what is certified, and that bounds
are those of another implementation."""
import contextlib
import copy
import fractions
import io
import itertools
import json
import pathlib
import struct
import unittest

import changes
import files
import float_runs
from files import LOGDEPTH, ROOT, RUNNER, compiled, edited, load, module, path, run, store

CHECKER = module("float_recheck", ROOT / "recheck/float_recheck.py")
F = fractions.Fraction
LANGUAGE, GROUP = ("--regex", "(a|b)*abb"), ("--group", "Z2")
SCANS = [("regular", *what, "--construction", "scan", "--positions", positions, "--norm", norm, "--table", table)
         for what, positions, norm, table in [(LANGUAGE, "first-flag", "rms", "matrix"), (GROUP, "first-flag", "layernorm", "monoid"),
                                              (GROUP, "circle", "rms", "matrix"), (LANGUAGE, "circle", "layernorm", "monoid"),
                                              (LANGUAGE, "two-circle", "rms", "monoid"), (GROUP, "two-circle", "layernorm", "matrix")]]
# The table of TRUST.md: what has a certificate, and the reason of every refusal.
COVERED = SCANS + [("regular", *LANGUAGE, "--construction", "scan", "--strict"), ("regular", "--group", "S3", "--construction", "scan", "--unroll", "8"),
                   ("regular", "--group", "S3", "--construction", "radix", "--unroll", "8"),
                   ("regular", "--group", "Z2", "--construction", "radix"),
                   ("regular", *LANGUAGE, "--construction", "cascade"), ("regular", *LANGUAGE, "--construction", "cascade", "--norm", "layernorm"),
                   ("regular", *LANGUAGE, "--construction", "cascade", "--positions", "first-flag")]
REFUSED = [(("regular", "--group", "Z2", "--construction", "cascade"), "position: a code that is not covered"),
           (("regular", "--group", "Z2", "--construction", "cascade", "--positions", "first-flag"), "layer 3, feed-forward: reads zero at some token"),
           (("regular", "--group", "Z2", "--construction", "tree"), "layer 2, feed-forward: reads zero at some token"),
           (("crasp", ROOT / "examples/crasp/majority.crasp"), "averages what depends on the word"),
           (("division",), "the input is no word"),
           (("connectivity", "--construction", "rows", "--size", "3"), "the input is no word")]


def check(*arguments):
    """float_recheck.py, in this process: status, standard output, standard error."""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = CHECKER.main([str(x) for x in arguments])
    return status, out.getvalue(), error.getvalue()


def certified(file, length, precision="float64", *options):
    certificate = path()
    status, out, error = run(LOGDEPTH, "certify", file, "--float", precision, "--length", length, *options, "-o", certificate)
    assert status == 0, error
    return certificate


def exported(file, length, precision="float64", temperature="auto"):
    folder = pathlib.Path(path("export" + str(next(files.names))))
    status, _, error = run(LOGDEPTH, "export", file, "--to", "safetensors", "--length", length, "--precision", precision, "--temperature", temperature,
                           "--certify", "-o", folder)
    assert status == 0, error
    return folder


class FloatCertificates(unittest.TestCase):
    maxDiff = None

    def test_what_is_covered(self):
        """And every bound is that of an implementation in C++, which float_bounds.json has of the time before it was removed; rounding to double aside."""
        for options, stored in zip(COVERED, load(ROOT / "tests/recheck/float_bounds.json"), strict=True):
            file = compiled(*options)
            for temperature in ("auto", "hard"):
                with self.subTest(options=options, temperature=temperature):
                    certificate = certified(file, 8, "float64", "--temperature", temperature)
                    status, out, error = check(file, certificate)
                    self.assertEqual((status, error), (0, ""))
                    self.assertTrue(out.startswith("every word of at most 8 letters"), out)
                    found, expected = load(certificate), stored[temperature]
                    for own, other in zip(found["heads"] + found["answers"], expected["heads"] + expected["answers"], strict=True):
                        self.assertEqual(own.keys(), other.keys())
                        for key, value in own.items():
                            near = key not in ("layer", "head", "temperature", "answer") and abs(F(value) - F(other[key])) <= F(other[key]) / 2**19
                            self.assertTrue(near or value == other[key], (key, value, other[key]))

    def test_the_script_prints_what_the_program_writes(self):
        file = compiled(*SCANS[2])
        for weighing in ("hard", "4096"):
            expected = pathlib.Path(certified(file, 4, "float32", "--temperature", weighing)).read_text()
            self.assertEqual(check("--write", file, 4, "float32", weighing), (0, expected, ""))
        for wrong in (("four", "float32", "hard"), (4, "float16", "hard"), (4, "float32", "warm"), (4, "float32", "4096,1,1"), (4, "float32")):
            self.assertEqual(check("--write", file, *wrong)[:2], (2, ""))
        reason = "the input is no word, or the output no verdict; expected words that are accepted or rejected\n"
        self.assertEqual(check("--write", compiled("division"), 4, "float32", "hard"), (1, "", reason))

    def test_without_python3_the_program_says_so(self):
        """And writes nothing."""
        file, said = compiled(*SCANS[2]), "logdepth: a certificate of floating-point answers needs the program python3, which is missing\n"
        for command in (["certify", file, "--float", "float32"], ["export", file, "--to", "torch", "--certify"]):
            self.assertEqual(run("/usr/bin/env", f"PATH={files.FOLDER}", LOGDEPTH, *command, "--length", 4, "-o", path("none")), (2, "", said))
            self.assertFalse(pathlib.Path(path("none")).exists())

    def test_what_is_refused_says_why(self):
        for options, reason in REFUSED:
            with self.subTest(options=options):
                status, out, error = run(LOGDEPTH, "certify", compiled(*options), "--float", "float64", "--length", 3, "-o", path())
                self.assertEqual((status, out), (1, ""))
                self.assertIn(reason, error)

    def test_a_separation_that_rounding_may_exceed_is_refused(self):
        file = compiled(*SCANS[0])
        status, _, error = run(LOGDEPTH, "certify", file, "--float", "float32", "--length", 16, "--temperature", "hard", "-o", path())
        self.assertEqual(status, 1)
        self.assertRegex(error, r"layer 2, head 1: the separation is [0-9.e-]+, and rounding may take [0-9.e-]+ of each score")

    def test_float_runs_of_all_short_words_agree(self):
        """Verdict, prefixes and selected tokens are those of the exact run, and logits are off by no more than the stated error."""
        for options, precision, length in [(SCANS[0], "float64", 4), (SCANS[3], "float32", 4), (SCANS[4], "float32", 5), (SCANS[5], "float32", 6),
                                           (COVERED[-3], "float32", 4), (COVERED[-1], "float64", 4), (COVERED[7], "float32", 4)]:
            file = compiled(*options)
            for temperature in ("auto", "hard"):
                with self.subTest(options=options, temperature=temperature):
                    folder = exported(file, length, precision, temperature)
                    status, out, error = check(file, folder / "certificate.json", folder)
                    self.assertEqual((status, error), (0, ""))
                    self.assertIn("the numbers of the file, rounded", out)
                    self.assertEqual(disagreements(file, load(folder / "certificate.json"), float_runs.Network(folder), length), [])

    def test_certificates_beyond_the_range_of_the_format_are_refused(self):
        """A weight, and squares of a norm, that are 0 in float32: the certificates were confirmed, and runs were wrong."""
        for name, reason in [("weight_that_becomes_0", "a weight is outside the range"), ("squares_that_become_0", "the squares of a norm")]:
            file = ROOT / f"tests/recheck/false_floats/{name}.json"
            status, _, error = check(file, file.with_suffix(".cert.json"))
            self.assertEqual(status, 1)
            self.assertIn(reason, error)

    def test_weights_of_every_kind_stay_within_the_range(self):
        """At either end of both formats, wherever a weight stands."""
        file = compiled(*SCANS[2])
        for precision, ends in [("float32", (F(1, 2**140), F(2**100))), ("float64", (F(1, 2**1040), F(2**900)))]:
            certificate = load(certified(file, 2, precision, "--temperature", "hard"))
            for end, place in itertools.product(ends, weights_of(load(file))):
                document = edited(load(file), lambda d, end=end, place=place: place(d).__setitem__(-1, str(end)))
                proof = CHECKER.Proof(document, {**certificate, "sha256": document["sha256"]})
                with self.subTest(precision=precision, end=float(end)), self.assertRaises(CHECKER.Refused) as refusal:
                    proof.run()
                if place.__name__.startswith("own"):
                    self.assertIn("outside the range", str(refusal.exception))

    def test_an_export_of_hard_attention_states_its_tolerance(self):
        """And not in place of a temperature, beside a tolerance that selects everything."""
        folder = exported(compiled(*SCANS[4]), 4, "float64", "hard")
        file, config = compiled(*SCANS[4]), load(folder / "config.json")
        self.assertEqual(check(file, folder / "certificate.json", folder)[0], 0)
        for head in [head for layer in config["layers"] for head in layer["attention"]["heads"] if head["compares"]]:
            head.update(temperature=head["tolerance"]["value"], tolerance={"value": 1e9, "relative": False})
        sealed(folder, config)
        status, _, error = check(file, folder / "certificate.json", folder)
        self.assertEqual(status, 1)
        self.assertIn("another temperature or tolerance", error)

    def test_changed_certificates_are_refused(self):
        file, other = compiled(*SCANS[2]), compiled(*SCANS[0])
        for temperature in ("auto", "hard"):
            certificate = load(certified(file, 4, "float32", "--temperature", temperature))
            self.assertEqual(check(file, store(certificate))[0], 0)
            for what, change in changes_of(certificate):
                changed = copy.deepcopy(certificate)
                change(changed)
                with self.subTest(temperature=temperature, change=what):
                    self.assertIn(check(file, store(changed))[0], (1, 2))
            self.assertEqual(check(other, store(certificate))[0], 1)
            self.assertIn(check(other, store({**certificate, "sha256": load(other)["sha256"]}))[0], (1, 2))
            precise = load(certified(file, 4, "float64", "--temperature", temperature))
            self.assertEqual(check(file, store({**precise, "precision": "float32"}))[0], 1)
            weaker = copy.deepcopy(certificate)
            weaker["heads"][0]["separation"] = str(fractions.Fraction(weaker["heads"][0]["separation"]) / 2)
            self.assertEqual(check(file, store(weaker))[0], 0)

    def test_changed_exports_are_refused(self):
        file = compiled(*SCANS[4])
        folder = exported(file, 4)
        self.assertEqual(check(file, folder / "certificate.json", folder)[0], 0)
        data = (folder / "model.safetensors").read_bytes()
        certificate, config = load(folder / "certificate.json"), (folder / "config.json").read_text()
        proof = CHECKER.Proof(CHECKER.load(file), CHECKER.load(folder / "certificate.json"))
        proof.run()  # once: only the folder changes

        def refused(without_sums=True):
            with self.assertRaises((CHECKER.Refused, CHECKER.Malformed)) as refusal:
                proof.exported(folder)
            self.assertEqual("SHA256SUMS" in str(refusal.exception), not without_sums)
            return str(refusal.exception)
        start = 8 + struct.unpack("<Q", data[:8])[0]
        offsets = [entry["data_offsets"] for name, entry in json.loads(data[8:start]).items() if entry.get("dtype") == "F64"]
        tried = 0
        for begin, end in offsets:
            for at in range(start + begin, start + end, 8 * 23):
                number = struct.unpack("<d", data[at:at + 8])[0]
                for changed in (number * (1 + 2**-49), number + 1) if number else (2**-40,):
                    other = data[:at] + struct.pack("<d", changed) + data[at + 8:]
                    (folder / "model.safetensors").write_bytes(other)
                    self.assertIn("not the tensors", refused())
                    proof.claim["tensors"] = CHECKER.hashlib.sha256(other).hexdigest()
                    self.assertNotIn("not the tensors", refused())
                    proof.claim["tensors"] = certificate["tensors"]
                    tried += 1
        self.assertGreater(tried, 30)
        (folder / "model.safetensors").write_bytes(data)
        for change in (lambda c: c["layers"][0]["attention"]["heads"][0].update(temperature=1.0), lambda c: c.update(length=5), lambda c: c.update(attention="hard"),
                       lambda c: c["layers"][0]["feedforward"].update(norm={"zero_below": 0}), lambda c: c.update(norm="layernorm"),
                       lambda c: c["unroll"].update(minus=1), lambda c: c["tokens"].reverse(), *(change for _, change in changes_of_examples()),
                       *changes_of_keys(json.loads(config))):
            changed = json.loads(config)
            change(changed)
            (folder / "config.json").write_text(json.dumps(changed))
            refused()
        for key in CHECKER.NOT_COVERED:
            (folder / "config.json").write_text(json.dumps({**json.loads(config), key: None}))
            self.assertIn("SHA256SUMS: config.json", refused(without_sums=False), key)
        (folder / "config.json").write_text(config + "\n")
        self.assertIn("SHA256SUMS: config.json: another content", refused(without_sums=False))
        self.assertEqual(check(file, folder / "certificate.json", folder)[0], 1)

    def test_a_changed_file_is_refused_or_its_float_runs_agree(self):
        """Numbers of three files are changed; where the checker confirms the certificate that `certify` writes of the changed file, or the old one
        with the new hash, float runs of all short words agree with exact ones."""
        confirmed = 0
        for options, every in [(SCANS[2], 23), (SCANS[4], 61), (COVERED[-3], 97)]:
            file = compiled(*options)
            document, certificate = load(file), load(certified(file, 3, "float64", "--temperature", "hard"))
            document.pop("derived")
            for _, changed in changes.changed_numbers(document, every):
                files.seal(changed)
                sealed = store(changed)
                if check(sealed, store({**certificate, "sha256": changed["sha256"]}))[0] == 0:
                    confirmed += 1
                    self.assertEqual(disagreements(sealed, certificate, plain_network(changed, sealed, certificate), 3), [])
        self.assertGreater(confirmed, 3)

    def refused_in_one_sentence(self, *arguments):
        status, out, error = check(*arguments)
        self.assertEqual((status, out, error.count("\n")), (2, "", 1), error)
        for python in ("Error", "Traceback", "NoneType", "'", "index", "unpack"):
            self.assertNotIn(python, error)

    def test_refuses_what_is_no_certificate(self):
        file = compiled(*SCANS[2])
        certificate = load(certified(file, 2))
        for wrong in ([], 3, {}, {"format": "logdepth-certificate"}, {**certificate, "version": 2}, {**certificate, "length": "4"}, {**certificate, "precision": "float16"},
                      {**certificate, "heads": [{"layer": 1}]}, {**certificate, "heads": 3}, {**certificate, "answers": None},
                      {**certificate, "sums": "in order"}, {k: v for k, v in certificate.items() if k != "sums"}, {**certificate, "author": "me"},
                      {**certificate, "length": True}, {**certificate, "attention": "average"}, {**certificate, "measured_norms": ["layer 1, attention"] * 2},
                      {**certificate, "heads": certificate["heads"] * 2}, {**certificate, "answers": certificate["answers"] * 2},
                      {**certificate, "heads": [{**certificate["heads"][0], "name": "first"}]},
                      {**certificate, "heads": [{**certificate["heads"][0], "rounding": 1}]}, {**certificate, "measured_norms": [[]]},
                      {**certificate, "answers": [{**answer, "answer": "all"} for answer in certificate["answers"]]}):
            self.refused_in_one_sentence(file, store(wrong))
        self.refused_in_one_sentence(file, file)
        self.refused_in_one_sentence(path(), store(certificate))
        for text in ('{"format": 1, "format": 1}', "[NaN]", "[" * 100000, "\udcff", '{"length": 1' + "0" * 5000 + "}"):
            pathlib.Path(path("text.json")).write_bytes(text.encode(errors="surrogateescape"))
            self.refused_in_one_sentence(file, path("text.json"))
        for change in (lambda d: d.pop("layers"), lambda d: d.update(width="7"), lambda d: d["embedding"].clear(), lambda d: d["layers"].append(3),
                       lambda d: d["unembedding"]["entries"].append([0, 1]), lambda d: d["unembedding"]["entries"].append([0, 1, "one"])):
            changed = load(file)
            change(changed)
            files.seal(changed)
            self.refused_in_one_sentence(store(changed), store({**certificate, "sha256": changed["sha256"]}))
        for begin, said in ((b"\xef\xbb\xbf{}", "a byte order mark"), (b"\x1f\x8b", "a packed file")):
            pathlib.Path(path("begin.json")).write_bytes(begin)
            self.assertIn(said, check(file, path("begin.json"))[2])
        for wrong in ({**certificate, "length": 0}, {**certificate, "length": 10**9}, {**certificate, "sha256": "0" * 64}):
            self.assertEqual(check(file, store(wrong))[0], 1, wrong)


def changes_of(certificate):
    """(what, change) that the checker has to notice."""
    def times(key, factor):
        return lambda entry: entry.update({key: str(fractions.Fraction(entry[key]) * factor)})
    for n, _ in enumerate(certificate["heads"]):
        for key, factor in (("separation", fractions.Fraction(101, 100)), ("rounding", fractions.Fraction(99, 100)), ("left", fractions.Fraction(101, 100)), ("separation", -1)):
            yield f"head {n}: {key}", lambda c, n=n, change=times(key, factor): change(c["heads"][n])
        yield f"head {n}: removed", lambda c, n=n: c["heads"].pop(n)
        if certificate["attention"] == "hard":
            yield f"head {n}: tolerance", lambda c, n=n: times("tolerance", 3)(c["heads"][n])
        else:
            yield f"head {n}: temperature", lambda c, n=n: times("temperature", fractions.Fraction(1, 64))(c["heads"][n])
            yield f"head {n}: no temperature", lambda c, n=n: c["heads"][n].update(temperature="0")
    for n, _ in enumerate(certificate["answers"]):
        for key, factor in (("margin", fractions.Fraction(101, 100)), ("error", fractions.Fraction(99, 100))):
            yield f"answer {n}: {key}", lambda c, n=n, change=times(key, factor): change(c["answers"][n])
        yield f"answer {n}: removed", lambda c, n=n: c["answers"].pop(n)
    yield "a head that is none", lambda c: c["heads"].append({**c["heads"][0], "head": 9})
    yield "longer words", lambda c: c.update(length=c["length"] * 8)
    yield "another hash", lambda c: c.update(sha256="0" * 64)
    yield "other attention", lambda c: c.update(attention="hard" if c["attention"] == "softmax" else "softmax")
    yield "a norm that is said to be measured", lambda c: c.update(measured_norms=["layer 1, feed-forward"])


def changes_of_keys(config):
    """Each key that is compared with another value, with none, and a key that nobody knows; also of heads."""
    for key, value in config.items():
        if key in CHECKER.NOT_COVERED:
            continue
        other = {str: "other", int: 10**6, bool: 0, list: [0], dict: {}}[type(value)]
        yield lambda c, key=key, other=other: c.update({key: other})
        yield lambda c, key=key: c.pop(key)
    yield lambda c: c.update(unknown=1)
    yield lambda c: c["layers"][0].update(unknown=1)
    yield lambda c: c.update(given={"values": 1, "mirror": 0})
    yield lambda c: c.update(sha256="0" * 64)
    yield lambda c: c["tokens"].append(c["tokens"][0])
    for change in ({"compares": False}, {"unknown": 1}, {"causal": 1}, {"temperature": None}):
        yield lambda c, change=change: c["layers"][0]["attention"]["heads"][0].update(change)


def changes_of_examples():
    """(what, change) of the examples of a config.json."""
    yield "another logit", lambda c: c["examples"][-1]["logits"][1].__setitem__(0, c["examples"][-1]["logits"][1][0] + 1.0)
    yield "a logit less", lambda c: c["examples"][0]["logits"][0].pop()
    yield "a token less", lambda c: c["examples"][-1]["logits"].pop()
    yield "another word", lambda c: c["examples"][-1]["tokens"].__setitem__(-1, c["examples"][-1]["tokens"][0])
    yield "another size", lambda c: c["examples"][-1].update(size=0)
    yield "given numbers", lambda c: c["examples"][-1].update(given=[[1.0]])


def weights_of(document):
    """For each kind of weight, what gives the list of one; `own` where nothing but its range is in the way. Masks are in the matrices."""
    def own_embedding(d): return d["embedding"]["a"][0]
    def own_unembedding(d): return d["unembedding"]["entries"][0]
    places = [own_embedding, own_unembedding]
    for l, layer in enumerate(document["layers"]):
        for k, head in enumerate(layer["attention"]["heads"]):
            places += [lambda d, l=l, k=k, m=m: d["layers"][l]["attention"]["heads"][k][m]["entries"][0] for m in ("query", "key", "value", "output") if head[m]["entries"]]
        places += [lambda d, l=l, m=m: d["layers"][l]["feedforward"][m]["entries"][0] for m in ("in", "out") if layer["feedforward"][m]["entries"]]
    return places


def sealed(folder, config):
    """Writes the settings of an export, and its sums."""
    (folder / "config.json").write_text(json.dumps(config))
    names = [line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()]
    (folder / "SHA256SUMS").write_text("".join(f"{CHECKER.hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names))


def disagreements(file, certificate, network, length):
    """Words on which a float run and the exact run differ in an answer, or in a logit by more than half of what the certificate states."""
    model, wrong = RUNNER.Model(file), []
    off = {answer["answer"]: F(answer["error"]) for answer in certificate["answers"]}
    for word in [word for n in range(length + 1) for word in itertools.product(load(file)["alphabet"], repeat=n)]:
        h = model.run(model.word(list(word)))
        exact = [[F(model.logits(x)(row)) for row in range(len(model.unembedding))] for x in h]
        found = network.logits(word)
        for name, rows, tokens in questions(model, len(word)):
            for t in tokens:
                order = [sorted(rows, key=lambda r, l=l: -l[t][r])[0] for l in (exact, found)]
                if order[0] != order[1]:
                    wrong.append((word, name, t))
                if name in off and any(abs(F(found[t][r]) - exact[t][r]) * 2 > off[name] for r in rows):
                    wrong.append((word, name, t, "off"))
    return wrong


def questions(model, letters):
    output, prefix = model.output, model.prefix
    last = letters + model.begin + model.input.get("end", False) - 1
    if last >= 0:
        yield "verdict", [output["accept"], output["reject"]], [last]
    if prefix:
        groups = [prefix["states"]] if "states" in prefix else [len(prefix["elements"])] if "elements" in prefix else list(map(len, prefix["images"]))
        starts = itertools.accumulate(groups, initial=prefix["first_row"])
        for start, size in zip(starts, groups):
            yield "prefix", list(range(start, start + size)), range(model.begin, model.begin + letters)


def plain_network(document, file, certificate):
    """What an export of the file would be in float64, from the scales that the checker finds."""
    proof = CHECKER.Proof(CHECKER.load(file), certificate)
    proof.run()

    def folded(rows, mask, l, part):
        return [{c: w * mask[c] * proof.scale[f"layer {l + 1}, {part}"] for c, w in row.items() if c in mask} for row in rows]
    matrices = {"embedding": proof.embedding.values(), "unembedding": proof.unembedding,
                "positions": [CHECKER.position_row(document["position"], p) for p in range(certificate["length"] + 2)]}
    layers = []
    for l, (block, mask, heads, unit_mask, rows, columns) in enumerate(proof.layers):
        for k, (_, *parts, output) in enumerate(heads):
            matrices.update((f"layers.{l}.heads.{k}.{name}", folded(part, mask, l, "attention")) for name, part in zip(("query", "key", "value"), parts))
            matrices[f"layers.{l}.heads.{k}.output"] = output
        matrices[f"layers.{l}.in"] = folded(rows, unit_mask, l, "feed-forward")
        matrices[f"layers.{l}.out"] = [{u: column[c] for u, column in enumerate(columns) if c in column} for c in range(document["width"])]
        own = [{"compares": True, "tolerance": {"value": float(proof.given[l + 1, k + 1])}} for k in range(len(heads))]
        layers.append({"block": block, "attention": {"norm": None, "heads": own}, "feedforward": {"norm": None}})
    config = {**document, "attention": "hard", "tokens": [*document["embedding"]], "layers": layers}
    network = object.__new__(float_runs.Network)
    network.hold(config, {name: [{c: float(w) for c, w in row.items() if w} for row in rows] for name, rows in matrices.items()})
    return network


if __name__ == "__main__":
    unittest.main()
