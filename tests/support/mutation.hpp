#pragma once

#include <optional>
#include <random>
#include <string>

#include "runtime/file/model.hpp"

/// Random single changes of weights.
namespace logdepth::support {

struct Mutant {
  std::string place, edit;  ///< kinds, for the report: "query or key", "sign flipped"
  std::string what;         ///< this one, precisely
  Model model;
};

/// Changes one number, coordinate, flag, promise or count of a weights file. Absent when the draw
/// found nothing to change.
std::optional<Mutant> mutate_weights(const Model& model, std::mt19937_64& random);

}  // namespace logdepth::support
