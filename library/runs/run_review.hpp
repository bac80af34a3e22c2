#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/program/program.hpp"
#include "library/requests/oracle_request.hpp"
#include "objects/graph.hpp"
#include "report/pictures/run_review.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline library_runs {

using VertexPair = std::pair<Vertex, Vertex>;
/// One input, and the graph or word that its tokens are of. A graph whose tokens do not depend on
/// source and target needs no pair.
struct OneQuestion {
  Outcome<Tokens> tokens;
  std::optional<VertexPair> pair;
  std::optional<Graph> graph = {};
  std::optional<std::vector<std::string>> word = {};
};

/// What a run is compared with.
struct ReviewRequest {
  /// `against` may be "program": then only the program is compared with.
  std::optional<OracleRequest> oracle = {};
  /// Absent: the one that the weights file carries, where there is an oracle.
  std::optional<Program> program = {};
};

/// What is right of an input, as the request says it, and the first difference from the program;
/// nothing without a request. `note` is told why a comparison that was not asked for by name is left
/// out. Errors: InputError where the request does not fit the model, and where it names a program
/// that the run cannot be compared with.
RunReview review_of(const ReviewRequest& request, const Model& model, const OneQuestion& question,
                    const std::function<void(const std::string&)>& note);

/// The program that a weights file carries, to be compared with: whether it is that of these weights
/// is the question, so it needs no trust. Errors: InputError where there is none.
Program carried_by(const Model& model);

}  // namespace logdepth::inline library_runs
