#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/columns/column_state.hpp"
#include "runtime/columns/ranked_cells.hpp"
#include "runtime/columns/token_sets.hpp"

namespace logdepth::inline runtime_columns {

/// What a head adds, by segment.
using AddedColumns = std::vector<std::pair<std::uint32_t, Column>>;

/// Averages of causal heads. The same columns have the same family, so that what one head adds another one
/// can take away.
class ColumnAverages {
 public:
  /// Columns of values, which have no index, replaced by their averages over all that is seen, or over
  /// the cell that a row selects, as a matrix times the shares of the combinations that the head's values have
  /// (L4). `sources`: what the columns were made of. Errors: HandOver.
  void average(ColumnState& state, AddedColumns& added, const std::vector<SharedLabels>& sources,
               const RankedCells* cells);
  void forget_dead();
  void forget() { known_.clear(); }

 private:
  struct Known {
    SharedLabels joint;
    SharedIndex index;
    std::vector<SharedLabels>
        sources;  ///< kept: who reads them again makes these columns, not equal ones
  };
  std::map<std::vector<SharedLabels>, Known> known_;
};

/// Values that are numbers replaced by their averages over the sets that rows select; made once per share of
/// every combination of values in a set. Errors: HandOver.
void average_sets(ColumnState& state, AddedColumns& added, const TokenSets& sets);
/// The same over cells, of rows that see their words as a whole.
void average_cells(ColumnState& state, AddedColumns& added, const RankedCells& cells);

}  // namespace logdepth::inline runtime_columns
