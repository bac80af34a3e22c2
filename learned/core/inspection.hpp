#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "learned/core/network.hpp"
#include "learned/records/run_record.hpp"

namespace logdepth {

/// What a paper reads off a trained network, of which the record of its run says nothing.
struct NetworkInspection {
  const char* name;  ///< of the paper's report
  /// Errors: InputError where the run is of another task, or its network of another shape.
  nlohmann::ordered_json (*inspect)(const RunRecord& record, const Network& network);
};

/// Those of all papers, gathered from the list of papers (learned/papers.list).
const std::vector<NetworkInspection>& network_inspections();

/// Makes the network of a run, with the weights that it ended with, and inspects it. `folder`:
/// that of the run. Errors: InputError where no paper offers `name`, or the folder does not hold a
/// run that can be inspected.
nlohmann::ordered_json inspect_run(const std::string& name, const std::string& folder,
                                   torch::Device device);

}  // namespace logdepth
