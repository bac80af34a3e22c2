#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_tape.hpp"
#include "base/phrases.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

// What the readers of dictionaries share; `source` names the file in messages. Errors: InputError with the
// line and the path of the value.

/// The values of an object by their keys; each of `needed` is there.
std::map<std::string, JsonTape::Node> json_members(const JsonTape& tape, JsonTape::Node node,
                                                   const std::string& source,
                                                   const std::vector<std::string>& needed) {
  if (tape.kind(node) != JsonTape::Kind::object) refuse(tape, node, source, "expected an object");
  std::map<std::string, JsonTape::Node> members;
  for (auto key = tape.first_child(node); key != tape.end(node);) {
    const auto value = tape.next(key);
    members.emplace(tape.text(key), value);
    key = tape.next(value);
  }
  for (const std::string& key : needed) {
    if (!members.contains(key)) refuse(tape, node, source, "expected a key " + shown(key));
  }
  return members;
}

std::vector<JsonTape::Node> json_elements(const JsonTape& tape, JsonTape::Node node,
                                          const std::string& source) {
  if (tape.kind(node) != JsonTape::Kind::array) refuse(tape, node, source, "expected a list");
  std::vector<JsonTape::Node> elements;
  for (auto child = tape.first_child(node); child != tape.end(node); child = tape.next(child)) {
    elements.push_back(child);
  }
  return elements;
}

/// A string, or the digits of a whole number: Python's states and vertices are often numbers.
std::string json_name(const JsonTape& tape, JsonTape::Node node, const std::string& source) {
  if (tape.kind(node) == JsonTape::Kind::integer) return std::to_string(tape.integer(node));
  if (tape.kind(node) != JsonTape::Kind::string) {
    refuse(tape, node, source, "expected a name: a string or a whole number");
  }
  return std::string(tape.text(node));
}

class DictionaryReader {
 public:
  DictionaryReader(const std::string& text, const std::string& source)
      : source_(source), tape_(JsonTape::parse(text, source)) {}

  Nfa read() {
    const std::vector<std::string> keys = {"states", "input_symbols", "transitions",
                                           "initial_state", "final_states"};
    refuse_other_machines();
    const auto members = json_members(tape_, 0, source_, keys);
    for (const auto& [key, node] : members) {
      if (key == "allow_partial" && tape_.kind(node) == JsonTape::Kind::boolean) continue;
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        refuse(tape_, node, source_,
               "expected states, input_symbols, transitions, initial_state, final_states and "
               "perhaps allow_partial, true or false");
      }
    }
    for (const Node node : json_elements(tape_, members.at("states"), source_)) add_state(node);
    const Alphabet alphabet = alphabet_of(members.at("input_symbols"));
    const Node transitions = members.at("transitions");
    for (const auto& [state, leaving] : json_members(tape_, transitions, source_, {})) {
      const auto from = states_.find(state);
      if (from == states_.end()) refuse_state(leaving, state);
      for (const auto& [letter, targets] : json_members(tape_, leaving, source_, {})) {
        if (!letter.empty() && !alphabet.find(letter)) {
          refuse(tape_, targets, source_, "expected one of input_symbols, or \"\" for epsilon");
        }
        add_arcs(from->second, letter, targets);
      }
    }
    builder_.set_initial(state_at(members.at("initial_state")));
    for (const Node node : json_elements(tape_, members.at("final_states"), source_)) {
      builder_.set_accepting(state_at(node));
    }
    return std::move(builder_).finish(source_, alphabet);
  }

 private:
  using Node = JsonTape::Node;

  /// The other machines of automata-lib and those of like dictionaries, by keys that only they have.
  void refuse_other_machines() const {
    static constexpr std::array<std::pair<const char*, const char*>, 6> machines = {{
        {"stack_symbols", "a pushdown automaton"},
        {"tape_symbols", "a Turing machine"},
        {"output_alphabet", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"output_symbols", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"output_table", "a Mealy or Moore machine, which has outputs and accepts nothing"},
        {"initial_states", "an automaton of several initial states, which this format lacks"},
    }};
    if (tape_.kind(0) != JsonTape::Kind::object) return;
    const auto members = json_members(tape_, 0, source_, {});
    for (const auto& [key, machine] : machines)
      if (const auto found = members.find(key); found != members.end())
        refuse(tape_, found->second, source_,
               std::string("expected a finite automaton, found ") + machine);
  }

  [[noreturn]] void refuse_state(Node node, const std::string& name) const {
    refuse(tape_, node, source_, "expected one of states, found " + shown(name));
  }

  void add_state(Node node) {
    const std::string name = json_name(tape_, node, source_);
    if (!is_plain_name(name)) {
      refuse(tape_, node, source_, "expected a name of a state without control characters");
    }
    if (!states_.emplace(name, builder_.state(name)).second) {
      refuse(tape_, node, source_, "state " + shown(name) + " occurs twice; expected it once");
    }
  }

  Alphabet alphabet_of(Node node) const {
    std::vector<std::string> names;
    for (const Node element : json_elements(tape_, node, source_)) {
      names.push_back(json_name(tape_, element, source_));
    }
    if (names.empty()) refuse(tape_, node, source_, "expected at least one letter");
    try {
      return Alphabet::of_input(std::move(names));
    } catch (const InputError& error) {
      refuse(tape_, node, source_, error.what());
    }
  }

  State state_at(Node node) const {
    const std::string name = json_name(tape_, node, source_);
    const auto state = states_.find(name);
    if (state == states_.end()) refuse_state(node, name);
    return state->second;
  }

  /// A deterministic automaton has a state there, another one a list of them.
  void add_arcs(State from, const std::string& letter, Node targets) {
    const auto add = [&](Node target) {
      builder_.arc(from, letter.empty() ? std::nullopt : std::optional<std::string>(letter),
                   state_at(target));
    };
    if (tape_.kind(targets) != JsonTape::Kind::array) return add(targets);
    for (const Node target : json_elements(tape_, targets, source_)) add(target);
  }

  const std::string& source_;
  JsonTape tape_;
  AutomatonBuilder builder_;
  std::unordered_map<std::string, State> states_;
};

