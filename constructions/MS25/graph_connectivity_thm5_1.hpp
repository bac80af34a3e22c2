#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace constructions_MS25 {

enum class ConnectivityForm {
  compact,  ///< one layer per squaring
  paper     ///< the paper's two layers per squaring, repaired
};

/// MS25 Theorem 5.1. Input `graph`, layout adjacency: n^2 tokens of the adjacency matrix row by
/// row, the padding, s+1 source and t+1 target tokens (vertices 0-based). Accepts iff t can be
/// reached from s, with ceil(log2(n-1)) loops. One file serves every n.
Program graph_connectivity_MS25_thm5_1(ConnectivityForm form, GraphInput::Padding padding);

/// The largest size a file of rows is made for: it has size^2 flags and as many heads as vertices.
inline constexpr std::uint32_t kMaxRowsSize = 256;

/// Reachability with one token per vertex, for graphs of up to `size` vertices. Input `graph`,
/// layout rows; output `relation`: the whole reflexive-transitive closure at once, ceil(log2(size -
/// 1)) layers. Source: MS25 Theorem 5.1, other form (non-uniform in the number of vertices).
/// Errors: InputError for size 0, SizeLimit above kMaxRowsSize.
Program graph_connectivity_rows_MS25_thm5_1(std::uint32_t size);

/// The largest size a file of this form is made for: its table of positions has size^3 + 2 size
/// rows.
inline constexpr std::uint32_t kMaxSizedVertices = 24;

/// MS25 Theorem 5.1 for graphs of up to `size` vertices: the position encoding knows the
/// coordinates of every token, so the six initial layers of the uniform form become one and every
/// number is rational. Input and answer as in graph_connectivity_MS25_thm5_1 with n^3 - n^2 padding
/// tokens; ceil(log2(size - 1)) + 2 layers. Errors: InputError for size 0, SizeLimit above the
/// limit.
Program graph_connectivity_sized_MS25_thm5_1(std::uint32_t size);

/// The largest number of vertices that such a file is made for.
inline constexpr std::uint32_t kMaxBoundedVertices = 4096;

/// MS25 Theorem 5.1 for every graph of at most `vertices` vertices, with a layer fewer than
/// graph_connectivity_MS25_thm5_1 and the same position encoding: ceil(log2(n-1)) + 6 layers, n^3 - n^2
/// padding tokens. The size of the network does not depend on `vertices`. Errors: InputError for 0,
/// SizeLimit above kMaxBoundedVertices.
Program graph_connectivity_bounded_MS25_thm5_1(std::uint32_t vertices);

/// The largest radix: an input has size^(radix+1) tokens before s and t.
inline constexpr std::uint32_t kMaxGraphRadix = 3;
/// The largest number of positions in the table of such a file.
inline constexpr std::uint64_t kMaxGraphPositions = 14'000;

/// MS25 Theorem 5.1 for graphs of up to `size` vertices, with walks `radix` times as long after each
/// loop: ceil(log_radix(size - 1)) + 1 layers for size >= 3, 2 for fewer vertices. Input as in
/// graph_connectivity_MS25_thm5_1 with n^(radix+1) - n^2 padding tokens. Errors: InputError for size
/// 0 or a radix other than 2 and 3, SizeLimit above kMaxGraphPositions.
Program graph_connectivity_radix_MS25_thm5_1(std::uint32_t size, std::uint32_t radix);

}}  // namespace logdepth::constructions_MS25
