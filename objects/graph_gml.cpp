#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {
namespace {

/// A key with what it has: a word (a number, say), a text in quotes, or a list of keys in brackets.
struct Value {
  enum class Kind { word, text, list };
  std::string key;
  Kind kind = Kind::word;
  std::string text;
  std::vector<Value> list;
  std::size_t at = 0;  ///< of its first character in the text

  const Value* find(const std::string& name) const {
    for (const Value& value : list)
      if (value.key == name) return &value;
    return nullptr;
  }
  /// Behind the first value of this key.
  const Value* find_second(const std::string& name) const {
    const Value* first = find(name);
    for (const Value& value : list)
      if (first != nullptr && &value != first && value.key == name) return &value;
    return nullptr;
  }
};

constexpr std::size_t kMaxDepth = 64;

/// The character that "#233", "#xE9" or "amp" names, of the five names that XML has; 0 for others.
char32_t entity(const std::string& name) {
  static const std::map<std::string, char32_t> kNames = {
      {"amp", '&'}, {"quot", '"'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};
  if (const auto found = kNames.find(name); found != kNames.end()) return found->second;
  if (name.size() < 2 || name[0] != '#') return 0;
  const bool hexadecimal = name[1] == 'x' || name[1] == 'X';
  const char* const last = name.data() + name.size();
  std::uint32_t character = 0;
  const auto [next, error] =
      std::from_chars(name.data() + (hexadecimal ? 2 : 1), last, character, hexadecimal ? 16 : 10);
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  return error == std::errc() && next == last && character <= 0x10FFFF && !surrogate ? character
                                                                                     : 0;
}

/// GML is ASCII: other characters, quotes and ampersands stand in it as entities. What is no entity
/// stays as it is.
std::string without_entities(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string::npos;
    const char32_t character =
        end == std::string::npos ? 0 : entity(text.substr(at + 1, end - at - 1));
    if (character == 0) {
      result += text[at++];
    } else {
      result += utf8_encode(character);
      at = end + 1;
    }
  }
  return result;
}

class GmlReader {
 public:
  GmlReader(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  Graph read() {
    const Value file = list(0);
    const Value* graph = file.find("graph");
    if (!graph || graph->kind != Value::Kind::list)
      refuse(graph ? graph->at : 0, "expected 'graph [' with nodes and edges");
    require_once(file, {"graph"});
    require_once(*graph, {"directed"});
    const Value* directed = graph->find("directed");
    if (directed && directed->text != "0" && directed->text != "1")
      refuse(directed->at,
             "expected 'directed 0' or 'directed 1', found " + in_quotes(directed->text));
    for (const Value& value : graph->list)
      if (value.key == "node") add_node(value);
    for (const Value& value : graph->list)
      if (value.key == "edge") graph_.add_edge(end(value, "source"), end(value, "target"));
    if (!directed || directed->text == "0") graph_.make_undirected();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& sentence) const {
    throw error_at(text_, source_, at, sentence);
  }

  /// The next word, bracket or text in quotes; absent at the end. Lines from `#` are comments.
  std::optional<Value> next() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        break;
      }
    }
    if (at_ == text_.size()) return std::nullopt;
    Value value;
    value.at = at_;
    if (text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string::npos) refuse(at_, "expected a closing quotation mark");
      value.kind = Value::Kind::text;
      value.text = text_.substr(at_ + 1, end - at_ - 1);
      value.text = without_entities(value.text);
      at_ = end + 1;
      return value;
    }
    const std::size_t begin = at_++;
    if (text_[begin] != '[' && text_[begin] != ']')
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0 &&
             std::string_view("[]\"#").find(text_[at_]) == std::string_view::npos)
        ++at_;
    value.text = text_.substr(begin, at_ - begin);
    return value;
  }

  /// Keys and values until the closing bracket, of the file until its end.
  Value list(std::size_t depth) {
    if (depth > kMaxDepth) refuse(at_, fmt::format("brackets nested deeper than {} levels", depth));
    Value result;
    result.kind = Value::Kind::list;
    result.at = at_;
    while (true) {
      const auto key = next();
      if (!key || (key->text == "]" && key->kind == Value::Kind::word)) {
        if (key.has_value() != (depth > 0))
          refuse(key ? key->at : at_,
                 key ? "expected no closing bracket here" : "expected a closing bracket");
        return result;
      }
      if (key->kind != Value::Kind::word ||
          std::isalpha(static_cast<unsigned char>(key->text[0])) == 0)
        refuse(key->at, "expected a key, as 'node', found " + in_quotes(key->text));
      auto value = next();
      if (!value || (value->text == "]" && value->kind == Value::Kind::word))
        refuse(value ? value->at : at_, "expected a value for the key " + in_quotes(key->text));
      if (value->text == "[" && value->kind == Value::Kind::word) value = list(depth + 1);
      value->key = key->text;
      result.list.push_back(std::move(*value));
    }
  }

  /// Refuses a second value of these keys, which another reader would take instead of the first.
  void require_once(const Value& list, const std::vector<std::string>& keys) const {
    for (const std::string& key : keys)
      if (const Value* second = list.find_second(key))
        refuse(second->at, "expected one value of '" + key + "', found a second one");
  }

  void add_node(const Value& node) {
    require_once(node, {"id", "label"});
    const Value* id = node.find("id");
    if (!id) refuse(node.at, "expected an 'id' of every node");
    const Value* label = node.find("label");
    const std::string& name = label && label->kind != Value::Kind::list ? label->text : id->text;
    if (graph_.vertex(name)) refuse(node.at, "two nodes are called " + in_quotes(name));
    const std::size_t at = label && label->kind != Value::Kind::list ? label->at : id->at;
    const Vertex vertex = add_named_vertex(
        graph_, name, source_, [&](const std::string& sentence) { refuse(at, sentence); });
    if (!nodes_.emplace(id->text, vertex).second)
      refuse(node.at, "two nodes have the id " + in_quotes(id->text));
  }

  Vertex end(const Value& edge, const char* key) const {
    require_once(edge, {key});
    const Value* id = edge.find(key);
    if (!id) refuse(edge.at, fmt::format("expected a '{}' of every edge", key));
    const auto node = nodes_.find(id->text);
    if (node == nodes_.end())
      refuse(id->at, fmt::format("the {} {} is the id of no node", key, in_quotes(id->text)));
    return node->second;
  }

  const std::string& text_;
  const std::string& source_;
  std::size_t at_ = 0;
  Graph graph_;
  std::map<std::string, Vertex> nodes_;  ///< by id
};

}  // namespace

Graph read_gml(const std::string& text, const std::string& source) {
  return GmlReader(text, source).read();
}

}  // namespace logdepth::inline objects
