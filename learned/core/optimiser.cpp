#include "learned/core/optimiser.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace logdepth::inline learned_core {

double learning_rate(const TrainingConfig& config, std::uint64_t step) {
  const auto at = static_cast<double>(step);
  if (step < config.warm_up)
    return config.learning_rate * (at + 1) / static_cast<double>(config.warm_up);
  if (config.schedule == TrainingConfig::Schedule::constant) return config.learning_rate;
  if (config.schedule == TrainingConfig::Schedule::decaying) {
    const std::uint64_t begin = decay_begins(config);
    if (step < begin) return config.learning_rate;
    const double fallen =
        (at - static_cast<double>(begin)) / static_cast<double>(config.steps - begin);
    return config.learning_rate * (1 - (1 - config.floor) * std::min(1.0, fallen));
  }
  const auto falling = static_cast<double>(std::max<std::uint64_t>(
      1, config.steps > config.warm_up ? config.steps - config.warm_up : 1));
  const double share = std::min(1.0, (at - static_cast<double>(config.warm_up)) / falling);
  const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * share));
  return config.learning_rate * (config.floor + (1 - config.floor) * cosine);
}

FlatAdamW::FlatAdamW(const TrainingConfig& config, const Parameters& parameters)
    : first_moment(torch::zeros_like(parameters.values())),
      second_moment(torch::zeros_like(parameters.values())),
      beta1_(config.beta1),
      beta2_(config.beta2),
      weight_decay_(config.weight_decay),
      clip_(config.clip) {}

void FlatAdamW::step(Parameters& parameters, double rate) {
  constexpr double kNormFloor = 1e-6, kRootFloor = 1e-8;  // as libtorch has them
  torch::NoGradGuard no_grad;
  Tensor& g = parameters.gradients();
  g.mul_((clip_ / (g.norm() + kNormFloor)).clamp_max(1));
  ++steps;
  const double bias1 = 1 - std::pow(beta1_, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(beta2_, static_cast<double>(steps));
  first_moment.lerp_(g, 1 - beta1_);
  second_moment.mul_(beta2_).addcmul_(g, g, 1 - beta2_);
  const Tensor root = second_moment.sqrt().div_(std::sqrt(bias2)).add_(kRootFloor);
  parameters.values().mul_(1 - rate * weight_decay_).addcdiv_(first_moment, root, -rate / bias1);
  g.zero_();
}

}  // namespace logdepth::inline learned_core
