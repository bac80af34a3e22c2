#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <cstdlib>
#include <exception>
#include <utility>

#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/input_error.hpp"
#include "objects/utf8.hpp"

namespace logdepth {

namespace {

struct DotNode {
  std::string name, shape, style, accepting, initial, peripheries;
};
struct DotEdge {
  std::string label;
};
// Edges in vectors, not sets: an automaton has several edges between the same two states.
using DotGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, DotNode, DotEdge>;

/// Refuses what the DOT parser of Boost would crash on or silently misread: it recurses on braces,
/// cannot read HTML strings, and drops the parallel edges of a `strict` graph.
void check_outline(const std::string& text, const std::string& source) {
  constexpr std::size_t max_nesting = 100;
  std::size_t line = 1;
  std::size_t nesting = 0;
  std::string first_word;
  const auto skip_to = [&](std::size_t& i, std::string_view end) {
    const std::size_t found = text.find(end, i);
    const std::size_t stop = found == std::string::npos ? text.size() : found;
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                text.begin() + static_cast<std::ptrdiff_t>(stop),
                                                '\n'));
    i = stop == text.size() ? stop : stop + end.size() - 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (character == '\n') {
      ++line;
    } else if (character == '"') {
      const std::size_t opened = line;
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        if (text[i] == '\n') ++line;
      }
      if (i >= text.size()) throw InputError(source, opened, "expected '\"' to end the string");
    } else if (character == '/' && text.compare(i, 2, "/*") == 0) {
      i += 2;
      skip_to(i, "*/");
    } else if (character == '#' || (character == '/' && text.compare(i, 2, "//") == 0)) {
      skip_to(i, "\n");
      if (i < text.size()) ++line;
    } else if (character == '<') {
      throw InputError(source, line, "expected a quoted string, HTML strings are not read");
    } else if (character == '{' && ++nesting > max_nesting) {
      throw InputError(source, line,
                       "expected braces nested at most " + std::to_string(max_nesting) + " deep");
    } else if (character == '}' && nesting > 0) {
      --nesting;
    }
    if (nesting == 0 && std::isalpha(static_cast<unsigned char>(character)) != 0 &&
        first_word.size() < 6) {
      first_word += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
      if (first_word == "strict") {
        throw InputError(source, line,
                         "expected 'digraph' without 'strict', which merges parallel edges");
      }
    }
  }
}

/// The sentence of Boost's error for the text, empty when it parses.
std::string parse(const std::string& text, DotGraph& graph) {
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&DotNode::name, graph));
  properties.property("shape", boost::get(&DotNode::shape, graph));
  properties.property("style", boost::get(&DotNode::style, graph));
  properties.property("accepting", boost::get(&DotNode::accepting, graph));
  properties.property("initial", boost::get(&DotNode::initial, graph));
  properties.property("peripheries", boost::get(&DotNode::peripheries, graph));
  properties.property("label", boost::get(&DotEdge::label, graph));
  try {
    boost::read_graphviz(text, graph, properties, "node_id");
  } catch (const boost::undirected_graph_error&) {
    return "expected 'digraph', got an undirected graph";
  } catch (const std::exception& error) {  // also what its regular expressions throw
    return error.what();
  }
  return "";
}

bool ends_early(const std::string& error) {
  return error.find("<eof>") != std::string::npos ||
         error.find("end of input") != std::string::npos;
}

/// Boost's errors have no line. The line of an error is the first one whose end already shows it:
/// text cut before it fails only because it ends early.
std::size_t line_of_error(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || i + 1 == text.size()) ends.push_back(i + 1);
  }
  if (ends.empty()) return 1;
  std::size_t low = 0;
  std::size_t high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    DotGraph ignored;
    const std::string error = parse(text.substr(0, ends[middle]), ignored);
    if (error.empty() || ends_early(error)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low + 1;
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
      throw InputError(where + ": expected letters separated by commas, got " + in_quotes(label) +
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

class DotReader {
 public:
  DotReader(const DotGraph& graph, const std::string& source) : graph_(graph), source_(source) {}

  Nfa read() {
    for (const auto vertex : boost::make_iterator_range(boost::vertices(graph_))) {
      markers_.push_back(is_marker(vertex));
      if (markers_.back()) continue;
      const DotNode& node = graph_[vertex];
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
  using Vertex = DotGraph::vertex_descriptor;
  using Edge = DotGraph::edge_descriptor;

  bool is_true(const std::string& value, Vertex vertex, const char* attribute) const {
    if (value.empty() || value == "false" || value == "0") return false;
    if (value == "true" || value == "1") return true;
    throw InputError(source_ + ": expected true or false for " + attribute + " of node " +
                     in_quotes(graph_[vertex].name) + ", got " + in_quotes(value));
  }

  /// The invisible node that points at the initial state: by its shape or name, and because no
  /// letter leads out of it and nothing leads into it.
  bool is_marker(Vertex vertex) const {
    const DotNode& node = graph_[vertex];
    const bool by_shape = node.shape == "point" || node.shape == "none" ||
                          node.shape == "plaintext" || node.shape == "plain" ||
                          node.style == "invis";
    std::string name = node.name;
    while (!name.empty() && name.front() == '_') name.erase(0, 1);
    while (!name.empty() &&
           (name.back() == '_' || std::isdigit(static_cast<unsigned char>(name.back())) != 0)) {
      name.pop_back();
    }
    const bool by_name = name == "start" || name == "init" || name == "initial" || name == "qi";
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

  const DotGraph& graph_;
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
  check_outline(text, source);
  DotGraph graph;
  const std::string error = parse(text, graph);
  if (!error.empty()) {
    throw InputError(source, line_of_error(text),
                     "expected a DOT digraph: " + printable(error, 120));
  }
  return DotReader(graph, source).read();
}

std::string write_dot(const Dfa& dfa) {
  std::string text = "digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n";
  text += "  __start [shape=point];\n";
  for (State q = 0; q < dfa.states(); ++q) {
    text += "  q" + std::to_string(q) + (dfa.accepting[q] ? " [shape=doublecircle];\n" : ";\n");
  }
  text += "  __start -> q" + std::to_string(dfa.initial) + ";\n";
  for (State q = 0; q < dfa.states(); ++q) {
    std::vector<std::pair<State, std::string>> labels;  // one edge per target
    for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
      const State target = dfa.step(q, letter);
      const auto known = std::find_if(labels.begin(), labels.end(),
                                      [&](const auto& label) { return label.first == target; });
      const std::string item = label_item(dfa.alphabet.name(letter));
      if (known == labels.end()) {
        labels.emplace_back(target, item);
      } else {
        known->second += "," + item;
      }
    }
    for (const auto& [target, label] : labels) {
      text += "  q" + std::to_string(q) + " -> q" + std::to_string(target) + " [label=\"" + label +
              "\"];\n";
    }
  }
  return text + "}\n";
}

}  // namespace logdepth
