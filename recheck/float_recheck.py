#!/usr/bin/env python3
"""Checks a certificate of floating-point answers: float_recheck.py WEIGHTS CERTIFICATE [EXPORTED-FOLDER]
Prints one: float_recheck.py --write WEIGHTS LENGTH float32|float64 hard|TEMPERATURE,... [NORM...], where an export computes the named norms.

Shown: for every word of at most N letters, a run of the matrices in float32 or float64, rounded to nearest, selects the tokens that the exact
run selects and gives its answers. Sums may be in any order, fused or not; numbers below the smallest normal one may become 0; exp(0) is 1,
and exp(x) for x < 0 at most twice what it should be.

Method. Coordinates that no letter reaches have one value per token. The others have, per token, a set of tuples that encloses what they are
for all words. E bounds how far a float number of a coordinate is from the exact one, at all tokens of all words, and is rounded up. A head is
refused if two tokens may share the largest score. A sum of n products, of floats within E of x and weights rounded to a neighbour, is off by
    sum |w| E + g(n) sum |w| (|x| + E) + n t,    g(n) = (n + 4) u / (1 - (n + 4) u),    t: twice the smallest normal number,
at most. Standard library only; nothing of logdepth is used. Exit status: 0 confirmed or written, 1 not confirmed or not shown, 2 wrong files."""
import fractions
import hashlib
import itertools
import json
import math
import pathlib
import re
import struct
import sys

F = fractions.Fraction
FORMATS = {"float32": (F(1, 2**24), F(1, 2**125), 2**100, "F32", "f"), "float64": (F(1, 2**53), F(1, 2**1021), 2**900, "F64", "d")}
MOST_TUPLES, MOST_TOKENS = 200000, 4096
SLACK = F(1, 2**20)  # what a written certificate states is this much weaker than what is shown


class Refused(Exception):
    """A step that is not shown."""


class Malformed(Exception):
    """The input is no weights file, no certificate, no export."""


class Spelled(str):
    """A number with a fraction, as a file spells it."""


def need(holds, text, *parts):
    if not holds:
        raise Refused(text.format(*(f"{float(part):.3g}" if isinstance(part, F) else part for part in parts)))


def canonical(x):
    """The text that is hashed (runtime/README.md)."""
    if isinstance(x, dict) and x:
        return "{\n" + ",\n".join(f"{canonical(k)}: {canonical(x[k])}" for k in sorted(x, key=str.encode)) + "\n}"
    if isinstance(x, list) and any(isinstance(y, (dict, list)) for y in x):
        return "[\n" + ",\n".join(map(canonical, x)) + "\n]"
    if isinstance(x, list):
        return "[" + ",".join(map(canonical, x)) + "]"
    return str(x) if isinstance(x, Spelled) else json.dumps(x, ensure_ascii=False)


def plain(x):
    return x.numerator if x.denominator == 1 else x


def rational(text):
    if not re.fullmatch("-?[0-9]{1,20000}(/[0-9]{1,20000})?", text):
        raise Malformed(f"expected a rational, found {json.dumps(text[:40])}")
    return plain(F(text))


def vector(value):
    return {c: rational(x) for c, x in value}


def matrix(value):
    rows = [{} for _ in range(value["rows"])]
    for r, c, x in value["entries"]:
        rows[r][c] = rational(x)
    return rows


def dot(row, x):
    return plain(sum(w * x[c] for c, w in row.items() if x[c]))


