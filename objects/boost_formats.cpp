#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <exception>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/dot_outline.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

struct StateNode {
  std::string name, shape, style, accepting, initial, peripheries, is_final, is_start, label;
};
/// Of an edge without a label.
constexpr const char* kNoLabel = "\x01";

struct ArrowLabel {
  std::string label = kNoLabel;
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
  properties.property("is_final", boost::get(&StateNode::is_final, graph));
  properties.property("is_start", boost::get(&StateNode::is_start, graph));
  properties.property("label", boost::get(&StateNode::label, graph));
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

/// An item of an edge label.
struct LabelItem {
  std::string text;
  bool escaped = false;  ///< some character: it is a letter, whatever it looks like
};

/// Whether every bracket is closed, and by its own kind.
bool is_balanced(const std::string& text) {
  std::string closing;
  for (const char c : text) {
    const std::size_t open = std::string_view("([{").find(c);
    if (open != std::string_view::npos) {
      closing += ")]}"[open];
    } else if (std::string_view(")]}").find(c) != std::string_view::npos) {
      if (closing.empty() || closing.back() != c) return false;
      closing.pop_back();
    }
  }
  return closing.empty();
}

/// The parts of an edge label between commas. `\,` is the comma itself, and a comma inside brackets
/// that follow a name, as in SYN(V,0), parts nothing. A label of blanks is one empty item.
std::vector<LabelItem> items_of(const std::string& label) {
  std::vector<LabelItem> items;
  LabelItem item;
  std::string closing;  // of the brackets that are open
  const auto flush = [&](bool only) {
    const std::size_t begin = item.text.find_first_not_of(" \t\n\r");
    const std::size_t end = item.text.find_last_not_of(" \t\n\r");
    item.text = begin == std::string::npos ? "" : item.text.substr(begin, end - begin + 1);
    if (item.text.empty() && !only) {
      throw InputError("expected letters separated by commas, found " + in_quotes(label) +
                       "; write \\, for the letter comma");
    }
    items.push_back(std::exchange(item, {}));
    closing.clear();
  };
  for (std::size_t i = 0; i < label.size(); ++i) {
    const std::size_t bracket = std::string_view("([{").find(label[i]);
    if (label[i] == '\\' && i + 1 < label.size()) {
      const char character = label[++i];
      const bool line_break = character == 'n' || character == 'l' || character == 'r';
      item.text += line_break ? ' ' : character;
      item.escaped = item.escaped || !line_break;
    } else if (const auto [character, length] = entity_at(std::string_view(label).substr(i), true);
               length > 0) {
      item.text += utf8_encode(character);
      i += length - 1;
    } else if (label[i] == ',' && closing.empty()) {
      flush(false);
    } else {
      if (bracket != std::string_view::npos) {
        const char end = ")]}"[bracket];
        const bool after_name = !item.text.empty() && item.text.back() != ' ';
        if ((after_name || !closing.empty()) && label.find(end, i) != std::string::npos)
          closing += end;
      } else if (!closing.empty() && label[i] == closing.back()) {
        closing.pop_back();
      }
      item.text += label[i];
    }
  }
  flush(items.empty());
  for (const LabelItem& part : items)
    if (items.size() > 1 && part.text.size() > 1 && !part.escaped && !is_balanced(part.text))
      throw InputError("expected letters separated by commas, found a comma inside brackets in " +
                       in_quotes(label) + "; write \\, for the letter comma");
  return items;
}

bool is_plain_epsilon(const LabelItem& item) {
  return item.text.empty() || (!item.escaped && (item.text == "eps" || item.text == "\xCE\xB5" ||
                                                 is_epsilon_symbol(item.text)));
}

/// Whether a label is written for several letters, or for less than it says: [a-z], x-z, 98..., other.
bool is_shorthand(std::string_view text) {
  const std::size_t first = utf8_length(text);
  const bool range = text.size() > first + 1 && text[first] == '-' &&
                     utf8_length(text.substr(first + 1)) == text.size() - first - 1;
  const bool brackets = text.size() > 2 && text.front() == '[' && text.back() == ']';
  return range || brackets || (text.size() > 3 && text.ends_with("...")) || text == "other" ||
         text == "else" || text == "otherwise";
}

/// What drawings call the invisible node that points at the initial state: start, __start0, qi, ...
bool is_name_of_start(std::string name) {
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  while (!name.empty() &&
         (name.back() == '_' || std::isdigit(static_cast<unsigned char>(name.back())) != 0)) {
    name.pop_back();
  }
  return name == "start" || name == "init" || name == "initial" || name == "qi" ||
         name == "starting";
}

/// Whether the graph is called FST, as fstdraw calls it.
bool is_of_fstdraw(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || !text.substr(begin).starts_with("digraph")) return false;
  const std::size_t brace = text.find('{', begin);
  if (brace == std::string::npos) return false;
  const auto words = fields_of(std::string_view(text).substr(begin, brace - begin));
  return words.size() == 2 && words[1] == "FST";
}

