#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"

namespace logdepth { inline namespace objects {
namespace {

class DimacsReader {
 public:
  Graph read(const std::string& text, const std::string& source) {
    TextPlace last =
        for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
          // Comments are 'c' and anything, also without a space between.
          if (!fields.empty() && fields[0].front() != 'c') read_line(place, fields);
        });
    if (!graph_) {
      ++last.line;
      throw last.error("expected a line " + problem_line);
    }
    if (edges_ != announced_)
      throw last.error(fmt::format("expected {} lines '{}', as the line 'p' announces, found {}",
                                   announced_, edge_letter_, edges_));
    return std::move(*graph_);
  }

 private:
  inline static const std::string problem_line =
      "'p edge n m', 'p col n m', 'p sp n m' or 'p max n m'";

  void read_line(const TextPlace& place, const LineFields& fields) {
    if (fields[0] == "p") {
      read_problem(place, fields);
    } else if (!graph_) {
      throw place.error(
          fields[0], "expected a line " + problem_line + " first, found " + in_quotes(place.text));
    } else if (fields[0] == "n" && (fields.size() == 2 || fields.size() == 3)) {
      numbered_vertex(*graph_, fields[1], place);  // a terminal or a colour: not used
    } else {
      read_edge(place, fields);
    }
  }

  void read_problem(const TextPlace& place, const LineFields& fields) {
    if (graph_) throw place.error(fields[0], "expected one line 'p', found a second one");
    if (fields.size() != 4)
      throw place.error(fields.back(),
                        "expected " + problem_line + ", found " + in_quotes(place.text));
    if (fields[1] == "edge" || fields[1] == "edges" || fields[1] == "col") {
      edge_letter_ = 'e';
    } else if (fields[1] == "sp" || fields[1] == "max") {
      edge_letter_ = 'a';
    } else {
      throw place.error(fields[1],
                        "expected " + problem_line + ", found the problem " + in_quotes(fields[1]));
    }
    announced_ = read_count(fields[3], place);
    graph_ = numbered_vertices(fields[2], place);
  }

  void read_edge(const TextPlace& place, const LineFields& fields) {
    const bool directed = edge_letter_ == 'a';
    const bool begins = fields[0] == std::string_view(&edge_letter_, 1);
    if (!begins || fields.size() < 3 || fields.size() > 4)
      throw place.error(begins ? fields.back() : fields[0],
                        std::string("expected a line ") + (directed ? "'a u v w'" : "'e u v'") +
                            ", as the line 'p' announces, found " + in_quotes(place.text));
    if (fields.size() == 4 && !is_decimal(fields[3]))
      throw place.error(fields[3], "expected a number as weight, found " + in_quotes(fields[3]));
    const Vertex from = numbered_vertex(*graph_, fields[1], place);
    const Vertex to = numbered_vertex(*graph_, fields[2], place);
    graph_->add_edge(from, to);
    if (!directed) graph_->add_edge(to, from);
    ++edges_;
  }

  std::optional<Graph> graph_;  ///< from the line 'p' on
  char edge_letter_ = 'e';
  std::size_t announced_ = 0;
  std::size_t edges_ = 0;
};

}  // namespace

Graph read_dimacs(const std::string& text, const std::string& source) {
  return DimacsReader().read(text, source);
}

std::string write_dimacs(const Graph& graph) {
  std::string text = comments_of_names(graph, "c");
  text += fmt::format("p sp {} {}\n", graph.size(), graph.edge_count());
  for_each_edge(
      graph, [&](Vertex from, Vertex to) { text += fmt::format("a {} {} 1\n", from + 1, to + 1); });
  return text;
}

