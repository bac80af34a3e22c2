#include "objects/group_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/phrases.hpp"
#include "objects/named_groups.hpp"

namespace logdepth::inline objects {
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

}  // namespace logdepth::inline objects