bool is_slash_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

class DotReader {
 public:
  DotReader(const StateGraph& graph, const std::string& text, const std::string& source)
      : graph_(graph), text_(text), source_(source), fstdraw_(is_of_fstdraw(text)) {}

  Nfa read() {
    for (const auto vertex : boost::make_iterator_range(boost::vertices(graph_))) {
      markers_.push_back(is_marker(vertex));
      if (markers_.back()) continue;
      const StateNode& node = graph_[vertex];
      const State state = builder_.state(node.name);
      const bool bold = fstdraw_ && node.style == "bold";
      if (bold || is_true(node.initial, vertex, "initial") ||
          is_true(node.is_start, vertex, "is_start"))
        builder_.set_initial(state);
      const bool drawn = node.shape == "doublecircle" || node.peripheries == "2";
      const bool accepting = !node.accepting.empty()  ? is_true(node.accepting, vertex, "accepting")
                             : !node.is_final.empty() ? is_true(node.is_final, vertex, "is_final")
                                                      : drawn;
      if (accepting) builder_.set_accepting(state);
      const std::size_t bar = node.label.find_first_of("/|");
      moore_ = moore_ && bar != std::string::npos && bar > 0 && bar + 1 < node.label.size();
    }
    for (const auto edge : boost::make_iterator_range(boost::edges(graph_))) read_edge(edge);
    if (!builder_.has_initial()) {
      throw InputError(source_ +
                       ": expected an initial state: the target of an edge without letters from a "
                       "node of shape point, or a node with initial=true");
    }
    if (!builder_.has_accepting()) guess_machine();
    return std::move(builder_).finish(source_);
  }

 private:
  using Vertex = StateGraph::vertex_descriptor;
  using Edge = StateGraph::edge_descriptor;

  /// At the first place where the text stands; `where` if it is written in another way.
  [[noreturn]] void refuse(const std::string& where, const std::string& wanted,
                           const std::string& sentence) const {
    const auto at = place_of_dot_text(text_, source_, wanted);
    if (!at) throw InputError(where + ": " + sentence);
    throw error_at(text_, source_, *at, sentence);
  }

  bool is_true(const std::string& written, Vertex vertex, const char* attribute) const {
    const std::string value = lower_case(written);  // Python writes True, False and None
    if (value.empty() || value == "false" || value == "0") return false;
    if (value == "true" || value == "1") return true;
    refuse(source_, written,
           std::string("expected true or false for ") + attribute + " of node " +
               in_quotes(graph_[vertex].name) + ", found " + in_quotes(written));
  }

  /// The invisible node that points at the initial state: by its shape or name, and because no
  /// letter leads out of it and nothing leads into it.
  bool is_marker(Vertex vertex) const {
    const StateNode& node = graph_[vertex];
    const std::string shape = lower_case(node.shape);
    const bool by_shape = shape == "point" || shape == "none" || shape == "plaintext" ||
                          shape == "plain" || node.style == "invis";
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
      return label.empty() || label == kNoLabel || label == "start" || label == "init" ||
             label == "initial";
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
    std::vector<LabelItem> items;
    const bool labelled = graph_[edge].label != kNoLabel;
    if (!labelled)
      builder_.note(source_ +
                    ": an edge without a label is read as epsilon; of its attributes label "
                    "alone is read");
    try {
      items = items_of(labelled ? graph_[edge].label : "");
    } catch (const InputError& error) {
      refuse(where, graph_[edge].label, error.what());
    }
    for (const LabelItem& item : items) {
      std::optional<std::string> letter =
          fstdraw_ ? letter_of_fstdraw(item, where) : letter_of(item, where);
      builder_.arc(builder_.state(name), std::move(letter), to);
    }
  }

