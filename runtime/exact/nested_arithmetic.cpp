#include "runtime/exact/nested_arithmetic.hpp"

namespace logdepth::inline runtime_exact {

NestedId NestedArithmetic::multiply(const Rational& weight, NestedId v) {
  if (weight.is_one() || is_zero(v)) return v;
  return intern(pool_[v].scaled(weight));
}

NestedId NestedArithmetic::product(NestedId a, NestedId b) {
  return intern(decided([&] { return pool_.tower().product(pool_[a], pool_[b]); }));
}

NestedId NestedArithmetic::add_product(NestedId base, const Rational& weight, NestedId v) {
  if (is_zero(base)) return multiply(weight, v);
  return intern(pool_[base] + pool_[v].scaled(weight));
}

void NestedArithmetic::accumulate(Sum& sum, const Rational& weight, NestedId v) {
  sum = sum + pool_[v].scaled(weight);
}

void NestedArithmetic::accumulate_square(Sum& sum, const Rational& weight, NestedId v) {
  decided([&] {
    const NestedRadical x = pool_[v].scaled(weight);
    sum = sum + pool_.tower().product(x, x);
  });
}

void NestedArithmetic::accumulate_product(Sum& sum, NestedId a, NestedId b) {
  decided([&] { sum = sum + pool_.tower().product(pool_[a], pool_[b]); });
}

int NestedArithmetic::sign_of(const Sum& sum) {
  return decided([&] { return pool_.tower().sign(sum); });
}

NestedId NestedArithmetic::close(Sum& sum) {
  return intern(std::exchange(sum, {}));
}

std::optional<Rational> NestedArithmetic::rational_product(const Rational& weight,
                                                           NestedId v) const {
  const auto real = pool_[v].real();
  if (!real || !real->is_rational()) return std::nullopt;
  return weight * real->rational_part();
}

std::optional<NestedId> NestedArithmetic::norm_factor(std::uint32_t width, NestedId squares) {
  const auto square = pool_[squares].real();
  if (!square || !square->is_rational()) return std::nullopt;
  return intern(Real::root(Rational(width) / square->rational_part()));
}

std::optional<std::string> NestedArithmetic::normalise(
    Norm norm, std::uint32_t width, std::vector<std::pair<std::uint32_t, NestedId>>& masked) {
  if (norm == Norm::layernorm) {
    Sum total;
    for (const auto& [index, id] : masked) accumulate(total, Rational(1), id);
    const NestedId minus_mean = multiply(Rational(-1, width), close(total));
    if (!is_zero(minus_mean)) {
      std::vector<NestedId> centred(width, minus_mean);
      for (const auto& [index, id] : masked)
        centred[index] = add_product(minus_mean, Rational(1), id);
      masked.clear();
      for (std::uint32_t i = 0; i < width; ++i)
        if (!is_zero(centred[i])) masked.emplace_back(i, centred[i]);
    }
  }
  if (masked.empty()) return std::nullopt;
  // Rational multiples of one component y: norm(y c) = sign(y) norm(c), whatever y is.
  const NestedRadical& y = pool_[masked.front().second];
  std::vector<Rational> multiples;
  Rational square;
  for (const auto& [index, id] : masked) {
    const auto multiple = rational_factor(pool_[id], y);
    if (!multiple) break;
    multiples.push_back(*multiple);
    square += *multiple * *multiple;
  }
  if (multiples.size() == masked.size()) {
    const Real scale = Real::root(Rational(width) / square);
    const Rational sign(this->sign(masked.front().second));
    for (std::size_t i = 0; i < masked.size(); ++i)
      masked[i].second = intern(scale.scaled(sign * multiples[i]));
    return std::nullopt;
  }
  Sum squares;
  for (const auto& [index, id] : masked) accumulate_square(squares, Rational(1), id);
  const NestedRadical factor = decided([&] {
    // Not zero: no component is.
    return *pool_.tower().inverse_root(squares.scaled(Rational(1, width)));
  });
  for (auto& entry : masked)
    entry.second =
        intern(decided([&] { return pool_.tower().product(pool_[entry.second], factor); }));
  return std::nullopt;
}

int NestedArithmetic::compare(NestedId a, NestedId b) {
  return a == b ? 0 : sign_of(pool_[a] - pool_[b]);
}

}  // namespace logdepth::inline runtime_exact
