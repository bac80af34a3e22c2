#!/usr/bin/env python3
"""Writes questions of the Python package reasoning-gym as JSON lines with question, answer, kind and,
where the generator tells it of the question, difficulty. Equal options give equal bytes; nothing is
fetched.

usage: reasoning_gym_lines.py [--seed 1] [--count 20] [--kinds chain_sum,syllogism] [-o FILE.jsonl]
"""
import argparse
import importlib.metadata
import json
import os
import sys
import tempfile

VERSION = "0.1.25"  # other versions write other questions

# Of each kind, what its metadata call the size of a single question; None where they tell none.
SIZES = {
    "chain_sum": "num_terms",
    "gsm_symbolic": None,
    "basic_arithmetic": "num_terms",
    "syllogism": None,
    "propositional_logic": "complexity",
    "knights_knaves": None,
    "family_relationships": "family_size",
}


def fail(sentence):
    print(f"reasoning_gym_lines.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def require_package():
    try:
        found = importlib.metadata.version("reasoning-gym")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found != VERSION:
        fail(f"expected the package reasoning-gym {VERSION} (pip install reasoning-gym=={VERSION}), "
             f"found {found}")


def line(kind, entry):
    """A question as the reader of logdepth takes it. A conclusion of propositional logic is one of
    several right ones: the generator's example."""
    metadata = entry["metadata"]
    answer = entry["answer"]
    if kind == "propositional_logic":
        answer = metadata["example_answer"]
    fields = {"question": entry["question"], "answer": str(answer), "kind": kind}
    if SIZES[kind] is not None:
        fields["difficulty"] = int(metadata[SIZES[kind]])
    return json.dumps(fields, ensure_ascii=False) + "\n"


def lines(kinds, seed, count):
    """The kinds in turn, so that the begin of a file has all of them."""
    import reasoning_gym

    sets = {kind: reasoning_gym.create_dataset(kind, size=count, seed=seed) for kind in kinds}
    for index in range(count):
        for kind, questions in sets.items():
            yield line(kind, questions[index])


def write(file, text):
    """The file appears under its name when it is complete."""
    folder = os.path.dirname(os.path.abspath(file))
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=folder,
                                         delete=False) as out:
            try:
                out.write(text)
                out.close()
                os.chmod(out.name, 0o644)
                os.replace(out.name, file)
            except OSError:
                os.unlink(out.name)
                raise
    except OSError as error:
        fail(f"{file}: cannot be written: {error.strerror}")


def main():
    parser = argparse.ArgumentParser(description="questions of reasoning-gym as JSON lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="questions of every kind (20)")
    parser.add_argument("--kinds", default=",".join(SIZES),
                        help="some of " + ", ".join(SIZES) + " (all)")
    parser.add_argument("-o", dest="out", help="file to write (else the lines are printed)")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    for kind in kinds:
        if kind not in SIZES:
            fail(f"--kinds: expected some of {', '.join(SIZES)}, found '{kind}'")
    if len(set(kinds)) != len(kinds):
        fail("--kinds: expected every kind once")
    if options.count < 1:
        fail(f"--count: expected at least 1, found {options.count}")
    if options.seed < 0:
        fail(f"--seed: expected a number of at least 0, found {options.seed}")
    require_package()
    text = "".join(lines(kinds, options.seed, options.count))
    if options.out is None:
        sys.stdout.buffer.write(text.encode("utf-8"))
    else:
        write(options.out, text)


if __name__ == "__main__":
    main()
