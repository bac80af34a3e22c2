#include "runtime/columns/column_norm.hpp"

#include <algorithm>
#include <map>

#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

std::int64_t checked(bool overflow, std::int64_t value) {
  if (overflow || value == INT64_MIN) throw HandOver("a direction beyond 64 bits");
  return value;
}
void add_checked(std::int64_t& into, std::int64_t value) {
  const bool overflow = __builtin_add_overflow(into, value, &into);
  checked(overflow, into);
}

/// Sums of k integers over the tokens so far of a word that stand in a cell.
class CellSums {
 public:
  CellSums(const ColumnFamily& family, std::size_t tokens, std::size_t k)
      : cell_(family.cell), asked_(family.asked), k_(k) {
    Label largest = 0;
    for (std::size_t i = 0; (cell_ || asked_) && i < tokens; ++i)
      largest = std::max({largest, cell_ ? (*cell_)[i] : 0, asked_ ? (*asked_)[i] : 0});
    sums_.resize((largest + std::size_t{1}) * k);
  }
  void begin_word() { std::fill(sums_.begin(), sums_.end(), 0); }
  void see(std::size_t token, const std::int64_t* step) {
    std::int64_t* of = sums_.data() + (cell_ ? (*cell_)[token] : 0) * k_;
    for (std::size_t r = 0; r < k_; ++r) add_checked(of[r], step[r]);
  }
  /// Those of the cell that the token asks for.
  void read(std::size_t token, std::vector<std::int64_t>& out) const {
    std::copy_n(sums_.data() + (asked_ ? (*asked_)[token] : 0) * k_, k_, out.data());
  }

 private:
  const SharedLabels &cell_, &asked_;
  std::size_t k_;
  std::vector<std::int64_t> sums_;
};

}  // namespace

ColumnNorm::ColumnNorm(const Model& model, const Segments& segments, const SparseVector& mask)
    : model_(model), mask_(model.width), masked_(model.width) {
  for (const SparseEntry& e : mask) {
    mask_[e.index] = e.value;
    masked_[e.index] = Rational(1);
    segments_.push_back(segments.place[e.index].segment);
  }
  std::ranges::sort(segments_);
  segments_.erase(std::unique(segments_.begin(), segments_.end()), segments_.end());
}

ColumnEntry ColumnNorm::masked_entry(const ColumnState& state, std::uint32_t segment,
                                     EntryId entry) const {
  ColumnEntry x = state.pools.entries[segment][entry];
  const std::size_t dims = x.v.empty() ? 0 : x.m.size() / x.v.size();
  for (std::size_t r = 0; r < x.v.size(); ++r) {
    const Rational& weight = mask_[state.pools.segments.coordinates[segment][r]];
    x.v[r] = x.v[r].scaled(weight);
    for (std::size_t d = 0; d < dims; ++d) x.m[r * dims + d] = x.m[r * dims + d].scaled(weight);
  }
  return x;
}

/// A column of signatures: what a segment adds to the squared norm and to the mean. v: the square of the
/// numbers, their sum, the name of the index; m: M^T M, M^T v, M^T 1.
Column ColumnNorm::signatures(ColumnState& state, const Columns& from, std::size_t part) const {
  const Column& column = *from[part];
  Column result{column.local, {}, nullptr};
  for (const EntryId entry : column.dictionary) {
    const ColumnEntry x = masked_entry(state, segments_[part], entry);
    ColumnEntry signature{Reals(3), {}};
    for (const Real& y : x.v) {
      add(signature.v[0], y * y);
      if (model_.norm == Norm::layernorm) add(signature.v[1], y);
    }
    if (!x.m.empty()) {
      signature.v[2] = Real(std::int64_t{index_name(from, part)});
      const std::size_t rows = x.v.size();
      for (const Reals& other : {x.m, x.v, Reals(rows, Real(1))}) {
        const Reals product = transposed_product(x.m, other, rows);
        signature.m.insert(signature.m.end(), product.begin(), product.end());
      }
    }
    result.dictionary.push_back(state.pools.signatures.intern(std::move(signature)));
  }
  const auto same = [&](EntryId id) { return id == result.dictionary[0]; };
  if (std::ranges::all_of(result.dictionary, same))
    return {nullptr, {result.dictionary[0]}, nullptr};
  return result;
}

