#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/circuit_probes.hpp"
#include "learned/latent_reasoning/circuit_reader_network.hpp"
#include "learned/latent_reasoning/latent_steps_task.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// What the probe equations say of the heads that a sum depends on. Entry i: of operand i.
struct ErrorCircuit {
  std::vector<std::vector<std::uint32_t>> naming;   ///< heads of the first layer that read its name
  std::vector<std::vector<std::uint32_t>> copying;  ///< of the last layer that read its value
  /// [modulus, heads, width]: the mean output of each head of the last layer at the sum, by value
  std::vector<torch::Tensor> value_outputs;
};

/// Asks for every sum of graphs of the largest measured size once, from the exact state before it
/// is due, so that no error is inherited, and says where wrong answers come from. The operands of a
/// shorter equation are counted from its end: heads find them by their distance to the sum.
ErrorSources error_sources(const CircuitReader& reader, const LatentStepsConfig& task,
                           const ErrorCircuit& circuit, std::uint64_t seed);

}  // namespace logdepth::inline learned_latent_reasoning
