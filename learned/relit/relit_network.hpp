#pragma once

#include <memory>
#include <optional>

#include "learned/core/network.hpp"
#include "learned/relit/hidden_states_network.hpp"
#include "learned/relit/recursive_block_network.hpp"

namespace logdepth::inline learned_relit {

/// Reads answers off states: the language model's own head, which does not change, or a copy of it
/// that is trained.
class AnswerHead {
 public:
  AnswerHead(Parameters& parameters, const Backbone& backbone, RelitSettings::Head kind);
  /// [B, width] to [B, vocabulary].
  Tensor operator()(const Tensor& states, TrainingConfig::Precision precision) const;

 private:
  const Backbone* backbone_;
  Linear trained_;
  Tensor bias_;
  bool frozen_;
};

/// A recursive block on the states x of a frozen language model (relit_settings.hpp). Answers are
/// read off one token of each sample, the last of its prompt. A loop of a pass is a macro step.
///
/// A batch is learned from by one descent per macro step: recursions without gradient, one with,
/// from states without history. A sample that halts leaves the batch; the loss of the others is
/// divided by the samples of the whole batch, so that each weighs the same in every macro step.
/// (A learned beginning of z gets a gradient through time only: the protocol of the paper passes
/// none to it.)
class RelitNetwork final : public Network {
 public:
  /// Errors: InputError where language model, task and settings do not fit.
  RelitNetwork(const RelitSettings& settings, Backbone backbone, const TaskFormat& format,
               std::uint64_t seed, torch::Device device = torch::kCPU,
               torch::ScalarType type = torch::kFloat32);

  /// [B, vocabulary]: the answer of each sample after the macro step at which it halts, of
  /// `options.loops` at most; without a halting head after the last. `PassTrace::logits` are those
  /// after the macro steps asked for, halted or not.
  Tensor operator()(const Batch& batch, const PassOptions& options,
                    PassTrace* trace = nullptr) const override;
  Learned learn(const Batch& batch, const Lesson& lesson) override;
  bool halts() const override { return settings_.halting; }
  std::uint32_t loops_of(const Batch&) const override { return settings_.macro_steps; }
  std::uint32_t training_loops(const Batch&, std::uint64_t, std::uint64_t) const override {
    return settings_.macro_steps;
  }

  const Backbone& backbone() const { return backbone_; }
  const RelitSettings& settings() const { return settings_; }
  const RecursiveBlock& block() const { return block_; }
  /// x of a batch, [B, L, width].
  Tensor states(const Batch& batch, TrainingConfig::Precision precision) const;
  Anchor anchor(const Batch& batch, const Tensor& x, TrainingConfig::Precision precision) const;

 private:
  ReasoningStates recursions(ReasoningStates states, const Anchor& anchor,
                             std::uint32_t count) const;
  /// A macro step as training takes it; `learned`: a loss follows.
  ReasoningStates macro_step(ReasoningStates state, const Anchor& anchor, bool learned) const;
  /// What became of the samples of a batch, [B] each, but for the logits [B, vocabulary].
  struct Judged {
    Tensor losses, logits;
    Tensor halting;  ///< whether it ends here; undefined without a halting head
  };
  Judged judged(const Tensor& y, const Batch& batch, std::uint32_t step,
                TrainingConfig::Precision precision) const;
  /// The logit of halting, [B].
  Tensor halting(const Tensor& read, TrainingConfig::Precision precision) const;
  /// Normal numbers for the samples of a step; undefined where z does not begin with any.
  Tensor noise(const Tensor& x, const Lesson& lesson) const;
  /// Which samples end with macro step `step`, bool [B].
  Tensor halting_now(const Tensor& logit, std::uint32_t step) const;

  RelitSettings settings_;
  Backbone backbone_;
  std::unique_ptr<HiddenStates> hidden_;
  RecursiveBlock block_;
  AnswerHead head_;
  std::optional<Linear> halting_head_;
};

/// A linear map of x before the answers are read off, in place of the recursive block: what is
/// there to be read without any reasoning.
class LinearProbe final : public Network {
 public:
  /// Errors: as above.
  LinearProbe(const RelitSettings& settings, Backbone backbone, const TaskFormat& format,
              std::uint64_t seed, torch::Device device = torch::kCPU,
              torch::ScalarType type = torch::kFloat32);

  Tensor operator()(const Batch& batch, const PassOptions& options, PassTrace*) const override;
  std::uint32_t loops_of(const Batch&) const override { return 1; }
  std::uint32_t training_loops(const Batch&, std::uint64_t, std::uint64_t) const override {
    return 1;
  }

 private:
  Backbone backbone_;
  std::unique_ptr<HiddenStates> hidden_;
  Linear map_;
  AnswerHead head_;
};

}  // namespace logdepth::inline learned_relit
