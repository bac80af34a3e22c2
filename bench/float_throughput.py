#!/usr/bin/env python3
"""What does one attention score cost in floating point, on a CPU and on a GPU? Float runs of the A5 scan on random
words, every prefix product compared with the direct one.

    float_throughput.py BUILD [--device cuda] [--smallest] [--out DIR]
    float_throughput.py --report DIR

BUILD is a folder with the programs logdepth and bench_float_throughput (cmake -DLOGDEPTH_BENCH=ON). Writes
DIR/results/float_throughput.json (every single time) and DIR/float_throughput.md; the device that is not measured
keeps its results. --report writes the page again.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from measurement import (MEMORY, alone, begun, build_parser, duration, number, options_of, output_of, results_file, say,
                         store, stored_results, table, write_page)

GROUP = "A5"
LIMIT = 600  # seconds of a process
SIZES = {"cpu": ([1024, 4096, 20000], [128]), "cuda": ([4096, 20000, 100000], [128])}  # full, smallest
ROUNDS = {"cpu": 3, "cuda": 5}
CLOCK = {"cpu": "cpu", "cuda": "wall"}  # processor time, since other load changes it little, but of a GPU there is none


def device_name():
    if not shutil.which("nvidia-smi"):
        return ""
    done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def measured_runs(options, work):
    model = os.path.join(work, "scan.json")
    output_of(os.path.join(options.build, "logdepth"), "compile", "regular", "--group", GROUP, "-o", model)
    runs = []
    for number_format in "float64", "float32":
        for tokens in SIZES[options.device][options.smallest]:
            say(f"{tokens} tokens, {number_format}, {options.device}")
            # CUDA reserves addresses by the hundred gibibytes.
            result, error = alone(
                [os.path.join(options.build, "bench_float_throughput"), "--model", model, "--group", GROUP, "--tokens",
                 str(tokens), "--number", number_format, "--device", options.device, "--rounds",
                 str(1 if options.smallest else ROUNDS[options.device])], LIMIT,
                resource.RLIM_INFINITY if options.device == "cuda" else MEMORY)
            runs.append({"tokens": tokens, "number": number_format, **(result or {"refused": error})})
    return runs


def false_claims(devices):
    """Certified answers that are wrong; there should be none."""
    return [f"{device}, {run['tokens']} tokens, {run['number']}: {run['answers']['wrong_but_certified']} products"
            for device, measured in devices.items() for run in measured["runs"]
            if run.get("answers", {}).get("wrong_but_certified")]


def rows_of(runs, clock):
    rows = []
    for run in runs:
        if "refused" in run:
            rows.append([run["number"], run["tokens"], run["refused"], *["–"] * 4])
            continue
        whole, attention = (statistics.median(run[key]) / run["scores"] * 1e9 for key in (clock, f"attention_{clock}"))
        answers = run["answers"]
        rows.append([run["number"], run["tokens"], number(run["scores"]), duration(statistics.median(run["wall"])),
                     number(whole), number(attention), f"{answers['certified']} of {answers['products']}"
                     + (f", ✗ {answers['wrong']} wrong" if answers["wrong"] else "")])
    return rows


def write(folder, stored):
    devices = stored["devices"]
    text = ["# What does one attention score cost in floating point?", "",
            "Written by `bench/float_throughput.py`; every single time is in "
            "[results/float_throughput.json](results/float_throughput.json).", "",
            "`FloatRunner::run` of the A5 scan on a random word, on one thread or one device: embedding, all layers, the "
            "last stream, with an error bound for every number. Times are medians. The whole run and its attention "
            "(with norms, projections, averages and bounds) are divided by the number of scores: processor time on a "
            "CPU, wall time on a GPU. Every prefix product is compared with the direct one. Wrong products that were "
            f"certified: {len(false_claims(devices))}.", ""]
    for device, measured in devices.items():
        name = f" Device: {measured['device']}." if measured.get("device") else ""
        text += [f"## On a {'GPU' if device == 'cuda' else 'CPU'}", "",
                 f"Source: {measured['source']}. Machine: {measured['machine']}.{name}", "",
                 table(["numbers", "tokens", "scores", "wall", "ns per score, whole run", "ns per score, attention",
                        "products certified"], rows_of(measured["runs"], CLOCK[device])), ""]
    write_page(folder, "float_throughput", text)


def main():
    parser = build_parser(__doc__)
    parser.add_argument("--device", choices=list(SIZES), default="cpu")
    options = options_of(parser, "float_throughput", write, "build", "expected the build folder")
    found = begun(options.out, "float_throughput")
    stored = {"schema": found.pop("schema"), "devices": {}}
    if os.path.exists(results_file(options.out, "float_throughput")):
        stored = stored_results(options.out, "float_throughput")
    with tempfile.TemporaryDirectory() as work:
        found["runs"] = measured_runs(options, work)
    if options.device == "cuda":
        found["device"] = device_name()
    stored["devices"][options.device] = found
    store(options.out, "float_throughput", stored)
    write(options.out, stored)
    wrong = false_claims(stored["devices"])
    for line in wrong:
        say(f"wrong, but certified: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
