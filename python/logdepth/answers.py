"""Inputs and answers of exported networks: words, graphs and divisions as tokens, logits as verdicts, prefix
products and numbers.

One reader for PyTorch, ONNX Runtime and TransformerLens. `config` is the content of config.json, of an ONNX
file the metadata entry `logdepth`. Logits are those of one input, tokens x rows: nested lists, a numpy array
or a tensor. The module needs no package. Exported folders contain it as logdepth_answers.py; an ONNX file
holds its text as the metadata entry `logdepth_answers.py`.

    tokens = tokens_of(config, "abab")
    verdict(config, logits), prefixes(config, logits)

Padding: `batch` pads words on the right. No token of a causal network sees a later one, so the padding
changes nothing before it. `verdict` and `prefixes` then need the number of letters, `size`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any


def letters_of(config: dict[str, Any], word: Any) -> list[str]:
    """The letters of a word, a list unmodified. A string is read as `logdepth run --input` reads it: letters
    without separators if all are single characters, else with white space between them."""
    if not isinstance(word, str):
        return list(word)
    words = re.split("[ \\t\\n\\v\\f\\r]+", word)
    if all(len(letter) == 1 for letter in config["alphabet"]):
        return list("".join(words))
    return [letter for letter in words if letter]


def encoded(config: dict[str, Any], input: Any) -> dict[str, Any]:
    """The input as the network takes it: `tokens` (numbers, or None), `given` (values per token, or None) and
    `size` (letters, vertices or raw tokens). An input is

    - a word: a string as for `letters_of`, or a list of letters;
    - a graph: (matrix, source, target), for rows of a graph also the matrix alone, row by row true where an
      edge leads from i to j; or a `logdepth.Reach`;
    - a division: (dividend, divisor), which is answered at the last token;
    - raw streams: a list of rows, one per token.

    ValueError for other inputs, and for inputs longer than the export."""
    kind = config["input"]["kind"]
    tokens, given, size = {"word": _word, "graph": _graph, "cells": _cells}[kind](config, input)
    count = len(given or []) if tokens is None else len(tokens)
    if count > config["most_tokens"]:
        unit = {"word": "letters", "graph": "vertices", "cells": "tokens"}[kind]
        raise ValueError(f"the input has {size} {unit} and needs {count} tokens; expected at most "
                         f"{config['length']} {unit}, {config['most_tokens']} tokens: export with a larger --length")
    return {"tokens": tokens, "given": given, "size": size}


def tokens_of(config: dict[str, Any], input: Any) -> list[int]:
    """The numbers of its tokens: `encoded(...)["tokens"]`, where an input consists of tokens alone."""
    parts = encoded(config, input)
    if parts["given"] is not None:
        raise ValueError("this network reads values, which tokens do not contain; use encoded(config, input)")
    tokens: list[int] = parts["tokens"]
    return tokens


def batch(config: dict[str, Any], words: Iterable[Any]) -> tuple[list[list[int]], list[int]]:
    """Words as one rectangular list of tokens, padded on the right, and their numbers of letters. ValueError
    where padding can change an answer: heads that are not causal, or a number of iterations that follows
    from the length (PyTorch; ONNX and TransformerLens always run those of the longest input)."""
    words = list(words)
    if config["input"]["kind"] != "word":
        raise ValueError("only words are padded; run graphs and divisions one by one")
    if not all(head["causal"] for layer in config["layers"] for head in layer["attention"]["heads"]):
        raise ValueError("a head of this network is not causal, so padding would change answers")
    if not config["unrolled"] and config["unroll"]["kind"] != "fixed" and len(words) > 0:
        sizes = {len(letters_of(config, word)) for word in words}
        if len(sizes) > 1:
            raise ValueError("the number of iterations follows from the length, so words of one batch need "
                             "equal lengths; export to onnx or transformer-lens to pad them")
    rows = [tokens_of(config, word) for word in words]
    longest = max(map(len, rows), default=0)
    return [row + [0] * (longest - len(row)) for row in rows], [len(letters_of(config, word)) for word in words]


def feeds(config: dict[str, Any], input: Any, numpy: Any) -> dict[str, Any]:
    """The inputs of an ONNX session for one input: a batch of one. `numpy`: the module."""
    parts, real = encoded(config, input), config["precision"]
    arrays = {"tokens": (parts["tokens"], "int64"), "given": (parts["given"], real)}
    return {name: numpy.array([value], dtype=kind) for name, (value, kind) in arrays.items() if value is not None}


def verdict(config: dict[str, Any], logits: Any, size: int | None = None) -> bool | None:
    """Whether the input is accepted; None where both logits are equal or one is no number. It is read at the last token; in a
    padded batch at the last token of the word of `size` letters."""
    output = _output(config, "accept")
    ends = config["input"]
    last = -1 if size is None else size + ends.get("begin", False) + ends.get("end", False) - 1
    row = _plain(logits[last])
    accept, reject = row[output["accept"]], row[output["reject"]]
    return True if accept > reject else False if accept < reject else None


def prefixes(config: dict[str, Any], logits: Any, size: int | None = None) -> list[Any]:
    """After each letter: the product of the letters so far, as the images of the points, or the number of the
    state; None for what two equal largest logits leave undecided. `size`: as for `verdict`."""
    readout = _output(config, "accept").get("prefix")
    if readout is None:
        raise ValueError("this network has no prefix readout")
    ends = config["input"]
    first = int(ends.get("begin", False))
    if size is None:
        size = len(logits) - first - ends.get("end", False)
    row = readout["first_row"]

    def at(token: int) -> Any:
        values = _plain(logits[token])
        if readout["kind"] == "state":
            return _largest(values[row:row + readout["states"]])
        if readout["kind"] == "element":
            best = _largest(values[row:row + len(readout["elements"])])
            return None if best is None else readout["elements"][best]
        images, begin = [], row
        for candidates in readout["images"]:
            best = _largest(values[begin:begin + len(candidates)])
            images.append(None if best is None else candidates[best])
            begin += len(candidates)
        return images

    return [at(token) for token in range(first, first + size)]


def relation(config: dict[str, Any], logits: Any) -> list[list[bool | None]]:
    """Of a network that reads the rows of a graph: row i, column j whether vertex j is reached from vertex i;
    None where the logit is 0."""
    _output(config, "relation")
    return [[True if value > 0 else False if value < 0 else None for value in _plain(row)] for row in logits]


def numbers(config: dict[str, Any], logits: Any) -> dict[str, list[float]]:
    """Of a network whose logits are the answer: by name a list of numbers, one per token."""
    names = _output(config, "cells")["names"]
    rows = [_plain(row) for row in logits]
    return {name: [row[column] for row in rows] for column, name in enumerate(names)}


def divisions(config: dict[str, Any], logits: Any) -> list[tuple[int, int]]:
    """Of a network of the division lemma: (quotient, remainder) per token."""
    named = numbers(config, logits)
    if "quotient.0" not in named or "remainder.0" not in named:
        raise ValueError("this is no network of the division lemma")

    def wholes(name: str) -> list[int]:
        return [round(x / one) for x, one in zip(named[name + ".0"], named[name + ".1"])]

    return list(zip(wholes("quotient"), wholes("remainder")))


def _plain(row: Any) -> list[Any]:
    """Numbers of Python, of a list, an array or a tensor."""
    return row.tolist() if hasattr(row, "tolist") else [float(value) for value in row]


def _largest(values: list[Any]) -> int | None:
    best = max(values)
    return values.index(best) if sum(not value < best for value in values) == 1 else None  # NaN is not below


def _output(config: dict[str, Any], kind: str) -> dict[str, Any]:
    output: dict[str, Any] = config["output"]
    if output["kind"] != kind:
        raise ValueError(f"this network answers with {output['kind']!r}, not with {kind!r}")
    return output


def _word(config: dict[str, Any], word: Any) -> tuple[list[int], None, int]:
    letters, ends = letters_of(config, word), config["input"]
    for letter in letters:
        if letter not in config["alphabet"]:
            raise ValueError(f"the letter {letter!r} is not in the alphabet {config['alphabet']}")
    names = ["<begin>"] * ends.get("begin", False) + letters + ["<end>"] * ends.get("end", False)
    return [config["tokens"].index(name) for name in names], None, len(letters)


def _edges(graph: Any) -> tuple[list[list[bool]], int | None, int | None]:
    """(matrix, source, target), source and target None where they are not given."""
    if hasattr(graph, "vertices") and hasattr(graph, "edges"):  # logdepth.Reach
        place = {vertex: number for number, vertex in enumerate(graph.vertices)}
        matrix = [[False] * len(place) for _ in place]
        for tail, head in graph.edges:
            matrix[place[tail]][place[head]] = True
        return matrix, place[graph.source], place[graph.target]
    if isinstance(graph, tuple) and len(graph) == 3 and not isinstance(graph[1], (list, tuple)):
        matrix, source, target = graph
    else:
        matrix, source, target = graph, None, None
    matrix = [[bool(entry) for entry in row] for row in matrix]
    if not matrix or any(len(row) != len(matrix) for row in matrix):
        raise ValueError("a graph: expected a square matrix with a row per vertex")
    return matrix, source, target


def _graph(config: dict[str, Any], graph: Any) -> tuple[list[int], list[list[float]] | None, int]:
    matrix, source, target = _edges(graph)
    n = config["input"].get("size", len(matrix))
    if len(matrix) > n:
        raise ValueError(f"the graph has {len(matrix)} vertices; expected at most {n}")
    edge = [[i < len(matrix) and j < len(matrix) and matrix[i][j] for j in range(n)] for i in range(n)]
    kinds = config["tokens"]
    if config["input"]["layout"] == "rows":
        given = [[1.0 if i == j or edge[i][j] else -1.0 for j in range(n)] for i in range(n)]
        return [kinds.index("<vertex>")] * n, given, n
    if source is None or target is None:
        raise ValueError("a graph: expected (matrix, source, target)")
    for vertex in (source, target):
        if not 0 <= vertex < len(matrix):
            raise ValueError(f"{vertex} is no vertex of a graph of {len(matrix)}")
    padding = {"n3": n**3, "n3-n2": n**3 - n**2, "n4-n2": n**4 - n**2}[config["input"]["padding"]]
    names = ["<edge>" if edge[i][j] else "<no-edge>" for i in range(n) for j in range(n)]
    names += ["<pad>"] * padding + ["<source>"] * (source + 1) + ["<target>"] * (target + 1)
    return [kinds.index(name) for name in names], None, n


def _unit(x: float, y: float) -> list[float]:
    return [x / math.hypot(x, y), y / math.hypot(x, y)]


def _cells(config: dict[str, Any], asked: Any) -> tuple[None, list[list[float]], int]:
    names = config["input"]["names"]
    if isinstance(asked, tuple) and len(asked) == 2 and all(isinstance(number, int) for number in asked):
        dividend, divisor = asked
        if dividend < 0 or divisor < 1:
            raise ValueError(f"expected a dividend from 0 and a divisor from 1, found {dividend} and {divisor}")
        # Position i divides i, so the last one divides the dividend.
        codes = [{"i": [i, 1], "m": [divisor, 1], "d": [i, 1], "a": _unit(i, 1), "I": _unit(i, 1),
                  "R": _unit(i, divisor)} for i in range(dividend + 1)]
        try:
            rows = [[float(code[name.split(".")[0]][int(name.split(".")[1])]) for name in names] for code in codes]
        except (KeyError, IndexError, ValueError):
            raise ValueError(f"{names} are not the inputs of the division lemma") from None
        return None, rows, len(rows)
    rows = [[float(value) for value in row] for row in asked]
    for row in rows:
        if len(row) != len(names):
            raise ValueError(f"expected {len(names)} values per token, {', '.join(names)}; found {len(row)}")
    return None, rows, len(rows)
