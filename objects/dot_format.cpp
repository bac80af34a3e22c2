#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// A part of a text: its kind is 'w' for a word or a number, '"' and '<' for strings, '>' for "->", '-' for "--",
/// 0 at the end of the text, else the character itself.
struct Token {
  char kind = 0;
  std::size_t begin = 0, end = 0;
};

/// DOT, token by token. Places are offsets.
class DotText {
 public:
  DotText(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  [[noreturn]] void fail(std::size_t place, const std::string& sentence) const {
    throw error_at(text_, source_, place, sentence);
  }
  /// The first one from this place on. Errors: InputError for a string without an end, and for a word that begins
  /// as a number.
  Token token_from(std::size_t place) const {
    const std::size_t begin = behind_blanks(place);
    if (begin >= text_.size()) return {0, begin, begin};
    const char c = text_[begin];
    if (c == '"') return {c, begin, end_of_string(begin)};
    if (c == '<') return {c, begin, end_of_html(begin)};
    if (text_.compare(begin, 2, "->") == 0) return {'>', begin, begin + 2};
    if (text_.compare(begin, 2, "--") == 0) return {'-', begin, begin + 2};
    std::size_t end = begin;
    if (is_word(c) && !is_digit(c)) {
      while (end < text_.size() && is_word(text_[end])) ++end;
      return {'w', begin, end};
    }
    end += c == '-' ? 1 : 0;
    std::size_t digits = 0, points = 0;
    for (; end < text_.size() && (is_digit(text_[end]) || text_[end] == '.'); ++end)
      ++(text_[end] == '.' ? points : digits);
    if (digits + points == 0) return {c, begin, begin + 1};
    if (digits == 0 || points > 1 || (end < text_.size() && is_word(text_[end])))
      fail(begin, "expected a number, or a name in quotation marks");
    return {'w', begin, end};
  }
  std::string raw(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// The name or value that begins with this token, with the strings that "+" adds; moves to what follows.
  std::string value(Token& token) const {
    std::string text = plain(token);
    for (token = token_from(token.end); token.kind == '+'; token = token_from(token.end)) {
      token = token_from(token.end);
      if (token.kind != '"')
        fail(token.begin, "expected a string after '+', found " + shown(token));
      text += plain(token);
    }
    return text;
  }
  std::string shown(const Token& token) const {
    return token.kind == 0 ? "the end of the text" : in_quotes(raw(token));
  }
  /// Where this stands in the token at a place; the place itself if it is written in another way there.
  std::size_t place_in(std::size_t place, const std::string& wanted) const {
    const std::size_t at = raw(token_from(place)).find(wanted);
    return at == std::string::npos ? place : place + at;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
  }
  std::size_t behind_blanks(std::size_t place) const {
    while (place < text_.size()) {
      const bool block = text_.compare(place, 2, "/*") == 0;
      if (std::isspace(static_cast<unsigned char>(text_[place])) != 0) {
        ++place;
      } else if (block || text_[place] == '#' || text_.compare(place, 2, "//") == 0) {
        const std::size_t end = text_.find(block ? "*/" : "\n", place + (block ? 2 : 0));
        place = end == std::string::npos ? text_.size() : end + (block ? 2 : 1);
      } else {
        break;
      }
    }
    return std::min(place, text_.size());
  }
  std::size_t end_of_string(std::size_t begin) const {
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') return i + 1;
      if (text_[i] == '\\') ++i;
    }
    fail(begin, "expected '\"' to end the string");
  }
  std::size_t end_of_html(std::size_t begin) const {
    std::size_t open = 0;
    for (std::size_t i = begin; i < text_.size(); ++i) {
      open += text_[i] == '<' ? 1 : 0;
      open -= text_[i] == '>' ? 1 : 0;
      if (open == 0) return i + 1;
    }
    fail(begin, "expected '>' to end the HTML string");
  }
  /// Of one token. DOT undoes `\"` alone; of HTML the text is read, with line breaks.
  std::string plain(const Token& token) const {
    if (token.kind == 'w') return raw(token);
    std::string text;
    bool in_tag = false;
    for (std::size_t i = token.begin + 1; i + 1 < token.end; ++i) {
      const char c = text_[i];
      if (token.kind == '"') {
        if (c == '\\' && text_[++i] != '"') text += c;
        text += text_[i];
        continue;
      }
      if (c == '<' && lower_case(text_.substr(i, 3)) == "<br") text += "\\n";
      if (c == '\\' && !in_tag) text += c;
      in_tag = c == '<' || (in_tag && c != '>');
      if (!in_tag && c != '>') text += c == '\n' ? ' ' : c;
    }
    return text;
  }

  const std::string& text_;
  const std::string& source_;
};

/// The attributes of nodes and edges that are read; of each the place of its value.
constexpr std::array kAttributes = {"shape",       "style",    "accepting", "initial",
                                    "peripheries", "is_final", "is_start",  "label"};
using DotAttributes = std::map<std::string, std::size_t>;

struct DotNode {
  std::size_t place;  ///< where its name stands first
  DotAttributes attributes;
  bool entered = false, left = false;  ///< by edges
  bool left_by_letter = false;
};
/// By name.
using DotNodes = std::map<std::string, DotNode>;

struct DotEdge {
  DotNodes::iterator from, to;
  std::optional<std::size_t> label;
};

struct DotGraph {
  std::string name;
  bool directed = false;
  DotNodes nodes;
  std::vector<DotEdge> edges;
};

/// Reads a text of one graph, the edges of subgraphs as edges between all of their nodes. Errors: InputError with
/// line and column; SizeLimit for many edges of subgraphs.
class DotParser {
 public:
  DotParser(const std::string& text, const std::string& source)
      : source_(source), text_(text, source), token_(text_.token_from(0)) {}

