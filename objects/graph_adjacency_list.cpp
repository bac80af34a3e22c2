#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

Graph read_adjacency_list(const std::string& text, const std::string& source) {
  Graph graph;
  for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
    if (fields.empty() || fields[0].front() == '#') return;
    for (const std::string_view field : fields) {
      const std::size_t separator = field.find_first_of(",;");
      if (separator == std::string_view::npos && field != "{}") continue;
      throw place.error(
          field,
          field == "{}"
              ? std::string("expected a vertex and its targets, found the dictionary '{}', as a "
                            "multiline adjacency list has them; --format multiline reads it")
              : fmt::format(
                    "the word {} holds the separator '{}'; expected blanks between vertices; "
                    "'tr {} \" \"' converts the file",
                    in_quotes(field), field[separator], in_quotes(field.substr(separator, 1))));
    }
    const Vertex from = add_named_vertex(graph, fields[0], place);
    for (std::size_t i = 1; i < fields.size(); ++i)
      graph.add_edge(from, add_named_vertex(graph, fields[i], place));
  });
  return graph;
}

}  // namespace logdepth::inline objects
