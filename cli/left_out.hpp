#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "base/quoted_text.hpp"

namespace logdepth::inline cli {

/// Names the records that cannot be read, which the rest of the work goes on without.
inline void say_left_out(const std::vector<std::string>& messages) {
  for (const std::string& message : messages)
    std::cerr << "logdepth: left out: " << printable(message, kMostPrinted) << '\n';
}

}  // namespace logdepth::inline cli
