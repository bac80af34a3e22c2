#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_stream {

/// Which segments something reads, and the mask on their coordinates.
struct ReadLayout {
  std::vector<std::uint32_t> segments;  ///< increasing
  std::vector<Rational> mask;           ///< per coordinate of the stream, 0 outside the mask

  /// The place of a segment among those that are read; absent: z is zero there.
  std::optional<std::size_t> part_of(std::uint32_t segment) const {
    const auto found = std::lower_bound(segments.begin(), segments.end(), segment);
    if (found == segments.end() || *found != segment) return std::nullopt;
    return static_cast<std::size_t>(found - segments.begin());
  }
};

/// z = norm(mask * h) at one token, in the form that everything after it is memoised by: a number
/// for the common factor and the tuples of the segments, so that z = factor * mask * h there.
/// Factor number 0 means that the tuples are z itself.
struct ReadKey {
  std::span<const std::uint32_t> ids;  ///< the factor number, then one tuple per segment
  bool is_z() const { return ids[0] == 0; }
};

/// The same of all tokens: columns in the place of numbers and tuples.
using ReadColumns = std::span<const ColumnNumber>;

/// What was computed of some parts of a key, of one token or of all of them.
class PartMemo {
 public:
  /// `parts`: places in the layout.
  explicit PartMemo(std::vector<std::size_t> parts)
      : parts_(std::move(parts)), key_(1 + parts_.size()), memo_(key_.size()) {}

  /// As Memo's; what it was asked for is id() until the next call.
  std::uint32_t& operator[](std::span<const std::uint32_t> ids) {
    key_[0] = ids[0];
    for (std::size_t i = 0; i < parts_.size(); ++i) key_[1 + i] = ids[1 + parts_[i]];
    return memo_[key_.data()];
  }
  std::uint32_t id(std::size_t part) const { return key_[1 + part]; }
  const std::vector<std::size_t>& parts() const { return parts_; }
  std::size_t bytes() const { return memo_.bytes(); }

 private:
  std::vector<std::size_t> parts_;
  std::vector<std::uint32_t> key_;
  Memo memo_;
};

/// One mask of the model at work. The factor depends on the squared norms of the segments alone,
/// and those are computed once for every tuple; only where sqrt(width / ||x||^2) leaves the field
/// is x normalised as a whole.
template <Arithmetic A>
class MaskedRead {
 public:
  using Value = typename A::Value;

  /// `readers`: the matrices that will read z. Keeps references.
  MaskedRead(const Model& model, const SparseVector& mask,
             const std::vector<const SparseMatrix*>& readers, SegmentPools<Value>& pools, A& a)
      : norm_(model.norm), width_(model.width), pools_(pools), a_(a) {
    std::set<std::uint32_t> masked;
    layout_.mask.resize(width_);
    for (const SparseEntry& e : mask) {
      layout_.mask[e.index] = e.value;
      masked.insert(pools.segments.place[e.index].segment);
    }
    std::set<std::uint32_t> read = masked;
    // Where the mean is subtracted, z may differ from zero outside the mask.
    if (norm_ == Norm::layernorm)
      for (const SparseMatrix* reader : readers)
        for (const MatrixEntry& e : reader->entries)
          read.insert(pools.segments.place[e.column].segment);
    layout_.segments.assign(read.begin(), read.end());
    for (std::size_t i = 0; i < layout_.segments.size(); ++i)
      if (masked.contains(layout_.segments[i])) masked_.push_back({i, {}});
    key_.resize(1 + layout_.segments.size());
    parts_.resize(masked_.size() * (norm_ == Norm::layernorm ? 2 : 1));
    norms_.emplace(parts_.size(), a.zero());
    whole_.emplace(layout_.segments.size());
    columns_.resize(key_.size());
    factor_key_.resize(1 + masked_.size());
    factor_columns_.emplace(factor_key_.size());
  }

  const ReadLayout& layout() const { return layout_; }
  SegmentPools<Value>& pools() const { return pools_; }
  ReadKey key() const { return {key_}; }
  std::size_t bytes() const {
    std::size_t total =
        norms_->bytes() + factors_.bytes() + whole_->bytes() + factor_columns_->bytes();
    for (const Masked& masked : masked_) total += masked.known.capacity() * sizeof(Known);
    return total;
  }
  /// Of a key that is not z itself.
  Value factor(ReadKey key) const { return factors_[key.ids[0]][0]; }

  /// Makes key() that of one token; a reason when z leaves the field.
  std::optional<std::string> load(const Stream<Value>& stream, std::size_t token) {
    load_factor(stream, token);
    if (key_[0] == kAsAWhole) return load_as_a_whole();
    return std::nullopt;
  }

