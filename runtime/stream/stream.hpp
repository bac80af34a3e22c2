#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace runtime_stream {

/// Identity of an interned tuple in its pool: equal tuples have equal ids, the zero tuple is id 0.
using TupleId = std::uint32_t;

/// Hash-consed tuples of one length. Values are compared by their bytes: ids of interned numbers,
/// or numbers of which equal ones have equal bytes.
template <class Value>
class TuplePool {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(std::uint32_t) == 0);

 public:
  static constexpr TupleId kZero = 0;

  explicit TuplePool(std::size_t length, Value zero = Value{})
      : length_(length), slots_(16, kFree) {
    const std::vector<Value> zeros(length, zero);
    insert(zeros.data(), hash(zeros.data()));
  }

  /// The id of the tuple of length() values at `tuple`, which must not lie in this pool. Errors:
  /// SizeLimit when there are no more ids.
  TupleId intern(const Value* tuple) {
    // Tokens mostly come again in the order in which they came first.
    if (same(last_, tuple)) return last_;
    if (last_ + 1 < size_ && same(last_ + 1, tuple)) return ++last_;
    const std::uint64_t h = hash(tuple);
    for (std::size_t slot = h & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == kFree) return last_ = insert(tuple, h);
      if (same(slots_[slot], tuple)) return last_ = slots_[slot];
    }
  }

  /// Valid until the next tuple is interned.
  std::span<const Value> operator[](TupleId id) const {
    return {values_.data() + id * length_, length_};
  }
  std::size_t length() const { return length_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    return values_.capacity() * sizeof(Value) + slots_.capacity() * sizeof(TupleId);
  }

 private:
  static constexpr TupleId kFree = static_cast<TupleId>(-1);

  bool same(TupleId id, const Value* tuple) const {
    const Value* own = values_.data() + id * length_;
    for (std::size_t i = 0; i < length_; ++i)
      if (std::memcmp(own + i, tuple + i, sizeof(Value)) != 0) return false;
    return true;
  }
  std::uint64_t hash(const Value* tuple) const {
    std::uint64_t result = 0x9e3779b97f4a7c15;
    std::uint32_t word = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(tuple);
    for (std::size_t i = 0; i < length_ * sizeof(Value); i += sizeof word) {
      std::memcpy(&word, bytes + i, sizeof word);
      result = (result ^ word) * 0xff51afd7ed558ccd;
      result ^= result >> 32;
    }
    return result;
  }
  TupleId insert(const Value* tuple, std::uint64_t h) {
    if (size_ >= kFree) throw SizeLimit("more than 2^32 different tuples");
    const auto id = static_cast<TupleId>(size_++);
    values_.insert(values_.end(), tuple, tuple + length_);
    if (2 * size_ > slots_.size()) {
      slots_.assign(2 * slots_.size(), kFree);
      for (TupleId i = 0; i < size_; ++i) place(i, hash(values_.data() + i * length_));
    } else {
      place(id, h);
    }
    return id;
  }
  void place(TupleId id, std::uint64_t h) {
    std::size_t slot = h & (slots_.size() - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = id;
  }

  std::size_t length_;
  std::size_t size_ = 0;
  TupleId last_ = 0;
  std::vector<Value> values_;   // row-major, size() x length()
  std::vector<TupleId> slots_;  // open addressing, at most half full, a power of two
};

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

/// A partition of the coordinates of the residual stream into segments that the model treats alike:
/// coordinates of one segment stand in the same masks and position codes, and where one of them
/// is read or written by a unit, a value or a score, the others are by some that connect the same
/// segments. It is the coarsest partition with this property, found by refinement.
///
/// Any that respects the masks would be right. This one makes what stands in a segment repeat
/// itself: a code of a position, a state, a product is one segment, and what happens to it depends
/// on few others.
struct Segments {
  struct Place {
    std::uint32_t segment = 0;
    std::uint32_t offset = 0;
  };
  std::vector<Place> place;                             ///< per coordinate
  std::vector<std::vector<std::uint32_t>> coordinates;  ///< per segment, increasing

  std::size_t size() const { return coordinates.size(); }
};
Segments segments_of(const Model& model);

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

/// What was computed before, by a key of a fixed number of ids. The keys of a memo are numbered in
/// the order in which they came, so results may be kept in tables of their own, by that number.
class Memo {
 public:
  static constexpr std::uint32_t kUnknown = static_cast<std::uint32_t>(-1);

  explicit Memo(std::size_t key_length) : keys_(key_length), results_(1, kUnknown) {}

  /// The result of a key, kUnknown at first; valid until the next call.
  std::uint32_t& operator[](const std::uint32_t* key) {
    const std::uint32_t number = keys_.intern(key);
    if (number >= results_.size()) results_.resize(keys_.size(), kUnknown);
    return results_[number];
  }
  std::size_t size() const { return keys_.size(); }
  std::size_t bytes() const { return keys_.bytes() + results_.capacity() * sizeof(std::uint32_t); }

 private:
  TuplePool<std::uint32_t> keys_;
  std::vector<std::uint32_t> results_;
};

}}  // namespace logdepth::runtime_stream
