#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <cstdlib>
#include <exception>
#include <set>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/automaton_writer.hpp"
#include "objects/dot_outline.hpp"

namespace logdepth::inline objects {

namespace {

struct StateNode {
  std::string name, shape, style, accepting, initial, peripheries;
};
struct ArrowLabel {
  std::string label;
};
// Edges in vectors, not sets: an automaton has several edges between the same two states.
using StateGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, StateNode, ArrowLabel>;

/// The sentence of Boost's error for the text, empty when it parses.
std::string parse_states(const std::string& text, StateGraph& graph) {
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&StateNode::name, graph));
  properties.property("shape", boost::get(&StateNode::shape, graph));
  properties.property("style", boost::get(&StateNode::style, graph));
  properties.property("accepting", boost::get(&StateNode::accepting, graph));
  properties.property("initial", boost::get(&StateNode::initial, graph));
  properties.property("peripheries", boost::get(&StateNode::peripheries, graph));
  properties.property("label", boost::get(&ArrowLabel::label, graph));
  try {
    boost::read_graphviz(text, graph, properties, "node_id");
  } catch (const boost::undirected_graph_error&) {
    return "expected 'digraph', found an undirected graph";
  } catch (const std::exception& error) {  // also what its regular expressions throw
    return error.what();
  }
  return "";
}

/// The letters of an edge label, absent for epsilon: separated by commas, `\,` is the comma itself,
/// and an escaped name is never epsilon.
std::vector<std::optional<std::string>> letters_of(const std::string& label,
                                                   const std::string& where) {
  std::vector<std::optional<std::string>> letters;
  std::string item;
  bool escaped = false;
  const auto flush = [&](bool only) {
    const std::size_t begin = item.find_first_not_of(" \t\n\r");
    const std::size_t end = item.find_last_not_of(" \t\n\r");
    item = begin == std::string::npos ? "" : item.substr(begin, end - begin + 1);
    if (item.empty() && !only) {
      throw InputError(where + ": expected letters separated by commas, found " + in_quotes(label) +
                       "; write \\, for the letter comma");
    }
    const bool epsilon =
        item.empty() || (!escaped && (item == "eps" || item == "<eps>" || item == "\xCE\xB5"));
    letters.push_back(epsilon ? std::nullopt : std::optional<std::string>(item));
    item.clear();
    escaped = false;
  };
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] == '\\' && i + 1 < label.size()) {
      const char character = label[++i];
      const bool line_break = character == 'n' || character == 'l' || character == 'r';
      item += line_break ? ' ' : character;
      escaped = escaped || !line_break;
    } else if (label[i] == ',') {
      flush(false);
    } else {
      item += label[i];
    }
  }
  flush(letters.empty());
  return letters;
}

/// What drawings call the invisible node that points at the initial state: start, __start0, qi, ...
bool is_name_of_start(std::string name) {
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  while (!name.empty() &&
         (name.back() == '_' || std::isdigit(static_cast<unsigned char>(name.back())) != 0)) {
    name.pop_back();
  }
  return name == "start" || name == "init" || name == "initial" || name == "qi";
}

class DotReader {
 public:
  DotReader(const StateGraph& graph, const std::string& source) : graph_(graph), source_(source) {}

  Nfa read() {
    for (const auto vertex : boost::make_iterator_range(boost::vertices(graph_))) {
      markers_.push_back(is_marker(vertex));
      if (markers_.back()) continue;
      const StateNode& node = graph_[vertex];
      const State state = builder_.state(node.name);
      if (is_true(node.initial, vertex, "initial")) builder_.set_initial(state);
      const bool accepting = node.accepting.empty()
                                 ? node.shape == "doublecircle" || node.peripheries == "2"
                                 : is_true(node.accepting, vertex, "accepting");
      if (accepting) builder_.set_accepting(state);
    }
    for (const auto edge : boost::make_iterator_range(boost::edges(graph_))) read_edge(edge);
    if (!builder_.has_initial()) {
      throw InputError(source_ +
                       ": expected an initial state: the target of an edge without letters from a "
                       "node of shape point, or a node with initial=true");
    }
    return std::move(builder_).finish(source_);
  }

 private:
  using Vertex = StateGraph::vertex_descriptor;
  using Edge = StateGraph::edge_descriptor;

  bool is_true(const std::string& value, Vertex vertex, const char* attribute) const {
    if (value.empty() || value == "false" || value == "0") return false;
    if (value == "true" || value == "1") return true;
    throw InputError(source_ + ": expected true or false for " + attribute + " of node " +
                     in_quotes(graph_[vertex].name) + ", found " + in_quotes(value));
  }

