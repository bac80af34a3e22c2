#include "learned/core/batch.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace logdepth::inline learned_core {
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

/// Cross-entropy of one head, the gradient of the discount included (Eq. 8 of the paper on latent
/// space reasoning): its sum, of several seeds that of each.
Tensor class_loss(const Tensor& logits, const Tensor& targets, double discount, std::int64_t empty,
                  std::int64_t seeds) {
  if (discount == 0 && seeds == 1)
    return torch::cross_entropy_loss(logits, targets, {}, at::Reduction::Sum, Samples::kIgnored);
  Tensor losses =
      torch::cross_entropy_loss(logits, targets, {}, at::Reduction::None, Samples::kIgnored);
  if (discount != 0)
    losses = losses * (1 - discount * torch::softmax(logits, -1).select(-1, empty));
  return seeds == 1 ? losses.sum() : losses.view({seeds, -1}).sum(1);
}

}  // namespace

Batch to_batch(const Samples& samples, const TaskFormat& format, torch::Device device,
               torch::ScalarType type) {
  const auto count = static_cast<std::int64_t>(samples.count);
  const auto tokens = static_cast<std::int64_t>(samples.tokens);
  const auto tables = static_cast<std::int64_t>(format.tables.size());
  Batch batch;
  batch.size = samples.size;
  batch.loops = samples.loops;
  batch.indices =
      tensor_of(samples.indices, {count, tokens, tables}, "indices").to(device, torch::kLong);
  if (format.features > 0)
    batch.features =
        tensor_of(samples.features, {count, tokens, format.features}, "features").to(device, type);
  if (format.view == TaskFormat::View::given)
    batch.view = tensor_of(samples.view, {count, tokens, tokens}, "entries of the view").to(device);
  if (!samples.segments.empty())
    batch.segments = tensor_of(samples.segments, {count, tokens}, "segments").to(device);
  if (!samples.lengths.empty())
    batch.lengths = tensor_of(samples.lengths, {count}, "lengths").to(device, torch::kLong);
  for (const std::vector<std::uint8_t>& view : samples.layer_views)
    batch.layer_views.push_back(
        tensor_of(view, {tokens, tokens}, "entries of a layer's view").to(device));
  std::vector<std::int64_t> shape = {count};
  if (format.readout == TaskFormat::Readout::each_token) {
    shape.push_back(tokens);
  } else {
    const std::int64_t read = format.readout == TaskFormat::Readout::pair ? 2 : 1;
    batch.read = tensor_of(samples.read, {count, read}, "tokens to read").to(device, torch::kLong);
  }
  shape.push_back(static_cast<std::int64_t>(format.heads()));
  batch.targets = tensor_of(samples.targets, shape, "targets").to(device, torch::kLong);
  for (const std::vector<std::int32_t>& level : samples.taught)
    batch.taught.push_back(tensor_of(level, shape, "targets of a level").to(device, torch::kLong));
  if (!samples.due.empty())
    batch.due =
        tensor_of(samples.due, shape, "loops at which targets are due").to(device, torch::kLong);
  return batch;
}

void copy_from_host(const Tensor& to, const Tensor& from) {
  const torch::NoGradGuard no_grad;
  const Tensor shaped = from.view(to.sizes());
  if (to.is_cuda()) {
    to.copy_(shaped.to(to.scalar_type()).pin_memory(), /*non_blocking=*/true);
  } else {
    to.copy_(shaped);
  }
}

Tensor Batch::real_tokens(torch::ScalarType type) const {
  if (!lengths.defined()) return {};
  const Tensor positions = torch::arange(indices.size(1), lengths.options());
  return (positions < lengths.unsqueeze(1)).to(type);
}

double Batch::mean_over_tokens(const torch::Tensor& per_token) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor real = real_tokens(torch::kBool);
  return (real.defined() ? per_token.masked_select(real) : per_token).mean().item<double>();
}

double Batch::relative_change(const torch::Tensor& before, const torch::Tensor& after) const {
  return mean_over_tokens((after - before).norm(2, -1) / before.norm(2, -1));
}

Answers answers(const Tensor& logits, const TaskFormat& format) {
  Tensor chosen;
  if (format.answer == TaskFormat::Answer::bits) {
    chosen = logits > 0;
  } else {
    std::vector<Tensor> heads;
    std::int64_t first = 0;
    for (const std::uint32_t classes : format.outputs) {
      heads.push_back(logits.narrow(-1, first, classes).argmax(-1));
      first += classes;
    }
    chosen = torch::stack(heads, -1);
  }
  const Tensor host = chosen.to(torch::kCPU, torch::kInt).contiguous();
  return {host.data_ptr<std::int32_t>(), host.data_ptr<std::int32_t>() + host.numel()};
}

Tensor mean_loss(const Tensor& logits, const Batch& batch, const TaskFormat& format,
                 const LossTerm& term) {
  const Tensor numbers =
      logits.scalar_type() == torch::kFloat64 ? logits : logits.to(torch::kFloat32);
  Tensor targets = term.targets.defined() ? term.targets : batch.targets;
  if (term.due_after > 0 && batch.due.defined())
    targets = targets.masked_fill(batch.due > term.due_after, Samples::kIgnored);
  const Tensor asked = (targets != Samples::kIgnored).to(numbers.scalar_type());
  if (format.answer == TaskFormat::Answer::bits) {
    const Tensor bits = targets.clamp_min(0).to(numbers.scalar_type());
    const Tensor losses =
        torch::binary_cross_entropy_with_logits(numbers, bits, {}, {}, at::Reduction::None);
    if (term.seeds == 1) return (losses * asked).sum() / asked.sum();
    return (losses * asked).view({term.seeds, -1}).sum(1) / asked.view({term.seeds, -1}).sum(1);
  }
  const auto count_of = [&](const Tensor& each) {
    return term.seeds == 1 ? each.sum() : each.reshape({term.seeds, -1}).sum(1);
  };
  Tensor sum;
  std::int64_t first = 0;
  for (std::size_t head = 0; head < format.outputs.size(); ++head) {
    const auto at = static_cast<std::int64_t>(head);
    const bool discounted = format.empty && format.empty->head == head;
    const Tensor loss =
        class_loss(numbers.narrow(-1, first, format.outputs[head]).flatten(0, -2),
                   targets.select(-1, at).flatten(), discounted ? term.empty_discount : 0,
                   discounted ? format.empty->value : 0, term.seeds) /
        count_of(asked.select(-1, at)).clamp_min(1);
    sum = sum.defined() ? sum + loss : loss;
    first += format.outputs[head];
  }
  return sum;
}

}  // namespace logdepth::inline learned_core
