#include "learned/core/loop_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "objects/input_error.hpp"

namespace logdepth {

StateGate::StateGate(Parameters& parameters, const ModelConfig& config) : kind_(config.gate) {
  if (kind_ == ModelConfig::Gate::gru)
    // Small weights: at the beginning the bias alone decides, z = sigmoid(-2) = 0.119 as published.
    mix_ = Linear(parameters, "gate", 2 * config.width, config.width, true, config.gate_bias,
                  Initial::normal(0.02));
  if (kind_ == ModelConfig::Gate::residual_norm)
    norm_ = ChannelNorm(parameters, "gate.norm", config.width, ModelConfig::NormKind::rmsnorm);
}

Tensor StateGate::share(const Tensor& candidate, const Tensor& state,
                        TrainingConfig::Precision precision) const {
  return torch::sigmoid(mix_(torch::cat({candidate, state}, -1), precision));
}

Tensor StateGate::operator()(const Tensor& candidate, const Tensor& state,
                             TrainingConfig::Precision precision) const {
  if (kind_ == ModelConfig::Gate::none) return candidate;
  if (kind_ == ModelConfig::Gate::residual_norm) return norm_(state + candidate);
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
    : kind_(config.step_embedding), rows_(config.step_rows), trained_(config.trained_steps) {
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
        "model.step_rows: expected at least {}, the number of loops asked for, found {}", step + 1,
        rows_));
  return state + table_[step].to(state.options());
}

InputInjection::InputInjection(Parameters& parameters, const ModelConfig& config)
    : kind_(config.injection) {
  if (kind_ == ModelConfig::Injection::concat)
    mix_ = Linear(parameters, "injection", 2 * config.width, config.width, config.bias);
}

Tensor InputInjection::operator()(const Tensor& state, const Tensor& input,
                                  TrainingConfig::Precision precision) const {
  if (kind_ == ModelConfig::Injection::none) return state;
  if (kind_ == ModelConfig::Injection::add) return state + input;
  return mix_(torch::cat({state, input}, -1), precision);
}

StateDiscretiser::StateDiscretiser(Parameters& parameters, const ModelConfig& config) {
  if (config.discretiser == ModelConfig::Discretiser::none) return;
  logits_ = Linear(parameters, "discretiser", config.width, config.codes, true);
  codes_ = parameters.add("codes", {config.codes, config.width},
                          Initial::normal(config.embedding_deviation));
}

Tensor StateDiscretiser::operator()(const Tensor& state,
                                    TrainingConfig::Precision precision) const {
  if (!codes_.defined()) return state;
  const Tensor logits = logits_(state, precision);
  const Tensor chosen = torch::embedding(codes_, logits.argmax(-1));
  const Tensor soft = torch::matmul(torch::softmax(logits, -1), codes_);
  return chosen + (soft - soft.detach());
}

StateCorruptor::StateCorruptor(const ModelConfig& config)
    : probability_(config.corruption), deviation_(config.embedding_deviation) {}

Tensor StateCorruptor::operator()(const Tensor& state, const Tensor& codes,
                                  CounterRandom random) const {
  const std::int64_t tokens = state.size(0) * state.size(1), width = state.size(2);
  const std::int64_t choices = codes.defined() ? codes.size(0) : 0;
  Tensor hit = torch::zeros({tokens}, torch::kBool);
  Tensor code = torch::zeros({tokens}, torch::kLong);
  Tensor noise = torch::zeros({choices > 0 ? 0 : tokens, width}, torch::kFloat64);
  for (std::int64_t t = 0; t < tokens; ++t) {
    if (!random.chance(probability_)) continue;
    hit.data_ptr<bool>()[t] = true;
    if (choices > 0) {
      code.data_ptr<std::int64_t>()[t] =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(choices)));
    } else {
      for (std::int64_t c = 0; c < width; ++c)
        noise.data_ptr<double>()[t * width + c] = deviation_ * random.normal();
    }
  }
  const Tensor other =
      choices > 0 ? torch::embedding(codes, code.to(state.device())) : noise.to(state.options());
  return torch::where(hit.to(state.device()).view({state.size(0), state.size(1), 1}),
                      other.view(state.sizes()), state);
}

Halting::Halting(Parameters& parameters, const ModelConfig& config) : kind_(config.halting) {
  if (kind_ == ModelConfig::Halting::head)
    right_ = Linear(parameters, "halting", config.width, 1, true);
}

Tensor Halting::logit(const Tensor& state, TrainingConfig::Precision precision) const {
  return right_(state.mean(1), precision).squeeze(-1);
}

Tensor Halting::stops(const Tensor& state, const Tensor& before, std::uint32_t step,
                      TrainingConfig::Precision precision) const {
  if (kind_ == ModelConfig::Halting::fixed_point) return (state == before).flatten(1).all(1);
  if (kind_ == ModelConfig::Halting::head && step >= 1) return logit(state, precision) > 0;
  return {};
}

}  // namespace logdepth
