#pragma once

#include <string>
#include <vector>

#include "learned/latent_reasoning/runs.hpp"
#include "report/picture.hpp"

namespace logdepth::latent {

/// The methods of a section against size and depth of graphs, iterations to the fixed point, errors
/// mended. `series`: the data of its series in the report, in their order.
std::vector<report::Strip> section_strips(const Section& section,
                                          const std::vector<report::Data>& series,
                                          std::size_t number);
/// The picture that such strips are put into.
report::Picture methods_picture();

}  // namespace logdepth::latent
