#pragma once

#include <cstdint>
#include <vector>

#include "learned/core/block.hpp"
#include "learned/core/network.hpp"

namespace logdepth { inline namespace learned_core {

/// An (s, r, t)-universal transformer (MS25 Def. 2.3) with parts in its loop that may be absent, without
/// parameters:
///
///   h  = initial(embed(input));  st = h
///   repeat: c = repeated(st + step embedding);  st = gate(c, st)
///   logits = readout(norm(final(st)))
///
/// The step embedding is step_scale times a vector per step. gate(c, st) = (1 - z) st + z c with z =
/// sigmoid(W [c; st] + b), whose bias begins at -2, as published.
/// Padding is never attended to, and answers of other tokens do not depend on it.
class UniversalTransformer final : public Network {
 public:
  UniversalTransformer(const ModelConfig& config, const TaskFormat& format, Seeds seeds,
                       torch::Device device = torch::kCPU,
                       torch::ScalarType type = torch::kFloat32);

  Tensor operator()(const Batch& batch, const PassOptions& options,
                    PassTrace* trace = nullptr) const override;
  bool loops() const override { return !repeated_.empty(); }
  std::uint32_t loops_of(const Batch& batch) const override;
  std::uint32_t training_loops(const Batch& batch, std::uint64_t seed,
                               std::uint64_t step) const override;

 private:
  Tensor embed(const Batch& batch) const;
  Tensor read_out(const Tensor& state, const Batch& batch, AttentionContext& context) const;
  /// What the block reads at a step, counted from 0. Errors: InputError beyond the table of steps.
  Tensor at_step(const Tensor& state, std::uint32_t step) const;
  Tensor think(Tensor state, const Batch& batch, const PassOptions& options,
               AttentionContext& context, PassTrace* trace) const;

  ModelConfig config_;
  Tensor distances_;
  std::vector<Tensor> tables_;
  Linear features_;
  std::vector<TransformerBlock> initial_, repeated_, final_;
  Linear gate_;            ///< of Gate::gru
  Tensor step_embedding_;  ///< [rows, width], of several seeds with them before; undefined without
  ChannelNorm final_norm_;
  Linear readout_hidden_, readout_;
  /// Of what is taught after executed layer 1, 2, ...: a norm and a readout of its own.
  struct TaughtReadout {
    ChannelNorm norm;
    Linear readout;
  };
  std::vector<TaughtReadout> taught_;
};

}}  // namespace logdepth::learned_core
