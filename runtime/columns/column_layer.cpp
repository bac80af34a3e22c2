#include "runtime/columns/column_layer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "runtime/columns/column_contract.hpp"
#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

/// output * value, by the segments that it writes; rows are their offsets.
std::map<std::uint32_t, SparseMatrix> written_matrices(const Head& head, const Segments& segments) {
  std::vector<std::vector<MatrixEntry>> value(head.value.rows);
  for (const MatrixEntry& e : head.value.entries) value[e.row].push_back(e);
  std::map<std::uint32_t, SparseMatrix> written;
  for (const MatrixEntry& out : head.output.entries)
    for (const MatrixEntry& e : value[out.column]) {
      const auto [segment, offset] = segments.place[out.row];
      const auto rows = static_cast<std::uint32_t>(segments.coordinates[segment].size());
      written.try_emplace(segment, SparseMatrix{rows, head.value.columns, {}})
          .first->second.entries.push_back({offset, e.column, out.value * e.value});
    }
  return written;
}

/// A row and the next one, if there is one.
SparseMatrix two_rows(const SparseMatrix& matrix, std::uint32_t row) {
  SparseMatrix result{std::min(2u, matrix.rows - row), matrix.columns, {}};
  for (const MatrixEntry& e : matrix.entries)
    if (e.row / 2 == row / 2) result.entries.push_back({e.row - row, e.column, e.value});
  return result;
}

SharedFamily pair_family(const SharedIndex& first, const SharedIndex& second) {
  auto pair = std::make_shared<ColumnFamily>(ColumnFamily::Kind::pair);
  for (const SharedIndex& of : {first, second}) {
    pair->low.insert(pair->low.end(), of->family->low.begin(), of->family->low.end());
    pair->high.insert(pair->high.end(), of->family->high.begin(), of->family->high.end());
  }
  pair->dims = static_cast<std::uint32_t>(pair->low.size());
  pair->first = first;
  pair->second = second;
  return pair;
}

}  // namespace

ColumnLayer::PreparedHead::PreparedHead(const Head& source, const Segments& segments,
                                        const ColumnNorm& norm)
    : head(source), query(source.query, segments, norm), key(source.key, segments, norm) {
  for (const auto& [segment, matrix] : written_matrices(source, segments))
    written.emplace_back(segment, NormedMap(matrix, segments, norm));
  for (std::uint32_t row = 0; row < source.query.rows; row += 2)
    rows.emplace_back(NormedMap(two_rows(source.query, row), segments, norm),
                      NormedMap(two_rows(source.key, row), segments, norm));
}

ColumnLayer::ColumnLayer(const Model& model, const Layer& layer, const Segments& segments)
    : has_units_(layer.feedforward.in.rows > 0),
      attention_norm_(model, segments, layer.attention.mask),
      feedforward_norm_(model, segments, layer.feedforward.mask),
      segments_(segments),
      scores_(layer.attention.heads.size() + 1),
      units_(layer.feedforward, segments, feedforward_norm_) {
  heads_.reserve(layer.attention.heads.size());
  for (const Head& head : layer.attention.heads)
    heads_.emplace_back(head, segments, attention_norm_);
}

AddedColumns ColumnLayer::values(ColumnState& state, const PreparedHead& head,
                                 const NormedColumns& z, std::vector<SharedLabels>& sources) {
  AddedColumns added;
  for (const auto& [segment, map] : head.written) {
    ColumnImages values = map(state, z);
    sources.push_back(values.at.local);
    std::vector<EntryId> entries;
    std::vector<SharedIndex> indices;
    for (ColumnImage& value : values.images) {
      indices.push_back(value.index);
      entries.push_back(
          state.pools.entries[segment].intern({std::move(value.v), std::move(value.m)}));
    }
    added.emplace_back(segment, state.passes.relabel(values.at, entries, indices));
  }
  return added;
}

