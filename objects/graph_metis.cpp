#include <fmt/core.h>

#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

/// A line 'n m [format [weights of a vertex]]', then a line per vertex: its size and weights where
/// the format says so, then its neighbours, each with a weight where the format says so.
class MetisReader {
 public:
  Graph read(const std::string& text, const std::string& source) {
    const TextPlace last =
        for_each_line(text, source, [&](const TextPlace& place, const LineFields& fields) {
          if (!fields.empty() && fields[0].front() == '%') return;
          if (!has_header_) {
            if (!fields.empty()) read_header(place, fields);
          } else if (vertex_ < graph_.size()) {
            read_vertex(place, fields);
            ++vertex_;
          } else if (!fields.empty()) {
            throw place.error(
                fields[0],
                fmt::format("expected {}, as the first line announces, found another line",
                            counted(graph_.size(), "vertex", "vertices")));
          }
        });
    if (!has_header_) throw last.error("expected a line 'vertices edges'");
    check_edges(last);
    return std::move(graph_);
  }

 private:
  void read_header(const TextPlace& place, const LineFields& fields) {
    if (fields.size() < 2 || fields.size() > 4)
      throw place.error(
          fields[0],
          "expected 'vertices edges', perhaps with a format and a number of weights, found " +
              in_quotes(place.text));
    has_header_ = true;
    graph_ = numbered_vertices(fields[0], place);
    announced_ = read_count(fields[1], place);
    std::string format = fields.size() > 2 ? std::string(fields[2]) : "0";
    if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos)
      throw place.error(fields[2], "expected a format of at most three digits 0 or 1, found " +
                                       in_quotes(format));
    format.insert(0, 3 - format.size(), '0');
    const bool has_weights = format[1] == '1';
    const std::size_t weights = fields.size() > 3 ? read_count(fields[3], place) : 1;
    before_ = (format[0] == '1' ? 1 : 0) + (has_weights ? weights : 0);
    step_ = format[2] == '1' ? 2 : 1;
  }

  void read_vertex(const TextPlace& place, const LineFields& fields) {
    if (fields.size() < before_ || (fields.size() - before_) % step_ != 0)
      throw place.error(
          fields.empty() ? place.text : fields.back(),
          fmt::format("expected {} and then {}, as the first line announces, found {}",
                      counted(before_, "weight"),
                      step_ == 2 ? "pairs of a neighbour and a weight" : "neighbours",
                      counted(fields.size(), "number")));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!is_decimal(fields[i]))
        throw place.error(fields[i], "expected a number, found " + in_quotes(fields[i]));
      if (i < before_ || (i - before_) % step_ != 0) continue;
      const Vertex to = numbered_vertex(graph_, fields[i], place);
      if (graph_.has_edge(vertex_, to))
        throw place.error(fields[i],
                          "expected each neighbour once, found " + in_quotes(fields[i]) + " again");
      graph_.add_edge(vertex_, to);
    }
  }

  /// A last line that is empty may be missing: an editor drops it.
  void check_edges(const TextPlace& last) const {
    for_each_edge(graph_, [&](Vertex from, Vertex to) {
      if (!graph_.has_edge(to, from))
        throw last.error(fmt::format("expected {} as a neighbour of {}, which is a neighbour of {}",
                                     from + 1, to + 1, from + 1));
    });
    if (graph_.edge_count() != 2 * announced_)
      throw last.error(
          fmt::format("expected {} neighbours, two per edge that the first line announces, found "
                      "{}",
                      2 * announced_, graph_.edge_count()));
  }

  bool has_header_ = false;
  Graph graph_;
  std::size_t announced_ = 0, before_ = 0, step_ = 1;
  Vertex vertex_ = 0;  ///< of the next line
};

}  // namespace

Graph read_metis(const std::string& text, const std::string& source) {
  return MetisReader().read(text, source);
}

}  // namespace logdepth::inline objects
