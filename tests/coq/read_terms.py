"""The terms of a printed theorem, and those that a weights file should give: a reader of weights files that shares no code with the one
in OCaml, which is believed (proofs-check/proved)."""
import re
from fractions import Fraction

TOKEN = re.compile(r"\s*(\{\||\|\}|:=|%Z|[\[\](),;]|-?\d+|[A-Za-z_][A-Za-z_0-9]*)")


class Reader:
    """A term of records, lists, tuples, numbers and constructors; a constructor with arguments becomes a tuple."""

    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"not a term of a printed file: {text[at:at + 40]!r}")
            self.tokens.append(found[1])
            at = found.end()
        self.at = 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def expect(self, token):
        found = self.next()
        if found != token:
            raise ValueError(f"expected {token}, found {found}")

    def sequence(self, separator, end):
        items = []
        if self.peek() != end:
            items.append(self.term())
            while self.peek() == separator:
                self.next()
                items.append(self.term())
        self.expect(end)
        return items

    def atom(self):
        token = self.next()
        if token == "[":
            return self.sequence(";", "]")
        if token == "(":
            items = self.sequence(",", ")")
            return items[0] if len(items) == 1 else tuple(items)
        if token == "{|":
            record = {}
            while self.peek() != "|}":
                name = self.next()
                self.expect(":=")
                if name in record:
                    raise ValueError(f"field {name} twice")
                record[name] = self.term()
                if self.peek() == ";":
                    self.next()
            self.next()
            return record
        if re.fullmatch(r"-?\d+", token):
            return int(token)
        if token in ("true", "false"):
            return token == "true"
        if token[0].isalpha():
            return token
        raise ValueError(f"expected a term, found {token}")

    def term(self):
        head = self.atom()
        arguments = []
        while self.peek() not in ("", ";", ",", ")", "]", "|}"):
            if self.peek() == "%Z":
                self.next()
            else:
                arguments.append(self.atom())
        if not arguments:
            return head
        if head == "Qmake":
            over, under = arguments
            return Fraction(over, under)
        return (head, *arguments)


def definitions(text):
    """name -> term, of a printed text."""
    return {name: Reader(term).term() for name, term in re.findall(r"^Definition (\w+) : \w+ := ([^.]*)\.$", text, re.M)}


def vector(v):
    return [(c, Fraction(x)) for c, x in v]


def rows(matrix):
    out = [[] for _ in range(matrix["rows"])]
    for r, c, x in matrix["entries"]:
        out[r].append((c, Fraction(x)))
    return out


def columns(matrix):
    out = [[] for _ in range(matrix["columns"])]
    for r, c, x in matrix["entries"]:
        out[c].append((r, Fraction(x)))
    return out


def layer(y):
    attention, feedforward = y["attention"], y["feedforward"]
    heads = [{"causal": h["causal"], "hq": rows(h["query"]), "hk": rows(h["key"]), "hv": rows(h["value"]), "ho": rows(h["output"])}
             for h in attention["heads"]]
    return {"amask": vector(attention["mask"]), "heads": heads, "fmask": vector(feedforward["mask"]),
            "units": list(zip(rows(feedforward["in"]), columns(feedforward["out"])))}


def positions(p):
    if p["kind"] == "first-flag":
        return ("FirstFlag", vector(p["first"]), vector(p["rest"]))
    if set(p) - {"offset", "parity"} != {"kind", "fills"}:
        raise ValueError("position: more than fills")
    fills = [{"ats": f["at"], "back": f["back"], "scale": Fraction(f["scale"])} for f in p["fills"]]
    code = ("Fine", p["offset"]) if p["kind"] == "fine" else {"circle": "Circle", "two-circle": "TwoCircle"}[p["kind"]]
    return ("Fills", code, fills, vector(p.get("parity", [])))


