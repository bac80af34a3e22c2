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


def fields(value, names):
    """The values of exactly these keys; a name that ends in '?' may be missing (None)."""
    names = names.split()
    known = [n.rstrip("?") for n in names]
    if not isinstance(value, dict) or set(value) - set(known):
        refuse(f"expected an object with the keys {known}")
    missing = [n for n in names if n not in value and not n.endswith("?")]
    return [value.get(k) for k in known] if not missing else refuse(f"missing: {missing}")


def rational(text):
    if isinstance(text, str) and re.fullmatch(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?", text, re.A):
        p, _, q = text.partition("/")
        value = Fraction(int(p), int(q or 1))
        if str(value) == text:
            return value
    refuse(f"not a rational number in lowest terms: {text!r}")


def sparse(entries):
    return {index: rational(value) for index, value in entries}


def matrix(value):
    """The rows that are not empty: row -> list of (column, value)."""
    _, _, entries = fields(value, "rows columns entries")
    rows = {}
    for row, column, entry in entries:
        rows.setdefault(row, []).append((column, rational(entry)))
    return rows


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
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
        file = json.loads(text, object_pairs_hook=distinct, parse_float=Spelled,
                          parse_constant=refuse)
        fields(file, Model.KEYS)
        if (file["format"], file["version"]) != ("logdepth-weights", 1):
            refuse("not a logdepth-weights file of version 1")
        rest = {k: v for k, v in file.items() if k not in ("derived", "sha256")}
        actual = hashlib.sha256((canonical(rest) + "\n").encode("utf-8")).hexdigest()
        if actual != file["sha256"]:
            refuse(f"the content hashes to {actual}, sha256 says otherwise")
        self.letters, self.norm, self.width = file["alphabet"], file["norm"], file["width"]
        shape = {"word": "kind begin end?", "cells": "kind names mirrored?",
                 "graph": "kind layout padding? size? mirrored?"}
        self.input, self.output = file["input"], file["output"]
        fields(self.input, shape.get(self.input["kind"]) or refuse("unknown kind of input"))
        shape = {"accept": "kind accept reject prefix?", "cells": "kind names", "relation": "kind"}
        fields(self.output, shape.get(self.output["kind"]) or refuse("unknown kind of output"))
        self.begin, self.prefix = self.input.get("begin", False), self.output.get("prefix")
        self.unroll, self.position = file["unroll"], file["position"]
        shape = {"first-flag": "kind first rest", "circle": "kind fills parity?",
                 "two-circle": "kind fills parity?", "fine": "kind offset fills parity?",
                 "table": "kind rows"}
        fields(self.position, shape.get(self.position["kind"]) or refuse("unknown position code"))
        self.embedding = {k: sparse(v) for k, v in file["embedding"].items()}
        self.layers = [self.layer(v) for v in file["layers"]]
        self.unembedding = matrix(file["unembedding"])

    @staticmethod
    def layer(value):
        block, attention, feedforward = fields(value, "block attention feedforward")
        mask, heads = fields(attention, "mask heads")
        heads = [fields(h, "causal query key value output promise") for h in heads]
        heads = [(h[0], *map(matrix, h[1:5])) for h in heads]
        ff_mask, w, u = fields(feedforward, "mask in out")
        units = fields(w, "rows columns entries")[0]
        return block, sparse(mask), heads, sparse(ff_mask) if units else None, matrix(w), matrix(u)

    # ---- The meaning ----------------------------------------------------------------------------

    def encoding(self, p):
        """pi(p): coordinate -> value at the 0-based position p."""
        kind = self.position["kind"]
        if kind == "first-flag":
            return sparse(self.position["rest" if p else "first"])
        if kind == "table":
            rows = self.position["rows"]
            return sparse(rows[p]) if p < len(rows) else refuse_length("the position table")

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

        out = {i: -v if p % 2 else v for i, v in sparse(self.position.get("parity", [])).items()}
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
