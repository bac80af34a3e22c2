#include "learned/core/inspection.hpp"

#include <string>

#include "base/quoted_text.hpp"
#include "learned/core/finished_run.hpp"
#include "learned/core/paper_networks.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {

void add_inspections(const RunConfig& config, const Network& network,
                     nlohmann::ordered_json& result) {
  for (const NetworkInspection& inspection : network_inspections())
    if (inspection.add_to_result) inspection.add_to_result(config, network, result);
}

nlohmann::ordered_json inspect_run(const std::string& name, const nlohmann::json& question,
                                   const std::string& folder, torch::Device device) {
  for (const NetworkInspection& one : network_inspections()) {
    if (one.name != name) continue;
    if (one.asks == question.is_null())
      throw InputError("--question: expected " + std::string(one.asks ? "one" : "none") +
                       " of --inspect " + name);
    const FinishedRun run = open_run(folder, device);
    const torch::NoGradGuard no_grad;
    return one.inspect(run.record, *run.network, question);
  }
  std::string known;
  for (const NetworkInspection& one : network_inspections())
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  throw InputError("--inspect: expected one of " + known + ", found " + in_quotes(name));
}

}  // namespace logdepth::inline learned_core
