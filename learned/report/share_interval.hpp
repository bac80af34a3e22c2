#pragma once

namespace logdepth::inline learned_report {

struct ShareInterval {
  double low = 0, high = 1;
};
/// Wilson's score interval at 95 %: the shares of right answers that are not refuted by having seen
/// this one on so many samples. Precondition: samples > 0.
ShareInterval share_interval(double share, double samples);

}  // namespace logdepth::inline learned_report
