#pragma once

#include <cstddef>

#include "runtime/exact/attention_memory.hpp"

namespace logdepth::inline runtime_exact {

/// Averaging-hard attention of one head, exactly, for any queries and keys.
///
/// The dimensions are split into blocks on which keys seem to have one norm. Rows are split by the
/// blocks on which their queries are not zero; keys are compared on those alone. Then the rules of
/// the list in attention_rules.cpp are tried in order. Each proves its answers from the numbers, or
/// hands the row on; the last one answers everything. `threads` bounds the threads of the last
/// rule; answers and counters do not depend on it.
void attend_exactly(HeadRows<ValueId>& rows, ValuePool& pool, HeadMemory& memory,
                    AttentionStatistics& statistics, std::size_t threads, const RowSink& sink);

}  // namespace logdepth::inline runtime_exact
