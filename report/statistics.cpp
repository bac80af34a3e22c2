#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.hpp"

namespace logdepth::report {
namespace {

std::string error_text(const Mean& mean) {
  return mean.error ? " ± " + fixed_text(*mean.error, 3) : "";
}

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Range> range_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return Range{*median(values), *least, *most, values.size()};
}

std::optional<Mean> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  Mean result{std::accumulate(values.begin(), values.end(), 0.0) / count, {}, values.size()};
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = std::sqrt(squares / (count - 1) / count);
  return result;
}

std::string mean_text(const Mean& mean) {
  return fixed_text(mean.mean, 3) + error_text(mean);
}

std::string difference_text(const Mean& mean) {
  return signed_text(mean.mean, 3) + error_text(mean);
}

}  // namespace logdepth::report
