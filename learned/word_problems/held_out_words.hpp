#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace logdepth::inline learned_word_problems {

/// Words by the numbers of their letters, in two parts: no word of the one is in the other.
struct HeldOutWords {
  std::vector<std::vector<std::uint32_t>> trained, held_out;
  std::size_t different = 0;  ///< words, those of both parts
};

/// Holds every tenth of the different words out, the last of them where they are fewer than ten. Empty parts
/// where there are fewer than two different words.
HeldOutWords hold_out(std::vector<std::vector<std::uint32_t>> words);

}  // namespace logdepth::inline learned_word_problems
