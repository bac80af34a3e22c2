"""The page of bench/float_throughput.py, from its stored results."""
import statistics

from measurement import (duration, machines, number, opening, stored_parts, table,
                         write_page)

CONTENDERS = ["runtime", "plain, products", "plain, distances", "tiled", "numpy", "torch"]
HEADINGS = {"runtime": "float runtime", "plain, products": "plain loop, products",
            "plain, distances": "plain loop, distances", "tiled": "tiled loop",
            "numpy": "numpy", "torch": "PyTorch"}
CODES = {2: "circle codes", 4: "two-circle codes"}

GOAL_NS, GOAL_NUMPY, GOAL_GPU = 1.2, 20, 0.25
GOAL_GPU_TOKENS = 100000
# Data sheet of the H200: 33.5e12 operations a second in float64 and 67e12 in float32 where a fused
# multiply-add counts as two. The runtime fuses nothing, so that its numbers are the host's.
H200_INSTRUCTIONS = {"float64": 33.5e12 / 2, "float32": 67e12 / 2}


def instructions(dimension):
    """Of one score: per dimension a subtraction, a multiplication and an addition; one minimum."""
    return 3 * dimension + 1


def ns(record, scores, clock="cpu"):
    """Nanoseconds per score, or None."""
    if not record or clock not in record:
        return None
    return statistics.median(record[clock]) / scores * 1e9


def describe(name, record, scores):
    if "refused" in record:
        return f"{name}: {record['refused']}"
    wrong = f", {record['wrong_rows']} rows WRONG" if record["wrong_rows"] else ""
    return f"{name}: {number(ns(record, scores))} ns per score{wrong}"


class Results:
    def __init__(self, parts):
        self.parts = parts

    def heads(self, part, dimension=None):
        return [h for h in self.parts.get(part, {}).get("heads", [])
                if dimension in (None, h["dimension"])]

    def contender(self, head, name, digits):
        full = name if name in ("numpy", "torch") else f"{name}, {digits}"
        return head["contenders"].get(full)

    def per_score(self, head, name, digits="float64", clock="cpu"):
        return ns(self.contender(head, name, digits), head["scores"], clock)

    def false_claims(self):
        """Answers that the float runtime calls decided or certified, and that are wrong."""
        lines = []
        for part, value in self.parts.items():
            for head in value.get("heads", []):
                for name, record in head.get("contenders", {}).items():
                    if record.get("wrong_but_decided"):
                        lines.append(f"{part}, {head['tokens']} tokens, dimension "
                                     f"{head['dimension']}, {name}: {record['wrong_but_decided']}"
                                     " rows")
            for run in value.get("runs", []):
                if run.get("answers", {}).get("wrong_but_certified"):
                    lines.append(f"{part}, {run['codes']}, {run['tokens']} tokens, "
                                 f"{run['number']}: {run['answers']['wrong_but_certified']} "
                                 "products")
        return lines


def cell(record, scores):
    if record is None:
        return "–"
    if "refused" in record:
        return record["refused"]
    wrong = f" ✗ {record['wrong_rows']}" if record["wrong_rows"] else ""
    return number(ns(record, scores)) + wrong


def ratio(a, b):
    return number(a / b) if a and b else "–"


# ---- Goals ---------------------------------------------------------------------------------


def verdict(value, met):
    return "not measured" if value is None else "met" if met else "**missed**"


def gpu_share(head):
    """Scores per second of a head on a GPU, and the share of the bound."""
    record = head["contenders"]["runtime"]
    rate = head["scores"] / statistics.median(record["wall"])
    return rate, rate * instructions(head["dimension"]) / H200_INSTRUCTIONS[head["number"]]


