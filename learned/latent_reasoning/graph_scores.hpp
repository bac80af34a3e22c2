#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "learned/latent_reasoning/computation_graphs.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// What a method made of one graph.
struct GraphAnswer {
  /// Of each node, whether its value at the defining token (or the first that a chain of thought
  /// gives it) is right.
  std::vector<bool> right;

  /// Of methods that iterate until nothing changes.
  struct Settling {
    /// Iterations that changed something; absent where the cap was reached.
    std::optional<std::uint32_t> iterations;
    std::vector<bool> solved_after;  ///< of each iteration; the last entry holds from there on
  };
  std::optional<Settling> settling;
  std::optional<bool> structure;  ///< of a chain of thought: all but the values is right

  bool solved() const;
};

/// The scores of graphs and their answers, as they stand in results of the tasks of this paper (the
/// object of one cell; GraphTask adds what the cell is):
///   "graphs": how many; "solved": share with all nodes right; "node_accuracy": share of nodes;
///   "by_depth": [{"depth", "graphs", "solved", "node_accuracy"}], by the depth of the graph;
///   "by_node_depth": [{"depth", "nodes", "accuracy"}], by the depth of the node;
/// where methods iterate until nothing changes
///   "settling": that of `settling_json`; "solved_after": [share solved after iterations 1, 2, ...];
/// and where answers have a structure
///   "structure": share of graphs with the right one.
nlohmann::ordered_json graph_scores_json(const std::vector<ComputationGraph>& graphs,
                                         const std::vector<GraphAnswer>& answers);

/// How many iterations graphs of a depth take:
///   "settled": share that came to a fixed point below the cap;
///   "by_depth": [{"depth", "graphs", "iterations"}]: solved and settled graphs, mean iterations;
///   "fit": {"slope", "intercept", "r2", "graphs"}: iterations on depth over these graphs, null
///   where they are of fewer than two depths. The algorithm itself has slope 1, intercept 0.
nlohmann::ordered_json settling_json(const std::vector<ComputationGraph>& graphs,
                                     const std::vector<GraphAnswer>& answers);

}  // namespace logdepth::inline learned_latent_reasoning
