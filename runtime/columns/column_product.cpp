#include "runtime/columns/column_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

/// Combinations of the other rows that are compared with one another.
constexpr std::size_t kMostOthers = 256;
/// What a cell costs until it is ranked: the node of a map, and its name.
constexpr std::size_t kBytesOfCell = 160;
/// Of a product of doubles, more than all of its rounding errors.
constexpr double kLowered = 1 - 1e-9;

double length(const Plane& p) {
  return std::hypot(static_cast<double>(p[0]), static_cast<double>(p[1]));
}

/// L6: two different directions of these have 1 - cos >= the result. For u and w that are no positive
/// multiples of one another: u.w <= 0 implies 1 - cos >= 1, else 1 - cos = sin^2 / (1 + cos) >= sin^2 / 2. In a
/// finite set the least 1 - cos is that of two neighbours by angle, all the way round.
double least_distance(const PlaneDirections& directions, std::vector<EntryId> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto upper = [](const Plane& p) { return p[1] > 0 || (p[1] == 0 && p[0] > 0); };
  std::ranges::sort(numbers, [&](EntryId a, EntryId b) {
    const Plane &x = directions[a], &y = directions[b];
    return upper(x) != upper(y) ? upper(x) : cross(x, y) > 0;
  });
  double least = 1;
  for (std::size_t i = 0; numbers.size() > 1 && i < numbers.size(); ++i) {
    const Plane &x = directions[numbers[i]], &y = directions[numbers[(i + 1) % numbers.size()]];
    if (dot(x, y) <= 0) continue;
    const double sine = static_cast<double>(cross(x, y)) / length(x) / length(y);
    least = std::min(least, sine * sine / 2 * kLowered);
  }
  return least;
}

/// Rows that are no planes: labels of their images, as columns.
Column image_numbers(const ColumnImages& images) {
  Column column{images.at.local, std::vector<EntryId>(images.images.size()), nullptr};
  std::iota(column.dictionary.begin(), column.dictionary.end(), EntryId{0});
  return column;
}

/// What keys have beside their planes, against one another: scores of the other rows.
class OtherRows {
 public:
  using Images = std::vector<EntryId>;  ///< per other row, the number of the image

  explicit OtherRows(std::vector<const RowPair*> rows) : rows_(std::move(rows)) {}

  /// The number of a combination of images of the keys.
  std::size_t key(Images images) {
    const auto found = std::ranges::find(keys_, images);
    if (found != keys_.end()) return static_cast<std::size_t>(found - keys_.begin());
    if (keys_.size() == kMostOthers) throw HandOver("too many classes of keys beside their planes");
    keys_.push_back(std::move(images));
    return keys_.size() - 1;
  }
  std::size_t keys() const { return keys_.size(); }

  /// Of a combination of images of the queries: the keys' combinations by their scores, equal ones together;
  /// and no score is more than `spread` above another one.
  struct Order {
    std::vector<std::size_t> rank;  ///< 0 has the largest score
    std::size_t ranks = 1;
    double spread = 0;
  };
  Order order(const Images& query) const {
    const std::size_t n = keys_.size();
    std::vector<std::vector<int>> sign(n, std::vector<int>(n));
    Order result{std::vector<std::size_t>(n), 1, 0};
    for (std::size_t x = 0; x < n; ++x)
      for (std::size_t y = 0; y < n; ++y) {
        const auto [low, high] = difference(query, keys_[x], keys_[y]);
        if (low.sign() <= 0 && high.sign() >= 0 && !(low.is_zero() && high.is_zero()))
          throw HandOver("keys whose order depends on an index");
        sign[x][y] = low.sign() > 0 ? 1 : high.sign() < 0 ? -1 : 0;
        const Approximation most = high.approximate();
        result.spread = std::max(result.spread, most.value + most.bound);
      }
    std::vector<std::size_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::stable_sort(sorted, [&](std::size_t x, std::size_t y) { return sign[x][y] > 0; });
    for (std::size_t r = 1; r < n; ++r) {
      if (sign[sorted[r - 1]][sorted[r]] != 0) ++result.ranks;
      result.rank[sorted[r]] = result.ranks - 1;
    }
    return result;
  }

 private:
  /// query . (key x - key y) lies between these, whatever the query's indices are (L3).
  std::pair<Real, Real> difference(const Images& query, const Images& x, const Images& y) const {
    Real low, high;
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      const ColumnImage& q = rows_[p]->query.images[query[p]];
      const ColumnImage &of_x = rows_[p]->key.images[x[p]], &of_y = rows_[p]->key.images[y[p]];
      if (of_x.index || of_y.index) throw HandOver("codes of keys beside their planes");
      for (std::size_t r = 0; r < q.v.size(); ++r) {
        const Real beside = of_x.v[r] - of_y.v[r];
        if (beside.is_zero()) continue;
        add(low, q.v[r] * beside);
        add(high, q.v[r] * beside);
        for (std::uint32_t d = 0; d < q.dims(); ++d) {
          const Real weight = q.m[r * q.dims() + d] * beside;
          const bool up = weight.sign() > 0;
          const auto& [least, most] = q.index->family->measured();
          add(low, weight.scaled(up ? least[d] : most[d]));
          add(high, weight.scaled(up ? most[d] : least[d]));
        }
      }
    }
    return {std::move(low), std::move(high)};
  }

  std::vector<const RowPair*> rows_;
  std::vector<Images> keys_;
};

