#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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

/// Cells that were found of labels alone, as long as heads ask for them.
class KnownCells {
 public:
  using Cells = std::shared_ptr<const RankedCells>;

  /// What `find` made of these columns and of the number, or makes.
  Cells of(std::uint64_t number, const Columns& columns, const std::function<RankedCells()>& find);
  /// Drops what the latest so many calls did not ask for.
  void forget_older_than(std::uint64_t calls);
  void forget() { known_.clear(); }

 private:
  struct Known {
    Cells cells;
    std::vector<SharedLabels> held;  ///< a serial number names what lives
    std::uint64_t used = 0;
  };
  std::map<std::vector<std::uint64_t>, Known> known_;
  std::uint64_t calls_ = 0;
};

/// What a head selects whose queries and keys are vectors of several planes: at every row all keys of the
/// query's directions in all planes, and of these the ones whose other rows score most. Errors: HandOver where
/// this is not proved for every row.
KnownCells::Cells select_by_planes(ColumnState& state, const PlaneDirections& directions,
                                   const std::vector<RowPair>& rows, KnownCells& known);

}  // namespace logdepth::inline runtime_columns
