#pragma once

#include <cstdint>
#include <memory>

#include "learned/latent_reasoning/graph_task.hpp"
#include "learned/latent_reasoning/thought_words.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Chains of thought: a causal language model of one table of words (thought_words.hpp) is trained
/// to go on after <CoT> with the thought and <end>; it is not asked about the question. Measured by
/// greedy decoding, at most as far as the right thought of the longest graph in a batch goes: a
/// node is right if the first part of the thought that begins with its name ends in its value.
///
/// "method" of the result is "chain-of-thought", cells have "structure" (graph_task.hpp).
struct LatentWordsConfig final : GraphTaskSettings {
  ThoughtFormat format = ThoughtFormat::eq_val;

  const char* kind() const override { return "latent-words"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};
const char* thought_format_name(ThoughtFormat format);

}  // namespace logdepth::inline learned_latent_reasoning
