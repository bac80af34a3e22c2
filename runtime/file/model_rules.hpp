#pragma once

#include <optional>
#include <string>

#include "base/json_tape.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// A broken structural rule, and where the weights file would show it.
struct Violation {
  JsonPath path;
  std::string sentence;
};

/// The first broken rule of those that runtime/README.md lists; absent if the model obeys them all.
/// `first_violation` (weights_file.hpp) is the same as one sentence.
[[nodiscard]] std::optional<Violation> find_violation(const Model& model);

}  // namespace logdepth
