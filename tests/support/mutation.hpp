#pragma once

#include <optional>
#include <random>
#include <string>

#include "runtime/file/model.hpp"
#include "tests/support/mutation_subject.hpp"

/// Random single changes: of the weights themselves, and of what one compiler pass hands the next.
namespace logdepth::support {

struct Mutant {
  std::string place, edit;  ///< kinds, for the report: "query or key", "sign flipped"
  std::string what;         ///< this one, precisely
  std::string refused_by;   ///< the pass that refused it, with the reason in `refusal`
  std::string refusal;
  Model model;  ///< when no pass refused it
};

/// Changes one number, coordinate, flag, promise or count of a weights file. Absent when the draw
/// found nothing to change.
std::optional<Mutant> mutate_weights(const Model& model, std::mt19937_64& random);

/// Changes the program, its schedule, its mask types or its layout in one place, then lets the
/// later passes and their checks run as `compile` does. Absent as above.
std::optional<Mutant> mutate_passes(const MutationSubject& subject, std::mt19937_64& random);

}  // namespace logdepth::support