/// Certificate of a factor. Let x = v + sum over indices of M code(e), rows of several segments
/// together. |x|^2 = |v|^2 + sum (code^T M^T M code + 2 (M^T v)^T code): a coordinate has one index, so no
/// two indices meet. If M^T M is a multiple of the identity on every unit vector of the family and M^T v
/// = 0, this is |v|^2 + the sum of the multiples (L1), whatever e is. Under layernorm also the sum of x is
/// a number and zero: M^T 1 = 0 and v sums to 0; then nothing is subtracted.
bool ColumnNorm::find_factor(ColumnState& state, const Columns& from,
                             const std::vector<EntryId>& signatures, Real& factor) const {
  Real square, sum;
  std::map<std::size_t, Reals> by_index;
  for (const EntryId id : signatures) {
    const ColumnEntry& signature = state.pools.signatures[id];
    add(square, signature.v[0]);
    add(sum, signature.v[1]);
    if (signature.m.empty()) continue;
    const auto name = static_cast<std::size_t>(signature.v[2].rational_part().small()->numerator);
    Reals& of = by_index.try_emplace(name, signature.m.size()).first->second;
    add_multiple(of, 0, signature.m, 0, signature.m.size(), Rational(1));
  }
  for (const auto& named : by_index) {
    const Reals& x = named.second;
    const ColumnFamily& family = *from[named.first]->index->family;
    const auto begin = [&](std::size_t row) {
      return x.begin() + static_cast<std::ptrdiff_t>(row * family.dims);
    };
    Reals multiples;
    if (!is_block_scalar(Reals(begin(0), begin(family.dims)), family, multiples) ||
        !all_zero(Reals(begin(family.dims), begin(family.dims + 1))))
      return false;
    if (model_.norm == Norm::layernorm && !all_zero(Reals(begin(family.dims + 1), x.end())))
      throw HandOver("a mean that depends on a code");
    for (const Real& multiple : multiples) add(square, multiple);
  }
  if (!sum.is_zero()) throw HandOver("a mean that is not zero");
  factor = Real();  // norm(0) = 0
  if (square.is_zero()) return true;
  if (!square.is_rational()) throw HandOver("a norm outside the field");
  factor = Real::root(Rational(model_.width) / square.rational_part());
  return true;
}

NormedColumns ColumnNorm::operator()(ColumnState& state) const {
  const Columns from = pointers(state.stream, segments_);
  std::vector<Column> parts;
  for (std::size_t part = 0; part < from.size(); ++part)
    parts.push_back(signatures(state, from, part));
  const Combinations joint = state.passes.combine(pointers(parts));
  std::vector<EntryId> entries;
  for (const auto& combination : joint.entries) {
    Real factor;
    if (!find_factor(state, from, combination, factor)) return direction(state);
    entries.push_back(state.pools.factors.intern({{factor}, {}}));
  }
  return {
      state.passes.relabel(joint, entries, std::vector<SharedIndex>(entries.size())), false, {}};
}

/// One row of w per coordinate where sqrt(width) is rational: z = sqrt(width) y / |y|. Else every
/// coordinate has to have an opposite one, as under layernorm; one row y_g for two, |x|^2 = 2 |y|^2, and
/// norm(x) = sqrt(width) x / |x| has +-sqrt(width / 2) y_g / |y| at the two. Where x is zero, z is.
void ColumnNorm::find_scale(Linear& x) const {
  auto scale = Rational(model_.width).square_root();
  if (!scale) {
    scale = Rational(model_.width, 2).square_root();
    if (!scale) throw HandOver("a direction with an irrational factor");
    halve(x);
  }
  x.scale = *scale;
}

