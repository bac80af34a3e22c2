#pragma once

#include <string>
#include <vector>

#include "learned/records/training_config.hpp"

namespace logdepth {

/// A setting that two runs have differently, by its path as `--set` takes it.
struct SettingDifference {
  std::string setting;  ///< as in "model.loops.kind"
  std::string base, value;
  bool operator==(const SettingDifference&) const = default;
};

/// The settings of series (settings_of_series) whose values are not the same, by name.
std::vector<SettingDifference> setting_differences(const RunConfig& base, const RunConfig& other);

}  // namespace logdepth
