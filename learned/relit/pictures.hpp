#pragma once

#include <vector>

#include "learned/relit/section_data.hpp"
#include "report/picture.hpp"

namespace logdepth::relit {

/// Pictures of the report on ReLIT, section by section.

/// relit.svg: accuracies by proof depth and macro step, mean halting by proof depth, how many
/// samples halt when, training samples, how the state changes.
report::Picture accuracy_picture(const std::vector<SectionData>& sections);
/// relit-bottleneck.svg: ReLIT on every language model and what is read of it, with what a linear
/// probe finds there.
report::Picture bottleneck_picture(const std::vector<SectionData>& sections);
/// relit-trajectories.svg: answers of single samples after every macro step, and where they halted.
report::Picture trajectory_picture(const std::vector<SectionData>& sections);

}  // namespace logdepth::relit
