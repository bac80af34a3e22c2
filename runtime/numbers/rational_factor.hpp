#pragma once

#include <optional>

#include "runtime/numbers/real.hpp"

namespace logdepth {

/// The rational c with x = c*y, for y != 0; absent when there is none.
std::optional<Rational> rational_factor(const Real& x, const Real& y);

}  // namespace logdepth
