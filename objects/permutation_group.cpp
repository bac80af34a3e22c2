#include "objects/permutation_group.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace logdepth {
namespace {

constexpr std::uint32_t no_coset = UINT32_MAX;

/// x, as applied after renaming the points by `by`.
Transformation conjugate(const Transformation& x, const Transformation& by) {
  return compose(compose(inverse(by), x), by);
}

/// The quotient of a group by a normal subgroup with a commutative quotient.
class CommutativeQuotient {
 public:
  CommutativeQuotient(const PermutationGroup& group, const PermutationGroup& subgroup)
      : group_(group), coset_(group.order(), no_coset) {
    for (std::uint32_t g = 0; g < group.order(); ++g) {
      if (coset_[g] != no_coset) continue;
      for (const Transformation& n : subgroup.elements())
        coset_[group.index(compose(n, group.elements()[g]))] = size();
      first_.push_back(g);
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(first_.size()); }
  std::uint32_t coset(std::uint32_t element) const { return coset_[element]; }
  const Transformation& element(std::uint32_t coset) const {
    return group_.elements()[first_[coset]];
  }
  std::uint32_t product(std::uint32_t a, std::uint32_t b) const {
    return coset_[group_.index(compose(element(a), element(b)))];
  }
  /// 1, x, x^2, ..., the last before 1 again. The subgroup itself is the coset 0.
  std::vector<std::uint32_t> powers(std::uint32_t x) const {
    std::vector<std::uint32_t> powers{0};
    for (std::uint32_t y = x; y != 0; y = product(y, x)) powers.push_back(y);
    return powers;
  }

 private:
  const PermutationGroup& group_;
  std::vector<std::uint32_t> coset_;  // of each element
  std::vector<std::uint32_t> first_;  // element of each coset
};

bool is_power_of(std::size_t number, std::size_t prime) {
  while (number % prime == 0) number /= prime;
  return number == 1;
}

std::vector<std::size_t> prime_factors(std::size_t number) {
  std::vector<std::size_t> primes;
  for (std::size_t p = 2; number > 1; ++p) {
    if (number % p != 0) continue;
    primes.push_back(p);
    while (number % p == 0) number /= p;
  }
  return primes;
}

/// Writes G/N as a product of cyclic groups, prime by prime. Among the elements of prime power order
/// whose powers avoid the factors found so far (but for 1) one of greatest order generates the next
/// factor: the quotient by those factors has no element of greater order, and in a commutative
/// p-group a cyclic subgroup of the greatest order is a factor.
AbelianStep commutative_step(const PermutationGroup& group, PermutationGroup subgroup) {
  const CommutativeQuotient quotient(group, subgroup);
  AbelianStep step{group, std::move(subgroup), {}, {}, {}};
  std::vector<std::vector<std::uint32_t>> exponents(quotient.size());  // of each coset
  std::vector<std::vector<std::uint32_t>> powers;                      // of each coset
  for (std::uint32_t x = 0; x < quotient.size(); ++x) powers.push_back(quotient.powers(x));
  std::vector<std::uint32_t> found{0};  // the product of the factors so far
  for (const std::size_t prime : prime_factors(quotient.size())) {
    for (;;) {
      std::vector<bool> in_found(quotient.size(), false);
      for (const std::uint32_t x : found) in_found[x] = true;
      std::uint32_t best = 0;
      for (std::uint32_t x = 1; x < quotient.size(); ++x) {
        if (powers[x].size() <= powers[best].size() || !is_power_of(powers[x].size(), prime))
          continue;
        if (std::none_of(powers[x].begin() + 1, powers[x].end(),
                         [&](std::uint32_t y) { return in_found[y]; }))
          best = x;
      }
      if (best == 0) break;
      std::vector<std::uint32_t> larger;
      for (const std::uint32_t x : found)
        for (std::uint32_t e = 0; e < powers[best].size(); ++e) {
          larger.push_back(quotient.product(x, powers[best][e]));
          const std::vector<std::uint32_t> before(exponents[x].begin(),
                                                  exponents[x].begin() + step.orders.size());
          exponents[larger.back()] = before;
          exponents[larger.back()].push_back(e);
        }
      found = std::move(larger);
      step.orders.push_back(static_cast<std::uint32_t>(powers[best].size()));
      step.generators.push_back(quotient.element(best));
    }
  }
  for (std::uint32_t g = 0; g < group.order(); ++g)
    step.exponents.push_back(exponents[quotient.coset(g)]);
  return step;
}

}  // namespace

bool is_permutation(const Transformation& map) {
  std::vector<bool> hit(map.size(), false);
  for (const State image : map) hit[image] = true;
  return std::find(hit.begin(), hit.end(), false) == hit.end();
}

Transformation inverse(const Transformation& permutation) {
  Transformation images(permutation.size());
  for (State q = 0; q < permutation.size(); ++q) images[permutation[q]] = q;
  return images;
}

PermutationGroup::PermutationGroup(std::size_t points)
    : products_(*enumerate_monoid({}, points, 1)) {}

std::optional<PermutationGroup> PermutationGroup::extended(const Transformation& x,
                                                           std::size_t cap) const {
  PermutationGroup larger(*this);
  larger.generators_.push_back(x);
  auto products = enumerate_monoid(larger.generators_, points(), cap);
  if (!products) return std::nullopt;
  larger.products_ = std::move(*products);
  return larger;
}

std::optional<PermutationGroup> generated_group(const std::vector<Transformation>& permutations,
                                                std::size_t points, std::size_t cap) {
  PermutationGroup group(points);
  for (const Transformation& x : permutations) {
    if (group.contains(x)) continue;
    auto larger = group.extended(x, cap);
    if (!larger) return std::nullopt;
    group = std::move(*larger);
  }
  return group;
}

// Generated by the commutators of the generators and their conjugates.
PermutationGroup derived_subgroup(const PermutationGroup& group) {
  PermutationGroup derived(group.points());
  const auto add = [&](const Transformation& x) {
    if (!derived.contains(x)) derived = *derived.extended(x, group.order());
  };
  for (const Transformation& a : group.generators())
    for (const Transformation& b : group.generators()) add(compose(inverse(a), conjugate(a, b)));
  for (std::size_t i = 0; i < derived.generators().size(); ++i)
    for (const Transformation& g : group.generators()) add(conjugate(derived.generators()[i], g));
  return derived;
}

std::optional<std::vector<AbelianStep>> abelian_steps(const PermutationGroup& group) {
  std::vector<AbelianStep> steps;
  for (PermutationGroup rest = group; rest.order() > 1;) {
    PermutationGroup smaller = derived_subgroup(rest);
    if (smaller.order() == rest.order()) return std::nullopt;
    steps.push_back(commutative_step(rest, smaller));
    rest = std::move(smaller);
  }
  return steps;
}

}  // namespace logdepth
