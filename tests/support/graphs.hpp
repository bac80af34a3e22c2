#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "objects/graph.hpp"

/// Graphs to test with.
namespace logdepth::support {

/// Vertices "1" to "n" and no edge.
Graph numbered_graph(std::size_t vertices);
/// Calls `visit` with every directed graph on "1" to "n", self-loops included: 2^(n*n) of them.
void for_each_graph(std::size_t vertices, const std::function<void(const Graph&)>& visit);
/// Every edge, self-loops included, with this probability.
Graph random_graph(std::mt19937_64& random, const std::vector<std::string>& names, double density);

/// The same vertex names and the same edges between them, in whatever order.
bool same_graph(const Graph& left, const Graph& right);

std::string edge_list_text(const Graph& graph);

}  // namespace logdepth::support
