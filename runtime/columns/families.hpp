#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/columns/labels.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_columns {

using Rationals = std::vector<Rational>;
using Reals = std::vector<Real>;

/// Whether all are zero.
bool all_zero(const Reals& numbers);

/// Rational numbers over one positive denominator, where all of this fits 64 bits.
struct WholeNumbers {
  std::vector<std::int64_t> numerators;
  std::int64_t denominator = 0;  ///< 0: they do not fit, or are no rationals
};
WholeNumbers whole_numbers(const Reals& numbers);
/// The least common multiple of two denominators, in place of the first. False beyond 64 bits.
bool add_denominator(std::int64_t& common, std::int64_t denominator);

/// The rows of a matrix as integers: their least positive multiple without a common factor. Errors:
/// HandOver beyond 64 bits, and where they are no rational multiples of one number.
std::vector<std::int64_t> integer_multiple(const Reals& numbers);

struct ColumnIndex;
using SharedIndex = std::shared_ptr<const ColumnIndex>;

/// A family of vectors code(e), e = 0, 1, ...: all that the engine knows of its numbers. A file names
/// position codes; averages and directions come from heads and norms. Lemmas of the kinds:
///
///   code       the position codes of the file. Components 2c and 2c + 1 are a point of the unit circle
///              (L1, model_meaning.hpp: circle(t) has norm 1). Equal points on all circles mean equal e
///              (L2: t -> circle(t) is injective on t >= 0, (t / 2^L, L) too). With t >= 1 circle(t)
///              lies in [-1, 0] x [0, 1]; `fine` has its first component negated (L3).
///   average    e is a token: component k is the share of combination k of a column among the tokens of
///              its word up to e, all of them or those of one cell, of which there is one. Shares are in
///              [0, 1] and add up to 1 (L4).
///   direction  e is a token: an integer vector, not zero, divided by its length; norm 1 (L1), the
///              signs of all its vectors are known (L3).
///   pair       e is a token: the codes of two indices of it, one after the other. L3 of both.
///
/// Nothing else is assumed. Two families, or two indices, may name one vector.
struct ColumnFamily {
  enum class Kind { code, average, direction, pair };

  explicit ColumnFamily(Kind of) : kind(of) {}

  Kind kind;
  std::uint32_t dims = 0;
  std::uint32_t block = 0;  ///< so many components are a unit vector (L1); 0: nothing is known
  Rationals low, high;      ///< component k of every code lies in [low[k], high[k]] (L3, L4)
  PositionCode code = PositionCode::circle;  ///< code
  SharedLabels column;                       ///< average: combinations by token
  /// average: only of the tokens up to e that stand in the cell that e asks for; absent: 0, of all.
  SharedLabels cell, asked;
  std::vector<std::int64_t> vectors;  ///< direction: dims integers per token
  SharedIndex first, second;          ///< pair

  /// Whether vector() knows its codes.
  bool has_vectors() const { return kind == Kind::direction || (kind == Kind::code && dims == 2); }
  /// A positive multiple of code(e), in dims integers.
  void vector(std::size_t e, std::int64_t* out) const;
  /// The box of low and high; of a direction a smaller one, measured of all of its vectors.
  const std::pair<Rationals, Rationals>& measured() const;
  /// Makes room for a vector per token. Errors: HandOver beyond the memory limit.
  void make_vectors(const std::shared_ptr<LabelMemory>& memory);

 private:
  HeldBytes held_;
  mutable std::pair<Rationals, Rationals> measured_;
};
using SharedFamily = std::shared_ptr<const ColumnFamily>;

/// The family of the position codes of a model; of dimension 0 where it has none.
SharedFamily code_family(const Model& model, std::size_t tokens);

/// Which code of a family stands at a token.
struct ColumnIndex {
  SharedFamily family;
  SharedLabels ids;  ///< absent: the token itself

  std::size_t at(std::size_t token) const { return ids ? (*ids)[token] : token; }
};

/// M^T M of unit vectors: the multiples of the identity, block by block, that a square matrix is, if it
/// is that and nothing else.
bool is_block_scalar(const Reals& square, const ColumnFamily& family, Reals& multiples);

/// dot / sqrt(square): a number up to one positive factor.
class Projection {
 public:
  Projection() = default;
  /// g . vector / |vector|. Errors: HandOver beyond 126 bits.
  Projection(const std::int64_t* g, const std::int64_t* vector, std::uint32_t dims);

  int sign() const { return dot_ > 0 ? 1 : dot_ < 0 ? -1 : 0; }
  Projection operator-() const;
  /// -1, 0 or 1, exactly, whatever the size. Precondition: no vector was zero.
  static int compare(const Projection& a, const Projection& b);

 private:
  __extension__ using Wide = __int128;
  Wide dot_ = 0, square_ = 1;
};

using EntryId = std::uint32_t;

/// The tuple v + M code(e), for the index e that stands beside it.
struct ColumnEntry {
  Reals v;
  Reals m;  ///< a row of the family's dimension per component of v; empty: numbers alone

  bool operator==(const ColumnEntry&) const = default;
};

/// Interned entries of one length. A million positions are one entry.
class EntryPool {
 public:
  EntryId intern(ColumnEntry entry) {
    if (all_zero(entry.m)) entry.m.clear();
    std::size_t hash = entry.m.size();
    for (const Reals* numbers : {&entry.v, &entry.m})
      for (const Real& x : *numbers)
        hash = static_cast<std::size_t>(hash * 0x9e3779b97f4a7c15 + x.hash());
    auto& bucket = known_[hash];
    for (const EntryId id : bucket)
      if (entries_[id] == entry) return id;
    const auto id = static_cast<EntryId>(entries_.size());
    bytes_ += (entry.v.size() + entry.m.size()) * sizeof(Real) + kBesideNumbers;
    whole_.push_back(entry.m.empty() ? whole_numbers(entry.v) : WholeNumbers());
    bytes_ += whole_.back().numerators.size() * sizeof(std::int64_t);
    entries_.push_back(std::move(entry));
    bucket.push_back(id);
    return id;
  }
  const ColumnEntry& operator[](EntryId id) const { return entries_[id]; }
  /// Its v, where it has no matrix.
  const WholeNumbers& whole(EntryId id) const { return whole_[id]; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBesideNumbers = 160;  // three vectors, a node and a bucket
  std::unordered_map<std::size_t, std::vector<EntryId>> known_;
  std::vector<ColumnEntry> entries_;
  std::vector<WholeNumbers> whole_;
  std::size_t bytes_ = 0;
};

/// x^T y of two matrices of so many rows.
Reals transposed_product(const Reals& x, const Reals& y, std::size_t rows);
/// into[at + d] += weight * from[begin + d] for d < count.
void add_multiple(Reals& into, std::size_t at, const Reals& from, std::size_t begin,
                  std::size_t count, const Real& weight);
/// into += x, without a copy where both are rational.
void add(Real& into, const Real& x);

}}  // namespace logdepth::runtime_columns
