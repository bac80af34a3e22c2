#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth {

/// Samples as tensors. Shapes as in Samples.
struct Batch {
  torch::Tensor indices;   ///< int64
  torch::Tensor features;  ///< of the model's type; undefined without features
  torch::Tensor view;      ///< bytes; undefined unless View::given
  torch::Tensor pairs;     ///< int64 [B, 2]; undefined unless Readout::pair
  torch::Tensor targets;   ///< int64
  std::size_t size = 0;    ///< n of log n
};

/// Errors: std::logic_error where the samples do not have the format's shape.
Batch to_batch(const Samples& samples, const TaskFormat& format, torch::Device device,
               torch::ScalarType type);

/// The answers that logits give: the largest class ([B, L] or [B]), or the positive bits ([B, L,
/// outputs]), in the layout of Samples::targets, on the CPU.
std::vector<std::int32_t> answers(const torch::Tensor& logits, const TaskFormat& format);

/// Mean cross-entropy over the targets that are asked for; of bits, their mean binary one.
torch::Tensor mean_loss(const torch::Tensor& logits, const Batch& batch, const TaskFormat& format);

/// Per sample, whether every target asked for is answered right; bytes [B].
torch::Tensor all_right(const torch::Tensor& logits, const Batch& batch, const TaskFormat& format);

}  // namespace logdepth
