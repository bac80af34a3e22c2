#include "learned/records/run_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_records {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecordFormat = "logdepth-run";
constexpr int kRecordVersion = 2;

/// The text of one record. Errors: InputError naming the place.
Json record_json(const std::string& text, const std::string& place) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("format") ||
      json["format"] != kRecordFormat)
    throw InputError(place +
                     ": expected the record of a training run, a JSON object with \"format\": \"" +
                     kRecordFormat + "\"");
  if (!json.contains("version") || json["version"] != kRecordVersion)
    throw InputError(fmt::format("{}: expected version {} of the format", place, kRecordVersion));
  for (const char* part : {"config", "machine", "training", "result"})
    if (!json.contains(part) || !json[part].is_object())
      throw InputError(place + ": expected an object " + in_quotes(part));
  return json;
}

StoredRecord stored_record(const std::string& file) {
  return {record_json(read_json_file(file), file), file,
          std::filesystem::path(file).parent_path().string()};
}

/// Adds the records of a file of several.
void add_lines(const std::string& file, std::vector<StoredRecord>& records,
               std::vector<std::string>& unreadable) {
  const std::string text = read_text_file(file);
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string place = fmt::format("{}:{}", file, ++number);
    try {
      require_shallow_json(line, place);
      Json json = record_json(std::string(line), place);
      const std::filesystem::path name(json.value("run", fmt::format("{}", number)));
      records.push_back(
          {std::move(json), place, (std::filesystem::path(file).parent_path() / name).string()});
    } catch (const InputError& error) {
      unreadable.push_back(error.what());
    }
  }
}

/// The files of records below a folder, in the order of their paths.
std::vector<std::string> record_files(const std::string& folder) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(folder)) throw InputError(folder + ": expected a folder of training runs");
  std::vector<std::string> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (const std::string name = entry.path().filename();
          entry.is_regular_file() &&
          (name == kRecordFile || name == kMeasurementFile || name.ends_with(kRecordsFile)))
        files.push_back(entry.path().string());
  } catch (const fs::filesystem_error& error) {
    throw InputError(folder + ": expected folders that can be read: " + error.code().message());
  }
  std::sort(files.begin(), files.end());
  return files;
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
  json["readings"] = nlohmann::ordered_json::array();
  for (const RunReading& one : readings_of(record)) json["readings"].push_back(to_json(one));
  return json;
}

RunRecord record_of(StoredRecord stored) {
  const Json& json = stored.json;
  RunRecord record{.config = run_config_from_json(json["config"], stored.place),
                   .inputs = json.value("inputs", Json()),
                   .machine = json["machine"],
                   .training = json["training"],
                   .result = json["result"],
                   .folder = stored.folder};
  validate(record.config, stored.place);
  return record;
}

RunRecord read_run_record(const std::string& file) {
  return record_of(stored_record(file));
}

RunConfig read_run_config(const std::string& file) {
  const auto json = nlohmann::json::parse(read_json_file(file), nullptr, false);
  if (json.is_discarded()) throw InputError(file + ": expected a JSON object");
  return run_config_from_json(json, file);
}

RunRecord read_run(const std::string& folder) {
  const std::string record = folder + "/" + kRecordFile, config = folder + "/" + kRunConfigFile;
  if (std::filesystem::exists(record) || !std::filesystem::exists(config))
    return read_run_record(record);
  RunRecord run;
  run.config = read_run_config(config);
  validate(run.config, config);
  run.machine = run.training = run.result = nlohmann::ordered_json::object();
  run.folder = folder;
  return run;
}

RunReadings readings_of(const RunRecord& record) {
  const ModelConfig& model = record.config.model;
  if (record.result.empty()) return {};
  const std::string file = record.folder.empty() ? kRecordFile : record.folder + "/" + kRecordFile;
  RunReadings readings = record.config.task->readings({record.result, file + ": result"}, model);
  for (RunReading& one : readings)
    if (one.iterations) one.layers = model.initial + *one.iterations * model.repeated + model.final;
  return readings;
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

std::vector<StoredRecord> stored_records(const std::string& place,
                                         std::vector<std::string>& unreadable) {
  std::vector<StoredRecord> records;
  const auto add = [&](const std::string& file) {
    try {
      if (file.ends_with(kRecordsFile)) {
        add_lines(file, records, unreadable);
      } else {
        records.push_back(stored_record(file));
      }
    } catch (const InputError& error) {
      unreadable.push_back(error.what());
    }
  };
  if (std::filesystem::is_regular_file(place)) {
    add(place);
    return records;
  }
  for (const std::string& file : record_files(place)) add(file);
  return records;
}

}}  // namespace logdepth::learned_records
