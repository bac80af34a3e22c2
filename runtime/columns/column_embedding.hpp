#pragma once

#include <cstdint>
#include <vector>

#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// What columns embed: tokens of words of one length, or of one graph.
struct ColumnTokens {
  std::vector<std::uint32_t> kinds;            ///< per token a number of its kind
  std::vector<const SparseVector*> embedding;  ///< by number of the kind
  std::vector<Rational> given;                 ///< per token the values of the first cells, or none
};

/// Fills the stream of an input: per token the vector of its kind, its given values, and the encoding of
/// its position in its word, whose codes stay codes. Errors: HandOver.
void embed_columns(ColumnState& state, const ColumnTokens& tokens);

}  // namespace logdepth::inline runtime_columns
