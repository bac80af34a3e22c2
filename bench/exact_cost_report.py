"""The page and the figures of bench/exact_cost.py, from its stored results."""
import os
import statistics

from contest import describe, peak_bytes, seconds
from log_log_figure import count_ticks, figure, seconds_ticks
from measurement import (duration, machines, number, opening, stored_parts, table,
                         write_page)

NAMES = {"exact": "exact", "exact-2": "exact, two threads", "general": "exact, value by value",
         "float64": "dense float64 loop", "numpy": "numpy", "torch": "PyTorch",
         "scan": "Hillis-Steele scan", "sequential": "letter by letter",
         "search": "Boost.Graph search", "squaring": "Boolean squaring"}
INDEX = {"exact": 0, "float64": 1, "numpy": 2, "torch": 3, "scan": 4, "squaring": 4, "general": 5}
UNIT = {"scan": "letters", "tree": "letters", "cascade": "letters", "radix": "letters", "radix3": "letters",
        "connectivity": "vertices", "rows": "vertices"}
DIRECT = {"scan": "scan", "tree": "scan", "cascade": "scan", "radix": "scan", "radix3": "scan",
          "connectivity": "search", "rows": "squaring"}
TITLES = {"scan": "A5 word problem, `scan`", "tree": "A5 word problem, `tree` (MS25 Thm 4.1)",
          "cascade": "S4 word problem, `cascade`", "radix": "A5 word problem, looped `radix` of radix 2",
          "radix3": "A5 word problem, looped `radix` of radix 3",
          "connectivity": "Connectivity (MS25 Thm 5.1)",
          "rows": "Connectivity, `rows`: the whole relation at once"}


class Results:
    def __init__(self, cases):
        self.cases = cases

    def sizes(self, case):
        return self.cases.get(case, {}).get("sizes", [])

    def at(self, case, size):
        return next((s for s in self.sizes(case) if s["size"] == size), None)

    def record(self, case, size, name):
        return ((self.at(case, size) or {}).get("records") or {}).get(name)

    def ratio(self, case, size, name, other):
        a, b = (seconds(self.record(case, size, n)) for n in (name, other))
        return a / b if a and b else None


def exact_differences(cases):
    """Where an exact run did not say what the direct algorithm says; there should be none."""
    found = []
    for case, content in cases.items():
        for size in content.get("sizes", []):
            for name, record in size.get("records", {}).items():
                if name not in ("float64", "numpy", "torch") and record.get("differs"):
                    found.append(f"{case} {size['size']}, {name}: {record['differs']}")
    for batch in cases.get("batch", {}).get("batches", []):
        if batch["record"]["differs"]:
            found.append(f"batch of {batch['words']} words: {batch['record']['differs']}")
    rounding = cases.get("rounding", {})
    for row in rounding.get("words", []):
        if row["differs"].get("exact"):
            found.append(f"{row['model']}: {row['differs']['exact']}")
    for row in rounding.get("graphs", []):
        if row["wrong"].get("exact"):
            found.append(f"connectivity, {row['vertices']} vertices: {row['wrong']['exact']} pairs")
    return found


# ---- Goals ------------------------------------------------------------------------------------


