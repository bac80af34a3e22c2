#include "runtime/columns/entries.hpp"

#include <numeric>

namespace logdepth::inline runtime_columns {

WholeNumbers whole_numbers(std::span<const Rational> numbers) {
  std::vector<Rational::Small> small;
  std::int64_t denominator = 1;
  for (const Rational& number : numbers) {
    const auto one = number.small();
    if (!one) return {};
    small.push_back(*one);
    const std::int64_t missing = one->denominator / std::gcd(denominator, one->denominator);
    if (__builtin_mul_overflow(denominator, missing, &denominator)) return {};
  }
  WholeNumbers whole{{}, denominator};
  for (const Rational::Small& one : small) {
    std::int64_t& numerator = whole.numerators.emplace_back();
    if (__builtin_mul_overflow(one.numerator, denominator / one.denominator, &numerator)) return {};
  }
  return whole;
}

WholeNumbers whole_numbers(const ColumnEntry& entry) {
  if (!entry.m.empty()) return {};
  std::vector<Rational> rationals;
  for (const Real& number : entry.v) {
    if (!number.is_rational()) return {};
    rationals.push_back(number.rational_part());
  }
  return whole_numbers(rationals);
}

Reals transposed_product(const Reals& x, const Reals& y, std::size_t rows) {
  if (rows == 0) return {};
  const std::size_t a = x.size() / rows, b = y.size() / rows;
  Reals result(a * b);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < a; ++i)
      if (!x[r * a + i].is_zero()) add_multiple(result, i * b, y, r * b, b, x[r * a + i]);
  return result;
}

void add_multiple(Reals& into, std::size_t at, const Reals& from, std::size_t begin,
                  std::size_t count, const Real& weight) {
  for (std::size_t d = 0; d < count; ++d)
    if (!from[begin + d].is_zero()) add(into[at + d], weight * from[begin + d]);
}

void add(Real& into, const Real& x) {
  into = into.is_zero() ? x : into + x;
}

}  // namespace logdepth::inline runtime_columns