/// Keys of the query's directions in all planes, by what they have beside.
RankedCells matching_cells(ColumnState& state, const Columns& of_query, const Columns& of_key,
                           const std::vector<const RowPair*>& other, double margin) {
  const std::size_t planes = of_key.size() - other.size();
  const Combinations queries = state.passes.combine(of_query, state.tokens());
  const Combinations keys = state.passes.combine(of_key, state.tokens());
  const auto split = [planes](const std::vector<EntryId>& combination) {
    const auto at = combination.begin() + static_cast<std::ptrdiff_t>(planes);
    return std::pair(OtherRows::Images(combination.begin(), at),
                     OtherRows::Images(at, combination.end()));
  };
  const HeldBytes held(state.passes.memory(), keys.entries.size() * kBytesOfCell);
  OtherRows beside(other);
  std::map<std::vector<EntryId>, std::vector<std::pair<Label, std::size_t>>> cells;
  for (Label cell = 0; cell < keys.entries.size(); ++cell) {
    auto [of_planes, of_other] = split(keys.entries[cell]);
    cells[std::move(of_planes)].emplace_back(cell, beside.key(std::move(of_other)));
  }
  RankedCells result{queries.local, keys.local, keys.entries.size(), {}};
  std::map<OtherRows::Images, OtherRows::Order> orders;
  for (const auto& combination : queries.entries) {
    auto& ranks = result.ranks.emplace_back();
    const auto [of_planes, of_other] = split(combination);
    const auto found = cells.find(of_planes);
    if (found == cells.end()) continue;
    auto known = orders.find(of_other);
    if (known == orders.end()) known = orders.emplace(of_other, beside.order(of_other)).first;
    const OtherRows::Order& order = known->second;
    ranks.resize(order.spread < margin ? order.ranks : 1);
    for (const auto& [cell, key] : found->second)
      if (order.rank[key] < ranks.size()) ranks[order.rank[key]].push_back(cell);
  }
  result.hold(state);
  return result;
}

/// |q| |k| of one plane, not more.
double least_weight(const Real& query_square, const Real& key_square) {
  const Approximation q = query_square.approximate(), k = key_square.approximate();
  if (!(q.value > q.bound && k.value > k.bound)) return 0;
  return std::sqrt(q.value - q.bound) * std::sqrt(k.value - k.bound) * kLowered;
}

}  // namespace

KnownCells::Cells KnownCells::of(std::uint64_t number, const Columns& columns,
                                 const std::function<RankedCells()>& find) {
  std::vector<std::uint64_t> name = {number};
  std::vector<SharedLabels> held;
  for (const Column* column : columns) {
    name.insert(name.end(), {column->local ? column->local->serial : 0, column->dictionary[0]});
    held.push_back(column->local);
  }
  Known& known = known_[name];
  known.used = ++calls_;
  if (!known.cells) known = {std::make_shared<const RankedCells>(find()), std::move(held), calls_};
  return known.cells;
}

void KnownCells::forget_older_than(std::uint64_t calls) {
  std::erase_if(known_, [&](const auto& kept) { return kept.second.used + calls < calls_; });
}

/// L7. In a plane b all keys have one length |k_b|, and no query q_b is zero; the other rows of keys are numbers.
/// Then q.k = sum over b of |q_b| |k_b| cos_b + beta, where beta depends on the other rows. The sum is largest, and
/// only there, where q and k have one direction in all planes (Cauchy-Schwarz). Among these keys beta decides. Another key is lower by at least min over b of |q_b| |k_b| (1 - cos_b) >= `margin` (L6) in the sum,
/// and at most `spread` higher in beta. So spread < margin proves that these keys are best; without it, those of
/// the largest beta of all keys are.
KnownCells::Cells select_by_planes(ColumnState& state, const PlaneDirections& directions,
                                   const std::vector<RowPair>& rows, KnownCells& known) {
  Columns of_query, of_key;
  std::vector<const RowPair*> other;
  std::vector<Column> numbers;
  numbers.reserve(2 * rows.size());
  double margin = std::numeric_limits<double>::infinity();
  for (const RowPair& pair : rows) {
    if (!pair.query_plane || !pair.key_plane || pair.key_plane->one_square().is_zero()) {
      other.push_back(&pair);
      continue;
    }
    const Column &query = pair.query_plane->directions, &key = pair.key_plane->directions;
    of_query.push_back(&query);
    of_key.push_back(&key);
    std::vector<EntryId> all = query.dictionary;
    all.insert(all.end(), key.dictionary.begin(), key.dictionary.end());
    margin = std::min(
        margin, kLowered * least_distance(directions, std::move(all)) *
                    least_weight(pair.query_plane->least_square(), pair.key_plane->one_square()));
  }
  if (of_key.empty()) throw HandOver("queries and keys without a plane of vectors of one length");
  for (const RowPair* pair : other) {
    of_query.push_back(&numbers.emplace_back(image_numbers(pair->query)));
    of_key.push_back(&numbers.emplace_back(image_numbers(pair->key)));
  }
  const auto find = [&] { return matching_cells(state, of_query, of_key, other, margin); };
  // Labels name directions; images of other rows have other numbers from head to head.
  if (!other.empty()) return std::make_shared<const RankedCells>(find());
  Columns all = of_query;
  all.insert(all.end(), of_key.begin(), of_key.end());
  return known.of(0, all, find);
}

}  // namespace logdepth::inline runtime_columns
