#!/usr/bin/env python3
"""Proves a logdepth weights file correct for every word of every length, by a certificate of `logdepth certify`.

  recheck.py FILE CERTIFICATE [--against DFA.json] [--steps]

The second implementation of recheck/README.md, in plain Python, for those who trust no C++: same files, same decisions, same
output. Exit status: 0 proved, 1 not proved (or another language than DFA.json), 2 wrong input.
"""
import hashlib
import json
import math
import re
import sys
from fractions import Fraction

MOST_SHIFT = 1 << 40


class Refused(Exception):
    """A step of the proof fails."""


class Malformed(Exception):
    """The input is no weights file, no certificate, no automaton."""


def need(condition, message, *details):
    if not condition:
        raise Refused(message.format(*details))


def expect(condition, message, *details):
    if not condition:
        raise Malformed(message.format(*details))


# ---- JSON: typed access; numbers keep their spelling, repeated keys are refused ---------------------


class Number(str):
    """A JSON number as it is spelled."""


def no_repeats(pairs):
    expect(len({k for k, _ in pairs}) == len(pairs), "no JSON; expected distinct keys")
    return dict(pairs)


def refuse_constant(name):
    raise Malformed(f"no JSON; found {name}")


def check_levels(text):
    """At most 32 levels of lists and objects, found before the recursive reader sees them."""
    level, inside = 0, False
    for token in re.finditer(r'\\.|["\[\]{}]', text, re.S):
        c = token.group()
        if c == '"':
            inside = not inside
        elif not inside and c in "[{":
            level += 1
            expect(level <= 33, "no JSON; expected at most 32 levels")
        elif not inside and c in "]}":
            level -= 1


