"""Changes of a weights file: every number in turn, and whole heads, layers, codes and read-outs."""
import copy
import random
from fractions import Fraction

from files import drop_zeros, matrices

NUMBERS = {"doubled": lambda x: x * 2, "negated": lambda x: -x, "removed": lambda x: Fraction(0), "plus 1/7": lambda x: x + Fraction(1, 7),
           "times 1.0001": lambda x: x * Fraction(10001, 10000)}


def numbers(d):
    """Every rational of the file, as (container, key, name)."""
    for kind, v in d["embedding"].items():
        for e in v:
            yield e, 1, f"embedding of {kind}"
    for key in ("first", "rest", "parity"):
        for e in d["position"].get(key, []):
            yield e, 1, f"position {key}"
    for row in d["position"].get("rows", []):
        for e in row:
            yield e, 1, "position"
    for fill in d["position"].get("fills", []):
        yield fill, "scale", "position scale"
    for n, layer in enumerate(d["layers"]):
        for part in ("attention", "feedforward"):
            for e in layer[part]["mask"]:
                yield e, 1, f"layer {n} {part} mask"
    for m, name in matrices(d):
        for e in m["entries"]:
            yield e, 2, name


def changed_numbers(d, every, first=0):
    """(name, changed file) for every `every`-th pair of a number and a change."""
    count = sum(1 for _ in numbers(d))
    for i in range(first, count * len(NUMBERS), every):
        name, change = list(NUMBERS.items())[i % len(NUMBERS)]
        e = copy.deepcopy(d)
        at, key, where = list(numbers(e))[i // len(NUMBERS)]
        value = change(Fraction(at[key]))
        if where != "position scale" or value != 0:
            at[key] = str(value)
            yield f"{where}, {name}", drop_zeros(e)


def random_entries(d, count):
    """New entries, exchanged entries, exchanged columns."""
    draw = random.Random(1)
    for i in range(count):
        e = copy.deepcopy(d)
        m, name = draw.choice([x for x in matrices(e) if x[0]["entries"]])
        entries = m["entries"]
        if i % 3 == 0:
            r, c = draw.randrange(m["rows"]), draw.randrange(m["columns"])
            if any(x[:2] == [r, c] for x in entries):
                continue
            entries.append([r, c, draw.choice(["1", "-1", "1/3", "5"])])
        else:
            a, b = draw.choice(entries), draw.choice(entries)
            if i % 3 == 1:
                a[2], b[2] = b[2], a[2]
            else:
                x, y = a[1], b[1]
                for t in entries:
                    t[1] = y if t[1] == x else x if t[1] == y else t[1]
        if e != d:
            yield f"random change {i} of {name}", drop_zeros(e)


def head_basis(head):
    """Query and key in another basis of the head: the same scores."""
    a, b = {}, {}
    for r, c, x in head["query"]["entries"]:
        a[r, c] = a.get((r, c), 0) + 2 * Fraction(x)
        if r:
            a[0, c] = a.get((0, c), 0) + 3 * Fraction(x)
    for r, c, x in head["key"]["entries"]:
        b[r, c] = b.get((r, c), 0) + Fraction(x) / 2
        if r == 0:
            for s in range(1, head["key"]["rows"]):
                b[s, c] = b.get((s, c), 0) - Fraction(3, 4) * 2 * Fraction(x) / 2
    for name, entries in (("query", a), ("key", b)):
        head[name]["entries"] = sorted([r, c, str(x)] for (r, c), x in entries.items() if x)


def split_head(heads, i):
    """One head as two that share its output rows."""
    heads.append(copy.deepcopy(heads[i]))
    for head, odd in ((heads[i], 1), (heads[-1], 0)):
        head["output"]["entries"] = [x for x in head["output"]["entries"] if x[1] % 2 == odd]


def permute(d, order=3):
    """All coordinates permuted and `cells` removed: the same function."""
    sigma = list(range(d["width"]))
    random.Random(order).shuffle(sigma)
    for v in [*d["embedding"].values(), *(layer[part]["mask"] for layer in d["layers"] for part in ("attention", "feedforward")),
              *(d["position"].get(key, []) for key in ("first", "rest", "parity"))]:
        for e in v:
            e[0] = sigma[e[0]]
    for fill in d["position"].get("fills", []):
        fill["at"] = [sigma[c] for c in fill["at"]]
    for m, name in matrices(d):
        column = 0 if name in ("output", "out") else 1
        for e in m["entries"]:
            e[column] = sigma[e[column]]
    d.pop("cells", None)


def reverse_units(f):
    last = f["in"]["rows"] - 1
    for e in f["in"]["entries"]:
        e[0] = last - e[0]
    for e in f["out"]["entries"]:
        e[1] = last - e[1]


def widen(d):
    """One more coordinate that nothing uses: other norms."""
    old, d["width"] = d["width"], d["width"] + 1
    for m, name in matrices(d):
        side = "rows" if name in ("output", "out") else "columns"
        m[side] += m[side] == old


def insert_layer(d, n):
    d["layers"].insert(n, copy.deepcopy(d["layers"][n]))
    d["shape"][d["layers"][n]["block"]] += 1


def remove_layer(d, n):
    d["shape"][d["layers"].pop(n)["block"]] -= 1


def changed(d, change):
    """A copy with this change."""
    e = copy.deepcopy(d)
    change(e)
    return drop_zeros(e)


def layer_changes(d):
    """(name, function) of changes of heads and layers."""
    for n, layer in enumerate(d["layers"]):
        heads = lambda e, n=n: e["layers"][n]["attention"]["heads"]
        for i in range(len(layer["attention"]["heads"])):
            place = f"layer {n}, head {i}: "
            yield place + "causal flipped", lambda e, i=i, h=heads: h(e)[i].update(causal=not h(e)[i]["causal"])
            yield place + "query and key exchanged", lambda e, i=i, h=heads: h(e)[i].update(query=h(e)[i]["key"], key=h(e)[i]["query"])
            yield place + "doubled", lambda e, i=i, h=heads: h(e).append(copy.deepcopy(h(e)[i]))
            yield place + "removed", lambda e, i=i, h=heads: h(e).pop(i)
            yield place + "split", lambda e, i=i, h=heads: split_head(h(e), i)
            yield place + "in another basis", lambda e, i=i, h=heads: head_basis(h(e)[i])
        yield f"layer {n}: heads reversed", lambda e, h=heads: h(e).reverse()
        yield f"layer {n}: units reversed", lambda e, n=n: reverse_units(e["layers"][n]["feedforward"])
        yield f"layer {n}: doubled", lambda e, n=n: insert_layer(e, n)
        yield f"layer {n}: removed", lambda e, n=n: remove_layer(e, n)


def changes_of_rows(d):
    """The same of a file of graph rows, with its loops, places and logits."""
    yield from layer_changes(d)
    yield "minus 0", lambda e: e["unroll"].update(minus=0)
    yield "minus 2", lambda e: e["unroll"].update(minus=2)
    yield "one loop less", lambda e: e.update(unroll={"kind": "fixed", "loops": 0})
    yield "other norm", lambda e: e.update(norm={"rms": "layernorm", "layernorm": "rms"}[e["norm"]])
    yield "width + 1", widen
    yield "places reversed", lambda e: e["position"]["rows"].reverse()
    yield "a place removed", lambda e: e["position"]["rows"].pop()
    yield "logits reversed", lambda e: e["unembedding"]["entries"].sort(key=lambda x: -x[0]) or [
        x.__setitem__(0, e["unembedding"]["rows"] - 1 - x[0]) for x in e["unembedding"]["entries"]]
    yield "mirrored flipped", lambda e: e["input"].update(mirrored=not e["input"].get("mirrored", False))
    heads = lambda e: e["layers"][0]["attention"]["heads"]
    yield "all heads causal", lambda e: [h.update(causal=True) for h in heads(e)]
    yield "loops of letters", lambda e: e["unroll"].update(of="letters")
    yield "one loop", lambda e: e.update(unroll={"kind": "fixed", "loops": 1})
    yield "max_length 2", lambda e: e["unroll"].update(max_length=2)
    for weight in ("2/3", "0"):  # as much as the other flag, and nothing
        yield f"a flag of weight {weight}", lambda e, w=weight: [x.__setitem__(2, w) for x in heads(e)[0]["query"]["entries"] if x[0] == 3]


def whole_changes(d):
    """The same of a file of words, with its codes, loops and read-outs, where this file has a place for the change."""
    yield from layer_changes(d)
    for i, fill in enumerate(d["position"].get("fills", [])):
        yield f"fill {i}: back + 1", lambda e, i=i: e["position"]["fills"][i].update(back=e["position"]["fills"][i]["back"] + 1)
        yield f"fill {i}: reversed", lambda e, i=i: e["position"]["fills"][i]["at"].reverse()
    if "offset" in d["position"]:
        for by in (-1, 1):
            yield f"offset {by:+d}", lambda e, by=by: e["position"].update(offset=e["position"]["offset"] + by)
    letters = d["alphabet"]
    yield "minus 1", lambda e: e["unroll"].update(minus=1)
    yield "base 3", lambda e: e.update(unroll={"kind": "ceil_log", "base": 3, "of": "letters", "minus": 0})
    yield "other norm", lambda e: e.update(norm={"rms": "layernorm", "layernorm": "rms"}[e["norm"]])
    if "accept" in d["output"]:
        yield "accept and reject exchanged", lambda e: e["output"].update(accept=e["output"]["reject"], reject=e["output"]["accept"])
    first = "<begin>" if "<begin>" in d["embedding"] else "<end>"
    yield f"{first} with a letter's embedding", lambda e: e["embedding"].update({first: e["embedding"][letters[0]]})
    if len(letters) > 1:
        yield "letters exchanged", lambda e: e["embedding"].update({letters[0]: e["embedding"][letters[1]], letters[1]: e["embedding"][letters[0]]})
    yield "width + 1", widen
    if "elements" in d["output"].get("prefix", {}):
        yield "elements reversed", lambda e: e["output"]["prefix"]["elements"].reverse()
    yield "coordinates permuted", permute
