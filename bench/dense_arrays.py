"""A weights file and an input as float64 arrays, for the programs that run it densely.

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
        rows = max(last(self.exact.unembedding), self.exact.input.get("size", 0),
                   output.get("accept", 0) + 1, output.get("reject", 0) + 1)
        self.unembedding = array(self.exact.unembedding, rows, self.width)

    def stream(self, tokens):
        """The stream before the first layer, one row per token."""
        kinds, given, _ = tokens
        h = numpy.zeros((len(kinds), self.width))
        embedding = {k: [(i, float(v)) for i, v in x.items()]
                     for k, x in self.exact.embedding.items()}
        for p, kind in enumerate(kinds):
            for i, value in enumerate(given[p] if given else []):
                h[p, i] += float(value)
                if self.exact.input.get("mirrored"):
                    h[p, i + self.width // 2] -= float(value)
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

    def answers(self, h, letters, vertices):
        """One per line, as bench_exact_cost prints them."""
        logits, output = h @ self.unembedding.T, self.exact.output
        if output["kind"] == "relation":
            return ["".join("1" if x > 0 else "0" if x < 0 else "?" for x in row)
                    for row in logits[:vertices, :vertices]]
        lines, prefix, begin = [], self.exact.prefix, int(self.exact.begin)
        if prefix:
            row, winners = prefix["first_row"], []
            for choices in prefix.get("images") or [prefix["elements"]]:
                block = logits[begin:begin + letters, row:row + len(choices)]
                winners.append(numpy.array(choices)[block.argmax(axis=1)])
                row += len(choices)
            products = winners[0] if "elements" in prefix else numpy.stack(winners, axis=1)
            lines = ["[" + ",".join(map(str, product)) + "]" for product in products]
        margin = logits[-1, output["accept"]] - logits[-1, output["reject"]]
        return lines + ["yes" if margin > 0 else "no" if margin < 0 else "undecided"]


def linear_algebra():
    """The library that multiplies matrices in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        names = {os.path.basename(line.split()[-1]) for line in maps if ".so" in line}
    for library in "openblas", "mkl", "blis", "blas":  # the last is what stands in front of others
        found = sorted(name for name in names if library in name)
        if found:
            return found[0]
    return "its own"


def main(name, version, forward):
    """Runs the input of the command line through forward(model, h, size, options), which returns
    the last stream, and prints one JSON object. The clock counts the forward pass alone: neither
    reading the file nor making the stream."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--word")
    parser.add_argument("--graph")
    parser.add_argument("--source")
    parser.add_argument("--target")
    parser.add_argument("--answers")
    parser.add_argument("--tolerance", type=float, default=0.0, help="in units of the size of the "
                        "terms of a score: sum over d of |query_d| * max over j of |key_jd|")
    parser.add_argument("--zero", type=float, default=0.0, help="numbers of at most this size are "
                        "zero to a norm")
    options = parser.parse_args()
    model = DenseModel(options.model)
    letters = vertices = 0
    if options.graph:
        names, edges = exact_runner.read_graph(options.graph)
        vertices = len(names)
        tokens = model.exact.graph(vertices, edges, names[options.source], names[options.target])
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
            out.writelines(line + "\n" for line in model.answers(h, letters, vertices))
    print(json.dumps({"contender": name, "version": version,
                      "linear_algebra": linear_algebra(), "tokens": len(tokens[0]),
                      "seconds": seconds, "repeats": 1, "tolerance": options.tolerance,
                      "zero": options.zero, "peak_bytes":
                      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