def read_json(path):
    try:
        with open(path, "rb") as file:
            data = file.read((256 << 20) + 1)
    except OSError:
        raise Malformed(f"{path}: cannot be read") from None
    expect(len(data) <= 256 << 20, "{}: too large; expected at most 256 MiB", path)
    expect(not data.startswith(b"\xef\xbb\xbf"), "{}: a byte order mark; expected JSON without it, 'tail -c +4' removes it", path)
    expect(not data.startswith(b"\x1f\x8b"), "{}: packed; expected JSON, unpack it with gunzip first", path)
    try:
        text = data.decode()
        check_levels(text)
        value = json.loads(text, object_pairs_hook=no_repeats, parse_float=Number, parse_int=Number, parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()  # no lone surrogates
        return value
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{path}: no JSON; {error}") from None
    except Malformed as error:
        raise Malformed(f"{path}: {error}") from None


def canonical(v):
    if isinstance(v, Number):
        return "0" if v == "-0" else str(v)
    if isinstance(v, dict) and v:
        return "{\n" + ",\n".join(canonical(k) + ": " + canonical(v[k]) for k in sorted(v)) + "\n}"
    if isinstance(v, list):
        nested = any(isinstance(x, (list, dict)) for x in v)
        return ("[\n" if nested else "[") + (",\n" if nested else ",").join(map(canonical, v)) + ("\n]" if nested else "]")
    return json.dumps(v, ensure_ascii=False)


def member(v, key):
    expect(isinstance(v, dict), "wrong type; expected an object")
    expect(key in v, "missing key {}", key)
    return v[key]


def only(v, required, optional=()):
    for key in required:
        member(v, key)
    for key in v:
        expect(key in required or key in optional, "unknown key {}", key[:40])
    return v


def array(v, size=None):
    expect(isinstance(v, list), "wrong type; expected an array")
    expect(size is None or len(v) == size, "wrong entry; expected {} values", size)
    return v


def string(v):
    expect(isinstance(v, str) and not isinstance(v, Number), "wrong type; expected a string")
    return v


def boolean(v):
    expect(isinstance(v, bool), "wrong type; expected true or false")
    return v


def integer(v, least, most):
    good = isinstance(v, Number) and re.fullmatch(r"-?[0-9]{1,19}", v) and least <= int(v) <= most
    expect(good, "wrong number; expected an integer from {} to {}", least, most)
    return int(v)


def rational(v):
    good = len(string(v)) <= 20000 and re.fullmatch(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?", v, re.A)
    if good:
        top, _, bottom = v.partition("/")
        top, bottom = int(top), int(bottom or 1)
        good = math.gcd(top, bottom) == 1 and ("/" not in v or bottom > 1)
    expect(good, "wrong number; expected a rational in lowest terms as a string")
    return Fraction(top, bottom)


# ---- the weights file, as far as its meaning depends on it ------------------------------------------


def put(row, last, at, value):
    expect(last < at, "indices do not increase")
    row[at] = rational(value)
    expect(row[at] != 0, "a zero is listed")
    return at


def to_row(v, width):
    row, last = {}, -1
    for entry in array(v):
        last = put(row, last, integer(array(entry, 2)[0], 0, width - 1), entry[1])
    return row


class Matrix:
    def __init__(self, v, rows, columns):
        only(v, ("rows", "columns", "entries"))
        self.rows, self.columns = (integer(v[k], 0, 1 << 24) for k in ("rows", "columns"))
        expect(rows in (None, self.rows) and columns in (None, self.columns), "a matrix has the wrong shape")
        self.at, last = {}, (0, -1)
        for entry in array(v["entries"]):
            r, c = (integer(x, 0, n - 1) for x, n in zip(array(entry, 3), (self.rows, self.columns)))
            expect(r >= last[0], "rows do not increase")
            put(self.at.setdefault(r, {}), last[1] if r == last[0] else -1, c, entry[2])
            last = r, c


class Head:
    def __init__(self, v, width):
        only(v, ("causal", "query", "key", "value", "output", "promise"))
        self.causal = boolean(v["causal"])
        self.key = Matrix(v["key"], None, width)
        self.query = Matrix(v["query"], self.key.rows, width)
        self.output = Matrix(v["output"], width, None)
        self.value = Matrix(v["value"], self.output.columns, width)
        self.contract = v["promise"]  # a claim: the theorem of selections checks it, no other reads it


class Layer:
    def __init__(self, v, width):
        only(v, ("block", "attention", "feedforward"))
        a, f = only(v["attention"], ("mask", "heads")), only(v["feedforward"], ("mask", "in", "out"))
        self.block = string(v["block"])
        self.attention_mask = to_row(a["mask"], width)
        self.heads = [Head(h, width) for h in array(a["heads"])]
        self.feedforward_mask = to_row(f["mask"], width)
        self.into = Matrix(f["in"], None, width)
        self.out = Matrix(f["out"], width, self.into.rows)


KEYS = ("format", "version", "name", "construction", "source", "hypotheses", "deviations", "parameters", "alphabet", "input",
        "output", "norm", "width", "shape", "unroll", "position", "embedding", "layers", "unembedding", "sha256")


class Weights:
    def __init__(self, d):
        only(d, KEYS, ("cells", "derived"))
        expect(string(d["format"]) == "logdepth-weights", "no weights file")
        integer(d["version"], 1, 1)
        hashed = {k: v for k, v in d.items() if k not in ("derived", "sha256")}
        self.sha256 = hashlib.sha256((canonical(hashed) + "\n").encode()).hexdigest()
        expect(self.sha256 == string(d["sha256"]), "wrong sha256; the content hashes to {}", self.sha256)
        self.width = integer(d["width"], 1, 1 << 20)
        self.layernorm = string(d["norm"]) == "layernorm"
        expect(self.layernorm or d["norm"] == "rms", "norm: expected rms or layernorm")
        self.input, self.output, self.unroll, self.position = (d[k] for k in ("input", "output", "unroll", "position"))
        self.kinds = self.token_kinds(d)
        self.embedding = [to_row(member(d["embedding"], kind), self.width) for kind in self.kinds]
        expect(len(d["embedding"]) == len(self.kinds), "embedding: a token that does not occur")
        self.layers = [Layer(v, self.width) for v in array(d["layers"])]
        blocks = ("initial", "repeated", "final")
        only(d["shape"], blocks)
        shape = [integer(d["shape"][b], 0, 4096) for b in blocks]
        expect([x.block for x in self.layers] == [b for b, n in zip(blocks, shape) for _ in range(n)], "layers and shape differ")
        self.unembedding = Matrix(d["unembedding"], None, self.width)

    def limit(self):
        """max_length: letters or tokens at most, if there is a limit."""
        return integer(self.unroll["max_length"], 0, 1 << 60) if "max_length" in self.unroll else None

    def token_kinds(self, d):
        kind, kinds = string(member(self.input, "kind")), []
        if kind == "word" and "begin" in self.input and boolean(self.input["begin"]):
            kinds.append("<begin>")
        if kind == "word" and "end" in self.input:
            kinds.append("<end>")
        if kind == "graph":
            rows = string(member(self.input, "layout")) == "rows"
            kinds = ["<vertex>"] if rows else ["<edge>", "<no-edge>", "<pad>", "<source>", "<target>"]
        kinds += [string(letter) for letter in array(d["alphabet"])]
        expect(len(set(kinds)) == len(kinds), "alphabet: a letter appears twice")
        return kinds

    def has_loop(self):
        return any(layer.block == "repeated" for layer in self.layers)


# ---- forms: dict atom -> Fraction; an atom is ONE or ((kind, id, version, shift), part) --------------

ONE, ZERO = (), (0, 0)
POSITION, REST, LESS, STRIDE, BEFORE, DIVISOR, UNIT = range(1 << 20, (1 << 20) + 7)  # numbers of directions, beside counters


def cell(kind, number=0, version=0, at=ZERO):
    return kind, number, version, at


OWN, NEAR, QUOTIENT, ARGUMENT, ITS_QUOTIENT = range(5)  # positions of the theorem of division, in a K


def own(kind, part=0):
    return cell(kind), part


def own_cell(kind, number):
    return cell(kind, number), 0


def plus(b, c):
    total = b[0] + c[0], b[1] + c[1]
    need(all(abs(x) < MOST_SHIFT for x in total), "a shift is beyond 2^40")
    return total


def times(b, factor):
    need(factor == 0 or all(abs(x) < MOST_SHIFT // factor for x in b), "a shift is beyond 2^40")
    return b[0] * factor, b[1] * factor


def shown(x):
    """A shift, a number or a form, for messages."""
    if isinstance(x, tuple):
        s = ("" if x[0] == 1 else str(x[0])) + "s"
        return str(x[1]) if x[0] == 0 else s + (f"{x[1]:+d}" if x[1] else "")
    if isinstance(x, dict):
        return " + ".join(f"{shown(v)} {a[0][0]}{a[0][1]}[{a[1]}]" if a else shown(v) for a, v in list(x.items())[:8]) or "0"
    return str(x)[:40]


def root(x):
    if x < 0:
        return None
    p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(p, q) if p * p == x.numerator and q * q == x.denominator else None


def add(to, form, factor=1):
    plain = factor.__class__ is int and factor == 1
    for a, v in form.items():
        v = v if plain else v * factor
        if a in to:
            v += to[a]
        if v:
            to[a] = v
        else:
            to.pop(a, None)
    return to


def minus(form, other):
    return add(dict(form), other, -1)


def constant_of(form):
    return form.get(ONE, Fraction(0))


def is_constant(form):
    return set(form) <= {ONE}


def combine(row, stream):
    total = {}
    for c, factor in row.items():
        if c in stream:
            add(total, stream[c], factor)
    return total


def by_cell(form):
    cells = {}
    for a, v in form.items():
        if a != ONE:
            cells.setdefault(a[0], []).append(v)
    return cells


def selects_last(score, flag):
    """Lemma last_flag, of a flag that is +1 or -1: whether the score is u K0 + w flag with 0 < u <= 2 w."""
    rise, weight = (score.get((ONE, key), 0) for key in (own("K", 0), flag))
    return len(score) == 2 and 0 < rise <= 2 * weight


class Frame:
    """What a whole proof shares: the file, the laws of its atoms, and the position code of the atoms K."""

    def __init__(self, weights, size_of):
        self.weights, self.size_of, self.code, self.parameter, self.directions, self.signs = weights, size_of, None, None, [], []
        self.by_rays, self.numbers, self.sign_forms, self.unknowns, self.norm = False, [], [], [], ""  # of the theorem of selections

    def set_code(self, kind, parameter):
        need((self.code, self.parameter) in ((None, None), (kind, parameter)), "two position codes: {} and {}", self.code, kind)
        self.code, self.parameter = kind, parameter

    def simplify(self, form):
        """Uses that the components of a one-hot sum to 1, where all of them occur. The same function afterwards."""
        for c, values in by_cell(form).items():
            if c[0] in "TXO" and len(values) == self.size_of(c):
                v = max(values, key=values.count)
                add(form, {ONE: v} | {(c, i): -v for i in range(len(values))})
        return form

    def is_zero(self, form):
        return not self.simplify(dict(form))

    def largest(self, c):
        """A bound of the atoms of such a cell. v/sqrt(w v^2 + ...) is at most 1/sqrt(w)."""
        return c[2] if c[0] == "M" else max(1, *(1 / w for _, w in self.directions[c[1]])) if c[0] == "D" else 1

    def bounds(self, form):
        """An interval that holds every value of the form."""
        low = high = constant_of(form)
        for c, values in by_cell(form).items():
            if c[0] in "TXOV":
                values += [0] * (c[0] == "V" or len(values) < self.size_of(c))
                low, high = low + min(values), high + max(values)
            elif c[0] == "U":
                ends = [values[0] * end for end in self.unknowns[c[1]][:2]]
                low, high = low + min(ends), high + max(ends)
            else:
                size = sum(map(abs, values)) * self.largest(c)
                low, high = low - size, high + size
        return low, high

    def positive(self, form):
        """Whether every value of the form is positive."""
        low = self.bounds(form)[0]
        strict = lambda a, v: v > 0 if a[0][0] == "V" else a[0][0] == "U" and self.unknowns[a[0][1]][2 if v > 0 else 3]
        return low > 0 or low == 0 and any(a and strict(a, v) for a, v in form.items())

    def apply(self, matrix, stream):
        out = ((r, self.simplify(combine(row, stream))) for r, row in matrix.at.items())
        return {r: form for r, form in out if form}

    # norm(x) = sqrt(m) x / |x|. Lemma norm: |x|^2 reduces to a constant. Lemma direction: x_c = (a_c p + b_c)/(p+1).
    def normalised(self, mask, h, where):
        x = {c: {a: v * factor for a, v in h[c].items()} for c, factor in mask.items() if h.get(c)}
        width, mean = self.weights.width, {}
        for form in x.values():
            add(mean, form, Fraction(1, width))
        if self.weights.layernorm and self.simplify(mean):
            x = {c: minus(x.get(c, {}), mean) for c in range(width)}
        x = {c: form for c, form in ((c, self.simplify(form)) for c, form in x.items()) if form}
        self.norm = "zero"
        if not x:
            return x
        if self.by_rays:
            return self.normalised_by_rays(x, where)
        cells = {a[0] for form in x.values() for a in form if a}
        kinds = {c[0] for c in cells}
        if kinds & set("MVNW"):
            return self.direction(x, where)
        if "H" in kinds:
            return self.parity(x, where)
        square, cross = {}, {}
        for form in x.values():
            self.add_square(list(form.items()), square, cross)
        self.simplify(square)
        cross = {pair for pair, v in cross.items() if v}
        if cross and len(cells) == 1 and kinds == {"D"}:
            return self.direction(x, where)
        if cross and cell("K", NEAR) in cells:
            return self.multiple(x, where)
        need(not cross and is_constant(square), "{}: the norm is not the same at every token", where)
        factor = root(width / square[ONE]) if square else None
        need(factor is not None, "{}: the norm is irrational; expected a square, found {}/({})", where, width, shown(square))
        return {c: {a: v * factor for a, v in form.items()} for c, form in x.items()}

    def add_square(self, items, square, cross):
        def product(a, b, v):
            pair = (a, b) if a <= b else (b, a)
            cross[pair] = cross.get(pair, 0) + v
        for i, (a, v) in enumerate(items):
            for b, w in items[:i]:
                if ONE in (a, b):
                    add(square, {a or b: 2 * v * w})
                elif a[0] != b[0] or a[0][0] not in "TXO":  # else one of two components of a one-hot is 0
                    product(a, b, 2 * v * w)
            if a == ONE or a[0][0] in "FSPEABGJ":
                add(square, {ONE: v * v})  # a flag is +1 or -1
            elif a[0][0] in "TXO":
                add(square, {a: v * v})
            elif a[0][0] == "K" and a[1] % 2:  # y^2 = 1 - x^2
                add(square, {ONE: v * v})
                product((a[0], a[1] - 1), (a[0], a[1] - 1), -v * v)
            elif a[0][0] == "D" and a[1] == 0:  # the first square is 1 - the others
                (_, first), *others = self.directions[a[0][1]]
                add(square, {ONE: v * v / first})
                for part, (_, weight) in enumerate(others):
                    product((a[0], part + 1), (a[0], part + 1), -v * v * weight / first)
            else:
                product(a, a, v * v)

    # Lemma direction: x_c = r l_c with r > 0, l_c linear in whole numbers; sum l_c^2 = k (w1 v1^2 + w2 v2^2 + ...), some w = 1.
    def direction(self, x, where):
        kinds = {a[0][0] for form in x.values() for a in form if a}
        whole = UNIT if "N" in kinds else REST if "W" in kinds else POSITION
        linear, squares = {c: self.linear(form, whole, where) for c, form in x.items()}, {}
        v = min(next(iter(linear.values())))  # Lemma one_sign: all x_c are multiples of one number
        one, leading = next(iter(linear.values())), {c: form.get(v, 0) for c, form in linear.items()}
        if all(a and form == {w: b * a / one[v] for w, b in one.items()} for a, form in zip(leading.values(), linear.values())):
            factor = root(self.weights.width / sum(a * a for a in leading.values()))
            need(factor is not None, "{}: the norm is irrational", where)
            one = sorted((w, b / one[v]) for w, b in one.items())
            if one not in self.signs:
                self.signs.append(one)
            return {c: {own_cell("Z", self.signs.index(one)): a * factor} for c, a in leading.items()}
        for form in linear.values():
            for v, a in form.items():
                for w, b in form.items():
                    if v <= w:
                        squares[v, w] = squares.get((v, w), 0) + (a * b if v == w else 2 * a * b)
        need(all(v == w or not total for (v, w), total in squares.items()), "{}: not a direction of separate numbers", where)
        weights = sorted((v, total) for (v, w), total in squares.items() if v == w)
        need(weights[-1][0] in (DIVISOR, UNIT) and len(weights) > 1, "{}: a direction without a constant", where)
        factor, unit = next(((root(self.weights.width / w), w) for _, w in weights if root(self.weights.width / w)), (None, None))
        need(factor is not None, "{}: the direction is irrational", where)
        return {c: self.along([(v, w / unit) for v, w in weights], form, factor) for c, form in linear.items()}

    def linear(self, form, whole, where):
        """The linear form l with form = r l: r is 1/(whole + 1), 1 if whole is UNIT, or the one of a direction."""
        cells, out = {a[0] for a in form if a}, {}
        if {c[0] for c in cells} == {"D"} and len(cells) == 1 and ONE not in form:
            return {self.directions[next(iter(cells))[1]][part][0]: v for (_, part), v in form.items()}
        kinds = {c[0] for c in cells}
        need(kinds <= set({POSITION: "MV", REST: "W", UNIT: "N"}[whole]), "{}: a norm mixes 1/(p+1) with other numbers", where)
        for a, v in form.items():
            if a == ONE:
                add(out, {UNIT: v})
                add(out, {whole: v} if whole != UNIT else {})
            else:
                add(out, {UNIT if a[0][0] in "VW" else a[0][1]: v})
        return out

    # The norms of the theorem of selections. Lemmas sign_of_a_form, norm, rays.
    def normalised_by_rays(self, x, where):
        rays, by_ray, square, cross = {}, {}, {}, {}
        for c, form in x.items():
            leading = form[min(form)]
            ray = frozenset((a, v / leading) for a, v in form.items())
            rays[ray] = rays.get(ray, 0) + leading * leading
            by_ray[c] = ray, leading
            self.add_square(list(form.items()), square, cross)

        def root_of_width_over(square):
            factor = root(self.weights.width / square)
            need(factor is not None, "{}: the norm is irrational", where)
            return factor
        if len(rays) == 1 and not is_constant(dict(ray)):
            self.norm = "sign of a number"
            factor, form = root_of_width_over(rays[ray]), dict(ray)
            if form not in self.sign_forms:
                self.sign_forms.append(form)
            return {c: {(cell("Q", self.sign_forms.index(form)), 0): v * factor} for c, (_, v) in by_ray.items()}
        if not any(cross.values()) and is_constant(square):
            self.norm = f"squared norm {square[ONE]}"
            factor = root_of_width_over(square[ONE])
            return {c: {a: v * factor for a, v in form.items()} for c, form in x.items()}
        self.norm = f"direction of {len(rays)} numbers"
        never_zero = any(self.positive({a: v * sign for a, v in ray}) for ray in rays for sign in (1, -1))
        need(never_zero, "{}: a direction that may be of zeros; expected a number that is never 0", where)
        weights = sorted((self.number_of(dict(ray), where), v) for ray, v in rays.items())
        k = next((w for _, w in weights if root(self.weights.width / w)), weights[0][1])
        factor = root_of_width_over(k)
        weights = [(v, w / k) for v, w in weights]
        return {c: self.along(weights, {self.number_of(dict(ray), where): v}, factor) for c, (ray, v) in by_ray.items()}

    def number_of(self, ray, where):
        """The number of a direction whose multiple by 1/(p+1) is this form of leading coefficient 1."""
        if ray in ({own("V"): 1}, {ONE: 1, own("V"): -1}):
            return UNIT if ONE not in ray else POSITION
        need(not any(a and a[0][0] == "K" and a[0][1] for a in ray), "{}: a direction of the code of another position", where)
        if ray not in self.numbers:
            self.numbers.append(ray)
        return self.numbers.index(ray)

    def along(self, weights, form, factor=1):
        """factor l/sqrt(w1 v1^2 + ...) as a form: of (p, L), this is a code of the own position."""
        length = root(weights[-1][1]) if [v for v, _ in weights] == [POSITION, UNIT] and weights[0][1] == 1 else None
        if length is not None and self.code in (None, "phi") and self.parameter in (None, length):
            self.set_code("phi", length)
            return {own("K", int(v == UNIT)): a * factor / (length if v == UNIT else 1) for v, a in form.items()}
        if weights not in self.directions:
            self.directions.append(weights)
        d, part = cell("D", self.directions.index(weights)), {v: i for i, (v, _) in enumerate(weights)}
        return {(d, part[v]): a * factor for v, a in form.items()}

    def multiple(self, x, where):
        """Lemma multiple: the codes of the position nearest to p/m and of p/m are equal iff m divides p; the sign is an atom."""
        near, d = (cell("K", NEAR), 0), [(POSITION, 1), (DIVISOR, 1)]
        ratio = (cell("D", self.directions.index(d)), 0) if d in self.directions else None
        factors = {c: form.get(near, 0) for c, form in x.items()}
        good = self.code == "phi" and self.parameter == 1 and all(form == {near: v, ratio: -v} for v, form in zip(factors.values(), x.values()))
        need(good, "{}: not the difference of the codes of p/m and of the position nearest to it", where)
        factor = root(self.weights.width / sum(v * v for v in factors.values()))
        need(factor is not None, "{}: the norm is irrational", where)
        return {c: {own("Y"): v * factor} for c, v in factors.items()}

    def parity(self, x, where):
        """Lemma parity: floor((p+1)/2) and floor(p/2) are one position where p is even, else their codes rise."""
        high, low = (cell("H", i, 2) for i in (1, 0))
        factors = {c: form.get((high, 0), 0) for c, form in x.items()}
        good = self.code == "phi" and all(form == {(high, 0): v, (low, 0): -v} for v, form in zip(factors.values(), x.values()))
        need(good, "{}: not the difference of the codes of p/2, rounded up and down", where)
        factor = root(self.weights.width / sum(v * v for v in factors.values()))
        need(factor is not None, "{}: the norm is irrational", where)
        return {c: {ONE: v * factor / 2, own("P"): -v * factor / 2} for c, v in factors.items()}

    # Heads. Lemmas code_match, phi_back, mean_first.
    def score(self, query, key):
        """The bilinear form {(atom at the query, atom at the key): v}, without what is equal for all keys."""
        columns = {}
        for b, form in whole_score(query, key).items():
            for a, v in self.simplify(form).items():
                columns.setdefault(a, {})[b] = v
        return {(a, b): v for a, form in columns.items() for b, v in self.simplify(form).items() if b != ONE}

    def matched(self, score, where):
        """The shift b such that the largest score is that of position max(p - b, 0) alone."""
        need({b[0] for _, b in score} == {cell("K")}, "{}: keys are not the own position code", where)
        pointers = {a[0] if a else ONE for a, _ in score}
        need(len(pointers) == 1 and ONE not in pointers, "{}: the query is not one pointer", where)
        (pointer,) = pointers
        need(pointer[0] in "KD", "{}: the query is not one pointer", where)
        entry, back = {(a[1], b[1]): v for (a, b), v in score.items()}, 0
        if pointer[0] == "D":
            return self.behind({(self.directions[pointer[1]][i][0], j): v for (i, j), v in entry.items()}, where)
        if self.code == "phi" and (1, 0) in entry and (0, 0) in entry:
            k = -entry.pop((1, 0)) * self.parameter / entry[0, 0]
            need(k.denominator == 1 and 0 <= k < 1 << 30, "{}: moves back by {}; expected a count", where, shown(k))
            back = int(k)
        parts = 4 if self.code == "two-circle" else 2
        need(set(entry) == {(i, i) for i in range(parts)}, "{}: the scores are not the product of two position codes", where)
        for i in range(0, parts, 2):
            need(0 < entry[i, i] == entry[i + 1, i + 1], "{}: expected one positive factor for a unit pair of the code", where)
        return plus(pointer[3], (0, back))

    def behind(self, entry, where):
        """Lemma behind: the query is a positive multiple of (A p + B s + C, E), so that A = E/L makes it the code of p - (b s + c)."""
        a, b, c, e = (entry.pop(at, 0) for at in ((POSITION, 0), (STRIDE, 0), (UNIT, 0), (UNIT, 1)))
        good = not entry and self.code == "phi" and e > 0 and a * self.parameter == e
        need(good, "{}: the query is not the direction of a position before the own one", where)
        b, c = (-x * self.parameter / e for x in (b, c))
        good = b.denominator == c.denominator == 1 and 0 <= b < 1 << 30 and 0 <= b + c and c < 1 << 30
        need(good, "{}: moves back by {} s + {}; expected counts", where, shown(b), shown(c))
        return int(b), int(c)

    def writing_heads(self, layer, h, where):
        """(place, head, what it adds of one token, scores), without the heads that add nothing, whatever they select."""
        z = self.normalised(layer.attention_mask, h, where) if layer.heads else {}
        for n, head in enumerate(layer.heads):
            values = self.apply(head.output, self.apply(head.value, z))
            if values:
                yield f"{where}, head {n}", head, values, self.score(self.apply(head.query, z), self.apply(head.key, z))

    def attention(self, layer, h, where):
        for here, head, values, score in self.writing_heads(layer, h, where):
            if not score:
                need(head.causal or all(map(is_constant, values.values())), "{}: averages all tokens; expected a causal head", here)
                read = lambda form: mean(form, here)
            else:
                b = self.matched(score, here)
                read = lambda form: moved(form, b, here)
            for c, form in values.items():
                h[c] = self.simplify(add(dict(h.get(c, {})), read(form)))

    # Feed-forward. Lemmas ray and sign. Returns the units of unknown sign: form, {coordinate: factor of the ReLU}.
    def feed_forward(self, layer, h, where):
        if not layer.into.rows:
            return []
        z, columns, rays, left = self.normalised(layer.feedforward_mask, h, where), {}, {}, []
        for c, row in layer.out.at.items():
            for unit, v in row.items():
                columns.setdefault(unit, {})[c] = v
        for unit, form in self.apply(layer.into, z).items():
            leading = form[min(form)]
            ray = frozenset((a, v / leading) for a, v in form.items())
            linear, relu = rays.setdefault(ray, ({}, {}))
            add(relu, columns.get(unit, {}), abs(leading))
            if leading < 0:
                add(linear, columns.get(unit, {}), leading)
        for ray, (linear, relu) in rays.items():
            form = dict(ray)
            low, high = self.bounds(form)
            if low >= 0:
                add(linear, relu)
            for c, v in linear.items():
                h[c] = add(dict(h.get(c, {})), form, v)
            if low < 0 < high and relu:
                left.append((form, relu))
        for form in h.values():
            self.simplify(form)
        return left

    def embedded(self, T0=own("T", 0)):
        """E(token) + position code. <begin> is kind 0, at position 0 and nowhere else, so the first flag is T0."""
        w, position, h = self.weights, self.weights.position, {}
        put_in = lambda c, form, factor=1: add(h.setdefault(c, {}), form, factor)
        for kind, row in enumerate(w.embedding):
            for c, v in row.items():
                put_in(c, {own("T", kind): v})
        code = string(member(position, "kind"))
        if code == "first-flag":
            only(position, ("kind", "first", "rest"))
            for c, v in to_row(position["rest"], w.width).items():
                put_in(c, {ONE: v, T0: -v})
            for c, v in to_row(position["first"], w.width).items():
                put_in(c, {T0: v})
        else:
            need(code in ("circle", "two-circle", "fine"), "position: {}", code)
            only(position, ("kind", "fills"), ("offset", "parity"))
            self.set_code(code, integer(member(position, "offset"), 1, 1 << 30) if code == "fine" else 0)
            for c, v in to_row(position.get("parity", []), w.width).items():
                put_in(c, {own("P"): v})
            filled = set()
            for fill in array(position["fills"]):
                only(fill, ("at", "back", "scale"))
                for i, c in enumerate(array(fill["at"], 4 if code == "two-circle" else 2)):
                    c = integer(c, 0, w.width - 1)
                    expect(c not in filled, "position: a coordinate is filled twice")
                    filled.add(c)
                    scale = rational(fill["scale"])
                    if scale:
                        put_in(c, {(cell("K", at=(0, integer(fill["back"], 0, 1 << 30))), i): scale})
        for form in h.values():
            self.simplify(form)
        return h


def whole_score(query, key):
    """{atom at the key: form in atoms at the query}"""
    out = {}
    for r in set(query) & set(key):
        for b, v in key[r].items():
            add(out.setdefault(b, {}), query[r], v)
    return {b: form for b, form in out.items() if form}


def moved(form, b, where):
    out = {}
    for a, v in form.items():
        if a != ONE and b != ZERO:
            need(a[0][0] not in "VMDHZ", "{}: reads 1/(p+1) of another token", where)
            a = (*a[0][:3], plus(a[0][3], b)), a[1]
        add(out, {a: v})
    return out


def mean(form, where):
    need(set(form) <= {ONE, own("T", 0)}, "{}: averages {}", where, shown(form))
    return {a if a == ONE else own("V"): v for a, v in form.items()}


# ---- product cells ----------------------------------------------------------------------------------


class Products:
    """Cells that hold the product of the letters in (p - length, p]; decode: (cell or None, images) of every point."""

    def __init__(self, certificate, width):
        self.sizes, self.at, names, self.owner = [], [], {}, {}
        for n, entry in enumerate(array(member(certificate, "cells"))):
            only(entry, ("name", "size", "at"))
            self.sizes.append(integer(entry["size"], 1, 100000))
            expect(names.setdefault(string(entry["name"]), n) == n, "two product cells of one name")
            held = [array(x, 3) for x in array(entry["at"])]
            self.at.append([(integer(c, 0, width - 1), integer(l, 0, self.sizes[n] - 1), rational(x)) for c, l, x in held])
            for c, _, _ in self.at[n]:
                need(c not in self.owner, "product cells share coordinate {}", c)
                self.owner[c] = n
        self.decode, entries = [], array(member(certificate, "decode"))
        for q, entry in enumerate(entries):
            name, images = array(entry, 2)
            if name is None:
                self.decode.append((None, [integer(images, 0, len(entries) - 1)]))
                continue
            expect(string(name) in names, "decode: unknown product cell")
            self.decode.append((names[name], [integer(x, 0, len(entries) - 1) for x in array(images)]))
            need(len(images) == self.sizes[names[name]], "decode: point {} has the wrong number of images", q)
        self.points = [[q for q, (c, _) in enumerate(self.decode) if c == n] for n in range(len(self.sizes))]
        self.label_of = []
        for n, size in enumerate(self.sizes):
            self.label_of.append({})
            for l in range(size):
                images = tuple(self.decode[q][1][l] for q in self.points[n])
                need(self.label_of[n].setdefault(images, l) == l, "two labels of a product cell stand for the same map")
        self.length, self.version, self.cases = (0, 1), 0, 0

    def image(self, q, label_of_cell):
        c, images = self.decode[q]
        return images[0] if c is None else images[label_of_cell(c)]

    def atom(self, n, label, at=ZERO):
        return cell("X", n, self.version, at), label

    def begin(self, frame, h):
        maps, T = [], cell("T")
        for kind in range(len(frame.weights.kinds)):
            labels = []
            for n, at in enumerate(self.at):
                forms = [h.get(c, {}) for c, _, _ in at]
                need(all(a == ONE or a[0] == T for f in forms for a in f), "a coordinate of product cell {} holds a position", n)
                values = [constant_of(f) + f.get((T, kind), 0) for f in forms]
                labels.append(next((l for v, (_, l, x) in zip(values, at) if v == x != 0), None))
                good = labels[n] is not None and all(v == x * (l == labels[n]) for v, (_, l, x) in zip(values, at))
                need(good, "token {}: product cell {} holds no label", kind, n)
            maps.append([self.image(q, lambda c: labels[c]) for q in range(len(self.decode))])
        need(maps[0] == list(range(len(self.decode))), "<begin> does not act as the identity")
        self.bind(h)
        return maps

    def bind(self, h):
        self.version += 1
        for n, at in enumerate(self.at):
            for c, l, x in at:
                h[c] = {self.atom(n, l): x} if x else {}

    def multiply(self, frame, undecided, h, where):
        for form, uses in undecided:
            need(all(c in self.owner for c in uses), "{}: a unit that is not linear writes more than product cells: ReLU({})", where, shown(form))
        changed = [1 for n, at in enumerate(self.at) for c, l, x in at if not frame.is_zero(minus(h.get(c, {}), {self.atom(n, l): x} if x else {}))]
        if not undecided and not changed:
            return ""
        forms = [form for form, _ in undecided] + [h.get(c, {}) for c in self.owner]
        shifts = {ZERO} | {a[0][3] for form in forms for a in form if a and a[0][0] == "X" and a[0][2] == self.version}
        shifts = sorted(shifts, reverse=True)
        k = len(shifts)
        for i, b in enumerate(reversed(shifts)):
            need(b == times(self.length, i), "{}: intervals do not meet; expected shift {}, found {}", where, shown(times(self.length, i)), shown(b))
        self.cases = 0
        for n, at in enumerate(self.at):
            mine = {c for c, _, _ in at}
            units = [(form, {c: v for c, v in uses.items() if c in mine}) for form, uses in undecided]
            coordinates = {c: h.get(c, {}) for c in mine}
            self.walk(frame, where, n, shifts, 0, {q: q for q in self.points[n]}, {}, coordinates, [u for u in units if u[1]])
        step = f"{where}: product of {k} intervals of length {shown(self.length)}, {self.cases} cases\n"
        self.length = times(self.length, k)
        self.bind(h)
        return step

    def walk(self, frame, where, n, shifts, k, at, known, forms, units):
        """Follows the points of cell n through the factors, and splits where a label decides where they go."""
        rest = lambda which: self.split(which, frame, where, n, shifts, k, at, known, forms, units)
        while k < len(shifts):
            for r in sorted(set(at.values())):
                c = self.decode[r][0]
                if c is not None and (c, shifts[k]) not in known:
                    return rest((c, shifts[k]))
            at = {q: self.image(r, lambda c: known[c, shifts[k]]) for q, r in at.items()}
            k += 1
        if units:
            reads = [a[0] for form, _ in units for a in form if a and a[0][0] == "X" and a[0][2] == self.version]
            need(reads, "{}: a unit of unknown sign reads no product cell", where)
            return rest((reads[0][1], reads[0][3]))
        self.cases += 1
        need(self.cases <= 1000000, "{}: too many cases", where)
        label = self.label_of[n].get(tuple(at[q] for q in self.points[n]))
        need(label is not None, "{}: product cell {} has no label for a product", where, n)
        for c, l, x in self.at[n]:
            expected = x * (l == label)
            same = forms[c] == ({ONE: expected} if expected else {})  # most often
            need(same or frame.is_zero(minus(forms[c], {ONE: expected})), "{}: coordinate {} is not the product; expected {}, found {}",
                 where, c, shown(expected), shown(forms[c]))

    def split(self, which, frame, where, n, shifts, k, at, known, forms, units):
        need(len(known) < 1000, "{}: a product reads too many cells", where)
        assumed, open_units = self.atom(which[0], 0, which[1])[0], []
        for form, uses in units:  # the label adds a constant to what the unit reads besides
            parts = {a[1]: v for a, v in form.items() if a and a[0] == assumed}
            rest = {a: v for a, v in form.items() if not a or a[0] != assumed} if parts else form
            open_units.append((rest, parts, uses, *frame.bounds(rest)))
        for label in range(self.sizes[which[0]]):
            def fix(form):
                if not any(a and a[0] == assumed for a in form):
                    return form
                rest = {a: v for a, v in form.items() if not a or a[0] != assumed}
                return add(rest, {ONE: form.get((assumed, label), 0)})
            new, left = {c: fix(form) for c, form in forms.items()}, []
            for rest, parts, uses, low, high in open_units:
                constant = parts.get(label, 0)
                if high + constant <= 0:
                    continue
                form = add(dict(rest), {ONE: constant}) if constant else rest
                if low + constant < 0:
                    left.append((form, uses))
                else:
                    for c, v in uses.items():
                        new[c] = add(dict(new[c]), form, v)
            self.walk(frame, where, n, shifts, k, at, {**known, which: label}, new, left)


# ---- the read-out -----------------------------------------------------------------------------------


class Prefix:
    """Groups of rows, in each of which the largest logit decides what is read of a prefix."""

    def __init__(self, w):
        o = only(w.output, ("kind", "accept", "reject"), ("prefix",))
        rows = w.unembedding.rows
        used = [integer(o[k], 0, rows - 1) for k in ("accept", "reject")]
        self.kind, self.choices, self.points, self.groups, self.first_row = None, [], 0, [], 0
        if "prefix" in o:
            p = o["prefix"]
            self.kind = string(member(p, "kind"))
            self.first_row = integer(member(p, "first_row"), 0, rows)
            lists = lambda v, below: [[integer(x, 0, below - 1) for x in array(images)] for images in array(v)]
            if self.kind == "state":
                only(p, ("kind", "first_row", "states"))
                self.points = integer(p["states"], 1, 1 << 24)
                self.groups = [self.points]
            elif self.kind == "element":
                only(p, ("kind", "first_row", "elements"))
                self.choices = lists(p["elements"], 1 << 24)
                self.points = len(self.choices[0]) if self.choices else 0
                good = all(len(e) == self.points and all(x < self.points for x in e) for e in self.choices)
                expect(good, "output: an element is no map of points")
                expect(len(set(map(tuple, self.choices))) == len(self.choices), "output: an element appears twice")
                self.groups = [len(self.choices)]
            else:
                expect(self.kind == "transformation", "output: unknown prefix read-out")
                only(p, ("kind", "first_row", "points", "images"))
                self.points = integer(p["points"], 1, 1 << 24)
                self.choices = lists(p["images"], self.points)
                expect(len(self.choices) == self.points, "output: images of the wrong number of points")
                self.groups = [len(images) for images in self.choices]
            expect(all(self.groups), "output: a group without rows")
            used += list(range(self.first_row, min(self.first_row + sum(self.groups), rows)))
        count = 2 + sum(self.groups)
        expect(count == rows and len(set(used)) == count, "output: expected every row of the unembedding once")

    def read(self, winners):
        if self.kind == "state":
            return tuple(winners)
        if self.kind == "element":
            return tuple(self.choices[winners[0]])
        return tuple(images[i] for images, i in zip(self.choices, winners))


def winner(logits, where):
    best = max(logits)
    need(logits.count(best) == 1, "{}: the largest logit is a tie", where)
    return logits.index(best)


def verdict_form(frame, h):
    o, rows = frame.weights.output, frame.weights.unembedding.at
    return frame.simplify(minus(combine(rows.get(int(o["accept"]), {}), h), combine(rows.get(int(o["reject"]), {}), h)))


class Automaton:
    def __init__(self, letters, maps, points):
        self.letters, self.maps, self.points = letters, maps, points
        self.initial, self.accepting, self.products = None, set(), set()


# ---- the theorem of scan and radix networks ---------------------------------------------------------


class ShiftScan:
    def __init__(self, weights, certificate):
        only(certificate, ("format", "version", "theorem", "sha256", "cells", "decode"), ("loop",))
        only(weights.input, ("kind", "begin"))
        self.weights, self.certificate, self.steps = weights, certificate, ""
        self.products = Products(certificate, weights.width)
        self.frame = Frame(weights, lambda c: len(weights.kinds) if c[0] == "T" else self.products.sizes[c[1]])

    def prove(self):
        h = self.frame.embedded()
        maps = self.products.begin(self.frame, h)
        self.block("initial", h)
        factor = self.loop(h) if self.weights.has_loop() else 0
        self.block("final", h)
        limit = self.covered(factor)
        automaton, prefixes = self.read_automaton(maps, h)
        return {"name": "shift-scan", "limit": limit, "automaton": automaton, "prefixes": prefixes, "steps": self.steps}

    def block(self, name, h):
        for n, layer in enumerate(self.weights.layers):
            if layer.block == name:
                self.frame.attention(layer, h, f"layer {n}, attention")
                where = f"layer {n}, feed-forward"
                self.steps += self.products.multiply(self.frame, self.frame.feed_forward(layer, h, where), h, where)

    def same(self, found, expected, what):
        need(self.frame.is_zero(minus(found, expected)), "{}; expected {}, found {}", what, shown(expected), shown(found))

    def loop(self, h):
        """Induction: forms in the stride s that hold for s = 1 on entry, and that one pass takes from s to factor * s."""
        claim, most, width = only(self.certificate.get("loop", {}), ("factor", "length", "pointers"), ("directions",)), 1 << 30, self.weights.width
        factor = integer(claim["factor"], 2, most)

        def shift(a, b):
            out = integer(a, 0, most), integer(b, -most, most)
            need(sum(out) >= 0, "the shift {} is negative", shown(out))
            return out
        length = shift(*array(claim["length"], 2))
        p = self.products
        need(p.length == (0, sum(length)), "the loop begins with intervals of length {}", shown(p.length))
        entry, after = {c: form for c, form in h.items() if c not in p.owner}, {}
        for c, number, x, old, *weights in (array(x, 6) for x in array(claim.get("directions", []))):
            c, number, x, old, weights = integer(c, 0, width - 1), integer(number, 0, 2), rational(x), boolean(old), [rational(w) for w in weights]
            need(c not in p.owner and c not in after, "two claims of coordinate {}", c)
            need(min(weights) > 0, "a direction of weight {}", shown(min(weights)))

            def form(stride, times=1):  # of (p, times stride, 1)
                v = (POSITION, stride, UNIT)[number]
                total = {}
                for w, weight in zip((POSITION, stride, UNIT), (Fraction(1), weights[0] * times ** 2, weights[1])):
                    total[w] = total.get(w, 0) + weight
                return self.frame.along(sorted(total.items()), {v: x * (times if number == 1 else 1)} if x else {})
            self.same(h.get(c, {}), form(UNIT), f"coordinate {c} enters the loop")
            entry[c], after[c] = (form(BEFORE), form(STRIDE)) if old else (form(STRIDE), form(STRIDE, factor))
        for c, part, x, a, b in (array(x, 5) for x in array(claim["pointers"])):
            c, part, x, b = integer(c, 0, width - 1), integer(part, 0, 3), rational(x), shift(a, b)
            need(c not in p.owner and c not in after, "two claims of coordinate {}", c)
            form = lambda at: {(cell("K", at=at), part): x} if x else {}
            self.same(h.get(c, {}), form((0, sum(b))), f"coordinate {c} enters the loop")
            entry[c], after[c] = form(b), form((times(b, factor)[0], b[1]))
        for c, form in entry.items():
            need(all(a == ONE or a[0][0] != "X" for a in form), "coordinate {} enters the loop with {}", c, shown(form))
        h.update({c: dict(form) for c, form in entry.items()})
        p.length = length
        self.block("repeated", h)
        expected = times(length, factor)[0], length[1]
        need(p.length == expected or not p.sizes, "one loop makes intervals of length {}; expected {}", shown(p.length), shown(expected))
        for c in range(width):
            if c not in p.owner:
                self.same(h.get(c, {}), after.get(c, entry.get(c, {})), f"coordinate {c} ends a loop")
        h.update({c: dict(form) for c, form in entry.items()})
        p.length = length
        self.steps += f"induction: stride s to {factor} s, intervals of length {shown(length)}\n"
        return factor

    def covered(self, factor):
        """Up to which number of letters all intervals begin at position 0; None for every number."""
        u, (a, b) = self.weights.unroll, self.products.length
        only(u, ("kind",), u)
        limit = self.weights.limit()
        if not self.products.sizes:
            return limit  # no interval matters
        if string(u["kind"]) == "fixed":
            only(u, ("kind", "loops"), ("max_length",))
            loops = integer(u["loops"], 0, 1 << 60)
            while factor and loops and 0 < a < 1 << 119:
                a, loops = a * factor, loops - 1
            need(limit is not None and a + b >= limit, "intervals of length {} are too short", a + b)
            return limit
        only(u, ("kind", "of", "minus"), ("base", "max_length"))
        minus_ = integer(u["minus"], 0, 1)
        base = integer(member(u, "base"), 3, 1 << 30) if u["kind"] == "ceil_log" else 2
        good = (u["kind"] == "ceil_log2") != ("base" in u) and string(u["of"]) == "letters" and factor
        need(good, "unroll: not a number of loops of this theorem")
        need(factor >= base, "a loop multiplies the stride by {}; expected at least the base {}", factor, base)
        need(a >= 1 and b >= minus_ and a + b >= minus_ + 1, "intervals of length {} are too short for the number of loops", shown((a, b)))
        return limit

    def labels(self, n):
        return range(1 if n is None else self.products.sizes[n])

    def tables(self, form):
        """An affine form of product cells: constant, {cell: value of each label}."""
        tables = {}
        for a, v in self.frame.simplify(dict(form)).items():
            if a != ONE:
                need(a[0][0] == "X" and a[0][2:] == (self.products.version, ZERO), "a logit reads more than the product")
                tables.setdefault(a[0][1], [Fraction(0)] * self.products.sizes[a[0][1]])[a[1]] = v
        return constant_of(self.frame.simplify(dict(form))), tables

    def read_automaton(self, maps, h):
        """The automaton whose letters act as `maps` (after <begin>), and what is read of prefixes."""
        automaton = Automaton(self.weights.kinds[1:], maps[1:], len(self.products.decode))
        prefixes = "products" if self.check_prefixes(h) else ""
        self.verdict(automaton, h)
        return automaton, prefixes

    def check_prefixes(self, h):
        rows, p = Prefix(self.weights), self.products
        if rows.kind is None:
            return False
        need(rows.kind != "state", "output: a read-out of states; expected products")
        need(rows.points == len(p.decode), "output: the read-out has {} points; expected {}", rows.points, len(p.decode))
        r = rows.first_row
        for group, size in enumerate(rows.groups):
            where = f"prefix read-out, group {group}"
            points = range(len(p.decode)) if rows.kind == "element" else [group]
            cells = {p.decode[q][0] for q in points} - {None}
            need(len(cells) <= 1, "{}: elements of several product cells", where)
            n = next(iter(cells), None)
            logits = [self.tables(combine(self.weights.unembedding.at.get(r + i, {}), h)) for i in range(size)]
            need(all(set(t) <= {n} for _, t in logits), "{}: a logit reads another product cell", where)
            r += size
            for l in self.labels(n):
                images = [p.image(q, lambda c: l) for q in points]
                best = winner([k + (t[n][l] if t else 0) for k, t in logits], where)
                right = rows.choices[best] == images if rows.kind == "element" else rows.choices[group][best] == images[0]
                need(right, "{}: label {} is not read as its product", where, l)
        return True

    def verdict(self, x, h):
        Prefix(self.weights)  # that accept and reject are rows
        p = self.products
        constant, read = self.tables(verdict_form(self.frame, h))
        for q in range(x.points):  # does the image of one point decide?
            n = p.decode[q][0]
            if set(read) <= {n}:
                accepts = {}
                for l in self.labels(n):
                    v = constant + (read[n][l] if read else 0)
                    need(v != 0, "the verdict is a tie")
                    if accepts.setdefault(p.image(q, lambda c: l), v > 0) != (v > 0):
                        break
                else:
                    x.initial, x.accepting = q, {t for t, v in accepts.items() if v}
                    return
        left = [tuple(range(x.points))]
        seen = set(left)
        while left:
            product = left.pop()
            v = constant + sum(t[p.label_of[n][tuple(product[q] for q in p.points[n])]] for n, t in read.items())
            need(v != 0, "the verdict is a tie")
            if v > 0:
                x.products.add(product)
            for letter in x.maps:
                after = tuple(letter[t] for t in product)
                if after not in seen:
                    seen.add(after)
                    need(len(seen) <= 100000, "more than 100000 products")
                    left.append(after)


# ---- the theorem of the tree ------------------------------------------------------------------------


class Tree(ShiftScan):
    """At level s a token is active if s divides its number of letters. A: it is active; B: the token before is; J: some token up to
    it has B; G: the number c of active tokens up to it is odd, or 0; O: it is the first one; M of number LESS: (c - 1)/(p + 1)."""

    FRESH, LAST, BEFORE = ZERO, (0, 1), (0, 2)  # X of the token, of the last active token before it, of the token before

    def __init__(self, weights, certificate):
        only(certificate, ("format", "version", "theorem", "sha256", "cells", "decode", "active"))
        only(weights.input, ("kind", "begin", "end"))
        self.weights, self.certificate, self.steps = weights, certificate, ""
        self.products = Products(certificate, weights.width)
        sizes = {"T": lambda c: len(weights.kinds), "X": lambda c: self.products.sizes[c[1]], "O": lambda c: 2}
        self.frame = Frame(weights, lambda c: sizes[c[0]](c))

    def prove(self):
        w, p, u = self.weights, self.products, self.weights.unroll
        h = self.frame.embedded(own("O"))
        maps = p.begin(self.frame, h)
        self.initial(h)
        self.active = {}
        for c, x in (array(x, 2) for x in array(self.certificate["active"])):
            c, x = integer(c, 0, w.width - 1), rational(x)
            need(c not in p.owner and c not in self.active, "coordinate {} is claimed twice", c)
            self.same(h.get(c, {}), {ONE: x, own("T", 0): -2 * x}, f"coordinate {c} enters the loop")
            self.active[c], h[c] = x, {own("A"): x}
        for c, form in h.items():
            need(all(a == ONE or a[0][0] in "OVKHP" or c in p.owner or c in self.active for a in form), "coordinate {} enters the loop with {}", c, shown(form))
        for block in ("repeated", "final"):
            self.level(block, h)
        only(u, ("kind", "of", "minus"), ("max_length",))
        good = string(u["kind"]) == "ceil_log2" and string(u["of"]) == "letters" and integer(u["minus"], 0, 1) == 0
        need(good, "unroll: not a number of loops of this theorem")
        limit = w.limit()
        automaton, prefixes = self.read_automaton(maps, h)
        return {"name": "levels", "limit": limit, "automaton": automaton, "prefixes": prefixes, "steps": self.steps}

    def initial(self, h):
        for n, layer in enumerate(self.weights.layers):
            if layer.block == "initial":
                self.read_heads(layer, h, f"layer {n}, attention")
                where = f"layer {n}, feed-forward"
                left = self.frame.feed_forward(layer, h, where)
                need(not left, "{}: a unit of unknown sign", where)

    def level(self, block, entry):
        """Lemma level, of the layers of a block: what they do to A, J, G and the product cells."""
        layers = [(n, layer) for n, layer in enumerate(self.weights.layers) if layer.block == block]
        need(layers, "no {} layers; expected a level of the tree in a loop and one after it", block)
        h, left = {c: dict(form) for c, form in entry.items()}, []
        for n, layer in layers:
            where = f"layer {n}, feed-forward"
            need(not left, "{}: a unit of unknown sign before it", where)
            self.read_heads(layer, h, f"layer {n}, attention")
            left = self.frame.feed_forward(layer, h, where)
        for a, j, g in ((a, j, g) for a in (1, -1) for j in (1, -1) for g in (1, -1)):
            flags = {own("A"): a, own("J"): j, own("G"): g}
            fix = lambda form: add({x: v for x, v in form.items() if x not in flags}, {ONE: sum(v * form.get(x, 0) for x, v in flags.items())})
            now, units = {c: fix(form) for c, form in h.items()}, []
            for form, uses in left:
                form = fix(form)
                low, high = self.frame.bounds(form)
                if low < 0 < high:
                    units.append((form, uses))
                elif high > 0:
                    for c, v in uses.items():
                        now[c] = add(dict(now.get(c, {})), form, v)
            here = f"{where}, token {'' if a > 0 else 'not '}active, {'' if j > 0 else 'none '}before, {'odd' if g > 0 else 'even'}"
            p = self.products
            p.length = (0, 1)
            version = p.version
            self.steps += p.multiply(self.frame, units, now, here)
            joins = g < 0 if a > 0 else j > 0 and g > 0
            need(p.length == (0, 1 + joins) or not p.sizes, "{}: a product of {} intervals; expected {}", here, p.length[1], 1 + joins)
            p.version = version
            for c in range(self.weights.width):
                if c not in p.owner:
                    expected = {ONE: self.active[c] * (1 if a > 0 > g else -1)} if c in self.active else entry.get(c, {})
                    self.same(now.get(c, {}), expected, f"{here}: coordinate {c} ends a level")

    def read_heads(self, layer, h, where):
        for here, head, values, score in self.frame.writing_heads(layer, h, where):
            need(head.causal, "{}: not causal", here)
            moves = self.selected(score, here)
            for c, form in values.items():
                h[c] = self.frame.simplify(add(dict(h.get(c, {})), self.moved(form, moves, here)))

    def moved(self, form, moves, where):
        """moves: from the cell of an atom to that of an atom at the own token, or to a form; None: the own token."""
        out = {}
        for a, v in form.items():
            if a == ONE or moves is None:
                add(out, {a: v})
                continue
            to = moves.get(a[0])
            need(to is not None, "{}: reads {} of another token", where, shown(form))
            add(out, to if isinstance(to, dict) else {(to, a[1]): Fraction(1)}, v)
        return out

    def products_at(self, at, to):
        p = self.products
        return {cell("X", n, p.version, at): cell("X", n, p.version, to) for n in range(len(p.sizes))}

    def selected(self, score, where):
        frame, K, B, V = self.frame, cell("K"), cell("B"), own("V")
        if not score:  # Lemma count
            mean = {ONE: Fraction(-1), V: Fraction(2), (cell("M", LESS, 1), 0): Fraction(2)}
            return {cell("O"): {V: Fraction(1)}, cell("A"): mean}
        queries, keys = {a[0] if a else ONE for a, _ in score}, {b[0] for _, b in score}
        if queries == {ONE} and keys == {K, B}:
            need(selects_last(score, own("B")) and frame.code == "phi", "{}: not the last token after an active one", where)
            return {B: cell("J"), **self.products_at(self.BEFORE, self.LAST)}
        need(keys == {K} and len(queries) == 1 and ONE not in queries and frame.code == "phi", "{}: the query is not one position", where)
        (query,), entry, L = queries, {(a[1], b[1]): v for (a, b), v in score.items()}, frame.parameter
        if query == K and entry.get((0, 0)) == entry.get((1, 1)):
            b = frame.matched(score, where)
            need(b in (ZERO, (0, 1)), "{}: moves back by {}", where, shown(b))
            return {cell("A"): B, **self.products_at(self.FRESH, self.BEFORE)} if b != ZERO else None
        if query == K:  # Lemma floor: the query is a positive multiple of (A p + B L, E L)
            a, b, e = (entry.pop(at, 0) for at in ((0, 0), (1, 0), (1, 1)))
            good = not entry and a > 0 and e == 2 * a and b * L / e in (0, Fraction(-1, 2)) and L * 4 > 1
            need(good, "{}: not half of the own position", where)
            return {K: cell("H", 0 if b else 1, 2)}
        numbers = [v for v, _ in frame.directions[query[1]]] if query[0] == "D" else []
        good = numbers == [LESS, UNIT] and set(entry) == {(0, 0), (1, 1)} and entry[1, 1] == L * entry[0, 0] > 0
        need(good, "{}: not the position of the count", where)
        return {cell("P"): cell("G")}


# ---- the theorem of cascades of resets --------------------------------------------------------------


class Resets:
    """The heads of every stage: ("last", selected classes), ("back", positions), ("floor", counter, divisor, offset). A class is
    (class before, selected ...); of a floor, the parity of its position. A counter: (stage, {class before it: weight})."""

    order = repr

    def __init__(self, weights):
        only(weights.input, ("kind", "begin"))
        need(string(member(weights.unroll, "kind")) == "fixed", "unroll: expected no loops")
        only(weights.unroll, ("kind", "loops"), ("max_length",))
        self.weights, self.steps, self.stages, self.counters = weights, "", [], []
        self.frame = Frame(weights, lambda c: len(weights.kinds))

    def token(self, state, kind):
        """The class of a token of this kind after `state` (None: at the beginning), and the state after it."""
        now, memory, before = kind, [], []
        for heads in self.stages:
            key = (now,)
            before.append(now)
            for what, *how in heads:
                held = state[len(memory)] if state is not None else None
                if what == "back":
                    queue = (held if state is not None else (now,) * how[0]) + (now,)
                    key, held = key + queue[:1], queue[1:]
                elif what == "last":
                    need(state is not None or now in how[0], "<begin> is not selected by a head that looks for the last of some classes")
                    held = (now,) if now in how[0] else held
                    key += held
                else:
                    (stage, weights), divisor, offset = self.counters[how[0]], *how[1:3]
                    held = ((held[0] + weights.get(before[stage], 0)) % (2 * divisor) if state is not None else 0,)  # <begin> is not counted
                    key += ((held[0] + offset) // divisor % 2,)
                memory.append(held)
            now = key
        return now, tuple(memory)

    def explore(self):
        """All classes that occur in any word, and all states with their successors."""
        self.begin_class, first = self.token(None, 0)
        self.classes, self.next, left = {self.begin_class}, {}, [first]
        self.first, seen = first, {first}
        while left:
            state = left.pop()
            for k in range(1, len(self.weights.kinds)):
                now, after = self.next[state, k] = self.token(state, k)
                self.classes.add(now)
                if after not in seen:
                    seen.add(after)
                    need(len(seen) <= 20000, "more than 20000 states of the heads")
                    left.append(after)
        self.states = len(seen)

    def prove(self):
        w = self.weights
        need(not w.has_loop(), "a repeated block; expected initial layers only")
        limit = w.limit()
        self.streams = self.embedded()
        self.explore()
        for n, layer in enumerate(w.layers):
            if layer.heads:
                self.attention(layer, f"layer {n}, attention")
            for x in self.classes:
                left = self.frame.feed_forward(layer, self.streams[x], f"layer {n}, feed-forward")
                need(not left, "layer {}, feed-forward: a unit of unknown sign", n)
        self.steps += f"{len(self.classes)} classes of tokens, {self.states} states of the heads\n"
        automaton, prefixes = self.compare()
        return {"name": "resets", "limit": limit, "automaton": automaton, "prefixes": prefixes, "steps": self.steps}

    def embedded(self):
        """The stream of every kind of token."""
        start, T = self.frame.embedded(), cell("T")
        fixed = lambda form, kind: add({a: v for a, v in form.items() if not a or a[0] != T}, {ONE: form.get((T, kind), 0)})
        return {kind: {c: fixed(form, kind) for c, form in start.items()} for kind in range(len(self.weights.kinds))}

    def heads(self, layer, where):
        """What the heads select, and what they write: for every class that is selected, and at every token."""
        frame = self.frame
        z = {x: frame.normalised(layer.attention_mask, self.streams[x], where) for x in sorted(self.classes, key=self.order)}
        heads, read, everywhere = [], [], {}
        for n, head in enumerate(layer.heads):
            here = f"{where}, head {n}"
            values = {x: frame.apply(head.output, frame.apply(head.value, y)) for x, y in z.items()}
            if not any(values.values()):
                continue  # adds nothing, whatever it selects
            need(head.causal, "{}: not causal", here)
            selection = self.select({x: frame.apply(head.query, y) for x, y in z.items()},
                                    {x: frame.apply(head.key, y) for x, y in z.items()}, here)
            what = selection[0] if selection else None
            chosen = [stream for x, stream in values.items() if what != "last" or x in selection[1]]
            of_position = what == "floor" and selection[4] and not any(own("P") in form for stream in chosen for form in stream.values())
            known = {ONE, own("K", 0), own("K", 1)} if of_position else {ONE, own("P")} if what == "floor" else {ONE}
            need(what != "floor" or all(stream == chosen[0] for stream in chosen), "{}: reads the class of a token that is known by its position alone", here)
            need(all(set(form) <= known for stream in chosen for form in stream.values()), "{}: reads the position of another token", here)
            if not selection:
                self.add_mean(values, everywhere, here)
                continue
            self.steps += f"{here}: {self.described(selection, len(z))}\n"
            if of_position:  # the code there is an atom of its own
                code = lambda a: a if a == ONE else (cell("H", selection[3], selection[2]), a[1])
                for c, form in chosen[0].items():
                    add(everywhere.setdefault(c, {}), {code(a): v for a, v in form.items()})
                continue
            heads.append(selection)
            read.append((what, values))
        return heads, read, everywhere

    def attention(self, layer, where):
        heads, read, everywhere = self.heads(layer, where)
        self.stages.append(heads)
        self.explore()
        after = {}
        for key in self.classes:
            h = after[key] = {c: dict(form) for c, form in self.streams[key[0]].items()}
            for c, form in everywhere.items():
                add(h.setdefault(c, {}), form)
            for (what, values), x in zip(read, key[1:]):
                for c, form in (next(iter(values.values())) if what == "floor" else values[x]).items():
                    for a, v in form.items():
                        add(h.setdefault(c, {}), {ONE: v if a == ONE or x == 0 else -v})
        self.streams = after

    @staticmethod
    def described(selection, classes):
        what, *how = selection
        if what == "back":
            return f"{how[0]} positions back"
        return f"the last token of {len(how[0])} of {classes} classes" if what == "last" else f"position floor((count {how[0]} + {how[2]})/{how[1]})"

    def add_mean(self, values, everywhere, where):
        """A uniform head: the mean of what <begin> holds and of a multiple of a count."""
        at = lambda x, c: constant_of(values[x].get(c, {}))
        others, wanted = [x for x in values if x != self.begin_class], 0
        written = sorted({c for stream in values.values() for c in stream})
        for c in written:
            if not any(at(x, c) for x in others):
                wanted = abs(at(self.begin_class, c))
        for c in written:
            first, distinct = at(self.begin_class, c), {at(x, c) for x in others}
            form = add(everywhere.setdefault(c, {}), {own("V"): first})
            same = min(distinct, default=Fraction(0))
            if len(distinct) <= 1 and (self.frame.code is None or same in (0, first)):  # p of p + 1 tokens hold the same
                add(form, {ONE: same, own("V"): -same})
            else:
                counter, unit = self.counted({x: at(x, c) for x in others}, wanted, where)
                largest = max(map(abs, self.counters[counter][1].values()))
                add(form, {(cell("M", counter, largest), 0): unit})

    def counted(self, numbers, wanted, where):
        """The numbers as unit * weights, with weights that are counts: number of the counter, unit."""
        denominator = math.lcm(*(v.denominator for v in numbers.values()))
        unit = Fraction(math.gcd(*(int(v * denominator) for v in numbers.values())), denominator)
        if wanted and (unit / wanted).denominator == 1:
            unit = wanted
        if next(v for v in numbers.values() if v) < 0:
            unit = -unit
        weights = {x: v / unit for x, v in numbers.items()}
        need(all(abs(v) <= 10 ** 9 for v in weights.values()), "{}: averages numbers that are no multiples of small counts", where)
        return self.counter(len(self.stages), {x: int(v) for x, v in weights.items()}), unit

    def counter(self, *counter):
        if counter not in self.counters:
            self.counters.append(counter)
        return self.counters.index(counter)

    def select(self, queries, keys, where):
        """What the head selects at every token; None if all scores are equal."""
        name = lambda stream: repr(sorted((r, sorted(form.items())) for r, form in stream.items()))
        names, found = {x: name(stream) for x, stream in keys.items()}, []
        distinct = {names[x]: stream for x, stream in keys.items()}
        for query in {name(stream): stream for stream in queries.values()}.values():
            scores = {n: whole_score(query, key) for n, key in distinct.items()}
            first = next(iter(scores.values()))
            if any(b != ONE and not is_constant(form) for score in scores.values() for b, form in score.items()):
                need(all(score == first for score in scores.values()), "{}: the score depends on the class of the key", where)
                score = {(x, y): v for y, form in first.items() if y != ONE for x, v in form.items()}
                k0, k1 = own("K", 0), own("K", 1)
                counts = any(x and x[0][0] == "D" for x, _ in score) or score.get((k0, k0)) != score.get((k1, k1))
                found.append(self.floor(score, where) if counts else self.match(score, where))
            else:
                top = self.last_flag(scores, where)
                found.append(top and ("last", frozenset(x for x in keys if names[x] in top)))
        need(all(x == found[0] for x in found), "{}: selects differently at different tokens", where)
        return found[0]

    def match(self, score, where):
        b = self.frame.matched(score, where)
        need(b[0] == 0 and b[1] <= 64, "{}: reads {} positions back; expected at most 64", where, shown(b))
        return "back", b[1]

    def floor(self, score, where):
        """Lemma floor: the query is a positive multiple of ((A C + B)/E, 1), C a count or the own position."""
        cells = {x[0] if x else ONE for x, _ in score}
        need(len(cells) == 1 and {y[0] for _, y in score} == {cell("K")}, "{}: the score is not that of one count and the own position code", where)
        (d,) = cells
        code, parameter, own_position = self.frame.code, self.frame.parameter, d == cell("K") and self.frame.code == "phi"
        need(own_position or d and d[0] == "D", "{}: the score is not that of one count and the own position code", where)
        numbers = [POSITION, UNIT] if own_position else [v for v, _ in self.frame.directions[d[1]]]
        entry = {(numbers[x[1]], y[1]): v * (parameter if own_position and x[1] else 1) for (x, y), v in score.items()}
        counted = min(v for v, _ in entry)
        a, b, e = (entry.pop(at, 0) for at in ((counted, 0), (UNIT, 0), (UNIT, 1)))
        good = not entry and counted <= POSITION and a > 0 and e > 0 and code in ("phi", "fine")
        need(good, "{}: not the nearest position to a count", where)
        if code == "phi":
            m, rest, gap = e / (a * parameter), parameter * b / e + Fraction(1, 2), 1 / (8 * parameter)
        else:
            m, rest, gap = e / a, b / e - Fraction(parameter - 1, 2), Fraction(1, parameter + 1)
        stage, held = self.counters[counted] if counted < POSITION else (len(self.stages), {x: 1 for x in self.classes if x != self.begin_class})
        scale, m = m.denominator, m.numerator
        need(scale <= 1000, "{}: divides by {}/{}", where, m, scale)
        held = {x: scale * v for x, v in held.items()}
        need(max(1, *held.values()) <= m <= 1000 and min(held.values()) >= 0, "{}: divides by {}", where, m)
        i = math.floor(m * rest)
        need(0 <= i < m, "{}: adds {} to a count", where, i)
        need(Fraction(i + 1, m) - rest > gap, "{}: a count divided by {} is not rounded down", where, m)
        return "floor", self.counter(stage, held), m, i, counted == POSITION and scale == 1

    def last_flag(self, scores, where):
        weights, slopes = {}, set()
        for name, score in scores.items():
            need(all(map(is_constant, score.values())), "{}: the query depends on the position", where)
            need(set(score) <= {ONE, own("K", 0)}, "{}: the key is not the rising component of a position code", where)
            weights[name] = constant_of(score.get(ONE, {}))
            slopes.add(constant_of(score.get(own("K", 0), {})) * (-1 if self.frame.code == "circle" else 1))
        need(len(slopes) == 1, "{}: positions weigh differently in different classes", where)
        (slope,), top = slopes, max(weights.values())
        if slope == 0 and set(weights.values()) == {top}:
            return None
        need(slope > 0, "{}: selects several tokens of some classes", where)
        need(self.frame.code in ("circle", "fine", "phi"), "{}: no rising component of a position code", where)
        need(all(v == top or top - v >= slope for v in weights.values()), "{}: the position may outweigh the class", where)
        return {name for name, v in weights.items() if v == top}

    def read_class(self, rows, x):
        def number(form):
            need(is_constant(form), "read-out: a logit depends on the position")
            return constant_of(form)
        winners, r, at, h = [], rows.first_row, self.weights.unembedding.at, self.streams[x]
        for size in rows.groups:
            winners.append(winner([number(combine(at.get(r + i, {}), h)) for i in range(size)], "read-out"))
            r += size
        verdict = number(verdict_form(self.frame, h))
        need(verdict != 0, "read-out: the verdict is a tie")
        return rows.read(winners), verdict > 0

    def compare(self):
        """What is read after a letter is a function of what was read before it and of the letter; for products, the product."""
        rows = Prefix(self.weights)
        need(rows.kind is not None, "no prefix read-out")
        product, letters = rows.kind != "state", range(1, len(self.weights.kinds))
        read = {x: self.read_class(rows, x) for x in self.classes}
        begin, accepts_empty = read[self.begin_class]
        need(not product or begin == tuple(range(rows.points)), "<begin> does not act as the identity")
        maps = {k: list(read[self.next[self.first, k][0]][0]) if product else [-1] * rows.points for k in letters}
        accepts, left = {begin: accepts_empty}, [(self.first, begin)]
        seen = set(left)
        while left:
            state, before = left.pop()
            for k in letters:
                x, after = self.next[state, k]
                now, accepted = read[x]
                if product:
                    need(now == tuple(maps[k][t] for t in before), "after letter {}: a product is read wrongly", k - 1)
                else:
                    need(maps[k][before[0]] in (-1, now[0]), "after letter {}: state {} leads to two states", k - 1, before[0])
                    maps[k][before[0]] = now[0]
                need(accepts.setdefault(now, accepted) == accepted, "the verdict is not a function of what is read")
                if (after, now) not in seen:
                    seen.add((after, now))
                    left.append((after, now))
        x = Automaton(self.weights.kinds[1:], [maps[k] for k in letters], rows.points)
        good = {what for what, accepted in accepts.items() if accepted}
        if product:
            x.products = good
        else:
            x.initial, x.accepting = begin[0], {what[0] for what in good}
        return x, "products" if product else "states"


# ---- the theorem of counting programs ---------------------------------------------------------------


def divisor(numbers):
    """The largest rational of which all are integer multiples."""
    bottom = math.lcm(*(v.denominator for v in numbers))
    return Fraction(math.gcd(*(int(v * bottom) for v in numbers)), bottom)


def signs_of(group):
    return [sign for sign in (-1, 0, 1) if group >> sign + 1 & 1]


class Counting(Resets):
    """All heads average, and signs of sums of counts decide. A class is (kind, signs of the first comparison, ...): a set of signs,
    where several lead to the same stream."""

    order = tuple

    def prove(self):
        w = self.weights
        need(not w.has_loop(), "a repeated block; expected none")
        need("prefix" not in w.output, "output: a prefix read-out; expected a verdict alone")
        Prefix(w)  # that accept and reject are rows
        limit = w.limit()
        self.streams = {(kind,): h for kind, h in self.embedded().items()}
        self.classes, self.begin_class, self.compared, self.text = set(self.streams), (0,), [], []
        for n, layer in enumerate(w.layers):
            if layer.heads:
                heads, _, everywhere = self.heads(layer, f"layer {n}, attention")
                need(not heads, "layer {}, attention: a head selects tokens; expected averages", n)
                self.stages.append(heads)
                for h in self.streams.values():
                    for c, form in everywhere.items():
                        add(h.setdefault(c, {}), form)
            self.decide(layer, f"layer {n}, feed-forward")
        self.steps += f"{len(self.classes)} classes of tokens\n"
        return {"name": "counting", "limit": limit, "automaton": None, "program": self.program(), "steps": self.steps}

    def decide(self, layer, where):
        """A feed-forward sublayer. Where it reads the sign of a sum, every class is one for each sign."""
        left = {x: self.frame.feed_forward(layer, h, where) for x, h in self.streams.items()}
        forms = lambda x: [*self.streams[x].values(), *(form for form, _ in left[x])]
        found = {x: {a[0] for form in forms(x) for a in form if a and a[0][0] == "Z"} for x in self.classes}
        signs = found[self.begin_class]
        need(len(signs) <= 1 and all(x == signs for x in found.values()), "{}: compares differently at different tokens", where)
        number = next(iter(signs))[1] if signs else None
        if number is not None and number not in self.compared:
            self.compared.append(number)
            self.text.append(self.comparison(number))
        before, self.streams = self.streams, {}
        at = self.compared.index(number) + 1 if signs else 0
        for x, h in before.items():
            alike = []  # streams, each with the set of signs that lead to it
            for sign in [0] if not signs else self.signs(number, x == self.begin_class) if len(x) == at else signs_of(x[at]):
                fix = lambda form: add({a: v for a, v in form.items() if not a or a[0] not in signs}, {ONE: sum(sign * form.get((z, 0), 0) for z in signs)})
                new = {c: fix(form) for c, form in h.items()}
                for form, uses in left[x]:
                    form = fix(form)
                    need(is_constant(form), "{}: a unit of unknown sign", where)
                    for c, v in uses.items():
                        add(new.setdefault(c, {}), {ONE: max(constant_of(form), 0) * v})
                new = {c: form for c, form in new.items() if form}
                same = next((i for i, (stream, _) in enumerate(alike) if stream == new), len(alike))
                alike[same:same + 1] = [(new, (alike[same][1] if same < len(alike) else 0) + (1 << sign + 1))]
            for new, group in alike:
                self.streams[x[:at] + (group,) + x[at + 1:] if signs else x] = new
        self.begin_class = next(x for x in self.streams if x[0] == 0)
        self.classes = set(self.streams)
        need(len(self.classes) <= 20000, "more than 20000 classes of tokens")

    def parts(self, number):
        """The sum that is compared: ([(variable, integer)], unit, rest): unit times (the sum of these and rest)."""
        form = dict(self.frame.signs[number])
        rest = form.pop(UNIT, Fraction(0))
        unit = divisor(form.values()) if form else Fraction(1)
        return [(v, int(a / unit)) for v, a in form.items()], rest / unit

    def signs(self, number, begin):
        counts, rest = self.parts(number)
        if begin or not counts:
            return [(rest > 0) - (rest < 0)]
        return [-1, 0, 1] if rest.denominator == 1 else [-1, 1]

    # The program that is proved, in the syntax of docs/crasp.md.
    def comparison(self, number):
        counts, rest = self.parts(number)
        terms = []
        for v, factor in counts:
            weights = self.counters[v][1] if v < POSITION else {(k,): 1 for k in range(1, len(self.weights.kinds))}
            for value in sorted(set(weights.values()) - {0}, reverse=True):
                text, _ = self.tree({x: weight == value for x, weight in weights.items()})
                terms.append((value * factor, f"#[{text}]"))
        text = ""
        for value, count in terms + [(math.ceil(rest), "")]:
            if value or not text and not count:
                size = f"{abs(value)} * {count}" if count and abs(value) != 1 else count or str(abs(value))
                text += (" - " if value < 0 else " + ") + size if text else ("-" if value < 0 else "") + size
        return f"x{len(self.compared)} := {text}"

    def tree(self, wanted, depth=0, begin=None):
        """A Boolean that holds at a class as is wanted there, and whether it holds at <begin>, if its class is given."""
        if len(set(wanted.values())) == 1:
            value = next(iter(wanted.values()))
            return ("true" if value else "false"), value
        branches = []
        for value in sorted({x[0] for x in wanted}):
            rest = {x[1:]: good for x, good in wanted.items() if x[0] == value}
            same = next((branch for branch in branches if branch[1] == rest), None)
            if same:
                same[0].append(value)
            else:
                branches.append(([value], rest))
        after = begin and begin[1:]
        if len(branches) == 1:
            return self.tree(branches[0][1], depth + 1, after)
        parts, holds = [], False
        for values, rest in branches:
            text, there = self.tree(rest, depth + 1, after)
            if text != "false":
                literal = self.literal(values, depth)
                parts.append(literal if text == "true" else f"{literal} and {text}")
                holds = holds or bool(begin and depth and any(begin[0] & group for group in values) and there)
        return (f"({' or '.join(parts)})" if len(parts) > 1 else parts[0]), holds

    def literal(self, values, depth):
        if depth == 0:
            text = " or ".join(self.letter(kind) for kind in values)
            return f"({text})" if len(values) > 1 else text
        name, (_, rest) = f"x{depth}", self.parts(self.compared[depth - 1])
        values = signs_of(sum(values))
        if rest.denominator != 1:
            return f"{name} > 0" if values == [1] else f"{name} <= 0"
        return {(-1,): "{} < 0", (0,): "{} = 0", (1,): "{} > 0", (-1, 0): "{} <= 0", (0, 1): "{} >= 0", (-1, 1): "not {} = 0"}[tuple(values)].format(name)

    def letter(self, kind):
        letter = self.weights.kinds[kind]
        return f"Q_{letter}" if re.fullmatch("[A-Za-z0-9_]+", letter) else "Q_" + canonical(letter)

    def program(self):
        accepted = {}
        for x, h in self.streams.items():
            verdict = verdict_form(self.frame, h)
            need(is_constant(verdict), "read-out: a logit depends on the position")
            need(constant_of(verdict) != 0, "read-out: the verdict is a tie")
            accepted[x] = constant_of(verdict) > 0
        begin = accepted.pop(self.begin_class)
        text, holds = self.tree(accepted, 0, self.begin_class)
        if holds != begin:  # the empty word, at which no letter holds
            letters = self.literal(range(1, len(self.weights.kinds)), 0)
            text = f"{text} or not {letters}" if begin else f"{text} and {letters}"
        spelled = lambda letter: letter if letter and letter[0] != '"' and all(c > " " and c != "\x7f" for c in letter) else canonical(letter)
        return "\n".join(["alphabet " + " ".join(map(spelled, self.weights.kinds[1:])), *self.text, f"L := {text}"])


# ---- the theorem of division ------------------------------------------------------------------------


class Division:
    """m >= 1 is the same at all tokens, a <= p the argument of a token. K of id ARGUMENT is the code of a, and so on; D of version
    ARGUMENT is read there; E is +1 where m divides p, else -1; Y a sign, 0 where m divides p; W is 1/((p mod m) + 1)."""

    TEXT = {OWN: "p", NEAR: "nearest position to p/m", QUOTIENT: "floor(p/m)", ARGUMENT: "a", ITS_QUOTIENT: "floor(a/m)"}

    def __init__(self, weights, certificate):
        self.weights, self.certificate, self.steps = weights, certificate, ""
        self.frame = Frame(weights, lambda c: -1)

    def prove(self):
        w = self.weights
        need(string(member(w.unroll, "kind")) == "fixed" and not w.has_loop(), "a repeated block; expected none")
        only(w.unroll, ("kind", "loops"), ("max_length",))
        self.limit = w.limit()
        h = self.given()
        for n, layer in enumerate(w.layers):
            if layer.heads:
                self.attention(layer, h, f"layer {n}, attention")
            where = f"layer {n}, feed-forward"
            for form, uses in self.frame.feed_forward(layer, h, where):
                need(set(form) == {own("Y")}, "{}: a unit of unknown sign", where)
                for c, v in uses.items():  # relu(Y) = (|Y| + Y)/2 and |Y| = (1 - E)/2
                    add(h.setdefault(c, {}), {ONE: v / 4, own("E"): -v / 4, own("Y"): v / 2})
        names = [string(name) for name in array(w.output["names"])]
        expect(len(names) == w.unembedding.rows, "unembedding: expected a row for every output")
        answers = [self.answer(name, combine(w.unembedding.at.get(r, {}), h)) for r, name in enumerate(names)]
        lines = [f"given      {canonical(name)} = {text}" for name, text in zip(w.input["names"], self.texts)]
        return {"name": "division", "limit": self.limit, "automaton": None, "lines": lines + answers, "steps": self.steps}

    def given(self):
        """What the certificate assumes of the inputs, and the constant coordinates."""
        w, h = self.weights, {}
        only(w.input, ("kind", "names"), ("mirrored",))
        names, claims = array(w.input["names"]), array(member(self.certificate, "given"))
        expect(len(names) == len(claims), "given: expected an entry for every input")
        mirrored = boolean(w.input.get("mirrored", False))
        expect(len(names) <= (w.width // 2 if mirrored else w.width), "input: more names than coordinates")
        need(not mirrored or w.width % 2 == 0, "input: no room for the mirrored numbers")
        self.texts = []
        for c, (name, claim) in enumerate(zip(names, claims)):
            string(name)
            form, text = self.claimed(*array(claim, 3))
            self.texts.append(text)
            add(h.setdefault(c, {}), form)
            if mirrored:
                add(h.setdefault(c + w.width // 2, {}), form, -1)
        need(string(member(w.position, "kind")) == "first-flag", "position: expected the first flag")
        only(w.position, ("kind", "first", "rest"))
        first, rest = (to_row(w.position[key], w.width) for key in ("first", "rest"))
        need(first == rest, "position: expected the same at every token")
        for c, v in rest.items():
            add(h.setdefault(c, {}), {ONE: v})
        return h

    def claimed(self, number, length, part):
        """["p", "", 0]: the number p, as "m" and "1"; ["p", "m", i]: component i of dir(p, m), as ["p", "12", i] and ["a", "1", i]."""
        number, length, part = string(number), string(length), integer(part, 0, 1)
        if not length:
            expect(number in ("p", "m", "1") and part == 0, "given: expected p, m or 1")
            return ({ONE: Fraction(1)} if number == "1" else {own_cell("N", POSITION if number == "p" else DIVISOR): Fraction(1)}), number
        text = f"dir({number}, {length}).{part}"
        if number == "a":
            expect(length == "1", "given: expected dir(a, 1)")
            self.frame.set_code("phi", Fraction(1))
            return {(cell("K", ARGUMENT), part): Fraction(1)}, text
        expect(number == "p", "given: expected a direction of p or a")
        with_m = length == "m"
        size = Fraction(1) if with_m else Fraction(integer(Number(length), 1, 1 << 30))
        other = DIVISOR if with_m else UNIT
        return self.frame.along([(POSITION, Fraction(1)), (other, size * size)], {(POSITION, other)[part]: (Fraction(1), size)[part]}), text

    def attention(self, layer, h, where):
        for here, head, values, score in self.frame.writing_heads(layer, h, where):
            need(head.causal, "{}: not causal", here)
            what = self.selected(score, here)
            self.steps += f"{here}: {what}\n"
            for c, form in values.items():
                h[c] = add(dict(h.get(c, {})), self.read(form, what, here))

    def selected(self, score, where):
        frame, K = self.frame, cell("K")
        queries, keys = {a[0] if a else ONE for a, _ in score}, {b[0] for _, b in score}
        if queries == {ONE} and keys == {K, own("E")[0]}:
            need(selects_last(score, own("E")), "{}: not the last multiple of m", where)
            return "last multiple"
        need(len(queries) == len(keys) == 1 and ONE not in queries, "{}: the query is not one position", where)
        (query,), (key,) = queries, keys
        entry = {(a[1], b[1]): v for (a, b), v in score.items()}
        if query[0] == key[0] == "K" and (query, key) in ((K, K), (cell("K", ARGUMENT), K), (cell("K", QUOTIENT), cell("K", QUOTIENT))):
            need(set(entry) == {(0, 0), (1, 1)} and 0 < entry[0, 0] == entry[1, 1], "{}: the scores are not the product of two position codes", where)
            return "same quotient" if key != K else "own position" if query == K else "argument"
        ratio = query[0] == "D" and query[2] == OWN and frame.directions[query[1]] == [(POSITION, 1), (DIVISOR, 1)]
        need(ratio and frame.code == "phi", "{}: the query is not a position or p/m", where)
        if key == K and (1, 0) not in entry:  # Lemma nearest
            good = set(entry) == {(0, 0), (1, 1)} and entry[1, 1] == frame.parameter * entry[0, 0] > 0
            need(good, "{}: not the position nearest to p/m", where)
            return "nearest to p/m"
        numbers, size = frame.directions[key[1]] if key[0] == "D" and key[2] == OWN else [], 1  # Lemma floor, phi over L
        if key == K:  # (j, L)/|(j, L)|
            numbers, size = [(POSITION, 1), (UNIT, frame.parameter ** 2)], frame.parameter
        need([v for v, _ in numbers] == [POSITION, UNIT] and numbers[0][1] == 1, "{}: keys are not a code of the own position", where)
        square, (a, b, e) = numbers[1][1], (entry.pop(at, 0) for at in ((0, 0), (1, 0), (1, 1)))
        e *= size
        # The key is (j, 1)/|(j, L)|: the query is a positive multiple of (p/m + b/a, L^2).
        good = not entry and a > 0 and e == a * square and b == -a / 2
        need(good, "{}: not p/m rounded down", where)
        need(self.limit is not None and self.limit ** 2 <= 64 * square, "{}: rounds down up to {} tokens only", where, shown(64 * square))
        return "floor of p/m"

    def read(self, form, what, where):
        K = lambda id: cell("K", id)
        moves = {"nearest to p/m": {K(OWN): K(NEAR)}, "last multiple": {K(NEAR): K(QUOTIENT)}, "floor of p/m": {K(OWN): K(QUOTIENT)},
                 "argument": {K(OWN): K(ARGUMENT), K(QUOTIENT): K(ITS_QUOTIENT)}}
        out = {}
        for a, v in form.items():
            if what == "own position" or a == ONE:
                add(out, {a: v})
            elif what == "same quotient":
                need(a == own("E"), "{}: averages {}", where, shown(form))
                add(out, {ONE: -v, own("W"): 2 * v})
            elif what == "argument" and a[0][0] == "D" and a[0][2] == OWN and [x for x, _ in self.frame.directions[a[0][1]]] == [REST, UNIT]:
                add(out, {(cell("D", a[0][1], ARGUMENT), a[1]): v})
            else:
                need(a[0] in moves[what], "{}: reads {} of another token", where, shown(form))
                add(out, {(moves[what][a[0]], a[1]): v})
        return out

    def answer(self, name, form):
        need(len(form) == 1 and ONE not in form, "output {}: not one component of a direction; found {}", name, shown(form))
        (((kind, number, version, _), part), v), = form.items()
        if kind == "K":
            what = f"dir({self.TEXT[number]}, {shown(self.frame.parameter)}).{part}"
        else:
            good = kind == "D" and self.frame.directions[number] == [(REST, 1), (UNIT, 1)]
            need(good, "output {}: no code of a position; found {}", name, shown(form))
            what = f"dir({'a' if version == ARGUMENT else 'p'} mod m, 1).{part}"
        return f"answers    {canonical(name)} = {'' if v == 1 else shown(v) + ' * '}{what}"


# ---- the theorem of reachability over rows ----------------------------------------------------------


def flag(i, j):
    return {ONE: Fraction(1)} if i == j else {(cell("F", i), j): Fraction(1)}


def squared(form):
    """R replaced by R;R"""
    return {(cell("S", a[0][1]), a[1]) if a else a: v for a, v in form.items()}


class Rows:
    def __init__(self, weights):
        self.weights, self.frame = weights, Frame(weights, lambda c: -1)

    def prove(self):
        w, frame = self.weights, self.frame
        only(w.input, ("kind", "layout", "size"), ("mirrored",))
        n = self.n = integer(w.input["size"], 1, w.width)
        need(n >= 3, "size {}; expected at least 3, fewer vertices have few graphs: run them all", n)
        only(w.output, ("kind",))
        need(len(w.layers) == 1 and w.has_loop(), "expected one repeated layer and no other")
        u, layer = w.unroll, w.layers[0]
        need(string(member(u, "kind")) == "ceil_log2", "unroll: expected ceil_log2")
        only(u, ("kind", "of", "minus"), ("max_length",))
        integer(u["minus"], 0, 1)  # n - minus >= 2, so 2^loops >= n - 1 either way
        need(string(u["of"]) == "vertices", "unroll: expected loops counted in vertices")
        limit = w.limit()
        need(limit is None or limit >= n, "unroll: max_length is below the size")
        start = self.given()
        h = [{c: dict(form) for c, form in x.items()} for x in start]
        z = [frame.normalised(layer.attention_mask, x, f"token {i}, attention") for i, x in enumerate(start)]
        for s, head in enumerate(layer.heads):
            self.attend(head, z, h, f"head {s}")
        for i in range(n):
            need(not frame.feed_forward(layer, h[i], f"token {i}, feed-forward"), "token {}, feed-forward: a unit of unknown sign", i)
            for c in range(w.width):
                expected, found = squared(start[i].get(c, {})), h[i].get(c, {})
                need(found == expected, "token {}: coordinate {} ends a loop; expected {}, found {}", i, c, shown(expected), shown(found))
        expect(w.unembedding.rows == n, "unembedding: expected a row for every vertex")
        for i in range(n):
            for j in range(n):
                logit = combine(w.unembedding.at.get(j, {}), start[i])
                need(set(logit) == set(flag(i, j)) and min(logit.values()) > 0, "logit {} of token {}: found {}", j, i, shown(logit))
        return {"name": "reachability", "limit": n, "automaton": None, "prefixes": "", "steps": ""}

    def given(self):
        w, n = self.weights, self.n
        need(string(member(w.position, "kind")) == "table", "position: expected a table")
        only(w.position, ("kind", "rows"))
        need(len(array(w.position["rows"])) >= n, "position: fewer rows than vertices")
        mirrored = boolean(w.input.get("mirrored", False))
        need(not mirrored or (w.width % 2 == 0 and n <= w.width // 2), "input: no room for the mirrored row")
        streams = []
        for i in range(n):
            h = {}
            for k in range(n):
                add(h.setdefault(k, {}), flag(i, k))
                if mirrored:
                    add(h.setdefault(k + w.width // 2, {}), flag(i, k), -1)
            for row in (w.embedding[0], to_row(w.position["rows"][i], w.width)):
                for c, v in row.items():
                    add(h.setdefault(c, {}), {ONE: v})
            streams.append(h)
        return streams

    def attend(self, head, z, h, where):
        apply = self.frame.apply
        values = [apply(head.output, apply(head.value, x)) for x in z]
        queries, keys = ([apply(m, x) for x in z] for m in (head.query, head.key))
        written = sorted({c for x in values for c in x})
        need(not written or not head.causal, "{}: causal", where)
        for i in range(self.n if written else 0):
            scores = []
            for key in keys:
                form = {}
                for b, queried in whole_score(queries[i], key).items():
                    for a, v in queried.items():
                        need(ONE in (a, b), "{}: a score multiplies two flags", where)
                        add(form, {a or b: v})
                scores.append(form)
            for c in written:
                add(h[i].setdefault(c, {}), self.or_over_related(scores, [x.get(c, {}) for x in values], i, where))

    def or_over_related(self, scores, read, i, where):
        """Lemma or_head: scores are constant + c R_ik + d R_kj with c > d > 0, what is read is a R_kj + b."""
        for j in range(self.n):
            k = next(k for k in range(self.n) if k not in (i, j))
            related = lambda i, j: (cell("F", i), j)
            c, d, a = (f.get(x, 0) for f, x in ((scores[k], related(i, k)), (scores[k], related(k, j)), (read[k], related(k, j))))
            b = constant_of(read[k])
            rest = [add(add(dict(f), flag(i, k), -c), flag(k, j), -d) for k, f in enumerate(scores)]
            value = [add(minus(f, {ONE: b}), flag(k, j), -a) for k, f in enumerate(read)]
            if c > d > 0 and all(map(is_constant, rest)) and len({constant_of(f) for f in rest}) == 1 and not any(value):
                return add(add({}, squared(flag(i, j)), a), {ONE: b})
        raise Refused(f"{where}, token {i}: not an OR over related tokens")


# ---- the theorem of selections ----------------------------------------------------------------------


class Contract:
    """Proves that a head selects what its contract states. `tokens`: (whether it is <begin>, stream, norm) of every class. A choice
    is (kind, positions back, id of a pointer, classes that are selected)."""

    def __init__(self, frame, head, tokens, where):
        self.frame, self.head, self.tokens, self.where, self.checked = frame, head, tokens, where, set()
        self.queries, self.keys = ([frame.apply(m, z) for _, _, z in tokens] for m in (head.query, head.key))

    def prove(self):
        """The choice of every class, and a text that tells it."""
        contract, every = self.head.contract, range(len(self.tokens))
        kind = string(member(contract, "kind"))
        if kind == "uniform":
            only(contract, ("kind",))
            return [self.uniform(i) for i in every], "all visible positions"
        if kind == "match":
            only(contract, ("kind", "selects"))
            selects = string(contract["selects"])
            expect(selects in ("exactly-one", "at-least-one"), "promise: unknown kind of match")
            return self.one() if selects == "exactly-one" else self.same()
        if kind == "rightmost":
            only(contract, ("kind", "flag"))
            flags = self.numbers("flag")
            return [self.rightmost(flags, i) for i in every], "the last position where its flag is largest"
        need(kind == "flagged", "{}: contract {}; expected one that a lemma covers", self.where, kind)
        only(contract, ("kind", "flag"), ("when",))
        flags, when = self.numbers("flag"), self.numbers("when") if "when" in contract else [1 for _ in every]
        return [self.flagged(flags, when[i] > 0, i) for i in every], "the positions with its flag, else all"

    def unchecked(self, i, when=True):
        query = frozen(self.queries[i]), when
        fresh = query not in self.checked
        self.checked.add(query)
        return fresh

    def numbers(self, key):
        row, out = to_row(self.head.contract[key], self.frame.weights.width), []
        for _, h, _ in self.tokens:
            form = combine(row, h)
            need(is_constant(form), "{}: the contract reads what no class of tokens fixes", self.where)
            out.append(constant_of(form))
        return out

    def scores(self, i):
        return [whole_score(self.queries[i], key) for key in self.keys]

    def uniform(self, i):
        if self.unchecked(i):
            scores = self.scores(i)
            need(all(score == scores[0] and set(score) <= {ONE} for score in scores), "{}: the scores differ; expected equal ones", self.where)
        return "all", 0, 0, ()

    def one(self):
        known = {}
        for i, query in enumerate(self.queries):
            if frozen(query) not in known:
                known[frozen(query)] = self.position(i)
        choices = [known[frozen(query)] for query in self.queries]
        texts = set()
        for kind, back, pointer, _ in choices:
            coded = f"the position {back} before that of a pointer" if back else "the position of a pointer"
            texts.add("the own position" if kind == "own" else f"the position {back} before" if kind == "back" else
                      coded if pointer else "the position nearest to a ratio")
        return choices, " or ".join(sorted(texts)) + ", alone"

    def position(self, i):
        frame, scores, every = self.frame, self.scores(i), tuple(range(len(self.tokens)))
        need(all(score == scores[0] for score in scores), "{}: the score depends on the class of the key", self.where)
        score = {(a, b): v for b, form in scores[0].items() if b != ONE for a, v in form.items()}
        need(score, "{}: all scores are equal; expected one position", self.where)
        (pointer, *_), entry = sorted({a[0] if a else ONE for a, _ in score}), {(a[1] if a else 0, b[1]): v for (a, b), v in score.items()}
        at = lambda query, key: entry.get((query, key), Fraction(0))
        moves = -at(1, 0) * (frame.parameter or 0) / at(0, 0) if at(0, 0) else Fraction(-1)
        whole = pointer and pointer[0] == "K" and at(0, 0) == at(1, 1) and moves.denominator == 1 and moves >= 0
        if frame.code == "phi" and not whole:
            self.nearest(score, entry)
            return "pointer", 0, 0, every
        b = frame.matched(score, self.where)
        if pointer[1]:
            return "pointer", b[1], pointer[1], every
        return ("back", b[1], 0, every) if b[1] else ("own", 0, 0, ())

    def nearest(self, score, entry):
        """Lemma nearest: the query is (A, B) with rational A/B and B > 0, both over the numbers of one direction or pointer."""
        frame, queries = self.frame, {a[0] if a else ONE for a, _ in score}
        need(len(queries) == 1 and {b[0] for _, b in score} == {cell("K")}, "{}: the score is not that of one ratio and the own position code", self.where)
        need(self.head.causal and frame.parameter.denominator == 1, "{}: not causal, or no code over an integer", self.where)
        (query,) = queries
        need(query and query[0] in "DK", "{}: the query is not a direction of numbers", self.where)
        denominator, of_position = {}, 0  # of a pointer, (e, L)/|(e, L)|: e >= 0 is rational
        for (part, key), v in entry.items():
            number = {}
            if query[0] == "D":
                number = self.number_form(frame.directions[query[1]][part][0])
            elif part == 1:
                number = {ONE: Fraction(1)}
            elif key == 1:
                of_position = v
            need(all(map(self.rational, number)), "{}: the query is no ratio of rational numbers", self.where)
            if key == 1:
                add(denominator, number, v)
        need(of_position >= 0 and frame.positive(denominator), "{}: the denominator of a ratio may be 0", self.where)

    def rational(self, atom):
        return atom == ONE or atom[0][0] == "V" or atom[0][0] == "U" and self.frame.unknowns[atom[0][1]][4]

    def number_form(self, number):
        """The number of a direction, times 1/(p+1)."""
        V = own("V")
        return {V: Fraction(1)} if number == UNIT else {ONE: Fraction(1), V: Fraction(-1)} if number == POSITION else self.frame.numbers[number]

    def same(self):
        factor, length = None, None
        for query, key in zip(self.queries, self.keys):
            square, cross = {}, {}
            for r, form in key.items():
                self.frame.add_square(list(form.items()), square, cross)
                if factor is None and r in query:
                    factor = query[r][min(query[r])] / form[min(form)]
            scaled = {r: {a: v * factor for a, v in form.items()} for r, form in key.items()} if factor else None
            need(factor is not None and factor > 0 and scaled == query, "{}: the query is not a positive multiple of the own key", self.where)
            length = constant_of(square) if length is None else length
            need(not any(cross.values()) and is_constant(square) and constant_of(square) == length, "{}: keys of different lengths", self.where)
        return [("some", 0, 0, ())] * len(self.tokens), "the positions with the token's own key"

    def check_rightmost(self, flags, i):
        weights, slopes, K0 = [], set(), own("K", 0)
        for score in self.scores(i):
            good = set(score) <= {ONE, K0} and all(map(is_constant, score.values()))
            need(good, "{}: the score is not a number for each class and a rising component", self.where)
            weights.append(constant_of(score.get(ONE, {})))
            slopes.add(constant_of(score.get(K0, {})) * (-1 if self.frame.code == "circle" else 1))
        c = min(slopes)
        need(len(slopes) == 1 and c > 0, "{}: the score does not rise with the position", self.where)
        need(self.frame.code in ("circle", "fine", "phi"), "{}: no rising component of a position code", self.where)
        both = sorted(set(zip(flags, weights)))
        need(all(y - x >= c if f < g else x == y for f, x in both for g, y in both if f <= g),
                  "{}: the position may outweigh the flag, or the flag is another one", self.where)

    def rightmost(self, flags, i):
        if self.unchecked(i):
            self.check_rightmost(flags, i)
        if self.head.causal and flags[i] == max(flags):
            return "own", 0, 0, ()
        least = max(flags[i], min(f for f, (first, _, _) in zip(flags, self.tokens) if first))
        return "last", 0, 0, tuple(x for x, f in enumerate(flags) if f >= least)

    def flagged(self, flags, when, i):
        holds = [when and f > 0 for f in flags]
        if self.unchecked(i, when):
            ends = {True: set(), False: set()}
            for x, score in zip(holds, self.scores(i)):
                need(set(score) <= {ONE} and all(map(is_constant, score.values())), "{}: the score is not a number for each class", self.where)
                ends[x].add(constant_of(score.get(ONE, {})))
            high, low = ends[True], ends[False]
            good = len(high) <= 1 and len(low) <= 1 and (not high or not low or min(low) < min(high))
            need(good, "{}: the scores do not follow the flag", self.where)
        return "some" if any(holds) else "all", 0, 0, ()


def frozen(stream):
    return frozenset((c, frozenset(form.items())) for c, form in stream.items())


def by_row(stream):
    """An order of streams."""
    return sorted((c, sorted(form.items())) for c, form in stream.items())


def with_signs(form, signs):
    out = {}
    for a, v in form.items():
        add(out, {ONE: v * signs[a[0][1]]} if a and a[0][0] == "Q" else {a: v})
    return out


class Selections:
    """Tier S: every head selects what its contract states, and every norm is what is printed. A class of tokens is (whether it is
    <begin>, stream); an unknown number U is (lower bound, upper one, whether it is never the lower one, the upper one, rational, its
    value at <begin> or None)."""

    MOST = 400

    def __init__(self, weights):
        kind = string(member(weights.input, "kind"))
        need(kind == "word" and boolean(member(weights.input, "begin")), "input: expected words after <begin>")
        self.weights, self.frame = weights, Frame(weights, lambda c: len(weights.kinds))
        self.frame.by_rays = True
        self.sublayer, self.unknowns, self.pointers, self.found = 0, {}, {}, {}

    def prove(self):
        self.classes = self.begin()
        self.block("initial")
        self.loop()
        self.block("final")
        need(self.found, "no head and no norm")
        return [f"{place[-1]}: {' or '.join(sorted(self.found[place]))}" for place in sorted(self.found)]

    def begin(self):
        classes, start = {}, self.frame.embedded()
        for kind in range(len(self.weights.kinds)):
            for parity in (1,) if kind == 0 else (1, -1):  # position 0 is even
                h = {}
                for c, form in start.items():
                    for a, v in form.items():
                        if a and a[0][0] == "T":
                            v, a = (v if a[1] == kind else 0), ONE
                        elif a and a[0][0] == "P":
                            v, a = v * parity, ONE
                        add(h.setdefault(c, {}), {a: v} if v else {})
                self.keep(classes, kind == 0, h, "embedding")
        return classes

    def keep(self, classes, first, h, where):
        h = {c: form for c, form in h.items() if form}
        classes[first, frozen(h)] = h
        need(len(classes) <= self.MOST, "{}: more than 400 classes of tokens", where)

    def block(self, name):
        for n, layer in enumerate(self.weights.layers):
            if layer.block == name:
                if layer.heads:
                    self.attention(layer, n)
                if layer.into.rows:
                    self.feed_forward(layer, n)

    def loop(self):
        """Lemma loop: the block is run on all classes at its head until it makes no new ones."""
        if not self.weights.has_loop():
            return
        every = {}
        for (first, _), h in self.classes.items():
            self.keep(every, first, self.at_head(h), "loop")
        for number in range(17):
            need(number < 16, "the loop makes new classes of tokens in 16 passes")
            self.classes, before = dict(every), len(every)
            for place in self.found:
                if self.weights.layers[place[0]].block == "repeated":
                    self.found[place] = set()
            self.block("repeated")
            for (first, _), h in self.classes.items():
                self.keep(every, first, self.at_head(h), "loop")
            if len(every) == before:
                break
        self.classes = every

    @staticmethod
    def at_head(h):
        """The stream with codes of other positions numbered in their order."""
        numbers, out = {}, {}
        for c in sorted(h):
            for a in sorted(h[c]):
                renamed = a
                if a and a[0][0] == "K" and a[0] != cell("K"):
                    renamed = cell("K", numbers.setdefault(a[0], len(numbers) + 1)), a[1]
                add(out.setdefault(c, {}), {renamed: h[c][a]})
        return out

    # Signs, by which classes are split.
    def choices(self, forms, first):
        out = [{}]
        for number in sorted({a[0][1] for form in forms for a in form if a and a[0][0] == "Q"}):
            out = [{**signs, number: sign} for signs in out for sign in self.possible(self.frame.sign_forms[number], first)]
            need(len(out) <= self.MOST, "more than 400 choices of signs")
        return out

    def possible(self, form, first):
        if first:
            there = {}
            for a, v in form.items():
                known = (1 if a[0][0] == "V" else self.frame.unknowns[a[0][1]][5] if a[0][0] == "U" else None) if a else None
                add(there, {a: v} if known is None else {ONE: v * known})
            form = there
        if not form:
            return [0]
        if self.frame.positive(form):
            return [1]
        if self.frame.positive({a: -v for a, v in form.items()}):
            return [-1]
        low, high = self.frame.bounds(form)
        return [0, 1] if low >= 0 else [-1, 0] if high <= 0 else [-1, 0, 1]

    # Unknown numbers.
    def rational(self, form):
        return all(a == ONE or a[0][0] == "V" or a[0][0] == "U" and self.frame.unknowns[a[0][1]][4] for a in form)

    def unknown(self, key, known):
        if key not in self.unknowns:
            self.unknowns[key] = len(self.frame.unknowns)
            self.frame.unknowns.append(known())
        return cell("U", self.unknowns[key]), 0

    def unknown_of(self, rule, forms, known):
        """What is read by one rule from these forms, one for each class, as a multiple of an unknown number."""
        leading = next((form[min(form)] for form in forms if form), None)
        if leading is None:
            return {}
        scaled = [{a: v / leading for a, v in form.items()} for form in forms]
        return {self.unknown((rule, *(frozenset(form.items()) for form in scaled)), lambda: known(scaled)): leading}

    def within(self, forms):
        ends = [self.frame.bounds(form) for form in forms]
        return min(low for low, _ in ends), max(high for _, high in ends)

    # Attention.
    def attention(self, layer, n):
        where, tokens = f"layer {n}, attention", []
        self.sublayer += 1
        for first, name in sorted(self.classes, key=lambda x: (x[0], by_row(self.classes[x]))):
            h = self.classes[first, name]
            z = self.frame.normalised(layer.attention_mask, h, where)
            self.found.setdefault((n, 1, 0, where), set()).add(self.frame.norm)
            for signs in self.choices(z.values(), first):
                fixed = {c: with_signs(form, signs) for c, form in z.items()}
                tokens.append((first, h, {c: form for c, form in fixed.items() if form}))
            need(len(tokens) <= self.MOST, "{}: more than 400 classes of tokens", where)
        streams = [{frozen(h): h} for _, h, _ in tokens]
        for i, head in enumerate(layer.heads):
            here = f"layer {n}, head {i}"
            choices, text = Contract(self.frame, head, tokens, here).prove()
            self.found.setdefault((n, 0, i, here), set()).add(text)
            values = [self.frame.apply(head.output, self.frame.apply(head.value, z)) for _, _, z in tokens]
            for x, choice in enumerate(choices):
                after = {}
                for read in self.reads(choice, head, tokens, values, x, (self.sublayer, i)):
                    for h in streams[x].values():
                        total = {c: add(dict(h.get(c, {})), read.get(c, {})) for c in {*h, *read}}
                        total = {c: form for c, form in total.items() if form}
                        after[frozen(total)] = total
                        need(len(after) <= self.MOST, "{}: more than 400 classes of tokens", here)
                streams[x] = after
        self.classes = {}
        for (first, _, _), after in zip(tokens, streams):
            for h in after.values():
                self.keep(self.classes, first, h, where)

    def reads(self, choice, head, tokens, values, x, rule):
        """What a token of class x may read. Lemmas read and mean."""
        kind, back, pointer, classes = choice
        if kind in ("all", "some"):
            return [self.mean(kind == "all", head.causal, tokens, values, (self.sublayer, "mean", head.causal) if kind == "all" else rule)]
        if kind == "own" or tokens[x][0] and (head.causal or kind in ("back", "pointer")):
            return [values[x]]
        read = [self.moved(values[y], choice, head, (*rule, kind, back, pointer)) for y in classes]
        return {frozen(stream): stream for stream in read}.values()

    def mean(self, every, causal, tokens, values, rule):
        out = {}
        for c in sorted({c for stream in values for c in stream}):
            forms = [stream.get(c, {}) for stream in values]
            constant = all(map(is_constant, forms))
            first, others = ({frozenset(form.items()) for form, (begin, _, _) in zip(forms, tokens) if begin == which} for which in (True, False))
            if constant and every and len(first) == 1 and len(others) <= 1 and (causal or others in (set(), first)):
                a = constant_of(dict(next(iter(first))))
                b = constant_of(dict(next(iter(others)))) if others else a
                out[c] = add({}, {ONE: b, own("V"): a - b})
                continue

            def known(scaled):
                low, high = self.within(scaled)
                begins = [form for form, (begin, _, _) in zip(scaled, tokens) if begin]
                at = constant_of(begins[0]) if len(first) == 1 and is_constant(begins[0]) else None
                return low, high, every and at is not None and at > low, every and at is not None and at < high, constant, at if causal else None
            out[c] = self.unknown_of(rule, forms, known)
        return out

    def moved(self, value, choice, head, rule):
        """What a class writes, read at its token."""
        out, before = {}, head.causal or choice[0] != "last"
        for c, form in value.items():
            rest, total = {}, out.setdefault(c, {})
            for a, v in form.items():
                if a == ONE:
                    add(total, {a: v})
                elif a[0][0] == "K" and before:
                    add(total, {(self.there(a[0], choice, rule), a[1]): v})
                else:
                    rest[a] = v
            add(total, self.unknown_of(rule, [rest], lambda scaled: (*self.within(scaled), False, False, self.rational(scaled[0]), None)))
        return out

    def there(self, code, choice, rule):
        """The code of the position that is coded at the selected token."""
        kind, back, pointer, _ = choice
        if kind == "back" and code[1] == 0:
            return cell("K", at=plus(code[3], (0, back)))
        if pointer and not back and code == cell("K"):
            return cell("K", pointer)
        return cell("K", self.pointers.setdefault((rule, code), (1 << 24) + len(self.pointers)))

    # Feed-forward.
    def feed_forward(self, layer, n):
        where, after = f"layer {n}, feed-forward", {}
        self.sublayer += 1
        for (first, _), before in self.classes.items():
            h = {c: dict(form) for c, form in before.items()}
            units = self.frame.feed_forward(layer, h, where)
            self.found.setdefault((n, 2, 0, where), set()).add(self.frame.norm)
            for signs in self.choices([*h.values(), *(form for form, _ in units)], first):
                stream = {c: with_signs(form, signs) for c, form in h.items()}
                for form, uses in units:
                    positive = self.relu(with_signs(form, signs))
                    for c, v in uses.items():
                        stream[c] = add(dict(stream.get(c, {})), positive, v)
                self.keep(after, first, stream, where)
        self.classes = after

    def relu(self, form):
        """relu(x) is x or 0 where the sign of x is known, and else a number between 0 and the largest x."""
        low, high = self.frame.bounds(form)
        if low >= 0 or high <= 0:
            return form if low >= 0 else {}
        known = lambda: (Fraction(0), high, False, False, self.rational(form), None)
        return {self.unknown((self.sublayer, "unit", frozenset(form.items())), known): Fraction(1)}


def selections(weights, certificate):
    only(certificate, ("format", "version", "theorem", "sha256", "tier", "proves"))
    need(string(certificate["tier"]) == "S", "certificate: a theorem of tier S")
    limit, lines = weights.limit(), Selections(weights).prove()
    claims = [string(claim) for claim in array(certificate["proves"])]
    need(claims == lines, "the certificate claims other lines than are proved")
    return {"name": "selections", "limit": limit, "automaton": None, "selections": lines, "steps": ""}


# ---- theorem, comparison, command line --------------------------------------------------------------


def prove(document, certificate):
    expect(string(member(certificate, "format")) == "logdepth-certificate", "certificate: expected format logdepth-certificate")
    integer(member(certificate, "version"), 1, 1)
    w = Weights(document)
    need(string(member(certificate, "sha256")) == w.sha256, "certificate: of another file; expected sha256 {}", w.sha256)
    theorem = string(member(certificate, "theorem"))
    kind = string(w.input["kind"])
    if theorem == "reachability":
        only(certificate, ("format", "version", "theorem", "sha256"))
        good = kind == "graph" and string(w.input["layout"]) == "rows" and string(member(w.output, "kind")) == "relation"
        need(good, "not a file of rows of a graph that answers with a relation")
        return Rows(w).prove()
    if theorem == "division":
        only(certificate, ("format", "version", "theorem", "sha256", "given"))
        need(kind == "cells" and string(member(w.output, "kind")) == "cells", "not a file of raw inputs and outputs")
        return Division(w, certificate).prove()
    if theorem == "selections":
        return selections(w, certificate)
    tree = theorem == "levels"
    good = kind == "word" and w.kinds and w.kinds[0] == ("<end>" if tree else "<begin>")
    good = good and (boolean(w.input["end"]) if tree else boolean(member(w.input, "begin")) and "end" not in w.input)
    need(good, "input: expected words {}", "before <end>, without <begin>" if tree else "after <begin>, without <end>")
    need(string(member(w.output, "kind")) == "accept", "output: expected accept or reject")
    need(len(w.kinds) > 1, "alphabet: no letters")
    if tree:
        return Tree(w, certificate).prove()
    if theorem == "shift-scan":
        return ShiftScan(w, certificate).prove()
    expect(theorem in ("resets", "counting"), "certificate: unknown theorem")
    only(certificate, ("format", "version", "theorem", "sha256"))
    return (Resets if theorem == "resets" else Counting)(w).prove()


def statement(theorem, file):
    x, limit = theorem["automaton"], theorem["limit"]
    if "lines" in theorem:
        length = "every length" if limit is None else f"at most {limit} tokens"
        return "\n".join([f"{file}: correct for every input of {length}", f"theorem    {theorem['name']}",
                          "for        tokens p = 0, 1, ..., every integer m >= 1, every integer a of each token with 0 <= a <= p",
                          "where      dir(x, y) = (x, y)/sqrt(x^2 + y^2)", *theorem["lines"]])
    every = "every word of " + ("every length" if limit is None else f"at most {limit} letters")
    if "selections" in theorem:
        heads = sum(", head " in line for line in theorem["selections"])
        norms = len(theorem["selections"]) - heads
        claims = "1 head selects what its contract states" if heads == 1 else f"{heads} heads select what their contracts state"
        claims += ", 1 norm is what it is" if norms == 1 else f", {norms} norms are what they are"
        return "\n".join([f"{file}: proved for {every}: {claims}", "theorem    selections, tier S", *theorem["selections"],
                          "tested, not proved: what the outputs compute"])
    words = f"{file}: correct for {every}"
    if "program" in theorem:
        return f"{words}\ntheorem    {theorem['name']}\nverdict    accepts exactly what this C-RASP program accepts\n{theorem['program']}"
    if x is None:
        return (f"{file}: correct for every graph of at most {limit} vertices\ntheorem    {theorem['name']}\n"
                "answers    logit j of token i is positive if vertex j can be reached from vertex i, negative otherwise")
    numbers = lambda v: " ".join("-" if i < 0 else str(i) for i in v)
    lines = [words, f"theorem    {theorem['name']}", ("states     " if theorem["prefixes"] == "states" else "points     ") + str(x.points)]
    lines += [f"letter     {canonical(letter)}: {numbers(images)}" for letter, images in zip(x.letters, x.maps)]
    if x.initial is not None:
        lines += [f"initial    {x.initial}", f"accepting  {numbers(sorted(x.accepting))}"]
    else:
        lines += [f"accepting  {len(x.products)} products"] + [f"product    {numbers(m)}" for m in sorted(x.products)]
    what = theorem["prefixes"]
    return "\n".join(lines + ["prefixes   " + (f"every prefix is read as its {what[:-1]}" if what else "not read")])


def difference(x, dfa):
    """A shortest word on which X differs from automata-lib's DFA, or None."""
    name = lambda v: str(v) if isinstance(v, Number) else string(v)
    objects = [member(dfa, "transitions")] + list(member(dfa, "transitions").values())
    expect(all(isinstance(v, dict) for v in objects), "transitions: expected an object for every state")
    step = {s: {a: name(t) for a, t in v.items()} for s, v in dfa["transitions"].items()}
    final = {name(s) for s in array(member(dfa, "final_states"))}
    expect({string(a) for a in array(member(dfa, "input_symbols"))} == set(x.letters), "input_symbols: expected the letters of the weights file")
    begin = tuple(range(x.points)) if x.initial is None else (x.initial,)
    todo = [((begin, name(member(dfa, "initial_state"))), "")]
    seen = {todo[0][0]}
    for (mine, other), word in todo:
        good = mine in x.products if x.initial is None else mine[0] in x.accepting
        if good != (other in final):
            return word
        need(len(todo) < 4000000, "--against: too many pairs of states")
        for letter, images in zip(x.letters, x.maps):
            after = tuple(images[t] for t in mine), step.get(other, {}).get(letter)
            if after not in seen:
                seen.add(after)
                apart = word and (len(letter.encode()) > 1 or " " in word)
                todo.append((after, word + (" " if apart else "") + letter))
    return None


def check(file, certificate, against, steps):
    document, claim = read_json(file), read_json(certificate)
    other = against and read_json(against)
    try:
        theorem = prove(document, claim)
    except Refused as error:
        print(f"{file}: not proved: {error}", file=sys.stderr)
        return 1
    except Malformed as error:
        raise Malformed(f"{file} with {certificate}: {error}") from None
    print((theorem["steps"] if steps else "") + statement(theorem, file))
    if against is None:
        return 0
    expect(theorem["automaton"] is not None, "--against requires a file with an automaton")
    try:
        word = difference(theorem["automaton"], other)
    except Malformed as error:
        raise Malformed(f"{against}: {error}") from None
    if word is None:
        print(f"same language as {against}")
        return 0
    print(f'another language than {against}: they differ on the word "{word}"')
    return 1


def main(arguments):
    files, against, steps, rest = [], None, False, iter(arguments)
    for argument in rest:
        if argument == "--steps":
            steps = True
        elif argument == "--against":
            against = next(rest, None)
            if against is None:
                files.append("-")  # refused below
        else:
            files.append(argument)
    if len(files) != 2 or any(x.startswith("-") for x in files):
        print(__doc__, file=sys.stderr)
        return 2
    sys.setrecursionlimit(10000)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    try:
        return check(*files, against, steps)
    except Refused as error:
        print(f"recheck.py: {error}", file=sys.stderr)
        return 1
    except Malformed as error:
        print(f"recheck.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
