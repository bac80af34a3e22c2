#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "logdepth/constructions.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth { inline namespace library_requests {

/// A network of `logdepth zoo`: its name is that of its folder.
struct ReadyNetwork : ZooNetwork {
  std::uint64_t length;  ///< of exports and examples: letters, or vertices
  std::function<CheckedModel()> compile;
};

/// All of them, in the order in which they are written.
std::vector<ReadyNetwork> ready_networks();
/// 60 networks of words with a fixed number of layers, for tools that look for circuits: of `zoo --circuits`.
std::vector<ReadyNetwork> circuit_networks();

}}  // namespace logdepth::library_requests
