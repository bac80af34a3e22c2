#!/usr/bin/env python3
"""The forward pass of a weights file with numpy in float64: dense matrices, all scores at once. The contender of
exact_cost.py.

The file is read by examples/exact_runner.py; here its fractions are rounded once, the input becomes
the stream before the first layer, and the stream after the last one becomes answers.
"""
import argparse
import json
import os
import resource
import sys
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples"))
import exact_runner  # noqa: E402


def array(rows, count, columns):
    """The reader's sparse matrix (row -> list of (column, value)) with so many rows."""
    out = numpy.zeros((count, columns))
    for row, entries in rows.items():
        for column, value in entries:
            out[row, column] = float(value)
    return out


def last(indices):
    return max(indices, default=-1) + 1


class Head:
    def __init__(self, parts, width):
        self.causal, query, key, value, output = parts
        dimension = max(last(query), last(key), 1)  # a head without queries ties all scores
        average = max(last(value), last(c for row in output.values() for c, _ in row))
        self.query, self.key = array(query, dimension, width), array(key, dimension, width)
        self.value, self.output = array(value, average, width), array(output, width, average)


class Layer:
    def __init__(self, parts, width):
        self.block, mask, heads, ff_mask, inner, outer = parts
        self.mask = array({0: list(mask.items())}, 1, width)[0]
        self.heads = [Head(head, width) for head in heads]
        self.ff_mask = array({0: list(ff_mask.items())}, 1, width)[0]
        self.inner = array(inner, last(inner), width)
        self.outer = array(outer, width, last(inner))


class DenseModel:
    def __init__(self, path):
        self.exact = exact_runner.Model(path)
        self.width, self.layernorm = self.exact.width, self.exact.norm == "layernorm"
        self.layers = [Layer(layer, self.width) for layer in self.exact.layers]
        output = self.exact.output
        rows = max(last(self.exact.unembedding), output["accept"] + 1, output["reject"] + 1)
        self.unembedding = array(self.exact.unembedding, rows, self.width)

    def stream(self, tokens):
        """The stream before the first layer, one row per token."""
        kinds = tokens[0]
        h = numpy.zeros((len(kinds), self.width))
        embedding = {k: [(i, float(v)) for i, v in x.items()]
                     for k, x in self.exact.embedding.items()}
        for p, kind in enumerate(kinds):
            for i, value in embedding[kind]:
                h[p, i] += value
            for i, value in self.exact.encoding(p).items():
                h[p, i] += float(value)
        return h

    def unrolled(self, n):
        """The layers in the order in which they run for an input of size n."""
        unroll = self.exact.unroll
        loops, reach = unroll.get("loops", 0), 1
        while unroll["kind"] != "fixed" and reach < n - unroll["minus"]:
            loops, reach = loops + 1, reach * unroll.get("base", 2)
        for block, times in ("initial", 1), ("repeated", loops), ("final", 1):
            for _ in range(times):
                yield from (layer for layer in self.layers if layer.block == block)

    def answers(self, h, letters):
        """One per line, as bench_exact_cost prints them."""
        logits, output = h @ self.unembedding.T, self.exact.output
        lines, prefix, begin = [], self.exact.prefix, int(self.exact.begin)
        if letters and prefix:
            row, images = prefix["first_row"], []
            for choices in prefix["images"]:
                block = logits[begin:begin + letters, row:row + len(choices)]
                images.append(numpy.array(choices)[block.argmax(axis=1)])
                row += len(choices)
            lines = ["[" + ",".join(map(str, product)) + "]" for product in numpy.stack(images, axis=1)]
        margin = logits[-1, output["accept"]] - logits[-1, output["reject"]]
        return lines + ["yes" if margin > 0 else "no" if margin < 0 else "undecided"]


def read(h, mask, model, zero):
    x = h * mask
    x[numpy.abs(x) <= zero] = 0
    if model.layernorm:
        x -= x.mean(axis=1, keepdims=True)
    length = numpy.sqrt((x * x).sum(axis=1, keepdims=True))
    return x * numpy.divide(numpy.sqrt(model.width), length, out=numpy.zeros_like(length),
                            where=length > 0)


def attend(z, head, hidden, tolerance):
    query, key, value = z @ head.query.T, z @ head.key.T, z @ head.value.T
    scores = query @ key.T
    if head.causal:
        scores += hidden
    size = numpy.abs(query) @ numpy.abs(key).max(axis=0)
    ties = scores >= (scores.max(axis=1) - tolerance * size)[:, None]
    ties = ties.astype(numpy.float64)
    return (ties @ value) / ties.sum(axis=1, keepdims=True) @ head.output.T


def forward(model, h, size, options):
    hidden = numpy.triu(numpy.full((len(h), len(h)), -numpy.inf), k=1)
    for layer in model.unrolled(size):
        if layer.heads:
            z = read(h, layer.mask, model, options.zero)
            for head in layer.heads:
                h = h + attend(z, head, hidden, options.tolerance)
        if len(layer.inner):
            z = read(h, layer.ff_mask, model, options.zero)
            h = h + numpy.maximum(z @ layer.inner.T, 0) @ layer.outer.T
    return h


def linear_algebra():
    """The library that multiplies matrices in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        names = {os.path.basename(line.split()[-1]) for line in maps if ".so" in line}
    for library in "openblas", "mkl", "blis", "blas":  # the last is what stands in front of others
        found = sorted(name for name in names if library in name)
        if found:
            return found[0]
    return "its own"


def main():
    """Prints one JSON object. The clock counts the forward pass alone: neither reading the file nor making the
    stream."""
    parser = argparse.ArgumentParser()
    for name in "model", "word", "graph", "source", "target", "answers":
        parser.add_argument(f"--{name}")
    parser.add_argument("--tolerance", type=float, default=0.0, help="in units of the size of the "
                        "terms of a score: sum over d of |query_d| * max over j of |key_jd|")
    parser.add_argument("--zero", type=float, default=0.0, help="numbers of at most this size are "
                        "zero to a norm")
    options = parser.parse_args()
    model, letters = DenseModel(options.model), 0
    if options.graph:
        names, edges = exact_runner.read_graph(options.graph)
        tokens = model.exact.graph(len(names), edges, names[options.source], names[options.target])
    else:
        with open(options.word, encoding="utf-8") as opened:
            word = list(opened.read().strip())
        letters = len(word)
        tokens = model.exact.word(word)
    h = model.stream(tokens)
    start = time.perf_counter()
    h = forward(model, h, tokens[2], options)
    seconds = time.perf_counter() - start
    if options.answers:
        with open(options.answers, "w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in model.answers(h, letters))
    print(json.dumps({"contender": "numpy", "program": f"numpy {numpy.__version__} with {linear_algebra()}",
                      "tokens": len(tokens[0]), "seconds": seconds, "repeats": 1,
                      "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
