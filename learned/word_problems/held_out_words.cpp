#include "learned/word_problems/held_out_words.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <map>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

/// One of so many different words of a file is held out.
constexpr std::size_t kHeldOutOf = 10;

}  // namespace

HeldOutWords hold_out(std::vector<LabelledWord> words, const std::string& file) {
  struct Seen {
    std::size_t word = 0;
    bool held_out = false;
  };
  HeldOutWords parts;
  std::map<std::vector<std::uint32_t>, Seen> seen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LabelledWord& word = words[i];
    const auto [at, added] = seen.emplace(word.letters, Seen{i});
    if (!added) {
      const LabelledWord& first = words[at->second.word];
      if (first.labels != word.labels)
        throw InputError(
            file, word.line,
            fmt::format("expected the labels of the same word in line {}, found others",
                        first.line));
      continue;
    }
    at->second.held_out = seen.size() % kHeldOutOf == 0;
    if (at->second.held_out) parts.held_out.push_back(word);
  }
  require(seen.size() >= 2,
          fmt::format("{}: expected at least 2 different words, since one is held out for the "
                      "measure, found {}",
                      file, seen.size()));
  if (parts.held_out.empty()) {
    parts.held_out.push_back(words.back());
    seen.at(words.back().letters).held_out = true;
  }
  std::erase_if(words, [&](const LabelledWord& word) { return seen.at(word.letters).held_out; });
  parts.trained = std::move(words);
  return parts;
}

}  // namespace logdepth::inline learned_word_problems
