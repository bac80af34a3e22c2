#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// What the lines of a list have in common. A text of another format mostly has lines of other
/// lengths, words with commas, or no edge.
class EdgeListShape {
 public:
  void see(const LineFields& fields, bool data, const TextPlace& place) {
    const std::size_t line = place.line;
    const bool first = !std::exchange(seen_, true);
    for (std::size_t i = 0; i < std::min<std::size_t>(fields.size(), 2); ++i) {
      if (fields[i].ends_with(':') || fields[i] == "//" ||
          fields[i].find("-->") != std::string_view::npos)
        throw place.error(
            fields[i],
            fmt::format(
                "expected lines 'source target', found the word {} of another format; a first line "
                "'{}' declares that its words are names",
                in_quotes(fields[i]), kEdgeListLine));
      const std::size_t separator = fields[i].find_first_of(",;");
      if (separator != std::string_view::npos)
        throw place.error(
            fields[i].substr(separator),
            fmt::format(
                "the word {} holds the separator '{}'; expected blanks between source and "
                "target; 'tr {} \" \"' converts the file, and a first line '{}' declares that "
                "its words are names",
                in_quotes(fields[i]), fields[i][separator],
                in_quotes(fields[i].substr(separator, 1)), kEdgeListLine));
    }
    if (fields.size() == 1) {
      single_after_edge_ = single_after_edge_ > 0 || edge_ == 0 ? single_after_edge_ : line;
      return;
    }
    if (fields[1].front() == '{')
      throw place.error(
          fields[1], "expected a target, found the dictionary " + in_quotes(fields[1]) +
                         ", as a multiline adjacency list has them; networkx.write_adjlist writes "
                         "an adjacency list instead");
    if (single_after_edge_ > 0)
      throw place.error(
          fmt::format("expected an edge on every line between two edges, found a single word in "
                      "line {}; single vertices come first or last, and a first line '{}' lifts "
                      "this rule",
                      single_after_edge_, kEdgeListLine));
    if (first && (is_header(fields, "source", "target") || is_header(fields, "from", "to")))
      throw place.error(
          fields[0],
          fmt::format("expected an edge, found the header '{} {}'; 'tail -n +{}' removes it, and a "
                      "first line '{}' declares that its words are names",
                      fields[0], fields[1], line + 1, kEdgeListLine));
    const std::size_t length = data ? kData : fields.size();
    if (edge_ > 0 && length != length_)
      throw place.error(
          fields.back(),
          fmt::format("expected {}, as in line {}, found {}; lines of one length tell an edge list "
                      "from other formats; a first line '{}' lifts this rule",
                      described(length_), edge_, described(length), kEdgeListLine));
    if (edge_ == 0) edge_ = line;
    length_ = length;
  }

  void end(const Graph& graph, const std::string& source) const {
    if (edge_ == 0 && graph.size() > 0)
      throw InputError(
          fmt::format("{}: no line is an edge; expected lines 'source target', or a "
                      "first line '{}' for vertices alone",
                      source, kEdgeListLine));
  }

 private:
  static bool is_header(const std::vector<std::string_view>& fields, std::string_view source,
                        std::string_view target) {
    return lower_case(fields[0]) == source && lower_case(fields[1]) == target;
  }
  static std::string described(std::size_t length) {
    return length == 2   ? "a source and a target"
           : length == 3 ? "a source, a target and a weight"
           : length == 4 ? "a source, a target, a weight and a time"
                         : "a source, a target and a dictionary";
  }

  static constexpr std::size_t kData = 5;

  bool seen_ = false;                  ///< a line
  std::size_t edge_ = 0;               ///< line of the first one
  std::size_t length_ = 0;             ///< its fields, kData with a dictionary
  std::size_t single_after_edge_ = 0;  ///< line of the first one
};

/// Programming contests write the numbers of vertices and edges before the edges. A list whose first
/// line fits that could have it as an edge too.
class ContestHeader {
 public:
  void see(const LineFields& fields, const TextPlace& place) {
    const auto number = [](std::string_view field) -> std::uint64_t {
      const bool digits = !field.empty() && field.size() < 18 &&
                          field.find_first_not_of("0123456789") == std::string_view::npos;
      return digits ? std::stoull(std::string(field)) : kNone;
    };
    const std::uint64_t first = number(fields[0]),
                        second = fields.size() > 1 ? number(fields[1]) : kNone;
    if (place_.line == 0) {
      place_ = place;
      vertices_ = first;
      edges_ = fields.size() == 2 ? second : kNone;
      return;
    }
    ++lines_;
    if (first == kNone || second == kNone) edges_ = kNone;
    largest_ = std::max({largest_, first, second});
  }

  void end() const {
    if (lines_ < 2 || edges_ != lines_ || vertices_ == kNone || largest_ > vertices_) return;
    throw place_.error(
        place_.text,
        fmt::format("expected an edge, found '{} {}', which fits a header of {} vertices and {} "
                    "edges; 'tail -n +{}' removes it, and a first line '{}' declares it an edge",
                    vertices_, edges_, vertices_, edges_, place_.line + 1, kEdgeListLine));
  }

