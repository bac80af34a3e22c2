#include "runtime/columns/column_layer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

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

ColumnLayer::Added ColumnLayer::values(ColumnState& state, const PreparedHead& head,
                                       const NormedColumns& z, std::vector<SharedLabels>& sources) {
  Added added;
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
void ColumnLayer::gather(ColumnState& state, Added& added, const SharedLabels& selected) {
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

/// Every row selects a set: averages of values that are numbers, made once per share of every combination
/// of values in a set.
void ColumnLayer::average(ColumnState& state, Added& added, const TokenSets& sets) {
  Columns read;
  for (const auto& [segment, column] : added) {
    if (column.index) throw HandOver("an average of codes");
    read.push_back(&column);
  }
  const Combinations joint = state.passes.combine(read);
  if (!joint.local) return;  // all values are one
  const std::size_t classes = joint.entries.size();
  std::vector<std::vector<std::uint64_t>> of_class(classes);
  for (auto& set : of_class) set.resize(sets.words());
  for (std::size_t j = 0; j < state.tokens(); ++j) insert(of_class[joint.at(j)].data(), j);
  const auto local = state.passes.labels();
  std::map<std::vector<std::uint32_t>, Label> known;
  std::vector<const std::vector<std::uint32_t>*> distinct;
  std::vector<std::uint32_t> counts(classes);
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    auto left = static_cast<std::uint32_t>(size_of(sets.row(i)));
    std::ranges::fill(counts, 0);
    for (std::size_t c = 0; c < classes && left > 0; ++c) {
      for (std::size_t w = 0; w < sets.words(); ++w)
        counts[c] += static_cast<std::uint32_t>(std::popcount(sets.row(i)[w] & of_class[c][w]));
      left -= counts[c];
    }
    std::uint32_t content = 0;
    for (const std::uint32_t count : counts) content = std::gcd(content, count);
    for (std::uint32_t& count : counts) count /= content;
    const auto [entry, fresh] = known.try_emplace(counts, static_cast<Label>(distinct.size()));
    if (fresh) distinct.push_back(&entry->first);
    local->data()[i] = entry->second;
  }
  for (std::size_t a = 0; a < added.size(); ++a) {
    auto& [segment, column] = added[a];
    EntryPool& pool = state.pools.entries[segment];
    Column averaged{distinct.size() > 1 ? local : nullptr, {}, nullptr};
    for (const auto* shares : distinct) {
      ColumnEntry entry{Rationals(state.pools.length(segment)), {}};
      const std::int64_t all = std::accumulate(shares->begin(), shares->end(), std::int64_t{0});
      for (std::size_t c = 0; c < classes; ++c)
        if ((*shares)[c] != 0)
          add_multiple(entry.v, 0, pool[joint.entries[c][a]].v, 0, entry.v.size(),
                       Rational((*shares)[c], all));
      averaged.dictionary.push_back(pool.intern(std::move(entry)));
    }
    column = std::move(averaged);
  }
}

void ColumnAverages::average(ColumnState& state,
                             std::vector<std::pair<std::uint32_t, Column>>& added,
                             const std::vector<SharedLabels>& sources) {
  Columns read;
  std::vector<SharedLabels> name;
  for (const auto& [segment, column] : added) {
    if (column.index) throw HandOver("an average of codes");
    read.push_back(&column);
    if (column.local && std::ranges::find(name, column.local) == name.end())
      name.push_back(column.local);
  }
  if (name.empty()) return;  // all values are one
  const Combinations joint = state.passes.combine(read);
  auto& known = known_[name];
  const auto dims = static_cast<std::uint32_t>(joint.entries.size());
  if (!known.index) {
    auto family = std::make_shared<ColumnFamily>(ColumnFamily::Kind::average);
    family->dims = dims;
    family->column = joint.local;
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
    ColumnEntry entry{Rationals(length), Rationals(length * dims)};
    for (std::uint32_t d = 0; d < dims; ++d) {
      const Rationals& value = state.pools.entries[segment][joint.entries[d][a]].v;
      for (std::size_t r = 0; r < length; ++r) entry.m[r * dims + d] = value[r];
    }
    column = {nullptr, {state.pools.entries[segment].intern(std::move(entry))}, known.index};
  }
}

void ColumnAverages::forget_dead() {
  std::erase_if(known_, [](const auto& of) { return of.second.index.use_count() == 1; });
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
    ColumnEntry sum{x.v, Rationals(rows * dims)};
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

/// By classes of queries and keys; scores that are numbers can also be computed token by token.
ColumnSelection ColumnLayer::select(ColumnState& state, std::size_t head, const NormedColumns& z,
                                    ColumnAttention& attention, bool& one_key) {
  const PreparedHead& prepared = heads_[head];
  const ColumnImages queries = prepared.query(state, z), keys = prepared.key(state, z);
  one_key = is_one_key(keys);
  const auto has_index = [](const ColumnImage& image) { return image.index != nullptr; };
  try {
    return attention.select(state, queries, keys, prepared.head.causal);
  } catch (const HandOver&) {
    if (std::ranges::any_of(queries.images, has_index) ||
        std::ranges::any_of(keys.images, has_index) || state.words() > 1 ||
        state.tokens() > ColumnScores::kMostTokens)
      throw;
  }
  ColumnSelection selection;
  scores(head)(state, z, [&](std::size_t, ColumnSelection of) { selection = std::move(of); });
  return selection;
}

void ColumnLayer::attend(ColumnState& state, ColumnAttention& attention, ColumnAverages& averages,
                         ColumnRows& rows) {
  if (heads_.empty()) return;
  const NormedColumns z = attention_norm_(state);
  ColumnContracts contracts(state);
  Added all;
  const auto differs = [](const auto& of) { return of.second.local != nullptr; };
  const auto finish = [&](std::size_t k, const ColumnSelection& selection, bool one_key) {
    const Head& head = heads_[k].head;
    contracts.check(head.contract, selection, one_key, head.causal);
    std::vector<SharedLabels> sources;
    Added added = values(state, heads_[k], z, sources);
    if (selection.selected) {
      gather(state, added, selection.selected);
    } else if (selection.sets) {
      average(state, added, *selection.sets);
    } else if (!head.causal && std::ranges::any_of(added, differs)) {
      average(state, added, sets_of(state, selection, false));
    } else {
      averages.average(state, added, sources);
    }
    rows[static_cast<std::size_t>(selection.rule)] += state.tokens();
    std::move(added.begin(), added.end(), std::back_inserter(all));
  };
  const auto named = [](std::size_t k, auto work) {
    try {
      work();
    } catch (const HandOver& reason) {
      throw HandOver(fmt::format("head {}: {}", k, reason.what()));
    }
  };
  if (scores(heads_.size()).fits(state, z)) {
    scores(heads_.size())(state, z, [&](std::size_t k, const ColumnSelection& selection) {
      named(k, [&] { finish(k, selection, false); });
    });
  } else {
    for (std::size_t k = 0; k < heads_.size(); ++k)
      named(k, [&] {
        bool one_key = false;
        const ColumnSelection selection = select(state, k, z, attention, one_key);
        finish(k, selection, one_key);
      });
  }
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
