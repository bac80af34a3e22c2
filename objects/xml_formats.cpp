#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "objects/regex.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// Of a file: its tree takes up to twenty times as much memory.
constexpr std::size_t kMostXml = std::size_t{1} << 26;

/// What the declaration says, as it is written; empty without it.
std::string declared_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return "";
  const std::string_view declaration = text.substr(0, text.find("?>"));
  std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return "";
  at = declaration.find_first_of("\"'", at);
  if (at == std::string_view::npos) return "";
  const std::size_t end = declaration.find(declaration[at], at + 1);
  if (end == std::string_view::npos) return "";
  return std::string(declaration.substr(at + 1, end - at - 1));
}

bool is_name_of_utf8(const std::string& encoding) {
  const std::string name = lower_case(encoding);
  return name.empty() || name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii";
}

/// An XML file of which nothing is passed over: what the parser would drop (white space that is
/// text, a second element of the same name, a second attribute, bytes of another encoding) is kept
/// or refused. `source` names the file in messages. Errors of all functions: InputError with the
/// line; SizeLimit.
class XmlFile {
 public:
  /// `wanted`: "an XML file of JFLAP".
  XmlFile(const std::string& text, const std::string& source, const std::string& wanted)
      : text_(text), source_(source) {
    if (text.size() > kMostXml)
      throw SizeLimit(
          fmt::format("{}: the file has {} bytes of XML; the limit is {}; larger automata "
                      "are read as .fst, larger graphs as .edges",
                      source, text.size(), kMostXml));
    check_encoding();
    const pugi::xml_parse_result result = document_.load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
    if (!result) fail(result.offset, "expected " + wanted + ", but found: " + result.description());
    check_well_formed();
  }

  pugi::xml_node document() const { return document_.root(); }
  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& sentence) const {
    std::size_t at = static_cast<std::size_t>(std::max(offset, std::ptrdiff_t{0}));
    if (at > 0 && at <= text_.size() && text_[at - 1] == '<')
      --at;  // pugixml says where the name is
    throw error_at(text_, source_, at, sentence);
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& sentence) const {
    fail(node.offset_debug(), sentence);
  }

  /// The child of this name, a null node without one; refused are two.
  pugi::xml_node only_child(const pugi::xml_node& parent, const char* name) const {
    const pugi::xml_node child = parent.child(name);
    if (const pugi::xml_node second = child.next_sibling(name))
      fail(second, fmt::format("expected one <{}> in <{}>, found a second one", name,
                               printable(parent.name())));
    return child;
  }

  /// The text of an element without elements inside, white space included; empty of a null node.
  std::string text_of(const pugi::xml_node& node) const {
    std::string text;
    for (const pugi::xml_node part : node.children()) {
      if (part.type() == pugi::node_element)
        fail(part, fmt::format("expected text in <{}>, found <{}>", printable(node.name()),
                               printable(part.name())));
      if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
    }
    return text;
  }

  /// Empty without such an attribute; refused are two.
  std::string attribute(const pugi::xml_node& node, const char* name) const {
    std::string value;
    bool found = false;
    for (const pugi::xml_attribute known : node.attributes()) {
      if (std::string_view(known.name()) != name) continue;
      if (found)
        fail(node, fmt::format("expected one attribute {} of <{}>, found a second one", name,
                               printable(node.name())));
      found = true;
      value = known.value();
    }
    return value;
  }

 private:
  /// What the parser reads though it is not XML: other entities, a '<' in a value, a second element or text
  /// outside the first one. Entities of a document type are not read.
  void check_well_formed() const {
    pugi::xml_node root;
    for (const pugi::xml_node child : document_.children()) {
      if (child.type() != pugi::node_element) continue;
      if (root) fail(child, "expected one element that holds all others, found a second one");
      root = child;
    }
    const std::string_view text = text_;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> passed_over = {
        {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}}};
    char quote = 0;  // of the value of an attribute
    bool in_tag = false;
    std::size_t last = 0;  // behind what is no text
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto offset = static_cast<std::ptrdiff_t>(at);
      const bool begins = text[at] == '<' && !in_tag;
      const auto known = std::ranges::find_if(passed_over, [&](const auto& item) {
        return begins && text.substr(at).starts_with(item.first);
      });
      if (known != passed_over.end()) {
        std::size_t inside = known->first == "<!" ? text.find_first_of("[>", at) : at;
        if (inside < text.size() && text[inside] == '[') inside = text.find(']', inside);
        at = std::min(text.find(known->second, std::min(inside, text.size())), text.size());
        at = std::min(at + known->second.size(), text.size()) - 1;
        last = at + 1;
      } else if (text[at] == '<') {
        if (in_tag) fail(offset, "expected '&lt;' in the value of an attribute, found '<'");
        in_tag = true;
      } else if (in_tag &&
                 (text[at] == quote || (quote == 0 && (text[at] == '"' || text[at] == '\'')))) {
        quote = quote == 0 ? text[at] : '\0';
      } else if (in_tag && quote == 0 && text[at] == '>') {
        in_tag = false;
        last = at + 1;
      } else if (text[at] == '&') {
        const auto [character, length] = entity_at(text.substr(at));
        if (length == 0 ||
            (character < ' ' && character != '\t' && character != '\n' && character != '\r'))
          fail(offset,
               "expected one of the five entities of XML or the number of a character, found " +
                   in_quotes(text.substr(at, text.substr(at, 12).find(';') + 1)) +
                   "; entities of a document type are not read");
      }
    }
    const std::size_t behind = text.find_first_not_of(" \t\r\n", last);
    if (behind != std::string_view::npos)
      fail(static_cast<std::ptrdiff_t>(behind),
           "expected the end of the file behind the last element");
  }

  void check_encoding() const {
    const std::string encoding = declared_encoding(text_);
    const bool plain =
        std::ranges::all_of(text_, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (plain) return;
    if (!is_name_of_utf8(encoding))
      fail(0, fmt::format("the file declares the encoding {}; expected UTF-8, which alone is read; "
                          "'iconv -f {} -t UTF-8 {} | sed 1s/{}/UTF-8/' converts it",
                          in_quotes(encoding), printable(encoding), shell_word(printable(source_)),
                          printable(encoding)));
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t length = utf8_length(std::string_view(text_).substr(at, 4));
      if (length == 0)
        fail(static_cast<std::ptrdiff_t>(at),
             fmt::format("the byte 0x{:02X} is not UTF-8; expected UTF-8, which alone is read; "
                         "'iconv -f ISO-8859-1 -t UTF-8' converts Latin-1",
                         static_cast<unsigned>(static_cast<unsigned char>(text_[at]))));
      at += length;
    }
  }

  const std::string& text_;
  const std::string& source_;
  pugi::xml_document document_;
};

