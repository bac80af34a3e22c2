#include "runtime/exact/exact.hpp"

#include "base/quoted_text.hpp"

namespace logdepth { inline namespace runtime_exact {

ValueId Exact::multiply(const Rational& weight, ValueId v) {
  if (weight.is_one() || is_zero(v)) return v;
  return pool_.intern(pool_[v].scaled(weight));
}

ValueId Exact::add_product(ValueId base, const Rational& weight, ValueId v) {
  if (is_zero(base)) return multiply(weight, v);
  return pool_.intern(pool_[base] + (weight.is_one() ? pool_[v] : pool_[v].scaled(weight)));
}

ValueId Exact::product(ValueId a, ValueId b) {
  if (a == ValuePool::kOne) return b;
  if (b == ValuePool::kOne) return a;
  if (is_zero(a) || is_zero(b)) return ValuePool::kZero;
  return pool_.intern(pool_[a] * pool_[b]);
}

void Exact::accumulate(Sum& sum, const Rational& weight, ValueId v) {
  open_.grow(sum, [&] { sum.add(weight, pool_[v]); });
}

void Exact::accumulate_square(Sum& sum, const Rational& weight, ValueId v) {
  const Real x = weight.is_one() ? pool_[v] : pool_[v].scaled(weight);
  open_.grow(sum, [&] { sum.add_product(x, x); });
}

ValueId Exact::close(Sum& sum) {
  open_.close(sum);
  ValueId id;
  if (sum.irrational.is_zero()) {
    id = sum.rational.is_zero()  ? ValuePool::kZero
         : sum.rational.is_one() ? ValuePool::kOne
                                 : pool_.intern(Real(std::move(sum.rational)));
  } else {
    id = pool_.intern(sum.value());
  }
  if (sum.heap_bytes() > 0) sum.irrational = Real();
  sum.rational = Rational();
  return id;
}

std::optional<ValueId> Exact::norm_factor(std::uint32_t width, ValueId squares) {
  const Real& square = pool_[squares];
  if (!square.is_rational()) return std::nullopt;
  return pool_.intern(Real::root(Rational(width) / square.rational_part()));
}

std::optional<std::string> Exact::normalise(
    std::uint32_t width, std::vector<std::pair<std::uint32_t, ValueId>>& masked) {
  // z = sqrt(width) x / ||x||; one rational factor when both roots are rational, as in every
  // constant mask of a compiled file.
  Real square;
  for (const auto& [index, id] : masked) {
    const Real& x = pool_[id];
    square = square + x * x;
  }
  if (square.is_rational()) {
    const Rational ratio = square.rational_part() / Rational(width);
    if (const auto root = ratio.square_root()) {
      const Rational scale = root->inverse();
      for (auto& [index, id] : masked) id = multiply(scale, id);
    } else {
      for (auto& [index, id] : masked) id = pool_.intern(pool_[id].divided_by_root(ratio));
    }
    return std::nullopt;
  }
  std::vector<Real> vector;
  for (const auto& [index, id] : masked) vector.push_back(pool_[id]);
  const auto unit = direction(vector);
  if (!unit) return "the squared norm " + printable(square.text()) + " is irrational";
  const Real length = Real::root(Rational(width));
  for (std::size_t i = 0; i < masked.size(); ++i)
    masked[i].second = pool_.intern((*unit)[i] * length);
  return std::nullopt;
}

}}  // namespace logdepth::runtime_exact