std::string json_text(const std::string& name) {
  std::string text;
  append_quoted(name, text);
  return text;
}

/// "[x, y]" of texts.
std::string json_list(const std::vector<std::string>& items) {
  return "[" + joined(items) + "]";
}

}  // namespace

Nfa read_automaton_json(const std::string& text, const std::string& source) {
  require_automaton_format(text, source, TextFormat::automaton_dictionary);
  return DictionaryReader(text, source).read();
}

std::string write_automaton_json(const Nfa& given) {
  const Nfa nfa = with_one_initial_state(given);
  std::vector<std::string> states, letters, accepting;
  for (const std::string& name : names_to_write(nfa)) states.push_back(json_text(name));
  for (const std::string& name : nfa.alphabet.names()) letters.push_back(json_text(name));
  for (State q = 0; q < nfa.states(); ++q) {
    if (nfa.accepting[q]) accepting.push_back(states[q]);
  }
  // Epsilon first, then the letters in their order.
  std::vector<std::map<std::optional<Letter>, std::set<State>>> targets(nfa.states());
  bool deterministic = true;
  for (const Nfa::Arc& arc : nfa.arcs) {
    auto& reached = targets[arc.from][arc.letter];
    reached.insert(arc.to);
    deterministic = deterministic && arc.letter && reached.size() == 1;
  }
  std::vector<std::string> rows;
  bool partial = false;
  for (State q = 0; q < nfa.states(); ++q) {
    std::string row;
    for (const auto& [letter, reached] : targets[q]) {
      std::vector<std::string> names;
      for (const State target : reached) names.push_back(states[target]);
      row += (row.empty() ? "" : ", ") + (letter ? letters[*letter] : "\"\"") + ": " +
             (deterministic ? names.front() : json_list(names));
    }
    rows.push_back("  " + states[q] + ": {" + row + "}");
    partial = partial || targets[q].size() < letters.size();
  }
  std::string text = "{\n \"states\": " + json_list(states) +
                     ",\n \"input_symbols\": " + json_list(letters) + ",\n \"transitions\": {\n";
  for (const std::string& row : rows) text += row + (&row == &rows.back() ? "\n" : ",\n");
  text += " },\n \"initial_state\": " + states[nfa.initial.front()] +
          ",\n \"final_states\": " + json_list(accepting);
  if (deterministic && partial) text += ",\n \"allow_partial\": true";
  return text + "\n}\n";
}

namespace {

/// As Python's repr has a string.
std::string python_text(std::string_view text) {
  const bool double_quotes =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char mark = double_quotes ? '"' : '\'';
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + mark;
}

/// A name, or a list of names, which networkx writes for a tuple and which is called as Python calls
/// it: (0, 'a').
std::string node_name(const JsonTape& tape, JsonTape::Node node, const std::string& source) {
  if (tape.kind(node) != JsonTape::Kind::array) return json_name(tape, node, source);
  std::string name;
  std::size_t elements = 0;
  for (const auto element : json_elements(tape, node, source)) {
    name += elements++ == 0 ? "(" : ", ";
    name += tape.kind(element) == JsonTape::Kind::string ? python_text(tape.text(element))
                                                         : node_name(tape, element, source);
  }
  if (elements == 0) return "()";
  return name + (elements == 1 ? ",)" : ")");
}

}  // namespace

