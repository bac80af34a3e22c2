#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "learned/core/network.hpp"
#include "learned/records/predictor.hpp"
#include "learned/records/task.hpp"

namespace logdepth::inline learned_core {

/// The result of a network's task, with what the papers add to it.
nlohmann::ordered_json measured_result(const RunConfig& config, const Task& task,
                                       const Network& network, const Predictor& predictor,
                                       std::size_t stage, const MeasureProgress& progress);

/// Inspects the network of a finished run. `question`: null without one. Errors: InputError where no
/// paper offers `name`, there is a question too many or too few, or the folder does not hold a run
/// that can be inspected.
nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device);

}  // namespace logdepth::inline learned_core
