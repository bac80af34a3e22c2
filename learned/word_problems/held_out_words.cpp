#include "learned/word_problems/held_out_words.hpp"

#include <map>
#include <utility>

namespace logdepth::inline learned_word_problems {
namespace {

/// One of so many different words of a file is held out.
constexpr std::size_t kHeldOutOf = 10;

}  // namespace

HeldOutWords hold_out(std::vector<std::vector<std::uint32_t>> words) {
  HeldOutWords parts;
  std::map<std::vector<std::uint32_t>, bool> held;  // of each word, whether it is held out
  for (const auto& word : words) {
    const auto [at, added] = held.emplace(word, false);
    if (!added) continue;
    at->second = ++parts.different % kHeldOutOf == 0;
    if (at->second) parts.held_out.push_back(word);
  }
  if (parts.different < 2) return parts;
  if (parts.held_out.empty()) {
    parts.held_out.push_back(words.back());
    held.at(words.back()) = true;
  }
  std::erase_if(words, [&](const auto& word) { return held.at(word); });
  parts.trained = std::move(words);
  return parts;
}

}  // namespace logdepth::inline learned_word_problems
