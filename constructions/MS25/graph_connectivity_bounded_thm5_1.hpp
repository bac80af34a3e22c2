#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

/// The largest number of vertices that such a file is made for.
inline constexpr std::uint32_t kMaxBoundedVertices = 4096;

/// MS25 Theorem 5.1 for every graph of at most `vertices` vertices, with a layer fewer than
/// graph_connectivity_MS25_thm5_1 and the same position encoding: ceil(log2(n-1)) + 6 layers, n^3 - n^2
/// padding tokens. The size of the network does not depend on `vertices`. Errors: InputError for 0,
/// SizeLimit above kMaxBoundedVertices.
Program graph_connectivity_bounded_MS25_thm5_1(std::uint32_t vertices);

}  // namespace logdepth::inline constructions_MS25
