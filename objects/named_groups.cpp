#include "objects/named_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "objects/prime.hpp"

namespace logdepth::inline objects {
namespace {

GeneratedMonoid of(const std::string& name) {
  return monoid_of_family(name).value();
}

/// The elements a^i b^j, i < m, j < k, with b a = a^r b and b^k = a^s, acting on themselves by
/// multiplication from the right. Precondition: r^k = 1 and rs = s modulo m.
GeneratedMonoid metacyclic(std::size_t m, std::size_t k, std::size_t r, std::size_t s) {
  Transformation by_a(m * k), by_b(m * k);
  std::size_t r_to_j = 1 % m;
  for (std::size_t j = 0; j < k; ++j, r_to_j = r_to_j * r % m)
    for (std::size_t i = 0; i < m; ++i) {
      by_a[i * k + j] = static_cast<State>((i + r_to_j) % m * k + j);
      by_b[i * k + j] = static_cast<State>(j + 1 < k ? i * k + j + 1 : (i + s) % m * k);
    }
  return {m * k, {by_a, by_b}};
}

/// Matrices of two rows modulo a prime, ((a, b), (c, d)), acting on the vectors but zero.
GeneratedMonoid matrices(std::size_t prime,
                         const std::vector<std::array<std::size_t, 4>>& generators) {
  GeneratedMonoid group{prime * prime - 1, {}};
  for (const auto& [a, b, c, d] : generators) {
    Transformation& images = group.generators.emplace_back();
    for (std::size_t v = 1; v < prime * prime; ++v) {
      const std::size_t x = v / prime, y = v % prime;
      images.push_back(
          static_cast<State>((a * x + c * y) % prime * prime + (b * x + d * y) % prime - 1));
    }
  }
  return group;
}

/// The least number of order k modulo a prime. Precondition: k divides prime - 1.
std::size_t root_of_unity(std::size_t prime, std::size_t k) {
  for (std::size_t r = 1;; ++r) {
    std::size_t order = 1;
    for (std::size_t power = r; power != 1; power = power * r % prime) ++order;
    if (order == k) return r;
  }
}

/// Groups that belong to no family of ours.
const std::map<std::size_t, std::vector<NamedGroup>>& all_single_groups() {
  static const std::map<std::size_t, std::vector<NamedGroup>> groups = {
      {16,
       {{"SD16", metacyclic(8, 2, 3, 0)},  // semidihedral
        {"M16", metacyclic(8, 2, 5, 0)},   // modular
        {"Z4 : Z4", metacyclic(4, 4, 3, 0)},
        {"(Z2 x Z2) : Z4",  // two flips, swapped by one of order four
         {8, {{1, 0, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 5, 6, 7, 4}}}},
        {"Z4 o D4",  // Pauli matrices: i, X, Z on the vectors i^k e_j
         {8, {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 2, 3, 6, 7, 4, 5}}}}}},
      {18, {{"(Z3 x Z3) : Z2", {6, {{1, 2, 0, 3, 4, 5}, {0, 1, 2, 4, 5, 3}, {0, 2, 1, 3, 5, 4}}}}}},
      {24,
       {{"SL(2,3)", matrices(3, {{1, 1, 0, 1}, {1, 0, 1, 1}})},
        {"Z3 : Z8", metacyclic(3, 8, 2, 0)},
        {"Z3 : D4", {7, {{1, 2, 0, 3, 4, 5, 6}, {0, 2, 1, 4, 5, 6, 3}, {0, 1, 2, 5, 4, 3, 6}}}}}},
      {36, {{"(Z3 x Z3) : Z4", {6, {{1, 2, 0, 3, 4, 5}, {3, 4, 5, 0, 2, 1}}}}}},
      {48, {{"GL(2,3)", matrices(3, {{1, 1, 0, 1}, {1, 0, 1, 1}, {2, 0, 0, 1}})}}},
      {56, {{"AGL(1,8)", {8, {{1, 0, 3, 2, 5, 4, 7, 6}, {0, 2, 4, 6, 3, 1, 7, 5}}}}}},
      {72, {{"S3 wr Z2", {6, {{1, 0, 2, 3, 4, 5}, {1, 2, 0, 3, 4, 5}, {3, 4, 5, 0, 1, 2}}}}}},
      {120, {{"SL(2,5)", matrices(5, {{1, 1, 0, 1}, {1, 0, 1, 1}})}}},
      {168, {{"PSL(2,7)", {7, {{1, 2, 3, 4, 5, 6, 0}, {0, 1, 3, 2, 6, 5, 4}}}}}},
  };
  return groups;
}

const std::vector<NamedGroup>& single_groups(std::size_t order) {
  static const std::vector<NamedGroup> none;
  const auto& groups = all_single_groups();
  const auto found = groups.find(order);
  return found == groups.end() ? none : found->second;
}

/// The number behind the prefix, where that is all of the text and is at most `most`; else 0.
std::size_t number_behind(std::string_view prefix, std::string_view text, std::size_t most) {
  if (!text.starts_with(prefix)) return 0;
  const char* const begin = text.data() + prefix.size();
  const char* const end = text.data() + text.size();
  std::size_t number = 0;
  const auto [next, error] = std::from_chars(begin, end, number);
  return error == std::errc() && next == end && *begin != '0' && number <= most ? number : 0;
}

}  // namespace

