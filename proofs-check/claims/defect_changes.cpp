#include "proofs-check/claims/defect_changes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace logdepth::inline proofs_check_claims {

namespace {

std::uint32_t first_row_of(const CellIndex& cell, const SparseMatrix& matrix) {
  for (const MatrixEntry& e : matrix.entries)
    if (std::find(cell.coordinates.begin(), cell.coordinates.end(), e.row) !=
        cell.coordinates.end())
      return e.row;
  return matrix.rows;
}
bool writes(const CellIndex& cell, const SparseMatrix& matrix) {
  return first_row_of(cell, matrix) < matrix.rows;
}

}  // namespace

std::uint32_t coordinate_of(const Model& model, const std::string& cell, std::uint32_t index) {
  const auto found = model.cells.find(cell);
  if (found == model.cells.end() || index >= found->second.coordinates.size())
    throw std::logic_error(fmt::format("no component {} of a cell {}", index, cell));
  return found->second.coordinates[index];
}

std::uint32_t mirror_of(const Model& model, std::uint32_t coordinate) {
  return coordinate + model.width / 2;
}

HeadPlace head_writing(const Model& model, const std::string& cell, std::size_t which) {
  const CellIndex& index = model.cells.at(cell);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const auto& heads = model.layers[layer].attention.heads;
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (writes(index, heads[head].output) && which-- == 0) return {layer, head};
  }
  throw std::logic_error("too few heads write to cell " + cell);
}

Head& head_at(Model& model, const HeadPlace& place) {
  return model.layers.at(place.layer).attention.heads.at(place.head);
}

std::size_t feedforward_of(const Model& model, const std::string& written,
                           const std::string& read) {
  const CellIndex& target = model.cells.at(written);
  const std::uint32_t kept = coordinate_of(model, read);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const FeedForward& block = model.layers[layer].feedforward;
    const bool reads = std::any_of(block.mask.begin(), block.mask.end(),
                                   [&](const SparseEntry& e) { return e.index == kept; });
    if (reads && writes(target, block.out)) return layer;
  }
  throw std::logic_error("no feed-forward sublayer reads " + read + " and writes " + written);
}

namespace {

auto position(SparseVector& vector, std::uint32_t index) {
  return std::lower_bound(vector.begin(), vector.end(), index,
                          [](const SparseEntry& e, std::uint32_t i) { return e.index < i; });
}
auto position(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column) {
  return std::lower_bound(
      matrix.entries.begin(), matrix.entries.end(), std::pair(row, column),
      [](const MatrixEntry& e, const auto& place) { return std::pair(e.row, e.column) < place; });
}

template <class Entries, class Iterator, class Entry>
void put(Entries& entries, Iterator at, bool there, const Entry& entry, Before before) {
  if (there != (before == Before::present))
    throw std::logic_error("an edit of weights found an entry there or not there unexpectedly");
  if (there && entry.value.is_zero()) {
    entries.erase(at);
  } else if (there) {
    at->value = entry.value;
  } else {
    entries.insert(at, entry);
  }
}

}  // namespace

const Rational& entry(const SparseVector& vector, std::uint32_t index) {
  for (const SparseEntry& e : vector)
    if (e.index == index) return e.value;
  throw std::logic_error(fmt::format("a vector has no entry {}", index));
}

const Rational& entry(const SparseMatrix& matrix, std::uint32_t row, std::uint32_t column) {
  for (const MatrixEntry& e : matrix.entries)
    if (e.row == row && e.column == column) return e.value;
  throw std::logic_error(fmt::format("a matrix has no entry {}, {}", row, column));
}

void set_entry(SparseVector& vector, std::uint32_t index, const Rational& value, Before before) {
  const auto at = position(vector, index);
  put(vector, at, at != vector.end() && at->index == index, SparseEntry{index, value}, before);
}

void set_entry(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column, const Rational& value,
               Before before) {
  const auto at = position(matrix, row, column);
  const bool there = at != matrix.entries.end() && at->row == row && at->column == column;
  put(matrix.entries, at, there, MatrixEntry{row, column, value}, before);
}

void scale_row(SparseMatrix& matrix, std::uint32_t row, const Rational& factor) {
  bool found = false;
  for (MatrixEntry& e : matrix.entries)
    if (e.row == row) {
      e.value = e.value * factor;
      found = true;
    }
  if (!found) throw std::logic_error(fmt::format("row {} of a matrix is zero", row));
}

std::uint32_t value_row(const Head& head, std::uint32_t coordinate) {
  for (const MatrixEntry& e : head.output.entries)
    if (e.row == coordinate) return e.column;
  throw std::logic_error(fmt::format("a head does not write to coordinate {}", coordinate));
}

Layer negated(Layer layer) {
  for (Head& head : layer.attention.heads)
    for (MatrixEntry& e : head.output.entries) e.value = -e.value;
  for (MatrixEntry& e : layer.feedforward.out.entries) e.value = -e.value;
  return layer;
}

}  // namespace logdepth::inline proofs_check_claims
