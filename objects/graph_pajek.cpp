#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

/// Sections from lines '*Vertices n', '*Arcs', '*Edges', '*Arcslist', '*Edgeslist'. What follows the
/// label of a vertex or the ends of an edge is not used.
class PajekReader {
 public:
  explicit PajekReader(const std::string& source) : source_(source) {}

  Graph read(const std::string& text) {
    for_each_line(text, source_, [&](const TextPlace& place, const LineFields& fields) {
      place_ = place;
      if (fields.empty() || fields[0].front() == '%') return;
      if (fields[0].front() == '*') {
        begin_section(fields);
      } else if (section_ == "*vertices") {
        read_vertex(place.text, fields);
      } else {
        read_edges(fields);
      }
    });
    Graph graph;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (graph.vertex(labels_[i]))
        throw InputError(
            source_, lines_[i] == 0 ? place_.line : lines_[i],
            "two vertices are called " + in_quotes(labels_[i]) + "; expected distinct labels");
      add_named_vertex(graph, labels_[i], source_, [&](const std::string& sentence) {
        throw InputError(source_, lines_[i] == 0 ? place_.line : lines_[i], sentence);
      });
    }
    for_each_edge(numbers_, [&](Vertex from, Vertex to) { graph.add_edge(from, to); });
    return graph;
  }

 private:
  void begin_section(const std::vector<std::string_view>& fields) {
    std::string word(fields[0]);
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "*network" && section_.empty()) return;
    if (word == "*vertices" && section_.empty()) {
      if (fields.size() < 2) throw place_.error(fields[0], "expected '*Vertices n'");
      numbers_ = numbered_vertices(fields[1], place_);
      labels_ = numbers_.names();
      lines_.resize(labels_.size());
    } else if (section_.empty()) {
      throw place_.error(fields[0], "expected '*Vertices n' first, found " + in_quotes(fields[0]));
    } else if (word != "*arcs" && word != "*edges" && word != "*arcslist" && word != "*edgeslist") {
      throw place_.error(fields[0], "expected *Arcs, *Edges, *Arcslist or *Edgeslist, found " +
                                        in_quotes(fields[0]));
    }
    section_ = word;
  }

  void read_vertex(std::string_view line, const std::vector<std::string_view>& fields) {
    const Vertex vertex = numbered_vertex(numbers_, fields[0], place_);
    if (lines_[vertex] != 0)
      throw place_.error(fields[0],
                         fmt::format("vertex {} occurs twice; expected it once", vertex + 1));
    lines_[vertex] = place_.line;
    if (fields.size() == 1) return;
    const std::size_t begin = static_cast<std::size_t>(fields[1].data() - line.data());
    if (line[begin] != '"') {
      labels_[vertex] = fields[1];
      return;
    }
    const std::size_t end = line.find('"', begin + 1);
    if (end == std::string_view::npos)
      throw place_.error(fields[1], "expected a closing quotation mark of the label");
    labels_[vertex] = line.substr(begin + 1, end - begin - 1);
  }

  void read_edges(const LineFields& fields) {
    if (section_.empty())
      throw place_.error(fields[0],
                         "expected '*Vertices n' first, found " + in_quotes(place_.text));
    const bool list = section_.ends_with("list");
    if (fields.size() < 2)
      throw place_.error(fields[0],
                         "expected a source and a target, found " + in_quotes(place_.text));
    const Vertex from = numbered_vertex(numbers_, fields[0], place_);
    for (std::size_t i = 1; i < (list ? fields.size() : 2); ++i) {
      const Vertex to = numbered_vertex(numbers_, fields[i], place_);
      numbers_.add_edge(from, to);
      if (section_.starts_with("*edges")) numbers_.add_edge(to, from);
    }
  }

  const std::string& source_;
  TextPlace place_;      ///< the present line
  std::string section_;  ///< in lower case
  Graph numbers_;
  std::vector<std::string> labels_;
  std::vector<std::size_t> lines_;  ///< of the labels; 0 where there is none
};

}  // namespace

Graph read_pajek(const std::string& text, const std::string& source) {
  return PajekReader(source).read(text);
}

}  // namespace logdepth::inline objects
