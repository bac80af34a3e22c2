#!/usr/bin/env python3
"""Runs words, graphs or raw streams through a weights file, exactly, with nothing but the Python
standard library.

    exact_runner.py MODEL.json[.gz] [WORD ...] [--batch FILE] [--prefixes]
    exact_runner.py MODEL.json[.gz] --graph EDGES (--source S --target T | --batch PAIRS)
    exact_runner.py MODEL.json[.gz] --cells FILE

Prints accept or reject, one line per word (words come from standard input if none is given); with
--prefixes one prefix product per letter, as the list of images of the points, or the number of
the state after it where the file reads states. For a graph (lines of source and target, a line
with one name is a vertex, # begins a comment) connected or not connected, one line per pair. For
raw streams (a line of names, then a line of exact values for every token) the outputs in the same
form. This is the second, independent reader of the format that runtime/README.md describes, meant
to be read as the meaning of the model. Exit status: 0 done, 2 bad input, 3 some input undecided,
outside the hypotheses, or outside the field: numbers are sums of square roots of rationals, and
where a norm is none, this reader ends (runtime/README.md, "The numbers").
"""
import argparse
import gzip
import hashlib
import json
import math
import re
import sys
from fractions import Fraction

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


class Outside(Exception):
    """The question has no answer: outside the hypotheses, outside the field, or undecided."""


# ---- Numbers: a Fraction, or a Surd: the sum of c * sqrt(d) over the items d: c of `terms`. ------

def root(q):
    """The square root of the fraction q >= 0 if it is rational, else None."""
    p, r = math.isqrt(q.numerator), math.isqrt(q.denominator)
    return Fraction(p, r) if p * p == q.numerator and r * r == q.denominator else None


class Surd:
    """The radicands d > 0 lie in different square classes (no product of two is a square), so the
    roots are linearly independent over the rationals: the sum is zero only if it has no terms."""

    def __init__(self, terms):
        self.terms = terms

    @staticmethod
    def total(pairs):
        terms = {}
        for d, c in pairs:
            for e in terms:  # sqrt(d) = sqrt(d*e)/e * sqrt(e)
                if (r := root(d * e)) is not None:
                    terms[e] += c * r / e
                    break
            else:
                terms[d] = c
        terms = {d: c for d, c in terms.items() if c}
        if all(root(d) is not None for d in terms):
            return sum((c * root(d) for d, c in terms.items()), Fraction(0))
        return Surd(terms)

    def __add__(self, other):
        return Surd.total([*self.terms.items(), *terms_of(other).items()])

    def __mul__(self, other):
        if not isinstance(other, Surd):
            return Surd({d: c * other for d, c in self.terms.items()}) if other else Fraction(0)
        return Surd.total([(d * e, c * b) for d, c in self.terms.items()
                           for e, b in other.terms.items()])

    def __neg__(self):
        return self * Fraction(-1)

    __radd__, __rmul__ = __add__, __mul__


def terms_of(x):
    return x.terms if isinstance(x, Surd) else {Fraction(1): x} if x else {}


