#include "runtime/columns/column_layer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

Columns number_columns(const AddedColumns& added) {
  Columns read;
  for (const auto& [segment, column] : added) {
    if (column.index) throw HandOver("an average of codes");
    read.push_back(&column);
  }
  return read;
}

/// How many of every combination of values there are, up to a factor: numbered as they are first asked for.
class Shares {
 public:
  using Counts = std::vector<std::uint32_t>;

  Label number(Counts counts) {
    std::uint32_t content = 0;
    for (const std::uint32_t count : counts) content = std::gcd(content, count);
    for (std::uint32_t& count : counts) count /= content;
    const auto [entry, fresh] = known_.try_emplace(counts, static_cast<Label>(distinct_.size()));
    if (fresh) distinct_.push_back(&entry->first);
    return entry->second;
  }
  std::size_t size() const { return distinct_.size(); }
  /// Their averages of the values of one of the columns that the head adds, whose combinations these are.
  std::vector<EntryId> averages(ColumnState& state, const Combinations& values, std::size_t added,
                                std::uint32_t segment) const {
    EntryPool& pool = state.pools.entries[segment];
    std::vector<EntryId> entries;
    for (const Counts* shares : distinct_) {
      ColumnEntry entry{Reals(state.pools.length(segment)), {}};
      const std::int64_t all = std::accumulate(shares->begin(), shares->end(), std::int64_t{0});
      for (std::size_t c = 0; c < shares->size(); ++c)
        if ((*shares)[c] != 0)
          add_multiple(entry.v, 0, pool[values.entries[c][added]].v, 0, entry.v.size(),
                       Rational((*shares)[c], all));
      entries.push_back(pool.intern(std::move(entry)));
    }
    return entries;
  }

 private:
  std::map<Counts, Label> known_;
  std::vector<const Counts*> distinct_;
};

/// Values that are numbers replaced by their averages over the sets that rows select; made once per share of
/// every combination of values in a set. Errors: HandOver.
void average_sets(ColumnState& state, AddedColumns& added, const TokenSets& sets) {
  const Combinations joint = state.passes.combine(number_columns(added));
  if (!joint.local) return;  // all values are one
  const std::size_t classes = joint.entries.size();
  std::vector<std::vector<std::uint64_t>> of_class(classes);
  for (auto& set : of_class) set.resize(sets.words());
  for (std::size_t j = 0; j < state.tokens(); ++j) insert(of_class[joint.at(j)].data(), j);
  const auto local = state.passes.labels();
  Shares shares;
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    auto left = static_cast<std::uint32_t>(size_of(sets.row(i)));
    Shares::Counts counts(classes);
    for (std::size_t c = 0; c < classes && left > 0; ++c) {
      for (std::size_t w = 0; w < sets.words(); ++w)
        counts[c] += static_cast<std::uint32_t>(std::popcount(sets.row(i)[w] & of_class[c][w]));
      left -= counts[c];
    }
    local->data()[i] = shares.number(std::move(counts));
  }
  for (std::size_t a = 0; a < added.size(); ++a)
    added[a].second = {shares.size() > 1 ? local : nullptr,
                       shares.averages(state, joint, a, added[a].first), nullptr};
}

/// The same over cells, of rows that see their words as a whole.
void average_cells(ColumnState& state, AddedColumns& added, const RankedCells& cells) {
  const Combinations joint = state.passes.combine(number_columns(added));
  if (!joint.local) return;  // all values are one
  const std::size_t kinds = joint.entries.size();
  const CellCounts counts(state, cells, joint.local, kinds);
  const Column words = word_column(state), of_rows = cells.row_column();
  const Combinations rows = state.passes.combine({&words, &of_rows});
  std::vector<char> occurs(rows.entries.size());
  for (std::size_t i = 0; i < state.tokens(); ++i) occurs[rows.at(i)] = 1;
  Shares shares;
  std::vector<Label> share_of;
  for (std::size_t r = 0; r < rows.entries.size(); ++r) {
    Label& share = share_of.emplace_back(0);
    if (!occurs[r]) continue;
    const std::size_t word = rows.entries[r][0];
    Shares::Counts of_kind(kinds);
    for (const Label cell : counts.selected(word, rows.entries[r][1]))
      for (std::size_t kind = 0; kind < kinds; ++kind) of_kind[kind] += counts.of(word, cell, kind);
    share = shares.number(std::move(of_kind));
  }
  for (std::size_t a = 0; a < added.size(); ++a) {
    const std::vector<EntryId> averages = shares.averages(state, joint, a, added[a].first);
    std::vector<EntryId> entries;
    for (const Label share : share_of) entries.push_back(averages[share]);
    added[a].second = state.passes.relabel(rows, entries, std::vector<SharedIndex>(entries.size()));
  }
}

}  // namespace

