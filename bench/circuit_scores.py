"""What methods of circuit discovery find on networks whose circuit is known. For pairs of words that differ in one
letter and in the verdict, edges are scored by attribution patching (EAP, the code of TransformerLens) and by exact
patching of one edge at a time (the change of the logit difference, float64, averaging-hard attention), and compared
with the exact circuit (docs/circuits.md): edges through which something flows (`structural`), edges on which it can
depend on the letters (`varies`), and edges that change a verdict in words of at most n letters (`causal`).

The score of an edge is the largest absolute one over the pairs. Found is what scores above 1e-9.

Needs the Python package with its extra `lens` (bench/README.md)."""
import csv
import os
import tempfile

import measurement

# Name, letters of the circuit, letters of the causal truth.
NETWORKS = [("majority", 6, 6), ("dyck1", 6, 6), ("cascade flipflop", 6, 5), ("cascade S3", 6, 5), ("scan S3", 8, 7),
            ("scan (a|b)*abb", 8, 5)]


def compiled(name):
    """A network of the zoo, or the scan of a group or of an expression for 8 letters."""
    import logdepth

    kind, _, what = name.partition(" ")
    if kind != "scan":
        return logdepth.zoo(f"cascade-{what}" if what else f"crasp-{kind}")
    source = {"regex": what} if "*" in what else {"group": what}
    return logdepth.compile_regular(**source, unroll=8)


def edge_name(edge):
    """A pair of nodes of TransformerLens, named as the circuit names it."""
    def named(node):
        if node.head is not None:
            return f"a{node.layer}.h{node.head}", node.kind[0] if node.kind.endswith("input") else ""
        return {"embed": "embed", "logits": "logits"}.get(node.kind, f"m{node.layer}"), ""

    (source, _), (target, part) = map(named, edge)
    return f"{source}->{target}" + (f"<{part}>" if part else "")


def pairs_of(folder):
    with open(os.path.join(folder, "pairs.csv"), encoding="utf-8", newline="") as opened:
        return [(row["clean"].split(), row["corrupted"].split(), int(row["correct_idx"]), int(row["incorrect_idx"]))
                for row in csv.DictReader(opened)]


def attributed(folder, pairs):
    """EAP, edge by edge; TransformerLens has no node for positions."""
    import logdepth.lens
    from transformer_lens.tools.analysis import attribution_patching as patching

    bridge, largest = logdepth.lens.load(folder), {}
    config = patching.EdgeAttributionConfig(granularity="edge")
    for clean, corrupted, right, wrong in pairs:
        def metric(logits):
            return logits[0, -1, right] - logits[0, -1, wrong]

        tokens = [bridge.logdepth.encode(word) for word in (clean, corrupted)]
        for edge, score in patching.attribution_patch(bridge, *tokens, metric, config).edge_scores.items():
            largest[edge_name(edge)] = max(largest.get(edge_name(edge), 0.0), abs(score))
    return largest


def patched(folder, circuit, pairs):
    from logdepth._edge_runs import EdgeRuns

    runs, largest = EdgeRuns(folder), {}
    for clean, corrupted, right, wrong in pairs:
        tokens, other = (runs.network.encode(word) for word in (clean, corrupted))
        logits, writes = runs.run(tokens)[0], runs.run(other)[1]
        for name, edge in circuit.possible.items():
            changed = runs.run(tokens, {edge: (writes[edge[0]], 1.0)})[0] - logits
            largest[name] = max(largest.get(name, 0.0), abs(float(changed[0, -1, right] - changed[0, -1, wrong])))
    return largest


def one_network(name, letters, n, pairs):
    import logdepth

    model = compiled(name)
    circuit = model.circuit(letters)
    with tempfile.TemporaryDirectory() as folder:
        model.export("circuit", folder + "/circuit", length=letters, pairs=pairs)
        temperature = "auto"  # that is proved, where one is
        try:
            model.export("transformer-lens", folder + "/lens", length=letters)
        except logdepth.ExportRefused:
            temperature = "tested"
            model.export("transformer-lens", folder + "/lens", length=letters, temperature=temperature)
        model.export("torch", folder + "/hard", length=letters, temperature="hard")
        chosen = pairs_of(folder + "/circuit")
        causal = sorted(circuit.causal(n))
        scores = {"EAP": attributed(folder + "/lens", chosen),
                  "exact patching": patched(folder + "/hard", circuit, chosen)}
    measurement.say(f"{name}: {len(causal)} causal edges")
    return {"network": name, "letters": letters, "n": n, "pairs": len(chosen), "possible": len(circuit.possible),
            "temperature": temperature, "causal": causal,
            "methods": {method: circuit.score(found, causal) for method, found in scores.items()},
            "scores": scores}


def write(folder, stored):
    rows, false = [], 0
    for one in stored["networks"]:
        for method, scores in one["methods"].items():
            cells = {kind: (f"{score['auroc']:.3f}", round(score["recall"] * score["true"]), score["true"])
                     for kind, score in scores.items()}
            false += scores["structural"]["found"] - cells["structural"][1]
            rows.append([one["network"], one["pairs"], one["n"], one["temperature"], method]
                        + [f"{area}; {found} of {true}" for area, found, true in cells.values()])
    measurement.write_page(folder, "circuit_scores", [
        *measurement.head("Scores of methods that look for circuits", "circuit_scores", stored),
        "A cell has the AUROC of the scores, and how many of the true edges score above 1e-9. Of the "
        f"edges that are not structural {false or 'none'} does. EAP has no node for positions, so edges from `pos` count "
        "as missed. Definitions are in [circuits](../docs/circuits.md).", "",
        measurement.table(["network", "pairs", "n", "temperature", "method", "structural", "varies", "causal to n"],
                          rows), ""])


def main():
    parser = measurement.page_parser(__doc__)
    parser.add_argument("--pairs", type=int, help="pairs of words of each network; stored: 24")
    parser.add_argument("--smallest", action="store_true",
                        help="two networks, a test of the script; give --out as well")
    options = measurement.options_of(parser, "circuit_scores", write, "pairs", "expected --pairs N or --report DIR")
    results = measurement.begun(options.out, "circuit_scores")
    networks = [("majority", 4, 3), ("cascade flipflop", 4, 3)] if options.smallest else NETWORKS
    results["networks"] = [one_network(*network, options.pairs) for network in networks]
    measurement.store(options.out, "circuit_scores", results)
    write(options.out, results)


if __name__ == "__main__":
    main()
