#pragma once

#include <optional>
#include <string>

#include "objects/automaton.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth { inline namespace objects {

/// Which elements become letters.
enum class NamedLetters { generators, all };

/// The word problem of a group or monoid by its name in the field: accept iff the product is the
/// identity. `Zk` (k points), `Sk`, `Ak` (k points), `Dk` (dihedral group of order 2k on k points),
/// `Q8`, `V4`, `flipflop` (2 points: reset, set, keep), `Tk` (all maps of k points), and direct
/// products as `A4_x_Z5`, which act on the disjoint union of the points; and groups by any name that
/// `group_name` gives, as `Z2 x Z4`; one without a name by its generators (parse_maps). Letters are a, b, c, ...
/// (generators), or g0, g1, ... for every element in breadth-first order.
/// Errors: InputError naming the unknown name and the known ones; SizeLimit for degrees too large.
Action named_monoid(const std::string& name, NamedLetters letters = NamedLetters::generators);

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

}}  // namespace logdepth::objects
