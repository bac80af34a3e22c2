#pragma once

#include <memory>
#include <vector>

#include "objects/graph.hpp"

namespace logdepth { inline namespace oracle {

/// Who reaches whom along directed edges, from Boost.Graph: every vertex reaches itself. The two
/// procedures share nothing but the edges, so each is a check of the other.
class ReachabilityOracle {
 public:
  explicit ReachabilityOracle(const Graph& graph);
  ~ReachabilityOracle();
  ReachabilityOracle(ReachabilityOracle&&) noexcept;
  ReachabilityOracle& operator=(ReachabilityOracle&&) noexcept;

  /// By breadth-first search from the source.
  bool reaches(Vertex source, Vertex target) const;
  /// The whole relation, row by row, by strong components and their condensation: for graphs of
  /// some hundred vertices, it stores every pair as an edge.
  std::vector<std::vector<bool>> transitive_closure() const;

 private:
  struct Edges;
  std::unique_ptr<Edges> edges_;
};

}}  // namespace logdepth::oracle