def goals(results):
    """(goal, measured, verdict) for each; what was not measured says why."""
    rows = []

    def add(goal, value, bound, shown, at_most=True, reason="not measured"):
        if value is None:
            rows.append((goal, reason, "not measured"))
        else:
            rows.append((goal, shown, "met" if (value <= bound) == at_most else "**missed**"))

    def why(case, size, *names):
        """Why one of these contenders has no time."""
        entry = results.at(case, size) or {}
        records = [results.record(case, size, name) or {} for name in names]
        reasons = [entry.get("refused"), *(record.get("refused") for record in records)]
        return next((reason for reason in reasons if reason), "not measured")

    for case, sizes, bounds in (("scan", (4096, 10000, 100000), (0.1, 0.1, 0.003)),
                                ("tree", (4096, 10000, 65536), (0.5, 0.1, 0.1)),
                                ("connectivity", (16, 22, 46), (0.5, 0.1, 0.01))):
        for size, bound in zip(sizes, bounds):
            value, note = results.ratio(case, size, "exact", "float64"), ""
            if value is not None:
                record = results.record(case, size, "float64")
                note = ", float64 wrong" if record["differs"] else ""
                note += ", float64 sampled" if "sampled" in record else ""
            add(f"`{case}`: exact / dense float64 ≤ {bound} at {size} {UNIT[case]}", value, bound,
                number(value) + note, reason=why(case, size, "exact", "float64"))
    right = results.cases.get("rounding", {}).get("words")
    if right:
        wrong_floats = sum(bool(d) for row in right for n, d in row["differs"].items()
                           if n not in ("sequential", "exact"))
        exact_wrong = sum(bool(row["differs"].get("exact")) for row in right)
        add("right where numpy and float are wrong", exact_wrong, 0,
            f"{wrong_floats} float runs wrong, exact wrong in {exact_wrong}")
    else:
        add("right where numpy and float are wrong", None, 0, "")
    for goal, case, size, limit, memory in (
            ("`scan`, 2²⁰ letters in ≤ 0.3 s and ≤ 0.1 GB", "scan", 1048576, 0.3, 1e8),
            ("`tree`, 65 536 letters in ≤ 0.6 s", "tree", 65536, 0.6, None),
            ("`cascade` of S4, 2²⁰ letters in ≤ 1 s", "cascade", 1048576, 1, None),
            ("looped `radix` of radix 2, 2¹⁴ letters in ≤ 0.1 s", "radix", 16384, 0.1, None),
            ("connectivity, n = 16 in ≤ 0.02 s", "connectivity", 16, 0.02, None),
            ("connectivity, n = 46 in ≤ 0.3 s", "connectivity", 46, 0.3, None),
            ("connectivity, n = 64 in ≤ 0.9 s", "connectivity", 64, 0.9, None),
            ("`rows`, n = 256 in ≤ 1 s", "rows", 256, 1, None)):
        record = results.record(case, size, "exact")
        value = seconds(record)
        if value is None:
            add(goal, None, 1, "", reason=why(case, size, "exact"))
            continue
        shown = f"{duration(value)}, {peak_bytes(record) / 1e9:.2f} GB"
        add(goal, max(value / limit, peak_bytes(record) / memory if memory else 0), 1, shown)
    value = results.ratio("scan", 1048576, "exact", "scan")
    add("`scan`: ≤ 8× a direct scan with the same table, 2²⁰ letters", value, 8,
        f"{number(value)}×", reason=why("scan", 1048576, "exact", "scan"))
    times = {s["model"]: seconds(s.get("records", {}).get("exact")) for s in results.sizes("codes")}
    fastest = times.get("circle, rms")
    for model in "circle, layernorm", "first-flag, rms", "first-flag, layernorm":
        value = times[model] / fastest if fastest and times.get(model) else None
        add(f"scan with {model} / with circle, rms ≤ 2", value, 2, number(value))
    for batch, bound in zip(results.cases.get("batch", {}).get("batches", []), (0.15, 0.5)):
        value = seconds(batch["record"])
        add(f"`run --batch`, {batch['words']} words of {batch['letters']} letters in ≤ {bound} s", value,
            bound, duration(value))
    for case in TITLES:
        for size in results.sizes(case):
            value = seconds(results.record(case, size["size"], "exact"))
            if value is None or value < 0.5:
                continue
            ratio = results.ratio(case, size["size"], "exact", "exact-2")
            add(f"`{case}`, {size['size']} {UNIT[case]}: two cores ≥ 1.7× one", ratio, 1.7,
                f"{number(ratio)}×", at_most=False, reason=why(case, size["size"], "exact-2"))
    ledger = results.cases.get("ledger", {}).get("record")
    used = ledger and statistics.median(run["processor_seconds"] for run in ledger["runs"])
    add("`logdepth check` in ≤ 60 s of CPU time", used, 60, used and duration(used))
    return rows


# ---- The page -----------------------------------------------------------------------------------


def cell(record):
    if not record:
        return "–"
    if "runs" not in record:
        return describe(record)
    text = duration(seconds(record))
    if "sampled" in record:
        text += " ˢ"
    elif len(record["runs"]) == 1:
        text += " ¹"
    return text + (" ✗" if record["differs"] else "")


