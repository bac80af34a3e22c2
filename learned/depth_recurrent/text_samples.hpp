#pragma once

#include <cstdint>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// Tokens of a vocabulary whose first two are these.
inline constexpr std::int32_t kPaddingToken = 0, kClassToken = 1;

/// A text as tokens, and those that its answer is read off.
struct TokenText {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> read;  ///< indices of tokens
};

/// The texts as samples of one table, padded to the longest of them; without targets.
Samples text_samples(const std::vector<TokenText>& texts);

}  // namespace logdepth::inline learned_depth_recurrent
