#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "objects/graph.hpp"

/// Distances and balls of small graphs, without code of `learned`.
namespace logdepth::laws {

/// A matrix [n, n]: 1 for an edge from row to column.
using Edges = std::vector<std::uint8_t>;

/// Shortest paths by Floyd's algorithm; -1 where there is none.
inline std::vector<std::int32_t> floyd_distances(const Edges& edges, std::size_t n) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int64_t> far(n * n, kFar);
  for (std::size_t i = 0; i < n * n; ++i)
    if (edges[i]) far[i] = 1;
  for (std::size_t v = 0; v < n; ++v) far[v * n + v] = 0;
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        far[from * n + to] = std::min(far[from * n + to], far[from * n + via] + far[via * n + to]);
  std::vector<std::int32_t> distances;
  for (const std::int64_t d : far)
    distances.push_back(d >= kFar ? -1 : static_cast<std::int32_t>(d));
  return distances;
}

/// The vertices that are reached in at most `steps` steps, found by widening the set edge by edge.
inline std::vector<bool> ball(const Edges& edges, std::size_t n, std::size_t centre,
                              std::uint32_t steps) {
  std::vector<bool> inside(n);
  inside[centre] = true;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::vector<bool> before = inside;
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        if (before[from] && edges[from * n + to]) inside[to] = true;
  }
  return inside;
}

/// The graph with vertices "0" to "n-1" for the oracles.
inline Graph graph_of(const Edges& edges, std::size_t n) {
  Graph graph;
  for (std::size_t v = 0; v < n; ++v) graph.add_vertex(std::to_string(v));
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      if (edges[from * n + to]) graph.add_edge(static_cast<Vertex>(from), static_cast<Vertex>(to));
  return graph;
}

}  // namespace logdepth::laws
