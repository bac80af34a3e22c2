"""Automata of automata-lib and graphs of networkx: through dictionaries, and through `logdepth convert` and
every format that it writes, to the same language and the same edges."""

import itertools
import json
import os
import random
import subprocess

import networkx
import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

import logdepth
from logdepth import exchange
from logdepth.errors import BadInput

PROGRAM = os.environ["LOGDEPTH_BINARY"]
OPTIONS = {"fst": "--fst", "dot": "--dot", "jff": "--jff", "mata": "--mata", "json": "--json-automaton"}
# Names that some format could stumble over.
NAMES = ["q0", "0", "007", "New York", "start", '"', "<b>", "é", "a;b", "node", "@", "|", "no state", "a\\b"]
LETTERS = [["a", "b"], ["0", "1"], ["<", '"'], ["é", "|"], [",", "\\"]]


def convert(*arguments):
    """What the program says when it has written, which it must."""
    done = subprocess.run([PROGRAM, "convert", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def language(automaton, letters):
    words = itertools.chain.from_iterable(itertools.product(letters, repeat=n) for n in range(7))
    return [automaton.accepts_input(word) for word in words]


def random_states(rng):
    return rng.sample(NAMES, rng.randint(1, 5))


def random_dfa(rng, letters):
    states = random_states(rng)
    partial = rng.random() < 0.5
    transitions = {
        state: {a: rng.choice(states) for a in letters if not partial or rng.random() < 0.7}
        for state in states
    }
    return DFA(
        states=set(states),
        input_symbols=set(letters),
        transitions=transitions,
        initial_state=rng.choice(states),
        final_states=set(rng.sample(states, rng.randint(0, len(states)))),
        allow_partial=partial,
    )


def random_nfa(rng, letters):
    states = random_states(rng)
    transitions = {
        state: {
            a: set(rng.sample(states, rng.randint(1, len(states))))
            for a in ["", *letters]
            if rng.random() < 0.4
        }
        for state in states
    }
    return NFA(
        states=set(states),
        input_symbols=set(letters),
        transitions=transitions,
        initial_state=rng.choice(states),
        final_states=set(rng.sample(states, rng.randint(0, len(states)))),
    )


@pytest.mark.parametrize("random_automaton", [random_dfa, random_nfa])
def test_an_automaton_survives_its_dictionary(random_automaton):
    rng = random.Random(20261123)
    for _ in range(200):
        letters = rng.choice(LETTERS)
        automaton = random_automaton(rng, letters)
        back = exchange.to_automaton(json.loads(exchange.automaton_json(automaton)))
        assert back.states == automaton.states
        assert back.input_symbols == automaton.input_symbols
        assert language(back, letters) == language(automaton, letters)
        if isinstance(automaton, DFA):
            assert isinstance(back, DFA) and back == automaton


@pytest.mark.parametrize("ending", OPTIONS)
@pytest.mark.parametrize("random_automaton", [random_dfa, random_nfa])
def test_every_format_keeps_the_language(random_automaton, ending, tmp_path):
    rng = random.Random(7)
    for _ in range(20):
        letters = rng.choice(LETTERS)
        automaton = random_automaton(rng, letters)
        (tmp_path / "given.json").write_text(exchange.automaton_json(automaton))
        convert("--json-automaton", tmp_path / "given.json", "-o", tmp_path / f"there.{ending}")
        convert(OPTIONS[ending], tmp_path / f"there.{ending}", "-o", tmp_path / "back.json")
        back = exchange.to_automaton(json.loads((tmp_path / "back.json").read_text()))
        assert back.input_symbols == automaton.input_symbols
        assert language(back, letters) == language(automaton, letters)
        if ending == "json":
            assert back.states == automaton.states


def test_the_minimal_automaton_is_that_of_automata_lib(tmp_path):
    rng = random.Random(3)
    for _ in range(20):
        letters = rng.choice(LETTERS)
        automaton = random_nfa(rng, letters)
        (tmp_path / "given.json").write_text(exchange.automaton_json(automaton))
        convert("--json-automaton", tmp_path / "given.json", "--minimal", "-o", tmp_path / "least.json")
        least = exchange.to_automaton(json.loads((tmp_path / "least.json").read_text()))
        assert isinstance(least, DFA) and not least.allow_partial
        assert least == DFA.from_nfa(automaton).to_complete()
        assert len(least.states) == len(DFA.from_nfa(automaton).minify().to_complete().states)


def test_states_of_every_kind_have_names():
    dfa = DFA(
        states={0, "p", (1, "q"), frozenset({2, "r"}), None},
        input_symbols={"a"},
        transitions={0: {"a": "p"}, "p": {"a": (1, "q")}, (1, "q"): {"a": frozenset({2, "r"})},
                     frozenset({2, "r"}): {"a": None}, None: {}},
        initial_state=0,
        final_states={None},
        allow_partial=True,
    )
    dictionary = exchange.automaton_dict(dfa)
    assert dictionary["states"] == ["0", "(1, q)", "None", "p", "{2, r}"]
    assert dictionary["transitions"]["(1, q)"] == {"a": "{2, r}"}
    assert dictionary["allow_partial"] is True
    assert exchange.automaton_dict(dictionary) == dictionary


def test_a_target_that_is_a_text_is_one_state():
    written = {"states": ["0", "1", "01"], "input_symbols": ["a"], "initial_state": "0", "final_states": ["01"],
               "transitions": {"0": {"a": "01"}, "01": {"a": ["0", "1"]}}}
    dictionary = exchange.automaton_dict(written)
    assert dictionary["transitions"] == {"0": {"a": "01"}, "1": {}, "01": {"a": ["0", "1"]}}
    assert logdepth.compile_regular(automaton=written).run("a").accepted
    numbers = {"states": [0, 1], "input_symbols": ["a"], "initial_state": 0, "final_states": [1],
               "transitions": {0: {"a": 1}, 1: {}}}
    assert exchange.automaton_dict(numbers)["transitions"] == {"0": {"a": "1"}, "1": {}}


def test_letters_of_every_kind_have_names():
    dfa = DFA(states={0, 1}, input_symbols={0, 1, 10}, transitions={0: {0: 0, 1: 1, 10: 0}, 1: {0: 1, 1: 0, 10: 1}},
              initial_state=0, final_states={1})
    assert exchange.automaton_dict(dfa)["input_symbols"] == ["0", "1", "10"]
    model = logdepth.compile_regular(automaton=dfa)
    assert model.run(["1", "10"]).accepted and not model.run(["1", "0", "1"]).accepted
    with pytest.raises(BadInput, match="^expected letters with distinct names, found two called '1'$"):
        exchange.automaton_dict({"states": [0], "input_symbols": [1, "1"], "initial_state": 0, "final_states": [],
                                 "transitions": {}})
    with pytest.raises(BadInput, match="^expected a letter of the automaton, found 'b'$"):
        exchange.automaton_dict({"states": [0], "input_symbols": ["a"], "initial_state": 0, "final_states": [],
                                 "transitions": {0: {"b": 0}}})


def test_the_edges_of_older_node_link_dictionaries_are_called_links():
    graph = networkx.path_graph(4, create_using=networkx.DiGraph)
    assert edges_both_ways(exchange.to_graph(networkx.node_link_data(graph, edges="links"))) == edges_both_ways(graph)


def test_what_is_no_automaton_and_no_graph_is_refused_in_a_sentence():
    with pytest.raises(BadInput, match="^expected states, found none in str$"):
        exchange.automaton_dict("a*")
    with pytest.raises(BadInput, match="^expected input_symbols, found none in dict$"):
        exchange.to_automaton({"states": ["p"]})
    with pytest.raises(BadInput, match="^expected a graph as networkx has them, found list$"):
        exchange.graph_dict([(0, 1)])
    twice = networkx.Graph([(1, "1")])
    with pytest.raises(BadInput, match="^expected vertices with distinct names, found two called '1'$"):
        exchange.graph_dict(twice)
    with pytest.raises(BadInput, match="^expected a state of the automaton, found 'q'$"):
        exchange.automaton_dict({"states": {"p"}, "input_symbols": {"a"}, "transitions": {"p": {"a": {"q"}}},
                                 "initial_state": "p", "final_states": set()})


def edges_both_ways(graph):
    directed = graph if graph.is_directed() else graph.to_directed()
    return {(str(source), str(target)) for source, target in directed.edges}


def random_networkx(rng, directed):
    graph = networkx.gnp_random_graph(rng.randint(1, 9), 0.3, seed=rng.randrange(10**6), directed=directed)
    names = rng.sample(NAMES, len(graph))
    return networkx.relabel_nodes(graph, dict(enumerate(names)))


@pytest.mark.parametrize("directed", [False, True])
def test_a_graph_survives_its_dictionary(directed):
    rng = random.Random(11)
    for _ in range(100):
        graph = random_networkx(rng, directed)
        back = exchange.to_graph(json.loads(exchange.graph_json(graph)))
        assert networkx.utils.graphs_equal(back, graph)
    many = networkx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])
    assert edges_both_ways(exchange.to_graph(exchange.graph_dict(many))) == {("0", "1"), ("1", "0")}


