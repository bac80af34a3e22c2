#!/usr/bin/env python3
"""The head that bench_float_throughput writes, answered with dense arrays of tokens x tokens scores
by dense_numpy.py or dense_torch.py.

    head_arrays.py numpy|torch HEAD TOKENS DIMENSION
"""
import importlib
import json
import sys
import time
from types import SimpleNamespace

import numpy

import dense_arrays


def main():
    name, path, tokens, dimension = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    arrays = numpy.fromfile(path).reshape(-1, tokens)
    values = (len(arrays) - 2 * dimension - 1) // 2
    z = numpy.ascontiguousarray(arrays[:2 * dimension + values].T)  # query, key, value of a token
    expected = arrays[2 * dimension + values:-1] / arrays[-1]

    maps = numpy.eye(2 * dimension + values)
    head = SimpleNamespace(causal=True, query=maps[:dimension], key=maps[dimension:2 * dimension],
                           value=maps[2 * dimension:], output=numpy.eye(values))
    dense = importlib.import_module(f"dense_{name}")
    if name == "numpy":
        version = numpy.__version__
        hidden = numpy.triu(numpy.full((tokens, tokens), -numpy.inf), k=1)
    else:
        import torch
        torch.set_num_threads(1)
        version = torch.__version__
        hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(diagonal=1)
        z = dense.tensor(z)

    dense.attend(z, head, hidden, 0.0)  # the first call makes threads and maps memory
    wall, cpu = time.perf_counter(), time.process_time()
    averages = numpy.asarray(dense.attend(z, head, hidden, 0.0))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": [wall], "cpu": [cpu],
                      "wrong_rows": int((averages.T != expected).any(axis=0).sum()),
                      "version": version, "linear_algebra": dense_arrays.linear_algebra()}))


if __name__ == "__main__":
    main()
