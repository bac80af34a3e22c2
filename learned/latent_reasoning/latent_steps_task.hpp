#pragma once

#include <cstdint>
#include <memory>

#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/latent_reasoning/graph_task.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Discrete latent reasoning: a sample is one iteration of the layer-by-layer algorithm, the state
/// z(t) of a graph to be answered by z(t + 1), all factors of all tokens. In training t is uniform
/// in 0 ... depth + 3 (teacher forcing: states are exact, iterations independent), so that the
/// network is a plain one; the loop is part of the measure (discrete_loop.hpp). It begins with
/// z(0), goes on to the fixed point, at most 4 times as often as the graph is deep, and is judged
/// by the values at the defining tokens.
///
/// With self-correction (`corrupted` above 0) values of that share of the states are replaced by
/// wrong ones, while the targets stay true.
///
/// A cell of the result (graph_task.hpp) has in addition
///   "recovery": from the final state, a tenth of its known values replaced by wrong ones (at least
///   one), the loop runs again: {"replaced": 0.1, "nodes": share of right nodes, "graphs": share of
///   graphs with all nodes right, "hit_nodes": share of right nodes among those whose defining
///   token was replaced, null without any, "hit": their number}.
/// "method" is "discrete" or "corrected", "settling" and "solved_after" are there.
struct LatentStepsConfig final : GraphTaskSettings {
  ValueSupervision supervised = ValueSupervision::all_occurrences;
  double corrupted = 0;           ///< share of training states with errors
  double corrupted_known = 0.1;   ///< in these: chance of a known value to be replaced
  double corrupted_empty = 0.02;  ///< of an empty one to be filled in

  const char* kind() const override { return "latent-steps"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};

}  // namespace logdepth::inline learned_latent_reasoning
