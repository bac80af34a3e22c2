#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"
#include "tests/support/token_ranges.hpp"

/// Weights as sparse rows and bilinear forms, evaluated on ranges.
namespace logdepth::support {

using Coordinates = std::map<std::uint32_t, Rational>;  ///< coordinate -> factor, no zeros
using Bilinear = std::map<std::pair<std::uint32_t, std::uint32_t>, Rational>;  ///< no zeros

Coordinates factors(const SparseVector& vector);
std::vector<Coordinates> rows_of(const SparseMatrix& matrix);
std::vector<Coordinates> columns_of(const SparseMatrix& matrix);
/// The rows of matrix * diag(mask): what is read from the stream itself, up to the norm. Only
/// coordinates of `live` are kept.
std::vector<Coordinates> rows_behind(const SparseMatrix& matrix, const SparseVector& mask,
                                     const std::vector<bool>& live);

/// Divides a map's numbers by the size of the first one, which it returns; 1 where there is none.
template <class Numbers>
Rational take_size(Numbers& numbers) {
  if (numbers.empty()) return Rational(1);
  const Rational size = numbers.begin()->second.abs();
  for (auto& [place, value] : numbers) value = value * size.inverse();
  return size;
}

/// Sum over d of left_d (x) right_d.
Bilinear product(const std::vector<Coordinates>& left, const std::vector<Coordinates>& right);
/// other = factor * form with a positive factor.
template <class Numbers>
bool positive_multiple(const Numbers& form, const Numbers& other) {
  if (form.size() != other.size()) return false;
  std::optional<Rational> factor;
  for (auto a = form.begin(), b = other.begin(); a != form.end(); ++a, ++b) {
    const Rational ratio = b->second / a->second;
    if (a->first != b->first || ratio.sign() <= 0 || (factor && *factor != ratio)) return false;
    factor = ratio;
  }
  return true;
}

Range operator+(const Range& a, const Range& b);
Range operator*(const Range& range, const Rational& factor);
Range value(const Coordinates& row, const TokenRanges& token);

}  // namespace logdepth::support
