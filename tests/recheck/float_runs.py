"""Runs of an exported folder in plain Python, rounded after every operation, with sums in random order: the arithmetic of a
certificate of floating-point answers. float32 is float64 rounded, which gives the right float32 result of +, *, / and the root."""
import json
import math
import pathlib
import random
import struct


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


class Network:
    def __init__(self, folder, seed=1):
        folder = pathlib.Path(folder)
        data = (folder / "model.safetensors").read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        matrices = {}
        for name, entry in json.loads(data[8:start]).items():
            if entry.get("dtype") not in ("F32", "F64"):
                continue
            height, width = entry["shape"]
            letter = "f" if entry["dtype"] == "F32" else "d"
            numbers = struct.unpack(f"<{height * width}{letter}", data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            matrices[name] = [{c: w for c, w in enumerate(numbers[r * width:(r + 1) * width]) if w} for r in range(height)]
        self.hold(json.loads((folder / "config.json").read_text()), matrices, seed)

    def hold(self, config, matrices, seed=1):
        self.config, self.matrices = config, matrices
        self.round = float32 if config.get("precision") == "float32" else float
        self.draw, self.chosen = random.Random(seed), []

    def sum(self, terms):
        terms = list(terms)
        self.draw.shuffle(terms)
        total = 0.0
        for term in terms:
            total = self.round(total + term)
        return total

    def apply(self, name, x):
        return [self.sum(self.round(w * x[c]) for c, w in row.items()) for row in self.matrices[name]]

    def norm(self, at, settings, h):
        if settings is None:
            return h
        mask = self.matrices[at][0]
        x = [self.round(mask.get(c, 0.0) * value) for c, value in enumerate(h)]
        if self.config["norm"] == "layernorm":
            mean = self.round(self.sum(x) / len(x))
            x = [self.round(value - mean) for value in x]
        size = self.round(math.sqrt(self.sum(self.round(value * value) for value in x)))
        factor = self.round(self.round(math.sqrt(len(x))) / size)
        return [self.round(factor * value) for value in x]

    def weights(self, head, scores):
        largest = max(scores)
        if self.config["attention"] == "hard":
            tolerance = self.round(head["tolerance"]["value"])
            weights = [1.0 if s >= self.round(largest - tolerance) else 0.0 for s in scores]
        else:
            scaled = [self.round(self.round(head["temperature"]) * s) for s in scores]
            weights = [self.round(math.exp(self.round(s - max(scaled)))) for s in scaled]
        total = self.sum(weights)
        return [self.round(w / total) for w in weights]

    def layer(self, l, h):
        settings = self.config["layers"][l]
        z = [self.norm(f"layers.{l}.attention.mask", settings["attention"]["norm"], x) for x in h] if settings["attention"]["heads"] else h
        added = [[[] for _ in x] for x in h]
        for k, head in enumerate(settings["attention"]["heads"]):
            at = f"layers.{l}.heads.{k}."
            queries, keys, values = [[self.apply(at + part, x) for x in z] for part in ("query", "key", "value")]
            for i in range(len(h)):
                scores = [self.sum(self.round(q * c) for q, c in zip(queries[i], keys[j])) for j in range(i + 1)]
                weights = self.weights(head, scores)
                if head["compares"]:
                    self.chosen.append((l, k, i, max(range(i + 1), key=weights.__getitem__)))
                average = [self.sum(self.round(w * values[j][d]) for j, w in enumerate(weights)) for d in range(len(values[0]))]
                for c, x in enumerate(self.apply(at + "output", average)):
                    added[i][c].append(x)
        h = [[self.sum([x, *more]) for x, more in zip(row, added[i])] for i, row in enumerate(h)]
        if self.matrices[f"layers.{l}.in"]:
            for i, row in enumerate(h):
                z = self.norm(f"layers.{l}.feedforward.mask", settings["feedforward"]["norm"], row)
                units = [max(x, 0.0) for x in self.apply(f"layers.{l}.in", z)]
                h[i] = [self.round(x + y) for x, y in zip(row, self.apply(f"layers.{l}.out", units))]
        return h

    def logits(self, word):
        """Of every token."""
        kinds, asked = self.config["tokens"], self.config["input"]
        names = ["<begin>"] * asked.get("begin", False) + list(word) + ["<end>"] * asked.get("end", False)
        zero = [0.0] * self.config["width"]
        h = []
        for p, name in enumerate(names):
            own, position = self.matrices["embedding"][kinds.index(name)], self.matrices["positions"][p]
            h.append([self.round(own.get(c, x) + position.get(c, 0.0)) for c, x in enumerate(zero)])
        unroll, loops, reached = self.config["unroll"], 0, 1
        while unroll["kind"] != "fixed" and reached < len(word) - unroll["minus"]:
            loops, reached = loops + 1, reached * unroll.get("base", 2)
        loops = unroll.get("loops", loops)
        self.chosen = []
        for block, times in ("initial", 1), ("repeated", loops), ("final", 1):
            for _ in range(times):
                for l, layer in enumerate(self.config["layers"]):
                    if layer["block"] == block:
                        h = self.layer(l, h)
        return [self.apply("unembedding", x) for x in h]
