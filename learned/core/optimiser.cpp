#include "learned/core/optimiser.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "learned/core/batch.hpp"

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
      clip_(config.clip),
      numbers_(torch::zeros({3, parameters.seeds(), 1}, parameters.options())) {}

namespace {
constexpr double kNormFloor = 1e-6, kRootFloor = 1e-8;  // as libtorch has them
}  // namespace

void FlatAdamW::prepare(const std::vector<double>& rates) {
  ++steps;
  const double bias1 = 1 - std::pow(beta1_, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(beta2_, static_cast<double>(steps));
  std::vector<double> numbers;
  for (const double rate : rates) numbers.push_back(1 - rate * weight_decay_);
  for (const double rate : rates) numbers.push_back(rate / bias1);
  numbers.insert(numbers.end(), rates.size(), std::sqrt(bias2));
  copy_from_host(numbers_, torch::tensor(numbers, torch::kFloat64));
}

void FlatAdamW::update(Parameters& parameters) {
  torch::NoGradGuard no_grad;
  Tensor& g = parameters.gradients();
  if (trained.defined()) g.mul_(trained);
  const Tensor norm = g.norm(2, {1}, /*keepdim=*/true);
  const Tensor finite = norm.isfinite();
  g.mul_((clip_ / (norm + kNormFloor)).clamp_max(1));
  const Tensor clipped = torch::where(finite, g, torch::zeros_like(g));
  first_moment.copy_(torch::where(finite, first_moment.lerp(clipped, 1 - beta1_), first_moment));
  second_moment.copy_(torch::where(
      finite, (second_moment * beta2_).addcmul_(clipped, clipped, 1 - beta2_), second_moment));
  const Tensor root = second_moment.sqrt().div_(numbers_[2]).add_(kRootFloor);
  const Tensor kept = trained.defined() ? 1 - (1 - numbers_[0]) * trained : numbers_[0];
  parameters.values().mul_(kept).sub_((first_moment * numbers_[1]).div_(root));
  g.zero_();
}

void FlatAdamW::step(Parameters& parameters, double rate) {
  torch::NoGradGuard no_grad;
  Tensor& g = parameters.gradients();
  if (trained.defined()) g.mul_(trained);
  g.mul_((clip_ / (g.norm() + kNormFloor)).clamp_max(1));
  ++steps;
  const double bias1 = 1 - std::pow(beta1_, static_cast<double>(steps));
  const double bias2 = 1 - std::pow(beta2_, static_cast<double>(steps));
  first_moment.lerp_(g, 1 - beta1_);
  second_moment.mul_(beta2_).addcmul_(g, g, 1 - beta2_);
  const Tensor root = second_moment.sqrt().div_(std::sqrt(bias2)).add_(kRootFloor);
  Tensor& values = parameters.values();
  if (trained.defined()) {
    values.mul_(1 - rate * weight_decay_ * trained);
  } else {
    values.mul_(1 - rate * weight_decay_);
  }
  values.addcdiv_(first_moment, root, -rate / bias1);
  g.zero_();
}

}  // namespace logdepth::inline learned_core
