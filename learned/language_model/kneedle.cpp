#include "learned/language_model/kneedle.hpp"

#include <algorithm>
#include <cmath>

namespace logdepth::inline learned_language_model {
namespace {

constexpr std::size_t kFewestPoints = 3;
/// Heights, or differences, that differ by less than this share are the same: rounding does not
/// make a knee.
constexpr double kSame = 1e-12;

struct Extent {
  double least = 0, range = 0;
};

std::vector<double> values_of(const Parabola& parabola, std::size_t points) {
  std::vector<double> values(points);
  for (std::size_t i = 0; i < points; ++i) values[i] = parabola.value(static_cast<double>(i));
  return values;
}

/// Absent where all are the same.
std::optional<Extent> extent(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  const double range = most - least;
  if (!(range > kSame * std::max(std::abs(least), std::abs(most)))) return std::nullopt;
  return Extent{least, range};
}

}  // namespace

Parabola fit_parabola(std::span<const double> heights) {
  // Orthogonal polynomials of equally spaced points, u = x - middle: 1, u, u^2 - mean of u^2.
  const auto points = static_cast<double>(heights.size());
  const double middle = (points - 1) / 2, spread = (points * points - 1) / 12;
  double mean = 0, first = 0, first_norm = 0, second = 0, second_norm = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const double u = static_cast<double>(i) - middle, v = u * u - spread;
    mean += heights[i] / points;
    first += u * heights[i];
    first_norm += u * u;
    second += v * heights[i];
    second_norm += v * v;
  }
  const double slope = first / first_norm, square = second / second_norm;
  return {mean - slope * middle + square * (middle * middle - spread), slope - 2 * square * middle,
          square};
}

std::vector<double> knee_difference(std::span<const double> heights) {
  if (heights.size() < kFewestPoints) return {};
  std::vector<double> values = values_of(fit_parabola(heights), heights.size());
  const auto scale = extent(values);
  if (!scale) return {};
  const double last = static_cast<double>(heights.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1 - (values[i] - scale->least) / scale->range - static_cast<double>(i) / last;
  return values;
}

std::optional<std::size_t> last_knee(std::span<const double> difference, double sensitivity) {
  if (difference.size() < kFewestPoints) return std::nullopt;
  const double fall = sensitivity / static_cast<double>(difference.size() - 1);
  std::optional<std::size_t> knee, maximum;
  bool rising = false;
  for (std::size_t i = 1; i < difference.size(); ++i) {
    const double step = difference[i] - difference[i - 1];
    if (step < -kSame) {
      if (rising) maximum = i - 1;
      rising = false;
    } else if (step > kSame) {
      rising = true;
    }
    if (maximum && difference[i] < difference[*maximum] - fall) knee = maximum;
  }
  return knee;
}

std::optional<Knee> find_knee(std::span<const double> heights) {
  const std::vector<double> difference = knee_difference(heights);
  const auto at = last_knee(difference);
  if (!at) return std::nullopt;
  const Parabola fit = fit_parabola(heights);
  const double range = extent(values_of(fit, heights.size()))->range;
  // The derivative of the difference: -(linear + 2 square x) / range - 1 / (points - 1).
  const double slope = range / static_cast<double>(heights.size() - 1);
  return Knee{*at, -(fit.linear + slope) / (2 * fit.square)};
}

}  // namespace logdepth::inline learned_language_model
