#include "learned/core/loop_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {

StateGate::StateGate(Parameters& parameters, const ModelConfig& config) : kind_(config.gate) {
  if (kind_ == ModelConfig::Gate::gru)
    // Small weights: at the beginning the bias alone decides, z = sigmoid(-2) = 0.119 as published.
    mix_ = Linear(parameters, "gate", 2 * config.width, config.width, true, config.gate_bias,
                  Initial::normal(0.02));
}

Tensor StateGate::share(const Tensor& candidate, const Tensor& state,
                        TrainingConfig::Precision precision) const {
  return torch::sigmoid(mix_(torch::cat({candidate, state}, -1), precision));
}

Tensor StateGate::operator()(const Tensor& candidate, const Tensor& state,
                             TrainingConfig::Precision precision) const {
  if (kind_ == ModelConfig::Gate::none) return candidate;
  return torch::lerp(state, candidate, share(candidate, state, precision));
}

namespace {

/// sin and cos of step * 10000^(-2c/width), for 2c and 2c+1 (Vaswani et al. 2017).
Tensor sinusoids(std::uint32_t rows, std::uint32_t width) {
  Tensor table = torch::zeros({rows, width}, torch::kFloat64);
  auto at = table.accessor<double, 2>();
  for (std::uint32_t step = 0; step < rows; ++step)
    for (std::uint32_t c = 0; c < width; ++c) {
      const double angle = step * std::pow(10000.0, -static_cast<double>(c - c % 2) / width);
      at[step][c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  return table;
}

}  // namespace

StepEmbedding::StepEmbedding(Parameters& parameters, const ModelConfig& config)
    : kind_(config.step_embedding),
      scale_(config.step_scale),
      rows_(config.step_rows),
      trained_(config.trained_steps) {
  if (kind_ == ModelConfig::StepEmbedding::learned || kind_ == ModelConfig::StepEmbedding::clamped)
    table_ = parameters.add("step_embedding", {rows_, config.width}, Initial::normal(0.02));
  if (kind_ == ModelConfig::StepEmbedding::sinusoidal) table_ = sinusoids(rows_, config.width);
}

Tensor StepEmbedding::operator()(const Tensor& state, std::uint32_t step) const {
  if (kind_ == ModelConfig::StepEmbedding::none) return state;
  if (kind_ == ModelConfig::StepEmbedding::clamped)
    step = std::min(step, std::min(trained_, rows_) - 1);
  if (step >= rows_)
    throw InputError(fmt::format(
        "model.step_rows: expected at least {}, the requested number of loops, found {}", step + 1,
        rows_));
  if (table_.dim() == 2) return state + scale_ * table_[step].to(state.options());
  const Tensor of_seeds = (scale_ * table_.select(1, step)).unsqueeze(1);
  return (state.view({table_.size(0), -1, state.size(-1)}) + of_seeds).view(state.sizes());
}

namespace {
constexpr double kHaltingSlack = 0.01;    // epsilon of the paper
constexpr double kHaltingSoftness = 0.1;  // tau of the soft mask that gradients see
}  // namespace

HaltingRouter::HaltingRouter(Parameters& parameters, const ModelConfig& config)
    : kind_(config.router) {
  if (present()) weigh_ = Linear(parameters, "router", config.width, 1, true);
}

HaltingRouter::Progress HaltingRouter::begin(const Tensor& state, const Tensor& real) const {
  Progress progress;
  const auto shape = state.sizes().slice(0, 2);
  const auto bytes = torch::TensorOptions().device(state.device()).dtype(torch::kBool);
  progress.running = real.defined() ? real : torch::ones(shape, bytes);
  progress.sum = torch::zeros(shape, state.options());
  progress.loops_taken = torch::zeros(shape, bytes.dtype(torch::kInt64));
  if (kind_ == ModelConfig::Router::mixture) progress.mixed = torch::zeros_like(state);
  return progress;
}

Tensor HaltingRouter::advance(const Tensor& state, const Tensor& candidate, bool last,
                              TrainingConfig::Precision precision, Progress& progress) const {
  const Tensor running = progress.running;
  const Tensor hard = running.to(state.scalar_type());
  Tensor share = hard;
  if (kind_ == ModelConfig::Router::straight_through) {
    const Tensor soft = torch::sigmoid((1 - kHaltingSlack - progress.sum) / kHaltingSoftness);
    share = hard + (soft - soft.detach());
  }
  // Not a sum with a share of 1: a token that runs on has the candidate, bit for bit.
  const Tensor next = torch::where(running.unsqueeze(-1), candidate, state) +
                      (share - hard).unsqueeze(-1) * (candidate - state);
  const torch::AutoGradMode gradient(kind_ != ModelConfig::Router::untrained &&
                                     torch::GradMode::is_enabled());
  const Tensor weight = torch::sigmoid(weigh_(next, precision).squeeze(-1));
  const Tensor sum = progress.sum + weight * hard;
  const Tensor halts = last ? running : running & (sum.detach() >= 1 - kHaltingSlack);
  if (kind_ == ModelConfig::Router::mixture) {
    // The last state of a token weighs what the others have left over.
    const Tensor part = torch::where(halts, 1 - progress.sum, weight) * hard;
    progress.mixed = progress.mixed + part.unsqueeze(-1) * next;
  }
  progress.loops_taken = progress.loops_taken + running;
  progress.running = running & halts.logical_not();
  progress.sum = sum;
  return next;
}

Tensor HaltingRouter::outcome(const Tensor& state, const Progress& progress) const {
  return kind_ == ModelConfig::Router::mixture ? progress.mixed : state;
}

}  // namespace logdepth::inline learned_core
