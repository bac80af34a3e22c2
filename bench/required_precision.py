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

BITS = """p is the smallest number of significant bits with which every input of a size is answered right, or certified.
Weights, inputs and every operation are rounded to p bits. The inputs are a few seeded ones of each size, the same for
every p: 3 words, 4 divisors, or 4 graphs with three pairs each. Answers are every prefix product, every quotient and
remainder, whether vertices are connected. More inputs can only raise p. Right answers need not be monotone in p: p − 1
is wrong and p to p + 3 are right, other p are not measured. N is the number of letters of a word, else of tokens.
Lines are least-squares fits.

Division, connectivity and `cascade-first-flag` test a difference of numbers that were computed in different ways for
zero. For right answers, what is within 2^−(p−4) is zero, or a tie. Separations of scores are proved by distance, and
are finer than that. So no p from 2 to 400 certifies ties of q·k, and a certificate can need fewer bits.

The softmax temperature is the smallest factor τ of scores of unit vectors with which every answer is right in float64,
and with 2τ and 4τ too."""
POSITIONS = """The first position p at which a head with the query φ(p) does not have its largest score at p alone,
among the keys of 0 … p. φ(p) = (p, 1)/√(p² + 1) is computed by a root, or from (p, 1)/(p + 1), as a network has it."""


def line_text(points):
    """The fit, with the first and the last value."""
    if not points:
        return "none"
    span = f"({points[0][1]} to {points[-1][1]})"
    if len(points) == 1:
        return span
    slope, intercept = statistics.linear_regression(*zip(*points))
    constant = f"{abs(intercept):.0f}"
    if not slope:
        return f"{constant} {span}"
    sign = "−" if intercept < 0 else "+"
    return f"{slope:.1f} log₂ N" + (f" {sign} {constant} {span}" if constant != "0" else f" {span}")


def growth_text(points):
    if len(points) < 2:
        return "–"
    slope, _ = statistics.linear_regression(*zip(*points))
    return f"n^{slope:.1f}"


def values(points, read):
    """What is read of each point, where it was found, over log2 N."""
    found = ((math.log2(point["n"]), read(point)) for point in points)
    return [one for one in found if one[1] is not None]


def weights_rows(points):
    series = {}
    for point in points:
        series.setdefault(point["series"], []).append(point)
    return [[f"`{name}`: {sizes[0]['title']}", f"{sizes[0]['n']} to {sizes[-1]['n']}",
             *(line_text(values(sizes, lambda point: point[kind][scores]))
               for kind in ("right", "certified") for scores in ("product", "distance")),
             growth_text(values([one for one in sizes if one.get("temperature")],
                                lambda point: math.log2(point["temperature"])))]
            for name, sizes in series.items()]


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