  /// The invisible node that points at the initial state: by its shape or name, and because no
  /// letter leads out of it and nothing leads into it.
  bool is_marker(Vertex vertex) const {
    const StateNode& node = graph_[vertex];
    const bool by_shape = node.shape == "point" || node.shape == "none" ||
                          node.shape == "plaintext" || node.shape == "plain" ||
                          node.style == "invis";
    const bool by_name = is_name_of_start(node.name);
    if (!by_shape && !by_name) return false;
    if (!by_shape &&
        (!node.initial.empty() || !node.accepting.empty() || node.shape == "doublecircle")) {
      return false;
    }
    if (boost::in_degree(vertex, graph_) > 0) return false;
    const auto leaving = boost::make_iterator_range(boost::out_edges(vertex, graph_));
    if (!by_shape && leaving.empty()) return false;
    return std::all_of(leaving.begin(), leaving.end(), [&](Edge edge) {
      const std::string& label = graph_[edge].label;
      return label.empty() || label == "start" || label == "init" || label == "initial";
    });
  }

  void read_edge(Edge edge) {
    const Vertex from = boost::source(edge, graph_);
    const State to = builder_.state(graph_[boost::target(edge, graph_)].name);
    if (markers_[from]) {
      builder_.set_initial(to);
      return;
    }
    const std::string& name = graph_[from].name;
    const std::string where = source_ + ": edge from " + in_quotes(name) + " to " +
                              in_quotes(graph_[boost::target(edge, graph_)].name);
    for (auto& letter : letters_of(graph_[edge].label, where)) {
      builder_.arc(builder_.state(name), std::move(letter), to);
    }
  }

  const StateGraph& graph_;
  const std::string& source_;
  std::vector<bool> markers_;
  AutomatonBuilder builder_;
};

/// The letter as an item of a quoted label: commas, backslashes and quotes escaped, and a first
/// backslash where the bare name would be epsilon. DOT itself only undoes `\"`.
std::string label_item(const std::string& name) {
  std::string item = name == "eps" || name == "<eps>" || name == "\xCE\xB5" ? "\\" : "";
  for (const char character : name) {
    if (character == ',' || character == '\\') item += '\\';
    if (character == '"') item += '\\';
    item += character;
  }
  return item;
}

}  // namespace

Nfa read_dot(const std::string& text, const std::string& source) {
  check_dot_outline(text, source, StrictGraphs::refused);
  StateGraph graph;
  const std::string error = parse_states(text, graph);
  if (!error.empty()) {
    const std::size_t line = line_of_dot_error(text, [](const std::string& beginning) {
      StateGraph ignored;
      return parse_states(beginning, ignored);
    });
    throw InputError(source, line, "expected a DOT digraph: " + printable(error, 120));
  }
  return DotReader(graph, source).read();
}

std::string write_dot(const Nfa& given) {
  const Nfa nfa =
      with_every_letter_on_an_arc(given.initial.empty() ? with_one_initial_state(given) : given);
  const std::vector<std::string> names = names_to_write(nfa);
  std::string start = "__start";
  while (std::find(names.begin(), names.end(), start) != names.end()) start += '_';
  std::string text = "digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n";
  text += fmt::format("  {} [shape=point];\n", start);
  for (State q = 0; q < nfa.states(); ++q) {
    // A state could be called as what points at the initial one is.
    const char* attributes = nfa.accepting[q]             ? " [shape=doublecircle]"
                             : is_name_of_start(names[q]) ? " [accepting=false]"
                                                          : "";
    text += fmt::format("  {}{};\n", dot_name(names[q]), attributes);
  }
  for (const State q : std::set<State>(nfa.initial.begin(), nfa.initial.end())) {
    text += fmt::format("  {} -> {};\n", start, dot_name(names[q]));
  }
  std::vector<std::vector<std::pair<State, std::string>>> labels(nfa.states());  // one per target
  for (const Nfa::Arc& arc : nfa.arcs) {
    auto& leaving = labels[arc.from];
    const auto known = std::find_if(leaving.begin(), leaving.end(),
                                    [&](const auto& label) { return label.first == arc.to; });
    const std::string item = arc.letter ? label_item(nfa.alphabet.name(*arc.letter)) : "eps";
    if (known == leaving.end()) {
      leaving.emplace_back(arc.to, item);
    } else {
      known->second += "," + item;
    }
  }
  for (State q = 0; q < nfa.states(); ++q) {
    for (const auto& [target, label] : labels[q]) {
      text += fmt::format("  {} -> {} [label=\"{}\"];\n", dot_name(names[q]),
                          dot_name(names[target]), label);
    }
  }
  return text + "}\n";
}

}  // namespace logdepth::inline objects
