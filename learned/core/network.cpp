#include "learned/core/network.hpp"

#include <numeric>

#include "learned/core/constructed_network.hpp"
#include "learned/core/universal_transformer.hpp"

namespace logdepth {

std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device) {
  if (config.constructed)
    return make_constructed_network(*config.constructed, config.task->products(), format, device);
  return std::make_unique<UniversalTransformer>(config.model, format, config.seed, device);
}

Tensor supervised_loss(const Network& network, const Batch& batch, const PassOptions& options,
                       const TrainingConfig& training, Tensor* last_logits) {
  using Supervision = TrainingConfig::Supervision;
  LossTerm term;
  term.empty_discount = training.empty_discount;
  const bool last_only = training.supervision == Supervision::last;
  Trace trace;
  if (!last_only) {
    trace.read_after.resize(options.loops);
    std::iota(trace.read_after.begin(), trace.read_after.end(), 1U);
  }
  const Tensor logits = network(batch, options, last_only ? nullptr : &trace);
  if (last_logits) *last_logits = logits.detach();
  if (last_only) return mean_loss(logits, batch, network.format(), term);
  Tensor sum;
  for (std::size_t loop = 0; loop < trace.logits.size(); ++loop) {
    if (training.supervision == Supervision::when_due)
      term.due_after = static_cast<std::int64_t>(loop + 1);
    const Tensor loss = mean_loss(trace.logits[loop], batch, network.format(), term);
    sum = sum.defined() ? sum + loss : loss;
  }
  return sum / static_cast<double>(trace.logits.size());
}

}  // namespace logdepth
