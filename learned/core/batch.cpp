#include "learned/core/batch.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace logdepth {
namespace {

using torch::Tensor;

template <class Number>
Tensor tensor_of(const std::vector<Number>& numbers, std::vector<std::int64_t> shape,
                 const char* what) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  if (static_cast<std::size_t>(count) != numbers.size())
    throw std::logic_error(
        fmt::format("samples hold {} {}, expected {}", numbers.size(), what, count));
  // from_blob takes memory that it could write to; the clone is made before anyone can.
  return torch::from_blob(const_cast<Number*>(numbers.data()), shape,
                          torch::TensorOptions(c10::CppTypeToScalarType<Number>::value))
      .clone();
}

Tensor predicted(const Tensor& logits, const TaskFormat& format) {
  return format.answer == TaskFormat::Answer::one_class ? logits.argmax(-1)
                                                        : (logits > 0).to(torch::kLong);
}

}  // namespace

Batch to_batch(const Samples& samples, const TaskFormat& format, torch::Device device,
               torch::ScalarType type) {
  const auto count = static_cast<std::int64_t>(samples.count);
  const auto tokens = static_cast<std::int64_t>(samples.tokens);
  const auto tables = static_cast<std::int64_t>(format.tables.size());
  Batch batch;
  batch.size = samples.size;
  batch.indices =
      tensor_of(samples.indices, {count, tokens, tables}, "indices").to(device, torch::kLong);
  if (format.features > 0)
    batch.features =
        tensor_of(samples.features, {count, tokens, format.features}, "features").to(device, type);
  if (format.view == TaskFormat::View::given)
    batch.view = tensor_of(samples.view, {count, tokens, tokens}, "entries of the view").to(device);
  if (format.readout == TaskFormat::Readout::pair)
    batch.pairs = tensor_of(samples.pairs, {count, 2}, "ends of pairs").to(device, torch::kLong);
  std::vector<std::int64_t> shape = {count};
  if (format.readout == TaskFormat::Readout::each_token) shape.push_back(tokens);
  if (format.answer == TaskFormat::Answer::bits) shape.push_back(format.outputs);
  batch.targets = tensor_of(samples.targets, shape, "targets").to(device, torch::kLong);
  return batch;
}

std::vector<std::int32_t> answers(const Tensor& logits, const TaskFormat& format) {
  const Tensor host = predicted(logits, format).to(torch::kCPU, torch::kInt).contiguous();
  return {host.data_ptr<std::int32_t>(), host.data_ptr<std::int32_t>() + host.numel()};
}

Tensor mean_loss(const Tensor& logits, const Batch& batch, const TaskFormat& format) {
  const Tensor numbers =
      logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  if (format.answer == TaskFormat::Answer::one_class)
    return torch::cross_entropy_loss(numbers.flatten(0, -2), batch.targets.flatten(), {},
                                     at::Reduction::Mean, Samples::kIgnored);
  const Tensor asked = (batch.targets != Samples::kIgnored).to(numbers.scalar_type());
  const Tensor bits = batch.targets.clamp_min(0).to(numbers.scalar_type());
  const Tensor losses =
      torch::binary_cross_entropy_with_logits(numbers, bits, {}, {}, at::Reduction::None);
  return (losses * asked).sum() / asked.sum();
}

Tensor all_right(const Tensor& logits, const Batch& batch, const TaskFormat& format) {
  const Tensor fine =
      (predicted(logits, format) == batch.targets).logical_or(batch.targets == Samples::kIgnored);
  return fine.view({fine.size(0), -1}).all(1);
}

}  // namespace logdepth
