#!/usr/bin/env python3
"""What does exactness cost? Exact runs of compiled weights against dense floating point on the same
file and input, and against what the network computes, written directly.

    exact_cost.py BUILD [--quick | --smallest] [--only CASE ...] [--out DIR]
    exact_cost.py --report DIR

BUILD is a folder with the programs logdepth and bench_exact_cost (cmake -DLOGDEPTH_BENCH=ON).
Writes DIR/results/exact_cost.json (every single run), DIR/exact_cost.md and the figures beside it;
cases that are not run keep their results. --report writes the page and the figures again.
"""
import os
import random
import subprocess
import sys

import exact_cost_report
from contest import (ROUNDING, Contender, Machine, Rounding, compared, contest, describe,
                     read_lines)
from measurement import HERE, Measurement, chosen, say, splitmix64

CASES = ["scan", "tree", "cascade", "radix", "radix3", "connectivity", "rows", "codes", "batch", "ledger",
         "rounding", "profile"]
SIZES = {  # letters or vertices: full, quick, smallest
    "scan": ([256, 1024, 4096, 10000, 65536, 100000, 1048576], [256, 1024, 2048, 4096], [64]),
    "tree": ([256, 1024, 4096, 10000, 65536], [64, 256, 1024], [16]),
    "cascade": ([4096, 65536, 1048576], [256, 1024], [16]),
    "radix": ([4096, 16384, 1048576], [256, 1024], [16]),
    "radix3": ([1024, 4096, 16384], [256, 1024], [16]),
    "codes": ([65536], [1024], [64]),
    "connectivity": ([4, 8, 16, 22, 46, 64], [3, 4, 6, 8, 12], [3]),
    "rows": ([8, 16, 32, 64, 128, 256], [4, 8, 16, 32], [4]),
}
BATCHES = [(65536, 16), (100000, 20)], [(1000, 16)], [(20, 4)]  # words and their letters
LEDGER = [], ["lem-3.1"], ["lem-3.1", "--up-to", "1", "--random", "1"]
LEDGER_SECONDS = 1800  # it may take, whatever the limit of a run
ROUNDING_LETTERS = 8192, 1024, 64
ROUNDING_VERTICES = range(2, 9), range(2, 6), range(2, 3)
PHI_TOKENS = 10000, 10000, 100
PROFILES = {  # case: full, quick, smallest
    "scan": (1048576, 4096, 64), "tree": (65536, 1024, 16), "connectivity": (46, 12, 3),
    "rows": (256, 32, 4),
}
GROUP, CASCADED = "A5", "S4"


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.program = os.path.join(options.build, "bench_exact_cost")
        self.logdepth = os.path.join(options.build, "logdepth")
        self.limit = options.limit or chosen(options, (600, 30, 600))
        self.budget = chosen(options, (90, 3, 3))
        self.repeats = options.repeats or chosen(options, (5, 5, 1))
        self.machine = Machine(options.core, options.memory * 2**30)
        self.absent = self.missing()

    # ---- Inputs -----------------------------------------------------------------------------

    def compiled(self, name, *arguments):
        """The path of the weights file, or None and the reason why there is none."""
        path = os.path.join(self.work, f"{name}.json")
        done = subprocess.run([self.logdepth, "compile", *arguments, "-o", path],
                              capture_output=True, text=True)
        return (path, "") if done.returncode == 0 else (None, done.stderr.splitlines()[-1])

    def word(self, letters):
        path, numbers = os.path.join(self.work, f"word{letters}"), splitmix64(letters)
        with open(path, "w") as out:
            out.write("".join("ab"[next(numbers) >> 63] for _ in range(letters)))
        return ["--word", path]

    def words(self, count, letters):
        """A file of words, a line each, and whether an automaton of the group accepts them."""
        path, numbers = os.path.join(self.work, f"words{count}"), splitmix64(count)
        automaton = os.path.join(self.work, "group.fst")
        model, _ = self.compiled("batch", "regular", "--group", GROUP, "--emit", automaton)
        steps, accepting, start = {}, set(), None
        for fields in map(str.split, read_lines(automaton)):
            start = start or fields[0]
            if len(fields) > 2:
                steps[fields[0], fields[2]] = fields[1]
            else:
                accepting.add(fields[0])
        verdicts = []
        with open(path, "w") as out:
            for _ in range(count):
                word, state = "".join("ab"[next(numbers) >> 63] for _ in range(letters)), start
                for letter in word:
                    state = steps[state, letter]
                out.write(word + "\n")
                verdicts.append("accept" if state in accepting else "reject")
        return model, path, verdicts

    def graph(self, vertices, ends=None):
        """A directed path through all vertices in random order, which makes the longest distance
        that there is, and as many random edges that lead back, none to its first vertex; from its
        first vertex to its last, or between the `ends`."""
        choice = random.Random(vertices)
        names = [f"v{i}" for i in range(vertices)]
        order = choice.sample(names, vertices)
        edges = list(zip(order, order[1:]))
        for _ in range(vertices if vertices > 2 else 0):
            i, j = sorted(choice.sample(range(1, vertices), 2))
            edges.append((order[j], order[i]))
        path = os.path.join(self.work, f"graph{vertices}.edges")
        with open(path, "w") as out:
            out.writelines(line + "\n" for line in names + [" ".join(edge) for edge in edges])
        source, target = ends or (order[0], order[-1])
        return ["--graph", path, "--source", source, "--target", target]

    def there_and_back(self, vertices):
        """Two questions: the last vertex can be reached from the first, but not the other way."""
        there = self.graph(vertices)
        return [there, self.graph(vertices, (there[-1], there[-3]))]

    # ---- Contenders -------------------------------------------------------------------------

    def contenders(self, direct, dense):
        """The direct algorithms first: they are the reference."""
        own, rounding = [self.program, "--contender"], Rounding()
        exact = [*(Contender(name, [*own, name]) for name in direct),
                 Contender("exact", [*own, "exact"]), Contender("exact-2", [*own, "exact-2"], cores=2),
                 Contender("general", [*own, "general"])]
        if not dense:
            return exact

        def python(name):
            script = os.path.join(HERE, f"dense_{name}.py")
            return Contender(name, [self.options.python, script], rounding, 2, 3)

        return [*exact, Contender("float64", [*own, "float64"], rounding, 2, stride=True),
                python("numpy"), python("torch")]

    def missing(self):
        """Python packages that the float programs need and do not find."""
        reasons = {}
        for name in "numpy", "torch":
            done = subprocess.run([self.options.python, "-c", f"import numpy, {name}"],
                                  capture_output=True, text=True)
            if done.returncode:
                reasons[name] = "missing: " + done.stderr.strip().splitlines()[-1]
        return reasons

    def arguments(self, contender, model, question, group=GROUP):
        """The command line after the contender's own."""
        if contender in ("numpy", "torch"):
            return [model, *question]
        return ["--model", model, *question] + (["--group", group] if "--word" in question else [])

    # ---- Cases ------------------------------------------------------------------------------

    def timed_case(self, case, compile_arguments, direct, questions, tokens, dense=True,
                   group=GROUP):
        contenders, sizes = self.contenders(direct, dense), []
        for size in chosen(self.options, SIZES[case]):
            model, refusal = self.compiled(case, *compile_arguments(size))
            say(f"{case} {size}: {tokens(size)} tokens")
            if not model:
                say(f"  {refusal}")
                sizes.append({"size": size, "tokens": tokens(size), "refused": refusal})
                continue
            records = contest(
                self.machine, contenders, self.absent,
                lambda name, m=model, s=size: [self.arguments(name, m, q, group)
                                               for q in questions(s)],
                tokens(size), self.work, self.limit, self.repeats, self.budget, say)
            sizes.append({"size": size, "tokens": tokens(size), "records": records})
        return {"sizes": sizes}

    def scan(self):
        return self.timed_case("scan", lambda _: ["regular", "--group", GROUP],
                               ["sequential", "scan"], lambda n: [self.word(n)], lambda n: n + 1)

    def tree(self):
        return self.timed_case(
            "tree", lambda _: ["regular", "--group", GROUP, "--construction", "tree"],
            ["sequential", "scan"], lambda n: [self.word(n)], lambda n: n + 1)

    def cascade(self):
        return self.timed_case(
            "cascade", lambda _: ["regular", "--group", CASCADED, "--construction", "cascade"],
            ["sequential", "scan"], lambda n: [self.word(n)], lambda n: n + 1, False, CASCADED)

    def radix(self, case="radix", radix="2"):
        return self.timed_case(
            case, lambda _: ["regular", "--group", GROUP, "--construction", "radix", "--radix", radix],
            ["sequential", "scan"], lambda n: [self.word(n)], lambda n: n + 1, False)

    def radix3(self):
        return self.radix("radix3", "3")

    def codes(self):
        """One scan with every code of positions and every norm."""
        sizes = []
        for positions in "circle", "two-circle", "first-flag":
            for norm in "rms", "layernorm":
                case = self.timed_case(
                    "codes", lambda _, p=positions, n=norm: [
                        "regular", "--group", GROUP, "--positions", p, "--norm", n],
                    ["sequential", "scan"], lambda n: [self.word(n)], lambda n: n + 1, False)
                sizes += [{"model": f"{positions}, {norm}", **size} for size in case["sizes"]]
        return {"sizes": sizes}

    def batch(self):
        """Whole processes: `logdepth run --batch`, files read and answers written."""
        batches = []
        for count, letters in chosen(self.options, BATCHES):
            model, path, expected = self.words(count, letters)
            runs, differs = [], ""
            for _ in range(self.repeats):
                run, lines, error = self.machine.time(
                    [self.logdepth, "run", model, "--batch", path, "--threads", "1"], self.limit)
                if error:
                    sys.exit(f"run --batch: {error}")
                runs.append(run)
                differs = differs or compared(lines, expected)
            say(f"batch, {count} words of {letters} letters: {describe({'runs': runs, 'differs': differs})}")
            batches.append({"words": count, "letters": letters, "record": {"runs": runs, "differs": differs}})
        return {"batches": batches}

    def ledger(self):
        """`logdepth check`, every claim: seconds of a processor."""
        runs = []
        for _ in range(chosen(self.options, (3, 1, 1))):
            run, _, error = self.machine.time(
                [self.logdepth, "check", *chosen(self.options, LEDGER), "--threads", "1"],
                max(self.limit, LEDGER_SECONDS))
            if error:
                sys.exit(f"check: {error}")
            runs.append(run)
        return {"record": {"runs": runs, "differs": ""}}

    def connectivity(self):
        def tokens(n):
            _, _, _, source, _, target = self.graph(n)
            return n ** 3 + int(source[1:]) + 1 + int(target[1:]) + 1

        return self.timed_case("connectivity", lambda _: ["connectivity"], ["search", "squaring"],
                               self.there_and_back, tokens)

    def rows(self):
        return self.timed_case(
            "rows", lambda n: ["connectivity", "--construction", "rows", "--size", str(n)],
            ["search", "squaring"], lambda n: [self.graph(n)], lambda n: n)

    # ---- Where floating point is wrong --------------------------------------------------------

    def rounding(self):
        return {"phi": self.phi_heads(), "words": self.rounded_words(),
                "graphs": self.rounded_graphs()}

    def phi_heads(self):
        heads = []
        for number, tolerance in (([], 0), ([], 1e-15), ([], 1e-12), (["--single"], 0),
                                  (["--single"], 1e-6)):
            command = [self.program, "--phi", str(chosen(self.options, PHI_TOKENS)), "--tolerance",
                       str(tolerance)]
            head, error = self.machine.start(command + number, self.limit)
            if error:
                sys.exit(f"the phi head failed: {error}")
            heads.append(head)
        return heads

    def differences(self, model, question, direct, floats):
        """How each contender differs from the direct algorithm; {} for the ones that do not."""
        answers = os.path.join(self.work, "rounding.answers")
        reference, found = None, {}
        for name, options in [(direct, ()), ("exact", ()), *floats]:
            shown = " ".join([name, *options])
            if name in self.absent:
                found[shown] = self.absent[name]
                continue
            command = [self.options.python, os.path.join(HERE, f"dense_{name}.py")]
            if name not in ("numpy", "torch"):
                command = [self.program, "--contender", name]
            _, error = self.machine.start([*command, *self.arguments(name, model, question),
                                           *options, "--answers", answers], self.limit)
            if error:
                found[shown] = error
                continue
            lines = read_lines(answers)
            reference = reference or lines
            found[shown] = compared(lines, reference)
        return found

    def rounded_words(self):
        letters, table = chosen(self.options, ROUNDING_LETTERS), []
        plain, loose = (), ("--tolerance", "1e-12")
        floats = [("float64", plain), ("float64", loose), ("float32", plain)]
        for name, arguments in (("scan, two-circle", []),
                                ("scan, circle", ["--positions", "circle"]),
                                ("scan, first-flag", ["--positions", "first-flag"]),
                                ("tree", ["--construction", "tree"])):
            model, refusal = self.compiled("rounding", "regular", "--group", GROUP, *arguments)
            if not model:
                sys.exit(refusal)
            say(f"rounding, {name}, {letters} letters")
            # numpy takes minutes here and rounds as float64 does; once is enough to see it.
            more = [("numpy", plain), ("numpy", loose)] if name == "tree" else []
            found = self.differences(model, self.word(letters), "sequential", floats + more)
            table.append({"model": name, "letters": letters, "differs": found})
        return table

    def rounded_graphs(self):
        """Wrong verdicts over all pairs of vertices, by how rounding is treated."""
        table = []
        model, refusal = self.compiled("rounding", "connectivity")
        if not model:
            sys.exit(refusal)
        floats = [(number, ("--tolerance", str(t), "--zero", str(z)))
                  for number in ("float64", "float32") for t, z in ROUNDING]
        for vertices in chosen(self.options, ROUNDING_VERTICES):
            say(f"rounding, connectivity, {vertices} vertices")
            names = [f"v{i}" for i in range(vertices)]
            pairs = [(s, t) for s in names for t in names if s != t]
            wrong = {}
            for pair in pairs:
                found = self.differences(model, self.graph(vertices, pair), "search", floats)
                for shown, difference in found.items():
                    wrong[shown] = wrong.get(shown, 0) + bool(difference)
            table.append({"vertices": vertices, "pairs": len(pairs), "wrong": wrong})
        return table

    # ---- Where the time goes ------------------------------------------------------------------

    def profile(self):
        compile_arguments = {
            "scan": ["regular", "--group", GROUP],
            "tree": ["regular", "--group", GROUP, "--construction", "tree"],
            "connectivity": ["connectivity"],
            "rows": ["connectivity", "--construction", "rows", "--size"]}
        profiles = []
        for case, sizes in PROFILES.items():
            size = chosen(self.options, sizes)
            arguments = compile_arguments[case] + ([str(size)] if case == "rows" else [])
            model, refusal = self.compiled("profile", *arguments)
            if not model:
                profiles.append({"case": case, "size": size, "refused": refusal})
                continue
            question = (self.word if case in ("scan", "tree") else self.graph)(size)
            say(f"profile, {case} {size}")
            profiles.append({"case": case, "size": size, "counters": self.counters(model, question),
                             **self.perf(self.arguments("exact", model, question))})
        return {"profiles": profiles}

    def counters(self, model, question):
        """What `logdepth run --stats` says about the run."""
        if question[0] == "--word":
            question = ["--input", "@" + question[1]]
        done = subprocess.run([self.logdepth, "run", model, *question, "--stats"],
                              capture_output=True, text=True, timeout=self.limit)
        return done.stderr.splitlines()

    def perf(self, arguments):
        """Own samples of each function, in percent of the run."""
        data = os.path.join(self.work, "perf.data")
        try:
            run = subprocess.run(["perf", "record", "-q", "-F", "4999", "-o", data, self.program,
                                  "--contender", "exact", *arguments], capture_output=True,
                                 text=True, timeout=self.limit)
            shown = subprocess.run(["perf", "report", "-i", data, "--stdio", "--no-children",
                                    "--no-demangle", "-F", "overhead,symbol", "--percent-limit",
                                    "0.5"], capture_output=True, text=True)
            # perf's own demangling leaves out the parameters, which tell operators apart.
            text = subprocess.run(["c++filt"], input=shown.stdout, capture_output=True,
                                  text=True).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            return {"refused": f"perf: {error}"}
        if run.returncode:
            return {"refused": f"perf: {run.stderr.strip()}"}
        functions = []
        for line in text.splitlines():
            share, _, symbol = line.strip().partition("%")
            if symbol and not line.startswith("#"):
                name = symbol.split("]", 1)[-1].strip().replace("[abi:cxx11]", "")
                functions.append([float(share), name])
        return {"functions": functions}


def main():
    measurement = Measurement("exact_cost", "case", CASES, __doc__, "minutes", None,
                              "seconds for one run (default 600, with --quick 30)")
    measurement.parser.add_argument("--repeats", type=int, default=None,
                                    help="runs of each contender (default 5, with --smallest 1)")
    options = measurement.options()
    if options.report:
        exact_cost_report.write(options.report)
        return
    cases = measurement.measure(
        options, Bench,
        before=lambda bench: {"limit_s": bench.limit, "memory_gib": options.memory})
    exact_cost_report.write(options.out)
    wrong = exact_cost_report.exact_differences(cases)
    for line in wrong:
        say(f"the exact runtime is WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
