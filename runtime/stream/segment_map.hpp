#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/masked_read.hpp"
#include "runtime/stream/memo.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/stream/term_sum.hpp"

namespace logdepth::inline runtime_stream {

/// Some rows of a matrix on the segments that they read: z -> matrix * z, computed once for every
/// distinct input.
template <Arithmetic A>
class SegmentMap {
 public:
  using Value = typename A::Value;

  /// All rows of `matrix`. Keeps references to pools and arithmetic.
  SegmentMap(const SparseMatrix& matrix, const ReadLayout& layout, SegmentPools<Value>& pools, A& a)
      : SegmentMap(matrix, all_rows(matrix), layout, pools, a) {}
  /// The rows `rows` of `matrix`, in that order.
  SegmentMap(const SparseMatrix& matrix, const std::vector<std::uint32_t>& rows,
             const ReadLayout& layout, SegmentPools<Value>& pools, A& a)
      : pools_(pools), a_(a), terms_(rows.size()) {
    std::vector<std::size_t> place_of_row(matrix.rows, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) place_of_row[rows[i]] = i;
    std::set<std::size_t> parts;
    for (const MatrixEntry& e : matrix.entries) {
      const std::size_t place = place_of_row[e.row];
      if (place == rows.size()) continue;
      const Segments::Place at = pools.segments.place[e.column];
      const auto part = layout.part_of(at.segment);
      if (!part) continue;
      parts.insert(*part);
      terms_[place].push_back({*part, at.offset, e.value, e.value * layout.mask[e.column], {}});
    }
    parts_.assign(parts.begin(), parts.end());
    for (auto& terms : terms_)
      for (Term& term : terms)
        term.part = static_cast<std::size_t>(
            std::lower_bound(parts_.begin(), parts_.end(), term.part) - parts_.begin());
    for (const std::size_t part : parts_) segments_.push_back(layout.segments[part]);
    key_.resize(1 + parts_.size());
    memo_.emplace(key_.size());
    image_.resize(rows.size());
  }

  /// matrix * z as a tuple of `images`, which must always be the same pool.
  TupleId operator()(const MaskedRead<A>& read, TuplePool<Value>& images) {
    return apply(
        read.key(), [&] { return read.factor(read.key()); }, images);
  }
  /// For tuples that are z itself.
  TupleId operator()(ReadKey key, TuplePool<Value>& images) {
    return apply(
        key, [&] { return a_.zero(); }, images);
  }
  std::size_t bytes() const { return memo_->bytes(); }
  /// What it reads, as places in the layout.
  const std::vector<std::size_t>& parts() const { return parts_; }

 private:
  struct Term {
    std::size_t part;
    std::uint32_t offset;
    Rational weight;    ///< on z
    Rational on_tuple;  ///< on the tuples, before the factor
    Rational folded;    ///< on_tuple times the factor number folded_
  };

  static std::vector<std::uint32_t> all_rows(const SparseMatrix& matrix) {
    std::vector<std::uint32_t> rows(matrix.rows);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  template <class Factor>
  TupleId apply(ReadKey read, Factor factor, TuplePool<Value>& images) {
    if (parts_.empty()) return TuplePool<Value>::kZero;
    key_[0] = read.ids[0];
    for (std::size_t i = 0; i < parts_.size(); ++i) key_[1 + i] = read.ids[1 + parts_[i]];
    std::uint32_t& known = (*memo_)[key_.data()];
    if (known == Memo::kUnknown) known = compute(read, factor, images);
    return known;
  }

  template <class Factor>
  TupleId compute(ReadKey read, Factor factor, TuplePool<Value>& images) {
    const bool folded = !read.is_z() && fold(read.ids[0], factor);
    for (std::size_t row = 0; row < terms_.size(); ++row) {
      for (const Term& term : terms_[row]) {
        const Value x = pools_.tuples[segments_[term.part]][key_[1 + term.part]][term.offset];
        if (a_.is_zero(x)) continue;
        sum_.add(a_, read.is_z() ? term.weight : folded ? term.folded : term.on_tuple, x);
      }
      image_[row] = sum_.close(a_);
      if (!read.is_z() && !folded && !a_.is_zero(image_[row]))
        image_[row] = a_.product(factor(), image_[row]);
    }
    return images.intern(image_.data());
  }

  /// Multiplies a rational factor into the weights, once it has come twice in a row.
  template <class Factor>
  bool fold(std::uint32_t number, Factor factor) {
    if (number == folded_) return true;
    const bool again = number == seen_;
    seen_ = number;
    if (!again || !a_.rational_product(kOne, factor())) return false;
    for (auto& terms : terms_)
      for (Term& term : terms) term.folded = *a_.rational_product(term.on_tuple, factor());
    folded_ = number;
    return true;
  }

  inline static const Rational kOne{1};
  SegmentPools<Value>& pools_;
  A& a_;
  std::vector<std::vector<Term>> terms_;  // per row
  std::vector<std::size_t> parts_;        // places in the layout
  std::vector<std::uint32_t> segments_;   // of the parts
  std::vector<std::uint32_t> key_;
  std::optional<Memo> memo_;
  std::uint32_t seen_ = 0, folded_ = 0;  // factor numbers; 0 is none
  TermSum<A> sum_;
  std::vector<Value> image_;
};

/// h + delta, segment by segment, computed once for every distinct pair.
template <Arithmetic A>
class SegmentSums {
 public:
  using Value = typename A::Value;

  SegmentSums(SegmentPools<Value>& pools, A& a)
      : pools_(pools),
        a_(a),
        memos_(pools.segments.size(), Memo(2)),
        column_memos_(pools.segments.size(), Memo(2)) {}

  TupleId operator()(std::uint32_t segment, TupleId h, TupleId delta) {
    constexpr TupleId zero = TuplePool<Value>::kZero;
    if (delta == zero) return h;
    if (h == zero) return delta;
    const std::uint32_t key[2] = {h, delta};
    std::uint32_t& known = memos_[segment][key];
    if (known == Memo::kUnknown) {
      TuplePool<Value>& tuples = pools_.tuples[segment];
      sum_.assign(tuples[h].begin(), tuples[h].end());
      for (std::size_t i = 0; i < sum_.size(); ++i) {
        const Value d = tuples[delta][i];
        if (!a_.is_zero(d)) sum_[i] = a_.add_product(sum_[i], kOne, d);
      }
      known = tuples.intern(sum_.data());
    }
    return known;
  }
  /// Adds a column of tuples to one of a stream.
  void add_column(Stream<Value>& stream, std::uint32_t segment, ColumnNumber delta) {
    if (pools_.columns.is_zero(delta)) return;
    const ColumnNumber key[2] = {stream.column(segment), delta};
    const ColumnNumber known = column_memos_[segment][key];
    if (known != Memo::kUnknown) return stream.set_column(segment, known);
    const auto deltas = pools_.columns[delta];
    for (std::size_t token = 0; token < stream.tokens; ++token)
      stream.set_id(token, segment, (*this)(segment, stream.id(token, segment), deltas[token]));
    column_memos_[segment][key] = stream.column(segment);
  }
  void forget_columns() { column_memos_.assign(column_memos_.size(), Memo(2)); }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const Memo& memo : memos_) total += memo.bytes();
    for (const Memo& memo : column_memos_) total += memo.bytes();
    return total;
  }

 private:
  inline static const Rational kOne{1};
  SegmentPools<Value>& pools_;
  A& a_;
  std::vector<Memo> memos_, column_memos_;  ///< per segment, of tuples and of columns of them
  std::vector<Value> sum_;
};

}  // namespace logdepth::inline runtime_stream
