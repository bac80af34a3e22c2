#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

/// A J-class of a finite monoid, which is a D-class too, as an eggbox: its rows are R-classes, its
/// columns L-classes, and a cell, where both meet, is an H-class. All cells have as many elements.
struct JClass {
  std::size_t depth = 0;  ///< length of the longest chain of classes above it
  std::vector<std::vector<std::vector<std::uint32_t>>> cells;  ///< [row][column], ascending
  std::vector<std::uint32_t> idempotents;                      ///< ascending
  std::vector<std::uint32_t> below;  ///< the classes that one more letter, on a side, leads to

  std::size_t rows() const { return cells.size(); }
  std::size_t columns() const { return cells.front().size(); }
  std::size_t cell_size() const { return cells.front().front().size(); }
  /// Regular: it has an idempotent; then every row and every column has one.
  bool regular() const { return !idempotents.empty(); }
};

/// Green's relations of a monoid: a J b when a and b generate the same ideal, a R b the same right
/// ideal, a L b the same left ideal, H both.
struct GreenClasses {
  struct Place {
    std::uint32_t j = 0, row = 0, column = 0;
  };
  std::vector<JClass> j;      ///< the identity's first, deeper ones later, then by first element
  std::vector<Place> places;  ///< of every element

  const std::vector<std::uint32_t>& cell(std::uint32_t element) const {
    const Place& place = places[element];
    return j[place.j].cells[place.row][place.column];
  }
};
GreenClasses green_classes(const TransitionMonoid& monoid);

/// Whether a class lies strictly below the one of this number (what its elements generate is a
/// smaller ideal): an answer for every class.
std::vector<bool> strictly_below(const GreenClasses& classes, std::uint32_t above);

/// The maximal subgroup around an idempotent, the cell in which it lies, as permutations of its
/// image (numbered 0, 1, ...), on which it acts faithfully. In the order of the cell.
std::vector<Transformation> maximal_subgroup(const TransitionMonoid& monoid,
                                             const GreenClasses& classes, std::uint32_t idempotent);

/// The part of the maximal subgroup around an idempotent that is spelled by words as long as one
/// that spells the idempotent: a normal subgroup with a cyclic quotient. Some set of all products
/// of t letters (t > 0) holds a group with this idempotent and another element iff it is not
/// trivial.
std::vector<std::uint32_t> same_length_subgroup(const TransitionMonoid& monoid,
                                                const GreenClasses& classes,
                                                std::uint32_t idempotent);

/// No set of all products of t letters, t > 0, holds a group of more than one element.
bool is_quasi_aperiodic(const TransitionMonoid& monoid, const GreenClasses& classes);

}  // namespace logdepth::inline objects
