#pragma once

#include <string>

#include "objects/input_error.hpp"

namespace logdepth {

/// Errors: InputError with this sentence, which names a setting, unless it holds.
inline void check_setting(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

}  // namespace logdepth
