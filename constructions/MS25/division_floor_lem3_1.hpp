#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

/// MS25 Lemma 3.1 for inputs of at most `length` tokens, by a look-up that rounds down. Input
/// `cells`, with L = ceil(length / 8): unit `I` = phi(i), `I<L>` = dir(i, L), `R` = dir(i, m) with
/// m >= 1, and without `own_argument` `a` = phi(a_i) with 0 <= a_i <= i. Outputs as in
/// division_MS25_lem3_1. 3 layers, 2 with `own_argument` (a_i = i). Errors: InputError for length 0,
/// SizeLimit above 2^24.
Program division_floor_MS25_lem3_1(std::uint64_t length, bool own_argument);

}  // namespace logdepth::inline constructions_MS25
