#pragma once

// A file whose member `derived`, which no hash protects, is what somebody else wrote.

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/file/weights_file.hpp"

namespace logdepth::support {

inline Model with_derived_text(const Model& model, const std::string& derived) {
  nlohmann::json file = nlohmann::json::parse(write_weights(model));
  file["derived"] = nlohmann::json::parse(derived);
  return parse_weights(file.dump(), "changed");
}

}  // namespace logdepth::support
