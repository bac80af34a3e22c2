#pragma once

#include <array>
#include <charconv>
#include <cstdio>
#include <string>

namespace logdepth::inline runtime_numbers {

/// The shortest text that reads back as the number.
inline std::string shortest_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// How far the number that the shortest text names is from this one, rounded up; 0 where it is
/// this one. Precondition: finite.
double text_error(double value);

/// The sum of two bounds, rounded up. Precondition: neither is negative.
double sum_of_bounds(double a, double b);

/// A bound to three digits, rounded up.
inline std::string bound_text(double bound) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", bound * 1.005);
  return text.data();
}

}  // namespace logdepth::inline runtime_numbers
