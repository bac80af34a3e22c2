#pragma once

#include <cstdint>
#include <vector>

#include "learned/core/loop_parts.hpp"
#include "learned/core/network.hpp"

namespace logdepth {

/// An (s, r, t)-universal transformer (MS25 Def. 2.3) with pluggable parts in its loop:
///
///   h  = initial(embed(input));  st = h
///   repeat: u = inject(st + step embedding, h);  c = repeated(u);  st = gate(c, st);
///           st = corrupt(discretise(st));  halt?
///   logits = readout(norm(final(st)))
class UniversalTransformer final : public Network {
 public:
  UniversalTransformer(const ModelConfig& config, const TaskFormat& format, std::uint64_t seed,
                       torch::Device device = torch::kCPU,
                       torch::ScalarType type = torch::kFloat32);

  Tensor operator()(const Batch& batch, const PassOptions& options,
                    Trace* trace = nullptr) const override;
  std::uint32_t loops_at(std::size_t size) const override;
  std::uint32_t training_loops(std::size_t size, std::uint64_t seed,
                               std::uint64_t step) const override;
  bool has_halting_head() const override;

 private:
  Tensor embed(const Batch& batch) const;
  Tensor read_out(Tensor state, const Batch& batch, AttentionContext& context) const;
  Tensor think(const Tensor& input, const Batch& batch, const PassOptions& options,
               AttentionContext& context, Trace* trace) const;
  Tensor one_step(const Tensor& state, const Tensor& input, std::uint32_t step,
                  const PassOptions& options, AttentionContext& context, StepRecord* record) const;

  ModelConfig config_;
  std::vector<Tensor> tables_;
  Linear features_;
  std::vector<TransformerBlock> initial_, repeated_, final_;
  StateGate gate_;
  StepEmbedding step_embedding_;
  InputInjection injection_;
  StateDiscretiser discretiser_;
  StateCorruptor corruptor_;
  Halting halting_;
  ChannelNorm final_norm_;
  Linear readout_hidden_, readout_;
};

}  // namespace logdepth