/// The kinds of machines that JFLAP writes, but for finite automata.
constexpr std::array<std::pair<std::string_view, const char*>, 7> kJflapKinds = {{
    {"mealy", "a Mealy machine, which has outputs and accepts nothing"},
    {"moore", "a Moore machine, which has outputs and accepts nothing"},
    {"pda", "a pushdown automaton"},
    {"turing", "a Turing machine"},
    {"turing-with-blocks", "a Turing machine"},
    {"grammar", "a grammar"},
    {"lsystem", "an L-system"},
}};

std::string text_of(pugi::xml_document& document) {
  pugi::xml_node declaration = document.prepend_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  std::ostringstream text;
  document.save(text, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(text).str();
}

/// JFLAP shows one of these for an empty <read/>, and people type them.
bool is_greek_epsilon(std::string_view read) {
  return is_epsilon_word(read) && utf8_length(read) == read.size();
}

class JffReader {
 public:
  JffReader(const std::string& text, const std::string& source)
      : source_(source), file_(text, source, "an XML file of JFLAP") {}

  Nfa read() {
    const pugi::xml_node structure = file_.only_child(file_.document(), "structure");
    if (!structure) file_.fail(0, "expected a <structure> element, as JFLAP writes");
    const pugi::xml_node type_node = file_.only_child(structure, "type");
    const std::string type = file_.text_of(type_node);
    if (type == "re") return read_expression(file_.only_child(structure, "expression"));
    if (type != "fa") {
      const auto kind =
          std::ranges::find(kJflapKinds, type, &decltype(kJflapKinds)::value_type::first);
      file_.fail(type_node,
                 "expected <type>fa</type>, a finite automaton, found " + in_quotes(type) +
                     (kind == kJflapKinds.end() ? "" : std::string(", ") + kind->second));
    }
    // JFLAP before version 6 has the states directly below <structure>.
    const pugi::xml_node inner = file_.only_child(structure, "automaton");
    const pugi::xml_node automaton = inner ? inner : structure;
    for (const pugi::xml_node node : automaton.children("state")) read_state(node);
    for (const pugi::xml_node node : automaton.children("transition")) read_transition(node);
    if (!builder_.has_initial()) {
      file_.fail(automaton, "expected a <state> with <initial/>, but no state is initial");
    }
    if (builder_.initial_states() > 1)
      builder_.note(source_ + ": " + std::to_string(builder_.initial_states()) +
                    " states are initial, and a word is accepted from any of them; JFLAP has one");
    return std::move(builder_).finish(source_);
  }

 private:
  /// '+' is union, '!' the empty word, and no other character but '*', '(' and ')' is an operator.
  Nfa read_expression(const pugi::xml_node& node) const {
    if (!node) file_.fail(file_.document().first_child(), "expected an element <expression>");
    std::string expression;
    for (const char c : file_.text_of(node)) {
      if (c != '*' && c != '(' && c != ')' && std::ispunct(static_cast<unsigned char>(c)) != 0 &&
          c != '+' && c != '!')
        expression += '\\';
      expression += c == '+' ? "|" : c == '!' ? "()" : std::string(1, c);
    }
    try {
      Nfa nfa = to_nfa(parse_regex(expression));
      nfa.notes = {
          source_ +
          ": '+' is read as union and '!' as the empty word, as JFLAP reads an expression"};
      return nfa;
    } catch (const InputError& error) {
      file_.fail(node, "expected an expression of JFLAP; as " + in_quotes(expression) + ", " +
                           error.what());
    }
  }

  void read_state(const pugi::xml_node& node) {
    const std::string id = file_.attribute(node, "id");
    if (id.empty()) file_.fail(node, "expected an attribute id of <state>");
    if (!ids_.insert(id).second) {
      file_.fail(node, "state " + in_quotes(id) + " occurs twice; expected distinct ids");
    }
    const State state = builder_.state(id);
    const std::string name = file_.attribute(node, "name");
    if (!name.empty() && names_.insert(name).second) builder_.call(state, name);
    if (file_.only_child(node, "initial")) builder_.set_initial(state);
    if (file_.only_child(node, "final")) builder_.set_accepting(state);
  }

  State end_of(const pugi::xml_node& transition, const char* end) {
    const std::string id = file_.text_of(file_.only_child(transition, end));
    if (ids_.count(id) == 0) {
      file_.fail(transition, std::string("expected <") + end + "> to be the id of a state, found " +
                                 in_quotes(id));
    }
    return builder_.state(id);
  }

  void read_transition(const pugi::xml_node& node) {
    const State from = end_of(node, "from");
    const State to = end_of(node, "to");
    const pugi::xml_node read = file_.only_child(node, "read");
    if (!read) file_.fail(node, "expected a <read> element in the transition");
    const std::string word = file_.text_of(read);
    if (word.empty()) {
      builder_.arc(from, std::nullopt, to);
    } else if (is_greek_epsilon(word)) {
      builder_.note(source_ + ": " + in_quotes(word) +
                    " in <read> is read as epsilon, which JFLAP writes as an empty <read/>");
      builder_.arc(from, std::nullopt, to);
    } else {
      add_word(read, from, word, to);
    }
  }

  /// JFLAP reads [x-y] as a transition for each character from x to y, and so it is read here.
  bool add_range(const pugi::xml_node& read, State from, std::string_view word, State to) {
    constexpr char32_t most = 1024;
    if (word.front() != '[' || word.back() != ']' || word.find('-') == std::string_view::npos)
      return false;
    const std::string_view inside = word.substr(1, word.size() - 2);
    const std::size_t length = utf8_length(inside);
    const std::string_view rest = inside.substr(std::min(length + 1, inside.size()));
    const bool plain = length > 0 && length < inside.size() && inside[length] == '-' &&
                       !rest.empty() && utf8_length(rest) == rest.size();
    if (!plain)
      file_.fail(read, "expected letters or one range [x-y] in <read>, found " + in_quotes(word) +
                           "; write a transition per letter or range");
    const char32_t first = utf8_decode(inside), last = utf8_decode(rest);
    if (last < first || last - first >= most)
      file_.fail(read, "expected a range of 1 to " + std::to_string(most) +
                           " letters in <read>, found " + in_quotes(word));
    for (char32_t c = first; c <= last; ++c) {
      const std::string letter = utf8_encode(c);
      if (utf8_length(letter) == 0 || c == ' ' || disturbs_text(c) || is_unseen(c))
        file_.fail(read, "expected letters in <read>, found the range " + in_quotes(word) +
                             " with white space or a control character, which is no letter here");
      builder_.arc(from, letter, to);
    }
    builder_.note(source_ + ": " + in_quotes(word) +
                  " in <read> is read as a range of letters, as JFLAP does");
    return true;
  }

  /// JFLAP reads a word in <read> letter by letter.
  void add_word(const pugi::xml_node& read, State from, const std::string& word, State to) {
    if (add_range(read, from, word, to)) return;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t length = utf8_length(std::string_view(word).substr(at));
      const std::string letter = word.substr(at, length);
      try {
        (void)Alphabet::of_input({letter});
      } catch (const InputError&) {
        file_.fail(read, "expected letters in <read>, found " + in_quotes(word) +
                             " with white space or a control character, which is no letter here; "
                             "epsilon is an empty <read/>, and another character can take the "
                             "place of a blank");
      }
      at += length;
      State next = to;
      if (at < word.size()) {
        const std::string name = " " + std::to_string(++words_);  // no id begins with a blank
        next = builder_.state(name);
        builder_.call(next, "inside" + name);
      }
      builder_.arc(from, letter, next);
      from = next;
    }
  }

  const std::string& source_;
  XmlFile file_;
  AutomatonBuilder builder_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> names_;  ///< a second state of one name is called by its id
  std::size_t words_ = 0;                  ///< states inside words so far
};

}  // namespace