void ColumnNorm::halve(Linear& x) const {
  const std::uint32_t dims = x.index->family->dims;
  const auto key = [&](std::uint32_t row, bool opposite) {
    Reals numbers(x.w.begin() + row * dims, x.w.begin() + (row + 1) * dims);
    numbers.push_back(x.v[row]);
    for (Real& y : numbers)
      if (opposite) y = -y;
    return numbers;
  };
  std::vector<Linear::Coordinate> waiting, paired;
  std::vector<std::uint32_t> row_of;  // of x, by row of the half
  for (const auto& coordinate : x.coordinates)
    if (!all_zero(key(coordinate.row, false))) waiting.push_back(coordinate);
  const auto pair = [&](auto fits) {
    for (std::size_t a = 0; a < waiting.size(); ++a) {
      const Reals wanted = key(waiting[a].row, true);
      const auto b =
          std::find_if(waiting.begin() + static_cast<std::ptrdiff_t>(a) + 1, waiting.end(),
                       [&](const auto& other) {
                         return fits(waiting[a], other) && key(other.row, false) == wanted;
                       });
      if (b == waiting.end()) continue;
      const auto fresh = static_cast<std::uint32_t>(row_of.size());
      row_of.push_back(waiting[a].row);
      paired.push_back({waiting[a].place, waiting[a].coordinate, fresh, 1});
      paired.push_back({b->place, b->coordinate, fresh, -1});
      waiting.erase(b);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(a--));
    }
  };
  // Mirrored cells first: which rows are made decides how simple a later matrix is, and nothing else.
  pair([&](const auto& a, const auto& b) {
    return std::max(a.coordinate, b.coordinate) ==
           std::min(a.coordinate, b.coordinate) + model_.width / 2;
  });
  pair([](const auto&, const auto&) { return true; });
  if (!waiting.empty() || paired.empty()) throw HandOver("a direction with an irrational factor");
  Linear half{x.index, std::move(paired), {}, {}, {}};
  for (const std::uint32_t row : row_of) {
    half.w.insert(half.w.end(), x.w.begin() + row * dims, x.w.begin() + (row + 1) * dims);
    half.v.push_back(x.v[row]);
  }
  x = std::move(half);
}

/// Under layernorm the mean of x has to be zero for every index. Shares of an average add up to 1 (L4), so
/// that w code + v = (w + v 1^T) code.
void ColumnNorm::check_mean(const Linear& x) const {
  if (model_.norm != Norm::layernorm) return;
  const std::uint32_t dims = x.index->family->dims;
  for (std::uint32_t d = 0; d < dims; ++d) {
    Real sum;
    for (const auto& [place, coordinate, row, sign] : x.coordinates)
      add(sum, (x.w[row * dims + d] + x.v[row]).scaled(Rational(sign)));
    if (!sum.is_zero()) throw HandOver("a mean that depends on a code");
  }
}

ColumnNorm::Linear ColumnNorm::linear(const ColumnState& state) const {
  Linear x;
  for (const std::uint32_t s : segments_) {
    const Column& column = state.stream[s];
    if (column.local) throw HandOver("a direction of several classes of tokens");
    if (state.pools.entries[s][column.dictionary[0]].m.empty()) continue;
    if (x.index && column.index != x.index) throw HandOver("a direction of two indices");
    x.index = column.index;
  }
  if (!x.index) throw HandOver("a direction without an index");
  const std::uint32_t dims = x.index->family->dims;
  for (const std::uint32_t s : segments_) {
    ColumnEntry part = masked_entry(state, s, state.stream[s].dictionary[0]);
    part.m.resize(part.v.size() * dims);
    for (std::uint32_t r = 0; r < part.v.size(); ++r)
      if (!mask_[state.pools.segments.coordinates[s][r]].is_zero()) {
        x.coordinates.push_back({{s, r},
                                 state.pools.segments.coordinates[s][r],
                                 static_cast<std::uint32_t>(x.v.size()),
                                 1});
        x.v.push_back(part.v[r]);
        for (std::uint32_t d = 0; d < dims; ++d) x.w.push_back(part.m[r * dims + d]);
      }
  }
  check_mean(x);
  find_scale(x);
  return x;
}

/// The vectors. Of a code or a direction with v = 0: y = W code(e) is a positive multiple of W vector(e).
/// Of an average: (number of tokens up to i) y = the sum over these tokens of W's column of the token's
/// combination plus v, since shares add up to 1 (L4): a running sum of integer steps. Over the tokens of a cell
/// alone, a sum per cell.
void ColumnNorm::fill_vectors(const ColumnState& state, const Linear& x, ColumnFamily& made) const {
  const ColumnFamily& family = *x.index->family;
  const std::size_t k = x.v.size();
  const bool sums = family.kind == ColumnFamily::Kind::average;
  Reals columns;  // of W, one after the other
  for (std::uint32_t d = 0; d < family.dims; ++d)
    for (std::size_t r = 0; r < k; ++r)
      columns.push_back(sums ? x.w[r * family.dims + d] + x.v[r] : x.w[r * family.dims + d]);
  const std::vector<std::int64_t> step = integer_multiple(columns);
  made.make_vectors(state.passes.memory());
  CellSums of_cells(family, sums ? state.tokens() : 0, k);
  std::vector<std::int64_t> now(k), given(family.dims);
  std::vector<char> below(k), above(k);
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (sums) {
        if (i % state.period == 0) of_cells.begin_word();
        of_cells.see(i, step.data() + (family.column ? (*family.column)[i] : 0) * k);
        of_cells.read(i, now);
      } else {
        std::fill(now.begin(), now.end(), 0);
        family.vector(x.index->at(i), given.data());
        for (std::uint32_t d = 0; d < family.dims; ++d)
          for (std::size_t r = 0; r < k; ++r) {
            std::int64_t product;
            const bool overflow = __builtin_mul_overflow(step[d * k + r], given[d], &product);
            add_checked(now[r], checked(overflow, product));
          }
      }
      bool zero = true;
      for (std::size_t r = 0; r < k; ++r) {
        zero = zero && now[r] == 0;
        below[r] = below[r] || now[r] < 0;
        above[r] = above[r] || now[r] > 0;
        made.vectors[i * k + r] = now[r];
      }
      if (zero) throw HandOver("a direction of zero");
    }
  });
  for (std::size_t r = 0; r < k; ++r) {
    made.low.emplace_back(below[r] ? -1 : 0);
    made.high.emplace_back(above[r] ? 1 : 0);
  }
}

