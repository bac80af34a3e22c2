"""Every side condition of every lemma matters: each `need` of recheck.py is removed in turn, and a file of the collection below
that was refused is then proved, or ends otherwise. The conditions that no file notices are listed, each with its reason."""
import ast
import collections
import copy
import sys
import types
import unittest

import changes
import files
from files import PEER, ROOT, certified, compiled, edited, load
import test_hostile_files

SOURCE = (ROOT / "recheck/recheck.py").read_text()

# Conditions without a file in the collection: limits of size, and those that a later step finds as well.
UNNOTICED = {}


def without(number):
    """recheck.py with its `need` number so much always true."""
    tree, count = ast.parse(SOURCE), 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "need":
            if count == number:
                node.args[0] = ast.copy_location(ast.Constant(True), node.args[0])
            count += 1
    module = types.ModuleType("recheck_without")
    exec(compile(ast.fix_missing_locations(tree), "recheck.py", "exec"), module.__dict__)
    return module


def conditions():
    """(line, text of the message) of every `need`, in the order of `without`."""
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "need":
            yield node.lineno, node.end_lineno, ast.unparse(node.args[1])


def decided(module, document, certificate):
    """None if it is proved, else the exception."""
    try:
        spelled = [PEER.json.loads(PEER.json.dumps(x), parse_int=module.Number, parse_float=module.Number) for x in (document, certificate)]
        module.prove(*spelled)
        return None
    except Exception as error:  # whatever a checker without a condition runs into
        return error


def collection():
    """Changed files and certificates of every theorem."""
    for options, every in [(("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--table", "matrix"), 3),
                           (("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "first-flag"), 5),
                           (("regular", "--group", "Z2", "--construction", "scan", "--positions", "two-circle", "--norm", "layernorm"), 7),
                           (("regular", "--regex", "(a|b)*b", "--construction", "scan", "--positions", "circle", "--unroll", "4"), 40),
                           (("regular", "--regex", "(a|b)*b", "--construction", "cascade"), 2),
                           (("regular", "--regex", "(ab)*", "--construction", "cascade"), 23),
                           (("regular", "--regex", "(a|b)*b", "--construction", "cascade", "--positions", "first-flag"), 5),
                           (("regular", "--regex", "(b|ab*a)*", "--construction", "cascade"), 2),
                           (("regular", "--group", "Z6", "--construction", "cascade"), 9),
                           (("connectivity", "--construction", "rows", "--size", "3"), 2)]:
        file = compiled(*options)
        document, certificate = load(file), load(certified(file))
        for key in ("derived", "cells"):
            document.pop(key)
        for _, changed in list(changes.changed_numbers(document, every)) + list(changes.random_entries(document, 40)):
            files.seal(changed)
            yield changed, {**certificate, "sha256": changed["sha256"]}
        for _, change in changes.whole_changes(document) if document["alphabet"] else []:
            changed = edited(document, change)
            yield changed, {**certificate, "sha256": changed["sha256"]}
    test_hostile_files.Lists.setUpClass()
    lists = test_hostile_files.Lists()
    for _, change in lists.must_be_refused():
        changed = edited(lists.document, change)
        yield changed, {**lists.certificate, "sha256": changed["sha256"]}
    for _, claimed in lists.hostile_certificates():
        if isinstance(claimed, dict):
            yield lists.document, claimed
    hostile = test_hostile_files.one_back(True)
    yield hostile, {"format": "logdepth-certificate", "version": 1, "theorem": "resets", "sha256": hostile["sha256"]}


class SideConditions(unittest.TestCase):
    maxDiff = None

    def test_each_is_noticed_when_it_is_removed(self):
        all_conditions = list(conditions())
        by_condition = collections.defaultdict(list)
        for document, certificate in collection():
            error = decided(PEER, document, certificate)
            if not isinstance(error, PEER.Refused):
                continue
            trace = error.__traceback__
            lines = []
            while trace is not None:
                lines.append(trace.tb_lineno)
                trace = trace.tb_next
            at = lines[-2]  # the call of `need`
            for i, (first, last, _) in enumerate(all_conditions):
                if first <= at <= last:
                    by_condition[i].append((document, certificate))
        unnoticed = set()
        for i, (line, _, message) in enumerate(all_conditions):
            module, tried = without(i), by_condition[i]
            step = max(1, len(tried) // 12)
            if not any(not isinstance(decided(module, *pair), module.Refused) for pair in tried[::step]):
                unnoticed.add(message)
        self.assertEqual(sorted(unnoticed), sorted(UNNOTICED), f"{len(all_conditions)} conditions")


if __name__ == "__main__":
    unittest.main()
