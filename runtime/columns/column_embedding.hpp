#pragma once

#include <cstdint>
#include <vector>

#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// Fills the stream of an input: per token the vector of its kind, and the encoding of its position in its
/// word, whose codes stay codes. Errors: HandOver for a table of positions.
void embed_columns(ColumnState& state, const std::vector<std::uint32_t>& kinds,
                   const std::vector<const SparseVector*>& embedding);

}  // namespace logdepth::inline runtime_columns
