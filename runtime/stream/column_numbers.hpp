#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/stream/tuple_pool.hpp"

namespace logdepth::inline runtime_stream {

/// Identity of an interned column: equal columns have equal numbers, of whatever length they are.
using ColumnNumber = std::uint32_t;

/// Hash-consed columns: one id per token of an input.
class ColumnNumbers {
 public:
  /// The number of a column, which must not lie here.
  ColumnNumber number(std::span<const std::uint32_t> column) {
    const auto [entry, fresh] = by_length_.try_emplace(column.size(), column.size());
    Columns& columns = entry->second;
    if (fresh) add(columns, TuplePool<std::uint32_t>::kZero);
    const TupleId id = columns.ids.intern(column.data());
    if (id == columns.numbers.size()) add(columns, id);
    return columns.numbers[id];
  }
  /// Valid until the next column is numbered.
  std::span<const std::uint32_t> operator[](ColumnNumber number) const {
    return places_[number].first->ids[places_[number].second];
  }
  bool is_zero(ColumnNumber number) const {
    return places_[number].second == TuplePool<std::uint32_t>::kZero;
  }

  /// Drops all columns. Their numbers will stand for others.
  void clear() {
    by_length_.clear();
    places_.clear();
    bytes_ = 0;
    ++cleared_;
  }
  /// How often that was.
  std::uint64_t cleared() const { return cleared_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Columns {
    TuplePool<std::uint32_t> ids;
    std::vector<ColumnNumber> numbers;  ///< by id
    explicit Columns(std::size_t length) : ids(length) {}
  };

  void add(Columns& columns, TupleId id) {
    columns.numbers.push_back(static_cast<ColumnNumber>(places_.size()));
    places_.emplace_back(&columns, id);
    // About what pools and tables hold, which double.
    bytes_ += 2 * columns.ids.length() * sizeof(std::uint32_t) + 2 * sizeof places_.front();
  }

  std::map<std::size_t, Columns> by_length_;
  std::vector<std::pair<const Columns*, TupleId>> places_;  // by number
  std::size_t bytes_ = 0;
  std::uint64_t cleared_ = 0;
};

}  // namespace logdepth::inline runtime_stream
