#!/usr/bin/env python3
"""What does exactness cost? Exact runs of compiled weights beside the same network in numpy, and beside what it
computes, written directly.

    exact_cost.py BUILD [--smallest] [--out DIR]
    exact_cost.py --report DIR

BUILD is a folder with the programs logdepth and bench_exact_cost (cmake -DLOGDEPTH_BENCH=ON). Writes
DIR/results/exact_cost.json (every single run) and DIR/exact_cost.md; --report writes the page again.
"""
import os
import random
import statistics
import sys
import tempfile

from measurement import (HERE, MEMORY, alone, begun, build_parser, duration, head, number, options_of, output_of,
                         python_with_numpy, refuse, say, splitmix64, store, table, write_page)

GROUP = "A5"
LIMIT, REPEATS = 30, 3  # seconds of a run, runs of each contender
CASES = {  # what is compiled, the direct algorithm, its name, what is counted, its title
    "scan": (["regular", "--group", GROUP], "sequential", "letter by letter", "letters", "A5 word problem, `scan`"),
    "tree": (["regular", "--group", GROUP, "--construction", "tree"], "sequential", "letter by letter", "letters",
             "A5 word problem, `tree` (MS25 Thm 4.1)"),
    "connectivity": (["connectivity"], "search", "Boost.Graph search", "vertices", "Connectivity (MS25 Thm 5.1)"),
}
SIZES = {  # full, smallest
    "scan": ([256, 1024, 4096, 10000, 65536, 100000, 1048576], [64]),
    "tree": ([256, 1024, 4096, 10000, 65536], [16]),
    "connectivity": ([4, 8, 16, 22, 46, 64], [3]),
}
# How numpy may treat rounding: how close to the largest a score ties, and below what size a number is zero to a
# norm. It gets the first pair that answers right.
ROUNDING = [(0.0, 0.0), (1e-15, 1e-9), (1e-15, 1e-12), (1e-12, 1e-12)]
GOALS = [  # case, size, seconds, bytes: set before the runs
    ("scan", 1048576, 0.3, 1e8), ("tree", 65536, 0.6, None), ("connectivity", 16, 0.02, None),
    ("connectivity", 46, 0.3, None), ("connectivity", 64, 0.9, None)]


# ---- Contenders: each run in a process of its own, answers compared before any time counts ---------------


class Contender:
    """`treatments`: more arguments, the first that lead to right answers are used; `power`: of the tokens, that
    its time grows with, to forecast the next size; `arrays`: of tokens x tokens numbers, held at once."""

    def __init__(self, name, command, treatments=((),), power=1, arrays=0):
        self.name, self.command, self.treatments = name, command, list(treatments)
        self.power, self.arrays = power, arrays
        self.last = None  # tokens and seconds of the size before

    def refusal(self, tokens):
        """Why it is not run on so many tokens, or ""."""
        memory = 8 * self.arrays * tokens * tokens
        if memory > MEMORY:
            return f"{self.arrays} arrays of scores are {memory / 1e9:.0f} GB"
        before, seconds = self.last or (tokens, 0.0)
        forecast = seconds * (tokens / before) ** self.power
        return f"forecast {forecast:.0f} s, limit {LIMIT} s" if forecast > LIMIT else ""

    def first_runs(self, questions, reference, answers):
        """Asks every question once: the record of the first, with how the answers to all of them differ from the
        reference, and these answers."""
        first = None
        for treatment in list(self.treatments):
            runs, lines = [], []
            for question in questions:
                result, error = alone([*self.command, *question, *treatment, "--answers", answers], LIMIT)
                if error:
                    return first or ({"refused": error}, [])
                runs.append(result)
                with open(answers, encoding="utf-8") as opened:
                    lines += opened.read().splitlines()
            record = {"runs": runs[:1], "differs": compared(lines, reference or lines), "treatment": treatment}
            first = first or (record, lines)
            if not record["differs"]:
                self.treatments = self.treatments[self.treatments.index(treatment):]
                return record, lines
            if runs[0]["seconds"] > LIMIT / 10:
                break
        return first


