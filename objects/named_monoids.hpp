#pragma once

#include <string>

#include "objects/action.hpp"
#include "objects/monoid_families.hpp"

namespace logdepth::inline objects {

/// Which elements become letters.
enum class NamedLetters { generators, all };

/// The word problem of a group or monoid by its name in the field: accept iff the product is the
/// identity. `Zk` (k points), `Sk`, `Ak` (k points), `Dk` (dihedral group of order 2k on k points),
/// `Q8`, `V4`, `flipflop` (2 points: reset, set, keep), `Tk` (all maps of k points), and direct
/// products as `A4_x_Z5`, which act on the disjoint union of the points; and groups by any name that
/// `group_name` gives, as `Z2 x Z4`. Letters are a, b, c, ...
/// (generators), or g0, g1, ... for every element in breadth-first order.
/// Errors: InputError naming the unknown name and the known ones; SizeLimit for degrees too large.
Action named_monoid(const std::string& name, NamedLetters letters = NamedLetters::generators);

}  // namespace logdepth::inline objects