Nfa read_jff(const std::string& text, const std::string& source) {
  require_automaton_format(text, source, TextFormat::jflap);
  return JffReader(text, source).read();
}

std::string write_jff(const Nfa& given) {
  for (const std::string& letter : given.alphabet.names()) {
    if (utf8_length(letter) != letter.size()) {
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: JFLAP has letters of one character");
    }
    if (is_greek_epsilon(letter)) {
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: a JFLAP file reads it as epsilon");
    }
  }
  const Nfa nfa = with_every_letter_on_an_arc(with_one_initial_state(given));
  const std::vector<std::string> names = names_to_write(nfa);
  pugi::xml_document document;
  pugi::xml_node structure = document.append_child("structure");
  structure.append_child("type").text() = "fa";
  pugi::xml_node automaton = structure.append_child("automaton");
  for (State q = 0; q < nfa.states(); ++q) {
    pugi::xml_node state = automaton.append_child("state");
    state.append_attribute("id") = q;
    state.append_attribute("name") = names[q].c_str();
    // JFLAP draws a state where the file says: rows of eight.
    state.append_child("x").text() = 100 + 120 * (q % 8);
    state.append_child("y").text() = 100 + 120 * (q / 8);
    if (q == nfa.initial.front()) state.append_child("initial");
    if (nfa.accepting[q]) state.append_child("final");
  }
  for (const Nfa::Arc& arc : nfa.arcs) {
    pugi::xml_node transition = automaton.append_child("transition");
    transition.append_child("from").text() = arc.from;
    transition.append_child("to").text() = arc.to;
    pugi::xml_node read = transition.append_child("read");
    if (arc.letter) read.text() = nfa.alphabet.name(*arc.letter).c_str();
  }
  return text_of(document);
}

