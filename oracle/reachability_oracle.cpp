#include "oracle/reachability_oracle.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/transitive_closure.hpp>

namespace logdepth { inline namespace oracle {

struct ReachabilityOracle::Edges {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph;
};

ReachabilityOracle::ReachabilityOracle(const Graph& graph) : edges_(std::make_unique<Edges>()) {
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) boost::add_vertex(edges_->graph);
  for (Vertex from = 0; from < graph.size(); ++from) {
    for (Vertex to = 0; to < graph.size(); ++to) {
      if (graph.has_edge(from, to)) boost::add_edge(from, to, edges_->graph);
    }
  }
}

ReachabilityOracle::~ReachabilityOracle() = default;
ReachabilityOracle::ReachabilityOracle(ReachabilityOracle&&) noexcept = default;
ReachabilityOracle& ReachabilityOracle::operator=(ReachabilityOracle&&) noexcept = default;

bool ReachabilityOracle::reaches(Vertex source, Vertex target) const {
  std::vector<boost::default_color_type> colours(boost::num_vertices(edges_->graph));
  boost::breadth_first_search(
      edges_->graph, source,
      boost::color_map(boost::make_iterator_property_map(
          colours.begin(), boost::get(boost::vertex_index, edges_->graph))));
  return colours[target] != boost::white_color;
}

std::vector<std::vector<bool>> ReachabilityOracle::transitive_closure() const {
  const std::size_t size = boost::num_vertices(edges_->graph);
  decltype(Edges::graph) closure;
  boost::transitive_closure(edges_->graph, closure);
  std::vector<std::vector<bool>> relation(size, std::vector<bool>(size));
  for (std::size_t vertex = 0; vertex < size; ++vertex) relation[vertex][vertex] = true;
  for (const auto edge : boost::make_iterator_range(boost::edges(closure))) {
    relation[boost::source(edge, closure)][boost::target(edge, closure)] = true;
  }
  return relation;
}

}}  // namespace logdepth::oracle
