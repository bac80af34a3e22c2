#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace logdepth::report {

// Numbers of several measures of the same thing, as of training runs that differ in the seed only.

/// Seeds that specifications ask for.
inline constexpr std::size_t kSeedsAsked = 3;

/// The middle value, the mean of the two in the middle of an even number of values.
std::optional<double> median(std::vector<double> values);

struct Range {
  double median = 0, least = 0, most = 0;
  std::size_t seeds = 0;
};
/// Absent without values.
std::optional<Range> range_of(const std::vector<double>& values);

/// The mean with its standard error.
struct Mean {
  double mean = 0;
  std::optional<double> error;  ///< absent of one value
  std::size_t seeds = 0;
};
/// Absent without values.
std::optional<Mean> mean_of(const std::vector<double>& values);
/// "0.812 ± 0.010", without an error of one value.
std::string mean_text(const Mean& mean);
/// The same of a difference: "+0.031 ± 0.008".
std::string difference_text(const Mean& mean);

}  // namespace logdepth::report
