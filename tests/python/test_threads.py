"""The interpreter is free while a network runs, and Ctrl-C ends a run."""

import signal
import subprocess
import sys
import threading
import time

import pytest

import logdepth

A5 = logdepth.compile_regular(group="A5")
WORDS = [format(i, "017b").replace("0", "a").replace("1", "b") for i in range(2**17)]


def test_python_goes_on_while_a_batch_runs():
    done = threading.Event()
    worker = threading.Thread(target=lambda: (A5.run_all(WORDS), done.set()))
    longest, before, turns = 0.0, time.perf_counter(), 0
    worker.start()
    while not done.is_set():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, before, turns = max(longest, now - before), now, turns + 1
    worker.join()
    # Were the interpreter held, there would be one turn, as long as the batch.
    assert turns > 20, f"{turns} turns, the longest {longest:.3f} s"


def test_threads_use_one_network_together():
    alone = [answer.accepted for answer in A5.run_all(WORDS[:300])]
    found = [None] * 4

    def run(thread):
        found[thread] = [answer.accepted for answer in A5.run_all(WORDS[:300])]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4


def test_threads_test_with_functions_of_their_own():
    abb = logdepth.compile_regular("(a|b)*abb")
    results = [None] * 3

    def ask(thread):
        results[thread] = abb.test(lambda word: word.endswith("abb"), seed=thread)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results)


@pytest.mark.parametrize("run", [
    "TREE.run_all(['ab' * 20] * 10**5)", "TREE.run('ab' * 10**6)", "TREE.prefixes('ab' * 10**6)", "A5.trace('ab' * (4 * 10**4))",
    "A5.test('group:A5', random=10**6)", "A5.rounded('mpfr:200').run('ab' * 3000)", "DIVISION.divide(20000, 7)",
    "DIVISION.test_division(random=10**6)", "A5.export('onnx', '/dev/null', length=4000, temperature='hard')"])
def test_ctrl_c_ends_a_run(run):
    script = ("import logdepth\nA5, DIVISION = logdepth.compile_regular(group='A5'), logdepth.compile_division()\n"
              "TREE = logdepth.compile_regular(group='A5', construction='tree')\n"
              f"print('ready', flush=True)\n{run}\nprint('over')")
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    asked = time.perf_counter()
    _, errors = process.communicate(timeout=60)
    assert time.perf_counter() - asked < 5
    assert errors.rstrip().endswith("KeyboardInterrupt") and process.returncode == -signal.SIGINT
