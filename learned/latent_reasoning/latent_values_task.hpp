#pragma once

#include <cstdint>
#include <memory>

#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/latent_reasoning/graph_task.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Values from the input in one go of a model whose states are continuous: z(0), where values of
/// variables are empty, is to be answered by z(depth), all factors of all tokens. What differs is
/// when a target counts and how often the block runs:
/// `feed_forward`: after the last layer; the model's own rule.
/// `recurrent`: after the last loop; the samples ask for as many loops as their graphs are deep
///   (LoopRule::Kind::asked), and all graphs of a batch have one depth. A model with another rule
///   follows that: the paper's has 4 loops.
/// `continuous`: algorithmic supervision in the latent state. Samples ask for as many loops as the
///   deepest graph of the batch; the value of a token counts from the loop on at which it is due
///   (Supervision::when_due), one of all other factors from the first. Measured batches have one
///   depth.
/// `no_oracle`: all targets count after every loop (Supervision::mean_steps), and a loss that
///   discounts "empty" (TrainingConfig::empty_discount). Measured after 4 times as many loops as
///   the graph is deep; "settling" says from which loop on the answers stayed as they are, which is
///   more than that one loop did not change them: states are continuous. "solved_after" is there.
///
/// "method" of the result is the word of the setting (graph_task.hpp).
struct LatentValuesConfig final : GraphTaskSettings {
  enum class Method { feed_forward, recurrent, continuous, no_oracle };
  Method method = Method::continuous;
  ValueSupervision supervised = ValueSupervision::all_occurrences;

  const char* kind() const override { return "latent-values"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::uint32_t most_loops() const override;
};

}  // namespace logdepth::inline learned_latent_reasoning