def compared(lines, reference):
    """How the answers differ, or "" when they are the reference's."""
    if lines == reference:
        return ""
    if len(lines) != len(reference):
        return f"{len(lines)} answers in place of {len(reference)}"
    wrong = [i for i, pair in enumerate(zip(lines, reference)) if pair[0] != pair[1]]
    if len(reference) <= 2:
        return f"{' and '.join(lines)} in place of {' and '.join(reference)}"
    return f"first at {wrong[0] + 1}, {len(wrong)} of {len(lines)} wrong"


def contest(contenders, questions, tokens, repeats, work):
    """Records by contender. The first one is the reference: a direct algorithm. All questions are asked once, the
    first one is timed, in turn and in rotating order."""
    records, reference = {}, []
    for contender in contenders:
        record = {"refused": contender.refusal(tokens)}
        if not record["refused"]:
            record, lines = contender.first_runs(questions, reference, os.path.join(work, "answers"))
            reference = reference or lines
        if not reference:
            refuse(f"{contender.name}: {record['refused']}")
        if "runs" in record:
            contender.last = (tokens, record["runs"][0]["seconds"])
        records[contender.name] = record
        say(f"  {contender.name}: {cell(record)}")
    for turn in range(1, repeats):
        turn %= len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            record = records[contender.name]
            if "runs" in record:
                result, error = alone([*contender.command, *questions[0], *record["treatment"]], LIMIT)
                record["runs"] += [] if error else [result]
    return records


# ---- Inputs ----------------------------------------------------------------------------------------------


def word(letters, work):
    path, numbers = os.path.join(work, "word"), splitmix64(letters)
    with open(path, "w", encoding="utf-8") as out:
        out.write("".join("ab"[next(numbers) >> 63] for _ in range(letters)))
    return [["--word", path]], letters + 1


def graph(vertices, work):
    """A directed path through all vertices in random order, which makes the longest distance that there is, and as
    many random edges that lead back, none to its first vertex. Two questions: the last vertex can be reached from
    the first, but not the other way."""
    choice = random.Random(vertices)
    names = [f"v{i}" for i in range(vertices)]
    order = choice.sample(names, vertices)
    edges = list(zip(order, order[1:]))
    for _ in range(vertices):
        i, j = sorted(choice.sample(range(1, vertices), 2))
        edges.append((order[j], order[i]))
    path = os.path.join(work, "graph.edges")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in names + [" ".join(edge) for edge in edges])
    first, last = order[0], order[-1]
    return ([["--graph", path, "--source", s, "--target", t] for s, t in ((first, last), (last, first))],
            vertices ** 3 + int(first[1:]) + 1 + int(last[1:]) + 1)


def measured_case(options, case, work):
    arguments, direct = CASES[case][:2]
    model = os.path.join(work, "model.json")
    output_of(os.path.join(options.build, "logdepth"), "compile", *arguments, "-o", model)
    program = [os.path.join(options.build, "bench_exact_cost"), "--model", model, "--group", GROUP, "--contender"]
    numpy = [python_with_numpy(), os.path.join(HERE, "dense_numpy.py"), "--model", model]
    contenders = [Contender(direct, [*program, direct]), Contender("exact", [*program, "exact"]),
                  Contender("numpy", numpy, [["--tolerance", str(t), "--zero", str(z)] for t, z in ROUNDING], 2, 3)]
    sizes = []
    for size in SIZES[case][options.smallest]:
        questions, tokens = (graph if case == "connectivity" else word)(size, work)
        say(f"{case} {size}: {tokens} tokens")
        records = contest(contenders, questions, tokens, 1 if options.smallest else REPEATS, work)
        sizes.append({"size": size, "tokens": tokens, "records": records})
    return {"sizes": sizes}


# ---- The page --------------------------------------------------------------------------------------------


