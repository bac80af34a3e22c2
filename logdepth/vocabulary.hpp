#pragma once

#include <compare>
#include <cstdint>

namespace logdepth {

/// Which unit code of a position p a key or pointer holds. All but one have 2 components and norm 1.
struct PositionCode {
  enum class Kind {
    phi,         ///< phi(p / L) = (p, L) / sqrt(p^2 + L^2): single square roots
    circle,      ///< rational
    two_circle,  ///< rational, 4 components, squared norm 2
    fine         ///< ((a^2 - 1), 2a) / (a^2 + 1) with a = 2p + b: rational, and nearly (p + b/2, 1)
  };
  Kind kind;
  std::uint32_t parameter = 1;  ///< of phi L >= 1, of fine b >= 1; the others have none

  static const PositionCode phi, circle, two_circle;
  static constexpr PositionCode phi_over(std::uint32_t L) { return {Kind::phi, L}; }
  static constexpr PositionCode fine(std::uint32_t b) { return {Kind::fine, b}; }
  /// The parameter is one that the kind has.
  constexpr bool is_valid() const {
    return parameter == 1 || (parameter > 1 && (kind == Kind::phi || kind == Kind::fine));
  }
  auto operator<=>(const PositionCode&) const = default;
};
inline constexpr PositionCode PositionCode::phi = {Kind::phi},
                              PositionCode::circle = {Kind::circle},
                              PositionCode::two_circle = {Kind::two_circle};

/// How long a cell holds what it holds.
enum class Lifetime {
  permanent,  ///< not written by the repeated block
  state,      ///< carried from loop to loop
  scratch     ///< zero at the beginning and at the end of the repeated block
};

/// Number of padding tokens behind the n^2 of an adjacency matrix.
enum class GraphPadding { n3, n3_minus_n2, n4_minus_n2 };

/// Whether an exact run gives the same answer.
enum class Certainty {
  certified,   ///< proved, from the error bounds of every number of the run
  ambiguous,   ///< some head or test met numbers that the bounds cannot tell apart
  uncertified  ///< the error is too large, a promise is not known to be kept, or another rule than
               ///< "bounded" was used
};

}  // namespace logdepth
