#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "objects/graph.hpp"
#include "report/figures/strip_picture.hpp"
#include "report/figures/token_bands.hpp"
#include "report/pictures/run_answers.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace report_pictures {

/// More tokens make pictures that nobody can read.
inline constexpr std::size_t kMaxDrawnTokens = 80;

/// Who attends where: the tokens in a row and, from top to bottom, one band per executed attention
/// sublayer with heads, in which a line joins every token to each position that a head selects for
/// it, its share 1 / number of selected positions. Under each band: how far the chains of single
/// selections reach back, and the prefix product as the readout gives it at that point, when it
/// gives one at every token. At the bottom the verdict; that of a relation only when `pair` says of
/// which source and target. In red the first broken contract, and what is not as `review` has it.
/// Of a file that names a pointer, not one band per layer but one per iteration: the tokens, as a tree where the word is
/// a formula, and where their pointers lead; as long as nothing is in red.
/// The refusal of the run or of the verdict, when there is no answer to draw, unless `review` or a
/// broken contract is a reason to draw it as far as it came.
/// Errors: InputError for tokens that are not the model's and beyond kMaxDrawnTokens tokens.
Outcome<TokenBands> attention_bands(
    Runner& runner, const Tokens& tokens,
    const std::optional<std::pair<Vertex, Vertex>>& pair = std::nullopt,
    const RunReview& review = {});
/// The same as a picture, a step for each band, in which a page says of every token what its cells
/// hold after the layer. The same model and input give the same picture.
Outcome<StripPicture> draw_attention(
    Runner& runner, const Tokens& tokens,
    const std::optional<std::pair<Vertex, Vertex>>& pair = std::nullopt,
    const RunReview& review = {});

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

}}  // namespace logdepth::report_pictures
