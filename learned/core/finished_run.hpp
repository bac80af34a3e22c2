#pragma once

#include <memory>
#include <string>

#include "learned/core/network.hpp"
#include "learned/records/run_record.hpp"

namespace logdepth::inline learned_core {

/// A run with the network that it ended with.
struct FinishedRun {
  RunRecord record;
  std::unique_ptr<Network> network;
};

/// `folder`: that of the run. Errors: InputError naming the file that is missing or does not fit.
FinishedRun open_run(const std::string& folder, torch::Device device);

}  // namespace logdepth::inline learned_core
