#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "runtime/exact/value_pool.hpp"
#include "runtime/stream/head_rows.hpp"
#include "runtime/stream/memo.hpp"

namespace logdepth::inline runtime_exact {

/// The ways to answer a row, in the order in which they are tried.
enum class AttentionRule { uniform, match, angle, one_query, distinct_keys };
constexpr std::size_t kAttentionRules = 5;
const char* attention_rule_name(AttentionRule rule);

/// How often each means of deciding was used; `run --stats` prints it.
struct AttentionStatistics {
  std::uint64_t rows = 0;                                ///< rows answered
  std::array<std::uint64_t, kAttentionRules> by_rule{};  ///< of those, per rule
  std::uint64_t scores = 0;             ///< scores of a distinct query with a distinct key
  std::uint64_t decided_in_double = 0;  ///< comparisons settled by the double filter
  std::uint64_t decided_exactly = 0;    ///< comparisons that needed exact scores
  std::uint64_t exact_ties = 0;         ///< of those, proved ties

  AttentionStatistics& operator+=(const AttentionStatistics& other);
  friend AttentionStatistics operator-(AttentionStatistics later,
                                       const AttentionStatistics& earlier);
};

/// What the exact attention of one head keeps between its runs. All of it can be computed again
/// from the vectors; ids are those of HeadRows::vectors.
struct HeadMemory {
  /// For one way to split the dimensions into blocks.
  struct Blocks {
    /// Per set of blocks: every vector with the other blocks zeroed.
    std::map<std::uint64_t, std::vector<TupleId>> restricted;
    std::vector<std::uint64_t> support;         ///< blocks where a vector is not zero
    std::vector<std::vector<ValueId>> squares;  ///< per block: its squared norm in every vector
    std::map<std::size_t, TuplePool<ValueId>> bounds;  ///< by length
    /// By length: a query and bounds, to the best key there could be.
    std::map<std::size_t, Memo> targets;
  };
  std::map<std::vector<std::uint32_t>, Blocks> by_blocks;  ///< block of every dimension

  std::size_t bytes() const;
};

/// Called once for every row: what is selected, and the averages of the value parts.
using RowSink = std::function<void(const SelectedRow&, std::span<const TupleId>)>;

}  // namespace logdepth::inline runtime_exact
