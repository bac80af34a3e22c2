"""Which circuit do trained networks of word problems compute? Their attention is drawn and cut, their states replaced.

Drawn: the scan of radix 2, 3 or 4 whose edges the heads read most often. Cut: n* after 1, 2, ... loops (of a stack
after all its layers) as trained, with the attention between letters cut to the edges of one scan, and with these edges
cut. The scans are those of radix 2, of radix 3, and the one that was drawn. A loop is also run once more than it was
trained, on words twice as long, with the next step vector, which was never trained: weight decay has left little of
it.

Replaced, in loops of one layer: in a scan of radix 2 the state of letter p after iteration l holds the product of its
last 2^l letters, and the letters p, p + 2^l, p + 2 * 2^l, ... use it. So with the state of p from another random word
of the same length they must answer the product in which this window is the other word's, and all other letters what
they answered before. `window` is the share of the former that do, `others` that of the latter. `prefix` is the share
of the former that answer as if the state held the whole word up to p. Both are of letters p > 2^l, where they are
different answers.

Needs logdepth-train beside the program, PyTorch and the Python package (bench/README.md)."""
import json
import os
import sys

from measurement import (begun, head, options_of, output_of, page_parser, refuse, runs_of_groups, say, splitmix64,
                         store, table, write_page)

MOST_LETTERS = 16  # of the words that name a scan, and of those with replaced states


def asked(program, *arguments):
    return json.loads(output_of(program, *arguments, "--json"))


def reached(program, run, words, *edges):
    """n* after every number of loops."""
    result = asked(program, "measure", run, *words, *edges)["result"]
    return [loop["strict"] for loop in result.get("by_loops", [result])]


def edges(options, folder, record):
    result, model = record["result"], record["config"]["model"]
    letters = min(result["length"], MOST_LETTERS)
    word = ["--tokens", " ".join(["g1"] * letters), "--words", options.words]
    drawn = asked(options.program, "draw", "--learned", folder, *word)
    loops = len(result.get("by_loops", [result]))
    layers = model["initial"] + model["repeated"] * loops + model["final"]
    words = ["--words", options.measured] if options.measured else []
    best = drawn["radices"]["scans"][0]
    scans = {"2": [2] * layers, "3": [3] * layers, "drawn": best["radices"]}
    found = {"layers": layers, "letters": letters, "drawn": best, "distances": drawn["radices"]["levels"],
             "whole": reached(options.program, folder, words), "kept": {}, "cut": {}}
    if model["repeated"]:
        found["more"] = reached(options.program, folder, words, "--loops", loops + 1, "--length", 2 * result["length"])
    for name, radices in scans.items():
        limit = ",".join(map(str, radices))
        found["kept"][name] = reached(options.program, folder, words, "--keep-edges", limit)
        found["cut"][name] = reached(options.program, folder, words, "--cut-edges", limit)
    return found


