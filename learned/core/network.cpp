#include "learned/core/network.hpp"

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
                       TrainingConfig::Supervision supervision, Tensor* last_logits) {
  const bool halts = network.has_halting_head();
  const bool every_step = supervision == TrainingConfig::Supervision::mean_steps || halts;
  Trace trace;
  trace.read_every_step = every_step;
  const Tensor logits = network(batch, options, every_step ? &trace : nullptr);
  if (last_logits) *last_logits = logits.detach();
  Tensor loss;
  if (supervision == TrainingConfig::Supervision::last) {
    loss = mean_loss(logits, batch, network.format());
  } else {
    for (const StepRecord& step : trace.steps) {
      const Tensor term = mean_loss(step.logits, batch, network.format());
      loss = loss.defined() ? loss + term : term;
    }
    loss = loss / static_cast<double>(trace.steps.size());
  }
  if (halts)
    for (const StepRecord& step : trace.steps) {
      const Tensor right = all_right(step.logits.detach(), batch, network.format());
      loss = loss + 0.1 / static_cast<double>(trace.steps.size()) *
                        torch::binary_cross_entropy_with_logits(
                            step.halting_logit, right.to(step.halting_logit.scalar_type()));
    }
  return loss;
}

}  // namespace logdepth
