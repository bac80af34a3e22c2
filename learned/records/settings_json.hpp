#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "learned/records/setting_visitor.hpp"

namespace logdepth::inline learned_records {

/// The group as a JSON object, every setting spelled out; what is absent is null.
nlohmann::ordered_json settings_to_json(const SettingGroup& settings);

/// Sets what the object names; other settings stay as they are. Errors: InputError "SOURCE: PATH:
/// expected ..., found ..." for a wrong type or an unknown word, and for an unknown name.
void read_settings(const nlohmann::json& json, const std::string& source,
                   const SettingGroup& settings);

}  // namespace logdepth::inline learned_records
