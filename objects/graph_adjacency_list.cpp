#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

Graph read_adjacency_list(const std::string& text, const std::string& source) {
  Graph graph;
  std::size_t line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#') continue;
    for (const std::string_view field : fields) {
      const std::size_t separator = field.find_first_of(",;");
      if (separator == std::string_view::npos && field != "{}") continue;
      throw InputError(
          source, line_number,
          field == "{}"
              ? std::string("expected a vertex and its targets, found the dictionary '{}', as a "
                            "multiline adjacency list has them; --format multiline reads it")
              : fmt::format(
                    "the word {} holds the separator '{}'; expected blanks between vertices; "
                    "'tr {} \" \"' converts the file",
                    in_quotes(field), field[separator], in_quotes(field.substr(separator, 1))));
    }
    const Vertex from = add_named_vertex(graph, std::string(fields[0]), source, line_number);
    for (std::size_t i = 1; i < fields.size(); ++i)
      graph.add_edge(from, add_named_vertex(graph, std::string(fields[i]), source, line_number));
  }
  return graph;
}

}  // namespace logdepth::inline objects