 private:
  static constexpr std::uint64_t kNone = std::uint64_t{1} << 62;
  TextPlace place_;
  std::uint64_t vertices_ = kNone, edges_ = kNone, lines_ = 0, largest_ = 0;
};

/// Whether the comment declares undirected edges, as SNAP and KONECT write it. Errors: InputError for
/// graphs of KONECT whose two sides number their vertices each from 1.
bool declares_undirected(const LineFields& fields, const TextPlace& place) {
  if (fields.size() > 2 && fields[0] == "#" && fields[1] == "Undirected" &&
      fields[2].starts_with("graph"))
    return true;
  if (place.line != 1 || fields.size() != 3 || fields[0] != "%") return false;
  if (fields[1] == "bip")
    throw place.error(fields[1],
                      "expected one set of vertices, found a bipartite graph of KONECT, whose two "
                      "sides have the same numbers; 'awk \"/^[^%]/ {print \\\"a\\\" \\$1, "
                      "\\\"b\\\" \\$2}\"' converts it");
  if (fields[2] == "dynamic")
    throw place.error(fields[2],
                      "expected edges that stay, found a dynamic graph of KONECT, whose "
                      "lines of weight -1 remove edges");
  return fields[1] == "sym";
}

}  // namespace

Graph read_edge_list(const std::string& text, const std::string& source, bool certain) {
  Graph graph;
  EdgeListShape shape;
  ContestHeader header;
  certain = certain || text.starts_with(kEdgeListLine);
  const std::size_t most = is_konect(text) ? 4 : 3;  // with a weight, in KONECT with a time too
  bool undirected = false;
  for_each_row(text, source, [&](const TextPlace& place, const LineFields& fields) {
    if (fields.empty()) return;
    if (fields[0].front() == '#' || fields[0].front() == '%') {
      undirected = undirected || declares_undirected(fields, place);
      return;
    }
    const bool data = is_edge_with_data(fields);
    if (fields.size() > most && !data) {
      throw place.error(fields[most],
                        "expected 'source target', a weight after them or a single vertex (in an "
                        "adjacency list, .adjlist, more targets), found " +
                            in_quotes(place.text));
    }
    for (std::size_t i = 2; i < fields.size() && !data; ++i)
      if (!is_decimal(fields[i]))
        throw place.error(fields[i],
                          "expected a number as the weight after source and target, found " +
                              in_quotes(fields[i]));
    if (!certain) {
      shape.see(fields, data, place);
      header.see(fields, place);
    }
    const Vertex from = add_named_vertex(graph, fields[0], place);
    if (fields.size() > 1) graph.add_edge(from, add_named_vertex(graph, fields[1], place));
  });
  if (!certain) {
    shape.end(graph, source);
    header.end();
  }
  if (undirected) graph.make_undirected();
  return graph;
}

std::string write_edge_list(const Graph& graph) {
  std::string text;
  bool plain = graph.edge_count() > 0;
  for (const std::string& name : graph.names()) {
    if (name.front() == '#' || name.front() == '%' || name.find(' ') != std::string::npos ||
        holds_unseen(name)) {
      throw InputError(
          "the vertex " + in_quotes(name) +
          " cannot be written: an edge list has names without blanks that do not begin "
          "with # or %");
    }
    plain = plain && name.find_first_of(",;:/{}[]<>@*") == std::string::npos;
    text += name + '\n';
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    text += graph.names()[from] + ' ' + graph.names()[to] + '\n';
  });
  // Where the words could be those of another format, a first line says which one it is.
  // Single vertices come first, so no list that is written here has a header of a contest.
  if (plain && !recognised_graph(text)) return text;
  return std::string(kEdgeListLine) + '\n' + text;
}

Graph read_adjacency_list(const std::string& text, const std::string& source) {
  Graph graph;
  for_each_row(text, source, [&](const TextPlace& place, const LineFields& fields) {
    if (fields.empty() || fields[0].front() == '#') return;
    for (const std::string_view field : fields) {
      if (field == "{}" || (field.front() == '{' && field.back() == ':'))
        throw place.error(field,
                          "expected a vertex and its targets, found a dictionary, as a multiline "
                          "adjacency list has them; networkx.write_adjlist writes an adjacency "
                          "list instead");
      const std::size_t separator = field.find_first_of(",;");
      if (separator == std::string_view::npos) continue;
      throw place.error(
          field,
          fmt::format("the word {} holds the separator '{}'; expected blanks between vertices; "
                      "'tr {} \" \"' converts the file",
                      in_quotes(field), field[separator], in_quotes(field.substr(separator, 1))));
    }
    const Vertex from = add_named_vertex(graph, fields[0], place);
    for (std::size_t i = 1; i < fields.size(); ++i)
      graph.add_edge(from, add_named_vertex(graph, fields[i], place));
  });
  return graph;
}