namespace {

/// Vertices are called by their id; labels, weights and times are not used.
class XmlGraphReader {
 public:
  XmlGraphReader(const std::string& text, const std::string& source, const std::string& wanted)
      : source_(source), file_(text, source, wanted) {}

  Graph read_gexf() {
    const pugi::xml_node root = file_.only_child(file_.document(), "gexf");
    if (!root) file_.fail(0, "expected a <gexf> element");
    const pugi::xml_node graph = graph_in(root);
    const std::string type = file_.attribute(graph, "defaultedgetype");
    read_nodes(file_.only_child(graph, "nodes"), "nodes");
    for (const pugi::xml_node edge : file_.only_child(graph, "edges").children("edge"))
      read_gexf_edge(edge, type.empty() ? "undirected" : type);
    return std::move(graph_);
  }

  Graph read_graphml() {
    const pugi::xml_node root = file_.document().child("graphml");
    if (!root) file_.fail(0, "expected a <graphml> element");
    const pugi::xml_node graph = graph_in(root);
    const std::string direction = file_.attribute(graph, "edgedefault");
    const bool usual = direction == "directed";
    if (!usual && direction != "undirected")
      file_.fail(graph, "expected edgedefault=\"directed\" or \"undirected\" of <graph>, found " +
                            in_quotes(direction));
    read_nodes(graph, "graph");
    for (const pugi::xml_node child : graph.children()) {
      const std::string_view kind = child.name();
      if (kind == "hyperedge") file_.fail(child, "expected no <hyperedge>: edges have two ends");
      if (kind == "edge") read_graphml_edge(child, usual);
    }
    return std::move(graph_);
  }

