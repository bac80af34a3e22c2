#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace logdepth::inline learned_records {

/// What a measurement without training asks for; 0: as the run has it.
struct MeasureRequest {
  std::uint32_t length = 0;   ///< letters of the words
  std::uint32_t samples = 0;  ///< how many words
  std::uint32_t loops = 0;    ///< how often the repeated block runs
};

nlohmann::ordered_json to_json(const MeasureRequest& request);
/// What is missing keeps its default. Errors: InputError naming the setting and what was expected.
MeasureRequest measure_request_from_json(const nlohmann::json& json, const std::string& source);

}  // namespace logdepth::inline learned_records