def unrolling(u, of="letters"):
    if u["kind"] == "fixed" and set(u) == {"kind", "loops", "max_length"}:
        return ("Fixed", u["loops"], ("Some", u["max_length"]))
    if u["kind"] == "fixed" and set(u) == {"kind", "loops"}:
        return ("Fixed", u["loops"], "None")
    if set(u) != {"kind", "minus", "of"} | ({"base"} & set(u)) or u["kind"] != ("ceil_log" if "base" in u else "ceil_log2") or u["of"] != of:
        raise ValueError("unroll: another number of loops")
    return ("CeilLog", u.get("base", 2), u["minus"])


def network(d, unroll):
    blocks = {b: [layer(y) for y in d["layers"] if y["block"] == b] for b in ("initial", "repeated", "final")}
    return {"width": d["width"], "ln": {"rms": False, "layernorm": True}[d["norm"]], **blocks, "unroll": unroll}


def expected_graph_file(d):
    """The record F of a file that reads graphs."""
    size, unroll = d["input"]["size"], dict(d["unroll"])
    if d["input"]["layout"] != "rows" or set(d["input"]) - {"mirrored"} != {"kind", "layout", "size"} or d["output"] != {"kind": "relation"}:
        raise ValueError("input: expected rows of a graph, and a relation as output")
    if unroll["kind"] == "ceil_log2" and unroll.pop("max_length", size) < size:
        raise ValueError("unroll: max_length is below the size")
    if d["position"]["kind"] != "table" or set(d["position"]) != {"kind", "rows"} or list(d["embedding"]) != ["<vertex>"]:
        raise ValueError("position: expected a table, for the token <vertex> alone")
    return {"gnet": network(d, unrolling(unroll, "vertices")), "vertices": size, "mirrored": d["input"].get("mirrored", False),
            "vertex": vector(d["embedding"]["<vertex>"]), "places": [vector(r) for r in d["position"]["rows"]], "logits": rows(d["unembedding"])}


def expected_file(d):
    """The record F of Model.v, from the weights file."""
    if d["input"]["kind"] == "graph":
        return expected_graph_file(d)
    if d["input"] != {"kind": "word", "begin": True}:
        raise ValueError("input: expected words after <begin>")
    unembedding = rows(d["unembedding"])
    return {"net": network(d, unrolling(d["unroll"])),
            "emb": [vector(d["embedding"][k]) for k in ["<begin>"] + d["alphabet"]], "pi": positions(d["position"]),
            "uacc": unembedding[d["output"]["accept"]], "urej": unembedding[d["output"]["reject"]]}


def expected_reading(d):
    """`reads`, `groups` and `points` of the record R: which row stands for what."""
    prefix, unembedding = d["output"].get("prefix"), rows(d["unembedding"])
    if prefix is None:
        return {"reads": "Images", "groups": []}
    following = iter(unembedding[prefix["first_row"]:])
    if prefix["kind"] == "element":
        groups = [[(next(following), e) for e in prefix["elements"]]]
        return {"reads": "Element", "groups": groups, "points": len(prefix["elements"][0])}
    if prefix["kind"] == "state":
        return {"reads": "States", "groups": [[(next(following), [q]) for q in range(prefix["states"])]], "points": 0}
    groups = [[(next(following), [i]) for i in images] for images in prefix["images"]]
    return {"reads": "Images", "groups": groups, "points": prefix["points"]}


def differences(found, expected, place):
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in sorted(set(found) | set(expected)):
            if name not in found or name not in expected:
                yield f"{place}.{name}: not in both"
            else:
                yield from differences(found[name], expected[name], f"{place}.{name}")
    elif isinstance(found, (list, tuple)) and type(found) is type(expected):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} entries; expected {len(expected)}"
        for n, (a, b) in enumerate(zip(found, expected)):
            yield from differences(a, b, f"{place}[{n}]")
    elif found != expected or isinstance(found, bool) != isinstance(expected, bool):
        yield f"{place}: {found}; expected {expected}"


def compare(text, weights):
    """What the printed terms state otherwise than the weights file, as sentences."""
    found = definitions(text)
    wrong = list(differences(found["F"], expected_file(weights), "F"))
    if "R" in found:
        wanted = expected_reading(weights)
        wrong += differences({k: found["R"].get(k) for k in wanted}, wanted, "R")
    return wrong
