#pragma once

#include <cstddef>
#include <vector>

namespace logdepth::inline learned_word_problems {

/// How far a model keeps track of a word: n* of "A Little Depth Goes a Long Way", section 7.
struct NStar {
  std::size_t strict = 0;  ///< largest i such that all indices up to i reach the threshold
  std::size_t loose = 0;   ///< largest index that reaches it: the paper's wording
  bool censored = false;   ///< strict is the length that was measured: the model may go further

  bool operator==(const NStar&) const = default;
};

/// n* from the accuracies at the indices 1, 2, ... of a word; 0 where none reaches the threshold.
inline NStar n_star(const std::vector<double>& accuracy, double threshold) {
  NStar result;
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    if (!(accuracy[i] >= threshold)) continue;
    if (result.strict == i) result.strict = i + 1;
    result.loose = i + 1;
  }
  result.censored = !accuracy.empty() && result.strict == accuracy.size();
  return result;
}

}  // namespace logdepth::inline learned_word_problems