def sign(x):
    if not isinstance(x, Surd):
        return (x > 0) - (x < 0)
    bits = 64
    while True:  # ends: the sum is not zero
        low = high = 0  # of 2^bits * x
        for d, c in x.terms.items():
            square = c * c * d
            r = math.isqrt((square.numerator << 2 * bits) // square.denominator)
            low, high = (low + r, high + r + 1) if c > 0 else (low - r - 1, high - r)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2


def shown(x):
    """The number as text: a rational, then signed roots in the order of their radicands."""
    if not isinstance(x, Surd):
        return str(x)
    rational, roots = "", []
    for d, c in x.terms.items():
        if (r := root(d)) is not None:
            rational = str(c * r)
        else:
            roots.append((c * c * d, "-" if c < 0 else "+"))
    text = rational
    for square, plus in sorted(roots):
        sign_text = f" {plus} " if text else plus.strip("+")
        text += f"{sign_text}sqrt({square})"
    return text


NUMBER = r"\d{1,10000}(?:/(?=0*[1-9])\d{1,10000})?"
TERM = re.compile(rf"([+-])(?:({NUMBER})(?:\*(?=s)|(?![*s])))?(?:sqrt\(({NUMBER})\))?", re.A)


def number(text):
    """The sum of terms p/q, sqrt(p/q), p/q*sqrt(r/s) that the text spells."""
    text = text if text[:1] in ("+", "-") else "+" + text
    total, at = Fraction(0), 0
    while at < len(text):
        term = TERM.match(text, at)
        if not term or (term[2] is None and term[3] is None):
            refuse(f"not an exact number such as 3/5, sqrt(2/5) or 1/2-sqrt(3): {text[1:]!r}")
        factor = Fraction(term[2] or 1) * (-1 if term[1] == "-" else 1)
        square = Fraction(term[3] or 1)
        if factor and square:
            total = total + Surd.total([(square, factor)])
        at = term.end()
    return total


def quotient(x, y):
    """x / y if that is rational, else None; y is not zero."""
    d, c = next(iter(terms_of(y).items()))
    for e, b in terms_of(x).items():
        if (r := root(d * e)) is not None:
            q = b * r / d / c
            return q if sign(x + y * -q) == 0 else None
    return None


def norm(x, width, kind):
    """sqrt(width) * x / |x| of a sparse vector (index -> non-zero number), 0 for x = 0. Under
    layernorm the mean over all coordinates is subtracted first."""
    if kind == "layernorm" and sign(total := sum(x.values(), Fraction(0))) != 0:
        mean = total * Fraction(1, width)
        x = {i: x.get(i, Fraction(0)) + -mean for i in range(width)}
        x = {i: v for i, v in x.items() if sign(v)}
    if not x:
        return x
    square = sum((v * v for v in x.values()), Fraction(0))
    if isinstance(square, Surd):  # still exact if the components are rational multiples of one
        y = next(iter(x.values()))
        x = {i: quotient(v, y) for i, v in x.items()}
        if None in x.values():
            raise Outside("outside the field: the squared norm of a mask is irrational")
        x = {i: v * sign(y) for i, v in x.items()}
        square = sum(v * v for v in x.values())
    ratio = width / square
    scale = root(ratio)
    if scale is None:
        scale = Surd({ratio: Fraction(1)})
    return {i: v * scale for i, v in x.items()}


# ---- The file -----------------------------------------------------------------------------------

class Spelled(str):
    """A number with a fraction or an exponent: kept as it is written."""


def spelled(digits):
    return Spelled(digits) if math.isfinite(float(digits)) else refuse("a number beyond double")


def whole(digits):
    return int(digits) if spelled(digits) else None


def canonical(value):
    """The canonical text of a JSON value; the file's hash is taken of it and a final newline."""
    if isinstance(value, Spelled):
        return str(value)
    if isinstance(value, dict) and value:
        return "{\n" + ",\n".join(canonical(k) + ": " + canonical(value[k])
                                  for k in sorted(value)) + "\n}"
    if isinstance(value, list):
        nested = any(isinstance(v, (list, dict)) for v in value)
        items = [canonical(v) for v in value]
        return "[\n" + ",\n".join(items) + "\n]" if nested else "[" + ",".join(items) + "]"
    return json.dumps(value, ensure_ascii=False)


def refuse(reason):
    raise ValueError(reason)


def distinct(pairs):
    keys = [k for k, _ in pairs]
    return dict(pairs) if len(set(keys)) == len(keys) else refuse(f"a key appears twice in {keys}")


def fields(value, keys):
    """The values of exactly these keys; a name that ends in '?' may be missing (None)."""
    names = keys.split()
    known = [n.rstrip("?") for n in names]
    if not isinstance(value, dict) or set(value) - set(known):
        refuse(f"expected an object with the keys {known}")
    missing = [n for n in names if n not in value and not n.endswith("?")]
    if missing or any(value.get(k, 0) is None for k in known):
        refuse(f"missing or null: {missing or value}")
    return [value.get(k) for k in known]


def rational(spelling):
    if (isinstance(spelling, str) and len(spelling) <= 20000 and
            re.fullmatch(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?", spelling, re.A)):
        p, _, q = spelling.partition("/")
        value = Fraction(int(p), int(q or 1))
        if str(value) == spelling:
            return value
    refuse(f"not a rational number in lowest terms: {str(spelling)[:40]!r}")


def integer(value, low=0, high=2 ** 32 - 1):
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    refuse(f"not an integer from {low} to {high}: {value!r}")


def boolean(value):
    return value if isinstance(value, bool) else refuse(f"neither true nor false: {value!r}")


def text(value):
    return value if isinstance(value, str) else refuse(f"not a text: {value!r}")


def one_of(value, words):
    return value if text(value) in words.split() else refuse(f"expected one of {words}: {value!r}")


def array(value):
    return value if isinstance(value, list) else refuse(f"not a list: {value!r}")


def names(value):
    """Texts that are not empty, each once."""
    distinct = set(map(text, array(value)))
    return value if len(distinct) == len(value) and "" not in distinct else refuse(
        f"a name is empty or appears twice in {value}")


def yes(value):
    """A key that is written only to say yes."""
    return value is True or value is not None and refuse(f"expected true, or no key: {value!r}")


def sparse(entries, width):
    """index -> value, for indices that increase and values that are not zero."""
    out, least = {}, 0
    for index, value in map(array, array(entries)):
        out[integer(index, least, width - 1)] = rational(value) or refuse("a zero is listed")
        least = index + 1
    return out


def matrix(value, rows=None, columns=None):
    """The rows that are not empty: row -> list of (column, value)."""
    height, width, entries = fields(value, "rows columns entries")
    shape = integer(height, 0, 2 ** 24), integer(width, 0, 2 ** 24)
    if any(n not in (None, m) for n, m in zip((rows, columns), shape)):
        refuse(f"a matrix of {height} rows and {width} columns; expected {rows} and {columns}")
    out, last = {}, (-1, 0)
    for row, column, entry in map(array, array(entries)):
        integer(row, 0, height - 1), integer(column, 0, width - 1)
        if (row, column) <= last:
            refuse(f"an entry is not after the one before it: {(row, column)}")
        out.setdefault(row, []).append((column, rational(entry) or refuse("a zero is listed")))
        last = row, column
    return out


def apply(rows, x):
    """matrix * x for sparse x; only what is not zero."""
    out = {r: sum((w * x[c] for c, w in row if c in x), Fraction(0)) for r, row in rows.items()}
    return {r: v for r, v in out.items() if isinstance(v, Surd) or v}


class Model:
    KEYS = ("format version name construction source hypotheses parameters deviations alphabet "
            "input output norm width shape unroll position embedding layers unembedding cells? "
            "derived? sha256")

    def __init__(self, path):
        with open(path, "rb") as opened:
            data = opened.read()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        if len(data) > 2 ** 28:
            refuse("larger than 256 MiB")
        file = json.loads(data.decode("utf-8"), object_pairs_hook=distinct, parse_float=spelled,
                          parse_int=whole, parse_constant=refuse)
        check_levels(file, 32)
        canonical(file).encode("utf-8")  # which has no lone surrogates
        fields(file, Model.KEYS)
        if (file["format"], integer(file["version"])) != ("logdepth-weights", 1):
            refuse("not a logdepth-weights file of version 1")
        rest = {k: v for k, v in file.items() if k not in ("derived", "sha256")}
        actual = hashlib.sha256((canonical(rest) + "\n").encode("utf-8")).hexdigest()
        if actual != file["sha256"]:
            refuse(f"the content hashes to {actual}, sha256 says otherwise")
        self.letters, self.norm = file["alphabet"], one_of(file["norm"], "rms layernorm")
        self.width = integer(file["width"], 1, 2 ** 20)
        self.input, self.output = file["input"], file["output"]
        self.begin, self.prefix = self.input.get("begin", False), self.output.get("prefix")
        self.unroll, self.position = file["unroll"], file["position"]
        self.check_rules(file)
        self.embedding = {k: sparse(v, self.width) for k, v in file["embedding"].items()}
        self.layers = [self.layer(v) for v in array(file["layers"])]
        self.unembedding = matrix(file["unembedding"], columns=self.width)
        self.check_outputs(file["unembedding"]["rows"])
        initial, repeated, final = [integer(n, 0, 4096) for n in
                                    fields(file["shape"], "initial repeated final")]
        if [layer[0] for layer in self.layers] != (["initial"] * initial + ["repeated"] * repeated +
                                                   ["final"] * final):
            refuse("the layers are not those of the shape")

    def layer(self, value):
        block, attention, feedforward = fields(value, "block attention feedforward")
        mask, heads = fields(attention, "mask heads")
        ff_mask, w, u = fields(feedforward, "mask in out")
        w_rows, ff_mask = matrix(w, columns=self.width), sparse(ff_mask, self.width)
        return (block, sparse(mask, self.width), [self.head(h) for h in array(heads)],
                ff_mask if w["rows"] else None, w_rows, matrix(u, self.width, w["rows"]))

    def head(self, value):
        causal, query, key, v, output, promise = fields(value,
                                                        "causal query key value output promise")
        q = matrix(query, columns=self.width)
        check_promise(promise, query["rows"], self.width)
        return (boolean(causal), q, matrix(key, query["rows"], self.width),
                matrix(v, columns=self.width), matrix(output, self.width, v["rows"]))

    # ---- The rules of the format that the meaning does not need: other readers refuse what breaks
    # ---- them, and so does this one.

    def check_rules(self, file):
        for key in "name", "construction", "source":
            text(file[key])
        for key in "hypotheses", "deviations":
            list(map(text, array(file[key])))
        for key in "parameters", "derived", "cells":
            if not isinstance(file.get(key, {}), dict) or file.get("cells") == {}:
                refuse(f"expected an object: {key}")
        for cell in file.get("cells", {}).values():
            coordinates, kind, lifetime = fields(cell, "coordinates type lifetime")
            text(kind), text(lifetime)
            for coordinate in array(coordinates):
                integer(coordinate, 0, self.width - 1)
        kind = self.check_input()
        for letter in names(self.letters):
            if letter in ("<begin>", "<end>") or re.search(DISTURBING, letter):
                refuse(f"not a letter: {letter!r}")
        if bool(self.letters) != (kind == "word"):
            refuse("expected letters where the input is a word, and nowhere else")
        added = {"word": ["<begin>"] * self.begin + ["<end>"] * ("end" in self.input), "cells": [],
                 "rows": ["<vertex>"],
                 "adjacency": ["<edge>", "<no-edge>", "<pad>", "<source>", "<target>"]}[kind]
        if set(file["embedding"]) != {*added, *self.letters}:
            refuse("expected an embedding for every kind of token, and for nothing else")
        self.check_unroll()
        self.check_position()

    def check_input(self):
        """ "word", "cells", "rows" or "adjacency"."""
        kind, given = one_of(self.input.get("kind"), "word cells graph"), 0
        if kind == "word":
            _, begin, end = fields(self.input, "kind begin end?")
            boolean(begin), yes(end)
        elif kind == "cells":
            given = len(names(fields(self.input, "kind names mirrored?")[1]))
        elif one_of(self.input.get("layout"), "rows adjacency") == "rows":
            kind, given = "rows", integer(fields(self.input, "kind layout size mirrored?")[2], 1)
        else:
            kind, (_, _, padding, size) = "adjacency", fields(self.input, "kind layout padding size?")
            one_of(padding, "n3 n3-n2 n4-n2")
            integer(1 if size is None else size, 1)
        mirrored = yes(self.input.get("mirrored"))
        if mirrored and self.width % 2 or given > self.width // (1 + mirrored):
            refuse("more values per token than the width has room for")
        return kind

    def check_unroll(self):
        kind = one_of(self.unroll.get("kind"), "fixed ceil_log2 ceil_log")
        fields(self.unroll, "kind " + {"fixed": "loops", "ceil_log2": "of minus",
                                       "ceil_log": "base of minus"}[kind] + " max_length?")
        integer(self.unroll.get("max_length", 0), 0, 2 ** 63 - 1)
        integer(self.unroll.get("loops", 0)), integer(self.unroll.get("minus", 0), 0, 1)
        integer(self.unroll.get("base", 3), 3)
        counted = "vertices" if self.input["kind"] == "graph" else "letters"
        one_of(self.unroll.get("of", counted), counted)

    def check_position(self):
        kind = one_of(self.position.get("kind"), "first-flag table circle two-circle fine")
        values = fields(self.position, "kind " + {"first-flag": "first rest", "table": "rows",
                                                  "fine": "offset fills parity?"}.get(
                                                      kind, "fills parity?"))
        if kind in ("first-flag", "table"):
            for row in array(values[1]) if kind == "table" else values[1:]:
                sparse(row, self.width)
            return
        integer(self.position.get("offset", 1), 1)
        filled = list(sparse(values[-1] or [], self.width))
        if values[-1] is not None and not filled:
            refuse("an empty parity")
        for fill in array(self.position["fills"]):
            at, back, scale = fields(fill, "at back scale")
            integer(back), rational(scale) or refuse("a scale of zero")
            filled += [integer(c, 0, self.width - 1) for c in array(at)]
            if len(at) != (4 if kind == "two-circle" else 2):
                refuse("as many coordinates as the code has components, expected")
        if len(set(filled)) != len(filled):
            refuse("a coordinate is filled twice")

    def check_outputs(self, rows):
        """Every row of the unembedding has one meaning."""
        kind, of_rows = one_of(self.output.get("kind"), "accept cells relation"), "layout" in \
            self.input and self.input["layout"] == "rows"
        if kind == "cells":
            used = list(range(len(names(fields(self.output, "kind names")[1]))))
        elif kind == "relation":
            fields(self.output, "kind")
            used = list(range(self.input["size"])) if of_rows else refuse("a relation of no graph")
        else:
            _, accept, reject, prefix = fields(self.output, "kind accept reject prefix?")
            used = [integer(accept), integer(reject)]
            if of_rows:
                refuse("no token of the layout rows knows source and target")
            if prefix is not None:
                first, count = prefix.get("first_row"), check_prefix(prefix)
                used += range(integer(first), first + count) if count <= rows else refuse(
                    "more rows than the unembedding has")
        if sorted(used) != list(range(rows)):
            refuse("expected one meaning for every row of the unembedding")

    # ---- The meaning ----------------------------------------------------------------------------

    def encoding(self, p):
        """pi(p): coordinate -> value at the 0-based position p."""
        kind = self.position["kind"]
        if kind == "first-flag":
            return sparse(self.position["rest" if p else "first"], self.width)
        if kind == "table":
            rows = self.position["rows"]
            return sparse(rows[p], self.width) if p < len(rows) else refuse_length("the position table")

        def circle(t):
            return [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)]

        def code(q):
            if kind == "fine":
                cosine, sine = circle(Fraction(2 * q + self.position["offset"]))
                return [-cosine, sine]
            t = q + 1
            level = t.bit_length() - 1  # floor(log2 t)
            return (circle(Fraction(t)) if kind == "circle" else
                    circle(Fraction(t, 2 ** level)) + circle(Fraction(level + 1)))

        parity = sparse(self.position.get("parity", []), self.width)
        out = {i: -v if p % 2 else v for i, v in parity.items()}
        for fill in self.position["fills"]:
            at, back, scale = fields(fill, "at back scale")
            out |= {i: v * rational(scale)
                    for i, v in zip(at, code(max(p - back, 0)), strict=True)}
        return out

    def read(self, mask, h):
        """norm(mask * h) for every token."""
        return [norm({i: m * x[i] for i, m in mask.items() if i in x}, self.width, self.norm)
                for x in h]

    # Tokens: their kinds, their given values, and the n of the unrolling.

    def expect(self, kind):
        if self.input["kind"] != kind:
            refuse(f"this model takes {self.input['kind']}, not {kind}")

    def word(self, letters):
        self.expect("word")
        end = ["<end>"] if self.input.get("end") else []
        return ["<begin>"] * self.begin + letters + end, None, len(letters)

    def graph(self, n, edges, source, target):
        """Vertices are 0 to n-1, edges a set of pairs."""
        self.expect("graph")
        size = self.input.get("size", n)
        if n > size:
            refuse_length("its size")
        if self.input["layout"] == "rows":
            rows = [[1 if i == j or (i, j) in edges else -1 for j in range(size)]
                    for i in range(size)]
            return ["<vertex>"] * size, rows, size
        matrix = ["<edge>" if (i, j) in edges else "<no-edge>"
                  for i in range(size) for j in range(size)]
        padding = {"n3": size ** 3, "n3-n2": size ** 3 - size ** 2,
                   "n4-n2": size ** 4 - size ** 2}[self.input["padding"]]
        return (matrix + ["<pad>"] * padding + ["<source>"] * (source + 1) +
                ["<target>"] * (target + 1), None, size)

    def cells(self, rows):
        self.expect("cells")
        return [None] * len(rows), rows, len(rows)

    def run(self, tokens):
        """The residual stream after the last layer, one sparse vector per token."""
        kinds, given, n = tokens
        if n > self.unroll.get("max_length", n):
            refuse_length("max_length")
        h = [{} for _ in kinds]
        for p, kind in enumerate(kinds):
            for i, value in enumerate(given[p] if given else []):
                add(h[p], {i: value})
                if self.input.get("mirrored"):
                    add(h[p], {i + self.width // 2: -value})
            add(h[p], self.embedding[kind] if kind else {})
            add(h[p], self.encoding(p))
        if not h:
            raise Outside("outside the hypotheses: the input has no token in this model")
        if self.unroll["kind"] == "fixed":
            loops = self.unroll["loops"]
        else:
            loops, reach = 0, 1  # ceil(log_base(n - minus))
            while reach < n - self.unroll["minus"]:
                loops, reach = loops + 1, reach * self.unroll.get("base", 2)
        for block, times in ("initial", 1), ("repeated", loops), ("final", 1):
            for _ in range(times):
                for layer in self.layers:
                    if layer[0] == block:
                        self.step(layer[1:], h)
        return h

    def step(self, layer, h):
        """One layer: attention, then feed-forward; both add to the residual stream h."""
        mask, heads, ff_mask, w, u = layer
        z = self.read(mask, h) if heads else []
        for causal, query, key, value, output in heads:
            keys, values = [apply(key, x) for x in z], [apply(value, x) for x in z]
            for i, x in enumerate(z):
                chosen = best(apply(query, x), keys[:i + 1] if causal else keys)
                average = {}
                for j in chosen:
                    add(average, values[j])
                average = {c: v * Fraction(1, len(chosen)) for c, v in average.items()}
                add(h[i], apply(output, average))
        for x, out in zip([] if ff_mask is None else self.read(ff_mask, h), h):
            add(out, apply(u, {unit: v for unit, v in apply(w, x).items() if sign(v) > 0}))

    def logits(self, x):
        scores = apply(self.unembedding, x)
        return lambda row: scores.get(row, Fraction(0))

    def accepts(self, h):
        """The verdict of the last token: 1, -1, or 0 if it is undecided."""
        if self.output["kind"] != "accept":
            refuse("this model does not say accept or reject")
        logit = self.logits(h[-1])
        return sign(logit(self.output["accept"]) + -logit(self.output["reject"]))

    def connected(self, h, source, target):
        """The same for a graph, or from its relation."""
        if self.output["kind"] == "relation":
            return sign(self.logits(h[source])(target))
        return self.accepts(h)

    def values(self, x):
        """The named logits of one token, as text."""
        logit = self.logits(x)
        return [shown(logit(row)) for row in range(len(self.output["names"]))]

    def table(self, h):
        """A line of names, then a line of values for every token."""
        return [" ".join(self.output["names"])] + [
            " ".join(value.replace(" ", "") for value in self.values(x)) for x in h]

    def prefixes(self, letters):
        """One prefix product (or state) per letter, in order; None where two rows are largest."""
        if self.prefix is None:
            refuse("this model has no prefix readout")
        for x in self.run(self.word(letters))[self.begin:self.begin + len(letters)]:
            logit, row = self.logits(x), self.prefix["first_row"]

            def winner(choices):
                nonlocal row
                rows = [{0: logit(row + i)} for i in range(len(choices))]
                row += len(choices)
                chosen = best({0: Fraction(1)}, rows)
                return choices[chosen[0]] if len(chosen) == 1 else None

            if self.prefix["kind"] == "state":
                yield winner(range(self.prefix["states"]))
            elif self.prefix["kind"] == "element":
                yield winner(self.prefix["elements"])
            else:
                images = [winner(choices) for choices in self.prefix["images"]]
                yield None if None in images else images


DISTURBING = "[\0-\x20\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]"


def check_levels(value, levels):
    if isinstance(value, (dict, list)):
        if levels == 0:
            refuse("nested deeper than 32 levels")
        for inside in value.values() if isinstance(value, dict) else value:
            check_levels(inside, levels - 1)


def check_prefix(prefix):
    """How many rows the read-out of prefixes has."""
    kind = one_of(prefix.get("kind"), "state element transformation")
    if kind == "state":
        return integer(fields(prefix, "kind states first_row")[1], 1)
    if kind == "element":
        elements = array(fields(prefix, "kind elements first_row")[1])
        points = len(elements[0]) if elements and array(elements[0]) else refuse("no element")
        for images in map(array, elements):
            for image in images:
                integer(image, 0, points - 1)
        if {*map(len, elements)} != {points} or len({*map(tuple, elements)}) != len(elements):
            refuse("expected distinct elements of the same points")
        return len(elements)
    _, points, images, _ = fields(prefix, "kind points images first_row")
    if integer(points, 1) != len(array(images)) or [] in images:
        refuse("expected the possible images of every point")
    for choices in map(array, images):
        if choices != sorted({integer(image, 0, points - 1) for image in choices}):
            refuse("images do not increase")
    return sum(map(len, images))


def check_promise(promise, rows, width):
    """What a head promises, as far as the format goes: the meaning does not depend on it."""
    keys = {"uniform": "kind", "match": "kind selects", "rightmost": "kind flag",
            "flagged": "kind flag when?", "find": "kind terms prefer selects",
            "related": "kind pairs prefer"}
    kind = one_of(promise.get("kind") if isinstance(promise, dict) else None, " ".join(keys))
    fields(promise, keys[kind])
    one_of(promise.get("selects", "exactly-one"), "exactly-one at-least-one")
    for key in "flag", "when":
        sparse(promise.get(key, []), width)
    if kind == "find" and rows < (2 * integer(promise["terms"], 1, 2 ** 24) +
                                  boolean(promise["prefer"])):
        refuse("find: fewer rows of the query than its terms need")
    if kind == "related":
        sparse(promise["prefer"], width)
        for pair in array(promise["pairs"]) or refuse("related: no pairs"):
            query, key = array(pair)
            integer(query, 0, width - 1), integer(key, 0, width - 1)


def refuse_length(limit):
    raise Outside(f"outside the hypotheses: the input is larger than {limit} allows")


def add(x, y):
    """x += y for sparse vectors."""
    for i, v in y.items():
        total = x[i] + v if i in x else v
        if isinstance(total, Surd) or total:
            x[i] = total
        else:
            x.pop(i, None)


def best(query, keys):
    """Averaging-hard attention: the positions of the largest query . key, ties included."""
    scores = [sum((q * k[c] for c, q in query.items() if c in k), Fraction(0)) for k in keys]
    chosen = [0]
    for j in range(1, len(scores)):
        order = sign(scores[j] + -scores[chosen[0]])
        chosen = [j] if order > 0 else chosen + [j] if order == 0 else chosen
    return chosen


def lines_of(path):
    """The words of every line that has any and does not begin with #."""
    with open(0 if path == "-" else path, encoding="utf-8", newline="\n") as opened:
        words = [re.findall(r"[^ \t\r\n\v\f]+", line) for line in opened]
    return [line for line in words if line and not line[0].startswith("#")]


def read_graph(path):
    """Names in the order of first appearance, and the edges between their numbers."""
    names, edges = {}, set()
    for line in lines_of(path):
        ends = [names.setdefault(name, len(names)) for name in line[:2]]
        if len(ends) == 2:
            edges.add(tuple(ends))
    return names, edges


def joined(words):
    """ "1/2", "-", "sqrt(3)" are one value."""
    values, joins = [], False
    for word in words:
        if values and (joins or word in "+-"):
            values[-1] += word
        else:
            values.append(word)
        joins = word in "+-"
    return values


def read_cells(path, names):
    """One row of values per token, in the order of `names`; a sign that stands alone joins."""
    lines = [[word for word in " ".join(line).partition("#")[0].split(" ") if word]
             for line in lines_of(path)]
    header, *lines = [line for line in lines if line]
    if sorted(header) != sorted(names):
        refuse(f"expected a first line with the names {names}")
    rows = []
    for line in lines:
        values = [number(value) for value in joined(line)]
        if len(values) != len(names):
            refuse(f"expected {len(names)} values in {' '.join(line)!r}")
        rows.append([values[header.index(name)] for name in names])
    return rows


def answer_word(model, word, prefixes):
    single = all(len(letter) == 1 for letter in model.letters)
    letters = [c for c in word if not c.isspace()] if single else word.split()
    unknown = [c for c in letters if c not in model.letters]
    if unknown:
        refuse(f"not a letter of this model: {unknown[0]!r}")
    if prefixes:
        return ["undecided" if g is None else canonical(g) for g in model.prefixes(letters)]
    h = model.run(model.word(letters))
    if model.output["kind"] == "cells":
        return [" ".join(map("=".join, zip(model.output["names"], model.values(h[-1]))))]
    return [("undecided", "accept", "reject")[model.accepts(h)]]  # index -1 is the last


def answer_pair(model, graph, source, target):
    names, edges = graph
    unknown = [name for name in (source, target) if name not in names]
    if unknown:
        refuse(f"not a vertex of the graph: {unknown[0]!r}")
    s, t = names[source], names[target]
    h = model.run(model.graph(len(names), edges, s, t))
    if model.output["kind"] == "cells":
        return model.table(h)
    return [("undecided", "connected", "not connected")[model.connected(h, s, t)]]


def answer_cells(model, path):
    h = model.run(model.cells(read_cells(path, model.input["names"])))
    if model.output["kind"] == "cells":
        return model.table(h)
    return [("undecided", "accept", "reject")[model.accepts(h)]]


def questions(model, options):
    """One function per question; it returns the lines of the answer."""
    if options.cells:
        model.expect("cells")
        return [lambda: answer_cells(model, options.cells)]
    if options.graph:
        model.expect("graph")
        pairs = lines_of(options.batch) if options.batch else [[options.source, options.target]]
        graph = read_graph(options.graph)
        return [lambda pair=pair: answer_pair(model, graph, *pair) for pair in pairs]
    model.expect("word")
    words = options.words
    if options.batch or not words:
        source = 0 if options.batch in (None, "-") else options.batch  # 0: standard input
        with open(source, encoding="utf-8") as batch:
            words = words + [line.rstrip("\r\n") for line in batch]
    return [lambda word=word: answer_word(model, word, options.prefixes) for word in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("words", nargs="*", help="default: one per line from --batch or stdin")
    parser.add_argument("--batch", metavar="FILE", help="one word per line, with --graph one pair "
                        "of source and target; - is standard input")
    parser.add_argument("--prefixes", action="store_true", help="print every prefix product or state")
    parser.add_argument("--graph", metavar="FILE", help="edge list")
    parser.add_argument("--source")
    parser.add_argument("--target")
    parser.add_argument("--cells", metavar="FILE", help="raw streams")
    options = parser.parse_intermixed_args()
    status = 0
    try:
        for question in questions(Model(options.model), options):
            try:
                answers = question()
            except Outside as reason:
                answers = [str(reason)]
                status = 3
            if "undecided" in answers:
                status = 3
            print("".join(answer + "\n" for answer in answers), end="")
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OSError, EOFError,
            RecursionError, gzip.zlib.error) as error:
        print(f"{options.model}: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
