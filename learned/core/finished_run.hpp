#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "learned/core/network.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_core {

/// The network that a configuration describes: a universal transformer, or the one of a weights file.
/// Of several seeds their networks as one: universal transformers of a task that packs its samples into rows
/// (TaskSettings::packs). Errors: InputError where file, task and settings do not fit.
std::unique_ptr<Network> make_network(const RunConfig& config, const TaskFormat& format,
                                      torch::Device device, Seeds seeds);

/// A run with the network that it ended with.
struct FinishedRun {
  RunRecord record;
  std::unique_ptr<Network> network;
};

/// `folder`: that of the run. Errors: InputError naming the file that is missing or does not fit.
FinishedRun open_run(const std::string& folder, torch::Device device);

// Defined in the folder of the paper that reads something off its networks, in a file *_network.cpp.

/// Adds to the result of a network's task what is read off the network.
void add_inspections(const RunConfig& config, const Network& network,
                     nlohmann::ordered_json& result);

/// Inspects the network of a finished run, as `logdepth draw --learned` asks. `question`: null without one. Errors:
/// InputError for an unknown `name`, without a question, or where the folder does not hold a run that can be
/// inspected.
nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device);

/// Measures the network of a finished run as its task does, on the words and with the loops that are
/// asked for: {"run", "loops" where they were, "result"}. Without a request that is the result of
/// the run's record. Errors: InputError naming the option of `logdepth measure` that does not fit
/// this run, or the file.
nlohmann::ordered_json measure_run(const MeasureRequest& request, const std::string& folder,
                                   torch::Device device, const MeasureProgress& progress);

}}  // namespace logdepth::learned_core
