#include "learned/core/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_core {
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

/// Of several seeds the sum of each.
Tensor sum_of(const Tensor& each, std::int64_t seeds) {
  return seeds == 1 ? each.sum() : each.reshape({seeds, -1}).sum(1);
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
  return sum_of(losses, seeds);
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
    return sum_of(losses * asked, term.seeds) / sum_of(asked, term.seeds);
  }
  Tensor sum;
  std::int64_t first = 0;
  for (std::size_t head = 0; head < format.outputs.size(); ++head) {
    const auto at = static_cast<std::int64_t>(head);
    const bool discounted = format.empty && format.empty->head == head;
    const Tensor loss =
        class_loss(numbers.narrow(-1, first, format.outputs[head]).flatten(0, -2),
                   targets.select(-1, at).flatten(), discounted ? term.empty_discount : 0,
                   discounted ? format.empty->value : 0, term.seeds) /
        sum_of(asked.select(-1, at), term.seeds).clamp_min(1);
    sum = sum.defined() ? sum + loss : loss;
    first += format.outputs[head];
  }
  return sum;
}

void expect_device(torch::Device device) {
  if (device.is_cuda() && !torch::globalContext().hasCUDA())
    throw InputError("--device cuda: this libtorch has no CUDA or finds no device, expected cpu");
}

Tensor supervised_loss(const Network& network, const Batch& batch, const PassOptions& options,
                       const TrainingConfig& training, Tensor* last_logits) {
  LossTerm term;
  term.seeds = network.parameters().seeds();
  term.empty_discount = training.empty_discount;
  const bool last_only = training.supervision == TrainingConfig::Supervision::last;
  PassTrace trace;
  trace.take_taught = !batch.taught.empty();
  if (!last_only) {
    trace.read_after.resize(options.loops);
    std::iota(trace.read_after.begin(), trace.read_after.end(), 1U);
  }
  const Tensor logits = network(batch, options, &trace);
  if (last_logits) *last_logits = logits.detach();
  if (last_only) trace.logits = {logits};
  Tensor loss;
  for (std::size_t loop = 0; loop < trace.logits.size(); ++loop) {
    if (training.supervision == TrainingConfig::Supervision::when_due)
      term.due_after = static_cast<std::int64_t>(loop + 1);
    const Tensor after = mean_loss(trace.logits[loop], batch, network.format(), term);
    loss = loss.defined() ? loss + after : after;
  }
  if (!last_only) loss = loss / static_cast<double>(trace.logits.size());
  for (std::size_t level = 0; level < trace.taught.size(); ++level) {
    LossTerm taught;
    taught.seeds = term.seeds;
    taught.targets = batch.taught[level];
    loss = loss + mean_loss(trace.taught[level], batch, network.format(), taught);
  }
  return loss;
}

namespace {

using Texts = std::vector<std::vector<std::int32_t>>;

/// Texts of different lengths go on side by side: at a position where one still has a token that
/// was given, that one is read, else the one that was decoded before it.
class GreedyDecoder {
 public:
  GreedyDecoder(const Network& network, TrainingConfig::Precision precision) : network_(network) {
    options_.precision = precision;
    options_.caches = &caches_;
  }

  Texts operator()(const Samples& prompts, std::int32_t end, std::size_t most) {
    begin(prompts);
    const std::size_t shortest = *std::min_element(given_.begin(), given_.end());
    std::vector<std::int32_t> next = read(0, shortest);
    for (std::size_t position = shortest; position < most; ++position) {
      bool writing = false;
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        if (position < given_[i]) {
          writing = true;
        } else if (texts_[i].size() == given_[i] || texts_[i].back() != end) {
          texts_[i].push_back(next[i]);
          writing |= next[i] != end;
        }
      }
      if (!writing || position + 1 == most) break;
      next = read(position, position + 1);
    }
    return std::move(texts_);
  }

 private:
  void begin(const Samples& prompts) {
    for (std::size_t i = 0; i < prompts.count; ++i) {
      const auto first = prompts.indices.begin() + static_cast<std::ptrdiff_t>(i * prompts.tokens);
      given_.push_back(prompts.length(i));
      texts_.emplace_back(first, first + static_cast<std::ptrdiff_t>(given_.back()));
    }
  }

  /// Reads the tokens from `first` up to, not including, `last`; the likeliest token after each
  /// text. Of a text that has ended its last token is read again, to no effect on the others.
  std::vector<std::int32_t> read(std::size_t first, std::size_t last) {
    Samples samples;
    samples.count = texts_.size();
    samples.tokens = last - first;
    samples.size = last;
    for (const std::vector<std::int32_t>& text : texts_)
      for (std::size_t position = first; position < last; ++position)
        samples.indices.push_back(position < text.size() ? text[position] : text.back());
    samples.targets.assign(samples.count * samples.tokens, Samples::kIgnored);
    const Batch batch = to_batch(samples, network_.format(), network_.device(), network_.type());
    options_.loops = network_.loops_of(batch);
    options_.first_position = static_cast<std::int64_t>(first);
    const Tensor logits = network_(batch, options_);
    return answers(logits.select(1, logits.size(1) - 1), network_.format());
  }

  const Network& network_;
  PassOptions options_;
  std::vector<KeyValueCache> caches_;
  std::vector<std::size_t> given_;
  Texts texts_;
};

}  // namespace

Predictor predictor_of(const Network& network, TrainingConfig::Precision precision) {
  const auto batch_of = [&network](const Samples& samples) {
    return to_batch(samples, network.format(), network.device(), network.type());
  };
  Predictor predictor([&network, precision, batch_of](const Samples& samples, std::uint32_t loops) {
    const torch::NoGradGuard no_grad;
    const Batch batch = batch_of(samples);
    PassOptions options;
    options.loops = loops > 0 ? loops : network.loops_of(batch);
    options.precision = precision;
    return answers(network(batch, options), network.format());
  });
  predictor.answers_after = [&network, precision, batch_of](
                                const Samples& samples, const std::vector<std::uint32_t>& loops) {
    const torch::NoGradGuard no_grad;
    PassOptions options;
    options.loops = loops.back();
    options.precision = precision;
    PassTrace trace;
    trace.read_after = loops;
    const Tensor last = network(batch_of(samples), options, &trace);
    // A network without a loop answers alike after any number of them.
    if (trace.logits.empty()) trace.logits.assign(loops.size(), last);
    std::vector<Answers> all;
    for (const Tensor& logits : trace.logits) all.push_back(answers(logits, network.format()));
    return all;
  };
  predictor.continued = [&network, precision](const Samples& prompts, std::int32_t end,
                                              std::size_t most) {
    const torch::NoGradGuard no_grad;
    return GreedyDecoder(network, precision)(prompts, end, most);
  };
  if (network.loops())
    predictor.own_loops = [&network](std::size_t size) {
      Batch of_that_size;
      of_that_size.size = size;
      return network.loops_of(of_that_size);
    };
  return predictor;
}

}}  // namespace logdepth::learned_core
