#include "learned/records/run_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_records {
namespace {

constexpr const char* kRecordFormat = "logdepth-run";
constexpr int kRecordVersion = 2;

/// Settings that version 1 had and no experiment used, with what they then were.
const nlohmann::ordered_json kRetiredOfModel = {{"injection", "none"},
                                                {"discretiser", "none"},
                                                {"codes", 0},
                                                {"corruption", 0.0},
                                                {"halting", "budget"}};

/// The configuration of a record of version 1 as one of today. Errors: InputError where it uses a
/// part that is gone.
void modernise(nlohmann::ordered_json& config, const std::string& file) {
  if (!config.contains("model") || !config["model"].is_object()) return;
  for (const auto& [name, value] : kRetiredOfModel.items()) {
    const auto found = config["model"].find(name);
    if (found == config["model"].end()) continue;
    if (*found != value)
      throw InputError(
          fmt::format("{}: config.model.{}: expected {}, models have no other any more", file, name,
                      value.dump()));
    config["model"].erase(name);
  }
  // Word problems called their own table of positions so; the model added nothing.
  if (config["model"].value("positions", "") == "absolute") config["model"]["positions"] = "none";
}

RunConfig checked_config(const nlohmann::json& json, const std::string& file) {
  RunConfig config = run_config_from_json(json, file);
  try {
    validate(config);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  return config;
}

}  // namespace

nlohmann::ordered_json to_json(const RunRecord& record) {
  nlohmann::ordered_json json = {{"format", kRecordFormat},
                                 {"version", kRecordVersion},
                                 {"seed", record.config.seed},
                                 {"config", to_json(record.config)}};
  if (!record.inputs.empty()) json["inputs"] = record.inputs;
  json["machine"] = record.machine;
  json["training"] = record.training;
  json["result"] = record.result;
  return json;
}

RunRecord read_run_record(const std::string& file) {
  auto json = nlohmann::ordered_json::parse(read_json_file(file), nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("format") ||
      json["format"] != kRecordFormat)
    throw InputError(file +
                     ": expected the record of a training run, a JSON object with \"format\": \"" +
                     kRecordFormat + "\"");
  if (!json.contains("version") || (json["version"] != 1 && json["version"] != kRecordVersion))
    throw InputError(
        fmt::format("{}: expected version 1 or {} of the format", file, kRecordVersion));
  for (const char* part : {"config", "machine", "training", "result"})
    if (!json.contains(part) || !json[part].is_object())
      throw InputError(file + ": expected an object " + in_quotes(part));
  if (json["version"] == 1) modernise(json["config"], file);
  return {.config = checked_config(json["config"], file),
          .inputs = json.value("inputs", nlohmann::ordered_json()),
          .machine = json["machine"],
          .training = json["training"],
          .result = json["result"],
          .folder = std::filesystem::path(file).parent_path().string()};
}

RunRecord read_run(const std::string& folder) {
  const std::string record = folder + "/" + kRecordFile, config = folder + "/" + kRunConfigFile;
  if (std::filesystem::exists(record) || !std::filesystem::exists(config))
    return read_run_record(record);
  const auto json = nlohmann::json::parse(read_json_file(config), nullptr, false);
  if (json.is_discarded()) throw InputError(config + ": expected a JSON object");
  RunRecord run;
  run.config = checked_config(json, config);
  run.machine = run.training = run.result = nlohmann::ordered_json::object();
  run.folder = folder;
  return run;
}

RecordFields fields_of(const RunRecord& record, const nlohmann::ordered_json& json,
                       const std::string& part) {
  const std::string file = record.folder.empty() ? kRecordFile : record.folder + "/" + kRecordFile;
  return {json, file + ": " + part};
}

LearningCurve learning_curve(const RunRecord& record) {
  const auto found = record.training.find("curve");
  if (found == record.training.end()) return {};
  try {
    return learning_curve_from_json(*found);
  } catch (const nlohmann::json::exception&) {
    throw InputError((record.folder.empty() ? "" : record.folder + "/") + std::string(kRecordFile) +
                     ": training.curve: expected a score and points of steps and score");
  }
}

std::string early_end(const RunRecord& record) {
  const auto found = record.training.find("stopped");
  const std::string stopped =
      found != record.training.end() && found->is_string() ? found->get<std::string>() : "";
  if (stopped.empty() || stopped == "steps") return "";
  const auto steps = record.training.find("steps");
  const std::string made = steps != record.training.end() && steps->is_number_unsigned()
                               ? fmt::format(" after {} steps", steps->get<std::uint64_t>())
                               : "";
  return (stopped == "seconds" ? "ended by its seconds" : stopped) + made;
}

void write_run_record(const RunRecord& record, const std::string& file) {
  write_whole_file(file, to_json(record).dump(1) + "\n");
}

std::vector<std::string> files_below(
    const std::string& folder, const std::function<bool(const std::string& name)>& asked_for) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) throw InputError(folder + ": expected a folder of training runs");
  std::vector<std::string> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && asked_for(entry.path().filename()))
        files.push_back(entry.path().string());
  } catch (const fs::filesystem_error& error) {
    throw InputError(folder + ": expected folders that can be read: " + error.code().message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<RunRecord> read_run_records(const std::string& folder,
                                        std::vector<std::string>* unreadable) {
  std::vector<RunRecord> records;
  for (const std::string& file :
       files_below(folder, [](const std::string& name) { return name == kRecordFile; })) {
    try {
      records.push_back(read_run_record(file));
    } catch (const InputError& error) {
      if (unreadable == nullptr) throw;
      unreadable->push_back(error.what());
    }
  }
  return records;
}

}  // namespace logdepth::inline learned_records
