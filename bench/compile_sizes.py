#!/usr/bin/env python3
"""Sizes and times of compiled regular languages: compile, count on the file, run, compare, time.

    compile_sizes.py LOGDEPTH [--smallest]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from measurement import describe_machine, row, splitmix64, table



def random_dfa(states, seed):
    """AT&T text of a DFA over a, b whose states all accept with probability one half."""
    numbers = splitmix64(seed)
    lines = [f"{q} {next(numbers) % states} {letter}" for q in range(states) for letter in "ab"]
    return "\n".join(lines + [str(q) for q in range(states) if next(numbers) % 2]) + "\n"


def timed(command, repeats):
    """Standard output of the command, and the median wall time of its runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        times.append(time.perf_counter() - start)
    return done, statistics.median(times)


def product(word, generators):
    images = list(range(len(next(iter(generators.values())))))
    for letter in word:
        images = [generators[letter][q] for q in images]
    return images


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logdepth", metavar="LOGDEPTH", help="path of the program")
    parser.add_argument("--smallest", action="store_true",
                        help="one language, once: a test of the script")
    options = parser.parse_args()
    logdepth, repeats = options.logdepth, 1 if options.smallest else 5
    folder = tempfile.mkdtemp()

    def fst(states):
        path = os.path.join(folder, f"random{states}.fst")
        with open(path, "w") as out:
            out.write(random_dfa(states, seed=states))
        return ["--fst", path]

    cases = [
        ("A5", ["--group", "A5"], 1024),
        ("A5, first-flag", ["--group", "A5", "--positions", "first-flag"], 1024),
        ("A5, circle", ["--group", "A5", "--positions", "circle"], 1024),
        ("S5", ["--group", "S5"], 1024),
        ("random DFA, 20 states", fst(20), 256),
        ("random DFA, 50 states", fst(50), 256),
        ("(a|b)*a(a|b){4}", ["--regex", "(a|b)*a(a|b){4}"], 1024),
        ("(a|b)*a(a|b){9}", ["--regex", "(a|b)*a(a|b){9}"], 0),
    ]
    if options.smallest:
        cases = [("(a|b)*abb", ["--regex", "(a|b)*abb"], 64)]
    print(f"Machine: {describe_machine()}. Medians of {repeats} processes.\n")
    print(table(["language", "table", "cells", "width", "units", "non-zeros", "file bytes",
                 "denominator bits", "compile s", "T", "run s"], []))
    for name, source, length in cases:
        model = os.path.join(folder, "model.json")
        compiled, compile_time = timed([logdepth, "compile", "regular", *source, "-o", model],
                                       repeats)
        if compiled.returncode == 3:
            print(row([name, f"refused: {compiled.stderr.splitlines()[-1]}"]))
            continue
        if compiled.returncode != 0:
            sys.exit(compiled.stderr)
        info = json.loads(subprocess.run([logdepth, "info", model, "--json"], capture_output=True,
                                         text=True, check=True).stdout)
        numbers = splitmix64(length)
        word = "".join("ab"[next(numbers) % 2] for _ in range(length))
        ran, run_time = timed([logdepth, "run", model, "--input", word, "--prefixes"], repeats)
        if ran.stdout.splitlines()[-1] != json.dumps(product(word, info["generators"]),
                                                     separators=(",", ":")):
            sys.exit(f"{name}: the network's product differs from the direct one")
        print(row([name, info["parameters"]["table"], info["cells"], info["width"], info["units"],
                   info["nonzeros"], os.path.getsize(model), info["denominator_bits"],
                   f"{compile_time:.3f}", length, f"{run_time:.3f}"]))


if __name__ == "__main__":
    main()