/// Of a graph or an edge; absent where it says nothing.
std::optional<bool> direction(const JsonTape& tape,
                              const std::map<std::string, JsonTape::Node>& members,
                              const std::string& source) {
  const auto directed = members.find("directed");
  if (directed == members.end()) return std::nullopt;
  if (tape.kind(directed->second) != JsonTape::Kind::boolean)
    refuse(tape, directed->second, source, "expected true or false");
  return tape.boolean(directed->second);
}

/// The nodes and edges of other libraries, by the keys that these have and lack.
void refuse_other_graphs(const JsonTape& tape, JsonTape::Node node, const std::string& source) {
  const auto members = json_members(tape, node, source, {});
  const auto found = [&](const std::string& writer) {
    refuse(tape, node, source, "expected node-link JSON of networkx, found " + writer);
  };
  if (members.contains("id") || members.contains("source") || members.contains("target")) return;
  if (members.contains("from") && members.contains("to"))
    found("an edge of vis.js, which has 'from' and 'to' for source and target");
  if (members.contains("key")) found("a node of graphology, which has a 'key' for an id");
  if (members.contains("name"))
    found("a node without an id, as D3 reads it, where the ends of edges are positions of nodes");
}

/// What networkx's node_link_data gives; before version 3.4 it called the edges links.
Graph read_node_link(const std::string& text, const std::string& source) {
  const JsonTape tape = JsonTape::parse(text, source);
  const auto members = json_members(tape, 0, source, {"nodes"});
  const auto directed = direction(tape, members, source);
  Graph graph;
  bool in_order = true, numbers = true;  // ids 0, 1, ..., so far, and in any order
  const auto nodes = json_elements(tape, members.at("nodes"), source);
  for (const auto node : nodes) {
    refuse_other_graphs(tape, node, source);
    const auto id = json_members(tape, node, source, {"id"}).at("id");
    const std::string name = node_name(tape, id, source);
    in_order = in_order && name == std::to_string(graph.size());
    numbers = numbers && tape.kind(id) == JsonTape::Kind::integer && tape.integer(id) >= 0 &&
              static_cast<std::size_t>(tape.integer(id)) < nodes.size();
    if (graph.vertex(name)) {
      refuse(tape, id, source, "node " + shown(name) + " occurs twice; expected distinct ids");
    }
    add_named_vertex(graph, name, source, [&](const std::string& sentence) {
      throw InputError(source, tape.line(id), sentence);
    });
  }
  if (members.contains("links") && members.contains("edges"))
    refuse(tape, members.at("edges"), source, "expected edges or links, found both");
  const auto edges = members.contains("links") ? members.find("links") : members.find("edges");
  if (edges == members.end()) refuse(tape, 0, source, "expected a key \"edges\" or \"links\"");
  for (const auto edge : json_elements(tape, edges->second, source)) {
    refuse_other_graphs(tape, edge, source);
    const auto ends = json_members(tape, edge, source, {"source", "target"});
    const auto vertex = [&](const char* end) {
      const std::string name = node_name(tape, ends.at(end), source);
      const auto known = graph.vertex(name);
      if (!known)
        refuse(tape, ends.at(end), source, "expected the id of a node, found " + shown(name));
      return *known;
    };
    const Vertex from = vertex("source"), to = vertex("target");
    graph.add_edge(from, to);
    if (!direction(tape, ends, source).value_or(directed.value_or(false))) graph.add_edge(to, from);
  }
  if (numbers && !in_order && graph.edge_count() > 0)
    graph.notes.push_back(source +
                          ": the ends of edges are read as ids of nodes; networkx 1 and D3 "
                          "write positions in the list of nodes");
  return graph;
}

std::string write_node_link(const Graph& graph) {
  std::string nodes, edges;
  const auto quoted = [&](Vertex vertex) { return json_text(graph.names()[vertex]); };
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    nodes += (nodes.empty() ? "\n" : ",\n") + ("  {\"id\": " + quoted(vertex) + "}");
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    edges += (edges.empty() ? "\n" : ",\n") +
             ("  {\"source\": " + quoted(from) + ", \"target\": " + quoted(to) + "}");
  });
  return "{\n \"directed\": true,\n \"multigraph\": false,\n \"graph\": {},\n \"nodes\": [" +
         nodes + "\n ],\n \"edges\": [" + edges + (edges.empty() ? "" : "\n ") + "]\n}\n";
}

}}  // namespace logdepth::objects
