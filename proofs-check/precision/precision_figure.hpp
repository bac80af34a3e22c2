#pragma once

#include <string>

#include "proofs-check/precision/precision_report.hpp"

namespace logdepth {

/// Bits and temperatures against the logarithm of N, with the fitted lines; a prototype's points
/// beside them. Panels without points are left out.
std::string precision_svg(const PrecisionReport& report);

}  // namespace logdepth
