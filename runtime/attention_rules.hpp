#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "runtime/forward.hpp"
#include "runtime/value_pool.hpp"

namespace logdepth {

/// How often each means of deciding was used; `run --stats` prints it.
struct AttentionStatistics {
  std::uint64_t rows = 0;               ///< rows answered
  std::uint64_t scores = 0;             ///< scores of a distinct query with a distinct key
  std::uint64_t decided_in_double = 0;  ///< comparisons settled by the double filter
  std::uint64_t decided_exactly = 0;    ///< comparisons that needed exact scores
  std::uint64_t exact_ties = 0;         ///< of those, proved ties
};

using RowSink = std::function<void(const SelectedRow&, std::span<const ValueId>)>;

/// Averaging-hard attention of one head, exactly, for any queries and keys.
///
/// Rules are tried in the order of the list in attention_rules.cpp; each proves its answer from the
/// numbers alone or hands the head on. The last rule, distinct queries x distinct keys, answers
/// everything; faster rules stand before it.
void attend_exactly(const HeadRows<ValueId>& rows, ValuePool& pool, AttentionStatistics& statistics,
                    const RowSink& sink);

/// Which rule answers a head: true when it did, false when it hands the head on untouched.
using AttentionRule = bool (*)(const HeadRows<ValueId>&, ValuePool&, AttentionStatistics&,
                               const RowSink&);

/// Groups equal queries and equal keys; a double filter with a rigorous bound keeps the candidates
/// for the maximum, exact comparison decides among them, so ties are proved. O(N + G_q * G_k)
/// scores for G_q distinct queries and G_k distinct keys. Answers every head.
bool attend_by_distinct_keys(const HeadRows<ValueId>& rows, ValuePool& pool,
                             AttentionStatistics& statistics, const RowSink& sink);

}  // namespace logdepth