def case_section(results, case):
    direct, rows = DIRECT[case], []
    present = [n for n in NAMES if any(n in s.get("records", {}) for s in results.sizes(case))]
    for entry in results.sizes(case):
        size = entry["size"]
        if "records" not in entry:
            rows.append([size, entry["tokens"], f"refused: {entry['refused']}"] +
                        ["–"] * (len(present) + 3))
            continue
        record = entry["records"].get("exact")
        memory = f"{peak_bytes(record) / 1e6:.0f} MB" if record and "runs" in record else "–"
        rows.append([size, entry["tokens"], *(cell(entry["records"].get(n)) for n in present),
                     memory, *(number(results.ratio(case, size, "exact", other))
                               for other in ("float64", "general", direct))])
    header = [UNIT[case], "tokens", *(NAMES[n] for n in present), "exact, memory",
              "exact / float64", "exact / value by value", f"exact / {NAMES[direct]}"]
    dense = [(e["tokens"], run["attention_seconds"] / run["scores"])
             for e in results.sizes(case) for run in
             e.get("records", {}).get("float64", {}).get("runs", [])[:1] if e["tokens"] >= 256]
    differing = [f"- {NAMES[n]} at {e['size']} {UNIT[case]}: {r['differs']}"
                 for e in results.sizes(case) for n, r in e.get("records", {}).items()
                 if r.get("differs")]
    text = [f"## {TITLES[case]}", "", table(header, rows), ""]
    if dense:
        text += ["Time of the dense float64 loop per score, with its share of the averages:", "",
                 table(["tokens", *(str(tokens) for tokens, _ in dense)],
                       [["time per score", *(duration(cost) for _, cost in dense)]]), ""]
    if differing:
        text += ["✗, answers that differ from the direct algorithm's:", "", *differing, ""]
    return text + [f"![time against tokens](results/exact_cost_{case}.svg)", ""]


def codes_section(results):
    rows = []
    for entry in results.sizes("codes"):
        records = entry.get("records", {})
        rows.append([entry["model"], entry["size"],
                     *(cell(records.get(name)) for name in ("exact", "exact-2", "general"))])
    return ["## A5 word problem, `scan`, by codes of positions and norms", "",
            table(["codes and norm", "letters", NAMES["exact"], NAMES["exact-2"], NAMES["general"]], rows), ""]


def processes_section(cases):
    """Whole processes: batches of words and the ledger."""
    rows = [[f"`run --batch`, {b['words']} words of {b['letters']} letters", cell(b["record"]),
             processor_time(b["record"])] for b in cases.get("batch", {}).get("batches", [])]
    if "ledger" in cases:
        record = cases["ledger"]["record"]
        rows.append(["`check`, the whole ledger", cell(record), processor_time(record)])
    return ["## Whole processes", "", "On one core, files read and answers written.", "",
            table(["command", "time", "CPU time"], rows), ""]


def processor_time(record):
    return duration(statistics.median(run["processor_seconds"] for run in record["runs"]))


def rounding_section(rounding):
    text = ["## Where floating point is wrong", "",
            "One head with queries φ(i) and keys φ(j), j ≤ i, as plain dot products. In exact "
            "arithmetic token i selects itself alone.", "",
            table(["numbers", "tie tolerance", "first wrong token", "wrong tokens", "of"],
                  [[h["number"], h["tolerance"], h["first_wrong"] or "none", h["wrong"],
                    h["tokens"]] for h in rounding["phi"]]), "",
            "Whole networks for A5: every prefix product against the product letter by letter. "
            "The first number is the first wrong prefix.", ""]
    names = list(rounding["words"][0]["differs"])
    text += [table(["weights", "letters", *names],
                   [[row["model"], row["letters"], *(row["differs"].get(n) or "all right"
                                                     for n in names)]
                    for row in rounding["words"]]), ""]
    names = list(rounding["graphs"][0]["wrong"])
    text += ["Connectivity: wrong verdicts over all pairs of vertices of one graph. A float "
             "program needs two thresholds. Scores within `--tolerance` of the largest one tie. "
             "Values below `--zero` are zero to a norm, which would otherwise turn the rounding "
             "error of a zero into a full-sized number.", "",
             table(["contender", *(f"n = {g['vertices']} ({g['pairs']} pairs)"
                                   for g in rounding["graphs"])],
                   [[name, *(g["wrong"].get(name, "–") for g in rounding["graphs"])]
                    for name in names]), ""]
    return text


