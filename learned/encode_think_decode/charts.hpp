#pragma once

#include <vector>

#include "learned/encode_think_decode/section_data.hpp"

namespace logdepth::etd {

/// For each section the relative change to k = 1 by the number of loops, published and ours, and a
/// chart for each kind of accuracy against mean passes of the block: the line of fixed k, and the
/// adaptive shapes. `published`: published(). Precondition: at least one section.
report::Picture loops_picture(const std::vector<SectionData>& sections,
                              const report::Data& published);

}  // namespace logdepth::etd
