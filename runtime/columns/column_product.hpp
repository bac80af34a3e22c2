#pragma once

#include <vector>

#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_planes.hpp"
#include "runtime/columns/column_state.hpp"
#include "runtime/columns/ranked_cells.hpp"

namespace logdepth::inline runtime_columns {

/// Two rows of the queries and keys of a head, or the last one, at all tokens. They are read one after the
/// other, as queries of several indices have no image.
struct RowPair {
  ColumnImages query, key;
  std::optional<PlaneColumn> query_plane, key_plane;
};

/// What a head selects whose queries and keys are vectors of several planes: at every row all keys of the
/// query's directions in all planes, and of these the ones whose other rows score most. Errors: HandOver where
/// this is not proved for every row.
RankedCells select_by_planes(ColumnState& state, const PlaneDirections& directions,
                             const std::vector<RowPair>& rows);

}  // namespace logdepth::inline runtime_columns
