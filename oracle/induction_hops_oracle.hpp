#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "oracle/language_oracle.hpp"

namespace logdepth { inline namespace oracle {

/// The letter that so many hops lead to from the last letter, as Definition 4.1 of Sanford, Hsu and
/// Telgarsky has them, by scanning the word; without `hops` as many as the number with which the word begins, else none.
/// Numbers among the letters are no letters: no hop leads on from one. The values of a word are 1 at
/// the letter, or at `none`, and 0 at the others.
std::unique_ptr<LanguageOracle> make_induction_hops_oracle(Alphabet alphabet,
                                                           std::optional<std::uint64_t> hops,
                                                           std::string name);

}}  // namespace logdepth::oracle
