#include "objects/named_monoids.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/point_maps.hpp"
#include "objects/prime.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// Maps of points that generate a monoid.
struct GeneratedMonoid {
  std::size_t points = 0;
  std::vector<Transformation> generators;
};

/// A group written down as permutations, and what it is called.
struct NamedGroup {
  std::string name;
  GeneratedMonoid group;
};

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

/// A member of a family by its name, `Zk`, `Sk`, `Ak`, `Dk` or `Tk`, or one of `V4`, `Q8`, `flipflop`;
/// absent for another name. Errors: SizeLimit for more points than the limit.
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

/// The direct product on the disjoint union of the points: a generator of one factor fixes the
/// points of the others.
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
  text.remove_prefix(prefix.size());
  const auto number = whole_number(text);
  return number && text[0] != '0' && *number <= most ? static_cast<std::size_t>(*number) : 0;
}

NamedGroup cyclic_group(std::size_t order) {
  const std::string name = fmt::format("Z{}", order);
  return {name, of(name)};
}

/// The groups of this order that have a name of their own, and are no direct products of smaller
/// ones but by exception, the better known name first: symmetric and alternating (of at most 7
/// points), dihedral, dicyclic, affine groups of a prime, and some single ones. Left out are those
/// that hold an element of an order that does not fit.
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

/// The group that is called so, by any of the names above. Its order is at most `most`; absent for
/// another name.
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

/// The names of groups that belong to no family.
std::vector<std::string> single_group_names() {
  std::vector<std::string> names;
  for (const auto& [order, groups] : all_single_groups())
    for (const NamedGroup& group : groups) names.push_back(group.name);
  return names;
}

constexpr std::size_t max_letters_all = 10000;

/// Our name for a family, or a product of families, that is written in small letters, with _ before the number, with
/// C for Z, or with x or * between the factors: c6, D_4, Z2xZ4. Absent for anything else.
std::optional<std::string> as_others_write(std::string_view part) {
  std::string name;
  for (const char letter : part) {
    const char c = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const bool starts = name.empty() || name.ends_with("_x_");
    if (c == 'X' || c == '*') {
      name += "_x_";
    } else if (c != '_') {
      name += starts && c == 'C' ? 'Z' : c;
    }
  }
  try {
    for (std::string_view rest = name; !rest.empty();) {
      const std::size_t end = std::min(rest.find("_x_"), rest.size());
      if (!monoid_of_family(rest.substr(0, end))) return std::nullopt;
      rest.remove_prefix(std::min(end + 3, rest.size()));
    }
  } catch (const SizeLimit&) {
    return std::nullopt;
  }
  return name.empty() || name.ends_with("_x_") ? std::nullopt : std::optional(name);
}

InputError unknown(std::string_view part, const std::string& name) {
  const std::string of = part == name ? "" : " in " + in_quotes(name);
  std::vector<std::string> known = single_group_names();
  known.insert(known.end(), {"V4", "Q8", "flipflop", "trivial"});
  auto near = as_others_write(part);
  if (!near) near = meant(std::string(part), known);
  return InputError(
      "unknown group or monoid " + in_quotes(part) + of +
      ": expected Zk, Sk, Ak, Tk (k = 1, 2, ...), Dk (k = 3, 4, ...), V4, Q8, Q16, Dic3, "
      "SL(2,3), flipflop, a product of these such as A4_x_Z5, or maps of points such "
      "as [1,2,0] [1,0,2]" +
      (near ? "; did you mean " + *near + "?" : ""));
}

GeneratedMonoid parse_factor(std::string_view part, const std::string& name) {
  if (auto monoid = monoid_of_family(part)) return *std::move(monoid);
  if (auto group = group_called(std::string(part), kMostPoints)) return *std::move(group);
  throw unknown(part, name);
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
    if (points > kMostPoints) {
      throw SizeLimit(
          fmt::format("{} acts on more than {} points, the limit; try fewer or smaller factors",
                      in_quotes(name), kMostPoints));
    }
    if (end == std::string_view::npos) return factors;
    rest = rest.substr(end + 3);
  }
}

GeneratedMonoid of_maps(const std::string& name) {
  GeneratedMonoid monoid{0, parse_maps(name)};
  monoid.points = monoid.generators.front().size();
  return monoid;
}

}  // namespace

