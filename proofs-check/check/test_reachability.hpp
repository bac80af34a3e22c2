#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "objects/graph.hpp"
#include "oracle/command_oracle.hpp"
#include "proofs-check/check/shard.hpp"
#include "runtime/file/head_place.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct ReachabilityOptions {
  std::size_t up_to = 2;    ///< every graph of at most this many vertices, self-loops included
  std::size_t random = 20;  ///< more graphs, of at most `max_size` vertices
  std::size_t max_size = 5;
  std::uint64_t seed = 1;
  bool undirected = false;  ///< only graphs with every edge both ways
  /// What is right; without it searches in the graph.
  ReachabilityQuestion oracle = nullptr;
  Shard shard;
  /// Called now and then with graphs done and graphs in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

struct GraphCounterexample {
  Graph graph;  ///< shrunk: no vertex and no edge can be left out
  Vertex source = 0, target = 0;
  std::string expected, got;
  std::size_t original_vertices = 0, original_edges = 0;
  std::uint64_t number = 0;  ///< of the graph first found, in the whole test
};

struct [[nodiscard]] ReachabilityReport {
  std::size_t exhaustive_graphs = 0, random_graphs = 0;
  std::size_t up_to = 0, max_size = 0;  ///< as asked, or the file's own limit if that is less
  std::uint64_t seed = 0;
  std::size_t pairs = 0, connected = 0;  ///< questions, and those with a path
  std::uint64_t promises = 0;
  std::vector<HeadPlace> unevaluated;  ///< heads whose promise was never checked
  std::optional<GraphCounterexample> counterexample;
};

/// Property test of any weights file that takes graphs against searches in the graph: verdicts,
/// promises at every row, as many layers as claimed, and a refusal one vertex beyond the file's own
/// limit. Every small graph with every source and target, then paths, cut paths, cycles, stars,
/// two components, complete, empty, layered and sparse graphs with vertices in random order.
/// Errors: InputError when the model takes something else, when up_to is more than 2^20 questions
/// for each shard.
ReachabilityReport test_reachability(const Model& model, const ReachabilityOptions& options);

}  // namespace logdepth
