#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth {

/// What `report relit --probe` reads off one trained block: whether its states converge, and whether
/// the language model is still the one that it was. "logdepth-train --inspect" writes it as JSON:
/// {"run", "backbone", "spectral_radius": {"values": [one for each prompt], "median"},
///  "convergence": [{"step": 1, 2, ..., "change"}], "trained_steps", "backbone_unchanged"}.
struct RecursionProbe {
  std::string run, backbone;
  /// Of the Jacobian of one recursion by (y, z), at the last state of each prompt.
  std::vector<double> radii;
  double median_radius = 0;
  std::vector<double> changes;      ///< |y_n - y_n-1| / |y_n-1|, mean over prompts
  std::uint32_t trained_steps = 0;  ///< macro steps of training
  bool backbone_unchanged = false;

  std::size_t below_one() const;
};
/// Errors: InputError where it is something else.
RecursionProbe recursion_probe_from_json(const nlohmann::ordered_json& json);

/// As a page and as a picture. Errors: as above.
std::string recursion_probe_markdown(const nlohmann::ordered_json& json);
std::string recursion_probe_svg(const nlohmann::ordered_json& json);

}  // namespace logdepth
