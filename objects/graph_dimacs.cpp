#include <fmt/core.h>

#include <optional>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

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

}  // namespace logdepth::inline objects
