#!/usr/bin/env python3
"""How many significant bits, and which softmax temperature, do compiled weights need in floating point? Fewest bits for
right and for certified answers on inputs of growing size, and the first positions that a head takes for others.

    required_precision.py BUILD [--smallest] [--out DIR]
    required_precision.py --report DIR

BUILD is a folder with the program bench_required_precision (cmake -DLOGDEPTH_BENCH=ON). Writes
DIR/results/required_precision.json (every point) and DIR/required_precision.md; --report writes the page again.
"""
import json
import math
import os
import statistics

from measurement import begun, build_parser, head, options_of, output_of, say, store, table, write_page

SMALLEST = ["--up-to", 16, "--positions", 8000]

BITS = """Cells are a, b of the line p = a log₂ N + b, a least-squares fit of the smallest number p of significant bits
with which all inputs of a size get right (certified) answers. N is letters of words, else tokens. Every size has 3
words, 4 divisors, or 4 graphs with three pairs each, seeded; more can only raise p. With p − 1 bits an answer is wrong,
with p to p + 3 none is; other p are not measured.

Division, connectivity and the first cascade test a difference of numbers that were computed in different ways for
zero. For right answers, what is within 2^−(p−4) is zero, or a tie. Proved separations are finer, so a certificate can
need fewer bits. They are of distances, so no p up to 400 certifies ties of q·k.

The softmax temperature is the smallest factor of scores of unit vectors with which float64 gives right answers, and
with its double and fourfold too."""
POSITIONS = """The first p at which a head with the query φ(p) does not score p alone highest among the keys of 0 … p.
This code of p is computed by a root, or from averages, as in a network."""


def line_through(points, read):
    """Slope and intercept of what is read of each point, where it was found, over log2 N; none of fewer than two."""
    found = [(math.log2(point["n"]), read(point)) for point in points if read(point) is not None]
    return statistics.linear_regression(*zip(*found)) if len(found) > 1 else None


def bits_text(points, kind, scores):
    line = line_through(points, lambda point: point[kind][scores])
    return f"{line.slope:.1f}, {round(line.intercept)}".replace("-", "−") if line else "–"


def growth_text(points):
    hot = [point for point in points if point.get("temperature")]
    line = line_through(hot, lambda point: math.log2(point["temperature"]))
    return f"n^{line.slope:.1f}" if line else "–"


def weights_rows(points):
    series = {}
    for point in points:
        series.setdefault(point["title"], []).append(point)
    return [[title, f"{sizes[0]['n']} to {sizes[-1]['n']}",
             *(bits_text(sizes, kind, scores) for kind in ("right", "certified") for scores in ("product", "distance")),
             growth_text(sizes)] for title, sizes in series.items()]


def write(folder, stored):
    none = f"none below {stored['first_wrong'][0]['searched_below']}"
    text = head("How many bits do compiled weights need?", "required_precision", stored)
    text += [BITS, "",
             table(["weights", "N", "right, q·k", "right, −|q − k|²/2", "certified, q·k", "certified, −|q − k|²/2",
                    "temperature"], weights_rows(stored["points"])), "",
             POSITIONS, "",
             table(["scores", "φ by", "fp32", "fp64"],
                   [[one["scores"], one["phi"], one["fp32"] or none, one["fp64"] or none]
                    for one in stored["first_wrong"]])]
    write_page(folder, "required_precision", text)


def main():
    options = options_of(build_parser(__doc__), "required_precision", write, "build", "expected the build folder")
    stored = begun(options.out, "required_precision")
    say("bits, temperatures and positions" + ("" if options.smallest else ", some ten minutes"))
    program = os.path.join(options.build, "bench_required_precision")
    lines = [json.loads(line) for line in output_of(program, *(SMALLEST if options.smallest else [])).splitlines()]
    stored["points"] = [line for line in lines if "series" in line]
    stored["first_wrong"] = [line for line in lines if "phi" in line]
    store(options.out, "required_precision", stored)
    write(options.out, stored)


if __name__ == "__main__":
    main()
