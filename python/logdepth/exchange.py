"""Automata of automata-lib and graphs of networkx, as dictionaries that `logdepth` reads, and back.

    from automata.fa.dfa import DFA
    from logdepth import exchange

    text = exchange.automaton_json(dfa)       # what `--json-automaton FILE` and {"json": text} read
    exchange.to_automaton(json.loads(text))   # an automata.fa.dfa.DFA again

    exchange.graph_json(networkx.path_graph(5))   # what `--graph FILE.json` reads

Neither library is needed for the way into `logdepth`: whatever has their attributes is taken. States, letters
and vertices are called by strings there: a str by itself, an int by its digits, a tuple as (a, b), a set as
{a, b}, anything else as str() has it. Two of one name are refused.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from .errors import BadInput

if TYPE_CHECKING:
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

_AUTOMATON = ("states", "input_symbols", "transitions", "initial_state", "final_states")


def automaton_dict(automaton: Any) -> dict[str, Any]:
    """The dictionary of an automaton: `states`, `input_symbols`, `transitions`, `initial_state` and
    `final_states`, all names as strings, sets as sorted lists, so that JSON can hold it.

    `automaton` is a DFA or an NFA of automata-lib, anything with these five attributes, or a mapping with
    these keys. In `transitions` a letter leads to a state, or to a list or set of states (where the automaton
    has `allow_partial`, as a DFA has, always to a state); "" is epsilon.

    BadInput when one of the five is missing, or two states or two letters have one name.
    """
    parts = {key: _part(automaton, key) for key in _AUTOMATON}
    names = _names(parts["states"], "states")
    letters = {"": "", **_names(parts["input_symbols"], "letters")}
    deterministic = _has(automaton, "allow_partial")

    def named(thing: Hashable, kind: str = "state") -> str:
        known = names if kind == "state" else letters
        if thing not in known:
            raise BadInput(f"expected a {kind} of the automaton, found {thing!r}")
        return known[thing]

    def targets(reached: Any) -> Union[str, list[str]]:
        if deterministic or not isinstance(reached, (list, set, frozenset)):
            return named(reached)
        return _sorted(named(state) for state in reached)

    def leaving(arcs: Mapping[Hashable, Any]) -> dict[str, Any]:
        reached = {named(letter, "letter"): targets(to) for letter, to in arcs.items()}
        return {letter: reached[letter] for letter in _sorted(reached)}

    transitions: dict[str, dict[str, Any]] = {state: {} for state in _sorted(names.values())}
    for state, arcs in parts["transitions"].items():
        transitions[named(state)] = leaving(arcs)
    dictionary: dict[str, Any] = {
        "states": list(transitions),
        "input_symbols": _sorted(letters[letter] for letter in parts["input_symbols"]),
        "transitions": transitions,
        "initial_state": named(parts["initial_state"]),
        "final_states": _sorted(named(state) for state in parts["final_states"]),
    }
    if deterministic:
        complete = len(dictionary["input_symbols"])
        dictionary["allow_partial"] = any(len(arcs) < complete for arcs in transitions.values())
    return dictionary


def automaton_json(automaton: Any) -> str:
    """`automaton_dict` as JSON: the text of a file that `logdepth convert --json-automaton` reads."""
    return json.dumps(automaton_dict(automaton), ensure_ascii=False, indent=1)


def to_automaton(dictionary: Mapping[str, Any]) -> Union[DFA, NFA]:
    """The automaton of automata-lib, a DFA where every letter leads to one state, else an NFA, from a
    dictionary such as `automaton_dict` gives and `logdepth convert -o FILE.json` writes.

    Needs automata-lib. Its own exceptions say what is wrong with an automaton.
    """
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

    states = set(_part(dictionary, "states"))
    letters = set(_part(dictionary, "input_symbols"))
    common: dict[str, Any] = {
        "states": states,
        "input_symbols": letters,
        "initial_state": _part(dictionary, "initial_state"),
        "final_states": set(_part(dictionary, "final_states")),
    }
    given = _part(dictionary, "transitions")
    transitions = {state: given.get(state, {}) for state in states | given.keys()}
    if all(isinstance(to, str) for leaving in transitions.values() for to in leaving.values()):
        partial = any(len(leaving) < len(letters) for leaving in transitions.values())
        return DFA(transitions=transitions, allow_partial=partial, **common)
    sets = {
        state: {letter: {to} if isinstance(to, str) else set(to) for letter, to in leaving.items()}
        for state, leaving in transitions.items()
    }
    return NFA(transitions=sets, **common)


def graph_dict(graph: Any) -> dict[str, Any]:
    """The node-link dictionary of a graph, its vertices called by strings, in their order; weights and other
    attributes are left out, parallel edges are one.

    `graph` is a Graph or DiGraph of networkx, or anything with its `nodes`, `edges` and `is_directed()`. An
    edge of an undirected graph leads both ways.

    BadInput when it is no such graph, or two vertices have one name.
    """
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise BadInput(f"expected a graph as networkx has them, found {type(graph).__name__}")
    names = _names(graph.nodes, "vertices")
    edges = dict.fromkeys((names[edge[0]], names[edge[1]]) for edge in graph.edges)
    return {
        "directed": bool(graph.is_directed()),
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in names.values()],
        "edges": [{"source": source, "target": target} for source, target in edges],
    }


def graph_json(graph: Any) -> str:
    """`graph_dict` as JSON: the text of a file that `logdepth run --graph FILE.json` reads."""
    return json.dumps(graph_dict(graph), ensure_ascii=False, indent=1)


def to_graph(dictionary: Mapping[str, Any]) -> Any:
    """The graph of networkx, a DiGraph where `directed` is true, from a node-link dictionary such as
    `graph_dict` gives and `logdepth convert -o FILE.json` writes, the edges under `edges` or `links`. Needs
    networkx.
    """
    import networkx  # type: ignore[import-untyped]

    graph = networkx.DiGraph() if dictionary.get("directed", False) else networkx.Graph()
    graph.add_nodes_from(node["id"] for node in _part(dictionary, "nodes"))
    edges = _part(dictionary, "links" if "links" in dictionary else "edges")
    graph.add_edges_from((edge["source"], edge["target"]) for edge in edges)
    return graph


def _has(thing: Any, key: str) -> bool:
    return key in thing if isinstance(thing, Mapping) else hasattr(thing, key)


def _part(thing: Any, key: str) -> Any:
    if not _has(thing, key):
        raise BadInput(f"expected {key}, found none in {type(thing).__name__}")
    return thing[key] if isinstance(thing, Mapping) else getattr(thing, key)


def _name(thing: Hashable) -> str:
    if isinstance(thing, tuple):
        return "(" + ", ".join(map(_name, thing)) + ")"
    if isinstance(thing, (set, frozenset)):
        return "{" + ", ".join(_sorted(map(_name, thing))) + "}"
    return str(thing)


def _names(things: Iterable[Hashable], kind: str) -> dict[Hashable, str]:
    """What each is called. BadInput when two have one name."""
    names: dict[Hashable, str] = {}
    called: dict[str, Hashable] = {}
    for thing in things:
        name = names[thing] = _name(thing)
        if called.setdefault(name, thing) is not thing:
            raise BadInput(f"expected {kind} with distinct names, found two called {name!r}")
    return names


def _sorted(names: Iterable[str]) -> list[str]:
    """Shorter numbers first, so that numbers are in order of value; then other names."""
    return sorted(names, key=lambda name: (not name.isdecimal(), len(name) * name.isdecimal(), name))
