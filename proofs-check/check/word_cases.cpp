#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "logdepth/errors.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth::inline proofs_check_check {
namespace {

constexpr std::size_t kMaxWords = std::size_t{1} << 24;

/// Lengths that expose off-by-one loops: around powers of two half of the time.
std::size_t random_length(std::mt19937_64& random, std::size_t max_length) {
  if (random() % 2 == 0) {
    const std::size_t near = (std::size_t{1} << (random() % 20)) + random() % 3 - 1;
    if (near <= max_length) return near;
  }
  return random() % (max_length + 1);
}

/// What counts or remembers goes wrong on words of little variety: runs, and one letter almost
/// everywhere.
Word random_word(std::mt19937_64& random, std::size_t length, std::size_t letters) {
  Word word;
  const auto any = [&] { return static_cast<Letter>(random() % letters); };
  switch (random() % 4) {
    case 0: {  // runs of few letters
      const std::size_t few = 1 + random() % letters, first = any();
      while (word.size() < length) {
        const auto letter = static_cast<Letter>((first + random() % few) % letters);
        const std::size_t longest = std::size_t{1} << (random() % 7);
        const std::size_t run =
            std::min<std::uint64_t>(1 + random() % longest, length - word.size());
        word.insert(word.end(), run, letter);
      }
      break;
    }
    case 1: {  // one letter, but for at most three places
      word.assign(length, any());
      for (std::size_t others = random() % 4; others > 0 && length > 0; --others)
        word[random() % length] = any();
      break;
    }
    default:
      while (word.size() < length) word.push_back(any());
  }
  return word;
}

}  // namespace

CaseGenerator<Word> every_word(const Model& model, std::size_t up_to, const Shard& shard) {
  const std::size_t letters = model.alphabet.size();
  std::size_t total = 1;
  for (std::size_t length = 1, words = 1; length <= up_to && letters > 0; ++length) {
    words *= letters;
    total += words;
    if (total / shard.count > kMaxWords)
      throw InputError(
          fmt::format("--up-to {} requires more than {} words over {} letters{}; lower it", up_to,
                      kMaxWords, letters, shard.count > 1 ? " for each shard" : ""));
  }
  // As an odometer.
  return {
      [letters, up_to, word = Word(), ended = false]() mutable -> std::optional<AskedCase<Word>> {
        if (ended) return std::nullopt;
        AskedCase<Word> found{CaseStage::exhaustive, {word}};
        std::size_t i = word.size();
        while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
        if (i > 0) {
          ++word[i - 1];
        } else {
          ended = letters == 0 || word.size() == up_to;
          word.assign(word.size() + 1, 0);
        }
        return found;
      },
      total};
}

CaseGenerator<Word> words_but_for_one_place(const Model& model, std::size_t up_to) {
  constexpr std::size_t kLongest = 17, kMost = 2000;
  const std::size_t letters = model.alphabet.size();
  std::vector<AskedCase<Word>> cases;
  for (std::size_t length = 2; length <= std::min(up_to, kLongest); ++length) {
    if (cases.size() + length * letters * (letters - 1) > kMost) break;
    for (std::size_t place = 0; place < length; ++place)
      for (Letter all = 0; all < letters; ++all)
        for (Letter one = 0; one < letters; ++one) {
          if (one == all) continue;
          Word word(length, all);
          word[place] = one;
          cases.push_back({CaseStage::chosen, {std::move(word)}});
        }
  }
  return listed_cases(std::move(cases));
}

CaseGenerator<Word> words_of_length(const Model& model, std::size_t length) {
  const std::size_t letters = model.alphabet.size();
  return {[letters, word = Word(length, 0),
           ended = letters == 0 && length > 0]() mutable -> std::optional<AskedCase<Word>> {
            if (ended) return std::nullopt;
            AskedCase<Word> found{CaseStage::chosen, {word}};
            std::size_t i = 0;
            while (i < word.size() && word[i] + 1 == letters) word[i++] = 0;
            ended = i == word.size();
            if (!ended) ++word[i];
            return found;
          },
          0};
}

CaseGenerator<Word> random_words(const Model& model, std::size_t count, std::size_t max_length,
                                 std::uint64_t seed) {
  const std::size_t letters = model.alphabet.size();
  if (letters == 0) count = 0;
  return {[letters, count, max_length, random = std::mt19937_64(seed),
           drawn = std::size_t{0}]() mutable -> std::optional<AskedCase<Word>> {
            if (drawn == count) return std::nullopt;
            ++drawn;
            const std::size_t length = random_length(random, max_length);
            return AskedCase<Word>{CaseStage::random, {random_word(random, length, letters)}};
          },
          count};
}

CaseGenerator<Word> words_at_the_limit(const Model& model, std::uint64_t seed) {
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 20, kLongestRun = 4096;
  constexpr std::size_t kFull = 3;
  const auto limit = model.unroll.max_length;
  const std::size_t letters = model.alphabet.size();
  std::vector<AskedCase<Word>> cases;
  if (limit && *limit < kLongest && letters > 0) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < kFull && *limit <= kLongestRun; ++i)
      cases.push_back({CaseStage::limit, {random_word(random, *limit, letters)}});
    cases.push_back({CaseStage::limit, {Word(*limit + 1, 0)}});
  }
  return listed_cases(std::move(cases));
}

}  // namespace logdepth::inline proofs_check_check
