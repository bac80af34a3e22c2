"""The calls of `need` in a Python source, and the source without one of them."""
import ast
import types


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
