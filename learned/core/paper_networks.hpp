#pragma once

#include <memory>
#include <vector>

#include "learned/core/inspection.hpp"
#include "learned/core/network.hpp"

namespace logdepth {

/// A kind of network that a paper brings: RunConfig::network of this kind is made by it.
struct NetworkMaker {
  const char* kind;
  /// Errors: InputError where settings, files and task do not fit.
  std::unique_ptr<Network> (*make)(const RunConfig& config, const TaskFormat& format,
                                   torch::Device device);
};

/// What a paper offers that needs libtorch.
struct PaperNetworks {
  std::vector<NetworkInspection> inspections;
  std::vector<NetworkMaker> makers;
};

/// Those of all papers, gathered from the list of papers (learned/papers.list).
const std::vector<NetworkMaker>& network_makers();

}  // namespace logdepth
