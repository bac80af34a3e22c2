#pragma once

#include <cstddef>
#include <optional>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

/// y = a x + b by ordinary least squares.
struct LeastSquares {
  double a = 0, b = 0;
  double r2 = 0;        ///< share of the variance of y; 1 where all y are the same
  double residual = 0;  ///< sum of the squares of y - (a x + b)
  std::size_t points = 0;

  double value(double x) const { return a * x + b; }
  double root_mean_square() const;  ///< of the residuals
};
/// Absent for fewer than two different x.
std::optional<LeastSquares> least_squares(const PlotLine& points);

}  // namespace logdepth::inline report_figures
