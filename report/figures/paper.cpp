#include "report/figures/paper.hpp"

#include <algorithm>

namespace logdepth::inline report_figures {

PaperFit fit_paper(double width, double height) {
  constexpr double kPoints = 72 / 25.4;  // in a millimetre
  constexpr double kShort = (210 - 30) * kPoints, kLong = (297 - 30) * kPoints;
  const double upright = std::min({1.0, kShort / width, kLong / height});
  const double across = std::min({1.0, kLong / width, kShort / height});
  return {std::max(upright, across), across > upright};
}

}  // namespace logdepth::inline report_figures
