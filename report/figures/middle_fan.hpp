#pragma once

#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

struct FanMiddle {
  std::string name;
  bool first = false, second = false;  ///< a line from the source; to the target
  bool joined = false;                 ///< both stand out
  std::string key = {};                ///< strip_picture.hpp
};

/// A source, a target, and what may lie between them.
struct MiddleFan {
  std::string source, target, title;
  std::vector<FanMiddle> middles;
};

PlotPoint middle_fan_size(const MiddleFan& fan);
std::string middle_fan_elements(const MiddleFan& fan, PlotPoint corner);

}  // namespace logdepth::inline report_figures
