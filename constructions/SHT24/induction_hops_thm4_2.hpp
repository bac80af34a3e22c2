#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace constructions_SHT24 {

enum class HopsForm {
  fixed,  ///< any number of hops, which the network is made for
  loops,  ///< a power of two, one loop per doubling
  token   ///< any number up to the network's, with which the word begins
};

struct HopsOptions {
  HopsForm form = HopsForm::fixed;
  std::uint32_t hops = 2;     ///< k; with HopsForm::token the largest one
  std::uint32_t letters = 4;  ///< a, b, c, ...
};
inline constexpr std::uint32_t kMostHops = 1u << 20, kMostHopsOfToken = 64, kMostHopLetters = 26;

/// The letter that k hops of an induction head lead to, at every token of every word: an output per
/// letter, and `none` where they lead nowhere. Source: Sanford, Hsu and Telgarsky, Theorem 4.2.
/// Errors: InputError for options outside the ranges above, and for HopsForm::loops with a number that
/// is no power of two.
Program induction_hops(const HopsOptions& options);

}}  // namespace logdepth::constructions_SHT24
