"""What the scripts of this folder share: what they measure on, seeded inputs, the options and the
stored results of a measurement in parts, and the words and tables of its page."""
import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def say(text):
    print(text, file=sys.stderr, flush=True)


def refuse(sentence):
    """Ends a script as the command line ends for a wrong input."""
    say(sentence)
    sys.exit(2)


def output_of(program, *arguments):
    """What a program prints; its own message where it refuses."""
    try:
        done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    except OSError as error:
        refuse(f"{program}: expected the build's logdepth, {error.strerror}")
    if done.returncode:
        refuse(f"{program} {' '.join(map(str, arguments[:3]))}: {done.stderr.strip() or 'failed'}")
    return done.stdout


def runs_of_groups(folder):
    """The folders of finished runs on words of a group below `folder`, with their records."""
    found = []
    for place, _, files in sorted(os.walk(folder)):
        if not {"record.json", "model.safetensors"} <= set(files):
            continue
        with open(os.path.join(place, "record.json"), encoding="utf-8") as opened:
            record = json.load(opened)
        config = record["config"]
        if not config["task"].get("monoid") or config.get("constructed") or config.get("network"):
            refuse(f"{place}: expected a run of train word-problem --monoid, found another one")
        found.append((place, record))
    if not found:
        refuse(f"{folder}: expected a folder with finished runs")
    return found


def results_file(folder, name):
    return os.path.join(folder, "results", f"{name}.json")


def stored_results(folder, name):
    """What `--report FOLDER` writes a page of."""
    file = results_file(folder, name)
    try:
        with open(file, encoding="utf-8") as stored:
            return json.load(stored)
    except OSError as error:
        refuse(f"{file}: expected stored results, {error.strerror}")


def store(folder, name, results):
    with open(results_file(folder, name), "w", encoding="utf-8") as out:
        json.dump(results, out, indent=1)
        out.write("\n")


