#include "learned/report/share_interval.hpp"

#include <algorithm>
#include <cmath>

namespace logdepth::inline learned_report {

ShareInterval share_interval(double share, double samples) {
  constexpr double kDeviations = 1.959963984540054;  // 97.5 % of a normal distribution are below
  constexpr double kSquare = kDeviations * kDeviations;
  const double middle = share + kSquare / (2 * samples);
  const double around =
      kDeviations * std::sqrt(share * (1 - share) / samples + kSquare / (4 * samples * samples));
  const double scale = 1 + kSquare / samples;
  // The share itself is within, whatever rounding does at 0 and 1.
  return {std::clamp((middle - around) / scale, 0.0, share),
          std::clamp((middle + around) / scale, share, 1.0)};
}

}  // namespace logdepth::inline learned_report
