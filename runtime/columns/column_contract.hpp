#pragma once

#include <optional>
#include <vector>

#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// The selection contracts of the heads of one sublayer, proved at every row from what a head selected and
/// from the stream before the sublayer. Nothing is known here of the rule that selected.
class ColumnContracts {
 public:
  /// Keeps a reference.
  explicit ColumnContracts(ColumnState& state) : state_(state) {}

  /// `one_key`: all tokens have the same key. Errors: HandOver for a contract that is broken, or is not
  /// one of those that can be proved here; the general path finds the row and says it.
  void check(const Contract& contract, const ColumnSelection& selection, bool one_key, bool causal);

 private:
  using Pairs = std::vector<RelatedContract::Pair>;
  void check_sets(const Contract& contract, const TokenSets& sets, bool causal);
  void check_related(const RelatedContract& contract, const TokenSets& sets, bool causal);
  const TokenSets& related(const Pairs& pairs);

  ColumnState& state_;
  Pairs pairs_;  ///< of related_
  std::optional<TokenSets> related_;
};

/// What is selected, as sets: one token, or everything that the row sees. Errors: HandOver for several
/// words, and for a long one.
TokenSets sets_of(const ColumnState& state, const ColumnSelection& selection, bool causal);

/// All keys are one vector.
bool is_one_key(const ColumnImages& keys);

}  // namespace logdepth::inline runtime_columns
