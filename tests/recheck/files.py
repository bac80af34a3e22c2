"""What the tests of this folder share: compiled files, the checker and what it has to decide, exact runs by the independent runner."""
import collections
import copy
import functools
import hashlib
import importlib.util
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import gmpy2  # Debian: python3-gmpy2

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGDEPTH = os.environ["LOGDEPTH_BINARY"]
RECHECK = os.environ["LOGDEPTH_RECHECK"]
sys.setrecursionlimit(10000)


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


RUNNER = module("exact_runner", ROOT / "examples/exact_runner.py")
RUNNER.Fraction = gmpy2.mpq  # the runner is for many runs here: the same numbers, in a third of the time
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(TEMPORARY.name)
names = itertools.count()


def path(name=None):
    return str(FOLDER / (name or f"{next(names)}.json"))


def run(*command):
    done = subprocess.run([str(x) for x in command], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def compiled(*options, emit=None):
    """A weights file of `logdepth compile`."""
    file = path()
    extra = ["--emit", emit] if emit else []
    status, _, error = run(LOGDEPTH, "compile", *options, *extra, "-o", file)
    assert status == 0, error
    return file


def certified(file):
    certificate = file[:-5] + ".cert.json"
    status, out, error = run(LOGDEPTH, "certify", file, "-o", certificate)
    assert status == 0, error
    return certificate


def load(file):
    with open(file, encoding="utf-8") as text:
        return json.load(text)


def store(value, file=None):
    file = file or path()
    with open(file, "w", encoding="utf-8") as text:
        json.dump(value, text)
    return file


def seal(document):
    """Gives a changed file the hash of its content, as someone does who accepts the edit."""
    spelled = json.loads(json.dumps(document), parse_float=RUNNER.Spelled)
    hashed = {k: v for k, v in spelled.items() if k not in ("derived", "sha256")}
    document["sha256"] = hashlib.sha256((RUNNER.canonical(hashed) + "\n").encode()).hexdigest()
    return document


def content(file):
    """Of a weights file or certificate, whatever its layout; of another text, its bytes."""
    data = pathlib.Path(file).read_bytes()
    try:
        value = json.loads(data.decode())
        if isinstance(value, dict):
            value.pop("derived", None)
        text = json.dumps(value, sort_keys=True)
        if '"theorem": "selections"' in text:  # decided when layers were counted from 0
            text = re.sub(r'"layer (\d+)', lambda found: f'"layer {int(found[1]) - 1}', text)
        data = text.encode()
    except (ValueError, RecursionError):
        pass
    return hashlib.sha256(data).digest()


def key(file, certificate):
    return hashlib.sha256(content(file) + content(certificate)).hexdigest()[:8]


def step(status, error):
    """A decision as decisions.txt names it: proved (certified), malformed, or where the proof fails, without the wording of the problem."""
    if status != 1:
        return "malformed" if status else "proved"
    message = error.partition("not certified: ")[2]
    layer = re.match(r"(?:\w+\.cpp:\d+: )?(layer \d+(?:, (?:attention|feed-forward|head \d+))*)", message)
    return layer[1] if layer else "read-out" if re.search("read-out|verdict", message) else "outside the layers"


def stored_decisions():
    """key -> step, of all pairs in decisions.txt: blocks of a step and its keys."""
    found = {}
    for block in (ROOT / "tests/recheck/decisions.txt").read_text().split("\n\n")[1:]:
        name, *lines = block.strip().splitlines()
        found.update(dict.fromkeys(" ".join(lines).split(), name))
    return found


DECISIONS, REPEATED = stored_decisions(), set()


def agrees(file, certificate, status, error):
    """Fails if the pair is stored with another decision."""
    pair = key(file, certificate)
    if pair in DECISIONS:
        assert step(status, error) == DECISIONS[pair], f"{pair}: stored {DECISIONS[pair]}, found status {status}: {error}"
        REPEATED.add(pair)


def most_are_stored(least):
    """At the end of a module of tests that ran as a whole: its pairs are those of the list."""
    assert len(sys.argv) > 1 or len(REPEATED) >= least, f"{len(REPEATED)} stored decisions were repeated; expected {least}"


def recheck(*arguments):
    """The checker: status, standard output, standard error. It decides as is stored."""
    status, out, error = run(RECHECK, *arguments)
    assert status in (0, 1, 2), error
    assert status != 0 or error == "", error
    assert status != 2 or out == "", out
    if len(arguments) > 1:
        agrees(*arguments[:2], 0 if out else status, error)
    return status, out, error


def certified_lines(document):
    """The lines of the theorem of selections, from the checker without the condition that a certificate has them; None where it refuses."""
    source = (ROOT / "recheck/selections.cpp").read_text()
    line = source[:source.index("need(claims == lines")].count("\n") + 1
    empty = {"format": "logdepth-certificate", "version": 1, "theorem": "selections", "tier": "S", "sha256": document["sha256"], "proves": []}
    command = [os.environ["LOGDEPTH_RECHECK_WITHOUT"], store(document), store(empty)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "RECHECK_WITHOUT": f"selections.cpp:{line}"})
    return re.findall("^layer .*$", done.stdout, re.M) if done.returncode == 0 else None


