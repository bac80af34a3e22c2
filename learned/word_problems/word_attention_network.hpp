#pragma once

#include "learned/core/network.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/word_attention.hpp"

namespace logdepth { inline namespace learned_word_problems {

/// Reads the attention of a network of word problems off its blocks. Errors: InputError where the
/// word is empty, has letters that the task has not, or is longer than the task's words; where no
/// words are to be drawn; where the network has no attention of its own to show.
WordAttention read_word_attention(const Network& network, const RunConfig& config,
                                  const AttentionQuestion& question);

}}  // namespace logdepth::learned_word_problems
