#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "objects/named_monoids.hpp"

namespace logdepth::inline learned_word_problems {

/// A finite monoid by its multiplication table, the source of the labels of word problems.
/// Elements are numbers 0 ... size-1.
struct MonoidTable {
  std::string name;
  std::size_t size = 0;
  std::vector<std::uint32_t> product;  ///< [size, size]: entry a*size+b is "a, then b"
  std::vector<std::uint32_t> letters;  ///< the element of each letter
  std::uint32_t identity = 0;
  std::vector<std::string> element_names;  ///< lists of images where it acts on points
  bool is_group = false;
  /// The number that published word problems give to each element (published_elements.hpp); empty
  /// where they have no such monoid.
  std::vector<std::uint32_t> published;

  std::uint32_t times(std::uint32_t first, std::uint32_t second) const {
    return product[first * size + second];
  }
};

/// Tables are quadratic in this.
inline constexpr std::size_t kMostElements = 4096;

/// The monoid of that name (named_monoids.hpp), its elements in breadth-first order whatever the
/// letters are, so that element 0 is the identity. The axioms are checked.
/// Errors: InputError naming the unknown name; SizeLimit beyond kMostElements.
MonoidTable make_monoid_table(const std::string& name, NamedLetters letters = NamedLetters::all);

/// A table from outside: rows[a][b] is "a, then b". `letters` may be empty: every element; so may
/// `element_names`: the numbers. With `claims_group` every element must have an inverse.
/// Errors: InputError naming the elements that break closure, identity, associativity or inverses;
/// SizeLimit beyond kMostElements.
MonoidTable monoid_table_from_rows(const std::string& name,
                                   const std::vector<std::vector<std::uint32_t>>& rows,
                                   bool claims_group, std::vector<std::uint32_t> letters = {},
                                   std::vector<std::string> element_names = {});

}  // namespace logdepth::inline learned_word_problems
