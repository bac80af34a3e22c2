#include "objects/monoid_families.hpp"

#include <fmt/core.h>

#include <array>
#include <numeric>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

namespace {

/// The permutation that sends each listed point to the next one, the last to the first.
Transformation cycle(std::size_t points, const std::vector<State>& along) {
  Transformation images = identity_transformation(points);
  for (std::size_t i = 0; i < along.size(); ++i) images[along[i]] = along[(i + 1) % along.size()];
  return images;
}

/// The cycle (from from+1 ... points-1).
Transformation cycle_from(std::size_t points, State from) {
  std::vector<State> along(points - from);
  std::iota(along.begin(), along.end(), from);
  return cycle(points, along);
}

GeneratedMonoid cyclic(std::size_t k) {
  return {k, {cycle_from(k, 0)}};
}

GeneratedMonoid symmetric(std::size_t k) {
  if (k <= 2) return {k, {cycle_from(k, 0)}};
  return {k, {cycle(k, {0, 1}), cycle_from(k, 0)}};
}

GeneratedMonoid alternating(std::size_t k) {
  if (k <= 2) return {k, {identity_transformation(k)}};
  if (k == 3) return {k, {cycle(k, {0, 1, 2})}};
  // A cycle of odd length is an even permutation: skip point 0 where k is even.
  return {k, {cycle(k, {0, 1, 2}), cycle_from(k, k % 2 == 1 ? 0 : 1)}};
}

GeneratedMonoid dihedral(std::size_t k) {
  Transformation reflection(k);
  for (std::size_t q = 0; q < k; ++q) reflection[q] = static_cast<State>((k - q) % k);
  return {k, {cycle_from(k, 0), reflection}};
}

GeneratedMonoid full_transformation(std::size_t k) {
  GeneratedMonoid factor = symmetric(k);
  if (k >= 2) {
    Transformation collapse = identity_transformation(k);
    collapse[1] = 0;
    factor.generators.push_back(std::move(collapse));
  }
  return factor;
}

/// Q8 acts on itself by multiplication from the right. Element 2*u + s is the unit u of (1, i, j,
/// k) with sign (-1)^s; generators i and j.
GeneratedMonoid quaternion() {
  const std::array<std::array<int, 4>, 4> unit{
      {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}};
  const std::array<std::array<int, 4>, 4> sign{
      {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}}};
  GeneratedMonoid factor{8, {}};
  for (const int g : {1, 2}) {
    Transformation images(8);
    for (int u = 0; u < 4; ++u) {
      for (int s = 0; s < 2; ++s) {
        images[2 * u + s] = static_cast<State>(2 * unit[u][g] + (s ^ sign[u][g]));
      }
    }
    factor.generators.push_back(std::move(images));
  }
  return factor;
}

}  // namespace

std::optional<GeneratedMonoid> monoid_of_family(std::string_view name) {
  if (name == "V4") return GeneratedMonoid{4, {{1, 0, 3, 2}, {2, 3, 0, 1}}};
  if (name == "Q8") return quaternion();
  if (name == "flipflop") return GeneratedMonoid{2, {{0, 0}, {1, 1}, {0, 1}}};
  if (name.size() < 2 || std::string_view("ZSADT").find(name[0]) == std::string_view::npos)
    return std::nullopt;
  std::size_t k = 0;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit > '9' || (k == 0 && digit == '0')) return std::nullopt;
    if (k <= kMostPoints) k = 10 * k + static_cast<std::size_t>(digit - '0');
  }
  if (name[0] == 'D' && k < 3) return std::nullopt;
  if (k > kMostPoints) {
    throw SizeLimit(fmt::format("{} acts on more than {} points, the limit; try a smaller degree",
                                in_quotes(name), kMostPoints));
  }
  switch (name[0]) {
    case 'Z':
      return cyclic(k);
    case 'S':
      return symmetric(k);
    case 'A':
      return alternating(k);
    case 'D':
      return dihedral(k);
    default:
      return full_transformation(k);
  }
}

GeneratedMonoid direct_product(const std::vector<GeneratedMonoid>& factors) {
  GeneratedMonoid product;
  for (const GeneratedMonoid& factor : factors) product.points += factor.points;
  std::size_t offset = 0;
  for (const GeneratedMonoid& factor : factors) {
    for (const Transformation& generator : factor.generators) {
      Transformation images = identity_transformation(product.points);
      for (std::size_t q = 0; q < factor.points; ++q) {
        images[offset + q] = static_cast<State>(offset + generator[q]);
      }
      product.generators.push_back(std::move(images));
    }
    offset += factor.points;
  }
  return product;
}

}  // namespace logdepth::inline objects
