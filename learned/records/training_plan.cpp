#include "learned/records/training_plan.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/quoted_text.hpp"
#include "learned/records/json_tree.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_records {
namespace {

constexpr const char* kPlanFormat = "logdepth-plan";
constexpr int kPlanVersion = 1;

bool stays_below(const std::filesystem::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const auto& part : name)
    if (part == ".." || part == "." || part.empty()) return false;
  return true;
}

/// The settings of `all` that `given` has not.
void note_defaults(const nlohmann::json& given, const nlohmann::json& all, const std::string& path,
                   PlanDefaults& defaults) {
  for (const auto& [name, value] : all.items()) {
    const std::string here = path.empty() ? name : path + "." + name;
    const auto found = given.find(name);
    if (found == given.end()) {
      ++defaults[here + " = " + value.dump()];
    } else if (value.is_object() && found->is_object()) {
      note_defaults(*found, value, here, defaults);
    }
  }
}

PlannedRun read_run(const nlohmann::json& json, const std::string& source) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string())
    throw InputError(source + ": expected an object with a name");
  PlannedRun run;
  run.name = json["name"].get<std::string>();
  const std::string place = source + " (" + run.name + ")";
  if (!stays_below(run.name))
    throw InputError(place + ": name: expected a path below the plan's folder");
  for (const auto& item : json.items())
    if (item.key() != "name" && item.key() != "config")
      throw InputError(place + ": unknown key " + in_quotes(item.key()) +
                       ", expected name, config");
  if (!json.contains("config")) throw InputError(place + ": expected a config");
  run.config = run_config_from_json(json["config"], place);
  try {
    validate(run.config);
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
  return run;
}

}  // namespace

TrainingPlan read_training_plan(const std::string& file, PlanDefaults* defaults) {
  const auto json = read_json_tree(file);
  if (!json.is_object() || !json.contains("format") || json["format"] != kPlanFormat ||
      !json.contains("version") || json["version"] != kPlanVersion)
    throw InputError(fmt::format(
        "{}: expected a training plan, a JSON object with \"format\": \"{}\" and \"version\": {}",
        file, kPlanFormat, kPlanVersion));
  if (!json.contains("runs") || !json["runs"].is_array() || json["runs"].empty())
    throw InputError(file + ": runs: expected a list of at least one run");
  TrainingPlan plan;
  std::set<std::string> names;
  for (std::size_t i = 0; i < json["runs"].size(); ++i) {
    plan.push_back(read_run(json["runs"][i], fmt::format("{}: run {}", file, i)));
    if (defaults != nullptr)
      note_defaults(json["runs"][i]["config"], to_json(plan.back().config), "", *defaults);
    if (!names.insert(plan.back().name).second)
      throw InputError(
          fmt::format("{}: run {}: a second run called {}", file, i, plan.back().name));
  }
  return plan;
}

void write_training_plan(const TrainingPlan& plan, const std::string& file) {
  nlohmann::ordered_json json = {{"format", kPlanFormat}, {"version", kPlanVersion}};
  json["runs"] = nlohmann::ordered_json::array();
  for (const PlannedRun& run : plan)
    json["runs"].push_back({{"name", run.name}, {"config", to_json(run.config)}});
  write_whole_file(file, json.dump(1) + "\n");
}

}  // namespace logdepth::inline learned_records
