#pragma once

#include <initializer_list>
#include <vector>

#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline proofs_check_claims {

/// phi(z) = (z, 1)/sqrt(z^2 + 1) as values of a raw stream.
std::vector<Real> phi_values(const Rational& z);
/// Several cells of one token, one after the other.
std::vector<Real> beside(std::initializer_list<std::vector<Real>> cells);

}  // namespace logdepth::inline proofs_check_claims
