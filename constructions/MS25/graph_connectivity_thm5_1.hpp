#pragma once

#include "compiler/program/program.hpp"

namespace logdepth::inline constructions_MS25 {

enum class ConnectivityForm {
  compact,  ///< one layer per squaring
  paper     ///< the paper's two layers per squaring, repaired
};

/// MS25 Theorem 5.1. Input `graph`, layout adjacency: n^2 tokens of the adjacency matrix row by
/// row, the padding, s+1 source and t+1 target tokens (vertices 0-based). Accepts iff t can be
/// reached from s, with ceil(log2(n-1)) loops. One file serves every n.
Program graph_connectivity_MS25_thm5_1(ConnectivityForm form, GraphInput::Padding padding);

}  // namespace logdepth::inline constructions_MS25
