#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

Graph read_edge_list(const std::string& text, const std::string& source) {
  Graph graph;
  std::size_t line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#' || fields[0].front() == '%') continue;
    const bool data = is_edge_with_data(fields);
    if (fields.size() > 3 && !data) {
      throw InputError(source, line_number,
                       "expected 'source target', a weight after them or a single vertex (in an "
                       "adjacency list, .adjlist, more targets), found " +
                           in_quotes(line));
    }
    if (fields.size() == 3 && !data && !is_decimal(fields[2])) {
      throw InputError(
          source, line_number,
          "expected a number as the weight after source and target, found " + in_quotes(fields[2]));
    }
    const Vertex from = add_named_vertex(graph, std::string(fields[0]), source, line_number);
    if (fields.size() == 1) continue;
    graph.add_edge(from, add_named_vertex(graph, std::string(fields[1]), source, line_number));
  }
  return graph;
}

std::string write_edge_list(const Graph& graph) {
  std::string text;
  for (const std::string& name : graph.names()) {
    if (name.front() == '#' || name.front() == '%' || name.find(' ') != std::string::npos) {
      throw InputError(
          "the vertex " + in_quotes(name) +
          " cannot be written: an edge list has names without blanks that do not begin "
          "with # or %");
    }
    text += name + '\n';
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    text += graph.names()[from] + ' ' + graph.names()[to] + '\n';
  });
  return text;
}

}  // namespace logdepth::inline objects