def claim(statement):
    """word -> (verdict, what is read of every prefix), by the automaton or program that was printed alone."""
    if "theorem    counting\n" in statement:
        program = CountingProgram(statement[statement.index("alphabet "):])
        return lambda word: (1 if program.decides(word, len(word) - 1) else -1, None)
    maps, initial, accepting, products = {}, None, set(), set()
    points, states = 0, False
    for line in statement.splitlines():
        key, rest = line[:11].strip(), line[11:]
        if key == "letter":
            letter, _, images = rest.partition(": ")
            maps[json.loads(letter)] = [-1 if x == "-" else int(x) for x in images.split()]
        elif key in ("points", "states"):
            points, states = int(rest), key == "states"
        elif key == "initial":
            initial = int(rest)
        elif key == "accepting" and initial is not None:
            accepting = set(map(int, rest.split()))
        elif key == "product":
            products.add(tuple(map(int, rest.split())))

    def answer(word):
        images, prefixes = list(range(points)), []
        for letter in word:
            images = [maps[letter][t] if t >= 0 else -1 for t in images]
            prefixes.append(images[initial] if states else images)
        good = tuple(images) in products if initial is None else images[initial] in accepting
        return (1 if good else -1), prefixes
    return answer


class CountingProgram:
    """A C-RASP program as a theorem prints it: sums of counts, their signs, and a Boolean that decides."""

    def __init__(self, text):
        self.lines, self.sums = text.splitlines(), {}
        for line in self.lines[1:]:
            name, _, rest = line.partition(" := ")
            self.tokens = re.findall(r'Q_"(?:[^"\\]|\\.)*"|Q_\w+|#\[|[<>]=|[\w]+|\S', rest)
            if name == "L":
                self.decides = self.disjunction()
            else:
                self.sums[name] = self.total()
            assert not self.tokens, line

    def next(self, *wanted):
        return self.tokens and self.tokens[0] in wanted and self.tokens.pop(0)

    def disjunction(self):
        parts = [self.conjunction()]
        while self.next("or"):
            parts.append(self.conjunction())
        return lambda word, i: any(part(word, i) for part in parts)

    def conjunction(self):
        parts = [self.literal()]
        while self.next("and"):
            parts.append(self.literal())
        return lambda word, i: all(part(word, i) for part in parts)

    def literal(self):
        if self.next("not"):
            negated = self.literal()
            return lambda word, i: not negated(word, i)
        if self.next("("):
            inside = self.disjunction()
            assert self.next(")")
            return inside
        token = self.tokens.pop(0)
        if token in ("true", "false"):
            return lambda word, i: token == "true"
        if token.startswith("Q_"):
            letter = json.loads(token[2:]) if token[2] == '"' else token[2:]
            return lambda word, i: i >= 0 and word[i] == letter
        relation, zero = self.tokens.pop(0), self.tokens.pop(0)
        assert token in self.sums and zero == "0"
        compare = {"<": int.__lt__, ">": int.__gt__, "=": int.__eq__, "<=": int.__le__, ">=": int.__ge__}[relation]
        return lambda word, i: compare(self.sums[token](word, i), 0)

    def total(self):
        """sum of factors * #[...] and a number"""
        terms, sign = [], -1 if self.next("-") else 1
        while True:
            number = int(self.tokens.pop(0)) if self.tokens[0].isdigit() else 1
            if self.tokens and self.tokens[0] in ("*", "#["):
                assert not self.next("*") or self.tokens[0] == "#["
                self.tokens.pop(0)
                terms.append((sign * number, self.disjunction()))
                assert self.next("]")
            else:
                terms.append((sign * number, None))
            sign = self.next("+", "-")
            if not sign:
                return lambda word, i: sum(k * (sum(holds(word, j) for j in range(i + 1)) if holds else 1) for k, holds in terms)
            sign = 1 if sign == "+" else -1


