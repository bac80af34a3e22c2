#include "runtime/columns/column_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

constexpr Label kUnnumbered = static_cast<Label>(-1);
constexpr std::size_t kBytesOfPlane = 64;  // twice its numbers, a node and a bucket

}  // namespace

Plane planar(const ColumnFamily& family, const std::vector<std::int64_t>& m, std::size_t e,
             std::vector<std::int64_t>& vector) {
  const std::uint32_t dims = family.dims;
  vector.resize(dims);
  family.vector(e, vector.data());
  Plane p{};
  for (std::uint32_t d = 0; d < dims; ++d)
    for (std::size_t r = 0; r < 2; ++r) {
      std::int64_t x;
      if (__builtin_mul_overflow(m[r * dims + d], vector[d], &x) ||
          __builtin_add_overflow(p[r], x, &p[r]) || p[r] == INT64_MIN)
        throw HandOver("a query or a key beyond 64 bits");
    }
  return p;
}

Real PlaneColumn::one_square() const {
  std::optional<Real> one;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (!occurs[c]) continue;
    if (one && !(*one == squares[c])) return Real();
    one = squares[c];
  }
  return one.value_or(Real());
}

Real PlaneColumn::least_square() const {
  std::optional<Real> smallest;
  for (std::size_t c = 0; c < least.size(); ++c)
    if (occurs[c] && (!smallest || least[c] < *smallest)) smallest = least[c];
  return smallest.value_or(Real());
}

/// A vector divided by its content: the shortest one of its direction.
Label PlaneDirections::number(Plane vector) {
  const std::int64_t content = std::gcd(vector[0], vector[1]);
  if (content == 0) throw HandOver("the direction of zero");
  for (std::int64_t& x : vector) x /= content;
  const auto [known, fresh] = numbers_.try_emplace(vector, static_cast<Label>(planes_.size()));
  if (fresh) planes_.push_back(vector);
  return known->second;
}

/// The square of the length of v, or of M code where M^T M is a multiple of the identity and the code a unit
/// vector (L1). Else, of codes in a plane, no square is below the least eigenvalue of M^T M, which is at least
/// its determinant over its trace. False: neither a number nor a matrix times a code.
bool PlaneDirections::find_squares(const ColumnImage& image, Real& square, Real& least) {
  for (const Real& x : image.v) add(square, x * x);
  least = square;
  if (!image.index) return !square.is_zero();
  const ColumnFamily& family = *image.index->family;
  if (!square.is_zero() || !family.has_vectors() || family.block != family.dims) return false;
  const Reals product = transposed_product(image.m, image.m, image.v.size());
  Reals multiples;
  if (is_block_scalar(product, family, multiples)) {
    square = least = multiples[0];
  } else if (family.dims == 2) {
    const Real determinant = product[0] * product[3] - product[1] * product[2];
    const Real trace = product[0] + product[3];
    if (determinant.is_rational() && trace.is_rational())
      least = Real(determinant.rational_part() / trace.rational_part());
  }
  return true;
}

Column PlaneDirections::directions(ColumnState& state, const ColumnImages& images,
                                   const std::vector<char>& occurs) {
  std::vector<Label> number_of(images.images.size());
  std::vector<std::vector<std::int64_t>> matrices(images.images.size());
  for (std::size_t c = 0; c < occurs.size(); ++c) {
    if (!occurs[c]) continue;
    const ColumnImage& image = images.images[c];
    if (image.index) {
      matrices[c] = integer_multiple(image.m);
    } else {
      const auto vector = integer_multiple(image.v);
      number_of[c] = number({vector[0], vector[1]});
    }
  }
  Column result;
  std::vector<Label> local_of;  // by number of a direction
  const auto local = [&](Label direction) {
    if (direction >= local_of.size()) local_of.resize(planes_.size(), kUnnumbered);
    if (local_of[direction] == kUnnumbered) {
      local_of[direction] = static_cast<Label>(result.dictionary.size());
      result.dictionary.push_back(direction);
    }
    return local_of[direction];
  };
  const bool one = images.images.size() == 1;
  std::vector<Label> of_code(one ? state.tokens() : 0, kUnnumbered);
  std::vector<std::int64_t> vector;
  const auto labels = state.passes.labels();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Label c = images.at.at(i);
      const SharedIndex& index = images.images[c].index;
      if (!index) {
        labels->data()[i] = local(number_of[c]);
        continue;
      }
      const std::size_t e = index->at(i);
      if (one && of_code[e] != kUnnumbered) {
        labels->data()[i] = of_code[e];
        continue;
      }
      labels->data()[i] = local(number(planar(*index->family, matrices[c], e, vector)));
      if (one) of_code[e] = labels->data()[i];
    }
  });
  if (result.dictionary.size() > 1) result.local = labels;
  held_ = HeldBytes(state.passes.memory(), planes_.size() * kBytesOfPlane);
  return result;
}

std::optional<PlaneColumn> PlaneDirections::of(ColumnState& state, const ColumnImages& images) {
  ++calls_;
  PlaneColumn result;
  result.occurs.assign(images.images.size(), images.at.local ? 0 : 1);
  if (images.at.local)
    for (std::size_t i = 0; i < state.tokens(); ++i) result.occurs[images.at.at(i)] = 1;
  for (std::size_t c = 0; c < images.images.size(); ++c) {
    if (images.images[c].v.size() != 2) return std::nullopt;
    if (!find_squares(images.images[c], result.squares.emplace_back(),
                      result.least.emplace_back()) &&
        result.occurs[c])
      return std::nullopt;
  }
  if (images.images.size() == 1 && images.images[0].index) {
    Known& known = known_[{images.images[0].index, integer_multiple(images.images[0].m)}];
    known.used = calls_;
    if (known.directions.dictionary.empty())
      known.directions = directions(state, images, result.occurs);
    result.directions = known.directions;
  } else {
    result.directions = directions(state, images, result.occurs);
  }
  return result;
}

void PlaneDirections::forget_older_than(std::uint64_t calls) {
  std::erase_if(known_, [&](const auto& kept) { return kept.second.used + calls < calls_; });
}

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
    for (const auto& [columns, images] :
         {std::pair(&of_query, &pair->query), {&of_key, &pair->key}})
      columns->push_back(&numbers.emplace_back(numbered(images->at.local, images->images.size())));
  }
  const auto find = [&] { return matching_cells(state, of_query, of_key, other, margin); };
  // Labels name directions; images of other rows have other numbers from head to head.
  if (!other.empty()) return std::make_shared<const RankedCells>(find());
  Columns all = of_query;
  all.insert(all.end(), of_key.begin(), of_key.end());
  return known.of(0, all, find);
}

}}  // namespace logdepth::runtime_columns