  /// `automaton`: only a digraph, whose parallel edges `strict` would merge.
  DotGraph parse(bool automaton) {
    if (is_word("strict")) {
      if (automaton) fail("expected 'digraph' without 'strict', which merges parallel edges");
      advance();
    }
    graph_.directed = is_word("digraph");
    if (!graph_.directed && (automaton || !is_word("graph")))
      fail(fmt::format("expected {}'digraph', found {}", automaton ? "" : "'graph' or ", found()));
    advance();
    if (token_.kind != '{') graph_.name = name();
    Scope scope;
    Members members;
    statements(scope, members);
    if (token_.kind != 0) fail("expected one graph, found " + found() + " behind it");
    return std::move(graph_);
  }

 private:
  /// What nodes and edges have that are named from here on.
  struct Scope {
    DotAttributes node, edge;
  };
  /// The nodes of a subgraph.
  using Members = std::vector<DotNodes::iterator>;

  [[noreturn]] void fail(const std::string& sentence) const { text_.fail(token_.begin, sentence); }
  std::string found() const { return text_.shown(token_); }
  void advance() { token_ = text_.token_from(token_.end); }
  bool is_word(const char* keyword) const {
    return token_.kind == 'w' && lower_case(text_.raw(token_)) == keyword;
  }
  bool is_default() const { return is_word("node") || is_word("edge") || is_word("graph"); }
  bool is_subgraph() const { return token_.kind == '{' || is_word("subgraph"); }
  void expect(char kind) {
    if (token_.kind != kind) fail(fmt::format("expected '{}', found {}", kind, found()));
    advance();
  }
  std::string name() {
    if (token_.kind == '<')
      fail("expected a name, HTML strings are read as values of attributes alone");
    const bool keyword =
        is_default() || is_word("subgraph") || is_word("strict") || is_word("digraph");
    if ((token_.kind != 'w' && token_.kind != '"') || keyword)
      fail("expected a name, found " + found());
    return text_.value(token_);
  }
  void skip_value() {
    if (token_.kind != 'w' && token_.kind != '"' && token_.kind != '<')
      fail("expected a value, found " + found());
    (void)text_.value(token_);
  }
  /// An input cannot make work beyond the size of its text without an end.
  void count(std::size_t nodes) {
    constexpr std::size_t kMost = std::size_t{1} << 22;
    if ((counted_ += nodes) > kMost)
      throw SizeLimit(fmt::format(
          "{}: the nodes and edges of subgraphs are more than the limit of {}; try without "
          "subgraphs",
          source_, kMost));
  }

