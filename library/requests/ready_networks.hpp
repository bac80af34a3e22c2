#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/file/model_rules.hpp"

namespace logdepth { inline namespace library_requests {

/// A network of `logdepth zoo`, whose algorithm is known.
struct ReadyNetwork {
  std::string name;      ///< of its folder
  std::string family;    ///< "groups", "Tomita languages", ...
  std::string computes;  ///< one line
  std::string command;   ///< that compiles the same weights
  std::uint64_t length;  ///< of exports and examples: letters, or vertices
  std::function<CheckedModel()> compile;
};

/// All of them, in the order in which they are written.
std::vector<ReadyNetwork> ready_networks();

}}  // namespace logdepth::library_requests
