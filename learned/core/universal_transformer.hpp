#pragma once

#include <cstdint>
#include <vector>

#include "learned/core/loop_parts.hpp"
#include "learned/core/network.hpp"

namespace logdepth::inline learned_core {

/// An (s, r, t)-universal transformer (MS25 Def. 2.3) with pluggable parts in its loop:
///
///   h  = initial(embed(input));  st = h
///   repeat: c = repeated(st + step embedding);  st = gate(c, st)
///   logits = readout(norm(final(st)))
///
/// Padding is never attended to, and answers of other tokens do not depend on it.
class UniversalTransformer final : public Network {
 public:
  UniversalTransformer(const ModelConfig& config, const TaskFormat& format, Seeds seeds,
                       torch::Device device = torch::kCPU, torch::ScalarType type = torch::kFloat32,
                       Purpose purpose = Purpose::trained);

  /// Gives every block an adapter of low rank, whose parameters are those of another network.
  void adapt(Parameters& parameters, std::int64_t rank);
  /// Lays the same layers out anew, as so many initial and repeated ones, the rest final; parameters
  /// keep their names. Precondition: there are as many, and no part of the loop has parameters.
  void cut(std::uint32_t initial, std::uint32_t repeated);
  /// The states of all tokens that answers are read off, [B, L, width]: after the last layer and
  /// its norm.
  Tensor hidden(const Batch& batch, const PassOptions& options) const;
  /// The answers that such states give, [..., TaskFormat::logits()].
  Tensor unembed(const Tensor& hidden, TrainingConfig::Precision precision) const;

  /// Errors: InputError for samples beyond a table of absolute positions.
  Tensor operator()(const Batch& batch, const PassOptions& options,
                    PassTrace* trace = nullptr) const override;
  bool loops() const override { return !repeated_.empty() && !router_.present(); }
  bool halts() const override { return router_.present(); }
  std::uint32_t loops_of(const Batch& batch) const override;
  std::uint32_t training_loops(const Batch& batch, std::uint64_t seed,
                               std::uint64_t step) const override;

 private:
  Tensor embed(const Batch& batch, std::int64_t first_position) const;
  AttentionContext context_of(const Batch& batch, const PassOptions& options) const;
  Tensor normed(Tensor state, AttentionContext& context) const;
  Tensor read_out(const Tensor& state, const Batch& batch, AttentionContext& context) const;
  /// The states after the initial layers and the loop.
  Tensor thought(const Batch& batch, const PassOptions& options, AttentionContext& context,
                 PassTrace* trace) const;
  Tensor think(const Tensor& input, const Batch& batch, const PassOptions& options,
               AttentionContext& context, PassTrace* trace) const;
  Tensor think_adaptively(const Tensor& input, const Batch& batch, const PassOptions& options,
                          AttentionContext& context, PassTrace* trace) const;
  LoopReading reading(const Tensor& before, const Tensor& candidate, const Tensor& after,
                      const Batch& batch, const AttentionContext& context) const;

  ModelConfig config_;
  Tensor distances_, positions_;
  std::vector<Tensor> tables_;
  Linear features_;
  std::vector<TransformerBlock> initial_, repeated_, final_;
  StateGate gate_;
  StepEmbedding step_embedding_;
  HaltingRouter router_;
  ChannelNorm final_norm_;
  Linear readout_hidden_, readout_;
  /// Of what is taught after executed layer 1, 2, ...: a norm and a readout of its own.
  struct TaughtReadout {
    ChannelNorm norm;
    Linear readout;
  };
  std::vector<TaughtReadout> taught_;
};

}  // namespace logdepth::inline learned_core
