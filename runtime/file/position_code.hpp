#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_file {

/// phi(x) = (x, 1) / sqrt(x^2 + 1), the unit vector that stands for a number in MS25; phi(p / L) is
/// the direction of (p, L).
std::array<Real, 2> phi_code(const Rational& x);

/// Rational points on the unit circle that stand for a number:
///   circle(t) = ((1 - t^2) / (1 + t^2), 2t / (1 + t^2)).
/// For t, u >= 0:  circle(t) . circle(u) = 1 - 2 (t - u)^2 / ((1 + t^2)(1 + u^2)),
/// because (1-t^2)(1-u^2) + 4tu = (1+t^2)(1+u^2) - 2(t-u)^2. Hence the product is 1 iff t = u and
/// less otherwise: t -> circle(t) is injective on t >= 0, with no two codes closer than exact.
std::array<Rational, 2> circle(const Rational& t);

/// The circle code of position p: circle(p + 1). Gap to the next code about 2 / p^4.
std::vector<Rational> circle_code(std::uint64_t position);

/// The two-circle code of position p, with t = p + 1 and L = floor(log2 t): circle(t / 2^L) then
/// circle(L + 1), squared norm 2. t -> (t / 2^L, L) is injective, so the sum of the two products is
/// 2 iff the positions are equal. 1 <= t / 2^L < 2 keeps the gap near 0.3 / p^2 (performance only;
/// correctness needs injectivity alone).
std::vector<Rational> two_circle_code(std::uint64_t position);

/// The fine code of position p: with a = 2p + b, ((a^2 - 1) / (a^2 + 1), 2a / (a^2 + 1)), which is
/// circle(a) with its first component negated. Its slope, first by second component, is
/// p + b/2 - 1/(2a), so what lies between two codes is decided by rational numbers
/// (head_schema.cpp).
std::vector<Rational> fine_code(std::uint32_t b, std::uint64_t position);

/// Component by component. Precondition: a rational code, not phi.
std::vector<Rational> rational_code(PositionCode code, std::uint64_t position);

}  // namespace logdepth::inline runtime_file
