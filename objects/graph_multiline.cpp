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
  std::size_t expected = 0, line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    const auto fields = fields_of(line.substr(0, line.find('#')));
    if (fields.empty()) continue;
    if (expected == 0) {
      if (fields.size() != 2)
        throw InputError(source, line_number,
                         "expected a line 'vertex count', found " + in_quotes(line));
      expected = read_count(fields[1], source, line_number);
      from = add_named_vertex(graph, std::string(fields[0]), source, line_number);
      continue;
    }
    if (fields.size() > 1 && (fields[1].front() != '{' || fields.back().back() != '}'))
      throw InputError(
          source, line_number,
          fmt::format("expected a target and perhaps a dictionary {{...}}, as the line "
                      "of {} announces, found {}",
                      in_quotes(graph.names()[from]), in_quotes(line)));
    graph.add_edge(from, add_named_vertex(graph, std::string(fields[0]), source, line_number));
    --expected;
  }
  if (expected > 0)
    throw InputError(source, line_number + 1,
                     fmt::format("expected {} more targets of {}, found the end of the file",
                                 expected, in_quotes(graph.names()[from])));
  return graph;
}

}  // namespace logdepth::inline objects
