#pragma once

#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_runs.hpp"

namespace logdepth {

/// For each section the relative change to k = 1 by the number of loops, published and ours, and a
/// chart for each kind of accuracy against mean passes of the block: the line of fixed k, and the
/// adaptive shapes. Precondition: at least one section.
std::string etd_svg(const std::vector<EtdSection>& sections);

}  // namespace logdepth
