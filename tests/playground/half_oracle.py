"""Runs in float16 with numpy, for playground/half_run.mjs: half_oracle.py MODEL, a word on each line of standard input.
Prints for each the products of its prefixes and the verdict, separated by blanks; of equal rows the first is the product."""
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import dense_numpy  # noqa: E402


def half(x):
    with numpy.errstate(over="ignore"):
        return numpy.asarray(x, dtype=numpy.float16).astype(numpy.float64)


def read(h, mask, model):
    x = half(h * half(mask))
    if model.layernorm:
        x = half(x - half(x.mean(axis=1, keepdims=True)))
    squares = (x * x).sum(axis=1, keepdims=True)
    return half(x * numpy.sqrt(numpy.divide(model.width, squares, out=numpy.zeros_like(squares), where=squares > 0)))


def attend(z, head):
    query, key, value = (half(z @ half(part).T) for part in (head.query, head.key, head.value))
    scores = half(query @ key.T)
    if head.causal:
        scores[numpy.triu_indices(len(z), k=1)] = -numpy.inf
    ties = (scores == scores.max(axis=1, keepdims=True)).astype(numpy.float64)
    return half(half(ties @ value / ties.sum(axis=1, keepdims=True)) @ half(head.output).T)


def products(logits, prefix):
    row = prefix["first_row"]
    if prefix["kind"] == "element":
        return [prefix["elements"][i] for i in logits[:, row:row + len(prefix["elements"])].argmax(axis=1)]
    images = []
    for choices in prefix["images"]:
        images.append([choices[i] for i in logits[:, row:row + len(choices)].argmax(axis=1)])
        row += len(choices)
    return zip(*images)


model = dense_numpy.DenseModel(sys.argv[1])
for line in sys.stdin:
    word = list(line.strip())
    tokens = model.exact.word(word)
    h = half(model.stream(tokens))
    for layer in model.unrolled(tokens[2]):
        for change in [attend(read(h, layer.mask, model), head) for head in layer.heads]:
            h = half(h + change)
        if len(layer.inner):
            units = numpy.maximum(half(read(h, layer.ff_mask, model) @ half(layer.inner).T), 0)
            h = half(h + half(units @ half(layer.outer).T))
    logits, output, begin = h @ model.unembedding.T, model.exact.output, int(model.exact.begin)
    margin = logits[-1, output["accept"]] - logits[-1, output["reject"]]
    said = [",".join(map(str, product)) for product in products(logits[begin:begin + len(word)], model.exact.prefix)]
    print(*said, "accept" if margin > 0 else "reject" if margin < 0 else "undecided")
