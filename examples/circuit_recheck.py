#!/usr/bin/env python3
"""Computes the circuit of a weights file again, exactly, and compares it with a circuit.json.

    circuit_recheck.py MODEL.json[.gz] CIRCUIT.json [--runs N] [--seed S] [--witnesses FILE]

It shares no code with the program that wrote circuit.json: the weights are read by exact_runner.py, which
stands beside it, and every edge is multiplied out in Python's fractions. Compared are, for every possible
edge, its kind, whether it varies, its cells, and the number and the largest of the entries of its map.
--runs N: also runs N pairs of random words exactly, once with each edge of kind `none` replaced by what its
source writes in the other word, and once by nothing: all logits have to be the same. --witnesses: a JSON
object, {"a0.h0->m0": [clean, other]} as `Circuit.causal` returns (other null: replaced by nothing); each has
to change the verdict of the exact run. It trusts `norms` of circuit.json, which says where a scale is proved,
and the scales of `derived.precision` in the weights file.
Exit status: 0 the same, 1 something differs, 2 bad input.
"""
import argparse
import json
import random
import sys
from fractions import Fraction

import exact_runner as exact


def columns(rows):
    """Rows {row: [(column, x)]} as columns {column: {row: x}}."""
    out = {}
    for r, row in rows.items():
        for c, x in row:
            out.setdefault(c, {})[r] = x
    return out


