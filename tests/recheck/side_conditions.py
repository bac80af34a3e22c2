"""What the tests that remove side conditions share: the calls of `need` in a Python source, and messages that no file reaches."""
import ast
import types

# Conditions of logdepth-recheck and of recheck.py to which no file of the collection comes. A list may become shorter.
NO_FILE = [
    "coordinate {} enters the loop with {}",
    "input: no room for the mirrored numbers",
    "input: no room for the mirrored row",
    "no prefix read-out",
    "not a file of rows of a graph that answers with a relation",
    "output: a read-out of states; expected products",
    "output: expected accept or reject",
    "output: the read-out has {} points; expected {}",
    "position: expected a table",
    "position: {}",
    "the verdict is a tie",
    "two position codes: {} and {}",
    "{}: averages numbers that are no multiples of small counts",
    "{}: elements of several product cells",
    "{}: product cell {} has no label for a product",
    "{}: reads 1/(p+1) of another token",
]


def calls(tree):
    """Every call of `need`, in one order."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "need"]


def with_a_switch(source):
    """The module of a source whose `need` number REMOVED is always true, as if it were not there."""
    tree = ast.parse(source)
    for number, call in enumerate(calls(tree)):
        removed = ast.Compare(ast.Name("REMOVED", ast.Load()), [ast.Eq()], [ast.Constant(number)])
        call.args[0] = ast.copy_location(ast.BoolOp(ast.Or(), [removed, call.args[0]]), call.args[0])
    module = types.ModuleType("with_a_switch")
    exec(compile(ast.fix_missing_locations(tree), "with_a_switch.py", "exec"), module.__dict__)
    return module


def conditions(source):
    """(first line, last line, message) of every `need`, in the order of the numbers."""
    return [(call.lineno, call.end_lineno, call.args[1].value if isinstance(call.args[1], ast.Constant) else ast.unparse(call.args[1]))
            for call in calls(ast.parse(source))]


def line_of_need(error):
    """The line that called the `need` which refused."""
    trace, lines = error.__traceback__, []
    while trace is not None:
        lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return lines[-2]
