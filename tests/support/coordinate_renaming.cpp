#include "tests/support/coordinate_renaming.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace logdepth::support {
namespace {

using Renaming = std::map<std::uint32_t, std::uint32_t>;

/// Where each coordinate of `moved` is in `original`; empty when cells overlap or do not fit.
Renaming renaming(const Model& original, const Model& moved) {
  const bool mirrored = original.norm == Norm::layernorm;
  const std::uint32_t logical = mirrored ? original.width / 2 : original.width;
  if (original.width != moved.width || original.cells.size() != moved.cells.size()) return {};
  Renaming home;
  std::set<std::uint32_t> taken;
  for (const auto& [name, cell] : original.cells) {
    const auto found = moved.cells.find(name);
    if (found == moved.cells.end() || found->second.coordinates.size() != cell.coordinates.size())
      return {};
    for (std::size_t i = 0; i < cell.coordinates.size(); ++i) {
      const std::uint32_t from = found->second.coordinates[i];
      if (from >= logical || !home.emplace(from, cell.coordinates[i]).second) return {};
      taken.insert(cell.coordinates[i]);
    }
  }
  std::uint32_t free = 0;  // padding
  for (std::uint32_t from = 0; from < logical; ++from) {
    if (home.contains(from)) continue;
    while (taken.contains(free)) ++free;
    home[from] = free;
    taken.insert(free);
  }
  if (mirrored)
    for (std::uint32_t from = 0; from < logical; ++from)
      home[from + logical] = home[from] + logical;
  return home;
}

void rename(SparseVector& vector, const Renaming& home) {
  for (SparseEntry& e : vector) e.index = home.at(e.index);
  std::sort(vector.begin(), vector.end(),
            [](const auto& x, const auto& y) { return x.index < y.index; });
}

void rename(SparseMatrix& matrix, const Renaming* rows, const Renaming* columns) {
  for (MatrixEntry& e : matrix.entries) {
    if (rows) e.row = rows->at(e.row);
    if (columns) e.column = columns->at(e.column);
  }
  std::sort(matrix.entries.begin(), matrix.entries.end(), [](const auto& x, const auto& y) {
    return std::pair(x.row, x.column) < std::pair(y.row, y.column);
  });
}

}  // namespace

std::optional<Model> in_coordinates_of(const Model& original, const Model& moved) {
  const Renaming home = renaming(original, moved);
  if (home.empty()) return std::nullopt;
  Model model = moved;
  for (auto& [kind, vector] : model.embedding) rename(vector, home);
  if (auto* flag = std::get_if<FirstFlagPosition>(&model.position)) {
    rename(flag->first, home);
    rename(flag->rest, home);
  } else if (auto* codes = std::get_if<CodePosition>(&model.position)) {
    for (CodeFill& fill : codes->fills)
      for (std::uint32_t& at : fill.at) at = home.at(at);
    rename(codes->parity, home);
  }
  for (Layer& layer : model.layers) {
    rename(layer.attention.mask, home);
    for (Head& head : layer.attention.heads) {
      for (SparseMatrix* matrix : {&head.query, &head.key, &head.value})
        rename(*matrix, nullptr, &home);
      rename(head.output, &home, nullptr);
      if (auto* contract = std::get_if<RightmostContract>(&head.contract))
        rename(contract->flag, home);
    }
    rename(layer.feedforward.mask, home);
    rename(layer.feedforward.in, nullptr, &home);
    rename(layer.feedforward.out, &home, nullptr);
  }
  rename(model.unembedding, nullptr, &home);
  model.cells = original.cells;
  return model;
}

}  // namespace logdepth::support
