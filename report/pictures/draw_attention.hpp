#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/figures/token_bands.hpp"
#include "report/pictures/run_review.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/outcome.hpp"

namespace logdepth::inline report_pictures {

/// More tokens make pictures that nobody can read.
inline constexpr std::size_t kMaxDrawnTokens = 80;

/// Who attends where: the tokens in a row and, from top to bottom, one band per executed attention
/// sublayer with heads, in which a line joins every token to each position that a head selects for
/// it, its share 1 / number of selected positions. Under each band: how far the chains of single
/// selections reach back, and the prefix product as the readout gives it at that point, when it
/// gives one at every token. At the bottom the verdict; that of a relation only when `pair` says of
/// which source and target. In red the first broken contract, and what is not as `review` has it.
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
/// The same for a word.
Outcome<StripPicture> draw_attention(Runner& runner, const std::vector<std::string>& letters);

}  // namespace logdepth::inline report_pictures
