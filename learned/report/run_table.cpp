#include "learned/report/run_table.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_report {
namespace {

/// More seeds are counted only.
constexpr std::size_t kSeedsNamed = 6;

std::string value_text(const FlatSettings& settings, const std::string& setting) {
  const auto found = settings.find(setting);
  return found == settings.end() || found->second == "null" ? "none" : found->second;
}

/// The entry of which a member is this, made at the end if need be.
template <class Entry, class Value>
Entry& entry_of(std::vector<Entry>& entries, Value Entry::*member, const Value& value) {
  const auto found = std::ranges::find(entries, value, member);
  if (found != entries.end()) return *found;
  Entry& made = entries.emplace_back();
  made.*member = value;
  return made;
}

}  // namespace

nlohmann::ordered_json settings_of_series(const RunConfig& config) {
  nlohmann::ordered_json json = to_json(config);
  json.erase("preset");
  json.erase("seed");
  json["training"].erase("curve_first");
  return json;
}

void flatten(const nlohmann::ordered_json& json, const std::string& path, FlatSettings& settings) {
  if (!json.is_object()) {
    settings[path] = json.is_string() ? json.get<std::string>() : json.dump();
    return;
  }
  for (const auto& item : json.items())
    flatten(item.value(), path.empty() ? item.key() : path + "." + item.key(), settings);
}

FlatSettings flat_settings(const RunConfig& config) {
  FlatSettings settings;
  flatten(settings_of_series(config), "", settings);
  return settings;
}

bool is_among(const SettingNames& names, const std::string& path) {
  return names.contains(path) || names.contains(path.substr(0, path.find('.') + 1));
}

SettingNames both(SettingNames names, const SettingNames& more) {
  names.insert(more.begin(), more.end());
  return names;
}

std::vector<SettingDifference> setting_differences(const FlatSettings& base,
                                                   const FlatSettings& other) {
  FlatSettings all = base;
  all.insert(other.begin(), other.end());
  std::vector<SettingDifference> differences;
  for (const auto& [setting, value] : all)
    if (value_text(base, setting) != value_text(other, setting))
      differences.push_back({setting, value_text(base, setting), value_text(other, setting)});
  return differences;
}

std::vector<SettingDifference> setting_differences(const RunConfig& base, const RunConfig& other) {
  return setting_differences(flat_settings(base), flat_settings(other));
}

bool alike_but(const FlatSettings& one, const FlatSettings& other, const SettingNames& names) {
  return std::ranges::all_of(setting_differences(one, other), [&](const auto& difference) {
    return is_among(names, difference.setting);
  });
}

std::string settings_text(const SettingNames& names, const FlatSettings& settings) {
  std::vector<std::string> parts;
  for (const std::string& name : names) parts.push_back(name + "=" + settings.at(name));
  return joined(parts);
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  if (seeds.size() == 1) return fmt::format("seed {}", seeds.front());
  if (seeds.size() > kSeedsNamed) return fmt::format("median of {} seeds", seeds.size());
  return "median of seeds " + report::cell_text(report::Data(seeds));
}

RunEnd run_end(const RunRecord& record) {
  return {record.config.seed, early_end(record), learning_curve(record).trend()};
}

std::string ends_text(const std::vector<RunEnd>& runs) {
  std::vector<std::string> parts;
  for (const RunEnd& run : runs)
    if (!run.early_end.empty())
      parts.push_back((runs.size() > 1 ? fmt::format("seed {} ", run.seed) : "") + run.early_end);
  const auto rising = static_cast<std::size_t>(std::ranges::count_if(runs, &RunEnd::rising));
  if (rising == runs.size()) return "still improving";
  if (rising > 0) parts.push_back("still improving: " + share_text(rising, runs.size()));
  return parts.empty() ? "measured" : joined(parts);
}

void add_ends(report::Data& data, const std::vector<RunEnd>& ends) {
  data["still_rising"] = std::ranges::count_if(ends, &RunEnd::rising);
  report::Data& early = data["ended_early"] = report::Data::array();
  for (const RunEnd& end : ends)
    if (!end.early_end.empty()) early.push_back({{"seed", end.seed}, {"how", end.early_end}});
}

std::string record_file(const RunRecord& record) {
  return (record.folder.empty() ? "" : record.folder + "/") + std::string(kRecordFile);
}

std::vector<RecordSection> run_table(const std::vector<RunRecord>& records,
                                     const Grouping& grouping) {
  std::vector<RecordSection> sections;
  for (const RunRecord& record : records) {
    const std::optional<std::string> key = grouping.section(record);
    if (!key) continue;
    RecordSection& section = entry_of(sections, &RecordSection::key, *key);
    RecordGroup& group =
        entry_of(section.groups, &RecordGroup::settings, grouping.settings(record.config));
    const auto seed = [](const RunRecord* one) { return one->config.seed; };
    const auto same = std::ranges::find(group.records, record.config.seed, seed);
    if (same == group.records.end())
      group.records.push_back(&record);
    else if ((*same)->result != record.result)
      throw InputError(fmt::format(
          "{} and {}: expected one result of seed {}, found two that differ under the same "
          "configuration",
          (*same)->folder, record.folder, record.config.seed));
    std::ranges::stable_sort(group.records, {}, seed);
  }
  return sections;
}

}  // namespace logdepth::inline learned_report