std::string write_undirected_dimacs(const Graph& graph) {
  std::string edges;
  std::size_t count = 0;
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    if (!graph.has_edge(to, from)) {
      throw InputError("the edge from " + in_quotes(graph.names()[from]) + " to " +
                       in_quotes(graph.names()[to]) +
                       " cannot be written: the graphs of .col are undirected; those of .gr are "
                       "directed");
    }
    if (from > to) return;
    edges += fmt::format("e {} {}\n", from + 1, to + 1);
    ++count;
  });
  return comments_of_names(graph, "c") + fmt::format("p edge {} {}\n", graph.size(), count) + edges;
}

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
    for (const std::string_view field : fields) words.push_back(lower_case(field));
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

namespace {

/// The characters of a graph: each is six bits, from the highest on.
class SixBitReader {
 public:
  /// `header`: what may stand before the graph.
  SixBitReader(const std::string& text, const std::string& source, std::string_view header)
      : source_(source), line_(text), place_{source, 1, text} {
    if (line_.starts_with(header)) line_.remove_prefix(header.size());
    const std::size_t end = line_.find_first_of("\r\n");
    if (end != std::string_view::npos) {
      if (line_.find_first_not_of("\r\n", end) != std::string_view::npos)
        throw InputError(source_, 2, "expected one graph, found a second one; expected one line");
      line_ = line_.substr(0, end);
    }
  }

  bool taken(char mark) {
    if (!line_.starts_with(mark)) return false;
    line_.remove_prefix(1);
    return true;
  }

  /// The number of vertices, called 0 to n - 1.
  Graph vertices() {
    check();
    std::uint64_t count = next();
    if (count == 63) {
      std::size_t digits = 3;
      count = next();
      if (count == 63) {
        digits = 6;
        count = next();
      }
      for (std::size_t i = 1; i < digits; ++i) count = count << 6 | next();
    }
    bit_ = 6;
    return graph_of_size(count, 0, source_);
  }

  /// Of what follows the number of vertices.
  std::size_t characters_left() const { return line_.size() - at_; }

  bool bit() {
    if (bit_ == 6) {
      value_ = next();
      bit_ = 0;
    }
    return (value_ >> (5 - bit_++) & 1) != 0;
  }

  [[noreturn]] void fail(const std::string& sentence) const {
    throw InputError(source_, 1, sentence);
  }

 private:
  void check() const {
    for (const char& c : line_)
      if (c < 63 || c > 126)
        throw place_.error({&c, 1}, "expected characters from '?' to '~', found " +
                                        in_quotes(std::string_view(&c, 1)));
  }

  std::uint64_t next() {
    if (at_ == line_.size()) fail("expected more characters, found the end of the line");
    return static_cast<std::uint64_t>(line_[at_++]) - 63;
  }

  const std::string& source_;
  std::string_view line_;
  TextPlace place_;
  std::size_t at_ = 0, bit_ = 6;
  std::uint64_t value_ = 0;
};

}  // namespace

Graph read_graph6(const std::string& text, const std::string& source) {
  const bool directed_header = text.starts_with(">>digraph6<<");
  SixBitReader reader(text, source, directed_header ? ">>digraph6<<" : ">>graph6<<");
  const bool directed = reader.taken('&');
  if (!directed && directed_header) reader.fail("expected '&' after the header of digraph6");
  if (reader.taken(':')) reader.fail("expected graph6, found sparse6, which begins with ':'");
  Graph graph = reader.vertices();
  const std::size_t n = graph.size();
  const std::size_t bits = directed ? n * n : n * (n - (n > 0 ? 1 : 0)) / 2;
  if (reader.characters_left() != (bits + 5) / 6)
    reader.fail(fmt::format("expected {} after the number of vertices, {}, found {}",
                            counted((bits + 5) / 6, "character"), n, reader.characters_left()));
  for (Vertex row = 0; row < n; ++row)
    for (Vertex column = 0; column < (directed ? n : row); ++column)
      if (reader.bit()) {
        graph.add_edge(row, column);
        if (!directed) graph.add_edge(column, row);
      }
  return graph;
}

}}  // namespace logdepth::objects
