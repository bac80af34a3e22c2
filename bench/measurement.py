"""What the scripts of this folder share: what they measure on, programs held to one processor, seeded inputs,
options, stored results, and the words and tables of their pages."""
import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = 16 * 2**30  # bytes that a measured process may use


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


def options_of(parser, name, write, needed, expected):
    """The options of a script. With --report its page is written again and the script ends; else one is needed."""
    options = parser.parse_args()
    if options.report:
        write(options.report, stored_results(options.report, name))
        sys.exit()
    if not getattr(options, needed):
        parser.error(expected)
    return options


def build_parser(about):
    """And of one that measures programs of a build folder."""
    parser = page_parser(about)
    parser.add_argument("build", nargs="?", help="folder with logdepth and the programs of bench/")
    parser.add_argument("--smallest", action="store_true",
                        help="smallest sizes, once each, a test of the script; give --out as well")
    return parser


def begun(folder, name):
    """What such a script stores first; its measurements are added. Before anything is measured, so that no
    measurement is lost to a folder that cannot be written."""
    try:
        os.makedirs(os.path.join(folder, "results"), exist_ok=True)
    except OSError as error:
        refuse(f"{folder}: expected a folder to write to, {error.strerror}")
    return {"schema": f"logdepth-bench/{name}/1", "source": describe_source(), "machine": describe_machine(),
            "load": os.getloadavg()[0]}


def head(title, name, stored, more=""):
    """The lines above the text of its page."""
    load = f" Load before: {stored['load']:.1f}." if "load" in stored else ""
    return [f"# {title}", "",
            f"Written by `bench/{name}.py`; all numbers are in [results/{name}.json](results/{name}.json).", "",
            f"Source: {stored['source']}. Machine: {stored['machine']}.{load}{more}", ""]


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


def describe_machine():
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


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


def alone(command, limit, memory=MEMORY):
    """What the command prints in JSON, on one processor and with so many bytes, and "" or what went wrong."""

    def hold():
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, preexec_fn=hold)
    except subprocess.TimeoutExpired:
        return None, f"more than {limit:.0f} s"
    if done.returncode == 0:
        return json.loads(done.stdout), ""
    error = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    if "bad_alloc" in error or "MemoryError" in error or "allocate memory" in error:
        error = f"more than {memory / 2**30:.0f} GiB"
    return None, error


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


def write_page(folder, name, lines):
    with open(os.path.join(folder, f"{name}.md"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines).rstrip() + "\n")
