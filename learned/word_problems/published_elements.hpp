#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "objects/action.hpp"

namespace logdepth::inline learned_word_problems {

/// How the running products of a word w_1 w_2 ... are multiplied.
enum class ProductOrder {
  first_letter_first,  ///< p_i = p_(i-1), then w_i, as everywhere in this project
  published            ///< p_i = p_(i-1) w_i with (a b)(x) = a(b(x)): w_i acts first
};

/// The numbers that the published word problems (github.com/jopetty/word-problem) give to the
/// elements of a product of groups Sk, Ak and Zk; one per element of `elements`, which are the maps
/// of named_monoids.hpp. Empty for other names: the published generator knows S, A and Z only.
/// That section 7 of "A Little Depth Goes a Long Way" used this generator is unverified.
///
/// Its element lists, as its source src/generate_data.py and the package abstract_algebra that it
/// calls say, and where that was compared with data:
/// - Sk: permutations in lexicographic order of their images. Agrees with rows of S3 that a program
///   derived from the published one was reported to print.
/// - Ak: the commutator subgroup of Sk in the order of Sk. The published file data/A5=2.csv, all
///   3 600 words of length 2, comes out byte for byte (by its SHA-256).
/// - Zk: the k powers of a generator, taken here as the rotation of k points by one. The published
///   file data/Z60=2.csv, of the older form with a length and the last product alone, comes out
///   byte for byte.
/// - Products: pairs in lexicographic order, the first factor slowest; more factors from the left.
///   The published file data/A4_x_Z5=2.csv comes out byte for byte.
/// Unverified: S4 and beyond other than through their even permutations; A1 and A2, which the
/// published generator may refuse.
std::vector<std::uint32_t> published_elements(const std::string& name,
                                              const std::vector<Transformation>& elements);

}  // namespace logdepth::inline learned_word_problems