def profile_section(profiles):
    text = ["## Where the time goes", "",
            "Exact runs, whole process, samples by `perf record`; functions with less than 1 % are "
            "left out. Inlined code counts for the function that contains it.", ""]
    for profile in profiles:
        text += [f"### `{profile['case']}`, {profile['size']} {UNIT[profile['case']]}", ""]
        if "counters" in profile:
            text += ["`logdepth run --stats`:", "", "```text", *profile["counters"], "```", ""]
        if "refused" in profile:
            text += [profile["refused"], ""]
            continue
        rows = [[f"{share:.1f} %", f"`{symbol.replace('logdepth::', '')[:110]}`"]
                for share, symbol in profile["functions"] if share >= 1]
        text += [table(["share", "function"], rows), ""]
    return text


def growth_section(results):
    """Seconds per token: hidden units are evaluated once per combination, so they fall with the length."""
    rows = [[f"`{case}`", entry["size"], duration(value / entry["tokens"])]
            for case in TITLES if UNIT[case] == "letters" for entry in results.sizes(case)
            if (value := seconds(entry.get("records", {}).get("exact"))) and entry["size"] >= 4096]
    return ["## Growth", "", "Time per token of exact runs. Hidden units are evaluated once per combination of what "
            "they read: a cost that does not grow with the length once every combination has occurred.", "",
            table(["construction", "letters", "time per token"], rows) if rows else "Not measured.", ""]


def programs(cases):
    """The versions that the contenders named in their records."""
    found = set()
    for size in (size for case in cases for size in case.get("sizes", [])):
        for name, record in size.get("records", {}).items():
            for run in record.get("runs", []):
                version = f"{name} {run.get('version')} with {run.get('linear_algebra')}"
                found.add(run.get("compiler") or version)
    return sorted(found)


def write(folder):
    cases = stored_parts(folder, "exact_cost", "case")
    results = Results(cases)
    save_figures(results, os.path.join(folder, "results"))
    text = [*opening("What does exactness cost?", "exact_cost", "case", "run", cases),
            machines(cases) + "Programs: " + ", ".join(programs(cases.values())) + ".", "",
            "Seconds are medians of runs in turn. Every run is a process of its own on one core. It is "
            "timed from the tokens to the last residual stream, without reading files and answers. "
            "¹ means one run only; ˢ estimated from a sample of the rows of every head; "
            "✗ wrong answers. A dense float program gets the first of four treatments of rounding "
            "under which its answers are right.", "",
            "`exact` is what `logdepth run` does: by columns, every selection contract proved, on one "
            "thread or on two cores with two. `exact, value by value` is the path of inputs that columns "
            "hand over, every contract checked; it is the oracle of their tests.", "",
            "## Goals", "", table(["goal", "measured", "verdict"], goals(results)), ""]
    wrong = exact_differences(cases)
    text += [f"Answers of exact runs that differ from the direct algorithm's: {len(wrong)}.", "",
             *(f"- {line}" for line in wrong), *([""] if wrong else [])]
    for case in TITLES:
        if case in cases:
            text += case_section(results, case)
    if "codes" in cases:
        text += codes_section(results)
    if "batch" in cases or "ledger" in cases:
        text += processes_section(cases)
    text += growth_section(results)
    if "rounding" in cases:
        text += rounding_section(cases["rounding"])
    if "profile" in cases:
        text += profile_section(cases["profile"]["profiles"])
    write_page(folder, "exact_cost", text)


def save_figures(results, folder):
    def save(name, svg):
        if svg:
            with open(os.path.join(folder, f"exact_cost_{name}.svg"), "w",
                      encoding="utf-8") as out:
                out.write(svg)

    for case in TITLES:
        curves = []
        for name, index in INDEX.items():
            points = []
            for entry in results.sizes(case):
                record = entry.get("records", {}).get(name)
                if seconds(record):
                    points.append((entry["tokens"], seconds(record),
                                   bool(record["differs"]) or "sampled" in record))
            if points:
                curves.append({"name": NAMES[name], "index": index, "points": points})
        save(case, figure(TITLES[case].replace("`", ""), "tokens", "time", curves, count_ticks(),
                          seconds_ticks(), "hollow: wrong\nor sampled"))
