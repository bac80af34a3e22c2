"""What does gradient descent lose of compiled weights, and what has to stay fixed for it to keep them?

The scan of a group is trained further on the words that it solves: all of its numbers, one part of them, or only
those that are not 0. n* before and after, on words of as many letters as `--length`."""
import json
import os
import tempfile

from measurement import begun, head, output_of, page_parser, say, store, stored_results, table, write_page

ATTENTIONS = {"hard": ["--attention", "hard"],
              "softmax of 10⁴ times the score": ["--attention", "softmax", "--temperature", "10000"],
              "softmax of 10² times the score": ["--attention", "softmax", "--temperature", "100"]}
PARTS = {"everything": "", "embedding": "embedding", "queries and keys": "query,key",
         "values and outputs": "value,output", "feed-forward": "in,out", "unembedding": "unembedding"}
RATES = ["1e-4", "1e-5", "1e-6"]


def cases():
    """Attention, part, whether zeros stay, learning rate; the first of each attention is not trained."""
    for attention in ATTENTIONS:
        yield attention, None, False, None
        for part in PARTS:
            for zeros in False, True:
                yield attention, part, zeros, RATES[0]
        for rate in RATES[1:]:
            for zeros in False, True:
                yield attention, "everything", zeros, rate


def one_case(options, weights, folder, case):
    attention, part, zeros, rate = case
    out = os.path.join(folder, "run")
    # A rate that changes no number of the file, for what it could do before.
    settings = ([f"training.learning_rate={rate}", f"training.only={PARTS[part]}",
                 f"training.keep_zeros={str(zeros).lower()}"] if part else ["training.learning_rate=1e-30"])
    steps = options.steps if part else 1
    output_of(options.program, "train", "construction", weights, "--monoid", options.monoid, "--length", options.length,
              *ATTENTIONS[attention], "--steps", steps, "--out", out,
              *(each for setting in settings for each in ("--set", setting)))
    run = os.path.join(out, options.monoid, "construction", "seed-1")
    measured = json.loads(output_of(options.program, "measure", run, "--length", options.length, "--json"))["result"]
    with open(os.path.join(run, "record.json"), encoding="utf-8") as opened:
        training = json.load(opened)["training"]
    found = {"attention": attention, "part": part, "zeros": zeros, "rate": rate, "n": measured["strict"],
             "loss": training["loss"], "steps": steps, "trained_to": training["stage"],
             "relative_change": training["before"]["relative_change"]}
    say(f"{attention}, {part}, zeros {'stay' if zeros else 'move'}, {rate}: n* = {found['n']}")
    return found


def write(folder, stored):
    rows = []
    for case in stored["cases"]:
        rows.append([case["attention"], case["part"] or "nothing",
                     ("stay" if case["zeros"] else "move") if case["part"] else "–", case["rate"] or "–",
                     case["n"], case["trained_to"].removeprefix("length ") if case["part"] else "–",
                     f"{100 * case['relative_change']:.2g} %"])
    text = [*head("Training from compiled weights", "from_compiled", stored),
            f"The scan of {stored['monoid']} (`compile regular --group {stored['monoid']} --construction scan`), "
            f"{stored['steps']} steps of AdamW on words of 2, 4, … letters, promoted at the accuracy that "
            "`train construction` has. n\\* on words of "
            f"{stored['length']} letters. Zeros move or stay: whether numbers that are 0 in the file are trained.", "",
            table(["attention", "trained", "zeros", "learning rate", "n\\*", "trained up to, letters",
                   "change of the weights"], rows), ""]
    write_page(folder, "from_compiled", text)


def main():
    parser = page_parser(__doc__)
    parser.add_argument("program", nargs="?", help="logdepth, with logdepth-train beside it")
    parser.add_argument("--monoid", default="A5")
    parser.add_argument("--length", type=int, default=32, help="letters of the longest words")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--smallest", action="store_true", help="three cases, for a test")
    options = parser.parse_args()
    if options.report:
        return write(options.report, stored_results(options.report, "from_compiled"))
    if not options.program:
        parser.error("expected the build's logdepth")
    if options.steps < 1 or options.length < 2:
        parser.error("--steps, --length: expected at least 1 and 2")
    stored = {**begun(options.out, "from_compiled"), "monoid": options.monoid, "length": options.length,
              "steps": options.steps, "cases": []}
    for case in list(cases())[:3 if options.smallest else None]:
        with tempfile.TemporaryDirectory() as folder:
            weights = os.path.join(folder, "scan.json")
            output_of(options.program, "compile", "regular", "--group", options.monoid, "--construction", "scan", "-o",
                      weights)
            stored["cases"].append(one_case(options, weights, folder, case))
    store(options.out, "from_compiled", stored)
    write(options.out, stored)


if __name__ == "__main__":
    main()
