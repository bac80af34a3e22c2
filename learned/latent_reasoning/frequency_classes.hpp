#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace logdepth::inline learned_latent_reasoning {

/// The class of a frequency (j, k, l) by which of its numbers are zero and which are equal, zeros
/// first: "(0, 0, a)", "(a, a, b)" (the paper, appendix E.3). A sum modulo p, as a table over its
/// operands, has only "(a, a, a)" and the constant.
std::string frequency_class(const std::vector<std::uint32_t>& frequency);

/// All classes that occur among the frequencies of `operands` numbers modulo `modulus`, and of each
/// frequency, the last number running fastest, the index of its class.
struct FrequencyClasses {
  std::vector<std::string> names;  ///< from many zeros to few, from different numbers to equal ones
  std::vector<std::size_t> of;     ///< [modulus ^ operands]
  FrequencyClasses(std::uint32_t modulus, std::size_t operands);
};

}  // namespace logdepth::inline learned_latent_reasoning