class Group:
    """Products of elements by their numbers, read off the words of `data words`."""

    def __init__(self, program, monoid, size):
        # Every pair of elements is among these with all but certainty.
        made = output_of(program, "data", "words", "--monoid", monoid, "--length", "64", "--words",
                         str(size * size // 2 + 200), "--seed", "1")
        self.size, self.products = size, {}
        for line in made.splitlines()[1:]:
            _, letters, prefixes = line.split(",")
            letters, prefixes = [list(map(int, part.split())) for part in (letters, prefixes)]
            if letters[0] != prefixes[0]:
                refuse(f"{monoid}: expected letters with the numbers of the elements")
            for k in range(1, len(letters)):
                self.products[prefixes[k - 1], letters[k]] = prefixes[k]
        self.identity = next(a for a in range(size) if self.products.get((a, a)) == a)

    def product(self, letters):
        result = self.identity
        for letter in letters:
            result = self.products[result, letter]
        return result


class Patch:
    """A hook that puts the states of `donor` at one token when the block has run `iteration` times."""

    def __init__(self, iteration, token, donor):
        self.iteration, self.token, self.donor, self.runs = iteration, token, donor, 0

    def __call__(self, _module, _inputs, states):
        self.runs += 1
        if self.runs != self.iteration:
            return None
        states = states.clone()
        states[:, self.token] = self.donor[:, self.token]
        return states


def expected(group, word, other, p, window, q):
    """The product of the first q letters where the `window` letters up to p are those of the other word."""
    first = max(0, p - window)
    return group.product(word[:first] + other[first:p] + word[p:q])


def one_iteration(network, group, words, others, iteration, answers):
    """Shares over all letters p of all words, see the head of this file."""
    import torch
    place = network.repeated[-1].after_feedforward
    states = network.run_with_cache(network.encode(others))[1]["repeated.0.after_feedforward"][iteration - 1]
    letters, begin, window = len(words[0]), int(network.begins), 2 ** iteration
    counts = {"window": [0, 0], "prefix": [0, 0], "others": [0, 0]}
    for p in range(1, letters + 1):
        handle = place.register_forward_hook(Patch(iteration, begin + p - 1, states))
        try:
            with torch.no_grad():
                after = network(network.encode(words))[:, begin:].argmax(-1).tolist()
        finally:
            handle.remove()
        for word, other, found, before in zip(words, others, after, answers):
            for q in range(p, letters + 1):
                if (q - p) % window == 0:
                    if p <= window:
                        continue
                    checks = {"window": expected(group, word, other, p, window, q),
                              "prefix": expected(group, word, other, p, letters, q)}
                else:
                    checks = {"others": before[q - 1]}
                for name, wanted in checks.items():
                    counts[name][0] += found[q - 1] == wanted
                    counts[name][1] += 1
    return {name: {"share": right / of, "of": of} for name, (right, of) in counts.items() if of}


def states(options, folder, record):
    import torch
    from logdepth.torch import load_run
    torch.set_num_threads(1)
    result = record["result"]
    network = load_run(folder)
    group = Group(options.program, result["monoid"], result["size"])
    # Where the network is right as it is: what it does with a patch of words that it cannot read shows nothing.
    letters = min(MOST_LETTERS, result["strict"])
    numbers = splitmix64(1)
    words, others = ([[next(numbers) % group.size for _ in range(letters)] for _ in range(options.words)]
                     for _ in range(2))
    with torch.no_grad():
        answers = network(network.encode(words))[:, int(network.begins):].argmax(-1).tolist()
    return {"letters": letters, "iterations": [one_iteration(network, group, words, others, iteration, answers)
                                               for iteration in range(1, network.loops(letters))]}


def one_run(options, folder, record):
    name, model = os.path.relpath(folder, options.runs), record["config"]["model"]
    found = {"run": name, "problem": record["result"]["monoid"], "seed": record["seed"],
             "edges": edges(options, folder, record)}
    if (model["initial"], model["repeated"], model["final"]) == (0, 1, 0) and record["result"]["strict"] >= 2:
        found["states"] = states(options, folder, record)
    if options.pictures:
        numbers = splitmix64(1)
        letters, size = min(8, record["result"]["length"]), record["result"]["size"]
        word = " ".join(f"g{next(numbers) % size}" for _ in range(letters))
        output_of(options.program, "draw", "--learned", folder, "--tokens", word, "-o",
                  os.path.join(options.pictures, name.replace(os.sep, "-") + ".svg"))
    say(f"{name}: {found['edges']['whole']}")
    return found


def listed(numbers):
    return ", ".join(map(str, numbers))


def distances(levels):
    """"1 1 2" of the heads of each layer."""
    return "; ".join(" ".join(str(head["distance"] or "–") for head in level["heads"]) for level in levels)


def write(folder, stored):
    runs = [(run["run"], run["edges"]) for run in stored["runs"]]
    replaced = [[run["run"], run["states"]["letters"], iteration, 2 ** iteration]
                + [f"{shares[name]['share']:.3f}" if name in shares else "–" for name in ("window", "prefix", "others")]
                for run in stored["runs"] if "states" in run
                for iteration, shares in enumerate(run["states"]["iterations"], 1)]
    text = [*head("Which circuit do trained networks compute?", "learned_circuits", stored),
            "Radices r₁, r₂, … are a scan: before layer l a position holds the product of its last "
            "W = r₁ ⋯ r₍ₗ₋₁₎ letters, and it reads the positions W, 2W, …, (rₗ − 1)W back. Radices 2, 2, … are the "
            "circuit of Hillis and Steele.", "",
            "## Edges that heads read", "",
            "On random words of 16 letters, or of as many as the run was measured on. The scan is the one of radices "
            "2, 3 and 4 with the largest share of its edges read by some head; by chance: if every head read one of "
            "the positions before at random. Distances: how far back each head reads most often, layer by layer.", "",
            table(["run", "scan", "edges read", "of", "by chance", "distances"],
                  [[name, listed(run["drawn"]["radices"]), run["drawn"]["edges"], run["drawn"]["of_edges"],
                    f"{run['drawn']['by_chance']:.1f}", distances(run["distances"])] for name, run in runs]), "",
            "## Edges that the networks need", "",
            "n\\* after 1, 2, … loops. Kept: between letters, attention has the edges of the scan alone. Cut: it has "
            "all others. In both, every position still reads itself and the token before the word. Nothing is "
            "trained again. A scan of fewer radices than layers ends there: the layers behind it read no letters.", "",
            table(["run", "as trained", "kept 2, 2, …", "kept 3, 3, …", "kept, its own scan", "cut 2, 2, …",
                   "cut, its own scan"],
                  [[name, listed(run["whole"]), listed(run["kept"]["2"]), listed(run["kept"]["3"]),
                    listed(run["kept"]["drawn"]), listed(run["cut"]["2"]), listed(run["cut"]["drawn"])]
                   for name, run in runs]), "",
            "## One iteration more", "",
            "n\\* after 1, 2, … loops on words twice as long, with one loop more than in training. Its step vector "
            "was never trained: weight decay has left little of it.", "",
            table(["run", "with one more"], [[name, listed(run["more"])] for name, run in runs if "more" in run]), "",
            "## States replaced by those of another word", "",
            "After an iteration the state of one letter p is replaced by its state on another word, for every p in "
            "turn. In a scan of radix 2 the state holds the product of its last W = 2^l letters after iteration l, "
            f"and the letters p, p + W, p + 2W, … use it. Measured: {stored['words']} pairs of random words, loops of "
            "one layer alone.", "",
            "- *window*: share of the answers at these letters, for p > W, that are the product with the other word's "
            "window in place of their own.",
            "- *prefix*: share of the same answers that are the product with all letters up to p from the other "
            "word.",
            "- *others*: share of the answers at other letters behind p that stay what they were.", "",
            table(["run", "letters", "iteration", "W", "window", "prefix", "others"], replaced), ""]
    write_page(folder, "learned_circuits", text)


def main():
    parser = page_parser(__doc__)
    parser.add_argument("program", nargs="?", help="logdepth, with logdepth-train beside it")
    parser.add_argument("runs", nargs="?", help="folder with finished runs on words")
    parser.add_argument("--words", type=int, default=64, help="random words that name the scan, and pairs for states")
    parser.add_argument("--measured", type=int, help="words of every measurement; default: as in the run")
    parser.add_argument("--pictures", metavar="DIR", help="also draw each run, next to the compiled scan")
    options = options_of(parser, "learned_circuits", write, "runs",
                         "expected the build's logdepth and a folder with finished runs")
    if options.measured is not None and options.measured < 1 or options.words < 1:
        parser.error("--words, --measured: expected at least 1")
    try:
        import logdepth.torch  # noqa: F401
    except ImportError as error:
        refuse(f"{sys.executable}: expected PyTorch and the Python package of logdepth, {error}")
    runs = runs_of_groups(options.runs)
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    stored = {**begun(options.out, "learned_circuits"), "words": options.words,
              "runs": [one_run(options, *run) for run in runs]}
    store(options.out, "learned_circuits", stored)
    write(options.out, stored)


if __name__ == "__main__":
    main()
