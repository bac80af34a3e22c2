#include "report/pictures/draw_run.hpp"

#include <variant>

#include "report/pictures/draw_attention.hpp"
#include "report/pictures/draw_reachability.hpp"

namespace logdepth::inline report_pictures {

RunDrawing draw_run(const Model& model, const Outcome<Tokens>& tokens,
                    const std::optional<Graph>& graph,
                    const std::optional<std::pair<Vertex, Vertex>>& pair, const RunReview& review) {
  if (!tokens.has_value()) return {tokens.refusal(), true, ""};
  Runner runner(model);
  std::string note;
  if (graph) {
    const auto cells = reachability_cells(model);
    if (const auto* known = std::get_if<ReachabilityCells>(&cells)) {
      const auto run = read_reachability(runner, *known, *graph, pair, review);
      if (!run.has_value()) return {run.refusal(), true, ""};
      return {draw_reachability(run.value()), false, ""};
    }
    note = std::get<std::string>(cells);
  }
  return {draw_attention(runner, tokens.value(), pair, review), true, note};
}

}  // namespace logdepth::inline report_pictures
