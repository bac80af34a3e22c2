"""One format: what the reader of `logdepth` refuses, the checker and exact_runner.py refuse, and nothing else. Members of files of every kind
are changed, and the text has the hash of what it then holds, so that the rules of the format decide. What each message names is tested in
tests/properties/weights_refusals.cpp, whose files the same three readers read."""
import copy
import random
import unittest

import files
from files import LOGDEPTH, RECHECK, ROOT, RUNNER, compiled, load, path, run, seal, store

OTHERS = [None, True, False, -1, 0, 1, 2, 3, 9, 2 ** 32, 2 ** 63, "", "0", "1", "-1/2", "2/4", "a", " ", "a\0", "\u202e", "<begin>", "fixed", "circle", "uniform",
          [], {}, [0, "1"], [[0, "1"]], [0, 1], [[0, 1]]]


def places(value):
    """Every member within, as the object or array around it and its key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def change(around, key, draw):
    how, value = draw.randrange(5), around[key]
    if how == 0:
        del around[key]
    elif how == 1 and isinstance(around, list):
        around.insert(key, copy.deepcopy(value))
    elif how == 1:
        around[draw.choice(["offset", "parity", "base", "when", "end", "size", "mirrored", "max_length", "colour"])] = draw.choice(OTHERS)
    elif how == 2 and isinstance(value, int) and not isinstance(value, bool):
        around[key] = value + draw.choice([-1, 1])
    else:
        around[key] = draw.choice(OTHERS)


class OneFormat(unittest.TestCase):
    def readers(self, document):
        """Whether each of the three reads the file."""
        file = store(document, path("format.json"))
        claim = store({"format": "logdepth-certificate", "version": 1, "theorem": "counting", "sha256": ""}, path("format.cert.json"))
        statuses = {"logdepth": run(LOGDEPTH, "info", file)[0] == 0, "logdepth-recheck": run(RECHECK, file, claim)[0] == 1}
        try:
            RUNNER.Model(file)
            return {**statuses, "exact_runner.py": True}
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            return {**statuses, "exact_runner.py": False}

    def test_three_readers_read_the_same_files(self):
        draw, seen, apart = random.Random(7), {True: 0, False: 0}, []
        for options in (("regular", "--regex", "a*", "--construction", "scan", "--positions", "circle"),
                        ("regular", "--regex", "ab", "--construction", "scan", "--positions", "two-circle", "--unroll", "4"),
                        ("regular", "--group", "Z2", "--construction", "radix"), ("regular", "--group", "Z2", "--construction", "cascade"),
                        ("regular", "--regex", "a", "--construction", "tree"), ("division", "--construction", "floor", "--for-length", "3"),
                        ("program", ROOT / "examples/programs/flipflop.cells"), ("connectivity", "--construction", "rows", "--size", "2"),
                        ("connectivity", "--size", "2")):
            document = load(compiled(*options))
            document.pop("derived")
            self.assertEqual(set(self.readers(document).values()), {True}, options)
            for _ in range(110):
                changed = copy.deepcopy(document)
                key = draw.choice(list(changed))
                inside = list(places(changed[key])) if isinstance(changed[key], (dict, list)) else []
                change(*draw.choice(inside or [(changed, key)]) if draw.random() < 0.9 else (changed, key), draw)
                found = self.readers(seal(changed))
                if len(set(found.values())) > 1:
                    apart.append((options, found, [(k, v) for k, v in changed.items() if v != document.get(k) and k != "sha256"]))
                seen[found["logdepth"]] += 1
        self.assertEqual(apart, [])
        self.assertGreater(min(seen.values()), 60, seen)


if __name__ == "__main__":
    unittest.main()
