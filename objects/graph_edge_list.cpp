#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"
#include "objects/text_format.hpp"

namespace logdepth::inline objects {

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
                         ", as a multiline adjacency list has them; --format multiline reads it");
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
    const std::size_t length = data ? 4 : fields.size();
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
    const auto same = [](std::string_view word, std::string_view name) {
      return std::ranges::equal(
          word, name, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
    };
    return same(fields[0], source) && same(fields[1], target);
  }
  static std::string described(std::size_t length) {
    return length == 2   ? "a source and a target"
           : length == 3 ? "a source, a target and a weight"
                         : "a source, a target and a dictionary";
  }

  bool seen_ = false;                  ///< a line
  std::size_t edge_ = 0;               ///< line of the first one
  std::size_t length_ = 0;             ///< its fields, 4 with a dictionary
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
  return fields[1] == "sym";
}

}  // namespace

Graph read_edge_list(const std::string& text, const std::string& source, bool certain) {
  Graph graph;
  EdgeListShape shape;
  ContestHeader header;
  certain = certain || text.starts_with(kEdgeListLine);
  bool undirected = false;
  for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
    if (fields.empty()) return;
    if (fields[0].front() == '#' || fields[0].front() == '%') {
      undirected = undirected || declares_undirected(fields, place);
      return;
    }
    const bool data = is_edge_with_data(fields);
    if (fields.size() > 3 && !data) {
      throw place.error(fields[3],
                        "expected 'source target', a weight after them or a single vertex (in an "
                        "adjacency list, .adjlist, more targets), found " +
                            in_quotes(place.text));
    }
    if (fields.size() == 3 && !data && !is_decimal(fields[2])) {
      throw place.error(
          fields[2],
          "expected a number as the weight after source and target, found " + in_quotes(fields[2]));
    }
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
    if (name.front() == '#' || name.front() == '%' || name.find(' ') != std::string::npos) {
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

}  // namespace logdepth::inline objects