void ColumnAverages::average(ColumnState& state, AddedColumns& added,
                             const std::vector<SharedLabels>& sources, const RankedCells* cells) {
  const Columns read = number_columns(added);
  std::vector<SharedLabels> name;
  for (const Column* column : read)
    if (column->local && std::ranges::find(name, column->local) == name.end())
      name.push_back(column->local);
  if (name.empty()) return;  // all values are one
  const Combinations joint = state.passes.combine(read);
  SharedLabels asked;  // the cell that a row selects
  if (cells) {
    std::vector<Label> cell_of;
    for (const auto& ranks : cells->ranks)  // of rows that occur there is one
      cell_of.push_back(ranks.empty() || ranks[0].empty() ? 0 : ranks[0][0]);
    if (cells->row) {
      asked = state.passes.renamed(cells->row, cell_of);
    } else if (cell_of[0] != 0) {
      const auto labels = state.passes.labels();
      std::fill_n(labels->data(), state.tokens(), cell_of[0]);
      asked = labels;
    }
    name.insert(name.end(), {nullptr, cells->cell, asked});
  }
  auto& known = known_[name];
  const auto dims = static_cast<std::uint32_t>(joint.entries.size());
  if (!known.index) {
    auto family = std::make_shared<ColumnFamily>(ColumnFamily::Kind::average);
    family->dims = dims;
    family->column = joint.local;
    if (cells) {
      family->cell = cells->cell;
      family->asked = asked;
    }
    family->low.assign(dims, Rational(0));
    family->high.assign(dims, Rational(1));
    known = {joint.local, std::make_shared<ColumnIndex>(ColumnIndex{family, nullptr}), sources};
  }
  if (known.joint != joint.local || known.index->family->dims != dims)
    throw HandOver("two numberings of one average");
  for (std::size_t a = 0; a < added.size(); ++a) {
    auto& [segment, column] = added[a];
    if (!column.local) continue;
    const std::size_t length = state.pools.length(segment);
    ColumnEntry entry{Reals(length), Reals(length * dims)};
    for (std::uint32_t d = 0; d < dims; ++d) {
      const Reals& value = state.pools.entries[segment][joint.entries[d][a]].v;
      for (std::size_t r = 0; r < length; ++r) entry.m[r * dims + d] = value[r];
    }
    column = {nullptr, {state.pools.entries[segment].intern(std::move(entry))}, known.index};
  }
}

void ColumnAverages::forget_dead() {
  std::erase_if(known_, [](const auto& of) { return of.second.index.use_count() == 1; });
}

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
      if (!local) local = state.passes.gather(column.local->data(), selected);
      column.local = local;
    }
    if (column.index) {
      SharedIndex& index = indices[column.index];
      if (!index) {
        const SharedLabels& ids = column.index->ids;
        index = std::make_shared<ColumnIndex>(ColumnIndex{
            column.index->family, ids ? state.passes.gather(ids->data(), selected) : selected});
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
  std::vector<RowPair> read;  // all of them or none
  for (const auto& [query, key] : heads_[selected.head].rows) {
    RowPair& rows =
        read.emplace_back(RowPair{query(state, z), key(state, z), std::nullopt, std::nullopt});
    rows.query_plane = attention.directions().of(state, rows.query);
    rows.key_plane = attention.directions().of(state, rows.key);
  }
  selected.rows = std::move(read);
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
    selected.one_key = std::ranges::all_of(keys.images, [&](const ColumnImage& key) {
      return key.m.empty() && key.v == keys.images[0].v;
    });
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

}}  // namespace logdepth::runtime_columns
