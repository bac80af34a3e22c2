#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth::inline learned_core {

/// Samples as tensors. Shapes as in Samples.
struct Batch {
  torch::Tensor indices;   ///< int64
  torch::Tensor features;  ///< of the model's type; undefined without features
  torch::Tensor view;      ///< bytes; undefined unless View::given
  torch::Tensor lengths;   ///< int64 [B]; undefined without padding
  torch::Tensor segments;  ///< int32 [B, L]; undefined unless several texts share a row
  torch::Tensor read;      ///< int64 [B, 1 or 2]; undefined of Readout::each_token
  torch::Tensor targets;   ///< int64
  torch::Tensor due;       ///< int64; undefined where every target is due after the first loop
  std::vector<torch::Tensor> layer_views;  ///< bytes [L, L], as in Samples
  std::vector<torch::Tensor> taught;       ///< int64, of each level, shaped as `targets`
  std::size_t size = 0;                    ///< n of log n
  std::uint32_t loops = 0;                 ///< that the samples ask for

  /// 1 for tokens, 0 for padding, [B, L] of the given type; undefined without padding.
  torch::Tensor real_tokens(torch::ScalarType type) const;
  /// The mean of a number per token [B, L] over those that are no padding.
  double mean_over_tokens(const torch::Tensor& per_token) const;
  /// The mean of |after - before| / |before|, states [B, L, width].
  double relative_change(const torch::Tensor& before, const torch::Tensor& after) const;
};

/// Copies a tensor of the host into one of a device, which need not have done what it was told
/// before.
void copy_from_host(const torch::Tensor& to, const torch::Tensor& from);

/// Errors: std::logic_error where the samples do not have the format's shape.
Batch to_batch(const Samples& samples, const TaskFormat& format, torch::Device device,
               torch::ScalarType type);

/// The answers that logits [..., TaskFormat::logits()] give: the largest class of each head, or the
/// positive bits, in the layout of Samples::targets, on the CPU.
Answers answers(const torch::Tensor& logits, const TaskFormat& format);

/// Which targets a loss asks for, and how.
struct LossTerm {
  std::int64_t due_after = 0;  ///< those due after so many loops; 0: all
  double empty_discount = 0;   ///< alpha of CE(p, y) (1 - alpha p[empty])
  torch::Tensor targets = {};  ///< in place of the batch's own, if defined
  std::int64_t seeds = 1;      ///< the samples are of so many networks, as many of each
};
/// Mean cross-entropy over the targets that are asked for, summed over the heads of answers; of
/// bits, their mean binary one. Of several seeds the mean of each, [seeds].
torch::Tensor mean_loss(const torch::Tensor& logits, const Batch& batch, const TaskFormat& format,
                        const LossTerm& term = {});

}  // namespace logdepth::inline learned_core