namespace {

/// A line 'n m [format [weights of a vertex]]', then a line per vertex: its size and weights where
/// the format says so, then its neighbours, each with a weight where the format says so.
class MetisReader {
 public:
  Graph read(const std::string& text, const std::string& source) {
    const TextPlace last =
        for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
          if (!fields.empty() && fields[0].front() == '%') return;
          if (!has_header_) {
            if (!fields.empty()) read_header(place, fields);
          } else if (vertex_ < graph_.size()) {
            read_vertex(place, fields);
            ++vertex_;
          } else if (!fields.empty()) {
            throw place.error(
                fields[0],
                fmt::format("expected {}, as the first line announces, found another line",
                            counted(graph_.size(), "vertex", "vertices")));
          }
        });
    if (!has_header_) throw last.error("expected a line 'vertices edges'");
    check_edges(last);
    return std::move(graph_);
  }

 private:
  void read_header(const TextPlace& place, const LineFields& fields) {
    if (fields.size() < 2 || fields.size() > 4)
      throw place.error(
          fields[0],
          "expected 'vertices edges', perhaps with a format and a number of weights, found " +
              in_quotes(place.text));
    has_header_ = true;
    graph_ = numbered_vertices(fields[0], place);
    announced_ = read_count(fields[1], place);
    std::string format = fields.size() > 2 ? std::string(fields[2]) : "0";
    if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos)
      throw place.error(fields[2], "expected a format of at most three digits 0 or 1, found " +
                                       in_quotes(format));
    format.insert(0, 3 - format.size(), '0');
    const bool has_weights = format[1] == '1';
    const std::size_t weights = fields.size() > 3 ? read_count(fields[3], place) : 1;
    before_ = (format[0] == '1' ? 1 : 0) + (has_weights ? weights : 0);
    step_ = format[2] == '1' ? 2 : 1;
  }

  void read_vertex(const TextPlace& place, const LineFields& fields) {
    if (fields.size() < before_ || (fields.size() - before_) % step_ != 0)
      throw place.error(
          fields.empty() ? place.text : fields.back(),
          fmt::format("expected {} and then {}, as the first line announces, found {}",
                      counted(before_, "weight"),
                      step_ == 2 ? "pairs of a neighbour and a weight" : "neighbours",
                      counted(fields.size(), "number")));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!is_decimal(fields[i]))
        throw place.error(fields[i], "expected a number, found " + in_quotes(fields[i]));
      if (i < before_ || (i - before_) % step_ != 0) continue;
      const Vertex to = numbered_vertex(graph_, fields[i], place);
      if (graph_.has_edge(vertex_, to))
        throw place.error(fields[i],
                          "expected each neighbour once, found " + in_quotes(fields[i]) + " again");
      graph_.add_edge(vertex_, to);
    }
  }

  /// A last line that is empty may be missing: an editor drops it.
  void check_edges(const TextPlace& last) const {
    for_each_edge(graph_, [&](Vertex from, Vertex to) {
      if (!graph_.has_edge(to, from))
        throw last.error(fmt::format("expected {} as a neighbour of {}, which is a neighbour of {}",
                                     from + 1, to + 1, from + 1));
    });
    if (graph_.edge_count() != 2 * announced_)
      throw last.error(
          fmt::format("expected {} neighbours, two per edge that the first line announces, found "
                      "{}",
                      2 * announced_, graph_.edge_count()));
  }

  bool has_header_ = false;
  Graph graph_;
  std::size_t announced_ = 0, before_ = 0, step_ = 1;
  Vertex vertex_ = 0;  ///< of the next line
};

}  // namespace

Graph read_metis(const std::string& text, const std::string& source) {
  return MetisReader().read(text, source);
}

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

/// GML is ASCII: other characters, quotes and ampersands stand in it as entities. What is no entity
/// stays as it is.
std::string without_entities(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto [character, length] = entity_at(std::string_view(text).substr(at));
    result += length == 0 ? std::string(1, text[at]) : utf8_encode(character);
    at += std::max<std::size_t>(length, 1);
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
    const bool usual = direction(*graph).value_or(false);
    for (const Value& value : graph->list)
      if (value.key == "node") add_node(value);
    for (const Value& value : graph->list) {
      if (value.key != "edge") continue;
      const Vertex from = end(value, "source"), to = end(value, "target");
      graph_.add_edge(from, to);
      const auto own = direction(value);
      if (!own.value_or(usual)) graph_.add_edge(to, from);
    }
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

  /// Whether a graph or an edge says that it is directed; absent where it says nothing.
  std::optional<bool> direction(const Value& list) const {
    require_once(list, {"directed"});
    const Value* directed = list.find("directed");
    if (!directed) return std::nullopt;
    if (directed->text != "0" && directed->text != "1")
      refuse(directed->at,
             "expected 'directed 0' or 'directed 1', found " + in_quotes(directed->text));
    return directed->text == "1";
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

}}  // namespace logdepth::objects