  /// The keys of all tokens at once; empty where a token is normalised as a whole. Valid until the next
  /// call. Precondition: the stream has columns.
  ReadColumns load_columns(const Stream<Value>& stream) {
    factor_key_[0] = static_cast<std::uint32_t>(stream.tokens);
    for (std::size_t i = 0; i < masked_.size(); ++i)
      factor_key_[1 + i] = columns_[1 + masked_[i].index] =
          stream.column(layout_.segments[masked_[i].index]);
    std::uint32_t& known = (*factor_columns_)[factor_key_.data()];
    if (known == Memo::kUnknown) known = factor_column(stream);
    if (known == kAsAWhole) return {};
    columns_[0] = known;
    return columns_;
  }

 private:
  static constexpr std::uint32_t kAsAWhole = static_cast<std::uint32_t>(-2);
  using Components = std::vector<std::pair<std::uint32_t, Value>>;  ///< those that are not zero
  struct Known {
    Value squares{}, sum{};  ///< of mask * h over the segment
    bool computed = false;
  };
  struct Masked {
    std::size_t index;         ///< in layout_.segments
    std::vector<Known> known;  ///< per tuple
  };

  /// Makes key() that of one token, with kAsAWhole where it has no factor.
  void load_factor(const Stream<Value>& stream, std::size_t token) {
    std::fill(key_.begin(), key_.end(), TuplePool<Value>::kZero);
    for (std::size_t i = 0; i < masked_.size(); ++i) {
      Masked& masked = masked_[i];
      const std::uint32_t segment = layout_.segments[masked.index];
      const TupleId tuple = stream.id(token, segment);
      key_[1 + masked.index] = tuple;
      if (tuple >= masked.known.size()) masked.known.resize(pools_.tuples[segment].size());
      Known& known = masked.known[tuple];
      if (!known.computed) measure(segment, tuple, known);
      parts_[i] = known.squares;
      if (norm_ == Norm::layernorm) parts_[masked_.size() + i] = known.sum;
    }
    const TupleId number = norms_->intern(parts_.data());
    if (number >= factor_of_.size()) factor_of_.resize(norms_->size(), Memo::kUnknown);
    if (factor_of_[number] == Memo::kUnknown) factor_of_[number] = find_factor();
    key_[0] = factor_of_[number];
  }

