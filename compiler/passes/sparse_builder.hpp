#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_passes {

/// Collects entries in any order; `finish` sorts them row-major, adds up repetitions, drops zeros.
class MatrixBuilder {
 public:
  void add(std::uint32_t row, std::uint32_t column, const Rational& value) {
    entries_.push_back({row, column, value});
  }
  SparseMatrix finish(std::uint32_t rows, std::uint32_t columns) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const MatrixEntry& a, const MatrixEntry& b) {
                       return std::pair(a.row, a.column) < std::pair(b.row, b.column);
                     });
    SparseMatrix matrix{rows, columns, {}};
    for (MatrixEntry& entry : entries_) {
      if (!matrix.entries.empty() && matrix.entries.back().row == entry.row &&
          matrix.entries.back().column == entry.column) {
        matrix.entries.back().value += entry.value;
      } else {
        matrix.entries.push_back(std::move(entry));
      }
    }
    std::erase_if(matrix.entries, [](const MatrixEntry& e) { return e.value.is_zero(); });
    return matrix;
  }

 private:
  std::vector<MatrixEntry> entries_;
};

inline SparseVector to_sparse(const std::map<std::uint32_t, Rational>& values) {
  SparseVector vector;
  for (const auto& [index, value] : values)
    if (!value.is_zero()) vector.push_back({index, value});
  return vector;
}

}  // namespace logdepth::inline compiler_passes
