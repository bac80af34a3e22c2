#pragma once

#include <optional>
#include <string>

#include "objects/permutation_group.hpp"

namespace logdepth::inline objects {

/// What a group is called, up to isomorphism: "trivial", "Z6", "Z2 x Z4" (every factor divides the
/// next), "S4", "A5", "D4" (dihedral, the eight symmetries of a square: Dn has 2n elements), "Q8",
/// "Dic3" (dicyclic, 4n elements), "Z7 : Z3" (Zp : Zk are the maps x -> ax + b modulo a prime p with
/// a^k = 1), "SL(2,3)", and direct products of these, as "Z3 x D4": all groups of at most 24
/// elements and many more. Absent where it has no such name, or more than 5040 elements and is not
/// commutative.
///
/// A commutative group is known by the orders of its elements; another gets a name only when an
/// isomorphism from the group of this name, written down as permutations, is found.
std::optional<std::string> group_name(const PermutationGroup& group);

}  // namespace logdepth::inline objects
