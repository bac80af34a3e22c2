"""What the tests of this folder share: compiled files, both checkers, exact runs by the independent runner."""
import contextlib
import copy
import hashlib
import importlib.util
import io
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGDEPTH = os.environ["LOGDEPTH_BINARY"]
RECHECK = os.environ["LOGDEPTH_RECHECK"]
sys.setrecursionlimit(10000)


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


PEER = module("recheck", ROOT / "recheck/recheck.py")
RUNNER = module("exact_runner", ROOT / "examples/exact_runner.py")
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
    spelled = json.loads(json.dumps(document), parse_int=PEER.Number, parse_float=PEER.Number)
    hashed = {k: v for k, v in spelled.items() if k not in ("derived", "sha256")}
    document["sha256"] = hashlib.sha256((PEER.canonical(hashed) + "\n").encode()).hexdigest()
    return document


def peer(*arguments):
    """recheck.py, in this process: status, standard output, standard error."""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = PEER.main([str(x) for x in arguments])
    return status, out.getvalue(), error.getvalue()


def both(*arguments):
    """Both checkers: they must agree on the status and on all that is printed of what is proved."""
    mine, other = run(RECHECK, *arguments), peer(*arguments)
    assert mine[:2] == other[:2], f"{arguments}: the checkers differ\n{mine}\n{other}"
    assert mine[0] in (0, 1, 2), mine
    assert mine[0] != 0 or mine[2] == "", mine
    assert mine[0] != 2 or mine[1] == "", mine
    return mine


def claim(statement):
    """word -> (verdict, what is read of every prefix), by the automaton that was printed alone."""
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


def words(letters, up_to=3, longer=(5, 6, 8, 9)):
    for n in range(up_to + 1):
        yield from map(list, itertools.product(letters, repeat=n))
    draw = random.Random(2)
    for n in longer:
        yield [draw.choice(letters) for _ in range(n)]


def first_difference(document, answer, some):
    """Runs the file exactly; the first word on which it does not answer as claimed, or None."""
    model = RUNNER.Model(store(document, path("changed.run.json")))
    limit = document["unroll"].get("max_length", 99)
    for word in some:
        if len(word) > limit:
            continue
        verdict, prefixes = answer(word)
        try:
            found = model.accepts(model.run(model.word(word)))
            if found != verdict:
                return f"{word}: verdict {found}"
            if list(model.prefixes(word)) != prefixes:
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
