#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace logdepth::inline report_figures {

struct Tick {
  double at = 0;
  std::string text;
  std::string raised = {};  ///< after the text, as an exponent
};

/// A stretch of numbers as one side of a plot shows it.
struct Axis {
  double from = 0, to = 1;  ///< from < to
  std::vector<Tick> ticks;  ///< ascending, within the stretch
  std::string name;

  /// 0 where the axis begins, 1 where it ends.
  double share(double value) const { return (value - from) / (to - from); }
};

/// From 0 to the first tick beyond `highest`. Ticks are 1, 2, 5, 10, 20, ... apart, the least of
/// them of which `most_steps` reach as far as `highest`. Precondition: highest >= 0.
Axis counting_axis(double highest, const std::string& name, double most_steps = 6);
/// The same of measured numbers, with steps down to a hundredth. Precondition: highest > 0.
Axis decimal_axis(double highest, const std::string& name);
/// The same of numbers below 0 too: from the last tick that is not above `lowest`. Precondition:
/// lowest <= 0 <= highest, and one of them is not 0.
Axis signed_axis(double lowest, double highest, const std::string& name);
/// The same of logarithms to the base 2: ticks read "2" with the exponent raised.
Axis powers_axis(double highest, const std::string& name);
/// Logarithms to the base 2 from `lowest` to `highest`, both rounded outwards to whole numbers and
/// at least 1 apart; ticks, at most twelve, read 1, 2, 4, 8, ...
Axis doubling_axis(double lowest, double highest, const std::string& name);
/// From 0 to 1, a tick at every fifth.
Axis share_axis(const std::string& name);

}  // namespace logdepth::inline report_figures
