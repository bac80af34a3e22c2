#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace logdepth::inline learned_language_model {

/// Kneedle (Satopaa et al. 2011) for convex decreasing curves, as published for choosing the layers of a loop: a
/// parabola instead of the curve, sensitivity 1, the whole curve read before the knee is told.

/// constant + linear x + square x^2.
struct Parabola {
  double constant = 0, linear = 0, square = 0;
  double value(double x) const { return constant + x * (linear + x * square); }
};
/// By least squares through (0, heights[0]), (1, heights[1]), ... Precondition: at least 3 of them.
Parabola fit_parabola(std::span<const double> heights);

struct Knee {
  std::size_t at = 0;
  /// Where the difference is largest between the points, in closed form; `at` is the nearest point.
  double exact = 0;
};

/// (1 - y) - x, with y the values of the parabola at the points and x their numbers, both scaled to
/// [0, 1]. The paper prints y - (1 - x), its negative, which has a minimum at the knee. Empty where
/// the values are all the same, or fewer than 3.
std::vector<double> knee_difference(std::span<const double> heights);
/// The last local maximum after which the difference falls by more than sensitivity / (points - 1)
/// before the next one. Of equal values in a row the last; the ends are no maxima.
std::optional<std::size_t> last_knee(std::span<const double> difference, double sensitivity = 1);
/// The knee of a curve at 0, 1, 2, ... Absent where it has none: too few points, a line, or a
/// parabola that bends the other way. Precondition: heights are finite.
std::optional<Knee> find_knee(std::span<const double> heights);

}  // namespace logdepth::inline learned_language_model