def page_parser(about):
    """Options of a script that measures all at once."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--out", default=HERE, help="folder of the page; default: bench")
    parser.add_argument("--report", metavar="DIR", help="write the page from stored results")
    return parser


def begun(folder, name):
    """What such a script stores first; its measurements are added."""
    prepare(folder)
    return {"schema": f"logdepth-bench/{name}/1", "source": describe_source(), "machine": describe_machine()}


def head(title, name, stored, more=""):
    """The lines above the text of its page."""
    return [f"# {title}", "",
            f"Written by `bench/{name}.py`; all numbers are in [results/{name}.json](results/{name}.json).", "",
            f"Source: {stored['source']}. Machine: {stored['machine']}.{more}", ""]


def prepare(folder):
    """Before anything is measured, so that no measurement is lost to a folder that cannot be written."""
    try:
        os.makedirs(os.path.join(folder, "results"), exist_ok=True)
    except OSError as error:
        refuse(f"{folder}: expected a folder to write to, {error.strerror}")


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


# ---- What is measured, and on what --------------------------------------------------------------


def processor():
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def describe_machine(memory=False):
    text = f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    return text + (f", {os.sysconf('SC_PHYS_PAGES') * 4 // 2**20} GiB" if memory else "")


def describe_source():
    def git(*arguments):
        return subprocess.run(["git", "-C", HERE, *arguments], capture_output=True,
                              text=True).stdout.strip()

    # The results of the parts before are no change of what is measured.
    paths = ["--", ":/", ":!*.md", ":!results"]
    changed = " with changes" if git("status", "--porcelain", "--untracked-files=no", *paths) else ""
    return git("rev-parse", "--short", "HEAD") + changed


def python_with_numpy():
    for python in sys.executable, "/usr/bin/python3":
        if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
            return python
    return sys.executable


# ---- A measurement in parts ---------------------------------------------------------------------


class Measurement:
    """A script that measures some or all of its parts on the programs of a build folder. It stores
    every part as soon as it is measured, in DIR/results/NAME.json, beside the parts that were
    measured before, and writes the page DIR/NAME.md from what is stored."""

    def __init__(self, name, kind, parts, about, quick, limit, limit_help):
        self.name, self.kind = name, kind
        self.parser = argparse.ArgumentParser(description=about.splitlines()[0])
        add = self.parser.add_argument
        add("build", nargs="?", help=f"folder with logdepth and bench_{name}")
        add("--quick", action="store_true", help=f"small sizes, {quick}")
        add("--smallest", action="store_true", help="smallest sizes, once each: a test of the script")
        add("--only", nargs="+", choices=parts, default=parts, metavar=kind.upper(),
            help=", ".join(parts))
        add("--out", default=None,
            help=f"folder of the page; default: bench, with --quick or --smallest BUILD/{name}")
        add("--report", metavar="DIR", help="write the page from stored results")
        add("--limit", type=int, default=limit, help=limit_help)
        add("--core", type=int, default=max(os.sched_getaffinity(0)),
            help="processor that all processes are held to")
        add("--memory", type=int, default=16, help="GiB that a process may use (without a GPU)")
        add("--python", default=None, help="interpreter with numpy and torch")

    def options(self):
        """None for `build` where only the page is asked for."""
        options = self.parser.parse_args()
        if not options.report and not options.build:
            self.parser.error("expected the build folder")
        if options.build:
            options.python = options.python or python_with_numpy()
        options.sizes = ("smallest" if options.smallest else "quick" if options.quick else "full")
        options.out = options.out or (HERE if options.sizes == "full" else
                                      os.path.join(options.build or "", self.name))
        return options

    def measure(self, options, make_bench, before=lambda bench: {}, after=lambda bench: {}):
        """Calls the method of the bench that is named like the part for every part asked for;
        `before` and `after` say what else is stored with its result."""
        prepare(options.out)
        kinds = f"{self.kind}s"
        stored = {"schema": f"logdepth-bench/{self.name}/1", kinds: {}}
        if os.path.exists(results_file(options.out, self.name)):
            stored = stored_results(options.out, self.name)
        with tempfile.TemporaryDirectory() as work:
            bench = make_bench(options, work)
            for part in options.only:
                load = os.getloadavg()[0]
                stored[kinds][part] = {
                    "machine": describe_machine(memory=True), "source": describe_source(),
                    "sizes_chosen": options.sizes, **before(bench),
                    **getattr(bench, part)(), "load": [load, os.getloadavg()[0]], **after(bench)}
                store(options.out, self.name, stored)
        return stored[kinds]


def chosen(options, sizes):
    """Of (full, quick, smallest), what the options ask for."""
    return sizes[("full", "quick", "smallest").index(options.sizes)]


def stored_parts(folder, name, kind):
    return stored_results(folder, name)[f"{kind}s"]


# ---- The page -----------------------------------------------------------------------------------


def number(value):
    """Three significant digits, without an exponent where that is readable."""
    if value is None:
        return "–"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.2e}"
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:.{digits}f}"


def duration(value):
    for unit, name in (1, "s"), (1e-3, "ms"), (1e-6, "µs"):
        if value >= unit:
            return f"{number(value / unit)} {name}"
    return f"{number(value / 1e-9)} ns"


def row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(header, rows):
    return "\n".join([row(header), "|" + "---|" * len(header), *map(row, rows)])


def opening(title, name, kind, each, parts):
    """The lines above a page's text: where its numbers are stored and what was measured when."""
    return [f"# {title}", "",
            f"Written by `bench/{name}.py`; every single {each} is in "
            f"[results/{name}.json](results/{name}.json).", "",
            table([kind, "source", "sizes", "load before and after"],
                  [[part, p["source"], p["sizes_chosen"],
                    " and ".join(f"{load:.1f}" for load in p["load"])]
                   for part, p in parts.items()]), ""]


def machines(parts):
    return "Machine: " + "; ".join(sorted({p["machine"] for p in parts.values()})) + ". "


def write_page(folder, name, lines):
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines).rstrip() + "\n")