def direction(x, y, part):
    """A component of (x, y)/sqrt(x^2 + y^2), as the runner's exact number."""
    top = (x, y)[part]
    return RUNNER.number(f"{top * top}*sqrt({top * top}/{(x * x + y * y) * top ** 4})") if top else RUNNER.Fraction(0)


def division_terms(text):
    """What a line `given` or `answers` holds: a function of p, m and a."""
    if text in ("p", "m", "1"):
        return lambda p, m, a: RUNNER.Fraction({"p": p, "m": m, "1": 1}[text])
    factor, _, rest = text.rpartition(" * ")
    what, length, part = re.fullmatch(r"dir\((.*), (\d+|m)\)\.([01])", rest).groups()
    place = {"p": lambda p, m, a: p, "a": lambda p, m, a: a, "floor(p/m)": lambda p, m, a: p // m, "floor(a/m)": lambda p, m, a: a // m,
             "p mod m": lambda p, m, a: p % m, "a mod m": lambda p, m, a: a % m}[what]
    return lambda p, m, a: direction(place(p, m, a), m if length == "m" else int(length), int(part)) * RUNNER.Fraction(factor or 1)


def first_wrong_division(document, statement, lengths, divisors):
    """Runs the file exactly on arguments of all sizes; the first answer that is not the printed one, or None."""
    model, draw = RUNNER.Model(store(document, path("division.run.json"))), random.Random(3)
    lines = {key: [(json.loads(name), division_terms(text)) for name, text in
                   (line[11:].split(" = ", 1) for line in statement.splitlines() if line.startswith(key))] for key in ("given", "answers")}
    assert len(lines["given"]) == len(document["input"]["names"]) and len(lines["answers"]) == len(document["output"]["names"])
    for n in lengths:
        for m in divisors:
            arguments = [draw.randint(0, p) for p in range(n)]
            rows = [[value(p, m, a) for _, value in lines["given"]] for p, a in enumerate(arguments)]
            h = model.run(model.cells(rows))
            for p, a in enumerate(arguments):
                logit = model.logits(h[p])
                for row, (name, value) in enumerate(lines["answers"]):
                    if RUNNER.sign(logit(row) + value(p, m, a) * -1) != 0:
                        return f"{name} at token {p} of {n} for m = {m}, a = {a}: {RUNNER.shown(logit(row))}"
    return None


def words(letters, up_to=3, longer=(5, 6, 8, 9)):
    for n in range(up_to + 1):
        yield from map(list, itertools.product(letters, repeat=n))
    draw = random.Random(2)
    for n in longer:
        yield [draw.choice(letters) for _ in range(n)]


