"""Transformers with exact rational weights: written down, compiled, run, tested and drawn.

    import logdepth
    from logdepth.cells import *

    p = logdepth.Program("ends in b").alphabet(["a", "b"]).fixed_loops(0)
    ...
    model = logdepth.compile(p)
    model.run("aab").accepted

A `Program` is a construction, a `Model` the network that it is compiled to, an `Answer` what an exact run
says. Errors are `BadInput`, `Undecided`, `LimitReached`, `ExportRefused` and `ExportWrong`, with the
sentences of the command line.
"""

import importlib.metadata

from . import _bindings, arguments

arguments.explain(_bindings)  # before other modules take its functions

from . import cells, exchange  # noqa: E402
from ._bindings import (
    Answer,
    CellSheet,
    Certification,
    ClaimSheet,
    DivisionTestResult,
    ExportReport,
    FailedTheorem,
    FirstDifference,
    GraphTestResult,
    HeadSheet,
    Real,
    RoundedAnswer,
    RoundedNumber,
    TestResult,
    TraceColumn,
    TraceHead,
    TraceMoment,
    WrongDivision,
    WrongGraph,
    WrongWord,
)
from .circuit import Circuit, Edge, Node
from .constructions import (
    compile,
    compile_computation_graph,
    compile_connectivity,
    compile_crasp,
    compile_division,
    compile_formula,
    compile_khop,
    compile_ltl,
    compile_regular,
    zoo,
    zoo_networks,
)
from .drawing import Drawing
from .errors import BadInput, ExportRefused, ExportWrong, LimitReached, Undecided
from .inputs import Reach
from .model import Check, Model, Rounded, from_text, load
from .program import Program
from .traces import Trace
from .training_records import n_star, records

__version__ = importlib.metadata.version("logdepth")

__all__ = [
    "Answer",
    "BadInput",
    "CellSheet",
    "Certification",
    "Check",
    "Circuit",
    "ClaimSheet",
    "DivisionTestResult",
    "Drawing",
    "Edge",
    "ExportRefused",
    "ExportReport",
    "ExportWrong",
    "FailedTheorem",
    "FirstDifference",
    "GraphTestResult",
    "HeadSheet",
    "LimitReached",
    "Model",
    "Node",
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
    "Undecided",
    "WrongDivision",
    "WrongGraph",
    "WrongWord",
    "cells",
    "compile",
    "compile_computation_graph",
    "compile_formula",
    "compile_khop",
    "compile_ltl",
    "compile_connectivity",
    "compile_crasp",
    "compile_division",
    "compile_regular",
    "exchange",
    "from_text",
    "load",
    "n_star",
    "records",
    "zoo",
    "zoo_networks",
]
