#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/stream/column_numbers.hpp"
#include "runtime/stream/segments.hpp"
#include "runtime/stream/tuple_pool.hpp"

namespace logdepth::inline runtime_stream {

/// The segments of one model, and every tuple that has stood in them.
template <class Value>
struct SegmentPools {
  Segments segments;
  std::vector<TuplePool<Value>> tuples;  ///< per segment
  bool interns_columns = false;          ///< whether those of an input are likely to come again
  ColumnNumbers columns;                 ///< of all segments, and of what is computed from them

  SegmentPools(Segments partition, Value zero) : segments(std::move(partition)) {
    for (const auto& coordinates : segments.coordinates)
      tuples.emplace_back(coordinates.size(), zero);
  }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& pool : tuples) total += pool.bytes();
    return total;
  }
};

/// The residual stream: one value per token and coordinate, held as one interned tuple per token
/// and segment. Copies share the tuples, which are never changed. Columns of short inputs may be interned
/// as well: what came in all tokens at once is remembered at once.
template <class Value>
class Stream {
 public:
  std::size_t tokens = 0;
  std::size_t width = 0;

  /// All zero.
  Stream(std::shared_ptr<SegmentPools<Value>> pools, std::size_t token_count)
      : tokens(token_count),
        width(pools->segments.place.size()),
        pools_(std::move(pools)),
        ids_(pools_->segments.size() * token_count, TuplePool<Value>::kZero),
        columns_(pools_->segments.size(), kUnknown) {}

  /// Valid until the stream's pools grow.
  const Value& at(std::size_t token, std::size_t coordinate) const {
    const Segments::Place place = pools_->segments.place[coordinate];
    return pools_->tuples[place.segment][id(token, place.segment)][place.offset];
  }
  /// Replaces all values of a token; `row` has one per coordinate.
  void set_row(std::size_t token, std::span<const Value> row) {
    std::vector<Value> tuple;
    for (std::size_t s = 0; s < pools_->segments.size(); ++s) {
      tuple.clear();
      for (const std::uint32_t c : pools_->segments.coordinates[s]) tuple.push_back(row[c]);
      set_id(token, s, pools_->tuples[s].intern(tuple.data()));
    }
  }

  TupleId id(std::size_t token, std::size_t segment) const {
    return ids_[segment * tokens + token];
  }
  void set_id(std::size_t token, std::size_t segment, TupleId id) {
    ids_[segment * tokens + token] = id;
    columns_[segment] = kUnknown;
  }
  /// Of all tokens, in their order.
  std::span<const TupleId> ids(std::size_t segment) const {
    return {ids_.data() + segment * tokens, tokens};
  }
  /// Whether the stream has columns: of a long input they would seldom come again. Nor do those of the program on a
  /// page, which is asked one question after the other and has to be small (tests/playground/test_wasm.mjs).
  bool has_columns() const {
    return kHasColumns && pools_->interns_columns && tokens <= kMostTokens;
  }
  /// The number of ids(segment). Precondition: has_columns().
  ColumnNumber column(std::size_t segment) const {
    if (cleared_ != columns_cleared()) {
      columns_.assign(columns_.size(), kUnknown);
      cleared_ = columns_cleared();
    }
    ColumnNumber& known = columns_[segment];
    if (known == kUnknown) known = pools_->columns.number(ids(segment));
    return known;
  }
  void set_column(std::size_t segment, ColumnNumber column) {
    const auto from = pools_->columns[column];
    std::copy(from.begin(), from.end(),
              ids_.begin() + static_cast<std::ptrdiff_t>(segment * tokens));
    columns_[segment] = column;
  }
  /// As long as this is the same, numbers of columns are.
  std::uint64_t columns_cleared() const { return pools_->columns.cleared(); }
  /// Whether ids of tuples mean the same in both.
  bool shares_tuples_with(const Stream& other) const { return pools_ == other.pools_; }
  std::size_t bytes() const { return ids_.capacity() * sizeof(TupleId); }

 private:
  std::shared_ptr<SegmentPools<Value>> pools_;
  static constexpr bool kHasColumns = sizeof(std::size_t) > 4;
  static constexpr std::size_t kMostTokens = 2048;
  static constexpr ColumnNumber kUnknown = static_cast<ColumnNumber>(-1);

  std::vector<TupleId> ids_;                   // segment-major
  mutable std::vector<ColumnNumber> columns_;  // per segment, kUnknown until asked for
  mutable std::uint64_t cleared_ = 0;          // when these were made
};

}  // namespace logdepth::inline runtime_stream
