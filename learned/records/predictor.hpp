#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace logdepth::inline learned_records {

struct Samples;

/// Answers of a model, in the layout of Samples::targets.
using Answers = std::vector<std::int32_t>;
/// `loops`: how often the repeated block runs; 0: as often as the model's own rule says.
using Predict = std::function<Answers(const Samples&, std::uint32_t loops)>;

/// What happened in one loop, as means over the tokens that are no padding.
struct LoopReading {
  double gate_share = 0;  ///< of the candidate state that the gate lets in; 1 without a gate
  double change = 0;      ///< |state after - state before| / |state before|
};

/// A model as measures see it: functions, so that a measure can be tried on predictors whose result
/// is known. Made from `answers` alone it does the rest in the plain way.
struct Predictor {
  template <class F>
  requires std::is_invocable_r_v<Answers, F, const Samples&, std::uint32_t> Predictor(F predict)
      : Predictor(Predict(std::move(predict))) {}
  Predictor(Predict predict);

  Predict answers;
  /// The answers after several numbers of loops, growing: one pass gives all of them.
  std::function<std::vector<Answers>(const Samples&, const std::vector<std::uint32_t>& loops)>
      answers_after;
  /// Greedy decoding of a causal model with one table and one head of answers, whose classes are
  /// the table's rows: each sample goes on from its `lengths` tokens with the likeliest next token
  /// until `end` was written or it has `most` tokens. Result: the tokens of each sample, those
  /// given first.
  std::function<std::vector<std::vector<std::int32_t>>(const Samples& prompts, std::int32_t end,
                                                       std::size_t most)>
      continued;
  /// Loops that every token took ([count, tokens]), or every sample of one_token and pair; empty
  /// where the model loops as often as it is told.
  std::function<std::vector<std::uint32_t>(const Samples&)> loops_taken;
  /// How often the repeated block runs on inputs of a size by the model's own rule; empty where there
  /// is no block to repeat, or tokens halt by themselves.
  std::function<std::uint32_t(std::size_t size)> own_loops;
  /// A reading per loop of `loops`; empty where the model has none to give.
  std::function<std::vector<LoopReading>(const Samples&, std::uint32_t loops)> loop_readings;
};

}  // namespace logdepth::inline learned_records
