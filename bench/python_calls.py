"""What does it cost to ask from Python, against the command line?

python_calls.py LOGDEPTH [--words N] [--letters N] [--rounds K]: the same words, in one batch, by `logdepth
run --batch` and by `Model.run_all` of the installed package `logdepth`. Both read the same weights file and
the same file of words in a process of their own, and write the same answers; the whole process is timed.
Prints a Markdown table; the exit status is 1 if an answer differs.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

BATCH = """
import sys, logdepth
model = logdepth.load(sys.argv[1])
words = open(sys.argv[2]).read().splitlines()
with open(sys.argv[3], "w") as out:
    for answer in model.run_all(words):
        out.write("accept\\n" if answer.accepted else "reject\\n")
"""

LANGUAGES = [
    ("(a|b)*abb", ["--regex", "(a|b)*abb"]),
    ("A5", ["--group", "A5"]),
    ("S4 by cascade", ["--group", "S4", "--construction", "cascade"]),
]


def timed(command, out=None):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=out)
    return time.perf_counter() - begin


def compare(logdepth, model, words, folder, rounds):
    by_command, by_python = os.path.join(folder, "command.txt"), os.path.join(folder, "python.txt")
    seconds = {"command": [], "python": []}
    for turn in range(rounds):
        # In turn, and who comes first changes.
        for who in ("command", "python")[:: 1 if turn % 2 == 0 else -1]:
            if who == "command":
                with open(by_command, "w") as out:
                    seconds[who].append(timed([logdepth, "run", model, "--batch", words], out))
            else:
                seconds[who].append(timed([sys.executable, "-c", BATCH, model, words, by_python]))
    with open(by_command) as one, open(by_python) as other:
        same = one.read() == other.read()
    return [statistics.median(seconds[who]) for who in ("command", "python")], same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logdepth")
    parser.add_argument("--words", type=int, default=100000)
    parser.add_argument("--letters", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    all_same = True
    print(f"{options.words} words of {options.letters} letters, medians of {options.rounds} processes\n")
    print("| language | `logdepth run --batch` | Python | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        words = os.path.join(folder, "words.txt")
        letters = random.Random(1)
        with open(words, "w") as out:
            for _ in range(options.words):
                out.write("".join(letters.choices("ab", k=options.letters)) + "\n")
        for name, language in LANGUAGES:
            model = os.path.join(folder, "model.json")
            subprocess.run(
                [options.logdepth, "compile", "regular", *language, "-o", model],
                check=True,
                stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            (command, python), same = compare(options.logdepth, model, words, folder, options.rounds)
            all_same &= same
            name = name.replace("|", "\\|")
            print(f"| {name} | {command:.2f} s | {python:.2f} s | {python / command:.2f} |")
            if not same:
                print(f"answers to words over {name} differ", file=sys.stderr)
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
