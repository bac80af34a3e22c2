#include "learned/core/finished_run.hpp"

#include "learned/core/make_network.hpp"
#include "learned/core/tensor_files.hpp"
#include "learned/records/task.hpp"

namespace logdepth::inline learned_core {

FinishedRun open_run(const std::string& folder, torch::Device device) {
  FinishedRun run;
  run.record = read_run(folder);
  const RunConfig& config = run.record.config;
  run.network = make_network(config, config.task->make_task(config.seed)->format(), device);
  const std::string weights = folder + "/" + kWeightsFile;
  load_parameters(run.network->parameters(), read_tensor_file(weights).tensors, weights);
  return run;
}

}  // namespace logdepth::inline learned_core
