#pragma once

#include "learned/core/block.hpp"

namespace logdepth {

/// The pluggable parts of the repeated block. Every part owns its parameters; an absent part has
/// none. States are [B, L, width].

/// How a candidate state joins the state before it.
class StateGate {
 public:
  StateGate(Parameters& parameters, const ModelConfig& config);
  Tensor operator()(const Tensor& candidate, const Tensor& state,
                    TrainingConfig::Precision precision) const;
  /// z of the GRU-like gate, in (0, 1): the share of the candidate. Precondition: Gate::gru.
  Tensor share(const Tensor& candidate, const Tensor& state,
               TrainingConfig::Precision precision) const;

 private:
  ModelConfig::Gate kind_;
  Linear mix_;  ///< gru: [candidate; state] to z, its bias begins at gate_bias
};

/// A vector per step, added to the state that the block reads (but not to what the gate keeps).
class StepEmbedding {
 public:
  StepEmbedding(Parameters& parameters, const ModelConfig& config);
  /// Errors: InputError for a step beyond the table of `learned`. Steps count from 0.
  Tensor operator()(const Tensor& state, std::uint32_t step) const;

 private:
  ModelConfig::StepEmbedding kind_;
  std::uint32_t rows_, trained_;
  Tensor table_;  ///< [rows, width]
};

}  // namespace logdepth
