#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "learned/core/network.hpp"
#include "learned/records/measure_request.hpp"
#include "learned/records/task.hpp"

namespace logdepth::inline learned_core {

/// Measures the network of a finished run as its task does, on the words and with the loops that are
/// asked for: {"run", "loops" where they were, "result"}. Without a request that is the result of
/// the run's record. Errors: InputError naming the option of `logdepth measure` that does not fit
/// this run, or the file.
nlohmann::ordered_json measure_run(const MeasureRequest& request, const std::string& folder,
                                   torch::Device device, const MeasureProgress& progress);

}  // namespace logdepth::inline learned_core
