#include "runtime/columns/column_map.hpp"

#include <algorithm>
#include <map>

#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {

ColumnMap::ColumnMap(const SparseMatrix& matrix, const Segments& segments, const Rationals& weights)
    : rows_(matrix.rows) {
  for (const MatrixEntry& e : matrix.entries)
    if (!weights[e.column].is_zero()) segments_.push_back(segments.place[e.column].segment);
  std::ranges::sort(segments_);
  segments_.erase(std::unique(segments_.begin(), segments_.end()), segments_.end());
  for (const MatrixEntry& e : matrix.entries) {
    if (weights[e.column].is_zero()) continue;
    const auto [segment, offset] = segments.place[e.column];
    const auto column = std::ranges::lower_bound(segments_, segment) - segments_.begin();
    rows_[e.row].push_back(
        {static_cast<std::uint32_t>(column), offset, e.value * weights[e.column]});
  }
}

ColumnImage ColumnMap::image(const ColumnState& state, const Columns& read,
                             const std::vector<EntryId>& entries, const Real& factor) const {
  ColumnImage result{Reals(rows_.size()), {}, nullptr};
  std::map<std::uint32_t, Reals> by_index;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const Term& term : rows_[r]) {
      const ColumnEntry& entry = state.pools.entries[segments_[term.column]][entries[term.column]];
      const bool code = !entry.m.empty();
      if (!code && entry.v[term.offset].is_zero()) continue;
      const Real weight = factor.scaled(term.weight);
      add(result.v[r], weight * entry.v[term.offset]);
      if (!code) continue;
      const std::uint32_t dims = read[term.column]->index->family->dims;
      Reals& m =
          by_index.try_emplace(index_name(read, term.column), rows_.size() * dims).first->second;
      add_multiple(m, r * dims, entry.m, term.offset * dims, dims, weight);
    }
  }
  std::erase_if(by_index, [](const auto& of) { return all_zero(of.second); });
  if (by_index.size() > 1) throw HandOver("a query, a key or a value of two indices");
  if (!by_index.empty()) {
    result.index = read[by_index.begin()->first]->index;
    result.m = std::move(by_index.begin()->second);
  }
  return result;
}

ColumnImages ColumnMap::operator()(ColumnState& state, const std::vector<Column>& from,
                                   const Column* factor) const {
  Columns read = pointers(from, segments_);
  if (factor) read.push_back(factor);
  ColumnImages result{state.passes.combine(read), {}};
  const Real one(1);
  for (const auto& entries : result.at.entries)
    result.images.push_back(
        image(state, read, entries, factor ? state.pools.factors[entries.back()].v[0] : one));
  state.evaluations += result.images.size();
  return result;
}

}  // namespace logdepth::inline runtime_columns
