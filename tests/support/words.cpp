#include "tests/support/words.hpp"

#include <algorithm>
#include <set>

namespace logdepth::support {

void for_each_word(std::size_t letters, std::size_t longest,
                   const std::function<void(const Word&)>& visit) {
  for (std::size_t length = 0; length <= longest; ++length) {
    Word word(length, 0);
    while (true) {
      visit(word);
      std::size_t i = length;
      while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
      if (i == 0) break;
      ++word[i - 1];
    }
  }
}

Word random_word(std::mt19937_64& random, std::size_t letters, std::size_t length) {
  Word word(length);
  for (Letter& letter : word) letter = static_cast<Letter>(random() % letters);
  return word;
}

Word repeated(const Word& word, std::size_t times) {
  Word result;
  for (std::size_t i = 0; i < times; ++i) result.insert(result.end(), word.begin(), word.end());
  return result;
}

std::vector<std::size_t> lengths_around_powers(std::size_t exponent) {
  std::set<std::size_t> lengths = {0, 1};
  for (std::size_t k = 0; k <= exponent; ++k) {
    const std::size_t power = std::size_t{1} << k;
    lengths.insert({power - 1, power, power + 1});
  }
  return {lengths.begin(), lengths.end()};
}

std::size_t doublings_to_reach(std::size_t length) {
  std::size_t doublings = 0;
  for (std::size_t reach = 1; reach < length; reach *= 2) ++doublings;
  return doublings;
}

std::vector<std::string> letter_names(const Alphabet& alphabet, const Word& word) {
  std::vector<std::string> names;
  names.reserve(word.size());
  for (const Letter letter : word) names.push_back(alphabet.name(letter));
  return names;
}

}  // namespace logdepth::support