  void statements(Scope scope, Members& members) {
    constexpr std::size_t kDeepest = 100;
    if (++depth_ > kDeepest) fail(fmt::format("expected braces nested at most {} deep", kDeepest));
    expect('{');
    while (token_.kind != '}') {
      if (token_.kind == ';' || token_.kind == ',')
        advance();
      else
        statement(scope, members);
    }
    advance();
    --depth_;
  }

  void statement(Scope& scope, Members& members) {
    if (is_default()) {
      DotAttributes ignored;
      DotAttributes& defaults = is_word("node")   ? scope.node
                                : is_word("edge") ? scope.edge
                                                  : ignored;
      advance();
      if (token_.kind != '[') fail("expected '[', found " + found());
      return read_attributes(defaults);
    }
    std::vector<Members> ends(1);
    const bool subgraph = is_subgraph();
    if (subgraph) {
      ends[0] = subgraph_members(scope);
    } else {
      const std::size_t place = token_.begin;
      const std::string begins = name();
      if (token_.kind == '=') {
        advance();
        return skip_value();
      }
      ends[0] = {node(begins, place, scope)};
    }
    while (token_.kind == '>' || token_.kind == '-') {
      const char* const arrow = graph_.directed ? "->" : "--";
      if (text_.raw(token_) != arrow)
        fail(fmt::format("expected '{}' in a {}, found {}", arrow,
                         graph_.directed ? "digraph" : "graph", found()));
      advance();
      const std::size_t place = token_.begin;
      ends.push_back(is_subgraph() ? subgraph_members(scope) : Members{node(name(), place, scope)});
    }
    if (ends.size() > 1) {
      DotAttributes attributes = scope.edge;
      read_attributes(attributes);
      for (std::size_t k = 1; k < ends.size(); ++k) add_edges(ends[k - 1], ends[k], attributes);
    } else if (!subgraph) {
      read_attributes(ends[0].front()->second.attributes);
    }
    for (const Members& end : ends) members.insert(members.end(), end.begin(), end.end());
  }

  Members subgraph_members(const Scope& scope) {
    Members own;
    Members* members = &own;
    if (token_.kind != '{') {
      advance();
      if (token_.kind != '{') members = &subgraphs_[name()];
    }
    if (token_.kind == '{') statements(scope, *members);
    const auto by_name = [](auto a, auto b) { return a->first < b->first; };
    std::sort(members->begin(), members->end(), by_name);
    members->erase(std::unique(members->begin(), members->end()), members->end());
    count(members->size());
    return *members;
  }
  /// With its port.
  DotNodes::iterator node(const std::string& called, std::size_t place, const Scope& scope) {
    const auto found = graph_.nodes.try_emplace(called, DotNode{place, scope.node}).first;
    while (token_.kind == ':') {
      advance();
      (void)name();
    }
    return found;
  }
  void add_edges(const Members& from, const Members& to, const DotAttributes& attributes) {
    if (from.size() > 1 || to.size() > 1) count(from.size() * to.size());
    const auto label = attributes.find("label");
    for (const auto source : from)
      for (const auto target : to)
        graph_.edges.push_back(
            {source, target,
             label == attributes.end() ? std::nullopt : std::optional(label->second)});
  }

  void read_attributes(DotAttributes& attributes) {
    while (token_.kind == '[') {
      advance();
      while (token_.kind != ']') {
        const std::size_t begin = token_.begin;
        const std::string attribute = name();
        std::size_t place = begin;
        if (token_.kind == '=') {
          advance();
          place = token_.begin;
          if (attribute == "dir") require_usual_direction();
          skip_value();
        }
        if (std::ranges::find(kAttributes, attribute) != kAttributes.end())
          attributes[attribute] = place;
        if (token_.kind == ',' || token_.kind == ';') advance();
      }
      advance();
    }
  }
  void require_usual_direction() const {
    Token behind = token_;
    const std::string usual = graph_.directed ? "forward" : "none";
    if (const std::string value = text_.value(behind); value != usual)
      fail("expected edges with dir=" + usual + ", found dir=" + printable(value) +
           ", which draws them in another direction than they are written; write an edge per "
           "direction");
  }

