#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

/// Words to test with.
namespace logdepth::support {

/// Calls `visit` with every word of at most `longest` letters, shorter words first.
void for_each_word(std::size_t letters, std::size_t longest,
                   const std::function<void(const Word&)>& visit);

Word random_word(std::mt19937_64& random, std::size_t letters, std::size_t length);

/// `word` written `times` times.
Word repeated(const Word& word, std::size_t times);

/// 0, 1 and 2^k - 1, 2^k, 2^k + 1 for every k up to `exponent`, once each, increasing.
std::vector<std::size_t> lengths_around_powers(std::size_t exponent);

/// How often 1 has to be doubled to reach at least `length`: ceil(log2 length), counted.
std::size_t doublings_to_reach(std::size_t length);

std::vector<std::string> letter_names(const Alphabet& alphabet, const Word& word);

}  // namespace logdepth::support
