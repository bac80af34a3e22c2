#include "report/figures/least_squares.hpp"

#include <cmath>

namespace logdepth::inline report_figures {

double LeastSquares::root_mean_square() const {
  return std::sqrt(residual / static_cast<double>(points));
}

std::optional<LeastSquares> least_squares(const PlotLine& points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  double xx = 0, xy = 0, yy = 0;
  bool different_x = false, different_y = false;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (y - mean_y);
    yy += (y - mean_y) * (y - mean_y);
    different_x |= x != points.front().first;
    different_y |= y != points.front().second;
  }
  if (!different_x) return std::nullopt;
  LeastSquares fit;
  fit.points = points.size();
  fit.a = different_y ? xy / xx : 0;
  fit.b = different_y ? mean_y - fit.a * mean_x : points.front().second;
  for (const auto& [x, y] : points) {
    const double error = y - fit.value(x);
    fit.residual += error * error;
  }
  fit.r2 = different_y ? 1 - fit.residual / yy : 1;
  return fit;
}

}  // namespace logdepth::inline report_figures