class Prefixes(RUNNER.Model):
    """The independent runner for many words. Where every head is causal, the stream of a token depends on the tokens up to it and on the number
    of iterations alone: the words are a tree, and each node is run once. Files that begin with the same steps share their streams."""
    shared = {}

    def __init__(self, document):
        super().__init__(store(document, path("changed.run.json")))
        self.causal, self.found, self.encoding = all(head[0] for layer in self.layers for head in layer[2]), {}, functools.cache(super().encoding)
        self.start = json.dumps([document[key] for key in ("width", "norm", "position", "embedding")])
        self.texts = [[json.dumps(layer[part]) for part in ("attention", "feedforward")] for layer in document["layers"]]

    def run(self, tokens):
        found = self.found.get(tuple(tokens[0]))
        return super().run(tokens) if found is None else found

    def loops(self, n):
        loops, reached = 0, 1
        while "loops" not in self.unroll and reached < n - self.unroll["minus"]:
            loops, reached = loops + 1, reached * self.unroll.get("base", 2)
        return self.unroll.get("loops", loops)

    def grow(self, some):
        """Runs these words; `run` then answers from the tree. Without a tree, and for a number outside the field, it runs each word alone."""
        groups = collections.defaultdict(list)
        for word in some if self.causal else []:
            groups[self.loops(len(word))].append(tuple(self.word(word)[0]))
        for loops, group in groups.items():
            nodes = {node: i for i, node in enumerate(dict.fromkeys(tokens[:p + 1] for tokens in group for p in range(len(tokens))))}
            h = [{} for _ in nodes]
            for x, node in zip(h, nodes):
                RUNNER.add(x, self.embedding[node[-1]])
                RUNNER.add(x, self.encoding(len(node) - 1))
            self.paths = [[nodes[node[:p + 1]] for p in range(len(node))] for node in nodes]
            try:
                h = self.steps(h, loops, self.start + repr(list(nodes)))
            except RUNNER.Outside:
                continue
            self.found.update((tokens, [h[nodes[tokens[:p + 1]]] for p in range(len(tokens))]) for tokens in group if tokens)

    def steps(self, h, loops, done):
        """The layers of all blocks; `done` names all that the streams depend on so far."""
        if len(self.shared) > 4000:
            self.shared.clear()
        for n, part in [(n, part) for block, times in (("initial", 1), ("repeated", loops), ("final", 1)) for _ in range(times)
                        for n, layer in enumerate(self.layers) if layer[0] == block for part in (0, 1)]:
            done = hashlib.sha256((done + self.texts[n][part]).encode()).hexdigest()
            if done not in self.shared:
                h = [dict(x) for x in h]
                if part:
                    self.step(({}, [], *self.layers[n][3:]), h)
                else:
                    self.attention(*self.layers[n][1:3], h)
                self.shared[done] = h
            h = self.shared[done]
        return h

    def attention(self, mask, heads, h):
        z = self.read(mask, h) if heads else []
        for _, query, key, value, output in heads:
            keys, values = [RUNNER.apply(key, x) for x in z], [RUNNER.apply(value, x) for x in z]
            for x, before, to in zip(z, self.paths, h):
                chosen, average = RUNNER.best(RUNNER.apply(query, x), [keys[j] for j in before]), {}
                for j in chosen:
                    RUNNER.add(average, values[before[j]])
                RUNNER.add(to, RUNNER.apply(output, {c: v * RUNNER.Fraction(1, len(chosen)) for c, v in average.items()}))


def first_difference(document, answer, some, tree=True):
    """Runs the file exactly; the first word on which it does not answer as claimed, or None."""
    model = Prefixes(document)
    limit = document["unroll"].get("max_length", 1 << 60)
    some = [word for word in some if len(word) <= limit]
    model.grow(some if tree else [])
    for word in some:
        verdict, prefixes = answer(word)
        try:
            found = model.accepts(model.run(model.word(word)))
            if found != verdict:
                return f"{word}: verdict {found}"
            if prefixes is not None and list(model.prefixes(word)) != prefixes:
                return f"{word}: prefixes"
        except RUNNER.Outside as error:
            return f"{word}: {error}"
    return None


def edited(document, change):
    """A sealed copy with a change."""
    copied = copy.deepcopy(document)
    change(copied)
    return seal(drop_zeros(copied))


def vectors(d):
    for v in d["embedding"].values():
        yield v
    for layer in d["layers"]:
        for part in ("attention", "feedforward"):
            yield layer[part]["mask"]
    for key in ("first", "rest", "parity"):
        if key in d["position"]:
            yield d["position"][key]
    yield from d["position"].get("rows", [])


def matrices(d):
    for layer in d["layers"]:
        for h in layer["attention"]["heads"]:
            for name in ("query", "key", "value", "output"):
                yield h[name], name
        for name in ("in", "out"):
            yield layer["feedforward"][name], name
    yield d["unembedding"], "unembedding"


def drop_zeros(d):
    """Puts vectors and matrices into the form of the format: in order, without zeros."""
    for v in vectors(d):
        v[:] = sorted(e for e in v if e[1] != "0")
    for m, _ in matrices(d):
        m["entries"] = sorted(e for e in m["entries"] if e[2] != "0")
    return d


def graphs(size):
    """Every directed graph without loops on this many vertices, as a set of pairs."""
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    return [{p for p, bit in zip(pairs, bits) if bit} for bits in itertools.product([0, 1], repeat=len(pairs))]


def right_on_graphs(document, size, some):
    """Whether a file of rows answers reachability for every pair of these graphs, by the independent runner."""
    model = RUNNER.Model(store(document, path("rows.run.json")))
    for edges in some:
        reach = {(i, i) for i in range(size)} | edges
        for k in range(size):
            reach |= {(i, j) for i in range(size) for j in range(size) if (i, k) in reach and (k, j) in reach}
        try:
            h = model.run(model.graph(size, edges, 0, 0))
            if any(model.connected(h, i, j) != (1 if (i, j) in reach else -1) for i in range(size) for j in range(size)):
                return False
        except RUNNER.Outside:
            return False
    return True
