#pragma once

#include <memory>
#include <optional>
#include <string>

#include "learned/core/block.hpp"
#include "learned/records/counter_random.hpp"

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
  Linear mix_;        ///< gru: [candidate; state] to z, its bias begins at gate_bias
  ChannelNorm norm_;  ///< residual_norm: norm(state + candidate)
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

/// How the input of the loop enters again at every step.
class InputInjection {
 public:
  InputInjection(Parameters& parameters, const ModelConfig& config);
  Tensor operator()(const Tensor& state, const Tensor& input,
                    TrainingConfig::Precision precision) const;

 private:
  ModelConfig::Injection kind_;
  Linear mix_;  ///< concat: [state; input] to a state
};

/// Replaces every state by the nearest of a list of codes: the code with the largest logit,
/// embedded again. The gradient passes through the softmax of the logits (straight-through).
class StateDiscretiser {
 public:
  StateDiscretiser(Parameters& parameters, const ModelConfig& config);
  Tensor operator()(const Tensor& state, TrainingConfig::Precision precision) const;
  /// Codes [codes, width]; undefined without a discretiser.
  const Tensor& codes() const { return codes_; }

 private:
  Linear logits_;
  Tensor codes_;
};

/// In training, replaces the state of a token with some probability: by a random code where there
/// is a discretiser, else by noise of the deviation of embeddings.
class StateCorruptor {
 public:
  explicit StateCorruptor(const ModelConfig& config);
  Tensor operator()(const Tensor& state, const Tensor& codes, CounterRandom random) const;
  bool present() const { return probability_ > 0; }

 private:
  double probability_, deviation_;
};

/// When a sample has thought enough.
class Halting {
 public:
  Halting(Parameters& parameters, const ModelConfig& config);
  /// The logit of "the answer is right", per sample [B]. Precondition: Halting::head.
  Tensor logit(const Tensor& state, TrainingConfig::Precision precision) const;
  /// Whether each sample stops after `step` (counted from 0): bytes [B]; undefined: nobody.
  /// fixed_point: its state is what it was before, bit for bit; head: probability above one half,
  /// from the second step on.
  Tensor stops(const Tensor& state, const Tensor& before, std::uint32_t step,
               TrainingConfig::Precision precision) const;

 private:
  ModelConfig::Halting kind_;
  Linear right_;
};

}  // namespace logdepth
