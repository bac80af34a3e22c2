#include "learned/core/inspection.hpp"

#include <memory>
#include <string>

#include "learned/core/tensor_files.hpp"
#include "learned/records/task.hpp"
#include "objects/input_error.hpp"

namespace logdepth {

nlohmann::ordered_json inspect_run(const std::string& name, const std::string& folder,
                                   torch::Device device) {
  for (const NetworkInspection& one : network_inspections()) {
    if (one.name != name) continue;
    const RunRecord record = read_run_record(folder + "/" + kRecordFile);
    const std::unique_ptr<Task> task = record.config.task->make_task(record.config.seed);
    const std::unique_ptr<Network> network = make_network(record.config, task->format(), device);
    const std::string weights = folder + "/" + kWeightsFile;
    load_parameters(network->parameters(), read_tensor_file(weights).tensors, weights);
    const torch::NoGradGuard no_grad;
    return one.inspect(record, *network);
  }
  std::string known;
  for (const NetworkInspection& one : network_inspections())
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  throw InputError("--inspect: expected one of " + known + ", found '" + name + "'");
}

}  // namespace logdepth
