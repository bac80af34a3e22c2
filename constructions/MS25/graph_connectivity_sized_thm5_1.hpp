#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

/// The largest size a file of this form is made for: its table of positions has size^3 + 2 size
/// rows.
inline constexpr std::uint32_t kMaxSizedVertices = 24;

/// MS25 Theorem 5.1 for graphs of up to `size` vertices: the position encoding knows the
/// coordinates of every token, so the six initial layers of the uniform form become one and every
/// number is rational. Input and answer as in graph_connectivity_MS25_thm5_1 with n^3 - n^2 padding
/// tokens; ceil(log2(size - 1)) + 2 layers. Errors: InputError for size 0, SizeLimit above the
/// limit.
Program graph_connectivity_sized_MS25_thm5_1(std::uint32_t size);

}  // namespace logdepth::inline constructions_MS25
