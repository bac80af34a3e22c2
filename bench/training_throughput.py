#!/usr/bin/env python3
"""Training steps of the learned core against the same decoder in PyTorch: interleaved, after both have
shown the same losses from the same weights and words.

    python3 bench/training_throughput.py --program build/throughput/bench_training_throughput \\
        --peer /usr/bin/python3 [--peer venv/bin/python3] --out bench/results

A peer without PyTorch is reported. Writes training_throughput.md and .json.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from measurement import HERE, processor, table

SIZES = [  # depth, width, length, words
    (2, 64, 8, 128), (4, 64, 16, 64), (6, 64, 32, 32), (4, 128, 16, 64), (4, 256, 32, 32)]
S5 = 120  # elements, all of them letters
EQUAL_STEPS, TOLERANCE = 20, 2e-3


class Contender:
    def __init__(self, arguments, threads, **variables):
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads),
                           **variables)
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit("a contender stopped at: " + command)
        return answer.split()

    def steps(self, count):
        answer = list(map(float, self.ask("steps %d" % count)))
        return answer[0] / count, answer[1:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0


def compare(options, peer, size):
    depth, width, length, words = size
    ours = Contender([options.program, "--depth", str(depth), "--width", str(width), "--length",
                      str(length), "--words", str(words), "--threads", str(options.threads)],
                     options.threads)
    # Ours chooses OpenBLAS's kernels itself; a peer on the same library is told to use the same.
    kernels = " ".join(ours.ask("kernels"))
    theirs = Contender([peer, os.path.join(HERE, "training_peer.py"), str(depth), str(width), str(length),
                        str(words), str(S5), str(S5), str(options.threads)], options.threads,
                       **({"OPENBLAS_CORETYPE": kernels} if kernels else {}))
    with tempfile.TemporaryDirectory() as folder:
        ours.ask("save " + folder + "/weights")
        ours.ask("batches " + folder + "/batches")
        version = theirs.ask("load " + folder + "/weights")[0]
        theirs.ask("batches " + folder + "/batches")
    _, a = ours.steps(EQUAL_STEPS)
    _, b = theirs.steps(EQUAL_STEPS)
    apart = max(abs(x - y) / abs(y) for x, y in zip(a, b))
    if not apart < TOLERANCE:
        raise SystemExit("not the same model: losses differ by %g" % apart)
    times, ratios = ([], []), []
    for _ in range(options.rounds):
        first, second = ours.steps(options.chunk)[0], theirs.steps(options.chunk)[0]
        times[0].append(first)
        times[1].append(second)
        ratios.append(second / first)
    ours.close()
    theirs.close()
    return {"peer": "PyTorch " + version, "kernels": kernels, "depth": depth, "width": width,
            "length": length, "words": words,
            "ours_ms": 1e3 * statistics.median(times[0]), "peer_ms": 1e3 * statistics.median(times[1]),
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
            "losses_apart": apart}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--peer", action="append", required=True, help="a Python with PyTorch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--chunk", type=int, default=20, help="steps of each contender per round")
    parser.add_argument("--smallest", action="store_true",
                        help="the first size, one round of two steps: a test of the script")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    if options.smallest:
        options.rounds, options.chunk = 1, 2
    rows, missing = [], []
    for peer in options.peer:
        if not has_torch(peer):
            missing.append(peer)
            print("missing peer: this Python has no PyTorch: " + os.path.basename(peer))
            continue
        for size in SIZES[:1] if options.smallest else SIZES:
            rows.append(compare(options, peer, size))
            print(rows[-1], flush=True)
    lines = ["# Training throughput", "",
             "Made by `bench/training_throughput.py`. One training step (forward, backward, clipping, AdamW) of a",
             "pre-norm decoder on prefix products of S5, float32, %d thread, on %s (%d cores)." %
             (options.threads, processor(), os.cpu_count()),
             "Both sides start from the same weights and see the same words; the losses of their first",
             "%d steps differ by at most %.1e, relatively. Then %d rounds of %d steps each, in turn;" %
             (EQUAL_STEPS, max([row["losses_apart"] for row in rows], default=0), options.rounds, options.chunk),
             "medians, ratio = peer / ours, with the least and the largest of a round."]
    kernels = sorted({row["kernels"] for row in rows if row["kernels"]})
    if kernels:
        lines += ["Matrix products are OpenBLAS's with the kernels %s, of the peer too where it uses OpenBLAS." %
                  " and ".join(kernels)]
    lines += ["",
             table(["peer", "layers", "width", "length", "words", "ours ms", "peer ms", "ratio"],
                   [[row["peer"], row["depth"], row["width"], row["length"], row["words"],
                     f"{row['ours_ms']:.2f}", f"{row['peer_ms']:.2f}",
                     f"{row['ratio']:.2f} ({row['least']:.2f} to {row['most']:.2f})"]
                    for row in rows])]
    lines += ["", "Missing peers: %d of %d." % (len(missing), len(options.peer)), ""]
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "training_throughput.md"), "w") as file:
        file.write("\n".join(lines))
    with open(os.path.join(options.out, "training_throughput.json"), "w") as file:
        json.dump({"processor": processor(), "cores": os.cpu_count(), "threads": options.threads,
                   "rows": rows}, file, indent=1)
        file.write("\n")


main()
