#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace logdepth {

/// A bound to three digits, rounded up.
inline std::string bound_text(double bound) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", bound * 1.005);
  return text.data();
}

}  // namespace logdepth
