#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline library_runs {

/// Values of --rule and --scores of `logdepth diff`.
inline const std::vector<std::string> kDiffRules = {"plain", "bounded"};
inline const std::vector<std::string> kDiffScores = {"product", "distance"};

/// What a run is compared with: exactly with a program, else with the exact run of the same weights.
struct DifferenceRequest {
  std::optional<Program> program = {};  ///< of an exact run; absent: the embedded one
  std::string engine = "exact";
  /// Of a floating-point run; absent: "plain" and "product".
  std::optional<std::string> rule = {}, scores = {};
};

/// Errors: InputError for parts of the request that do not go together, and for a value that is none
/// of the above.
void require_consistent(const DifferenceRequest& request);

/// The first place where the run leaves what it is compared with. Precondition: require_consistent.
/// Errors: InputError where there is no program, or none of these weights.
Outcome<std::optional<Difference>> difference_of(const DifferenceRequest& request,
                                                 const Model& model, const Outcome<Tokens>& tokens);

}  // namespace logdepth::inline library_runs
