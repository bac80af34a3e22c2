#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"

namespace logdepth::support {

/// The sentence with which an action is refused, or "accepted".
template <typename Refusal = InputError>
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "accepted";
}

/// Fails for every part that a text lacks.
inline void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

}  // namespace logdepth::support
