#include "report/figures/axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr double kMostDoublings = 11, kMostDecimals = 6;

/// The least of 1, 2, 5, 10, 20, ... times `least` of which `most` reach as far as `length`.
double step_of(double length, double most, double least = 1) {
  for (double decade = least;; decade *= 10)
    for (const double step : {decade, 2 * decade, 5 * decade})
      if (length <= most * step) return step;
}

}  // namespace

Axis counting_axis(double highest, const std::string& name, double most_steps) {
  const double step = step_of(highest, most_steps);
  Axis axis{0, (std::floor(highest / step) + 1) * step, {}, name};
  for (double at = 0; at <= axis.to; at += step) axis.ticks.push_back({at, fixed_text(at, 0)});
  return axis;
}

Axis share_axis(const std::string& name) {
  Axis axis{0, 1, {}, name};
  for (int fifth = 0; fifth <= 5; ++fifth)
    axis.ticks.push_back({fifth / 5.0, fixed_text(fifth / 5.0, 1)});
  return axis;
}

Axis decimal_axis(double highest, const std::string& name) {
  return signed_axis(0, highest, name);
}

Axis signed_axis(double lowest, double highest, const std::string& name) {
  const double step = step_of(highest - lowest, kMostDecimals, 0.01);
  const int digits = step < 0.1 ? 2 : step < 1 ? 1 : 0;
  const auto first = static_cast<int>(std::floor(lowest / step)),
             last = static_cast<int>(std::ceil(highest / step));
  Axis axis{first * step, last * step, {}, name};
  for (int i = first; i <= last; ++i)
    axis.ticks.push_back({i * step, fixed_text(i * step, digits)});
  return axis;
}

Axis powers_axis(double highest, const std::string& name) {
  Axis axis = counting_axis(highest, name);
  for (Tick& tick : axis.ticks) tick = {tick.at, "2", tick.text};
  return axis;
}

Axis doubling_axis(double lowest, double highest, const std::string& name) {
  Axis axis{std::floor(lowest), 0, {}, name};
  axis.to = std::max(axis.from + 1, std::ceil(highest));
  const double step = step_of(axis.to - axis.from, kMostDoublings);
  for (double at = axis.from; at <= axis.to; at += step)
    axis.ticks.push_back({at, fixed_text(std::exp2(at), 0)});
  return axis;
}

}  // namespace logdepth::inline report_figures