class Circuit:
    """Nodes in the order of a run, what they write and what they read."""

    def __init__(self, model, file, claimed):
        self.m, self.norms, self.folds = model, claimed["norms"], claimed["semantics"] == "as_exported"
        facts = (file.get("derived") or {}).get("precision") or [{}] * len(model.layers)
        block = {"initial": [], "repeated": [], "final": []}
        for layer, fact in zip(model.layers, facts):
            block[layer[0]].append((layer, fact))
        run = block["initial"] + block["repeated"] * claimed["loops"] + block["final"]
        self.layers, self.scales = [layer for layer, _ in run], [fact for _, fact in run]
        self.cell = {c: name for name, cell in (file.get("cells") or {}).items() for c in cell["coordinates"]}
        if model.norm == "layernorm":  # the second half has the negatives
            half = model.width // 2
            self.cell |= {c + half: name for c, name in list(self.cell.items()) if c + half not in self.cell}
        self.order, self.writes, self.reads = {"embed": 0, "pos": 1}, {}, {}
        self.writes["embed"] = {f"token {k}": x for k, x in model.embedding.items()}
        self.writes["pos"] = {f"position {p}": model.encoding(p) for p in range(claimed["tokens"])}
        for number, (_, mask, heads, ff, inward, outward) in enumerate(self.layers):
            folded = {part: self.norms[number][part] == "folded" for part in ("attention", "feedforward")}
            for k, (_, query, key, value, output) in enumerate(heads):
                name, out, write = f"a{number}.h{k}", columns(output), {}
                for row, entries in value.items():
                    for c, x in entries:
                        if c in mask:
                            exact.add(write.setdefault(f"coordinate {c}", {}),
                                      {i: x * mask[c] * y for i, y in out.get(row, {}).items()})
                self.writes[name] = {c: x for c, x in write.items() if x}
                self.reads[name] = {part: (rows, mask, folded["attention"])
                                    for part, rows in (("q", query), ("k", key), ("v", value))}
                self.order[name] = 2 * number + 2
            if ff is not None:
                live = {r for r, row in inward.items() if any(c in ff for c, _ in row)}
                self.writes[f"m{number}"] = {f"unit {r}": x for r, x in columns(outward).items() if r in live}
                self.reads[f"m{number}"] = {"": (inward, ff, folded["feedforward"])}
                self.order[f"m{number}"] = 2 * number + 3
        self.reads["logits"] = {"": (model.unembedding, None, True)}
        self.order["logits"] = 2 * len(self.layers) + 2

    def used(self, rows, mask):
        return {c for row in rows.values() for c, _ in row if mask is None or c in mask}

    def letters_in(self):
        """Node -> coordinates of its write that can differ between words of one length."""
        m, first = self.m, self.m.embedding[self.m.letters[0]]
        known = {i for a in m.letters for i in {**first, **m.embedding[a]} if m.embedding[a].get(i) != first.get(i)}
        out = {"embed": set(known), "pos": set()}
        for number, (_, mask, heads, ff, _, _) in enumerate(self.layers):
            for names, seen in (([f"a{number}.h{k}" for k in range(len(heads))], mask), ([f"m{number}"], ff)):
                new = set()
                for name in names if seen is not None else ():
                    readers = self.reads[name]
                    loose = not next(iter(readers.values()))[2] and known & set(seen)
                    asks = [readers[p] for p in ("q", "k") if p in readers]
                    whole = bool(loose) or any(self.used(rows, seen) & known for rows, _, _ in asks)
                    if "" in readers:
                        alive = {f"unit {r}" for r, row in readers[""][0].items()
                                 if any(c in known and c in seen for c, _ in row)}
                    else:
                        alive = {f"coordinate {c}" for c in known}
                    out[name] = {i for c, x in self.writes[name].items() if whole or c in alive for i in x}
                    new |= out[name]
                known |= new
        return out

    def edges(self):
        """(source, target, part) -> kind, varies, cells, number of entries, largest absolute entry."""
        m, content, out = self.m, self.letters_in(), {}
        for target, parts in self.reads.items():
            for part, (rows, mask, folded) in parts.items():
                computed = mask is not None and not (self.folds and folded)
                for source in self.writes:
                    if self.order[source] >= self.order[target]:
                        continue
                    entries, scales, cells, largest = 0, False, set(), Fraction(0)
                    for column in self.writes[source].values():
                        x = column if mask is None else {i: y * mask[i] for i, y in column.items() if i in mask}
                        if computed and m.norm == "layernorm" and (mean := sum(x.values(), Fraction(0)) / m.width):
                            x = {i: y for i in range(m.width) if (y := x.get(i, Fraction(0)) - mean)}
                        scales |= computed and bool(x) and part != "q"
                        y = exact.apply(rows, x)
                        entries += len(y)
                        largest = max([largest, *map(abs, y.values())])
                        cells |= {self.cell.get(i, f"h[{i}]") for r in y for i, _ in rows[r] if i in x}
                    kind = "structural" if entries else "norm" if scales else "none"
                    varies = kind == "structural" and bool(content[source] & self.used(rows, mask))
                    out[source, target, part] = kind, varies, sorted(cells), entries, largest
        return out

    def read(self, number, sublayer, mask, stream):
        """What a sublayer sees of a stream: as in exports, a scale that is proved is constant."""
        if not self.folds or self.norms[number][sublayer] == "computed":
            return self.m.read(mask, stream)
        scale = Fraction(self.scales[number][sublayer]["scale"])
        return [{i: scale * mask[i] * x for i, x in h.items() if i in mask} for h in stream]

    def run(self, word, other=None, edge=None):
        """Logits of every token, and what every node writes; on `edge` its target sees `other`."""
        m = self.m
        kinds, _, _ = m.word(word)
        out = {"embed": [dict(m.embedding[k]) for k in kinds], "pos": [m.encoding(p) for p in range(len(kinds))]}
        stream = [{} for _ in kinds]

        def put(rows):
            for h, x in zip(stream, rows):
                exact.add(h, x)

        def seen(target, part):
            copies = [dict(h) for h in stream]
            if edge is not None and edge[1:] == (target, part):
                for h, mine, its in zip(copies, out[edge[0]], other):
                    exact.add(h, {i: -y for i, y in mine.items()})
                    exact.add(h, its)
            return copies

        put(out["embed"]), put(out["pos"])
        for number, (_, mask, heads, ff, inward, outward) in enumerate(self.layers):
            new = {}
            for k, (causal, *matrices, output) in enumerate(heads):
                name = f"a{number}.h{k}"
                q, key, v = ([exact.apply(rows, z) for z in self.read(number, "attention", mask, seen(name, part))]
                             for part, rows in zip("qkv", matrices))
                new[name] = []
                for i, x in enumerate(q):
                    chosen, mean = exact.best(x, key[:i + 1] if causal else key), {}
                    for j in chosen:
                        exact.add(mean, v[j])
                    new[name].append(exact.apply(output, {r: y * Fraction(1, len(chosen)) for r, y in mean.items()}))
            for name, rows in new.items():
                out[name] = rows
                put(rows)
            if ff is not None:
                units = [{r: y for r, y in exact.apply(inward, z).items() if exact.sign(y) > 0}
                         for z in self.read(number, "feedforward", ff, seen(f"m{number}", ""))]
                out[f"m{number}"] = [exact.apply(outward, x) for x in units]
                put(out[f"m{number}"])
        return [exact.apply(m.unembedding, h) for h in seen("logits", "")], out

    def verdict(self, logits):
        accept, reject = (logits[-1].get(self.m.output[row], Fraction(0)) for row in ("accept", "reject"))
        return exact.sign(accept + -reject)