def goals(results):
    rows = []
    for head in results.heads("heads", 4):
        value = results.per_score(head, "runtime")
        rows.append([f"≤ {GOAL_NS} ns per causal score per core, float64, inner dimension 4, "
                     f"{head['tokens']} tokens", number(value) + (" ns" if value else ""),
                     verdict(value, value and value <= GOAL_NS)])
    for head in results.heads("heads", 4):
        numpy = results.contender(head, "numpy", "float64")
        if numpy is None:
            continue
        mine, other = results.per_score(head, "runtime"), results.per_score(head, "numpy")
        value = other / mine if mine and other else None
        rows.append([f"≥ {GOAL_NUMPY}× faster than numpy, {head['tokens']} tokens",
                     number(value) + "×" if value else numpy.get("refused", "–"),
                     verdict(value, value and value >= GOAL_NUMPY)])
    gpu = results.parts.get("gpu", {})
    share = next((gpu_share(h)[1] for h in results.heads("gpu", 4)
                  if h["tokens"] == GOAL_GPU_TOKENS and h["number"] == "float64"
                  and "contenders" in h and "H200" in gpu.get("device", "")), None)
    largest = max((head["tokens"] for head in results.heads("gpu")), default=0)
    why = gpu.get("refused", f"not measured: {largest} tokens at most"
                  if "H200" in gpu.get("device", "") else "not measured: no H200")
    rows.append([f"≥ {100 * GOAL_GPU:.0f} % of an H200's float64 bound, {GOAL_GPU_TOKENS} tokens",
                 f"{100 * share:.1f} %" if share else why,
                 verdict(share, share and share >= GOAL_GPU)])
    return rows


# ---- Sections ------------------------------------------------------------------------------


def head_table(results, heads, digits):
    rows = []
    for head in heads:
        runtime = results.contender(head, "runtime", digits)
        if not runtime:
            continue
        names = CONTENDERS if digits == "float64" else CONTENDERS[:4]
        decided = runtime.get("rows", {})
        rows.append([head["tokens"],
                     *(cell(results.contender(head, n, digits), head["scores"]) for n in names),
                     number(results.per_score(head, "runtime", digits, "wall")),
                     *(ratio(results.per_score(head, n, digits),
                             results.per_score(head, "runtime", digits)) for n in names[1:]),
                     decided.get("single", "–"), decided.get("tie", "–"),
                     decided.get("ambiguous", "–")])
    names = CONTENDERS if digits == "float64" else CONTENDERS[:4]
    return table(["tokens", *(HEADINGS[n] for n in names), "float runtime, wall",
                  *(f"{HEADINGS[n]} / runtime" for n in names[1:]),
                  "rows with one key", "rows that tie", "rows undecided"], rows)


def heads_section(results):
    text = ["## One head", "",
            "Nanoseconds of processor time per causal score on one core; one head, tokens × "
            "(tokens + 1) / 2 scores, every token with a key of its own, 29 values a token. The "
            "time includes scaling queries, comparing keys, and writing averages with their error "
            "bounds. A ratio above 1 means that the float runtime is faster. ✗ n means that n rows "
            "select wrong keys; the right ones are known from integers. The loops in C++, numpy "
            "and PyTorch treat equal scores as ties. Products of circle codes are wrong from some "
            "thousand tokens on in float64; rows that the float runtime gets wrong are among those "
            "that it calls undecided.", ""]
    for dimension in (4, 2):
        for digits in ("float64", "float32"):
            heads = results.heads("heads", dimension)
            text += [f"### Inner dimension {dimension} ({CODES[dimension]}), {digits}", "",
                     head_table(results, heads, digits), ""]
    return text


def ties_section(results):
    keys = results.parts["ties"]["keys"]
    return [f"## One head, {keys} different keys", "",
            f"Token j has the key j mod {keys}: a row averages up to a {keys}th of the tokens.", "",
            head_table(results, results.heads("ties"), "float64"), ""]


def run_rows(runs):
    rows = []
    for run in runs:
        named = [run["codes"], run["number"], run["tokens"]]
        if "refused" in run:
            rows.append([*named, run["refused"], *["–"] * 7])
            continue
        clock = "wall" if run["device"] == "cuda" else "cpu"
        attention, whole = (statistics.median(run[key])
                            for key in (f"attention_{clock}", clock))
        answers, decided = run["answers"], run["rows"]
        rows.append([*named, number(run["scores"]), duration(statistics.median(run["wall"])),
                     number(whole / run["scores"] * 1e9), number(attention / run["scores"] * 1e9),
                     decided["single"], decided["tie"] + decided["alike"], decided["ambiguous"],
                     f"{answers['certified']} of {answers['products']}"
                     + (f", ✗ {answers['wrong']} wrong" if answers["wrong"] else "")])
    return rows


