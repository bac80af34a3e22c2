#include "tests/support/weight_rows.hpp"

#include <algorithm>

namespace logdepth::support {

Coordinates factors(const SparseVector& vector) {
  Coordinates row;
  for (const SparseEntry& e : vector) row[e.index] = e.value;
  return row;
}

std::vector<Coordinates> rows_of(const SparseMatrix& matrix) {
  std::vector<Coordinates> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) rows[e.row][e.column] = e.value;
  return rows;
}

std::vector<Coordinates> columns_of(const SparseMatrix& matrix) {
  std::vector<Coordinates> columns(matrix.columns);
  for (const MatrixEntry& e : matrix.entries) columns[e.column][e.row] = e.value;
  return columns;
}

std::vector<Coordinates> rows_behind(const SparseMatrix& matrix, const SparseVector& mask,
                                     const std::vector<bool>& live) {
  const Coordinates weight = factors(mask);
  std::vector<Coordinates> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries)
    if (const auto found = weight.find(e.column); found != weight.end() && live[e.column])
      rows[e.row][e.column] = e.value * found->second;
  return rows;
}

Bilinear product(const std::vector<Coordinates>& left, const std::vector<Coordinates>& right) {
  Bilinear form;
  for (std::size_t d = 0; d < left.size(); ++d)
    for (const auto& [i, a] : left[d])
      for (const auto& [j, b] : right[d]) form[{i, j}] += a * b;
  std::erase_if(form, [](const auto& entry) { return entry.second.is_zero(); });
  return form;
}

Range operator+(const Range& a, const Range& b) {
  return {a.low + b.low, a.high + b.high, a.unbounded_below || b.unbounded_below,
          a.unbounded_above || b.unbounded_above};
}

Range operator*(const Range& range, const Rational& factor) {
  if (factor.is_zero()) return {};
  const Rational a = range.low * factor, b = range.high * factor;
  const bool turned = factor.sign() < 0;
  return {std::min(a, b), std::max(a, b), turned ? range.unbounded_above : range.unbounded_below,
          turned ? range.unbounded_below : range.unbounded_above};
}

Range value(const Coordinates& row, const TokenRanges& token) {
  Range total;
  for (const auto& [index, factor] : row) total = total + token[index] * factor;
  return total;
}

}  // namespace logdepth::support
