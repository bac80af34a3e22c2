#include "runtime/columns/column_map.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {

ColumnMap::ColumnMap(const SparseMatrix& matrix, const Segments& segments, const Rationals& weights)
    : rows_(matrix.rows) {
  for (const MatrixEntry& e : matrix.entries)
    if (!weights[e.column].is_zero()) segments_.push_back(segments.place[e.column].segment);
  std::ranges::sort(segments_);
  segments_.erase(std::unique(segments_.begin(), segments_.end()), segments_.end());
  for (const MatrixEntry& e : matrix.entries) {
    if (weights[e.column].is_zero()) continue;
    const auto [segment, offset] = segments.place[e.column];
    const auto column =
        std::lower_bound(segments_.begin(), segments_.end(), segment) - segments_.begin();
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

namespace {

constexpr std::uint32_t kNoIndex = static_cast<std::uint32_t>(-1);
/// Evaluations that are worth a thread.
constexpr std::size_t kLeastEvaluations = 16;
constexpr std::size_t kBesideKey = 64;  // bytes of a memo's entry

/// A number for the bounds of a family: what a sign is decided by, so part of what a memo knows it by.
EntryId box_of(ColumnPools& pools, const ColumnIndex& index) {
  return pools.boxes.intern({Reals(index.family->low.begin(), index.family->low.end()),
                             Reals(index.family->high.begin(), index.family->high.end())});
}

}  // namespace

struct ColumnUnits::Sum {
  Real number, low, high;                // bounds of the whole sum
  std::map<std::uint32_t, Reals> codes;  // by name of the index: one row
};

struct ColumnUnits::WholeEntries {
  std::vector<const WholeNumbers*> of;  // per column; empty: they do not fit
  std::vector<std::int64_t> times;      // what brings each to the denominator
  std::int64_t denominator = 1;

  /// The input of a unit before the factor, not in lowest terms; absent: it does not fit.
  std::optional<Rational::Small> input(const Unit& unit, bool on_z) const {
    const WholeNumbers& weights = on_z ? unit.whole_on_z : unit.whole_on_stream;
    std::int64_t sum = 0, below = 0;
    if (of.empty() || weights.denominator == 0 ||
        __builtin_mul_overflow(weights.denominator, denominator, &below))
      return std::nullopt;
    for (std::size_t k = 0; k < unit.in.size(); ++k) {
      const Term& term = unit.in[k];
      std::int64_t product = of[term.column]->numerators[term.offset];
      if (product == 0) continue;
      if (__builtin_mul_overflow(product, times[term.column], &product) ||
          __builtin_mul_overflow(product, weights.numerators[k], &product) ||
          __builtin_add_overflow(sum, product, &sum))
        return std::nullopt;
    }
    return Rational::Small{sum, below};
  }
};

ColumnUnits::ColumnUnits(const FeedForward& feedforward, const Segments& segments,
                         const ColumnNorm& norm) {
  std::vector<std::vector<MatrixEntry>> in(feedforward.in.rows);
  for (const MatrixEntry& e : feedforward.in.entries)
    if (!norm.mask()[e.column].is_zero()) in[e.row].push_back(e);
  std::map<std::uint32_t, std::map<std::uint32_t, Unit>> writers;
  for (const MatrixEntry& e : feedforward.out.entries) {
    const auto [segment, offset] = segments.place[e.row];
    Unit& unit = writers[segment].try_emplace(e.column, Unit{e.column}).first->second;
    unit.out.emplace_back(offset, e.value);
  }
  for (auto& [segment, units] : writers) {
    std::set<std::uint32_t> read;
    for (const auto& [number, unit] : units)
      for (const MatrixEntry& e : in[number]) read.insert(segments.place[e.column].segment);
    Written& written = written_.emplace_back();
    written.segment = segment;
    written.read.assign(read.begin(), read.end());
    for (const std::uint32_t s : written.read)
      written.pushes.emplace_back(segments.coordinates[s].size());
    for (auto& [number, unit] : units) {
      for (const MatrixEntry& e : in[number]) {
        const auto [from, offset] = segments.place[e.column];
        const auto column = static_cast<std::uint32_t>(
            std::lower_bound(written.read.begin(), written.read.end(), from) -
            written.read.begin());
        // The mask may be negative: a push has the sign of the whole weight. Without a mask, of a
        // direction, the weight alone is what counts; pushed_units() takes both signs then.
        unit.in.push_back({column, offset, e.value * norm.mask()[e.column], e.value});
        Pushes& pushes = written.pushes[column][offset];
        (unit.in.back().on_stream.sign() > 0 ? pushes.up : pushes.down)
            .push_back(static_cast<std::uint32_t>(written.units.size()));
      }
      Reals on_stream, on_z;
      for (const Term& term : unit.in) {
        on_stream.push_back(term.on_stream);
        on_z.push_back(term.on_z);
      }
      unit.whole_on_stream = whole_numbers(on_stream);
      unit.whole_on_z = whole_numbers(on_z);
      written.units.push_back(std::move(unit));
    }
  }
  find_mirrors(feedforward, norm.masked());
}

/// Pairs every unit with one that has its negated rows and columns. One to one: of two equal units and
/// one mirror, one stays alone.
void ColumnUnits::find_mirrors(const FeedForward& feedforward, const Rationals& masked) {
  using Key = std::vector<std::pair<std::uint32_t, Rational>>;
  const std::uint32_t units = feedforward.in.rows;
  std::vector<Key> key(units), negated(units);
  const auto add = [&](std::uint32_t unit, std::uint32_t name, const Rational& value) {
    key[unit].emplace_back(name, value);
    negated[unit].emplace_back(name, -value);
  };
  for (const MatrixEntry& e : feedforward.in.entries)
    if (!masked[e.column].is_zero()) add(e.row, 2 * e.column, e.value);
  for (const MatrixEntry& e : feedforward.out.entries) add(e.column, 2 * e.row + 1, e.value);
  mirror_.resize(units);
  std::iota(mirror_.begin(), mirror_.end(), 0);
  std::map<Key, std::vector<std::uint32_t>> alone;
  for (std::uint32_t u = 0; u < units; ++u) {
    auto& partners = alone[negated[u]];
    if (partners.empty()) {
      alone[key[u]].push_back(u);
      continue;
    }
    mirror_[u] = partners.back();
    mirror_[partners.back()] = u;
    partners.pop_back();
  }
}

/// Units with a term that can be positive; all others are not, and add nothing.
std::vector<std::uint32_t> ColumnUnits::pushed_units(const ColumnPools& pools,
                                                     const Written& written,
                                                     const std::vector<EntryId>& entries) const {
  std::vector<char> seen(written.units.size());
  std::vector<std::uint32_t> pushed;
  for (std::size_t c = 0; c < written.read.size(); ++c) {
    const EntryPool& pool = pools.entries[written.read[c]];
    const ColumnEntry& entry = pool[entries[c]];
    const WholeNumbers& whole = pool.whole(entries[c]);
    for (std::size_t r = 0; r < written.pushes[c].size(); ++r) {
      if (whole.denominator > 0 && whole.numerators[r] == 0) continue;
      const auto push = [&](const std::vector<std::uint32_t>& units) {
        for (const std::uint32_t unit : units) {
          if (seen[unit]) continue;
          seen[unit] = 1;
          pushed.push_back(unit);
        }
      };
      const int sign = entry.m.empty() ? entry.v[r].sign() : 0;
      if (!entry.m.empty() || sign > 0) push(written.pushes[c][r].up);
      if (!entry.m.empty() || sign < 0) push(written.pushes[c][r].down);
    }
  }
  return pushed;
}

ColumnUnits::WholeEntries ColumnUnits::whole_entries(const ColumnPools& pools,
                                                     const Written& written,
                                                     const std::vector<EntryId>& entries) {
  WholeEntries whole;
  for (std::size_t c = 0; c < written.read.size(); ++c) {
    const WholeNumbers& of = pools.entries[written.read[c]].whole(entries[c]);
    if (of.denominator == 0 || !add_denominator(whole.denominator, of.denominator)) return {};
    whole.of.push_back(&of);
  }
  for (const WholeNumbers* of : whole.of)
    whole.times.push_back(whole.denominator / of->denominator);
  return whole;
}

ColumnUnits::Sum ColumnUnits::input_of(const ColumnState& state, const Written& written,
                                       const Unit& unit, bool on_z, const Columns& read,
                                       const std::vector<EntryId>& entries) const {
  Sum sum;
  const Real& factor = state.pools.factors[entries.back()].v[0];
  for (const Term& term : unit.in) {
    const ColumnEntry& entry = state.pools.entries[written.read[term.column]][entries[term.column]];
    const Rational& weight = on_z ? term.on_z : term.on_stream;
    if (!entry.v[term.offset].is_zero()) add(sum.number, entry.v[term.offset].scaled(weight));
    if (entry.m.empty()) continue;
    const std::uint32_t dims = read[term.column]->index->family->dims;
    const std::uint32_t name = index_name(read, term.column);
    Reals& codes = sum.codes.try_emplace(name, dims).first->second;
    add_multiple(codes, 0, entry.m, term.offset * dims, dims, factor.scaled(weight));
  }
  sum.number = sum.number * factor;
  sum.low = sum.high = sum.number;
  for (const auto& [name, m] : sum.codes) {
    const ColumnFamily& family = *read[name]->index->family;
    for (std::size_t d = 0; d < m.size(); ++d) {
      if (m[d].is_zero()) continue;
      const bool up = m[d].sign() > 0;
      add(sum.low, m[d].scaled(up ? family.low[d] : family.high[d]));
      add(sum.high, m[d].scaled(up ? family.high[d] : family.low[d]));
    }
  }
  return sum;
}

/// h + out ReLU(x) in one segment. Certificate: codes lie in the box of their family (L3, L4), so x lies in
/// [low, high]. If high <= 0 the unit is silent, if low >= 0 it is linear, for every index. Else its mirror
/// has to be there: out ReLU(x) + (-out) ReLU(-x) = out x; the first of the two adds it, the other nothing.
ColumnUnits::Evaluated ColumnUnits::evaluate(const ColumnState& state, const Written& written,
                                             bool on_z, const Columns& read,
                                             const std::vector<EntryId>& entries) const {
  const auto own = static_cast<std::uint32_t>(written.read.size());
  ColumnEntry h = state.pools.entries[written.segment][entries[own]];
  std::map<std::uint32_t, Reals> codes;
  if (!h.m.empty()) codes[index_name(read, own)] = std::move(h.m);
  std::vector<std::uint32_t> units;
  if (on_z) {
    units.resize(written.units.size());
    std::iota(units.begin(), units.end(), 0);
  } else {
    units = pushed_units(state.pools, written, entries);
  }
  const Real& factor = state.pools.factors[entries.back()].v[0];
  const WholeEntries whole = whole_entries(state.pools, written, entries);
  const int factor_sign = factor.sign();
  for (const std::uint32_t u : units) {
    const Unit& unit = written.units[u];
    if (const auto input = whole.input(unit, on_z)) {
      if (input->numerator == 0 || (input->numerator > 0 ? factor_sign : -factor_sign) <= 0)
        continue;
      const Real x = factor.scaled(Rational(input->numerator, input->denominator));
      for (const auto& [offset, weight] : unit.out) add(h.v[offset], x.scaled(weight));
      continue;
    }
    const Sum x = input_of(state, written, unit, on_z, read, entries);
    if (x.high.sign() <= 0) continue;
    if (x.low.sign() < 0) {
      if (mirror_[unit.number] == unit.number)
        throw HandOver("a hidden unit whose sign depends on an index");
      if (mirror_[unit.number] < unit.number) continue;
    }
    for (const auto& [offset, weight] : unit.out) {
      add(h.v[offset], x.number.scaled(weight));
      for (const auto& [name, m] : x.codes) {
        Reals& of = codes.try_emplace(name, h.v.size() * m.size()).first->second;
        add_multiple(of, offset * m.size(), m, 0, m.size(), weight);
      }
    }
  }
  std::erase_if(codes, [](const auto& of) { return all_zero(of.second); });
  if (codes.size() > 1) throw HandOver("a sum of codes of two indices");
  h.m = codes.empty() ? Reals() : std::move(codes.begin()->second);
  return {std::move(h), codes.empty() ? kNoIndex : codes.begin()->first};
}

/// Threads share what is not known yet; entries are interned in order.
void ColumnUnits::evaluate_all(ColumnState& state, Written& written, bool on_z, const Columns& read,
                               const std::vector<Asked>& asked) {
  std::vector<Evaluated> found(asked.size());
  Parts(asked.size(), state.passes.threads(), kLeastEvaluations)
      .share([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
          found[k] = evaluate(state, written, on_z, read, *asked[k].second);
      });
  state.evaluations += asked.size();
  EntryPool& pool = state.pools.entries[written.segment];
  for (std::size_t k = 0; k < asked.size(); ++k) {
    bytes_ += asked[k].first->first.size() + kBesideKey;
    asked[k].first->second = {pool.intern(std::move(found[k].entry)), found[k].index};
  }
}

Column ColumnUnits::written_column(ColumnState& state, Written& written, const NormedColumns& z) {
  Columns read = pointers(z.columns(state), written.read);
  read.push_back(&state.stream[written.segment]);
  read.push_back(&z.factor);
  const Combinations joint = state.passes.combine(read);
  // What an evaluation depends on beside entries: which columns share an index, and their boxes.
  std::vector<std::uint32_t> names = {z.is_direction ? 1u : 0u};
  for (std::uint32_t c = 0; c < read.size(); ++c) {
    names.push_back(index_name(read, c));
    names.push_back(read[c]->index ? 1 + box_of(state.pools, *read[c]->index) : 0);
  }
  std::vector<const Known::mapped_type*> answers;
  std::vector<Asked> asked;
  for (const auto& combination : joint.entries) {
    std::string key(reinterpret_cast<const char*>(combination.data()),
                    combination.size() * sizeof(EntryId));
    key.append(reinterpret_cast<const char*>(names.data()), names.size() * sizeof(names[0]));
    const auto [entry, fresh] = written.known.try_emplace(std::move(key));
    if (fresh) asked.emplace_back(&*entry, &combination);
    answers.push_back(&entry->second);
  }
  evaluate_all(state, written, z.is_direction, read, asked);
  std::vector<EntryId> entries;
  std::vector<SharedIndex> indices;
  for (const auto* answer : answers) {
    entries.push_back(answer->first);
    indices.push_back(answer->second == kNoIndex ? nullptr : read[answer->second]->index);
  }
  return state.passes.relabel(joint, entries, indices);
}

void ColumnUnits::operator()(ColumnState& state, const NormedColumns& z) {
  std::vector<Column> results;
  for (Written& written : written_) results.push_back(written_column(state, written, z));
  for (std::size_t w = 0; w < results.size(); ++w)
    state.stream[written_[w].segment] = std::move(results[w]);
}

}}  // namespace logdepth::runtime_columns
