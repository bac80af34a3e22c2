#pragma once

#include <optional>
#include <vector>

#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// Proves that a head keeps its selection contract at every row, from what it selected and from the
/// stream before the sublayer: one pass over the tokens at most. It knows nothing of the rule that
/// selected. Errors: HandOver for a contract that is broken, or is not one of those that it can prove;
/// the general path finds the row and says it.
void check_contract(ColumnState& state, const Contract& contract, const ColumnSelection& selection,
                    const ColumnImages& keys, bool causal);

}  // namespace logdepth::inline runtime_columns
