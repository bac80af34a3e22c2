#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "objects/action.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

/// True for a map that hits every point.
bool is_permutation(const Transformation& map);
Transformation inverse(const Transformation& permutation);

/// A group of permutations of the points {0..n-1}, given by all its elements, the identity first.
class PermutationGroup {
 public:
  /// The group of the identity alone.
  explicit PermutationGroup(std::size_t points);

  std::size_t points() const { return elements().front().size(); }
  std::size_t order() const { return elements().size(); }
  const std::vector<Transformation>& elements() const { return products_.elements; }
  /// Few: each of them is outside the group that the ones before it generate.
  const std::vector<Transformation>& generators() const { return generators_; }
  bool contains(const Transformation& x) const { return products_.contains(x); }
  /// Number of the element x. Throws std::out_of_range when it is none.
  std::uint32_t index(const Transformation& x) const { return products_.find(x); }

  /// The group that all elements and x generate; absent when it has more than `cap` elements.
  std::optional<PermutationGroup> extended(const Transformation& x, std::size_t cap) const;

 private:
  std::vector<Transformation> generators_;
  TransitionMonoid products_;  // permutations have finite order, so products suffice
};

/// The group that permutations generate; absent when it has more than `cap` elements.
std::optional<PermutationGroup> generated_group(const std::vector<Transformation>& permutations,
                                                std::size_t points, std::size_t cap);

/// The group, the subgroup that its commutators generate, that one's, ..., each smaller than the one
/// before; the last is its own and, for solvable groups, trivial.
std::vector<PermutationGroup> derived_series(const PermutationGroup& group);

/// A group of the derived series with its commutative quotient. The quotient G/N is written as a product
/// of cyclic groups of prime power order: no way to write it as a product of cyclic groups has a
/// smaller sum of orders.
struct AbelianStep {
  PermutationGroup group;                  ///< G
  PermutationGroup subgroup;               ///< N, its derived subgroup: the group of the next step
  std::vector<std::uint32_t> orders;       ///< m_1..m_k, all above 1: G/N is Z_m1 x ... x Z_mk
  std::vector<Transformation> generators;  ///< t_1..t_k in G: t_i N generates the factor i
  /// Of each element g, in the order of `group`: g is in N t_1^e_1 ... t_k^e_k, 0 <= e_i < m_i.
  std::vector<std::vector<std::uint32_t>> exponents;
};

/// The steps from the group down to the trivial one (none for a trivial group); absent when the
/// group is not solvable.
std::optional<std::vector<AbelianStep>> abelian_steps(const PermutationGroup& group);

}  // namespace logdepth::inline objects
