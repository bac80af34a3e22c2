"""Which scan do trained networks of word problems draw, and what is left of them with its edges alone, or without
them?

For every run, n* after 1, 2, ... loops (of a stack after all its layers) as trained, with the attention between
letters cut to the edges of one scan, and with these edges cut. The scans are those of radix 2, of radix 3, and the
one that most attention goes along. A loop is also run once more than it was trained, on words twice as long, with the
next step vector, which was never trained: weight decay has left little of it."""
import json
import os

from measurement import (begun, head, output_of, page_parser, runs_of_groups, say, store, stored_results, table,
                         write_page)

MOST_LETTERS = 16  # of the words that name a scan


def asked(program, *arguments):
    return json.loads(output_of(program, *arguments, "--json"))


def reached(program, run, words, *edges):
    """n* after every number of loops."""
    result = asked(program, "measure", run, *words, *edges)["result"]
    return [loop["strict"] for loop in result.get("by_loops", [result])]


def one_run(options, run, record):
    result, model = record["result"], record["config"]["model"]
    letters = min(result["length"], MOST_LETTERS)
    word = " ".join(["g1"] * letters)
    drawn = asked(options.program, "draw", "--learned", run, "--tokens", word, "--words", options.words)
    loops = len(result.get("by_loops", [result]))
    layers = model["initial"] + model["repeated"] * loops + model["final"]
    words = ["--words", options.measured] if options.measured else []
    best = drawn["radices"]["scans"][0]
    scans = {"2": [2] * layers, "3": [3] * layers, "drawn": best["radices"]}
    found = {"run": os.path.relpath(run, options.runs), "problem": result["monoid"], "seed": record["seed"],
             "layers": layers, "letters": letters, "drawn": best, "distances": drawn["radices"]["levels"],
             "whole": reached(options.program, run, words), "kept": {}, "cut": {}}
    if model["repeated"]:
        found["more"] = reached(options.program, run, words, "--loops", loops + 1, "--length", 2 * result["length"])
    for name, radices in scans.items():
        edges = ",".join(map(str, radices))
        found["kept"][name] = reached(options.program, run, words, "--keep-edges", edges)
        found["cut"][name] = reached(options.program, run, words, "--cut-edges", edges)
    say(f"{found['run']}: {found['whole']}, kept {found['kept']}, cut {found['cut']}")
    return found


def listed(numbers):
    return ", ".join(map(str, numbers))


def distances(levels):
    """"1 1 2" of the heads of each layer."""
    return "; ".join(" ".join(str(head["distance"] or "–") for head in level["heads"]) for level in levels)


def write(folder, stored):
    runs = stored["runs"]
    text = [*head("Which scan do trained networks draw?", "learned_edges", stored),
            "Radices r₁, r₂, … are a scan: before layer l a position holds the product of its last "
            "W = r₁ ⋯ r₍ₗ₋₁₎ letters, and it reads the positions W, 2W, …, (rₗ − 1)W back. Radices 2, 2, … are the "
            "circuit of Hillis and Steele.", "",
            "## Edges that heads read", "",
            "On random words of 16 letters, or of as many as the run was measured on. The scan is the one of radices "
            "2, 3 and 4 with the largest share of its edges read by some head; by chance: if every head read one of "
            "the positions before at random. Distances: how far back each head reads most often, layer by layer.", "",
            table(["run", "scan", "edges read", "of", "by chance", "distances"],
                  [[run["run"], listed(run["drawn"]["radices"]), run["drawn"]["edges"], run["drawn"]["of_edges"],
                    f"{run['drawn']['by_chance']:.1f}", distances(run["distances"])] for run in runs]), "",
            "## Edges that the networks need", "",
            "n\\* after 1, 2, … loops. Kept: between letters, attention has the edges of the scan alone. Cut: it has "
            "all others. In both, every position still reads itself and the token before the word. Nothing is "
            "trained again. A scan of fewer radices than layers ends there: the layers behind it read no letters.", "",
            table(["run", "as trained", "kept 2, 2, …", "kept 3, 3, …", "kept, its own scan", "cut 2, 2, …",
                   "cut, its own scan"],
                  [[run["run"], listed(run["whole"]), listed(run["kept"]["2"]), listed(run["kept"]["3"]),
                    listed(run["kept"]["drawn"]), listed(run["cut"]["2"]), listed(run["cut"]["drawn"])]
                   for run in runs]), "",
            "## One iteration more", "",
            "n\\* after 1, 2, … loops on words twice as long, with one loop more than in training. Its step vector "
            "was never trained: weight decay has left little of it.", "",
            table(["run", "with one more"], [[run["run"], listed(run["more"])] for run in runs if "more" in run]), ""]
    write_page(folder, "learned_edges", text)


def main():
    parser = page_parser(__doc__)
    parser.add_argument("program", nargs="?", help="logdepth, with logdepth-train beside it")
    parser.add_argument("runs", nargs="?", help="folder with finished runs on words")
    parser.add_argument("--words", type=int, default=64, help="random words that name the scan")
    parser.add_argument("--measured", type=int, help="words of every measurement; default: as in the run")
    options = parser.parse_args()
    if options.report:
        return write(options.report, stored_results(options.report, "learned_edges"))
    if not options.runs:
        parser.error("expected the build's logdepth and a folder with finished runs")
    if options.measured is not None and options.measured < 1 or options.words < 1:
        parser.error("--words, --measured: expected at least 1")
    runs = runs_of_groups(options.runs)
    stored = {**begun(options.out, "learned_edges"), "runs": [one_run(options, *run) for run in runs]}
    store(options.out, "learned_edges", stored)
    write(options.out, stored)


if __name__ == "__main__":
    main()