@pytest.mark.parametrize("directed", [False, True])
def test_networkx_reads_what_convert_writes(directed, tmp_path):
    rng = random.Random(13)
    for _ in range(20):
        graph = random_networkx(rng, directed)
        given = tmp_path / "given.json"
        given.write_text(exchange.graph_json(graph))
        for ending in ("json", "graphml", "dot", "mtx", "gr"):
            convert("--graph", given, "-o", tmp_path / f"there.{ending}")
        node_link = json.loads((tmp_path / "there.json").read_text())
        for there in (
            exchange.to_graph(node_link),
            networkx.node_link_graph(node_link, edges="edges"),
            networkx.read_graphml(tmp_path / "there.graphml"),
        ):
            assert there.is_directed() and list(there.nodes) == list(graph.nodes)
            assert edges_both_ways(there) == edges_both_ways(graph)
        convert("--graph", tmp_path / "there.dot", "-o", tmp_path / "back.json")
        back = exchange.to_graph(json.loads((tmp_path / "back.json").read_text()))
        assert set(back.nodes) == set(graph.nodes) and edges_both_ways(back) == edges_both_ways(graph)
        numbers = {str(name): str(i) for i, name in enumerate(graph.nodes, 1)}
        numbered = {(numbers[source], numbers[target]) for source, target in edges_both_ways(graph)}
        lines = [line.split() for line in (tmp_path / "there.gr").read_text().splitlines()]
        assert {(line[1], line[2]) for line in lines if line[0] == "a"} == numbered
        lines = [line.split() for line in (tmp_path / "there.mtx").read_text().splitlines()]
        assert {tuple(line) for line in lines if len(line) == 2 and line[0] != "%"} == numbered


def test_networkx_reads_edge_lists_that_convert_writes(tmp_path):
    graph = networkx.gnp_random_graph(12, 0.2, seed=5, directed=True)
    (tmp_path / "given.json").write_text(exchange.graph_json(graph))
    convert("--graph", tmp_path / "given.json", "-o", tmp_path / "there.edges")
    there = networkx.read_edgelist(tmp_path / "there.edges", create_using=networkx.DiGraph, nodetype=int)
    assert set(there.edges) == set(graph.edges)