def seconds(record):
    """The median of the runs, or None."""
    return statistics.median(run["seconds"] for run in record["runs"]) if "runs" in record else None


def peak_bytes(record):
    return max(run["peak_bytes"] for run in record["runs"])


def cell(record):
    if "runs" not in record:
        return record["refused"]
    return duration(seconds(record)) + (" ¹" if len(record["runs"]) == 1 else "") + (" ✗" if record["differs"] else "")


def ratio(records, other):
    exact, other = seconds(records["exact"]), seconds(records[other])
    return number(exact / other if exact and other else None)


def case_section(case, sizes):
    _, direct, direct_name, unit, title = CASES[case]
    rows, differing = [], []
    for entry in sizes:
        records = entry["records"]
        memory = f"{peak_bytes(records['exact']) / 1e6:.0f} MB" if "runs" in records["exact"] else "–"
        rows.append([entry["size"], entry["tokens"], *(cell(records[n]) for n in ("exact", "numpy", direct)), memory,
                     ratio(records, "numpy"), ratio(records, direct)])
        differing += [f"- {name} at {entry['size']} {unit}: {record['differs']}" for name, record in records.items()
                      if record.get("differs")]
    text = [f"## {title}", "", table([unit, "tokens", "exact", "numpy", direct_name, "exact, memory", "exact / numpy",
                                      f"exact / {direct_name}"], rows), ""]
    return text + (["✗, answers that differ from the direct algorithm's:", "", *differing, ""] if differing else [])


def goals(cases):
    rows = []
    for case, size, limit, memory in GOALS:
        goal = f"`{case}`, {size} {CASES[case][3]}: at most {duration(limit)}"
        goal += f" and {memory / 1e9:.1f} GB" if memory else ""
        record = next((e["records"]["exact"] for e in cases[case]["sizes"] if e["size"] == size), {})
        if "runs" not in record:
            rows.append([goal, "not measured", "–"])
            continue
        met = seconds(record) <= limit and (not memory or peak_bytes(record) <= memory)
        rows.append([goal, f"{duration(seconds(record))}, {peak_bytes(record) / 1e9:.2f} GB",
                     "met" if met else "**missed**"])
    return rows


def write(folder, stored):
    cases = stored["cases"]
    records = [r for case in cases.values() for size in case["sizes"] for r in size["records"].values()]
    programs = sorted({run["program"] for record in records for run in record.get("runs", [])})
    text = [*head("What does exactness cost?", "exact_cost", stored, f" Programs: {', '.join(programs)}."),
            f"Seconds are medians of {REPEATS} runs in turn. Every run is a process of its own on one core, of at most "
            f"{LIMIT} s. It is timed from the tokens to the last residual stream, without reading files and answers. "
            "A single run has ¹, wrong answers have ✗. Of four treatments of rounding, numpy gets the first under which "
            "its answers are right. `exact` is what `logdepth run` does: by columns, every selection contract proved.",
            "", "## Goals", "", table(["goal", "measured", "verdict"], goals(cases)), ""]
    for case in CASES:
        text += case_section(case, cases[case]["sizes"])
    write_page(folder, "exact_cost", text)


def exact_differences(cases):
    """Where an exact run did not say what the direct algorithm says; there should be none."""
    return [f"{case} {entry['size']}: {entry['records']['exact']['differs']}" for case, content in cases.items()
            for entry in content["sizes"] if entry["records"]["exact"].get("differs")]


def main():
    options = options_of(build_parser(__doc__), "exact_cost", write, "build", "expected the build folder")
    stored = {**begun(options.out, "exact_cost"), "cases": {}}
    with tempfile.TemporaryDirectory() as work:
        stored["cases"] = {case: measured_case(options, case, work) for case in CASES}
    store(options.out, "exact_cost", stored)
    write(options.out, stored)
    wrong = exact_differences(stored["cases"])
    for line in wrong:
        say(f"the exact runtime is WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
