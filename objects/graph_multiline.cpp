#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

/// What networkx's write_multiline_adjlist gives: a line 'vertex count', then so many lines of a
/// target and perhaps a dictionary. It does not say whether its edges are directed.
Graph read_multiline_adjacency_list(const std::string& text, const std::string& source) {
  Graph graph;
  Vertex from = 0;
  std::size_t expected = 0;
  TextPlace last = for_each_line(text, source, [&](const TextPlace& place, const LineFields&) {
    const LineFields fields = fields_of(place.text.substr(0, place.text.find('#')));
    if (fields.empty()) return;
    if (expected == 0) {
      if (fields.size() != 2)
        throw place.error(fields.back(),
                          "expected a line 'vertex count', found " + in_quotes(place.text));
      expected = read_count(fields[1], place);
      from = add_named_vertex(graph, fields[0], place);
      return;
    }
    if (fields.size() > 1 && (fields[1].front() != '{' || fields.back().back() != '}'))
      throw place.error(
          fields[1], fmt::format("expected a target and perhaps a dictionary {{...}}, as the line "
                                 "of {} announces, found {}",
                                 in_quotes(graph.names()[from]), in_quotes(place.text)));
    graph.add_edge(from, add_named_vertex(graph, fields[0], place));
    --expected;
  });
  if (expected > 0) {
    ++last.line;
    throw last.error(fmt::format("expected {} more targets of {}, found the end of the file",
                                 expected, in_quotes(graph.names()[from])));
  }
  return graph;
}

}  // namespace logdepth::inline objects
