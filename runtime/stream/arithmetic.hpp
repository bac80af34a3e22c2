#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_stream {

/// What one head selected at one token: the set of visible positions with the largest score.
struct SelectedRow {
  std::size_t row = 0;
  std::size_t visible = 0;  ///< number of visible positions; they are 0 .. visible-1
  std::size_t count = 0;    ///< size of the selected set
  std::size_t last = 0;     ///< its last position
  bool one_key = true;      ///< all selected positions have the same key
  const std::function<std::vector<std::size_t>()>* positions = nullptr;  ///< the set, on demand
};

/// Queries, keys and values of one head, as interned tuples: one id per token.
template <class Value>
struct HeadRows {
  /// Components of the values that come from the same segments of the stream and go to the same
  /// ones, so that they are averaged and repeat themselves together.
  struct ValuePart {
    TuplePool<Value>* tuples = nullptr;
    std::vector<TupleId> ids;
  };

  bool causal = true;
  TuplePool<Value>* vectors = nullptr;  ///< queries and keys: equal ids are equal vectors
  std::vector<TupleId> queries, keys;
  std::vector<ValuePart> values;

  std::size_t tokens() const { return keys.size(); }
  std::size_t score_dimension() const { return vectors->length(); }
  std::span<const Value> query(std::size_t token) const { return (*vectors)[queries[token]]; }
  std::span<const Value> key(std::size_t token) const { return (*vectors)[keys[token]]; }
};

/// The number concept: everything the forward pass asks of its numbers. `Value` is small and
/// trivially copyable, equal values have equal bytes; `Sum` is an accumulator. The exact instance is
/// runtime/exact/exact.hpp. With `kRepeats`, what a head
/// selected for all tokens of an input is selected for an equal one without computing it again; `Statistics`
/// are what attention counts then.
template <class A>
concept Arithmetic = requires(A& a, typename A::Value v, typename A::Sum& s, const Rational& w,
                              const Real& given,
                              std::vector<std::pair<std::uint32_t, typename A::Value>>& masked,
                              HeadRows<typename A::Value>& rows) {
  { a.zero() } -> std::same_as<typename A::Value>;
  { a.number(w) } -> std::same_as<typename A::Value>;
  { a.number(given) } -> std::same_as<typename A::Value>;
  { a.is_zero(v) } -> std::same_as<bool>;
  { a.sign(v) } -> std::same_as<int>;
  { a.multiply(w, v) } -> std::same_as<typename A::Value>;
  { a.product(v, v) } -> std::same_as<typename A::Value>;
  { a.add_product(v, w, v) } -> std::same_as<typename A::Value>;  // v + w*v'
  {a.accumulate(s, w, v)};                                        // s += w*v
  {a.accumulate_square(s, w, v)};                                 // s += (w*v)^2
  { a.sign_of(s) } -> std::same_as<int>;
  { a.close(s) } -> std::same_as<typename A::Value>;  // the value; s becomes 0
  // sqrt(width / squares) for squares > 0; absent when the field does not hold it.
  { a.norm_factor(std::uint32_t{}, v) } -> std::same_as<std::optional<typename A::Value>>;
  // x divided by its length and times the root of the width, in place on the non-zero components, of which
  // there are some; a reason when that leaves the field.
  { a.normalise(std::uint32_t{}, masked) } -> std::same_as<std::optional<std::string>>;
  { a.bytes() } -> std::same_as<std::size_t>;  // memory that its numbers hold
  {a.abandon_sums()};                          // those that are not closed will never be
  // Once for every row, in any order: what is selected, and the averages of its value parts.
  {a.attend(rows, [](const SelectedRow&, std::span<const TupleId>) {})};
  { A::kRepeats } -> std::convertible_to<bool>;
  typename A::Statistics;
};

/// A sum of weighted values. Most sums of a sparse matrix have one term, often of weight one; that
/// is the value itself, and no accumulator is touched.
template <Arithmetic A>
class TermSum {
 public:
  using Value = typename A::Value;

  /// The weight is kept by reference until the sum is closed.
  void add(A& a, const Rational& weight, Value value) {
    if (terms_ == 0) {
      weight_ = &weight;
      value_ = value;
    } else {
      if (terms_ == 1) a.accumulate(sum_, *weight_, value_);
      a.accumulate(sum_, weight, value);
    }
    ++terms_;
  }
  int sign(A& a) const {
    if (terms_ == 0) return 0;
    return terms_ == 1 ? weight_->sign() * a.sign(value_) : a.sign_of(sum_);
  }
  /// The value; the sum becomes 0.
  Value close(A& a) {
    const Value result = terms_ == 0   ? a.zero()
                         : terms_ == 1 ? a.multiply(*weight_, value_)
                                       : a.close(sum_);
    terms_ = 0;
    return result;
  }

 private:
  std::size_t terms_ = 0;
  const Rational* weight_ = nullptr;
  Value value_{};
  typename A::Sum sum_{};
};

}}  // namespace logdepth::runtime_stream
