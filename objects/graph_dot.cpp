#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/dot_outline.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

struct VertexNode {
  std::string name;
};
template <typename Direction>
using VertexGraph = boost::adjacency_list<boost::vecS, boost::vecS, Direction, VertexNode>;

struct Parsed {
  std::string error;             ///< Boost's sentence, empty when the text parses
  bool other_direction = false;  ///< the text is a `graph` where a `digraph` is read, or vice versa
};

template <typename Direction>
Parsed parse_vertices(const std::string& text, VertexGraph<Direction>& graph) {
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&VertexNode::name, graph));
  try {
    boost::read_graphviz(text, graph, properties, "node_id");
  } catch (const boost::undirected_graph_error&) {
    return {"expected 'digraph'", true};
  } catch (const boost::directed_graph_error&) {
    return {"expected 'graph'", true};
  } catch (const std::exception& error) {  // also what its regular expressions throw
    return {error.what()};
  }
  return {};
}

/// Shorter numbers first, so that numbers are in order of value; other names in byte order.
bool is_before(const std::string& left, const std::string& right) {
  const auto key = [](const std::string& name) {
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    return std::make_tuple(!is_number, is_number ? name.size() : 0, std::string_view(name));
  };
  return key(left) < key(right);
}

template <typename Direction>
Graph to_graph(const VertexGraph<Direction>& parsed, const std::string& text,
               const std::string& source) {
  std::vector<std::string> names;
  for (const auto vertex : boost::make_iterator_range(boost::vertices(parsed))) {
    names.push_back(parsed[vertex].name);
  }
  std::sort(names.begin(), names.end(), is_before);
  Graph graph;
  for (const std::string& name : names)
    add_named_vertex(graph, name, source, [&](const std::string& sentence) {
      const auto at = place_of_dot_text(text, source, name.empty() ? "\"\"" : name);
      if (!at) throw InputError(source + ": " + sentence);
      throw error_at(text, source, *at, sentence);
    });
  for (const auto edge : boost::make_iterator_range(boost::edges(parsed))) {
    graph.add_edge(*graph.vertex(parsed[boost::source(edge, parsed)].name),
                   *graph.vertex(parsed[boost::target(edge, parsed)].name));
  }
  return graph;
}

/// Absent when the text is of the other direction; Boost finds that before other errors.
template <typename Direction>
std::optional<Graph> read_as(const std::string& text, const std::string& source) {
  VertexGraph<Direction> graph;
  const Parsed parsed = parse_vertices(text, graph);
  if (parsed.error.empty()) return to_graph(graph, text, source);
  if (parsed.other_direction) return std::nullopt;
  throw dot_error(text, source, "expected a DOT graph", parsed.error,
                  [](const std::string& beginning) {
                    VertexGraph<Direction> ignored;
                    return parse_vertices(beginning, ignored).error;
                  });
}

}  // namespace

Graph read_dot_graph(const std::string& file, const std::string& source) {
  check_dot_outline(file, source, StrictGraphs::read);
  const std::string text = without_attributes(file, source);
  if (auto directed = read_as<boost::directedS>(text, source)) return std::move(*directed);
  auto undirected = read_as<boost::undirectedS>(text, source);
  if (!undirected) throw InputError(source + ": expected 'graph' or 'digraph'");
  undirected->make_undirected();
  return std::move(*undirected);
}

std::string write_dot_graph(const Graph& graph) {
  std::string text = "digraph {\n";
  for (const std::string& name : graph.names()) text += "  " + dot_name(name) + ";\n";
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    text += "  " + dot_name(graph.names()[from]) + " -> " + dot_name(graph.names()[to]) + ";\n";
  });
  return text + "}\n";
}

}  // namespace logdepth::inline objects
