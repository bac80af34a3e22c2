#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/records/predictor.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Where the discrete loop came to on one graph.
struct LoopEnd {
  FactoredState state;
  /// How many iterations changed something; absent where the last one allowed still did.
  std::optional<std::uint32_t> iterations;
};

/// Called with a graph, t from 1 on and z(t), also for the iteration that changes nothing.
using StateSeen = std::function<void(std::size_t graph, std::uint32_t t, const FactoredState&)>;

/// Discrete latent reasoning: the likeliest class of every factor is the next state, which is read
/// again, until a state stays as it is (then it would stay so forever) or after `most[i]`
/// iterations. All graphs run as one batch, which those that halted leave. Padding never counts.
std::vector<LoopEnd> run_discrete_loop(const Predictor& predictor, const FactorTables& tables,
                                       std::vector<FactoredState> states,
                                       const std::vector<std::uint32_t>& most,
                                       const StateSeen& seen);

}  // namespace logdepth::inline learned_latent_reasoning
