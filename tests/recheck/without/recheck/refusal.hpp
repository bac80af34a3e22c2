#pragma once

// In place of recheck/refusal.hpp: the checker without one of its side conditions. A refusal begins with its place,
// "division.cpp:123: "; the condition at the place that RECHECK_WITHOUT holds always passes (test_checker_conditions.py).

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace recheck {

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A condition of weakened.py, where RECHECK_WITHOUT names it.
inline bool weakened(const char* name) {
  const char* const without = std::getenv("RECHECK_WITHOUT");
  return without && without == "weakened:" + std::string(name);
}

inline std::string place_of(const char* file, int line) {
  const std::string path = file;
  return path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
}

template <typename Message>
void need(bool condition, Message message, const char* file = __builtin_FILE(),
          int line = __builtin_LINE()) {
  if (condition) return;
  const char* const without = std::getenv("RECHECK_WITHOUT");
  const std::string place = place_of(file, line);
  if (without && place == without) return;
  if constexpr (requires { message(); })
    throw Refused(place + ": " + std::string(message()));
  else
    throw Refused(place + ": " + std::string(message));
}

}  // namespace recheck
