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

using Fields = std::vector<std::string_view>;

class MatrixMarketReader {
 public:
  explicit MatrixMarketReader(const std::string& source) : source_(source) {}

  Graph read(const std::string& text) {
    for (const std::string_view line : lines_of(text)) {
      ++line_;
      const Fields fields = fields_of(line);
      if (line_ == 1) {
        read_banner(line, fields);
      } else if (fields.empty() || fields[0].front() == '%') {
        continue;
      } else if (!graph_) {
        read_size(line, fields);
      } else {
        read_entry(line, fields);
      }
    }
    if (line_ == 0) read_banner("", {});
    if (!graph_) throw InputError(source_, line_ + 1, "expected a line 'rows columns entries'");
    if (entries_ != announced_) {
      throw InputError(source_, line_,
                       fmt::format("expected {} entries, as the line of sizes announces, found {}",
                                   announced_, entries_));
    }
    return std::move(*graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError(source_, line_, sentence);
  }

  void read_banner(std::string_view line, const Fields& fields) {
    std::vector<std::string> words;
    for (const std::string_view field : fields) {
      words.emplace_back(field);
      std::transform(words.back().begin(), words.back().end(), words.back().begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
      throw InputError(
          source_, 1,
          "expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY', found " + in_quotes(line));
    }
    if (words[2] != "coordinate") {
      fail("expected a sparse matrix, 'coordinate', found " + in_quotes(fields[2]));
    }
    if (words[3] != "pattern" && words[3] != "integer" && words[3] != "real") {
      fail("expected the field 'pattern', 'integer' or 'real', found " + in_quotes(fields[3]));
    }
    if (words[4] != "general" && words[4] != "symmetric") {
      fail("expected the symmetry 'general' or 'symmetric', found " + in_quotes(fields[4]));
    }
    has_values_ = words[3] != "pattern";
    is_integer_ = words[3] == "integer";
    is_symmetric_ = words[4] == "symmetric";
  }

  void read_size(std::string_view line, const Fields& fields) {
    if (fields.size() != 3) fail("expected 'rows columns entries', found " + in_quotes(line));
    if (read_count(fields[0], source_, line_) != read_count(fields[1], source_, line_)) {
      fail("expected a square matrix, as many rows as columns, found " + in_quotes(line));
    }
    announced_ = read_count(fields[2], source_, line_);
    graph_ = numbered_vertices(fields[0], source_, line_);
  }

  void read_entry(std::string_view line, const Fields& fields) {
    if (fields.size() != (has_values_ ? 3u : 2u)) {
      fail(std::string("expected ") + (has_values_ ? "'row column value'" : "'row column'") +
           ", found " + in_quotes(line));
    }
    const Vertex row = numbered_vertex(*graph_, fields[0], source_, line_);
    const Vertex column = numbered_vertex(*graph_, fields[1], source_, line_);
    ++entries_;
    if (has_values_ && is_zero(fields[2])) return;
    graph_->add_edge(row, column);
    if (is_symmetric_) graph_->add_edge(column, row);
  }

  /// By its digits: 1e-400 is not 0, whatever a floating-point number makes of it.
  bool is_zero(std::string_view value) const {
    constexpr std::string_view exponents = "eEdDqQ";  // Fortran's too
    if (!is_decimal(value, exponents) ||
        (is_integer_ && value.find_first_of(".eEdDqQ") != std::string_view::npos)) {
      fail(std::string("expected ") + (is_integer_ ? "an integer" : "a number") +
           " as value, found " + in_quotes(value));
    }
    const std::string_view mantissa = value.substr(0, value.find_first_of(exponents));
    return mantissa.find_first_of("123456789") == std::string_view::npos;
  }

  const std::string& source_;
  std::size_t line_ = 0;
  std::optional<Graph> graph_;  ///< from the line of sizes on
  bool has_values_ = false;
  bool is_integer_ = false;
  bool is_symmetric_ = false;
  std::size_t announced_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

Graph read_matrix_market(const std::string& text, const std::string& source) {
  return MatrixMarketReader(source).read(text);
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
