#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_product.hpp"
#include "runtime/columns/token_sets.hpp"

namespace logdepth { inline namespace runtime_columns {

/// What a head selects at every row: one position, a set of them, all tokens of some cells, or everything that
/// the row sees.
struct ColumnSelection {
  ColumnRule rule = ColumnRule::uniform;
  SharedLabels selected = nullptr;  ///< absent: not one position at every row
  std::shared_ptr<const TokenSets> sets = nullptr;
  std::shared_ptr<const RankedCells> cells = nullptr;  ///< all absent: all visible positions
};

/// Keys of an index in the plane, in the order of their angles, above the first axis.
struct SortedKeys {
  std::vector<Plane> keys;
  bool falls = false;                 ///< the angle, from token to token
  std::vector<std::int64_t> lengths;  ///< where they are whole, else 0; only of large keys
  HeldBytes held;
  std::uint64_t used = 0;
};

/// Where the keys of a class stand, per word: the first and the second of them, and by index.
struct KnownKeys {
  std::vector<Label> first, second;  ///< per word
  SharedLabels of_index;             ///< at the word's first token plus e: the token, or a mark
  std::uint64_t used = 0;
};

/// Averaging-hard attention by classes of queries and keys. A class is an image v + M code(e); its rule is
/// proved once for the pair of classes, of all their indices, and then a row costs a look-up.
class ColumnAttention {
 public:
  /// Errors: HandOver where no rule applies.
  ColumnSelection select(ColumnState& state, const ColumnImages& queries, const ColumnImages& keys,
                         bool causal);
  /// The same from planes.
  ColumnSelection select(ColumnState& state, const std::vector<RowPair>& rows, bool causal);
  PlaneDirections& directions() { return directions_; }
  KnownCells& known_cells() { return cells_; }
  /// Drops what the latest so many heads did not ask for.
  void forget_older_than(std::uint64_t heads);
  void forget() {
    known_.clear();
    sorted_.clear();
    directions_.forget();
    cells_.forget();
  }

 private:
  const KnownKeys& known_keys(ColumnState& state, const ColumnImages& keys, Label of_class);
  ColumnSelection by_angle(ColumnState& state, const ColumnImage& query, const ColumnImage& key,
                           bool causal);
  const SortedKeys& sorted_keys(ColumnState& state, const ColumnImage& key);

  std::uint64_t heads_ = 0;  ///< asked so far
  PlaneDirections directions_;
  KnownCells cells_;
  std::map<std::pair<SharedIndex, std::pair<SharedLabels, Label>>, KnownKeys> known_;
  std::map<std::pair<SharedIndex, std::vector<std::int64_t>>, SortedKeys> sorted_;
};

}}  // namespace logdepth::runtime_columns