/// One position is selected at every row: what stands there, entry and index.
void ColumnLayer::gather(ColumnState& state, AddedColumns& added, const SharedLabels& selected) {
  std::map<SharedLabels, SharedLabels> locals;
  std::map<SharedIndex, SharedIndex> indices;
  for (auto& [segment, column] : added) {
    if (column.local) {
      SharedLabels& local = locals[column.local];
      if (!local) local = state.passes.gather(column.local, selected);
      column.local = local;
    }
    if (column.index) {
      SharedIndex& index = indices[column.index];
      if (!index) {
        const SharedLabels& ids = column.index->ids;
        index = std::make_shared<ColumnIndex>(
            ColumnIndex{column.index->family, ids ? state.passes.gather(ids, selected) : selected});
      }
      column.index = index;
    }
  }
}

/// h + delta: matrices of one index add up; two indices of a token are one of a pair of families.
void ColumnLayer::add(ColumnState& state, std::uint32_t segment, const Column& column,
                      Pairs& pairs) {
  Column& stream = state.stream[segment];
  const SharedIndex old = stream.index, more = column.index;
  SharedIndex index = old ? old : more;
  std::size_t shift = 0;
  if (old && more && old != more) {
    SharedIndex& made = pairs[{old, more}];
    if (!made) made = std::make_shared<ColumnIndex>(ColumnIndex{pair_family(old, more), nullptr});
    shift = old->family->dims;
    index = made;
  }
  const std::size_t dims = index ? index->family->dims : 0;
  const Combinations both = state.passes.combine({&stream, &column});
  EntryPool& pool = state.pools.entries[segment];
  std::vector<EntryId> entries;
  std::vector<SharedIndex> indices;
  for (const auto& combination : both.entries) {
    const ColumnEntry &x = pool[combination[0]], &y = pool[combination[1]];
    const std::size_t rows = x.v.size(), of_x = x.m.size() / rows, of_y = y.m.size() / rows;
    ColumnEntry sum{x.v, Reals(rows * dims)};
    add_multiple(sum.v, 0, y.v, 0, rows, Rational(1));
    for (std::size_t r = 0; r < rows; ++r) {
      add_multiple(sum.m, r * dims, x.m, r * of_x, of_x, Rational(1));
      add_multiple(sum.m, r * dims + shift, y.m, r * of_y, of_y, Rational(1));
    }
    indices.push_back(all_zero(sum.m) ? nullptr : index);
    entries.push_back(pool.intern(std::move(sum)));
  }
  stream = state.passes.relabel(both, entries, indices);
}

/// Number heads_.size(): of all heads.
const ColumnScores& ColumnLayer::scores(std::size_t head) {
  if (!scores_[head]) {
    std::vector<const Head*> of;
    for (std::size_t k = 0; k < heads_.size(); ++k)
      if (head == k || head == heads_.size()) of.push_back(&heads_[k].head);
    scores_[head].emplace(of, segments_, attention_norm_);
  }
  return *scores_[head];
}

void ColumnLayer::read_rows(ColumnState& state, const NormedColumns& z, ColumnAttention& attention,
                            Selected& selected) {
  if (!selected.rows.empty()) return;
  for (const auto& [query, key] : heads_[selected.head].rows) {
    RowPair& rows = selected.rows.emplace_back(
        RowPair{query(state, z), key(state, z), std::nullopt, std::nullopt});
    rows.query_plane = attention.directions().of(state, rows.query);
    rows.key_plane = attention.directions().of(state, rows.key);
  }
}

