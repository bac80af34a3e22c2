#pragma once

#include <string>

#include "base/json_tape.hpp"

namespace logdepth::inline runtime_file {

/// A broken rule of a model, and where the weights file would show it.
struct Violation {
  JsonPath path;
  std::string sentence;
  std::string text() const { return path_text(path) + ": " + sentence; }
};

}  // namespace logdepth::inline runtime_file