  ColumnNumber factor_column(const Stream<Value>& stream) {
    std::vector<std::uint32_t> factors;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      load_factor(stream, token);
      if (key_[0] == kAsAWhole) return kAsAWhole;
      factors.push_back(key_[0]);
    }
    return pools_.columns.number(factors);
  }

  void measure(std::uint32_t segment, TupleId tuple, Known& known) {
    const auto values = pools_.tuples[segment][tuple];
    const auto& coordinates = pools_.segments.coordinates[segment];
    typename A::Sum squares{}, sum{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (a_.is_zero(values[i])) continue;
      a_.accumulate_square(squares, layout_.mask[coordinates[i]], values[i]);
      if (norm_ == Norm::layernorm) a_.accumulate(sum, layout_.mask[coordinates[i]], values[i]);
    }
    known = {a_.close(squares), a_.close(sum), true};
  }

  /// Of the parts: the number of their factor, or kAsAWhole.
  std::uint32_t find_factor() {
    typename A::Sum squares{}, sum{};
    for (std::size_t i = 0; i < masked_.size(); ++i) a_.accumulate(squares, kOne, parts_[i]);
    for (std::size_t i = masked_.size(); i < parts_.size(); ++i)
      a_.accumulate(sum, kOne, parts_[i]);
    const Value total = a_.close(squares);
    if (!a_.is_zero(a_.close(sum))) return kAsAWhole;
    if (a_.is_zero(total)) return 0;  // norm(0) = 0
    const std::optional<Value> factor = a_.norm_factor(width_, total);
    return factor ? factors_.intern(&*factor) : kAsAWhole;
  }

  /// Compiled files have mirrored cells, whose mean is zero; any other is taken as it is.
  void subtract_mean(Components& x) {
    typename A::Sum total{};
    for (const auto& [coordinate, value] : x) a_.accumulate(total, kOne, value);
    const Value minus_mean = a_.multiply(Rational(-1, width_), a_.close(total));
    if (a_.is_zero(minus_mean)) return;
    std::vector<Value> centred(width_, minus_mean);
    for (const auto& [coordinate, value] : x)
      centred[coordinate] = a_.add_product(minus_mean, kOne, value);
    x.clear();
    for (std::uint32_t c = 0; c < width_; ++c)
      if (!a_.is_zero(centred[c])) x.emplace_back(c, centred[c]);
  }

  std::optional<std::string> load_as_a_whole() {
    std::uint32_t& known = (*whole_)[key_.data() + 1];
    if (known == Memo::kUnknown) {
      Components x;
      for (const Masked& masked : masked_) {
        const std::uint32_t segment = layout_.segments[masked.index];
        const auto values = pools_.tuples[segment][key_[1 + masked.index]];
        const auto& coordinates = pools_.segments.coordinates[segment];
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!a_.is_zero(values[i]))
            x.emplace_back(coordinates[i], a_.multiply(layout_.mask[coordinates[i]], values[i]));
      }
      if (norm_ == Norm::layernorm) subtract_mean(x);
      if (!x.empty())
        if (auto reason = a_.normalise(width_, x)) return reason;
      std::vector<Value> z(width_, a_.zero());
      for (const auto& [coordinate, value] : x) z[coordinate] = value;
      known = static_cast<std::uint32_t>(z_tuples_.size());
      std::vector<Value> tuple;
      for (const std::uint32_t segment : layout_.segments) {
        tuple.clear();
        for (const std::uint32_t c : pools_.segments.coordinates[segment]) tuple.push_back(z[c]);
        z_tuples_.push_back(pools_.tuples[segment].intern(tuple.data()));
      }
    }
    for (std::size_t i = 0; i < layout_.segments.size(); ++i) key_[1 + i] = z_tuples_[known + i];
    key_[0] = 0;
    return std::nullopt;
  }

  inline static const Rational kOne{1};
  Norm norm_;
  std::uint32_t width_;
  SegmentPools<Value>& pools_;
  A& a_;
  ReadLayout layout_;
  std::vector<Masked> masked_;
  std::vector<std::uint32_t> key_;
  std::vector<Value> parts_;               // squares of the masked segments, then sums
  std::optional<TuplePool<Value>> norms_;  // all parts that came
  std::vector<std::uint32_t> factor_of_;
  TuplePool<Value> factors_{1};
  std::vector<ColumnNumber> columns_;  // as key_, of all tokens
  std::vector<std::uint32_t>
      factor_key_;                      // the number of tokens, then columns of the masked segments
  std::optional<Memo> factor_columns_;  // by these: the column of factors, or kAsAWhole
  std::optional<Memo> whole_;           // by segments: where its z stands in z_tuples_
  std::vector<TupleId> z_tuples_;
};

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
      terms_[place].push_back({*part, at.offset, e.value, e.value * layout.mask[e.column]});
    }
    for (auto& terms : terms_)
      for (Term& term : terms)
        term.part = static_cast<std::size_t>(std::distance(parts.begin(), parts.find(term.part)));
    for (const std::size_t part : parts) segments_.push_back(layout.segments[part]);
    memo_.emplace(std::vector<std::size_t>(parts.begin(), parts.end()));
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
  const std::vector<std::size_t>& parts() const { return memo_->parts(); }

 private:
  struct Term {
    std::size_t part;
    std::uint32_t offset;
    Rational weight;    ///< on z
    Rational on_tuple;  ///< on the tuples, before the factor
  };

  static std::vector<std::uint32_t> all_rows(const SparseMatrix& matrix) {
    std::vector<std::uint32_t> rows(matrix.rows);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  template <class Factor>
  TupleId apply(ReadKey read, Factor factor, TuplePool<Value>& images) {
    if (segments_.empty()) return TuplePool<Value>::kZero;
    std::uint32_t& known = (*memo_)[read.ids];
    if (known == Memo::kUnknown) known = compute(read, factor, images);
    return known;
  }

  template <class Factor>
  TupleId compute(ReadKey read, Factor factor, TuplePool<Value>& images) {
    for (std::size_t row = 0; row < terms_.size(); ++row) {
      for (const Term& term : terms_[row]) {
        const Value x = pools_.tuples[segments_[term.part]][memo_->id(term.part)][term.offset];
        if (a_.is_zero(x)) continue;
        sum_.add(a_, read.is_z() ? term.weight : term.on_tuple, x);
      }
      image_[row] = sum_.close(a_);
      if (!read.is_z() && !a_.is_zero(image_[row])) image_[row] = a_.product(factor(), image_[row]);
    }
    return images.intern(image_.data());
  }

  SegmentPools<Value>& pools_;
  A& a_;
  std::vector<std::vector<Term>> terms_;  // per row
  std::vector<std::uint32_t> segments_;   // that are read
  std::optional<PartMemo> memo_;
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

}}  // namespace logdepth::runtime_stream