NamedGroup cyclic_group(std::size_t order) {
  const std::string name = fmt::format("Z{}", order);
  return {name, of(name)};
}

std::vector<NamedGroup> noncommutative_groups(std::size_t order,
                                              const std::function<bool(std::size_t)>& fits) {
  std::vector<NamedGroup> groups;
  const auto add = [&](const std::string& name) { groups.push_back({name, of(name)}); };
  for (std::size_t points = 3, factorial = 6; points <= 7; factorial *= ++points) {
    if (order == factorial && fits(points)) add(fmt::format("S{}", points));
    if (points > 3 && 2 * order == factorial && fits(3)) add(fmt::format("A{}", points));
  }
  if (order == 8) add("Q8");
  if (order % 2 == 0 && order >= 8 && fits(order / 2)) {
    add(fmt::format("D{}", order / 2));
    const std::size_t n = order / 4;
    if (order % 4 == 0 && n > 2)
      groups.push_back(
          {std::has_single_bit(n) ? fmt::format("Q{}", order) : fmt::format("Dic{}", n),
           metacyclic(2 * n, 2, 2 * n - 1, n)});
  }
  for (std::size_t k = 3; k * (k + 1) <= order; ++k) {
    const std::size_t p = order / k;
    if (order % k == 0 && is_prime(p) && (p - 1) % k == 0 && fits(p) && fits(k))
      groups.push_back({fmt::format("Z{} : Z{}", p, k), metacyclic(p, k, root_of_unity(p, k), 0)});
  }
  for (const NamedGroup& group : single_groups(order)) groups.push_back(group);
  return groups;
}

std::optional<GeneratedMonoid> group_called(const std::string& name, std::size_t most) {
  if (name == "trivial") return cyclic_group(1).group;
  std::vector<std::size_t> orders;
  if (const auto n = number_behind("Dic", name, most)) orders.push_back(4 * n);
  if (const auto order = number_behind("Q", name, most)) orders.push_back(order);
  if (const std::size_t colon = name.find(" : "); colon != std::string::npos) {
    const auto p = number_behind("Z", std::string_view(name).substr(0, colon), most);
    const auto k = number_behind("Z", std::string_view(name).substr(colon + 3), most);
    if (p > 0 && k > 0) orders.push_back(p * k);
  }
  for (const auto& [order, groups] : all_single_groups())
    for (const NamedGroup& group : groups)
      if (group.name == name) return group.group;
  for (const std::size_t order : orders) {
    if (order > most) continue;
    for (NamedGroup& group : noncommutative_groups(order, [](std::size_t) { return true; }))
      if (group.name == name) return std::move(group.group);
  }
  return std::nullopt;
}

std::vector<std::string> single_group_names() {
  std::vector<std::string> names;
  for (const auto& [order, groups] : all_single_groups())
    for (const NamedGroup& group : groups) names.push_back(group.name);
  return names;
}

}  // namespace logdepth::inline objects
