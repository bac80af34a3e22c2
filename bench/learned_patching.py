"""What do the states of trained loops hold? The state of one letter is replaced by that of another word.

In a scan of radix 2 the state of letter p after iteration l holds the product of its last 2^l letters, and the
letters p, p + 2^l, p + 2 * 2^l, ... use it. So with the state of p from another random word of the same length
they must answer the product in which this window is the other word's, and all other letters
what they answered before. `window` is the share of the former that do, `others` that of the latter. `prefix` is the
share of the former that answer as if the state held the whole word up to p. Both are of letters p > 2^l, where they
are different answers.

Needs PyTorch and the Python package: the wheel's environment (bench/README.md)."""
import os
import sys

from measurement import (begun, head, output_of, page_parser, refuse, runs_of_groups, say, splitmix64, store,
                         stored_results, table, write_page)

MOST_LETTERS = 16


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


def one_run(options, folder, record):
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
    found = {"run": os.path.relpath(folder, options.runs), "problem": result["monoid"], "seed": record["seed"],
             "reach": result["strict"], "letters": letters,
             "iterations": [one_iteration(network, group, words, others, iteration, answers)
                            for iteration in range(1, network.loops(letters))]}
    say(f"{found['run']}: " + "; ".join(
        " ".join(f"{name} {value['share']:.3f}" for name, value in each.items()) for each in found["iterations"]))
    return found


def write(folder, stored):
    rows = []
    for run in stored["runs"]:
        for iteration, shares in enumerate(run["iterations"], 1):
            rows.append([run["run"], run["letters"], iteration, 2 ** iteration]
                        + [f"{shares[name]['share']:.3f}" if name in shares else "–"
                           for name in ("window", "prefix", "others")])
    text = [*head("States of trained loops, replaced by those of another word", "learned_patching", stored,
                  f" {stored['words']} pairs of random words."),
            "After an iteration the state of one letter p is replaced by its state on another word, for every p in "
            "turn. In a scan of radix 2 the state holds the product of its last W = 2^l letters after iteration l, "
            "and the letters p, p + W, p + 2W, … use it.", "",
            "- *window*: share of the answers at these letters, for p > W, that are the product with the other word's "
            "window in place of their own.",
            "- *prefix*: share of the same answers that are the product with all letters up to p from the other "
            "word.",
            "- *others*: share of the answers at other letters behind p that stay what they were.", "",
            table(["run", "letters", "iteration", "W", "window", "prefix", "others"], rows), ""]
    write_page(folder, "learned_patching", text)


def main():
    parser = page_parser(__doc__)
    parser.add_argument("program", nargs="?", help="logdepth")
    parser.add_argument("runs", nargs="?", help="folder with finished runs on words")
    parser.add_argument("--words", type=int, default=64, help="pairs of random words")
    options = parser.parse_args()
    if options.report:
        return write(options.report, stored_results(options.report, "learned_patching"))
    if not options.runs:
        parser.error("expected the build's logdepth and a folder with finished runs")
    if options.words < 1:
        parser.error("--words: expected at least 1")
    try:
        import logdepth.torch  # noqa: F401
    except ImportError as error:
        refuse(f"{sys.executable}: expected PyTorch and the Python package of logdepth, {error}")
    runs = runs_of_groups(options.runs)
    for folder, record in runs:
        model = record["config"]["model"]
        if (model["initial"], model["repeated"], model["final"]) != (0, 1, 0) or record["result"]["strict"] < 2:
            refuse(f"{folder}: expected a loop of one layer that knows words of 2 letters or more")
    stored = {**begun(options.out, "learned_patching"), "words": options.words,
              "runs": [one_run(options, *run) for run in runs]}
    store(options.out, "learned_patching", stored)
    write(options.out, stored)


if __name__ == "__main__":
    main()
