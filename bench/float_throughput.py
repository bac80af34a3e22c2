#!/usr/bin/env python3
"""What does one attention score cost in floating point? The float runtime's rows on one causal head
of position codes against loops in C++, numpy and PyTorch; whole runs of compiled files; and the
share of a GPU's arithmetic that is used.

    float_throughput.py BUILD [--quick | --smallest] [--only PART ...] [--out DIR]
    float_throughput.py --report DIR

BUILD is a folder with the programs logdepth and bench_float_throughput (cmake -DLOGDEPTH_BENCH=ON).
Writes DIR/results/float_throughput.json (every single time) and DIR/float_throughput.md; parts that
are not run keep their results. --report writes the page again.
"""
import os
import resource
import subprocess
import sys

import float_throughput_report
from contest import Machine
from measurement import HERE, Measurement, chosen, say

PARTS = ["heads", "ties", "runs", "gpu"]
GROUP = "A5"
CODES = {2: "circle", 4: "two-circle"}
# Tokens, and rounds of the contenders in turn: full, quick, smallest.
HEADS = ([(1024, 7), (4096, 7), (20000, 5), (100000, 2)], [(1024, 3), (4096, 3), (20000, 1)],
         [(256, 1)])
ARRAYS_UP_TO = 4096  # numpy and PyTorch
# In float32 so many neighbours of a circle code tie, or cannot be told apart, that adding them up
# takes hours.
SINGLE_CIRCLE_UP_TO = 4096
TIES = ([4096, 20000], [4096], [256])
TIED_KEYS = 64
RUNS = ([1024, 4096, 20000], [1024, 4096], [128])
GPU_HEADS = ([20000, 100000], [20000], [256])
GPU_RUNS = ([20000, 100000], [4096], [128])


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.program = os.path.join(options.build, "bench_float_throughput")
        self.machine = Machine(options.core, options.memory * 2**30)
        self.versions = {}

    def sizes(self, all_sizes):
        return chosen(self.options, all_sizes)

    def rounds(self, wanted):
        return 1 if self.options.smallest else wanted

    def measure(self, *arguments):
        result, error = self.machine.start([self.program, *map(str, arguments)], self.options.limit)
        return {"refused": error} if error else result

    # ---- One head -----------------------------------------------------------------------------

    def arrays(self, name, path, tokens, dimension):
        result, error = self.machine.start(
            [self.options.python, os.path.join(HERE, "head_arrays.py"), name, path, str(tokens),
             str(dimension)], self.options.limit)
        if error:
            return {"refused": ("missing: " if "No module" in error else "") + error}
        self.versions[name] = f"{name} {result['version']} with {result['linear_algebra']}"
        return result

    def head(self, tokens, dimension, rounds, keys=0):
        """All contenders in turn, in rotating order, each in a process of its own: the program with
        its four loops in either number format, numpy, PyTorch."""
        say(f"head, {tokens} tokens, dimension {dimension}, {keys or 'all'} keys")
        question = ["--tokens", tokens, "--dimension", dimension, "--keys", keys]
        path = os.path.join(self.work, "head")
        single = dimension == 4 or tokens <= SINGLE_CIRCLE_UP_TO
        programs = ["float64"] + (["float32"] if single else [])
        # A large head is made once; the program itself then takes turns.
        turns, inner = (rounds, 1) if tokens <= ARRAYS_UP_TO else (1, rounds)
        names = [*programs, *(["numpy", "torch"] if tokens <= ARRAYS_UP_TO else [])]
        if tokens <= ARRAYS_UP_TO:
            self.measure(*question, "--write-head", path)
        record = {"tokens": tokens, "dimension": dimension, "keys": keys or tokens,
                  "scores": tokens * (tokens + 1) / 2, "contenders": {}}
        for turn in range(turns):
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                if name not in programs:
                    self.add(record, name, self.arrays(name, path, tokens, dimension))
                    continue
                result = self.measure(*question, "--number", name, "--rounds", inner)
                if "refused" in result:
                    self.add(record, f"runtime, {name}", result)
                    continue
                record["compiler"] = result["compiler"]
                for contender, times in result["contenders"].items():
                    self.add(record, f"{contender}, {name}", times)
        for name, result in record["contenders"].items():
            say("  " + float_throughput_report.describe(name, result, record["scores"]))
        return record

    @staticmethod
    def add(record, name, result):
        known = record["contenders"].setdefault(name, result)
        if known is not result and "cpu" in known and "cpu" in result:
            known["wall"] += result["wall"]
            known["cpu"] += result["cpu"]

    def heads(self):
        return {"heads": [self.head(tokens, dimension, rounds)
                          for tokens, rounds in self.sizes(HEADS) for dimension in CODES]}

    def ties(self):
        return {"heads": [self.head(tokens, 4, self.rounds(3), TIED_KEYS)
                          for tokens in self.sizes(TIES)],
                "keys": TIED_KEYS}

    # ---- Whole runs ---------------------------------------------------------------------------

    def compiled(self, dimension):
        path = os.path.join(self.work, f"{CODES[dimension]}.json")
        if not os.path.exists(path):
            subprocess.run([os.path.join(self.options.build, "logdepth"), "compile", "regular",
                            "--group", GROUP, "--positions", CODES[dimension], "-o", path],
                           check=True, capture_output=True)
        return path

    def run_of(self, dimension, tokens, number, device, rounds):
        say(f"run, {CODES[dimension]}, {tokens} tokens, {number}, {device}")
        result = self.measure("--model", self.compiled(dimension), "--group", GROUP, "--tokens",
                              tokens, "--number", number, "--device", device, "--rounds", rounds)
        return {"codes": CODES[dimension], "tokens": tokens, "number": number, "device": device,
                **result}

    def runs(self):
        return {"runs": [self.run_of(dimension, tokens, number, "cpu", self.rounds(3))
                         for dimension, number, tokens in self.worth_measuring(RUNS)]}

    def worth_measuring(self, sizes):
        return [(dimension, number, tokens) for dimension in CODES
                for number in ("float64", "float32") for tokens in self.sizes(sizes)
                if dimension == 4 or number == "float64" or tokens <= SINGLE_CIRCLE_UP_TO]

    # ---- GPU ----------------------------------------------------------------------------------

    def gpu(self):
        # CUDA reserves addresses by the hundred gibibytes.
        self.machine = Machine(self.options.core, resource.RLIM_INFINITY)
        probe = self.measure("--device", "cuda", "--rounds", 1)
        if "refused" in probe:
            say(probe["refused"])
            return probe
        heads = []
        for dimension, number, tokens in self.worth_measuring(GPU_HEADS):
            say(f"head on a GPU, {tokens} tokens, dimension {dimension}, {number}")
            heads.append({"tokens": tokens, "dimension": dimension, "number": number,
                          **self.measure("--tokens", tokens, "--dimension", dimension, "--number",
                                         number, "--device", "cuda", "--rounds", 7)})
        runs = [self.run_of(dimension, tokens, number, "cuda", 5)
                for dimension, number, tokens in self.worth_measuring(GPU_RUNS)]
        return {"heads": heads, "runs": runs, "device": describe_gpu()}


def describe_gpu():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm",
                               "--format=csv,noheader"], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def main():
    measurement = Measurement("float_throughput", "part", PARTS, __doc__, "about a minute", 600,
                              "seconds for one process")
    options = measurement.options()
    if not options.report:
        measurement.measure(options, Bench,
                            after=lambda bench: {"versions": list(bench.versions.values())})
    sys.exit(float_throughput_report.write(options.report or options.out))


if __name__ == "__main__":
    main()