RUN_HEADINGS = ["codes", "numbers", "tokens", "scores", "wall", "ns per score, whole run",
                "ns per score, attention", "rows with one key", "rows that tie", "rows undecided",
                "products certified"]


def runs_section(results):
    return ["## Whole runs", "",
            "`FloatRunner::run` of the A5 scan on a random word, one thread: embedding, all layers, the "
            "last stream. The column for the whole run is its processor time divided by the number of "
            "scores; the column for attention counts the attention sublayers alone, with their "
            "norms and projections. "
            "Every prefix product is compared with the direct one.", "",
            table(RUN_HEADINGS, run_rows(results.parts["runs"]["runs"])), ""]


def gpu_section(results):
    part = results.parts["gpu"]
    text = ["## On a GPU", "",
            "One score of inner dimension d takes d subtractions, d multiplications, d additions "
            f"and one minimum: {instructions(4)} instructions for d = 4, {instructions(2)} for "
            "d = 2. The data sheet of the H200 lists 33.5 · 10¹² operations a second in float64, and "
            "counts a fused multiply-add as two. The runtime is compiled without contraction. The "
            "bound is therefore 33.5 · 10¹² / 2 = 16.75 · 10¹² instructions, or 16.75 · 10¹² / "
            f"{instructions(4)} = {16.75e12 / instructions(4):.3g} scores a second (float32: twice "
            "that). Share = scores per second / bound.", ""]
    if "refused" in part:
        return text + [part["refused"] + ".", ""]
    rows = []
    for head in part["heads"]:
        named = [head["tokens"], head["dimension"], head["number"]]
        if "refused" in head:
            rows.append([*named, head["refused"], "–", "–", "–"])
            continue
        record, (rate, share) = head["contenders"]["runtime"], gpu_share(head)
        rows.append([*named, duration(statistics.median(record["wall"])), number(rate),
                     f"{100 * share:.1f} %", record["rows"]["ambiguous"]])
    return text + [f"Device: {part['device']}.", "",
                   table(["tokens", "inner dimension", "numbers", "one head", "scores / s",
                          "share of an H200's bound", "rows undecided"], rows), "",
                   "Whole runs, as above, in wall time:", "",
                   table(RUN_HEADINGS, run_rows(part["runs"])), ""]


def write(folder):
    """Writes the page; 1 if the float runtime claimed a wrong answer, else 0."""
    parts = stored_parts(folder, "float_throughput", "part")
    results = Results(parts)
    compilers = {h["compiler"] for p in parts.values() for h in p.get("heads", [])
                 if "compiler" in h}
    versions = {v for p in parts.values() for v in p["versions"]}
    text = [*opening("What does one attention score cost in floating point?",
                     "float_throughput", "part", "time", parts),
            machines(parts) + "Programs: "
            + ", ".join(sorted(compilers) + sorted(versions)) + ". The float runtime and the plain "
            "loop are compiled for x86-64 v1, v3 and v4 and choose at run time; the tiled loop is "
            "compiled for this machine, with fused multiply-add.", "",
            "Times are medians of runs in turn, in rotating order, on one core. They are "
            "processor time unless marked otherwise: other load on the machine changes it little.",
            "", "## Goals", "", table(["goal", "measured", "verdict"], goals(results)), ""]
    wrong = results.false_claims()
    text += [f"Wrong answers that the float runtime called decided or certified: {len(wrong)}.", "",
             *(f"- {line}" for line in wrong), *([""] if wrong else [])]
    for part, section in (("heads", heads_section), ("ties", ties_section), ("runs", runs_section),
                          ("gpu", gpu_section)):
        if part in parts:
            text += section(results)
    write_page(folder, "float_throughput", text)
    return 1 if wrong else 0
