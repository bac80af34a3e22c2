#pragma once

#include <cstddef>
#include <optional>

#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_numbers {

/// 1/x, for x != 0, which is in the field of x. Absent where the surds of x are products of more than
/// `most` independent roots: with k of them the inverse has up to 2^k terms.
std::optional<Real> inverse(const Real& x, std::size_t most);

}  // namespace logdepth::inline runtime_numbers
