#include "tests/support/graphs.hpp"

#include <sstream>

namespace logdepth::support {
namespace {

void for_each_edge(const Graph& graph, const std::function<void(Vertex, Vertex)>& visit) {
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) visit(from, to);
}

}  // namespace

Graph numbered_graph(std::size_t vertices) {
  Graph graph;
  for (std::size_t v = 1; v <= vertices; ++v) graph.add_vertex(std::to_string(v));
  return graph;
}

void for_each_graph(std::size_t vertices, const std::function<void(const Graph&)>& visit) {
  const std::size_t pairs = vertices * vertices;
  for (std::uint64_t edges = 0; edges < std::uint64_t{1} << pairs; ++edges) {
    Graph graph = numbered_graph(vertices);
    for (std::size_t pair = 0; pair < pairs; ++pair)
      if ((edges >> pair & 1) != 0)
        graph.add_edge(static_cast<Vertex>(pair / vertices), static_cast<Vertex>(pair % vertices));
    visit(graph);
  }
}

Graph random_graph(std::mt19937_64& random, const std::vector<std::string>& names, double density) {
  Graph graph;
  for (const std::string& name : names) graph.add_vertex(name);
  std::bernoulli_distribution is_edge(density);
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (is_edge(random)) graph.add_edge(from, to);
  return graph;
}

bool same_graph(const Graph& left, const Graph& right) {
  if (left.size() != right.size() || left.edge_count() != right.edge_count()) return false;
  std::vector<Vertex> renamed;
  for (const std::string& name : left.names()) {
    const auto vertex = right.vertex(name);
    if (!vertex) return false;
    renamed.push_back(*vertex);
  }
  bool same = true;
  for_each_edge(left, [&](Vertex from, Vertex to) {
    same = same && right.has_edge(renamed[from], renamed[to]);
  });
  return same;
}

std::string edge_list_text(const Graph& graph) {
  std::ostringstream text;
  text << "# edge list\n";  // so names may be any, and there may be no edge
  for (const std::string& name : graph.names()) text << name << '\n';
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    text << graph.names()[from] << ' ' << graph.names()[to] << '\n';
  });
  return text.str();
}

}  // namespace logdepth::support
