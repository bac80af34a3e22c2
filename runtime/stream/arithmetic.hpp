#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/head_rows.hpp"

namespace logdepth::inline runtime_stream {

/// The number concept: everything the forward pass asks of its numbers. `Value` is small and
/// trivially copyable, equal values have equal bytes; `Sum` is an accumulator; `HeadMemory` is what
/// attention keeps of one head between its runs, and
/// says how many bytes() that is. The exact instance is runtime/exact/exact.hpp. With `kRepeats`, what a
/// sublayer did to all tokens of an input is done to an equal one without computing it again; `Statistics`
/// are what attention counts then.
template <class A>
concept Arithmetic = requires(A& a, typename A::Value v, typename A::Sum& s, const Rational& w,
                              const Real& given,
                              std::vector<std::pair<std::uint32_t, typename A::Value>>& masked,
                              HeadRows<typename A::Value>& rows, typename A::HeadMemory& memory) {
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
  // w * v as a weight, where both are rational
  { a.rational_product(w, v) } -> std::same_as<std::optional<Rational>>;
  // sqrt(width / squares) for squares > 0; absent when the field does not hold it.
  { a.norm_factor(std::uint32_t{}, v) } -> std::same_as<std::optional<typename A::Value>>;
  // z = norm(x) in place on the non-zero components; a reason when that leaves the field.
  { a.normalise(Norm::rms, std::uint32_t{}, masked) } -> std::same_as<std::optional<std::string>>;
  { a.bytes() } -> std::same_as<std::size_t>;  // memory that its numbers hold
  {a.abandon_sums()};                          // those that are not closed will never be
  // Once for every row, in any order: what is selected, and the averages of its value parts.
  {a.attend(rows, memory, [](const SelectedRow&, std::span<const TupleId>) {})};
  { A::kRepeats } -> std::convertible_to<bool>;
  typename A::Statistics;
};

}  // namespace logdepth::inline runtime_stream