Action named_monoid(const std::string& name, NamedLetters letters) {
  const GeneratedMonoid product =
      name.starts_with('[') ? of_maps(name) : direct_product(parse_factors(name));
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

namespace {

using Row = std::vector<std::uint32_t>;

std::size_t order_of(const Transformation& x) {
  std::size_t order = 1;
  std::vector<bool> seen(x.size(), false);
  for (State start = 0; start < x.size(); ++start) {
    std::size_t length = 0;
    for (State q = start; !seen[q]; q = x[q], ++length) seen[q] = true;
    if (length > 0) order = std::lcm(order, length);
  }
  return order;
}

/// A group with what isomorphisms keep: of every element the order and how many are conjugate.
class MarkedGroup {
 public:
  explicit MarkedGroup(const GeneratedMonoid& group)
      : products_(*enumerate_monoid(group.generators, group.points, SIZE_MAX)),
        last_steps_(products_.last_steps()),
        marks_(products_.size()),
        first_of_class_(products_.size(), false) {
    const auto left = products_.left();
    // The element of which the letter's product from the left is this one.
    std::vector<Row> quotient(products_.size(), Row(products_.generator.size()));
    for (std::uint32_t x = 0; x < size(); ++x)
      for (Letter g = 0; g < products_.generator.size(); ++g) quotient[left[x][g]][g] = x;
    std::vector<bool> seen(size(), false);
    for (std::uint32_t x = 0; x < size(); ++x) {
      if (seen[x]) continue;
      first_of_class_[x] = seen[x] = true;
      Row conjugate = {x};
      for (std::size_t i = 0; i < conjugate.size(); ++i)
        for (Letter g = 0; g < products_.generator.size(); ++g) {
          const std::uint32_t next = quotient[products_.right[conjugate[i]][g]][g];
          if (!seen[next]) conjugate.push_back(next);
          seen[next] = true;
        }
      const Mark mark = {order_of(products_.elements[x]), conjugate.size()};
      for (const std::uint32_t one : conjugate) marks_[one] = mark;
    }
    for (const Mark& mark : marks_) ++count_[mark];
  }

  using Mark = std::pair<std::size_t, std::size_t>;
  std::uint32_t size() const { return static_cast<std::uint32_t>(products_.size()); }
  const Row& generators() const { return products_.generator; }
  const Mark& mark(std::uint32_t x) const { return marks_[x]; }
  const std::map<Mark, std::size_t>& count() const { return count_; }
  bool first_of_class(std::uint32_t x) const { return first_of_class_[x]; }
  /// x times every element.
  Row times(std::uint32_t x) const {
    Row row(size(), x);
    for (std::uint32_t y = 1; y < size(); ++y)
      row[y] = products_.right[row[last_steps_[y].first]][last_steps_[y].second];
    return row;
  }
  std::size_t centre() const {
    std::size_t elements = 0;
    for (const auto& [mark, count] : count_) elements += mark.second == 1 ? count : 0;
    return elements;
  }
  bool has_order(std::size_t order) const {
    return std::any_of(count_.begin(), count_.end(),
                       [&](const auto& one) { return one.first.first == order; });
  }

 private:
  TransitionMonoid products_;
  std::vector<std::pair<std::uint32_t, Letter>> last_steps_;
  std::vector<Mark> marks_;
  std::vector<bool> first_of_class_;
  std::map<Mark, std::size_t> count_;
};

/// Looks for images of the generators of one group in another, one generator after the other.
class Isomorphism {
 public:
  Isomorphism(const MarkedGroup& from, const MarkedGroup& to) : from_(from), to_(to) {}

  bool exists() { return from_.count() == to_.count() && extend(); }

 private:
  /// Whether the generators mapped so far have images for the rest. Up to an inner automorphism,
  /// which maps no name to another, the image of the first is the first of its class.
  bool extend() {
    const std::size_t mapped = rows_from_.size();
    if (mapped == from_.generators().size()) return true;
    const std::uint32_t generator = from_.generators()[mapped];
    rows_from_.push_back(from_.times(generator));
    for (std::uint32_t image = 0; image < to_.size() && steps_ < kMostSteps; ++image) {
      if (to_.mark(image) != from_.mark(generator)) continue;
      if (mapped == 0 && !to_.first_of_class(image)) continue;
      rows_to_.push_back(to_.times(image));
      if (consistent() && extend()) return true;
      rows_to_.pop_back();
    }
    rows_from_.pop_back();
    return false;
  }

  /// Whether f(1) = 1, f(g x) = f(g) f(x) for the generators g mapped so far is a one-to-one map of
  /// what they generate. If so it is a homomorphism, by induction over the length of words.
  bool consistent() {
    constexpr std::uint32_t none = UINT32_MAX;
    Row image(from_.size(), none);
    std::vector<bool> taken(to_.size(), false);
    Row reached = {0};
    image[0] = 0;
    taken[0] = true;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t g = 0; g < rows_from_.size(); ++g, ++steps_) {
        const std::uint32_t x = rows_from_[g][reached[i]], y = rows_to_[g][image[reached[i]]];
        if (image[x] == none && !taken[y]) {
          image[x] = y;
          taken[y] = true;
          reached.push_back(x);
        }
        if (image[x] != y) return false;
      }
    return true;
  }

  static constexpr std::size_t kMostSteps = 50'000'000;  // beyond, the group stays without a name
  const MarkedGroup &from_, &to_;
  std::vector<Row> rows_from_, rows_to_;
  std::size_t steps_ = 0;
};

/// The factors of a commutative group by the orders of its elements: for a prime p, the number of
/// elements x with x^(p^k) = 1 is p to the sum of min(k, e) over the factors p^e.
std::vector<std::size_t> invariant_factors(const PermutationGroup& group) {
  std::map<std::size_t, std::size_t> with_order;
  for (const Transformation& x : group.elements()) ++with_order[order_of(x)];
  std::vector<std::size_t> factors;  // the largest first
  std::size_t rest = group.order();
  for (std::size_t p = 2; rest > 1; ++p) {
    std::size_t before = 1;
    for (std::size_t power = p; rest % p == 0; power *= p) {
      std::size_t solutions = 0;
      for (const auto& [order, count] : with_order)
        if (power % order == 0) solutions += count;
      // As many factors as p goes into the quotient have at least this power of p.
      std::size_t factor = 0;
      for (; before < solutions; before *= p, ++factor) {
        if (factor == factors.size()) factors.push_back(1);
        factors[factor] *= p;
        rest /= p;
      }
    }
  }
  return {factors.rbegin(), factors.rend()};
}

bool is_commutative(const PermutationGroup& group) {
  return std::all_of(group.generators().begin(), group.generators().end(), [&](const auto& a) {
    return std::all_of(group.generators().begin(), group.generators().end(),
                       [&](const auto& b) { return compose(a, b) == compose(b, a); });
  });
}

/// The products of named groups that have as many elements as the group, until one is isomorphic.
class Search {
 public:
  explicit Search(const MarkedGroup& group) : group_(group) {}

  /// `product`: the factors chosen so far; `rest`: what their orders leave of the group's order;
  /// `from`: the smallest order of the next one that is not commutative.
  std::optional<std::string> name(std::vector<NamedGroup>& product, std::size_t rest,
                                  std::size_t from) const {
    if (!product.empty() && group_.centre() % rest == 0)
      if (auto found = with_commutative(product, rest, rest)) return found;
    for (std::size_t order = rest; order >= from; --order) {
      if (rest % order != 0) continue;
      const auto fits = [&](std::size_t element) { return group_.has_order(element); };
      for (const NamedGroup& factor : noncommutative_groups(order, fits)) {
        product.push_back(factor);
        auto found = name(product, rest / order, order);
        product.pop_back();
        if (found) return found;
      }
    }
    return std::nullopt;
  }

 private:
  /// With cyclic factors, each of which divides the one before, in front.
  std::optional<std::string> with_commutative(std::vector<NamedGroup>& product, std::size_t rest,
                                              std::size_t largest) const {
    if (rest == 1) return tried(product);
    for (std::size_t order = 2; order <= rest; ++order) {
      if (rest % order != 0 || largest % order != 0 || !group_.has_order(order)) continue;
      product.insert(product.begin(), cyclic_group(order));
      auto found = with_commutative(product, rest / order, order);
      product.erase(product.begin());
      if (found) return found;
    }
    return std::nullopt;
  }

  std::optional<std::string> tried(const std::vector<NamedGroup>& product) const {
    std::vector<std::string> names;
    std::vector<GeneratedMonoid> factors;
    for (const NamedGroup& factor : product) {
      const bool loose = product.size() > 1 && factor.name.find(' ') != std::string::npos;
      names.push_back(loose ? "(" + factor.name + ")" : factor.name);
      factors.push_back(factor.group);
    }
    const MarkedGroup named(direct_product(factors));
    if (!Isomorphism(named, group_).exists()) return std::nullopt;
    return joined(names, " x ");
  }

  const MarkedGroup& group_;
};

}  // namespace

std::optional<std::string> group_name(const PermutationGroup& group) {
  constexpr std::size_t kMostElements = 5040;  // of S7
  if (group.order() == 1) return "trivial";
  if (is_commutative(group)) {
    std::vector<std::string> factors;
    for (const std::size_t order : invariant_factors(group))
      factors.push_back(cyclic_group(order).name);
    return joined(factors, " x ");
  }
  if (group.order() > kMostElements) return std::nullopt;
  const MarkedGroup marked({group.points(), group.generators()});
  std::vector<NamedGroup> product;
  return Search(marked).name(product, group.order(), 6);
}

}}  // namespace logdepth::objects