def root(x):
    """The square root of a rational, within 2^-600 of it and not above."""
    return F(math.isqrt((x.numerator << 1200) // x.denominator), 2**600)


def total(rows):
    return sum(abs(w) for row in rows for w in row.values())


def up(x):
    """A little more than x, of 40 bits."""
    unit = F(2)**(F(x).numerator.bit_length() - F(x).denominator.bit_length() - 40)
    return -(-x // unit) * unit


def stated(x):
    """A number of a certificate: short, and off by far less than SLACK."""
    return str(F(float(x)))


def position_row(position, p):
    """The position encoding of token p."""
    def circle(t):
        return [(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)]
    if position["kind"] == "first-flag":
        return vector(position["first" if p == 0 else "rest"])
    need(position["kind"] in ("circle", "two-circle", "fine") and "parity" not in position,
         "position: a code that is not covered; expected first-flag, circle, two-circle or fine without parity")
    row = {}
    for fill in position["fills"]:
        t = max(p - fill["back"], 0) + 1
        if position["kind"] == "fine":
            x, y = circle(F(position["offset"] + 2 * (t - 1)))
            shown = [-x, y]
        else:
            shown = circle(F(t)) if position["kind"] == "circle" else circle(F(t, 2**(t.bit_length() - 1))) + circle(F(t.bit_length()))
        row.update((c, plain(rational(fill["scale"]) * x)) for c, x in zip(fill["at"], shown))
    return row


def loops_of(unroll, n):
    loops, reached = 0, 1
    while unroll["kind"] != "fixed" and reached < n - unroll["minus"]:
        loops, reached = loops + 1, reached * unroll.get("base", 2)
    return unroll.get("loops", loops)


class Proof:
    def __init__(self, weights, certificate):
        self.file, self.claim, self.width, self.length = weights, certificate, weights["width"], certificate["length"]
        self.u, self.tiny, self.most, *_ = FORMATS[certificate["precision"]]
        need(weights["input"]["kind"] == "word" and weights["output"]["kind"] == "accept",
             "the input is no word, or the output no verdict; expected words that are accepted or rejected")
        need(0 < self.length <= min(weights["unroll"].get("max_length", MOST_TOKENS), MOST_TOKENS), "length: beyond a limit")
        self.begin, self.end = weights["input"]["begin"], weights["input"].get("end", False)
        self.embedding = {kind: vector(row) for kind, row in weights["embedding"].items()}
        self.layers, self.unembedding = [self.layer_of(layer) for layer in weights["layers"]], matrix(weights["unembedding"])
        self.heads, self.answers, self.scale = {}, {}, {}
        self.given = {(head["layer"], head["head"]): rational(head["temperature" if certificate["attention"] == "softmax" else "tolerance"])
                      for head in certificate["heads"]}
        self.rows = [(p, ["<begin>"] if self.begin and p == 0 else weights["alphabet"], False) for p in range(self.length + self.begin)]
        self.rows += [(p + self.begin, ["<end>"], True) for p in range(self.length + 1) if self.end]

    @staticmethod
    def layer_of(layer):
        mask, unit_mask, rows = vector(layer["attention"]["mask"]), vector(layer["feedforward"]["mask"]), matrix(layer["feedforward"]["in"])
        heads = [[h["causal"], *(matrix(h[name]) for name in ("query", "key", "value", "output"))] for h in layer["attention"]["heads"]]
        columns = [{} for _ in rows]
        for c, row in enumerate(matrix(layer["feedforward"]["out"])):
            for unit, w in row.items():
                columns[unit][c] = w
        return layer["block"], mask, heads, unit_mask, rows, columns

    def start(self):
        """Which coordinates a letter reaches (`tied`), the streams and errors after the embedding."""
        letters = [self.embedding[letter] for letter in self.file["alphabet"]]
        reached, before = {c for c in range(self.width) if len({row.get(c, 0) for row in letters}) > 1}, None
        flows = [(row.keys() & layer[3], column) for layer in self.layers for row, column in zip(*layer[4:])]
        for mask, (_, query, key, value, output) in ((layer[1], head) for layer in self.layers for head in layer[2]):
            flows.append((set().union(*query, *key) & mask.keys(), {c for c, row in enumerate(output) if row}))
            flows += [(row.keys() & mask, {c for c, out in enumerate(output) if d in out}) for d, row in enumerate(value)]
        while before != len(reached):
            before = len(reached)
            reached.update(*(written for read, written in flows if not reached.isdisjoint(read)))
        self.tied, self.free = sorted(reached), [c for c in range(self.width) if c not in reached]
        sets, self.e, self.d = [], [F(0)] * self.width, F(0)  # d: how far the reference is from the exact run; 0 while all is rational
        for p, kinds, _ in self.rows:
            row, tuples = position_row(self.file["position"], p), set()
            for own in map(self.embedding.get, kinds):
                self.weights([*own.values(), *row.values()])
                h = [own.get(c, 0) + row.get(c, 0) for c in range(self.width)]
                tuples.add(tuple(h[c] for c in self.tied))
                for c in {*own, *row}:
                    self.e[c] = max(self.e[c], up(self.g(2) * (abs(own.get(c, 0)) + abs(row.get(c, 0))) + 2 * self.tiny))
            sets.append(([0 if c in reached else x for c, x in enumerate(h)], frozenset(tuples)))
        return sets

    def g(self, n):
        return (n + 4) * self.u / (1 - (n + 4) * self.u)

    def stream(self, base, t):
        h = list(base)
        for c, x in zip(self.tied, t):
            h[c] = x
        return h

    def weights(self, values):
        """Weights that the format rounds to a neighbour: a smaller one may become 0, a larger one infinite."""
        need(all(self.tiny / 2 <= abs(w) < self.most for w in values if w), "a weight is outside the range of the format")

    def sums(self, size):
        """Sums of numbers of this size together, in any order."""
        need(size < self.most, "numbers are too large for the format")

    def product(self, row, x):
        """Of a row with streams of sizes x: its size, its error, what rounding alone loses."""
        self.weights(row.values())
        size, carried = sum(abs(w) * x[c] for c, w in row.items()), sum(abs(w) * self.e[c] for c, w in row.items())
        rounding = self.g(len(row)) * (size + carried) + len(row) * self.tiny
        self.sums(size + carried)
        return size, carried + rounding, rounding

    def sizes(self, sets):
        x = [max(map(abs, column)) for column in zip(*(base for base, _ in sets))]
        for t in set().union(*{tuples for _, tuples in sets}):
            for c, value in zip(self.tied, t):
                x[c] = max(x[c], abs(value))
        self.sums(max(map(sum, zip(x, self.e))))  # also of a number that no weight reads: 0 times infinity is none
        return x

    def norm(self, place, mask, sets):
        """z = norm(mask * h): the streams with z beside h if z is no multiple of mask * h, and how rows read them: scale and map of a row."""
        def both(values):
            return sum(mask.get(c, 0)**2 * x * x for c, x in values), sum(mask.get(c, 0) * x for c, x in values)
        of = {tuples: {both(list(zip(self.tied, t))) for t in tuples} for tuples in {tuples for _, tuples in sets}}
        totals = {(a + square, b + mean) for base, tuples in sets for a, b in [both(list(enumerate(base)))] for square, mean in of[tuples]}
        (low, _), (high, _), near = min(totals), max(totals), F(1, 2**500) * (self.d > 0)
        need(low > 0, "{}: reads zero at some token", place)
        scale = root(F(F(self.width) / high)).limit_denominator(10**9)
        self.dz = 4 * (root(F(self.width) / low) + 1) * (sum(map(abs, mask.values())) * self.d + near) + (near + F(1, 2**590)) * self.width
        need(self.file["norm"] == "rms" or all(abs(mean) <= near for _, mean in totals), "{}: the mean is not 0", place)
        if place not in self.claim["measured_norms"]:
            need(high - low <= near and abs(scale * scale * high - self.width) <= near, "{}: the norm depends on the word or token", place)
            need(self.scale.setdefault(place, scale) == scale, "{}: the norm depends on the iteration", place)
            self.dz *= max(1, 1 / (scale * min(map(abs, mask.values())))) * (self.d > 0)  # in units of the stream
            return sets, scale, lambda row: {c: plain(w * mask[c]) for c, w in row.items() if c in mask}
        need(mask.keys().isdisjoint(self.tied), "{}: the norm depends on the word; expected a constant one", place)
        self.weights(mask.values())
        self.sums(4 * high)
        need(self.width * self.tiny <= self.u * low, "{}: the squares of a norm of {} are outside the range of the format", place, root(F(low)))
        made, wrong = [], [F(0)] * self.width
        for base, tuples in sets:
            x = [mask.get(c, 0) * value for c, value in enumerate(base)]
            moved = [abs(mask.get(c, 0)) * self.e[c] for c in range(self.width)]
            off = [e + self.g(1) * (abs(value) + e) + self.tiny * (c in mask) for c, (value, e) in enumerate(zip(x, moved))]
            mean = (sum(off) + self.g(self.width) * sum(abs(value) + e for value, e in zip(x, off))) / self.width * (self.file["norm"] == "layernorm")
            size, all_off = root(F(sum(value * value for value in x))), sum(off) + self.width * (mean + self.tiny)
            need(2 * all_off < size, "{}: rounding may take {} of the norm {}", place, all_off, size)
            factor = root(F(self.width) / sum(value * value for value in x))
            made.append((base + [factor * value for value in x], tuples))
            for c, value in enumerate(x):
                z = 2 * factor * (off[c] + mean + abs(value) * all_off / size)
                wrong[c] = max(wrong[c], up(z + self.g(self.width + 8) * (abs(factor * value) + z) + self.tiny))
        self.d, self.e = max(self.d, F(1, 2**590)), self.e + wrong
        return made, 1, lambda row: {c + self.width: w for c, w in row.items()}

    def select(self, place, head, rows, sets):
        """Per token and tuple, the tokens that may be selected, with their tuples; the least separation; the sizes of queries and keys."""
        query, key = head[1:3]
        by_word = any(c in self.tied for row in query + key for c in row)
        vectors = [{t: [tuple(dot(r, h) for r in m) for h in [self.stream(base, t)] for m in (query, key)] for t in (tuples if by_word else [()])}
                   for base, tuples in sets]
        chosen, separation = [], None
        for i, (p, _, _) in enumerate(rows):
            keys, found, gaps = [{} for _ in range(p)], {}, []
            for j, t, k in [(j, t, k) for j in range(p) for t, (_, k) in vectors[j].items()]:
                keys[j].setdefault(k, []).append(t)
            for q in {q for q, _ in vectors[i].values()}:
                scores, lowest = [(sum(a * c for a, c in zip(q, k) if a and c), j, ts) for j in range(p) for k, ts in keys[j].items()], {}
                for s, j, _ in scores:
                    lowest[j] = min(s, lowest.get(j, s))
                floor = max(lowest.values(), default=None)  # the largest score of the tokens before is no lower
                high, below = [one for one in scores if one[0] >= floor], sorted(one[0] for one in scores if one[0] < floor)[-1:]
                for s, j, _ in high:
                    gaps += [s - y for y in [y for y, other, _ in high if y <= s and other != j] + below]
                for t, k in [(t, k) for t, (mine, k) in vectors[i].items() if mine == q]:
                    own = sum(a * c for a, c in zip(q, k))
                    gaps += [abs(own - s) for s, _, _ in high] + [own - y for y in below if y < own]
                    found[t] = [(i, [t])] * (not high or own >= floor) + [(j, ts) for s, j, ts in high if s >= own]
            need(0 not in gaps, "{}, token {}: two tokens may share the largest score; expected one", place, p)
            separation = min(gaps + [separation] * (separation is not None), default=None)
            chosen.append(found)
        most = [[max(abs(v[n][d]) for row in vectors for v in row.values()) for d in range(len(query))] for n in (0, 1)]
        return by_word, chosen, separation, most

    def weigh(self, place, at, head, separation, most, x):
        """What all tokens that are not selected weigh together, at most."""
        (wrong_q, wrong_k), size, wrong = [[self.product(row, x)[1] for row in m] for m in head[1:3]], 0, 0
        for q, k, eq, ek in zip(*most, wrong_q, wrong_k):
            size, wrong = size + (q + eq) * (k + ek), wrong + q * ek + k * eq + eq * ek
        self.sums(size)
        wrong += self.dz * (total(head[1]) + total(head[2]) + 1)**2 * (size + self.dz + 1)
        rounding = up(wrong + self.g(len(wrong_q) + 4) * size + len(wrong_q) * self.tiny)
        left, old = separation - 2 * rounding if separation is not None else None, self.heads.get(at, (None, None, 0))
        self.heads[at] = (*(min((x for x in pair if x is not None), default=None) for pair in zip(old, (separation, left))), max(old[2], rounding))
        need(left is None or left > 0, "{}: the separation is {}, and rounding may take {} of each score", place, F(separation or 0), rounding)
        given = self.given.get(at, 0)
        if self.claim["attention"] == "softmax":
            need(0 < given * max(1, size) < self.most, "{}: the temperature is no number of the format", place)
            return 2 * len(self.rows) * F(1, 2**min(2000, int(given * left * 10 / 7))) if left else 0
        need(left is None or 0 <= given * (1 + F(1, 2**20)) < left, "{}: the tolerance is not below {}", place, left)
        return 0

    def attention(self, number, layer, rows, sets):
        (place, terms, size, wrong, writes), grown = (f"layer {number}, attention", *([0] * self.width for _ in range(3)), []), self.d
        sets, scale, reads = self.norm(place, layer[1], sets)
        x = self.sizes(sets)
        for k, (causal, *read, output) in enumerate(layer[2], 1):
            head, copy, others, soft = [causal, *[[{c: plain(w * scale) for c, w in reads(row).items()} for row in m] for m in read]], {}, 0, True
            by_word, chosen = False, None
            if any(head[1]) and any(head[2]):
                by_word, chosen, separation, most = self.select(f"layer {number}, head {k}", head, rows, sets)
                others, soft = self.weigh(f"layer {number}, head {k}", (number, k), head, separation, most, x), self.claim["attention"] == "softmax"
            grown += total(output) * total(head[3]) * self.dz
            need(causal and (chosen or all(c in self.free for c, row in enumerate(output) if row)),
                 "layer {}, head {}: averages what depends on the word; expected a causal head that selects one token", number, k)
            for c, row in enumerate(output):
                self.weights(row.values())
                for d, w in row.items():
                    value, off, _ = self.product(head[3][d], x)
                    off += ((2 * others + self.g(2 * len(rows))) * (value + off) + len(rows) * self.tiny) * soft
                    terms[c], size[c], wrong[c] = terms[c] + 1, size[c] + abs(w) * (value + off), wrong[c] + abs(w) * off
                    for source, v in head[3][d].items():
                        copy.setdefault(c, {})[source] = copy.get(c, {}).get(source, 0) + w * v
            writes.append((by_word, chosen, copy, {}))
        made, at = [], {c: n for n, c in enumerate(self.tied)}
        for i, (base, tuples) in enumerate(sets):
            base, became = base[:self.width], set()
            for by_word, found, copy, _ in writes:
                seen = [] if by_word else [found[i][()][0][0]] if found else [*range(rows[i][0]), i]
                for c, row in [(c, row) for c, row in copy.items() if c not in at and seen]:
                    base[c] = plain(base[c] + F(1, len(seen)) * sum(dot(row, sets[j][0]) for j in seen))
            for old in tuples:
                options = [set().union(*(self.taken(copy, i, j, old, ts if by_word else None, sets, known) for j, ts in found[i][old if by_word else ()]))
                           for by_word, found, copy, known in writes if found]
                for choice in itertools.product(*options):
                    new = list(old)
                    for c, value in itertools.chain(*choice):
                        new[at[c]] += value
                    became.add(tuple(map(plain, new)))
            need(len(became) <= MOST_TUPLES, "{}: more than {} streams of a token", place, MOST_TUPLES)
            made.append((base, frozenset(became)))
        for c in [c for c in range(self.width) if terms[c]]:
            self.sums(x[c] + self.e[c] + size[c])
            self.e[c] = up(self.e[c] + wrong[c] + self.g(terms[c] + 1) * (x[c] + self.e[c] + size[c]) + terms[c] * self.tiny)
        self.e, self.d = self.e[:self.width], grown
        return made

    def taken(self, copy, i, j, old, tuples, sets, known):
        """What token i takes from token j, for the tied coordinates, as sets of (coordinate, value)."""
        if i != j and tuples is None and j in known:
            return known[j]
        streams = [self.stream(sets[j][0], t) for t in ([old] if i == j else sets[j][1] if tuples is None else tuples)]
        known[j] = {tuple((c, dot(copy[c], h)) for c in copy if c in self.tied) for h in streams}
        return known.pop(j) if i == j or tuples is not None else known[j]

    def feedforward(self, number, layer, sets):
        *_, mask, rows, columns = layer
        (terms, size, lost), (sets, scale, reads) = [[0] * self.width for _ in range(3)], self.norm(f"layer {number}, feed-forward", mask, sets)
        rows = [{c: plain(w * scale) for c, w in reads(row).items()} for row in rows]
        x, linear, waiting, pairs = self.sizes(sets), [{c: 1} for c in range(self.width)], {}, set()
        bounds = [self.product(row, x) for row in rows]
        self.weights(w for column in columns for w in column.values())
        for u, parts in enumerate(zip(rows, columns)):  # pairs make ReLU(x) - ReLU(-x) = x, and the errors of x may cancel those of the stream
            own, opposite = [tuple(tuple(sorted((c, sign * w) for c, w in part.items())) for part in parts) for sign in (1, -1)]
            if opposite not in waiting:
                waiting[own] = u
                continue
            pairs |= {u, waiting.pop(opposite)}
            for c, w in parts[1].items():
                terms[c], size[c], lost[c] = terms[c] + 2, size[c] + abs(w) * (bounds[u][0] + 2 * bounds[u][1]), lost[c] + 2 * abs(w) * bounds[u][2]
                for source, v in parts[0].items():
                    linear[c][source] = plain(linear[c].get(source, 0) + w * v)
        carried, cases = [sum(abs(w) * self.e[d] for d, w in row.items()) for row in linear], [set() for _ in linear]
        lowest = [-float(up(bound[1])) for bound in bounds]  # units below are 0 in floating point, too
        costs = [{c: -(-abs(w) * bound[1] // self.tiny) for c, w in column.items()} for column, bound in zip(columns, bounds)]  # errors, in units of tiny

        def step(h, coordinates, units):
            """The coordinates after the units. What moves their errors, besides, is noted: summands, their sizes, and the errors of the units."""
            new, more = {c: dot(linear[c], h) for c in coordinates}, {}
            for u, y in [(u, y) for u in units for y in [dot(rows[u], h)] if y > lowest[u]]:
                for c, w in columns[u].items():
                    n, written, moved, cost = more.get(c, (0, 0, 0, 0))
                    more[c] = n + 1, written + w * max(y, 0), moved + abs(w) * max(y, 0), cost + costs[u][c]
            for c in coordinates:
                n, written, moved, cost = more.get(c, (0, 0, 0, 0))
                new[c] += written
                cases[c].add((n, moved, cost))
            return [plain(new[c]) for c in coordinates]
        free, tied = [[u for u in range(len(rows)) if u not in pairs and any(c in part for c in columns[u])] for part in (self.free, self.tied)]
        read, known, made = sorted({c for u in tied for c in rows[u]} | {d for c in self.tied for d in linear[c]}), {}, []
        for base, tuples in sets:
            new, after = [0] * self.width, known.setdefault(tuple(base[c] for c in read), {})
            for c, value in zip(self.free, step(base, self.free, free)):
                new[c] = value
            for t in tuples - after.keys():
                after[t] = tuple(step(self.stream(base, t), self.tied, tied))
            made.append((new, frozenset(after[t] for t in tuples)))

        def error(c, n, moved, cost):
            whole = x[c] + self.e[c] + size[c] + moved + cost * self.tiny
            self.sums(whole)
            return cost * self.tiny + carried[c] + lost[c] + self.g(n + terms[c] + 1) * whole + (n + terms[c]) * self.tiny if n + terms[c] else self.e[c]
        worst = [max(error(c, *case) for case in cases[c]) for c in range(self.width)]
        self.e, self.d = [up(off) if off else 0 for off in worst], self.d + total(columns) * total(rows) * self.dz
        return made

    def read(self, rows, sets, last, prefixes):
        """Margins and errors of the answers at the tokens that ask for them."""
        output, x = self.file["output"], self.sizes(sets)
        wrong, prefix = [self.product(row, x)[1] for row in self.unembedding], output.get("prefix", {"kind": "state", "states": 0, "first_row": 0})
        groups = ([prefix["states"]] if "states" in prefix else [len(prefix["elements"])] if "elements" in prefix else [len(p) for p in prefix["images"]])
        ends = list(itertools.accumulate(groups, initial=prefix["first_row"]))
        questions = [("verdict", [output["accept"], output["reject"]], last)]
        for name, asked, where in questions + [("prefix", range(*pair), prefixes) for pair in zip(ends, ends[1:])]:
            read = {c for r in asked for c in self.unembedding[r]}
            streams = {tuple(h[c] if c in read else 0 for c in range(self.width)) for i in where for t in sets[i][1] for h in [self.stream(sets[i][0], t)]}
            for h in streams if len(asked) > 1 else ():
                *_, second, best = sorted(dot(self.unembedding[r], h) for r in asked)
                margin, error = best - second, 2 * max(wrong[r] for r in asked) + 2 * total(self.unembedding) * self.d
                need(margin > error, "{}: two logits are {} apart, and rounding may take {}", name, F(margin), error)
                old = self.answers.get(name, (margin, error))
                self.answers[name] = min(old[0], margin), max(old[1], error)

    def block(self, block, rows, sets):
        for number, layer in [(number, layer) for number, layer in enumerate(self.layers, 1) if layer[0] == block]:
            sets = self.attention(number, layer, rows, sets) if layer[2] else sets
            sets = self.feedforward(number, layer, sets) if layer[4] else sets
        return rows, sets

    def run(self):
        self.show()
        self.compare()

    def show(self):
        """Bounds of all heads and answers."""
        go, most = self.block, loops_of(self.file["unroll"], self.length)
        state = go("initial", self.rows, self.start())
        for loops in range(most + 1):
            lengths = [n for n in range(self.length + 1) if loops_of(self.file["unroll"], n) == loops or loops == most]
            if lengths:
                kept, before = [i for i, (p, _, end) in enumerate(self.rows) if p < lengths[-1] + self.begin + end], (list(self.e), self.d)
                rows, sets = go("final", *[[part[i] for i in kept] for part in state])
                last = [i for i, (p, _, end) in enumerate(rows) if end == self.end and p + (not end) - self.begin in lengths]
                self.read(rows, sets, last, [i for i, (p, _, end) in enumerate(rows) if not end and p >= self.begin])
                self.e, self.d = before
            state = go("repeated", *state) if loops < most else state

    def compare(self):
        """What the certificate states is no more than what is shown."""
        need(set(self.given) == set(self.heads), "heads: expected those that compare: {}", sorted(self.heads))
        for claim in self.claim["heads"]:
            separation, left, rounding = self.heads[claim["layer"], claim["head"]]
            for low, least in (("separation", separation), ("left", left)):
                self.compare_bounds(f"layer {claim['layer']}, head {claim['head']}", claim, low, least, "rounding", rounding)
        for claim in self.claim["answers"]:
            self.compare_bounds(claim["answer"], claim, "margin", self.answers[claim["answer"]][0], "error", self.answers[claim["answer"]][1])
        need({claim["answer"] for claim in self.claim["answers"]} == set(self.answers), "answers: expected {}", " and ".join(sorted(self.answers)))

    @staticmethod
    def compare_bounds(place, claim, low, least, high, most):
        need(least is None or 0 < rational(claim[low]) <= least, "{}: {} {}; the certificate states more", place, low, F(least or 0))
        need(rational(claim[high]) >= most, "{}: {} {}; the certificate states less", place, high, F(most))

    def exported(self, folder):
        """The numbers of an export are those of the file, rounded to a neighbour; temperatures and tolerances are those of the certificate."""
        _, _, _, kind, letter = FORMATS[self.claim["precision"]]
        data, config = (folder / "model.safetensors").read_bytes(), load(folder / "config.json", float)
        need(hashlib.sha256(data).hexdigest() == self.claim.get("tensors"), "model.safetensors: not the tensors of the certificate")
        read_config(config)
        need(all(config[key] == self.claim[key] for key in ("length", "precision", "attention")), "config.json: other settings")
        need(all(config[key] == self.file[key] for key in FILE_KEYS), "config.json: not this weights file")
        need(sorted(config["tokens"]) == sorted(self.embedding), "config.json: other tokens")
        shape = [(layer["block"], [(head["causal"], head["compares"]) for head in layer["attention"]["heads"]]) for layer in config["layers"]]
        own = [(block, [(causal, any(query) and any(key)) for causal, query, key, *_ in heads]) for block, _, heads, *_ in self.layers]
        need(shape == own, "config.json: other layers or heads")
        sizes = loops_of(self.file["unroll"], self.length), self.length + self.begin + self.end
        need((config["loops"], config["most_tokens"]) == sizes, "config.json: other loops")
        start = 8 + struct.unpack("<Q", data[:8])[0]
        header, unread = json.loads(data[8:start]), set()
        wanted = {"embedding": [self.embedding[kind] for kind in config["tokens"]], "unembedding": self.unembedding,
                  "positions": [position_row(self.file["position"], p) for p in range(config["most_tokens"])]}
        for number, (_, mask, heads, unit_mask, rows, columns) in enumerate(self.layers, 1):
            at, own = f"layers.{number - 1}.", config["layers"][number - 1]
            wanted[at + "out"] = [{u: column[c] for u, column in enumerate(columns) if c in column} for c in range(self.width)]
            read = [("feed-forward", "feedforward", unit_mask, [(at + "in", rows)])]
            named = [(f"{at}heads.{k}.{name}", m) for k, head in enumerate(heads) for name, m in zip(("query", "key", "value"), head[1:4])]
            read.append(("attention", "attention", mask, named))
            for part, key, mask, matrices in read:
                place, norm = f"layer {number}, {part}", own[key]["norm"]
                scale = self.scale.get(place)
                if not scale and place not in self.claim["measured_norms"]:
                    unread |= {name for name, _ in matrices}  # a layer that no word of this length runs, or nothing
                    continue
                if not scale:
                    wanted[f"{at}{key}.mask"] = [mask]
                need(norm is None if scale else not norm["zero_below"], "config.json: {}: another norm", place)
                for name, m in matrices:
                    wanted[name] = [{c: w * scale * mask[c] for c, w in row.items() if c in mask} if scale else row for row in m]
            for k, head in enumerate(heads, 1):
                wanted[f"{at}heads.{k - 1}.output"], stated = head[4], own["attention"]["heads"][k - 1]
                hard, (value, relative) = self.claim["attention"] == "hard", (stated["tolerance"]["value"], stated["tolerance"]["relative"])
                given = F(value if hard else stated["temperature"] or 0)  # also of a head that does not compare: 0 times infinity is none
                same = hard == (stated["temperature"] is None) and 0 <= given < self.most
                if (number, k) in self.heads:
                    same = same and (given <= self.given[number, k] and not relative if hard else given == self.given[number, k])
                need(same, "config.json: layer {}, head {}: another temperature or tolerance", number, k)
        for name, entry in header.items():
            if name.endswith((".numerator", ".denominator", "__metadata__")) or name in unread:
                continue
            rows, (height, width) = wanted.pop(name, None), entry["shape"]
            need(rows is not None or name.endswith(".mask"), "{}: not a matrix of the file", name)
            if rows is None:
                continue
            numbers = struct.unpack(f"<{height * width}{letter}", data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            need(entry["dtype"] == kind and height == len(rows), "{}: another shape", name)
            for n, number in enumerate(numbers):
                w = rows[n // width].get(n % width, 0)
                need(abs(F(number) - w) <= 2 * self.u * abs(w) + self.tiny * (w != 0), "{}[{}]: {} is not {} rounded", name, n, number, F(w))
            need(all(c < width for row in rows for c in row), "{}: another shape", name)
        need(not wanted or all(name.endswith(".mask") for name in wanted), "{}: missing", ", ".join(wanted))
        for number, example in enumerate(config["examples"], 1):
            self.example(number, [config["tokens"][t] for t in example["tokens"]], example, config["unrolled"])
        sums = {name: hashed for hashed, _, name in (line.partition("  ") for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines())}
        need({"config.json", "model.safetensors", "certificate.json"} <= set(sums), "SHA256SUMS: expected all files of the folder")
        for name, hashed in sums.items():
            need("/" not in name and hashlib.sha256((folder / name).read_bytes()).hexdigest() == hashed, "SHA256SUMS: {}: another content", name)

    def example(self, number, kinds, example, unrolled):
        """Every logit of an example is that of the exact run of its word, within the bound on rounding."""
        word = kinds[self.begin:len(kinds) - self.end]
        right = kinds == ["<begin>"] * self.begin + word + ["<end>"] * self.end and set(word) <= set(self.file["alphabet"])
        need(right and example["size"] == len(word) <= self.length and not example["given"], "config.json: example {}: not a word of the certificate", number)
        one = object.__new__(Proof)  # of this word alone
        vars(one).update(vars(self), heads={}, scale={}, rows=[(p, [kind], self.end and p == len(kinds) - 1) for p, kind in enumerate(kinds)])
        state = one.block("initial", one.rows, one.start())
        for _ in range(loops_of(self.file["unroll"], self.length if unrolled else len(word))):
            state = one.block("repeated", *state)
        _, sets = one.block("final", *state)
        bounds = [one.product(row, one.sizes(sets))[1] + total([row]) * one.d for row in self.unembedding]
        shape = [len(logits) for logits in example["logits"]]
        need(shape == [len(bounds)] * len(kinds), "config.json: example {}: another number of logits", number)
        for token, (logits, (base, tuples)) in enumerate(zip(example["logits"], sets)):
            for row, (found, bound) in enumerate(zip(logits, bounds)):
                exact = dot(self.unembedding[row], one.stream(base, *tuples))
                need(abs(F(found) - exact) <= bound, "config.json: example {}, token {}, logit {}: {} is not {}", number, token, row, found, F(exact))


def fields(place, value, names):
    """An object with these keys alone: each with its type, or with the value that it has to have."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed(f"{place}: expected the keys {', '.join(names)}")
    for key, kind in names.items():
        types = kind if isinstance(kind, tuple) else (kind,) if isinstance(kind, type) else ()
        if object not in types and (type(value[key]) not in types if types else value[key] not in kind):
            raise Malformed(f"{place}: {key}: expected {' or '.join(getattr(one, '__name__', str(one)) for one in types or kind)}")


def read_certificate(value):
    """Only what the format has, and nothing twice."""
    keys = {"format": ["logdepth-float-certificate"], "version": [1], "sha256": str, "length": int, "precision": list(FORMATS), "attention": ["softmax", "hard"],
            "sums": ["in any order"], "measured_norms": list, "heads": list, "answers": list}
    fields("certificate", value, keys | ({"tensors": str} if isinstance(value, dict) and "tensors" in value else {}))
    number, weighing = str, "temperature" if value["attention"] == "softmax" else "tolerance"
    for at, head in enumerate(value["heads"]):
        none = [None] if isinstance(head, dict) and head.get("separation") is None else number
        fields(f"certificate: heads[{at}]", head, {"layer": int, "head": int, "separation": none, "rounding": number, "left": number, weighing: number})
    for at, answer in enumerate(value["answers"]):
        fields(f"certificate: answers[{at}]", answer, {"answer": ["verdict", "prefix"], "margin": number, "error": number})
    named = [*value["measured_norms"], *((head["layer"], head["head"]) for head in value["heads"]), *(answer["answer"] for answer in value["answers"])]
    if len(set(named)) != len(named):
        raise Malformed("certificate: expected every norm, head and answer once")
    return value


FILE_KEYS = ("name", "construction", "source", "sha256", "alphabet", "input", "output", "norm", "width", "unroll")
# What a run does not read, and nothing is said of: texts, names of logits and coordinates, what else was proved or tried.
NOT_COVERED = ("certified", "tested", "logits", "residual")


def read_config(value):
    """Only what the format has: whatever a run may read is compared; `name`, `gap` and `rounding` of a head are not covered either."""
    number, place = (int, float), "config.json"
    fields(place, value, {"format": ["logdepth-network"], "version": [1], "precision": str, "attention": str, "length": int, "most_tokens": int, "loops": int,
                          "unrolled": bool, "given": [{"values": 0, "mirror": 0}], "tokens": list, "layers": list, "examples": list} |
           dict.fromkeys((*FILE_KEYS, *NOT_COVERED), object))
    for layer in value["layers"]:
        fields(f"{place}: layer", layer, {"block": str, "attention": dict, "feedforward": dict})
        fields(f"{place}: attention", layer["attention"], {"norm": object, "heads": list})
        fields(f"{place}: feedforward", layer["feedforward"], {"norm": object})
        for norm in [part["norm"] for part in (layer["attention"], layer["feedforward"]) if part["norm"] is not None]:
            fields(f"{place}: norm", norm, {"zero_below": number})
        for head in layer["attention"]["heads"]:
            fields(f"{place}: head", head, {"name": object, "causal": bool, "compares": bool, "temperature": (*number, type(None)), "tolerance": dict,
                                            "gap": object, "rounding": object})
            fields(f"{place}: tolerance", head["tolerance"], {"value": number, "relative": bool})
    for example in value["examples"]:
        fields(f"{place}: example", example, {"tokens": list, "given": list, "size": int, "logits": list})


def require_hash(hashed, weights, certificate):
    need(hashed == certificate["sha256"] == weights["sha256"], "sha256: not the file of the certificate; its content hashes to {}", hashed)


def load(path, numbers=Spelled):
    def unique(pairs):
        if len(dict(pairs)) != len(pairs):
            raise Malformed("no JSON; expected distinct keys")
        return dict(pairs)

    def constant(name):
        raise Malformed(f"no JSON; found {name}")
    data = pathlib.Path(path).read_bytes()
    for begin, what in ((b"\xef\xbb\xbf", "a byte order mark"), (b"\x1f\x8b", "a packed file")):
        if data.startswith(begin):
            raise Malformed(f"{path}: expected JSON, found {what}")
    try:
        return json.loads(data.decode(), parse_float=numbers, object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Malformed(f"{path}: no JSON; expected UTF-8 text of few levels") from None


def written(weights, length, precision, weighing, measured):
    """The certificate of a file. `weighing`: hard, or temperatures with commas between them, one for all heads or one for each of the file."""
    hard = weighing == "hard"
    claim = {"format": "logdepth-float-certificate", "version": 1, "sha256": weights["sha256"], "length": int(length), "precision": precision,
             "attention": "hard" if hard else "softmax", "sums": "in any order", "measured_norms": measured, "heads": [], "answers": []}
    proof = Proof(weights, claim)
    if not hard:
        places = [(number, k) for number, layer in enumerate(proof.layers, 1) for k in range(1, len(layer[2]) + 1)]
        given = [*map(rational, weighing.split(","))]
        if len(given) not in (1, len(places)):
            raise Malformed(f"expected one temperature, or one for each of {len(places)} heads")
        proof.given = dict(zip(places, itertools.cycle(given)))
    proof.show()
    for at, (separation, left, rounding) in sorted(proof.heads.items()):
        left = (left or 0) * (1 - SLACK)
        claim["heads"].append({"layer": at[0], "head": at[1], "separation": separation and stated(separation * (1 - SLACK)),
                               "rounding": stated(rounding * (1 + SLACK)), "left": stated(left),
                               **({"tolerance": stated(left / 2)} if hard else {"temperature": str(proof.given[at])})})
    claim["answers"] = [{"answer": name, "margin": stated(margin * (1 - SLACK)), "error": stated(error * (1 + SLACK))}
                        for name, (margin, error) in sorted(proof.answers.items())]
    return claim


def confirm(weights, certificate, folder):
    """What a certificate, and an export, are shown to be."""
    proof = Proof(weights, certificate)
    proof.run()
    if folder:
        proof.exported(pathlib.Path(*folder))
    print(f"every word of at most {proof.length} letters: every head selects the tokens of the exact run, every answer is that of the exact run")
    print(f"numbers    {certificate['precision']}, {certificate['attention']} attention, sums in any order")
    for claim in certificate["heads"]:
        numbers = ", ".join(f"{key} {float(F(claim[key])):.3g}" for key in ("separation", "rounding", "left") if claim[key] is not None)
        print(f"head       layer {claim['layer']}, head {claim['head']}: {numbers}")
    for claim in certificate["answers"]:
        print(f"answer     {claim['answer']}: margin {float(F(claim['margin'])):.3g}, error {float(F(claim['error'])):.3g}")
    if folder:
        print(f"export     {folder[0]}: the numbers of the file, rounded; of config.json not covered: {', '.join(NOT_COVERED)}")


def main(arguments):
    writes = arguments[:1] == ["--write"]
    if not (len(arguments) > 4 if writes else len(arguments) in (2, 3)):
        print("usage: float_recheck.py WEIGHTS CERTIFICATE [EXPORTED-FOLDER]\n"
              "       float_recheck.py --write WEIGHTS LENGTH float32|float64 hard|TEMPERATURE,... [NORM...]", file=sys.stderr)
        return 2
    files = arguments[1:2] if writes else arguments
    try:
        weights, *certificate = map(load, files[:2])
        hashed = hashlib.sha256((canonical({k: v for k, v in weights.items() if k not in ("derived", "sha256")}) + "\n").encode()).hexdigest()
        if writes:
            require_hash(hashed, weights, weights)
            print(json.dumps(written(weights, *arguments[2:5], arguments[5:]), indent=1, sort_keys=True))
        else:
            require_hash(hashed, weights, *map(read_certificate, certificate))
            confirm(weights, *certificate, arguments[2:])
    except Refused as error:
        print(error if writes else f"not confirmed: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except Malformed as error:
        print(f"{' or '.join(files)}: {error}", file=sys.stderr)
        return 2
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error, RecursionError):
        expected = "options" if writes else "its certificate and an export of it"
        print(f"{' or '.join(files)}: wrong content; expected a weights file, {expected}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
