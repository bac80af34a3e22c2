#!/usr/bin/env python3
"""read_back.py FILE.v WEIGHTS.json: whether a Coq file is a printed theorem about this weights file and nothing else. Its text has to be
the one below, comments included; its terms F and R have to state the file: all matrices and masks, the position fills or table, the number
of loops, the rows of the read-outs. Shares no code with the program that printed it."""
import json
import re
import sys
from fractions import Fraction

TOKEN = re.compile(r"\s*(\{\||\|\}|:=|%Z|[\[\](),;]|-?\d+|[A-Za-z_][A-Za-z_0-9]*)")


# Of words and of graphs. A term has no full stop, so that a slot in angle brackets holds one definition; comments are part of the text.
BEGINNING = """(* The weights file with sha256 {sha256}
   the certificate of logdepth-recheck with sha256 {certificate}
   and the theorem that {theorem}.
   Numbers are those of the file: proofs-check/coq/read_back.py FILE.v WEIGHTS compares them. *)
Require Import ZArith QArith List.
From Logdepth Require Import {modules}.
Import ListNotations.
Open Scope nat_scope.

"""
OF_WORDS = """Definition F : file := <F>.

(* the automaton: state, letter to state *)
Definition X : automaton := <X>.
(* the prefix read-out, and the letters as maps of points *)
Definition R : reading := <R>.

(* not trusted *)
Definition C : {certificate} := <C>.

Theorem checked : {check} F C X R = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem right_for_every_length : decides F X /\\ tells F X R.
Proof. exact ({library} F C X R checked). Qed.
Print Assumptions right_for_every_length.
"""
OF_GRAPHS = """Definition F : graphfile := <F>.

Theorem checked : rowscheck F = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem right_for_every_graph : decides_reachability F.
Proof. exact (connectivity_correct F checked). Qed.
Print Assumptions right_for_every_graph.
"""
PROOFS = {"cert": {"certificate": "cert", "check": "check", "library": "shift_scan_correct"},
          "resetcert": {"certificate": "resetcert", "check": "resetcheck", "library": "resets_correct"}}


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


def beginning(certificate, weights):
    """The comment and the libraries. Nothing of the weights file can end the comment."""
    if not re.fullmatch("[0-9a-f]{64}", weights["sha256"]):
        raise ValueError("sha256: expected 64 hexadecimal digits")
    if weights["input"]["kind"] == "graph":
        theorem = "logit j of token i is positive if a walk leads from vertex i to vertex j, else negative, for every graph"
        modules = "Codes Rows Model Statement GraphChecker Connectivity"
    else:
        letters = ", ".join(f'{n} = "{re.sub("[*" + chr(34) + "]", "?", letter)}"' for n, letter in enumerate(weights["alphabet"]))
        theorem = f"it computes X and R for every admissible word; letters: {letters}"
        modules = "Codes Rows Model Statement Atoms Checker ShiftScan ResetsChecker Resets"
    return BEGINNING.format(sha256=weights["sha256"], certificate=certificate, theorem=theorem, modules=modules)


def definitions(text, weights):
    """name -> term, of a text that is the template and nothing else."""
    hashes = re.findall("[0-9a-f]{64}", text[:400])
    begins = beginning(hashes[-1] if hashes else "", weights)
    body = OF_GRAPHS if weights["input"]["kind"] == "graph" else OF_WORDS.format(
        **PROOFS["resetcert" if "Definition C : resetcert" in text else "cert"])
    pattern = re.sub("<([FXRC])>", r"(?P<\1>[^.]*)", re.escape(body))
    found = re.fullmatch(pattern, text[len(begins):]) if text.startswith(begins) else None
    if not found:
        raise ValueError("not the printed text of a theorem about this weights file, and nothing else")
    return {name: Reader(term).term() for name, term in found.groupdict().items()}


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
    if set(p) - {"offset"} != {"kind", "fills"}:
        raise ValueError("position: more than fills")
    fills = [{"ats": f["at"], "back": f["back"], "scale": Fraction(f["scale"])} for f in p["fills"]]
    code = ("Fine", p["offset"]) if p["kind"] == "fine" else {"circle": "Circle", "two-circle": "TwoCircle"}[p["kind"]]
    return ("Fills", code, fills)


def unrolling(u, of="letters"):
    if u["kind"] == "fixed" and set(u) == {"kind", "loops", "max_length"}:
        return ("Fixed", u["loops"], ("Some", u["max_length"]))
    if u["kind"] == "fixed" and set(u) == {"kind", "loops"}:
        return ("Fixed", u["loops"], "None")
    if set(u) != {"kind", "minus", "of"} or u["kind"] != "ceil_log2" or u["of"] != of:
        raise ValueError("unroll: another number of loops")
    return ("CeilLog2", u["minus"])


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
    """What the Coq text states otherwise than the weights file, as sentences."""
    found = definitions(text, weights)
    wrong = list(differences(found["F"], expected_file(weights), "F"))
    if "R" in found:
        reading, wanted = found["R"], expected_reading(weights)
        wrong += differences({k: reading.get(k) for k in wanted}, wanted, "R")
        if len(reading["maps"]) != len(weights["alphabet"]) and reading["reads"] != "States":
            wrong.append("R.maps: expected a map for every letter")
    return wrong


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as text, open(arguments[1], encoding="utf-8") as weights:
            found = compare(text.read(), json.load(weights))
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, ZeroDivisionError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    for line in found[:20]:
        print(line)
    print(f"{arguments[0]}: {'other numbers than' if found else 'the numbers of'} {arguments[1]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