ColumnEntry ColumnNorm::normed_entry(const ColumnState& state, std::uint32_t segment,
                                     const Linear& x, std::optional<int> sign) const {
  const std::size_t length = state.pools.length(segment), k = x.v.size();
  ColumnEntry entry{Reals(length), Reals(sign ? 0 : length * k)};
  for (const auto& [place, coordinate, row, own] : x.coordinates) {
    if (place.first != segment) continue;
    if (sign) {
      entry.v[place.second] = x.scale.scaled(Rational(own * *sign));
    } else {
      entry.m[place.second * k + row] = x.scale.scaled(Rational(own));
    }
  }
  return entry;
}

/// z where the norm depends on the index: norm(x), a multiple of the code of a direction.
NormedColumns ColumnNorm::direction(ColumnState& state) const {
  const Linear x = linear(state);
  const ColumnFamily& family = *x.index->family;
  if (x.v.size() == 1 && family.kind == ColumnFamily::Kind::pair) return sign(state, x);
  const bool average = family.kind == ColumnFamily::Kind::average && !x.index->ids;
  if (!average && !(family.has_vectors() && all_zero(x.v)))
    throw HandOver("a direction of something else than averages, codes and directions");
  auto made = std::make_shared<ColumnFamily>(ColumnFamily::Kind::direction);
  made->dims = made->block = static_cast<std::uint32_t>(x.v.size());
  state.passes.count_pass();
  fill_vectors(state, x, *made);
  NormedColumns result{
      {nullptr, {state.pools.factors.intern({{Rational(1)}, {}})}, nullptr}, true, state.stream};
  const auto own = std::make_shared<ColumnIndex>(ColumnIndex{made, nullptr});
  for (const std::uint32_t s : segments_)
    result.z[s] = {
        nullptr, {state.pools.entries[s].intern(normed_entry(state, s, x, std::nullopt))}, own};
  return result;
}

/// z where a mask reads one number g.code(e) + g'.code(e'): a multiple of its sign. Each summand is an
/// integer over the root of an integer; their sum has the sign of the first compared with minus the
/// second.
NormedColumns ColumnNorm::sign(ColumnState& state, const Linear& x) const {
  const ColumnFamily& pair = *x.index->family;
  const ColumnIndex &first = *pair.first, &second = *pair.second;
  if (!first.family->has_vectors() || !second.family->has_vectors() || !all_zero(x.v))
    throw HandOver("the sign of another sum than one of two codes");
  const std::vector<std::int64_t> g = integer_multiple(x.w);
  const auto local = state.passes.labels();
  const std::uint32_t split = first.family->dims;
  state.passes.parts().share([&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> a(split), b(second.family->dims);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t e = x.index->at(i);
      first.family->vector(first.at(e), a.data());
      second.family->vector(second.at(e), b.data());
      const Projection left(g.data(), a.data(), split);
      const Projection right(g.data() + split, b.data(), second.family->dims);
      local->data()[i] = static_cast<Label>(1 + Projection::compare(left, -right));
    }
  });
  NormedColumns result{
      {nullptr, {state.pools.factors.intern({{Rational(1)}, {}})}, nullptr}, true, state.stream};
  for (const std::uint32_t s : segments_) {
    Column column{local, {}, nullptr};
    for (const int sign : {-1, 0, 1})
      column.dictionary.push_back(state.pools.entries[s].intern(normed_entry(state, s, x, sign)));
    result.z[s] = std::move(column);
  }
  return result;
}

}}  // namespace logdepth::runtime_columns
