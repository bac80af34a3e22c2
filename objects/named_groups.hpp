#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "objects/monoid_families.hpp"

namespace logdepth::inline objects {

/// A group written down as permutations, and what it is called.
struct NamedGroup {
  std::string name;
  GeneratedMonoid group;
};

NamedGroup cyclic_group(std::size_t order);

/// The groups of this order that have a name of their own, and are no direct products of smaller
/// ones but by exception, the better known name first: symmetric and alternating (of at most 7
/// points), dihedral, dicyclic, affine groups of a prime, and some single ones. Left out are those
/// that hold an element of an order that does not fit.
std::vector<NamedGroup> noncommutative_groups(std::size_t order,
                                              const std::function<bool(std::size_t)>& fits);

/// The group that is called so, by any of the names above. Its order is at most `most`; absent for
/// another name.
std::optional<GeneratedMonoid> group_called(const std::string& name, std::size_t most);
/// The names of groups that belong to no family.
std::vector<std::string> single_group_names();

}  // namespace logdepth::inline objects