  /// Absent for epsilon.
  std::optional<std::string> letter_of(const LabelItem& item, const std::string& where) {
    if (is_plain_epsilon(item)) return std::nullopt;
    if (!item.escaped && is_epsilon_word(item.text)) {
      builder_.note(source_ + ": the label " + in_quotes(item.text) +
                    " is read as epsilon; with a backslash before it, it is a letter");
      return std::nullopt;
    }
    const auto special = item.escaped ? std::nullopt : special_symbol(item.text);
    if (special) {
      refuse(where, item.text,
             "expected a letter, found " + in_quotes(item.text) + ", a symbol for " + *special);
    }
    try {
      (void)Alphabet::of_input({item.text});
    } catch (const InputError& error) {
      // LearnLib writes 'input / output' of a Mealy machine.
      const std::string sentence =
          item.text.find(" / ") == std::string::npos
              ? error.what()
              : "expected a letter, found " + in_quotes(item.text) +
                    ", an input and an output as a Mealy machine has, which accepts nothing";
      refuse(where, item.text, sentence);
    }
    const std::size_t bar = item.escaped ? std::string::npos : item.text.find_first_of("|;");
    if (bar != std::string::npos && bar > 0 && bar + 1 < item.text.size())
      builder_.note(source_ + ": the label " + in_quotes(item.text) +
                    " is read as one letter; commas separate letters");
    if (!item.escaped && is_shorthand(item.text))
      builder_.note(source_ + ": the label " + in_quotes(item.text) +
                    " is read as one letter; ranges, cut labels and 'other' are not expanded");
    mealy_ = mealy_ && item.text.find('/') != std::string::npos;
    const std::size_t colon = item.text.rfind(':');
    stochastic_ = stochastic_ && is_slash_number(item.text.substr(colon + 1)) &&
                  (colon != std::string::npos || item.text.find('.') != std::string::npos);
    return item.text;
  }

  /// 'a:a/0.5' or, of an acceptor, 'a/0.5'.
  std::optional<std::string> letter_of_fstdraw(LabelItem item, const std::string& where) {
    const std::size_t slash = item.text.rfind('/');
    if (slash != std::string::npos && slash > 0 && is_slash_number(item.text.substr(slash + 1))) {
      item.text.resize(slash);
      builder_.note(source_ +
                    ": the weights are not used: a word is accepted if some path spells it");
    }
    const std::size_t middle = item.text.size() / 2;
    if (item.text.size() % 2 == 1 && item.text.size() > 2 && item.text[middle] == ':' &&
        item.text.compare(0, middle, item.text, middle + 1) == 0) {
      item.text.resize(middle);
    } else if (item.text.size() > 1 && item.text.find(':') != std::string::npos) {
      refuse(where, item.text,
             "expected an acceptor, of equal labels on both sides of ':', found " +
                 in_quotes(item.text) + ", as a transducer has");
    }
    return letter_of(item, where);
  }

  /// No state accepts: what the labels look like.
  void guess_machine() {
    if (mealy_)
      builder_.looks_like("its labels have the form a/b: a Mealy machine?");
    else if (moore_)
      builder_.looks_like("its states are labelled with outputs: a Moore machine?");
    else if (stochastic_)
      builder_.looks_like("its labels have probabilities: a stochastic machine?");
  }

  const StateGraph& graph_;
  const std::string& text_;
  const std::string& source_;
  bool fstdraw_;
  bool mealy_ = true, moore_ = true, stochastic_ = true;  ///< of what was read so far
  std::vector<bool> markers_;
  AutomatonBuilder builder_;
};

/// The letter as an item of a quoted label: commas, backslashes, quotes and brackets escaped, and a
/// first backslash where the bare name would not be a letter. DOT itself only undoes `\"`.
std::string label_item(const std::string& name) {
  const bool bare =
      !is_plain_epsilon({name, false}) && !is_epsilon_word(name) && !special_symbol(name);
  std::string item = bare ? "" : "\\";
  for (const char character : name) {
    if (std::string_view(",;|\\()[]{}").find(character) != std::string_view::npos) item += '\\';
    if (character == '"') item += '\\';
    item += character;
  }
  return item;
}

}  // namespace

