#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

/// The largest size a file of rows is made for: it has size^2 flags and as many heads as vertices.
inline constexpr std::uint32_t kMaxRowsSize = 256;

/// Reachability with one token per vertex, for graphs of up to `size` vertices. Input `graph`,
/// layout rows; output `relation`: the whole reflexive-transitive closure at once, ceil(log2(size -
/// 1)) layers. Source: MS25 Theorem 5.1, other form (non-uniform in the number of vertices).
/// Errors: InputError for size 0, SizeLimit above kMaxRowsSize.
Program graph_connectivity_rows_MS25_thm5_1(std::uint32_t size);

}  // namespace logdepth::inline constructions_MS25