def same(a, b):
    return all(exact.sign(x.get(i, Fraction(0)) + -y.get(i, Fraction(0))) == 0 for x, y in zip(a, b) for i in {*x, *y})


def name_of(edge):
    return f"{edge[0]}->{edge[1]}" + (f"<{edge[2]}>" if edge[2] else "")


def compare(computed, claimed):
    """Sentences about what differs."""
    known = {(e["source"], e["target"], e["part"]): e for e in claimed["edges"]}
    wrong = [f"{name_of(edge)}: no such edge is possible" for edge in known if edge not in computed]
    if len(computed) != claimed["possible"]:
        wrong.append(f"{len(computed)} edges are possible; the file says {claimed['possible']}")
    for edge, (kind, varies, cells, entries, largest) in computed.items():
        told = known.get(edge, {"kind": "none", "varies": False, "cells": [], "entries": 0, "reason": None})
        value = abs(Fraction(told["reason"]["value"])) if told["reason"] else Fraction(0)
        mine = kind, varies, cells, entries, largest
        its = told["kind"], told["varies"], sorted(told["cells"]), told["entries"], value
        if mine != its:
            said = ["{}, varies {}, cells {}, {} entries up to {}".format(*one) for one in (mine, its)]
            wrong.append(f"{name_of(edge)}: computed {said[0]}; the file says {said[1]}")
    return wrong


def run_none(circuit, computed, pairs, seed):
    """Exact runs with edges that do nothing replaced: how many, and sentences about those that do something."""
    choice, wrong, runs = random.Random(seed), [], 0
    for _ in range(pairs):
        length = choice.randint(1, 3)
        words = [[choice.choice(circuit.m.letters) for _ in range(length)] for _ in "ab"]
        (logits, _), (_, writes) = map(circuit.run, words)
        for edge, (kind, *_) in computed.items():
            if kind != "none":
                continue
            for other in (writes[edge[0]], [{} for _ in logits]):
                runs += 1
                if not same(circuit.run(words[0], other, edge)[0], logits):
                    wrong.append(f"{name_of(edge)} is none, and its change changes {words}")
    return runs, wrong


def run_witnesses(circuit, found):
    wrong, outside = [], 0
    for name, (clean, other) in found.items():
        source, rest = name.split("->")
        target, _, part = rest.partition("<")
        clean, other = clean.split(), None if other is None else other.split()
        logits, writes = circuit.run(clean)
        writes = circuit.run(other)[1][source] if other else [{} for _ in logits]
        try:
            changed = circuit.run(clean, writes, (source, target, part.rstrip(">")))[0]
        except exact.Outside:
            outside += 1
            continue
        if circuit.verdict(changed) == circuit.verdict(logits):
            wrong.append(f"{name}: the verdict of {clean} does not change with {other}")
    return outside, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("model")
    parser.add_argument("circuit")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--witnesses")
    given = parser.parse_args()
    try:
        model = exact.Model(given.model)
        data = open(given.model, "rb").read()
        file = json.loads(exact.gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        claimed = json.load(open(given.circuit, encoding="utf-8"))
        if claimed.get("schema") != "logdepth/circuit/1":
            exact.refuse(f"{given.circuit}: expected a circuit, \"schema\": \"logdepth/circuit/1\"")
        if claimed["sha256"] != file["sha256"]:
            exact.refuse(f"{given.circuit} is the circuit of other weights")
        found = json.load(open(given.witnesses, encoding="utf-8")) if given.witnesses else {}
        circuit = Circuit(model, file, claimed)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print(f"circuit_recheck.py: {problem}", file=sys.stderr)
        return 2
    computed = circuit.edges()
    wrong = compare(computed, claimed)
    runs, changed = run_none(circuit, computed, given.runs, given.seed)
    outside, unchanged = run_witnesses(circuit, found)
    for sentence in wrong + changed + unchanged:
        print(sentence)
    print(f"{len(computed)} possible edges, {len(wrong)} differ; {runs} exact runs with an edge of kind none replaced, "
          f"{len(changed)} change a logit; {len(found)} witnesses, {len(unchanged)} change no verdict, "
          f"{outside} outside the field")
    return 1 if wrong or changed or unchanged else 0


if __name__ == "__main__":
    sys.exit(main())