Nfa read_dot(const std::string& file, const std::string& source) {
  require_automaton_format(file, source, TextFormat::dot);
  check_dot_outline(file, source, StrictGraphs::refused);
  const std::string text = plain_dot(file, source);
  StateGraph graph;
  const std::string error = parse_states(text, graph);
  if (!error.empty()) {
    throw dot_error(text, file, source, "expected a DOT digraph", error,
                    [](const std::string& beginning) {
                      StateGraph ignored;
                      return parse_states(beginning, ignored);
                    });
  }
  return DotReader(graph, file, source).read();
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

namespace {

struct VertexNode {
  std::string name;
};
template <typename Direction>
using VertexGraph = boost::adjacency_list<boost::vecS, boost::vecS, Direction, VertexNode>;

struct Parsed {
  std::string error;             ///< Boost's sentence, empty when the text parses
  bool other_direction = false;  ///< the text is a `graph` where a `digraph` is read, or vice versa
};

template <typename Direction>
Parsed parse_vertices(const std::string& text, VertexGraph<Direction>& graph) {
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&VertexNode::name, graph));
  try {
    boost::read_graphviz(text, graph, properties, "node_id");
  } catch (const boost::undirected_graph_error&) {
    return {"expected 'digraph'", true};
  } catch (const boost::directed_graph_error&) {
    return {"expected 'graph'", true};
  } catch (const std::exception& error) {  // also what its regular expressions throw
    return {error.what()};
  }
  return {};
}

/// Shorter numbers first, so that numbers are in order of value; other names in byte order.
bool is_before(const std::string& left, const std::string& right) {
  const auto key = [](const std::string& name) {
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    return std::make_tuple(!is_number, is_number ? name.size() : 0, std::string_view(name));
  };
  return key(left) < key(right);
}

template <typename Direction>
Graph to_graph(const VertexGraph<Direction>& parsed, const std::string& file,
               const std::string& source) {
  std::vector<std::string> names;
  for (const auto vertex : boost::make_iterator_range(boost::vertices(parsed))) {
    names.push_back(parsed[vertex].name);
  }
  std::sort(names.begin(), names.end(), is_before);
  Graph graph;
  for (const std::string& name : names)
    add_named_vertex(graph, name, source, [&](const std::string& sentence) {
      const auto at = place_of_dot_text(file, source, name.empty() ? "\"\"" : name);
      if (!at) throw InputError(source + ": " + sentence);
      throw error_at(file, source, *at, sentence);
    });
  for (const auto edge : boost::make_iterator_range(boost::edges(parsed))) {
    graph.add_edge(*graph.vertex(parsed[boost::source(edge, parsed)].name),
                   *graph.vertex(parsed[boost::target(edge, parsed)].name));
  }
  return graph;
}

/// Absent when the text is of the other direction; Boost finds that before other errors.
template <typename Direction>
std::optional<Graph> read_as(const std::string& text, const std::string& file,
                             const std::string& source) {
  VertexGraph<Direction> graph;
  const Parsed parsed = parse_vertices(text, graph);
  if (parsed.error.empty()) return to_graph(graph, file, source);
  if (parsed.other_direction) return std::nullopt;
  throw dot_error(text, file, source, "expected a DOT graph", parsed.error,
                  [](const std::string& beginning) {
                    VertexGraph<Direction> ignored;
                    return parse_vertices(beginning, ignored).error;
                  });
}

}  // namespace

Graph read_dot_graph(const std::string& file, const std::string& source) {
  check_dot_outline(file, source, StrictGraphs::read);
  const std::string text = without_attributes(plain_dot(file, source), source);
  if (auto directed = read_as<boost::directedS>(text, file, source)) return std::move(*directed);
  auto undirected = read_as<boost::undirectedS>(text, file, source);
  if (!undirected) throw InputError(source + ": expected 'graph' or 'digraph'");
  undirected->make_undirected();
  return std::move(*undirected);
}

std::string write_dot_graph(const Graph& graph) {
  std::string text = "digraph {\n";
  for (const std::string& name : graph.names()) text += "  " + dot_name(name) + ";\n";
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    text += "  " + dot_name(graph.names()[from]) + " -> " + dot_name(graph.names()[to]) + ";\n";
  });
  return text + "}\n";
}

}}  // namespace logdepth::objects
