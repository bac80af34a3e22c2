#pragma once

namespace logdepth {

/// Which unit code of a position a key or pointer holds.
enum class PositionCode {
  phi,        ///< phi(p) = (p, 1) / sqrt(p^2 + 1): 2 components, single square roots
  circle,     ///< 2 components, rational
  two_circle  ///< 4 components, rational, squared norm 2
};

/// How long a cell holds what it holds.
enum class Lifetime {
  permanent,  ///< not written by the repeated block
  state,      ///< carried from loop to loop
  scratch     ///< zero at the beginning and at the end of the repeated block
};

/// Number of padding tokens behind the n^2 of an adjacency matrix.
enum class GraphPadding { n3, n3_minus_n2, n4_minus_n2 };

}  // namespace logdepth