  const std::string& source_;
  DotText text_;
  Token token_;
  DotGraph graph_;
  std::map<std::string, Members> subgraphs_;
  std::size_t depth_ = 0, counted_ = 0;
};

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

bool is_slash_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

class DotReader {
 public:
  DotReader(const std::string& text, const std::string& source)
      : source_(source),
        text_(text, source),
        graph_(DotParser(text, source).parse(true)),
        fstdraw_(graph_.name == "FST") {}

  Nfa read() {
    for (const DotEdge& edge : graph_.edges) {
      DotNode& from = edge.from->second;
      edge.to->second.entered = from.left = true;
      const std::string label = edge.label ? value(*edge.label) : "";
      if (!label.empty() && label != "start" && label != "init" && label != "initial")
        from.left_by_letter = true;
    }
    for (const auto& [name, node] : graph_.nodes) {
      if (is_marker(name, node)) continue;
      const State state = builder_.state(name);
      const bool bold = fstdraw_ && value(node, "style") == "bold";
      if (bold || is_true(name, node, "initial") || is_true(name, node, "is_start"))
        builder_.set_initial(state);
      const bool drawn =
          value(node, "shape") == "doublecircle" || value(node, "peripheries") == "2";
      const bool accepting = !value(node, "accepting").empty()  ? is_true(name, node, "accepting")
                             : !value(node, "is_final").empty() ? is_true(name, node, "is_final")
                                                                : drawn;
      if (accepting) builder_.set_accepting(state);
      const std::string label = value(node, "label");
      const std::size_t bar = label.find_first_of("/|");
      moore_ = moore_ && bar != std::string::npos && bar > 0 && bar + 1 < label.size();
    }
    for (const DotEdge& edge : graph_.edges) read_edge(edge);
    if (!builder_.has_initial()) {
      throw InputError(source_ +
                       ": expected an initial state: the target of an edge without letters from a "
                       "node of shape point, or a node with initial=true");
    }
    if (!builder_.has_accepting()) guess_machine();
    return std::move(builder_).finish(source_);
  }

 private:
  std::string value(std::size_t place) const {
    Token token = text_.token_from(place);
    return text_.value(token);
  }
  /// Empty where the node has no such attribute.
  std::string value(const DotNode& node, const char* attribute) const {
    const auto found = node.attributes.find(attribute);
    return found == node.attributes.end() ? "" : value(found->second);
  }

  bool is_true(const std::string& name, const DotNode& node, const char* attribute) const {
    const std::string written = value(node, attribute);
    const std::string lower = lower_case(written);  // Python writes True, False and None
    if (lower.empty() || lower == "false" || lower == "0") return false;
    if (lower == "true" || lower == "1") return true;
    text_.fail(node.attributes.at(attribute), std::string("expected true or false for ") +
                                                  attribute + " of node " + in_quotes(name) +
                                                  ", found " + in_quotes(written));
  }

  /// The invisible node that points at the initial state: by its shape or name, and because no
  /// letter leads out of it and nothing leads into it.
  bool is_marker(const std::string& name, const DotNode& node) const {
    const std::string shape = lower_case(value(node, "shape"));
    const bool by_shape = shape == "point" || shape == "none" || shape == "plaintext" ||
                          shape == "plain" || value(node, "style") == "invis";
    const bool by_name = is_name_of_start(name) && value(node, "initial").empty() &&
                         value(node, "accepting").empty() && shape != "doublecircle";
    return !node.entered && !node.left_by_letter && (by_shape || (by_name && node.left));
  }

