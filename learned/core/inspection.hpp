#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "learned/core/network.hpp"

namespace logdepth::inline learned_core {

/// Adds to the result of a network's task what the papers read off the network.
void add_inspections(const RunConfig& config, const Network& network,
                     nlohmann::ordered_json& result);

/// Inspects the network of a finished run. `question`: null without one. Errors: InputError where no
/// paper offers `name`, there is a question too many or too few, or the folder does not hold a run
/// that can be inspected.
nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device);

}  // namespace logdepth::inline learned_core
