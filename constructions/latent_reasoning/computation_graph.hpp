#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace constructions_latent_reasoning {

enum class GraphEvaluation {
  compact,  ///< a whole expression in one layer; its table grows with p to the number of operands
  pairwise  ///< an operation in each layer; the tables grow with p^2
};

struct ComputationGraphOptions {
  GraphEvaluation form = GraphEvaluation::compact;
  std::uint32_t prime = 3;     ///< values are 0..prime-1
  std::uint32_t names = 32;    ///< x0..x<names-1>
  std::uint32_t operands = 3;  ///< of an expression, at most: 1 to 3
  std::uint32_t depth = 1;     ///< iterations, so also the depth that is reached from no value
};
inline constexpr std::uint32_t kMaxGraphPrime = 97, kMaxGraphNames = 1000, kMaxGraphOperands = 3;
/// Of rules in a table of one network.
inline constexpr std::uint64_t kMaxGraphRules = 200000;

/// Arithmetic modulo a prime on a computation graph, one iteration per unit of depth. Letters:
/// `x3` (a variable without a value), `x3:2` (with the value 2), `0`..`p-1`, `+ - * = ;`. Outputs
/// at every token: 1 at its value after `depth` iterations, `0`..`p-1`, `empty` or `n/a` (what is
/// no variable and no value). Source: the task of "Unlocking Out-of-Distribution Generalization in
/// Transformers via Latent Space Reasoning". Errors: InputError for options outside the ranges
/// above, SizeLimit for a table of more than kMaxGraphRules rules.
Program computation_graph(const ComputationGraphOptions& options);

}}  // namespace logdepth::constructions_latent_reasoning