  void read_edge(const DotEdge& edge) {
    const State to = builder_.state(edge.to->first);
    if (is_marker(edge.from->first, edge.from->second)) {
      builder_.set_initial(to);
      return;
    }
    if (!edge.label)
      builder_.note(source_ +
                    ": an edge without a label is read as epsilon; of its attributes label "
                    "alone is read");
    std::vector<LabelItem> items;
    const std::string label = edge.label ? value(*edge.label) : "";
    const std::size_t place = edge.label.value_or(0);
    try {
      items = items_of(label);
    } catch (const InputError& error) {
      text_.fail(text_.place_in(place, label), error.what());
    }
    for (const LabelItem& item : items) {
      std::optional<std::string> letter =
          fstdraw_ ? letter_of_fstdraw(item, place) : letter_of(item, place);
      builder_.arc(builder_.state(edge.from->first), std::move(letter), to);
    }
  }

  /// Absent for epsilon.
  std::optional<std::string> letter_of(const LabelItem& item, std::size_t place) {
    if (is_plain_epsilon(item)) return std::nullopt;
    if (!item.escaped && is_epsilon_word(item.text)) {
      builder_.note(source_ + ": the label " + in_quotes(item.text) +
                    " is read as epsilon; with a backslash before it, it is a letter");
      return std::nullopt;
    }
    const auto special = item.escaped ? std::nullopt : special_symbol(item.text);
    if (special) {
      text_.fail(text_.place_in(place, item.text),
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
      text_.fail(text_.place_in(place, item.text), sentence);
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
  std::optional<std::string> letter_of_fstdraw(LabelItem item, std::size_t place) {
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
      text_.fail(text_.place_in(place, item.text),
                 "expected an acceptor, of equal labels on both sides of ':', found " +
                     in_quotes(item.text) + ", as a transducer has");
    }
    return letter_of(item, place);
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

  const std::string& source_;
  DotText text_;
  DotGraph graph_;
  bool fstdraw_;  ///< the graph is called FST, as fstdraw calls it
  bool mealy_ = true, moore_ = true, stochastic_ = true;  ///< of what was read so far
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

/// The name of a node as a writer puts it into a file: bare where it is a plain word, else quoted.
/// Errors: InputError for a name that DOT cannot say, as `a\\`: a backslash before a quotation mark
/// escapes it, and nothing escapes the backslash.
std::string dot_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool plain = !name.empty() && is_letter(name[0]) &&
                     std::all_of(name.begin(), name.end(),
                                 [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  const std::string lower = lower_case(name);
  const bool keyword = lower == "graph" || lower == "digraph" || lower == "subgraph" ||
                       lower == "node" || lower == "edge" || lower == "strict";
  if (plain && !keyword) return name;
  std::string quoted = "\"";
  std::size_t backslashes = 0;  // right before this place
  for (const char c : name + '"') {
    if (c == '"' && backslashes % 2 == 1) {
      throw InputError("the name " + in_quotes(name) +
                       " cannot be written: DOT has no backslash before a quotation mark or at the "
                       "end of a name");
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  quoted.erase(quoted.size() - 2, 1);  // what ends the name is not part of it
  return quoted;
}

/// Shorter numbers first, so that numbers are in order of value; other names in byte order.
bool is_before(const std::string& left, const std::string& right) {
  const auto key = [](const std::string& name) {
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    return std::make_tuple(!is_number, is_number ? name.size() : 0, std::string_view(name));
  };
  return key(left) < key(right);
}

}  // namespace

Nfa read_dot(const std::string& file, const std::string& source) {
  require_automaton_format(file, source, TextFormat::dot);
  return DotReader(file, source).read();
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

Graph read_dot_graph(const std::string& file, const std::string& source) {
  const DotGraph parsed = DotParser(file, source).parse(false);
  const DotText text(file, source);
  std::vector<std::pair<std::string, std::size_t>> names;  // and their places
  for (const auto& [name, node] : parsed.nodes) names.emplace_back(name, node.place);
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return is_before(a.first, b.first); });
  Graph graph;
  for (const auto& [name, place] : names)
    add_named_vertex(graph, name, source,
                     [&, at = place](const std::string& sentence) { text.fail(at, sentence); });
  for (const DotEdge& edge : parsed.edges)
    graph.add_edge(*graph.vertex(edge.from->first), *graph.vertex(edge.to->first));
  if (!parsed.directed) graph.make_undirected();
  return graph;
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
