#include "library/runs/run_difference.hpp"

#include <algorithm>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/difference/float_difference.hpp"
#include "compiler/file/carried_program.hpp"
#include "library/requests/rounded_request.hpp"
#include "library/runs/run_review.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline library_runs {
namespace {

void require_one_of(const char* option, const std::optional<std::string>& value,
                    const std::vector<std::string>& choices) {
  require(!value || std::ranges::find(choices, *value) != choices.end(),
          std::string(option) + ": expected one of " + joined(choices) + ", found " +
              in_quotes(value.value_or("")));
}

/// The weights in another arithmetic beside the exact run of the same weights.
Outcome<std::optional<Difference>> in_floats(const DifferenceRequest& request, const Model& model,
                                             const Tokens& tokens) {
  FloatOptions floats = requested_engine({.engine = request.engine, .threads = 1});
  floats.rule = request.rule.value_or("plain") == "plain" ? FloatOptions::Rule::plain
                                                          : FloatOptions::Rule::bounded;
  floats.scores = request.scores.value_or("product") == "product" ? FloatOptions::Scores::product
                                                                  : FloatOptions::Scores::distance;
  const CarriedProgram program(model, Trust::recompiled);
  return first_float_difference(model, program.facts(), floats, tokens);
}

}  // namespace

void require_consistent(const DifferenceRequest& request) {
  const bool exact = request.engine == "exact";
  require(!exact || (!request.rule && !request.scores),
          "--rule and --scores require a floating-point --engine");
  require(exact || !request.program,
          "--program requires --engine exact; a floating-point run is compared with the exact run");
  require_one_of("--rule", request.rule, kDiffRules);
  require_one_of("--scores", request.scores, kDiffScores);
  if (!exact) requested_engine({.engine = request.engine, .threads = 1});
}

Outcome<std::optional<Difference>> difference_of(const DifferenceRequest& request,
                                                 const Model& model,
                                                 const Outcome<Tokens>& tokens) {
  const bool exact = request.engine == "exact";
  std::optional<Program> embedded;
  if (exact && !request.program) embedded = carried_by(model);
  if (!tokens.has_value()) return tokens.refusal();
  if (!exact) return in_floats(request, model, tokens.value());
  return first_difference(embedded ? *embedded : *request.program, model, tokens.value());
}

}  // namespace logdepth::inline library_runs
