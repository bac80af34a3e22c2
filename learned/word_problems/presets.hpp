#pragma once

#include <string>

#include "learned/records/training_config.hpp"
#include "learned/word_problems/word_task.hpp"

namespace logdepth::inline learned_word_problems {

/// Word problems (MS25 section 7): a decoder with absolute positions, trained on prefix products
/// with a curriculum of lengths.
enum class WordModel {
  stack,         ///< `depth` different layers, as published
  loop,          ///< one block of `block` layers, depth / block times
  adaptive_loop  ///< the block once per doubling of the length, the theorem's regime
};
RunConfig word_problem(const std::string& monoid, WordModel kind, std::uint32_t depth,
                       std::uint32_t block = 1);

/// Packs the words of a stack or loop into rows, so that seeds are trained together, and gives the
/// settings for a fixed depth and a free length: a rate that passes lengths soon and falls in the last
/// fifth, words of the measure twice as long as those of training, and for a loop the step embedding of
/// an adaptive one.
void pack(RunConfig& config);

/// A weights file of a group as the beginning of a training run: does gradient descent keep the
/// construction?
RunConfig from_construction(const std::string& weights, const std::string& monoid,
                            WordTaskConfig::Letters letters, std::uint32_t length);

}  // namespace logdepth::inline learned_word_problems
