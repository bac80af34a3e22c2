"""Transformers with exact rational weights: written down, compiled, run, tested and drawn.

    import logdepth
    from logdepth.cells import *

    p = logdepth.Program("ends in b").alphabet(["a", "b"]).fixed_loops(0)
    ...
    model = logdepth.compile(p)
    model.run("aab").accepted

A `Program` is a construction, a `Model` the network that it is compiled to, an `Answer` what an exact run
says. Errors are `BadInput`, `Undecided` and `LimitReached`, with the sentences of the command line.
"""

from . import cells
from ._bindings import (
    Answer,
    CellSheet,
    ClaimSheet,
    DivisionTestResult,
    GraphTestResult,
    HeadSheet,
    Program,
    Real,
    RoundedAnswer,
    RoundedNumber,
    TestResult,
    TraceColumn,
    TraceHead,
    TraceMoment,
    TransitionTable,
    WrongDivision,
    WrongGraph,
    WrongWord,
)
from .constructions import (
    compile,
    compile_computation_graph,
    compile_connectivity,
    compile_crasp,
    compile_division,
    compile_regular,
)
from .drawing import Drawing
from .errors import BadInput, LimitReached, Undecided
from .inputs import Reach
from .model import Model, Rounded, from_text, load
from .traces import Trace

__all__ = [
    "Answer",
    "BadInput",
    "CellSheet",
    "ClaimSheet",
    "DivisionTestResult",
    "Drawing",
    "GraphTestResult",
    "HeadSheet",
    "LimitReached",
    "Model",
    "Program",
    "Reach",
    "Real",
    "Rounded",
    "RoundedAnswer",
    "RoundedNumber",
    "TestResult",
    "Trace",
    "TraceColumn",
    "TraceHead",
    "TraceMoment",
    "TransitionTable",
    "Undecided",
    "WrongDivision",
    "WrongGraph",
    "WrongWord",
    "cells",
    "compile",
    "compile_computation_graph",
    "compile_connectivity",
    "compile_crasp",
    "compile_division",
    "compile_regular",
    "from_text",
    "load",
]
