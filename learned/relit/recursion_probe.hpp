#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth::inline learned_relit {

/// What `report relit --probe` reads off one trained block: whether its states converge, and whether
/// training leaves the language model as it is. "logdepth-train --inspect" writes it as JSON, as
/// relit_probe_network.hpp says.
struct RecursionProbe {
  /// Of the Jacobian of one recursion by (y, z), at states of one prompt.
  struct Radii {
    double trained = 0;  ///< after the macro steps of training
    double far = 0;      ///< after the last of those that were followed
  };
  std::string run, backbone;
  std::uint64_t parameters = 0;     ///< of the language model
  std::string before, after;        ///< hashes of them, around a step of training
  std::uint32_t trained_steps = 0;  ///< macro steps of training
  std::vector<double> changes;      ///< |y_n - y_n-1| / |y_n-1|, mean over prompts and tokens
  std::vector<Radii> radii;         ///< by prompt

  bool backbone_unchanged() const { return before == after; }
};
/// Errors: InputError where it is something else.
RecursionProbe recursion_probe_from_json(const nlohmann::ordered_json& json);

/// As a page and as a picture. Errors: as above.
std::string recursion_probe_markdown(const nlohmann::ordered_json& json);
std::string recursion_probe_svg(const nlohmann::ordered_json& json);

}  // namespace logdepth::inline learned_relit
