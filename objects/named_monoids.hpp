#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "objects/action.hpp"

namespace logdepth::inline objects {

/// Maps of points that generate a monoid.
struct GeneratedMonoid {
  std::size_t points = 0;
  std::vector<Transformation> generators;
};
/// The direct product on the disjoint union of the points: a generator of one factor fixes the
/// points of the others.
GeneratedMonoid direct_product(const std::vector<GeneratedMonoid>& factors);

/// Which elements become letters.
enum class NamedLetters { generators, all };

/// The word problem of a group or monoid by its name in the field: accept iff the product is the
/// identity. `Zk` (k points), `Sk`, `Ak` (k points), `Dk` (dihedral group of order 2k on k points),
/// `Q8`, `V4`, `flipflop` (2 points: reset, set, keep), `Tk` (all maps of k points), and direct
/// products as `A4_x_Z5`, which act on the disjoint union of the points. Letters are a, b, c, ...
/// (generators), or g0, g1, ... for every element in breadth-first order.
/// Errors: InputError naming the unknown name and the known ones; SizeLimit for degrees too large.
Action named_monoid(const std::string& name, NamedLetters letters = NamedLetters::generators);

}  // namespace logdepth::inline objects
