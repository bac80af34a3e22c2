#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

class MatrixMarketReader {
 public:
  Graph read(const std::string& text, const std::string& source) {
    TextPlace last =
        for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
          if (place.line == 1) {
            read_banner(place, fields);
          } else if (!fields.empty() && fields[0].front() != '%') {
            if (graph_)
              read_entry(place, fields);
            else
              read_size(place, fields);
          }
        });
    if (last.line == 0) read_banner({source, 1}, {});
    if (!graph_) {
      ++last.line;
      throw last.error("expected a line 'rows columns entries'");
    }
    if (entries_ != announced_)
      throw last.error(fmt::format("expected {} entries, as the line of sizes announces, found {}",
                                   announced_, entries_));
    return std::move(*graph_);
  }

 private:
  void read_banner(const TextPlace& place, const LineFields& fields) {
    std::vector<std::string> words;
    for (const std::string_view field : fields) {
      words.emplace_back(field);
      std::transform(words.back().begin(), words.back().end(), words.back().begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
      throw place.error(place.text,
                        "expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY', found " +
                            in_quotes(place.text));
    }
    if (words[2] != "coordinate") {
      throw place.error(fields[2],
                        "expected a sparse matrix, 'coordinate', found " + in_quotes(fields[2]));
    }
    if (words[3] != "pattern" && words[3] != "integer" && words[3] != "real") {
      throw place.error(fields[3], "expected the field 'pattern', 'integer' or 'real', found " +
                                       in_quotes(fields[3]));
    }
    if (words[4] != "general" && words[4] != "symmetric") {
      throw place.error(fields[4], "expected the symmetry 'general' or 'symmetric', found " +
                                       in_quotes(fields[4]));
    }
    has_values_ = words[3] != "pattern";
    is_integer_ = words[3] == "integer";
    is_symmetric_ = words[4] == "symmetric";
  }

  void read_size(const TextPlace& place, const LineFields& fields) {
    if (fields.size() != 3)
      throw place.error(fields.back(),
                        "expected 'rows columns entries', found " + in_quotes(place.text));
    if (read_count(fields[0], place) != read_count(fields[1], place))
      throw place.error(fields[1], "expected a square matrix, as many rows as columns, found " +
                                       in_quotes(place.text));
    announced_ = read_count(fields[2], place);
    graph_ = numbered_vertices(fields[0], place);
  }

  void read_entry(const TextPlace& place, const LineFields& fields) {
    if (fields.size() != (has_values_ ? 3u : 2u))
      throw place.error(fields.back(), std::string("expected ") +
                                           (has_values_ ? "'row column value'" : "'row column'") +
                                           ", found " + in_quotes(place.text));
    const Vertex row = numbered_vertex(*graph_, fields[0], place);
    const Vertex column = numbered_vertex(*graph_, fields[1], place);
    ++entries_;
    if (has_values_ && is_zero(fields[2], place)) return;
    graph_->add_edge(row, column);
    if (is_symmetric_) graph_->add_edge(column, row);
  }

  /// By its digits: 1e-400 is not 0, whatever a floating-point number makes of it.
  bool is_zero(std::string_view value, const TextPlace& place) const {
    constexpr std::string_view exponents = "eEdDqQ";  // Fortran's too
    if (!is_decimal(value, exponents) ||
        (is_integer_ && value.find_first_of(".eEdDqQ") != std::string_view::npos)) {
      throw place.error(value, std::string("expected ") +
                                   (is_integer_ ? "an integer" : "a number") + " as value, found " +
                                   in_quotes(value));
    }
    const std::string_view mantissa = value.substr(0, value.find_first_of(exponents));
    return mantissa.find_first_of("123456789") == std::string_view::npos;
  }

  std::optional<Graph> graph_;  ///< from the line of sizes on
  bool has_values_ = false;
  bool is_integer_ = false;
  bool is_symmetric_ = false;
  std::size_t announced_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

Graph read_matrix_market(const std::string& text, const std::string& source) {
  return MatrixMarketReader().read(text, source);
}

std::string write_matrix_market(const Graph& graph) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n";
  text += comments_of_names(graph, "%");
  text += fmt::format("{} {} {}\n", graph.size(), graph.size(), graph.edge_count());
  for_each_edge(graph,
                [&](Vertex from, Vertex to) { text += fmt::format("{} {}\n", from + 1, to + 1); });
  return text;
}

}  // namespace logdepth::inline objects
