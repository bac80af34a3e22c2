#include "runtime/attention_rules.hpp"

#include <array>

namespace logdepth {

void attend_exactly(const HeadRows<ValueId>& rows, ValuePool& pool, AttentionStatistics& statistics,
                    const RowSink& sink) {
  static constexpr std::array<AttentionRule, 1> kRules = {
      attend_by_distinct_keys,
  };
  statistics.rows += rows.tokens;
  for (const AttentionRule rule : kRules)
    if (rule(rows, pool, statistics, sink)) return;
}

}  // namespace logdepth
