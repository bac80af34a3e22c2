#pragma once

#include <string>

#include "learned/records/training_config.hpp"

namespace logdepth {

/// Configurations of experiments: data only. Sources and reasons are in learned/README.md.

/// Word problems (MS25 section 7): a decoder with absolute positions, trained on prefix products
/// with a curriculum of lengths.
enum class WordModel {
  stack,         ///< `depth` different layers, as published
  loop,          ///< one block of `block` layers, depth / block times
  adaptive_loop  ///< the block once per doubling of the length, the theorem's regime
};
RunConfig word_problem(const std::string& monoid, WordModel kind, std::uint32_t depth,
                       std::uint32_t block = 1);

/// Depth-recurrent transformer on graphs (Chen 2026, "Thinking Deeper, Not Longer"). `paper_size`:
/// width 128; else 64, for a CPU.
RunConfig depth_recurrent(HopTaskConfig::Generator generator, bool paper_size);

/// The whole reachability relation, rows or pairs as tokens. `depth` different layers for rows, or
/// one block repeated; pairs: a block of two layers per doubling, as MS25 Thm 5.1.
RunConfig relation(RelationTaskConfig::Tokens tokens, std::uint32_t vertices, std::uint32_t depth,
                   bool looped);

/// A weights file of a group as the beginning of a training run: does gradient descent keep the
/// construction?
RunConfig from_construction(const std::string& weights, const std::string& monoid,
                            WordTaskConfig::Letters letters, std::uint32_t length);

}  // namespace logdepth
