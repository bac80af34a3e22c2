#pragma once

#include <optional>
#include <string>
#include <utility>

#include "objects/graph.hpp"
#include "report/figures/strip_picture.hpp"
#include "report/pictures/run_review.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline report_pictures {

/// A picture of a run, and how a page shows it.
struct RunDrawing {
  Outcome<StripPicture> picture;
  bool together = true;  ///< a page begins with all steps
  std::string note;      ///< why it is who attends where, though the input is a graph; or empty
};

/// How reachability grew where the file says what it knows of the graph, else who attends where.
/// The refusal of tokens or run, when there is no picture. Errors: as draw_attention.
RunDrawing draw_run(const Model& model, const Outcome<Tokens>& tokens,
                    const std::optional<Graph>& graph,
                    const std::optional<std::pair<Vertex, Vertex>>& pair, const RunReview& review);

}  // namespace logdepth::inline report_pictures
