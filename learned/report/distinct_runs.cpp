#include "learned/report/distinct_runs.hpp"

#include <map>
#include <string>

namespace logdepth::inline learned_report {
namespace {

std::string identity_of(const RunRecord& record) {
  nlohmann::ordered_json config = to_json(record.config);
  config.erase("preset");
  for (const char* budget : {"steps", "seconds", "curve_first"}) config["training"].erase(budget);
  return config.dump() + record.machine.value("device", nlohmann::ordered_json()).dump();
}

double steps_of(const RunRecord& record) {
  const auto steps = record.training.find("steps");
  return steps != record.training.end() && steps->is_number() ? steps->get<double>() : 0;
}

}  // namespace

DistinctRuns distinct_runs(const std::vector<RunRecord>& records) {
  std::map<std::string, const RunRecord*> longest;
  for (const RunRecord& record : records) {
    const RunRecord*& kept = longest.try_emplace(identity_of(record), &record).first->second;
    if (steps_of(record) > steps_of(*kept)) kept = &record;
  }
  DistinctRuns distinct;
  for (const RunRecord& record : records)
    if (longest.at(identity_of(record)) == &record) distinct.records.push_back(record);
  distinct.repeated = records.size() - distinct.records.size();
  return distinct;
}

}  // namespace logdepth::inline learned_report
