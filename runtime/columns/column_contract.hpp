#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// The selection contracts of the heads of one sublayer, proved at every row from what a head selected and
/// from the stream before the sublayer. Nothing is known here of the rule that selected.
class ColumnContracts {
 public:
  /// Queries and keys of a head, two rows each.
  using ReadRows = std::function<std::span<const RowPair>()>;

  /// Keeps references.
  ColumnContracts(ColumnState& state, KnownCells& known) : state_(state), known_(known) {}

  /// `one_key`: all tokens have the same key. Errors: HandOver for a contract that is broken, or is not
  /// one of those that can be proved here; the general path finds the row and says it.
  void check(const Contract& contract, const ColumnSelection& selection, bool one_key, bool causal,
             const ReadRows& rows);

 private:
  using Pairs = std::vector<RelatedContract::Pair>;
  void check_cells(const Contract& contract, const RankedCells& cells, bool causal,
                   const ReadRows& rows);
  void check_match(const MatchContract& match, const RankedCells& cells, bool causal,
                   const ReadRows& rows);
  KnownCells::Cells found_cells(const FindContract& find, std::span<const RowPair> rows);
  RankedCells flagged_cells(const FlaggedContract& flagged);
  void check_sets(const Contract& contract, const TokenSets& sets, bool causal);
  void check_related(const RelatedContract& contract, const TokenSets& sets, bool causal);
  const TokenSets& related(const Pairs& pairs);

  ColumnState& state_;
  KnownCells& known_;
  Pairs pairs_;  ///< of related_
  std::optional<TokenSets> related_;
};

/// 1 at the tokens where the form on the stream is positive, else 0.
SharedLabels positive_labels(ColumnState& state, const SparseVector& form);

/// What is selected, as sets: one token, or everything that the row sees. Errors: HandOver for several
/// words, and for a long one.
TokenSets sets_of(ColumnState& state, const ColumnSelection& selection, bool causal);

/// All keys are one vector.
bool is_one_key(const ColumnImages& keys);

}  // namespace logdepth::inline runtime_columns
