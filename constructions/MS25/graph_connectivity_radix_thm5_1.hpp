#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

/// The largest radix: an input has size^(radix+1) tokens before s and t.
inline constexpr std::uint32_t kMaxGraphRadix = 3;
/// The largest number of positions in the table of such a file.
inline constexpr std::uint64_t kMaxGraphPositions = 14'000;

/// MS25 Theorem 5.1 for graphs of up to `size` vertices, with walks `radix` times as long after each
/// loop: ceil(log_radix(size - 1)) + 1 layers for size >= 3, 2 for fewer vertices. Input as in
/// graph_connectivity_MS25_thm5_1 with n^(radix+1) - n^2 padding tokens. Errors: InputError for size
/// 0 or a radix other than 2 and 3, SizeLimit above kMaxGraphPositions.
Program graph_connectivity_radix_MS25_thm5_1(std::uint32_t size, std::uint32_t radix);

}  // namespace logdepth::inline constructions_MS25
