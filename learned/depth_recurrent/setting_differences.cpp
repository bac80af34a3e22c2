#include "learned/depth_recurrent/setting_differences.hpp"

#include "learned/report/seeds.hpp"

namespace logdepth {
namespace {

FlatSettings settings_of(const RunConfig& config) {
  FlatSettings settings;
  flatten(settings_of_series(config), "", settings);
  return settings;
}

/// A setting that is not there, as in a group that is absent, has no value.
std::string value_text(const FlatSettings& settings, const std::string& setting) {
  const auto found = settings.find(setting);
  return found == settings.end() || found->second == "null" ? "none" : found->second;
}

}  // namespace

std::vector<SettingDifference> setting_differences(const RunConfig& base, const RunConfig& other) {
  const FlatSettings left = settings_of(base), right = settings_of(other);
  FlatSettings all = left;
  all.insert(right.begin(), right.end());
  std::vector<SettingDifference> differences;
  for (const auto& [setting, value] : all)
    if (value_text(left, setting) != value_text(right, setting))
      differences.push_back({setting, value_text(left, setting), value_text(right, setting)});
  return differences;
}

}  // namespace logdepth
