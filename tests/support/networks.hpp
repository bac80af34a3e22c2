#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "learned/core/parameters.hpp"
#include "learned/core/universal_transformer.hpp"
#include "learned/records/counter_random.hpp"

namespace logdepth::learned_tests {

using torch::Tensor;

/// A small model in double: differences of rounding stay below 1e-10.
inline ModelConfig small_config() {
  ModelConfig config;
  config.repeated = 1;
  config.loops.least = 3;
  config.width = 8;
  config.heads = 2;
  config.hidden = 12;
  return config;
}

/// Tokens with one table of `letters`, five answers each.
inline TaskFormat letters_format(TaskFormat::View view, std::uint32_t letters = 5) {
  TaskFormat format;
  format.tables = {letters};
  format.view = view;
  format.outputs = {5};
  return format;
}

inline UniversalTransformer in_double(const ModelConfig& config, const TaskFormat& format,
                                      std::uint64_t seed = 7) {
  return {config, format, seed, torch::kCPU, torch::kFloat64};
}

/// Random letters and targets; with `padded` samples of different lengths, the first the longest.
inline Samples random_samples(const TaskFormat& format, std::size_t count, std::size_t tokens,
                              std::uint64_t seed, bool padded = false) {
  CounterRandom random(seed, RandomStream::training);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int32_t>(random.below(limit));
  };
  Samples samples;
  samples.count = count;
  samples.tokens = tokens;
  samples.size = tokens;
  const auto add_targets = [&](bool asked) {
    for (const std::uint32_t classes : format.outputs) {
      const std::int32_t target = below(classes);
      samples.targets.push_back(asked ? target : Samples::kIgnored);
    }
  };
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t length = padded && b > 0 ? 1 + random.below(tokens) : tokens;
    if (padded) samples.lengths.push_back(static_cast<std::int32_t>(length));
    for (std::size_t i = 0; i < tokens; ++i) {
      for (const std::uint32_t rows : format.tables) samples.indices.push_back(below(rows));
      for (std::uint32_t f = 0; f < format.features; ++f)
        samples.features.push_back(static_cast<float>(random.normal()));
      if (format.readout == TaskFormat::Readout::each_token) add_targets(i < length);
    }
    if (format.readout == TaskFormat::Readout::each_token) continue;
    const std::size_t read = format.readout == TaskFormat::Readout::pair ? 2 : 1;
    for (std::size_t i = 0; i < read; ++i) samples.read.push_back(below(length));
    add_targets(true);
  }
  if (format.view == TaskFormat::View::given)
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t i = 0; i < tokens; ++i)
        for (std::size_t j = 0; j < tokens; ++j)
          samples.view.push_back(i == j || j == 0 || random.chance(0.3));
  return samples;
}

inline Batch in_double(const Samples& samples, const TaskFormat& format) {
  return to_batch(samples, format, torch::kCPU, torch::kFloat64);
}

inline PassOptions loops(std::uint32_t count) {
  PassOptions options;
  options.loops = count;
  return options;
}

inline double largest_difference(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

inline Tensor parameter(const Network& network, const std::string& name) {
  for (const auto& parameter : network.parameters().all())
    if (parameter.name == name) return parameter.tensor;
  throw std::logic_error("no parameter " + name);
}

/// Copies every parameter whose name begins with `from` to the one that begins with `to` instead.
inline void copy_block(const Network& source, const std::string& from, Network& target,
                       const std::string& to) {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter_ : source.parameters().all())
    if (parameter_.name.starts_with(from))
      parameter(target, to + parameter_.name.substr(from.size())).copy_(parameter_.tensor);
}

/// Copies every parameter that both have.
inline void copy_rest(const Network& source, Network& target) {
  const torch::NoGradGuard no_grad;
  for (const auto& from : source.parameters().all())
    for (const auto& to : target.parameters().all())
      if (from.name == to.name) Tensor(to.tensor).copy_(from.tensor);
}

}  // namespace logdepth::learned_tests
