#include "learned/report/rank_correlation.hpp"

#include <cmath>
#include <cstddef>

namespace logdepth::inline learned_report {
namespace {

/// Twice the rank, less the mean of all, so that everything is whole.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double twice = 0;
    for (const double other : values) twice += other < value ? 1 : other > value ? -1 : 0;
    ranks.push_back(twice);
  }
  return ranks;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::optional<double> rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> of_x = centred_ranks(x), of_y = centred_ranks(y);
  const double squares = product(of_x, of_x) * product(of_y, of_y);
  if (squares == 0) return std::nullopt;
  return product(of_x, of_y) / std::sqrt(squares);
}

}  // namespace logdepth::inline learned_report
