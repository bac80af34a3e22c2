"""Contenders on one input: each in a process of its own, in turn, on one processor; answers are
compared before any time counts."""
import json
import os
import resource
import statistics
import subprocess
import time

# How a float program may treat rounding: how close to the largest a score ties, and below what
# size a number is zero to a norm. A dense contender gets the first pair that answers right.
ROUNDING = [(0.0, 0.0), (1e-15, 1e-9), (1e-15, 1e-12), (1e-12, 1e-12)]


class Machine:
    """What every process is held to."""

    def __init__(self, core, memory):
        self.cores = [core, *(os.sched_getaffinity(0) - {core})]
        self.memory = memory
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                                MKL_NUM_THREADS="1")

    def run(self, command, limit, cores=1):
        """What the command printed, and "" or what went wrong."""

        def hold():
            os.sched_setaffinity(0, set(self.cores[:cores]))
            resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))

        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit,
                                  env=self.environment, preexec_fn=hold)
        except subprocess.TimeoutExpired:
            return "", f"more than {limit:.0f} s"
        if done.returncode == 0:
            return done.stdout, ""
        error = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        if "bad_alloc" in error or "MemoryError" in error or "allocate memory" in error:
            error = f"more than {self.memory / 2**30:.0f} GiB"
        return "", error

    def start(self, command, limit, cores=1):
        """The JSON that the command prints, and "" or what went wrong."""
        printed, error = self.run(command, limit, cores)
        return (None if error else json.loads(printed)), error

    def time(self, command, limit):
        """The seconds of the whole process, the lines it prints, and "" or what went wrong."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        printed, error = self.run(command, limit)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"seconds": wall, "processor_seconds": processor}, printed.splitlines(), error


class Rounding:
    """The pair of ROUNDING that answered right last, shared by the dense contenders of a case."""

    def __init__(self):
        self.index = 0


class Contender:
    """`rounding`: of a dense float program, else None; `power`: of the tokens, that its time grows
    with, to forecast the next size; `scores`: how many arrays of tokens x tokens numbers it holds
    at once; `stride`: whether it can answer a sample of its rows; `cores`: that it runs on."""

    def __init__(self, name, command, rounding=None, power=1, scores=0, stride=False, cores=1):
        self.name, self.command, self.rounding, self.cores = name, command, rounding, cores
        self.power, self.scores, self.stride = power, scores, stride
        self.last = None  # tokens and seconds of the size before

    def forecast(self, tokens):
        if not self.last:
            return 0.0
        before, seconds = self.last
        return seconds * (tokens / before) ** self.power


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


def read_lines(path):
    with open(path, encoding="utf-8") as opened:
        return opened.read().splitlines()


def checked_run(machine, contender, questions, reference, answers, limit):
    """The first runs of a contender, one for every question: the record of the first question, with
    how the answers to all of them differ from the reference, and these answers."""
    attempts, first = [None], None
    if contender.rounding:
        attempts = range(contender.rounding.index, len(ROUNDING))
    for attempt in attempts:
        extra = [] if attempt is None else ["--tolerance", str(ROUNDING[attempt][0]),
                                            "--zero", str(ROUNDING[attempt][1])]
        lines, results = [], []
        for question in questions:
            result, error = machine.start([*contender.command, *question, *extra, "--answers",
                                           answers], limit, contender.cores)
            if error:
                return first or ({"refused": error}, [])
            results.append(result)
            lines += read_lines(answers)
        difference = compared(lines, reference) if reference else ""
        first = first or ({"runs": results[:1], "differs": difference, "extra": extra}, lines)
        if not difference:
            if contender.rounding:
                contender.rounding.index = attempt
            return {"runs": results[:1], "differs": "", "extra": extra}, lines
        if result["seconds"] > limit / 10:
            break
    return first


def contest(machine, contenders, absent, questions, tokens, work, limit, repeats, budget, say):
    """Records by contender. The first contender is the reference: a direct algorithm. `absent`
    says why a contender cannot run at all; `questions` gives what follows a contender's own
    command, for every question: all are asked once, the first one is timed."""
    records, reference = {}, None

    def refuse(contender, reason):
        records[contender.name] = {"refused": reason}
        say(f"  {contender.name}: {reason}")

    for contender in contenders:
        if contender.name in absent:
            refuse(contender, absent[contender.name])
            continue
        if contender.cores > len(machine.cores):
            refuse(contender, f"requires {contender.cores} cores, the machine has one")
            continue
        answers = os.path.join(work, f"{contender.name}.answers")
        memory = 8 * contender.scores * tokens * tokens
        if memory > machine.memory:
            refuse(contender, f"{contender.scores} arrays of scores are {memory / 1e9:.0f} GB")
            continue
        forecast, asked = contender.forecast(tokens), questions(contender.name)
        if forecast > limit:
            if not contender.stride:
                refuse(contender, f"forecast {forecast:.0f} s, limit {limit:.0f} s")
                continue
            stride = 2 ** max(1, int(2 * forecast / limit).bit_length())
            result, error = machine.start([*contender.command, *asked[0], "--stride", str(stride)],
                                          limit)
            records[contender.name] = {"refused": error} if error else {
                "runs": [result], "differs": "", "sampled": stride}
        else:
            records[contender.name], lines = checked_run(machine, contender, asked, reference,
                                                         answers, limit)
            reference = reference or lines
        record = records[contender.name]
        if "runs" in record:
            contender.last = (tokens, record["runs"][0]["seconds"])
        say(f"  {contender.name}: " + describe(record))

    again = [c for c in contenders if "runs" in records[c.name] and
             "sampled" not in records[c.name]]
    spent = {c.name: records[c.name]["runs"][0]["seconds"] for c in again}
    for turn in range(1, repeats):
        for contender in again[turn % len(again):] + again[:turn % len(again)]:
            record = records[contender.name]
            mean = spent[contender.name] / len(record["runs"])
            if spent[contender.name] + mean > budget:
                continue
            began = time.perf_counter()
            result, error = machine.start([*contender.command, *questions(contender.name)[0],
                                           *record["extra"]], limit, contender.cores)
            if not error:
                record["runs"].append(result)
            spent[contender.name] += time.perf_counter() - began
    return records


def seconds(record):
    """The median of the runs, or None."""
    if not record or "runs" not in record:
        return None
    return statistics.median(run["seconds"] for run in record["runs"])


def peak_bytes(record):
    return max(run["peak_bytes"] for run in record["runs"])


def describe(record):
    if "refused" in record:
        return record["refused"]
    text = f"{seconds(record):.3g} s"
    if "sampled" in record:
        text += f" (every {record['sampled']}th tile of rows)"
    return text + (f", WRONG: {record['differs']}" if record["differs"] else "")
