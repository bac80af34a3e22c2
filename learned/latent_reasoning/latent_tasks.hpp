#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "learned/latent_reasoning/graph_task.hpp"

namespace logdepth { inline namespace learned_latent_reasoning {

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
struct LatentValuesConfig final : SettingsOf<LatentValuesConfig, GraphTaskSettings> {
  enum class Method { feed_forward, recurrent, continuous, no_oracle };
  Method method = Method::continuous;

  const char* kind() const override { return "latent-values"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::uint32_t most_loops() const override;
};

/// Discrete latent reasoning: a sample is one iteration of the layer-by-layer algorithm, the state
/// z(t) of a graph to be answered by z(t + 1), all factors of all tokens. In training t is uniform
/// in 0 ... depth + 3 (teacher forcing: states are exact, iterations independent), so that the
/// network is a plain one; the loop is part of the measure (`run`). It begins with
/// z(0), goes on to the fixed point, at most 4 times as often as the graph is deep, and is judged
/// by the values at the defining tokens.
///
/// With self-correction (`corrupted` above 0) values of that share of the states are replaced by
/// wrong ones, while the targets stay true.
///
/// A cell of the result (graph_task.hpp) has in addition
///   "recovery": from the final state, a tenth of its known values replaced by wrong ones (at least
///   one), the loop runs again: {"hit_nodes": share of right nodes among those whose defining
///   token was replaced, null without any, "hit": their number}.
/// "method" is "discrete" or "corrected", "settling" and "solved_after" are there.
struct LatentStepsConfig final : SettingsOf<LatentStepsConfig, GraphTaskSettings> {
  double corrupted = 0;           ///< share of training states with errors
  double corrupted_known = 0.1;   ///< in these: chance of a known value to be replaced
  double corrupted_empty = 0.02;  ///< of an empty one to be filled in

  const char* kind() const override { return "latent-steps"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};

/// Computation graphs as plain words, for chains of thought (the paper, appendix B.2): the
/// equations of the graph as graph_task.hpp has them, then <CoT>, then for every node in their order
/// how its value comes about, `x = a o b o c = v ;`, a leaf `x = v ;`, then <end>.

/// The words and their numbers: values, names, operations, and the four others.
struct ThoughtVocabulary {
  std::uint32_t modulus = 3, names = 32;

  std::int32_t value(std::uint32_t v) const { return static_cast<std::int32_t>(v); }
  std::int32_t variable(std::uint32_t k) const { return static_cast<std::int32_t>(modulus + k); }
  std::int32_t operation(GraphOperation o) const {
    return static_cast<std::int32_t>(modulus + names) + static_cast<std::int32_t>(o);
  }
  std::int32_t equals() const { return static_cast<std::int32_t>(modulus + names) + 3; }
  std::int32_t separator() const { return equals() + 1; }
  std::int32_t begin_thought() const { return equals() + 2; }
  std::int32_t end() const { return equals() + 3; }
  std::uint32_t size() const { return modulus + names + 7; }
};

using WordText = std::vector<std::int32_t>;
/// The equations and <CoT>.
WordText question_words(const ComputationGraph& graph, const ThoughtVocabulary& words);
/// The thought and <end>.
WordText thought_words(const ComputationGraph& graph, const ThoughtVocabulary& words);

/// For each node whether a thought gives it its value: the last word of the first part (between
/// separators) that begins with its name.
std::vector<bool> right_in_thought(const WordText& thought, const ComputationGraph& graph,
                                   const ThoughtVocabulary& words);

/// Chains of thought: a causal language model of one table of words is trained
/// to go on after <CoT> with the thought and <end>; it is not asked about the question. Measured by
/// greedy decoding, at most as far as the right thought of the longest graph in a batch goes: a
/// node is right if the first part of the thought that begins with its name ends in its value.
///
/// "method" of the result is "chain-of-thought".
struct LatentWordsConfig final : SettingsOf<LatentWordsConfig, GraphTaskSettings> {
  const char* kind() const override { return "latent-words"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
};

}}  // namespace logdepth::learned_latent_reasoning
