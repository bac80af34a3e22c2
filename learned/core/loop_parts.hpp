#pragma once

#include "learned/core/block.hpp"

namespace logdepth::inline learned_core {

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

/// A vector per step, times step_scale, added to what the block reads (not to what the gate keeps).
class StepEmbedding {
 public:
  StepEmbedding(Parameters& parameters, const ModelConfig& config);
  /// Errors: InputError for a step beyond the table of `learned`. Steps count from 0.
  Tensor operator()(const Tensor& state, std::uint32_t step) const;

 private:
  ModelConfig::StepEmbedding kind_;
  double scale_;
  std::uint32_t rows_, trained_;
  Tensor table_;  ///< [rows, width]; of several seeds with them before
};

/// Decides token by token when a loop has run often enough (adaptive computation time, Graves 2016;
/// ETD section 5): after every loop w = sigmoid(a . state + b) is added to a token's sum, and from
/// 1 - 0.01 on the token keeps its state. Other tokens go on reading it.
class HaltingRouter {
 public:
  HaltingRouter(Parameters& parameters, const ModelConfig& config);
  bool present() const { return kind_ != ModelConfig::Router::none; }

  /// Where the tokens of one pass stand.
  struct Progress {
    Tensor running;      ///< bool [B, L]: not halted
    Tensor sum;          ///< [B, L], of w so far
    Tensor loops_taken;  ///< int64 [B, L]
    Tensor mixed;        ///< of Router::mixture, [B, L, width]: the weighted states so far
  };
  /// `real`: bool [B, L], padding is halted from the beginning; undefined: there is none.
  Progress begin(const Tensor& state, const Tensor& real) const;
  /// The states after one more loop, of which `candidate` is the outcome. `last`: whether every
  /// token is halted after it.
  Tensor advance(const Tensor& state, const Tensor& candidate, bool last,
                 TrainingConfig::Precision precision, Progress& progress) const;
  /// What is read on, `state` being the states after the last loop.
  Tensor outcome(const Tensor& state, const Progress& progress) const;

 private:
  ModelConfig::Router kind_;
  Linear weigh_;
};

}  // namespace logdepth::inline learned_core