/// By classes of queries and keys; by planes; scores that are numbers can also be computed token by token.
/// Of several planes first, as queries of several indices have no classes.
void ColumnLayer::select(ColumnState& state, const NormedColumns& z, ColumnAttention& attention,
                         Selected& selected) {
  const PreparedHead& prepared = heads_[selected.head];
  const auto by_planes = [&] {
    read_rows(state, z, attention, selected);
    selected.selection = attention.select(state, selected.rows, prepared.head.causal);
  };
  bool numbers = false;
  const auto by_classes = [&] {
    const ColumnImages queries = prepared.query(state, z), keys = prepared.key(state, z);
    const auto has_index = [](const ColumnImage& image) { return image.index != nullptr; };
    numbers = std::ranges::none_of(queries.images, has_index) &&
              std::ranges::none_of(keys.images, has_index);
    selected.one_key = is_one_key(keys);
    selected.selection = attention.select(state, queries, keys, prepared.head.causal);
  };
  const auto tried = [](auto first, auto second) {
    try {
      first();
    } catch (const HandOver& reason) {
      try {
        second();
      } catch (const HandOver&) {
        throw reason;
      }
    }
  };
  const auto by_scores = [&] {
    if (!numbers || state.words() > 1 || state.tokens() > ColumnScores::kMostTokens)
      throw HandOver("no scores");
    scores(selected.head)(
        state, z, [&](std::size_t, ColumnSelection of) { selected.selection = std::move(of); });
  };
  if (prepared.rows.size() > 1)
    tried(by_planes, by_classes);
  else
    tried(by_classes, [&] { tried(by_planes, by_scores); });
}

void ColumnLayer::add_values(ColumnState& state, const NormedColumns& z, ColumnAverages& averages,
                             const Selected& selected, AddedColumns& all) {
  const PreparedHead& prepared = heads_[selected.head];
  const ColumnSelection& selection = selected.selection;
  std::vector<SharedLabels> sources;
  AddedColumns added = values(state, prepared, z, sources);
  const bool causal = prepared.head.causal;
  if (selection.selected) {
    gather(state, added, selection.selected);
  } else if (selection.sets) {
    average_sets(state, added, *selection.sets);
  } else if (causal) {
    averages.average(state, added, sources, selection.cells.get());
  } else if (selection.cells) {
    average_cells(state, added, *selection.cells);
  } else {
    average_cells(state, added, all_cells());
  }
  std::move(added.begin(), added.end(), std::back_inserter(all));
}

void ColumnLayer::attend(ColumnState& state, ColumnAttention& attention, ColumnAverages& averages,
                         ColumnRows& rows) {
  if (heads_.empty()) return;
  const NormedColumns z = attention_norm_(state);
  ColumnContracts contracts(state, attention.known_cells());
  AddedColumns all;
  const auto finish = [&](Selected& selected) {
    const Head& head = heads_[selected.head].head;
    contracts.check(head.contract, selected.selection, selected.one_key, head.causal, [&] {
      read_rows(state, z, attention, selected);
      return std::span<const RowPair>(selected.rows);
    });
    add_values(state, z, averages, selected, all);
    rows[static_cast<std::size_t>(selected.selection.rule)] += state.tokens();
  };
  const auto named = [](std::size_t k, auto work) {
    try {
      work();
    } catch (const HandOver& reason) {
      throw HandOver(fmt::format("head {}: {}", k, reason.what()));
    }
  };
  std::size_t next = 0;  // heads before it are done
  if (scores(heads_.size()).fits(state, z)) try {
      scores(heads_.size())(state, z, [&](std::size_t k, ColumnSelection selection) {
        next = k + 1;
        Selected selected{k, std::move(selection), false, {}};
        named(k, [&] { finish(selected); });
      });
    } catch (const HandOver&) {
      if (next > 0) throw;  // the scores were found
    }
  for (; next < heads_.size(); ++next)
    named(next, [&] {
      Selected selected{next, {}, false, {}};
      select(state, z, attention, selected);
      finish(selected);
    });
  // Every head has read its input, so outputs may be added in place.
  Pairs pairs;
  for (const auto& [segment, column] : all) add(state, segment, column, pairs);
}

void ColumnLayer::feed_forward(ColumnState& state) {
  if (!has_units_) return;
  const NormedColumns z = feedforward_norm_(state);
  units_(state, z);
}

}  // namespace logdepth::inline runtime_columns
