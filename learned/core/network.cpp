#include "learned/core/network.hpp"

#include <numeric>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {

void expect_device(torch::Device device) {
  if (device.is_cuda() && !torch::globalContext().hasCUDA())
    throw InputError("--device cuda: this libtorch has no CUDA or finds no device, expected cpu");
}

Learned Network::learn(const Batch& batch, const Lesson& lesson) {
  PassOptions options;
  options.loops = training_loops(batch, lesson.seed, lesson.step);
  options.gradient_span = lesson.training.gradient_span;
  options.precision = lesson.training.precision;
  Tensor logits;
  const Tensor loss = supervised_loss(*this, batch, options, lesson.training, &logits);
  lesson.descend(loss);
  return {loss.detach(), logits};
}

namespace {

/// The mean of the losses of the answers after every loop.
Tensor mean_loss_of_loops(const PassTrace& trace, const Batch& batch, const TaskFormat& format,
                          const TrainingConfig& training, std::int64_t seeds) {
  LossTerm term;
  term.seeds = seeds;
  term.empty_discount = training.empty_discount;
  Tensor sum;
  for (std::size_t loop = 0; loop < trace.logits.size(); ++loop) {
    if (training.supervision == TrainingConfig::Supervision::when_due)
      term.due_after = static_cast<std::int64_t>(loop + 1);
    const Tensor loss = mean_loss(trace.logits[loop], batch, format, term);
    sum = sum.defined() ? sum + loss : loss;
  }
  return sum / static_cast<double>(trace.logits.size());
}

}  // namespace

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
  Tensor loss = last_only
                    ? mean_loss(logits, batch, network.format(), term)
                    : mean_loss_of_loops(trace, batch, network.format(), training, term.seeds);
  for (std::size_t level = 0; level < trace.taught.size(); ++level) {
    LossTerm taught;
    taught.seeds = term.seeds;
    taught.targets = batch.taught[level];
    loss = loss + mean_loss(trace.taught[level], batch, network.format(), taught);
  }
  return loss;
}

}  // namespace logdepth::inline learned_core
