#include <fmt/core.h>

#include <cstdint>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

/// The characters of one graph of nauty's formats: each is six bits, from the highest on.
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
    if (count > Graph::max_vertices)
      throw SizeLimit(
          fmt::format("{}: the graph has {} vertices, more than {}, the limit; try a part of it",
                      source_, count, Graph::max_vertices));
    Graph graph;
    for (std::uint64_t i = 0; i < count; ++i) graph.add_vertex(std::to_string(i));
    bit_ = 6;
    return graph;
  }

  /// Of what follows the number of vertices.
  std::size_t bits_left() const { return 6 * (line_.size() - at_) + (6 - bit_); }
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

Graph read_sparse6(const std::string& text, const std::string& source) {
  SixBitReader reader(text, source, ">>sparse6<<");
  if (!reader.taken(':')) reader.fail("expected ':' as the first character of sparse6");
  Graph graph = reader.vertices();
  const std::size_t n = graph.size();
  std::size_t width = 1;
  while ((std::size_t{1} << width) < n) ++width;
  for (std::size_t vertex = 0; reader.bits_left() > width;) {
    if (reader.bit()) ++vertex;
    std::size_t other = 0;
    for (std::size_t i = 0; i < width; ++i) other = other << 1 | (reader.bit() ? 1 : 0);
    if (vertex >= n || other >= n) break;  // what fills the last character
    if (other > vertex) {
      vertex = other;
    } else {
      graph.add_edge(static_cast<Vertex>(vertex), static_cast<Vertex>(other));
      graph.add_edge(static_cast<Vertex>(other), static_cast<Vertex>(vertex));
    }
  }
  return graph;
}

}  // namespace logdepth::inline objects
