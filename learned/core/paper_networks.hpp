#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "learned/core/network.hpp"
#include "learned/records/run_record.hpp"

namespace logdepth::inline learned_core {

/// What a paper reads off a trained network, of which the record of its run says nothing.
struct NetworkInspection {
  const char* name;  ///< of the paper's report, or of a command's picture
  /// Errors: InputError where the run is of another task, or its network of another shape; where
  /// the question does not fit.
  nlohmann::ordered_json (*inspect)(const RunRecord& record, const Network& network,
                                    const nlohmann::json& question);
  bool asks = false;  ///< whether there is a question
  /// What every result holds of it, added to what the task has measured; absent: nothing.
  void (*add_to_result)(const RunConfig& config, const Network& network,
                        nlohmann::ordered_json& result) = nullptr;
};

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
const std::vector<NetworkInspection>& network_inspections();
const std::vector<NetworkMaker>& network_makers();

}  // namespace logdepth::inline learned_core
