#include "objects/named_monoids.hpp"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "base/spelling.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_groups.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

namespace {

constexpr std::size_t max_points = 4096;
constexpr std::size_t max_letters_all = 10000;

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

InputError unknown(std::string_view part, const std::string& name) {
  const std::string of = part == name ? "" : " in " + in_quotes(name);
  std::vector<std::string> known = single_group_names();
  known.insert(known.end(), {"V4", "Q8", "flipflop", "trivial"});
  std::string capital(part);
  if (!capital.empty())
    capital[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capital[0])));
  if (capital != part && capital.size() > 1 &&
      std::string_view("ZSADT").find(capital[0]) != std::string_view::npos &&
      capital.find_first_not_of("0123456789", 1) == std::string::npos && capital[1] != '0')
    known.push_back(capital);
  const auto near = meant(std::string(part), known);
  return InputError("unknown group or monoid " + in_quotes(part) + of +
                    ": expected Zk, Sk, Ak, Tk (k = 1, 2, ...), Dk (k = 3, 4, ...), V4, Q8, "
                    "flipflop, or a product of these such as A4_x_Z5" +
                    (near ? "; did you mean " + *near + "?" : ""));
}

GeneratedMonoid parse_factor(std::string_view part, const std::string& name) {
  if (part == "V4") return {4, {{1, 0, 3, 2}, {2, 3, 0, 1}}};
  if (part == "Q8") return quaternion();
  if (part == "flipflop") return {2, {{0, 0}, {1, 1}, {0, 1}}};
  if (auto group = group_called(std::string(part), max_points)) return *std::move(group);
  if (part.size() < 2 || std::string_view("ZSADT").find(part[0]) == std::string_view::npos) {
    throw unknown(part, name);
  }
  std::size_t k = 0;
  for (const char digit : part.substr(1)) {
    if (digit < '0' || digit > '9' || (k == 0 && digit == '0')) throw unknown(part, name);
    if (k <= max_points) k = 10 * k + static_cast<std::size_t>(digit - '0');
  }
  if (part[0] == 'D' && k < 3) throw unknown(part, name);
  if (k > max_points) {
    throw SizeLimit(fmt::format("{} acts on more than {} points, the limit; try a smaller degree",
                                in_quotes(part), max_points));
  }
  switch (part[0]) {
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

/// Where the first product sign stands that is in no parentheses, `_x_` or, as inspect prints it,
/// ` x `; npos without one.
std::size_t product_sign(std::string_view name) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(') ++depth;
    if (name[i] == ')' && depth > 0) --depth;
    const std::string_view rest = name.substr(i);
    if (depth == 0 && (rest.starts_with("_x_") || rest.starts_with(" x "))) return i;
  }
  return std::string_view::npos;
}

std::vector<GeneratedMonoid> parse_factors(const std::string& name) {
  std::vector<GeneratedMonoid> factors;
  std::size_t points = 0;
  std::string_view rest = name;
  while (true) {
    const std::size_t end = product_sign(rest);
    factors.push_back(parse_factor(rest.substr(0, end), name));
    points += factors.back().points;
    if (points > max_points) {
      throw SizeLimit(
          fmt::format("{} acts on more than {} points, the limit; try fewer or smaller factors",
                      in_quotes(name), max_points));
    }
    if (end == std::string_view::npos) return factors;
    rest = rest.substr(end + 3);
  }
}

}  // namespace

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

Action named_monoid(const std::string& name, NamedLetters letters) {
  const GeneratedMonoid product = direct_product(parse_factors(name));
  Action action;
  action.points = product.points;
  std::vector<std::string> names;
  if (letters == NamedLetters::generators) {
    if (product.generators.size() > 26) {
      throw SizeLimit(
          fmt::format("{} has {} generators, the letters a to z allow 26; try fewer factors",
                      in_quotes(name), product.generators.size()));
    }
    for (std::size_t i = 0; i < product.generators.size(); ++i) {
      names.emplace_back(1, static_cast<char>('a' + i));
    }
    action.generators = product.generators;
  } else {
    auto monoid = enumerate_monoid(product.generators, product.points, max_letters_all);
    if (!monoid) {
      throw SizeLimit(fmt::format(
          "{} has more than {} elements, too many to be letters; try its generators as letters",
          in_quotes(name), max_letters_all));
    }
    for (std::size_t i = 0; i < monoid->size(); ++i) {
      names.push_back(std::string("g").append(std::to_string(i)));
    }
    action.generators = std::move(monoid->elements);
  }
  action.alphabet = Alphabet(std::move(names));
  return action;
}

}  // namespace logdepth::inline objects
