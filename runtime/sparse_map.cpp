#include "runtime/sparse_map.hpp"

namespace logdepth {
namespace {

/// Counting sort of the chosen entries by `bucket`; fills start offsets.
template <class Choose, class Bucket, class Index>
void distribute(const SparseMatrix& matrix, std::size_t buckets, Choose choose, Bucket bucket,
                Index index, std::vector<SparseMap::Weight>& weights,
                std::vector<std::size_t>& start) {
  start.assign(buckets + 1, 0);
  for (const MatrixEntry& e : matrix.entries)
    if (choose(e)) ++start[bucket(e) + 1];
  for (std::size_t b = 0; b < buckets; ++b) start[b + 1] += start[b];
  weights.resize(start[buckets]);
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (const MatrixEntry& e : matrix.entries)
    if (choose(e)) weights[next[bucket(e)]++] = {index(e), &e.value};
}

}  // namespace

SparseMap::SparseMap(const SparseMatrix& matrix) : rows_(matrix.rows), columns_(matrix.columns) {
  const auto row = [](const MatrixEntry& e) { return e.row; };
  const auto column = [](const MatrixEntry& e) { return e.column; };
  distribute(
      matrix, rows_, [](const MatrixEntry&) { return true; }, row, column, by_row_, row_start_);
  distribute(
      matrix, columns_, [](const MatrixEntry& e) { return e.value.sign() > 0; }, column, row,
      positive_, positive_start_);
  distribute(
      matrix, columns_, [](const MatrixEntry& e) { return e.value.sign() < 0; }, column, row,
      negative_, negative_start_);
}

}  // namespace logdepth
