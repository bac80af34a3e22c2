#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "learned/core/network.hpp"
#include "learned/records/run_record.hpp"

namespace logdepth {

/// What a paper reads off a trained network, of which the record of its run says nothing.
struct NetworkInspection {
  const char* name;  ///< of the paper's report, or of a command's picture
  /// Errors: InputError where the run is of another task, or its network of another shape; where
  /// the question does not fit.
  nlohmann::ordered_json (*inspect)(const RunRecord& record, const Network& network,
                                    const nlohmann::json& question);
  bool asks = false;  ///< whether there is a question
};

/// Those of all papers, gathered from the list of papers (learned/papers.list).
const std::vector<NetworkInspection>& network_inspections();

/// Inspects the network of a finished run. `question`: null without one. Errors: InputError where no
/// paper offers `name`, there is a question too many or too few, or the folder does not hold a run
/// that can be inspected.
nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device);

}  // namespace logdepth
