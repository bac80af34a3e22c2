#!/usr/bin/env python3
"""The forward pass of a weights file with numpy in float64: dense matrices, all scores at once."""
import numpy

import dense_arrays


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


if __name__ == "__main__":
    dense_arrays.main("numpy", numpy.__version__, forward)
