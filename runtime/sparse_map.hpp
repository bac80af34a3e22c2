#pragma once

#include <cstdint>
#include <vector>

#include "runtime/model.hpp"

namespace logdepth {

/// A sparse matrix indexed both ways, for sparse inputs: by row (to evaluate one output) and by
/// column split by the sign of the weight (to find the outputs that one input can push up).
class SparseMap {
 public:
  struct Weight {
    std::uint32_t index = 0;  ///< column in a row list, row in a column list
    const Rational* value = nullptr;
  };
  struct Range {
    const Weight* first;
    const Weight* last;
    const Weight* begin() const { return first; }
    const Weight* end() const { return last; }
  };

  SparseMap() = default;
  /// Keeps pointers to the weights: the matrix must outlive the map.
  explicit SparseMap(const SparseMatrix& matrix);

  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  Range row(std::uint32_t r) const { return slice(by_row_, row_start_, r); }
  Range positive_in_column(std::uint32_t c) const { return slice(positive_, positive_start_, c); }
  Range negative_in_column(std::uint32_t c) const { return slice(negative_, negative_start_, c); }

 private:
  static Range slice(const std::vector<Weight>& weights, const std::vector<std::size_t>& start,
                     std::uint32_t i) {
    return {weights.data() + start[i], weights.data() + start[i + 1]};
  }
  std::uint32_t rows_ = 0, columns_ = 0;
  std::vector<Weight> by_row_, positive_, negative_;
  std::vector<std::size_t> row_start_, positive_start_, negative_start_;
};

}  // namespace logdepth
