#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth::inline learned_records {

/// What a measurement without training asks for; 0: as the run has it.
struct MeasureRequest {
  std::uint32_t length = 0;   ///< letters of the words
  std::uint32_t samples = 0;  ///< how many words
  std::uint32_t loops = 0;    ///< how often the repeated block runs
  /// Radices of a scan, one per layer that runs: between letters, attention keeps its edges only, or
  /// loses them. Empty: attention has every edge.
  std::vector<std::uint32_t> keep_edges, cut_edges;

  bool changes_edges() const { return !keep_edges.empty() || !cut_edges.empty(); }
};

nlohmann::ordered_json to_json(const MeasureRequest& request);
/// What is missing keeps its default. Errors: InputError naming the setting and what was expected.
MeasureRequest measure_request_from_json(const nlohmann::json& json, const std::string& source);

}  // namespace logdepth::inline learned_records