 private:
  pugi::xml_node graph_in(const pugi::xml_node& root) const {
    const pugi::xml_node graph = file_.only_child(root, "graph");
    if (!graph) file_.fail(root, "expected a <graph> element");
    return graph;
  }

  /// `nested`: what a node of a nested graph is in.
  void read_nodes(const pugi::xml_node& nodes, const char* nested) {
    for (const pugi::xml_node node : nodes.children("node")) {
      if (const pugi::xml_node inner = node.child(nested))
        file_.fail(inner, fmt::format("expected no <{}> inside a <node>", nested));
      const std::string id = file_.attribute(node, "id");
      if (id.empty()) file_.fail(node, "expected an attribute id of <node>");
      if (graph_.vertex(id))
        file_.fail(node, "node " + in_quotes(id) + " occurs twice; expected distinct ids");
      add_named_vertex(graph_, id, source_,
                       [&](const std::string& sentence) { file_.fail(node, sentence); });
    }
  }

  Vertex end_of(const pugi::xml_node& edge, const char* end) const {
    const std::string id = file_.attribute(edge, end);
    const auto vertex = graph_.vertex(id);
    if (!vertex)
      file_.fail(edge, std::string("expected ") + end +
                           " of <edge> to be the id of a node, found " + in_quotes(id));
    return *vertex;
  }

  void read_gexf_edge(const pugi::xml_node& edge, std::string type) {
    const std::string own = file_.attribute(edge, "type");
    if (!own.empty()) type = own;
    if (type != "directed" && type != "undirected" && type != "mutual")
      file_.fail(edge, "expected directed, undirected or mutual as the type of an edge, found " +
                           in_quotes(type));
    const Vertex from = end_of(edge, "source"), to = end_of(edge, "target");
    graph_.add_edge(from, to);
    if (type != "directed") graph_.add_edge(to, from);
  }

  /// Graph Online has an attribute of its own, isDirect.
  void read_graphml_edge(const pugi::xml_node& edge, bool directed) {
    const Vertex from = end_of(edge, "source"), to = end_of(edge, "target");
    for (const char* key : {"directed", "isDirect"}) {
      const std::string own = file_.attribute(edge, key);
      if (own.empty()) continue;
      directed = own == "true" || own == "1";
      if (!directed && own != "false" && own != "0")
        file_.fail(edge, fmt::format("expected {}=\"true\" or \"false\" of <edge>, found {}", key,
                                     in_quotes(own)));
    }
    graph_.add_edge(from, to);
    if (!directed) graph_.add_edge(to, from);
  }

  const std::string& source_;
  XmlFile file_;
  Graph graph_;
};

}  // namespace

Graph read_gexf(const std::string& text, const std::string& source) {
  return XmlGraphReader(text, source, "a GEXF file").read_gexf();
}

Graph read_graphml(const std::string& text, const std::string& source) {
  return XmlGraphReader(text, source, "a GraphML file").read_graphml();
}

std::string write_graphml(const Graph& graph) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  pugi::xml_node element = root.append_child("graph");
  element.append_attribute("edgedefault") = "directed";
  for (const std::string& name : graph.names()) {
    element.append_child("node").append_attribute("id") = name.c_str();
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    pugi::xml_node edge = element.append_child("edge");
    edge.append_attribute("source") = graph.names()[from].c_str();
    edge.append_attribute("target") = graph.names()[to].c_str();
  });
  return text_of(document);
}

}}  // namespace logdepth::objects
