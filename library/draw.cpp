// Pictures of a transformer and of its runs: draw.hpp.
#include "logdepth/draw.hpp"

#include "library/transformer_inside.hpp"
#include "proofs-check/pictures/circuit_cards.hpp"
#include "proofs-check/pictures/circuit_sheet.hpp"
#include "proofs-check/pictures/draw_attention.hpp"
#include "proofs-check/pictures/save_drawing.hpp"

namespace logdepth {
namespace {

StripPicture picture_of(const Model& model, const Letters& word) {
  const auto tokens = tokens_of(model, word);
  require(tokens.has_value(), tokens.has_value() ? "" : describe(tokens.refusal()));
  Runner runner(model);
  RunReview review;
  review.although_refused = true;
  return draw_attention(runner, tokens.value(), std::nullopt, review).value();
}

}  // namespace

std::string svg(const Transformer& transformer) {
  return circuit_sheet(circuit_cards(transformer.hidden().model)).svg;
}

std::string svg(const Transformer& transformer, const Letters& word) {
  return strips_svg(picture_of(transformer.hidden().model, word));
}

void draw(const Transformer& transformer, const std::string& file) {
  const Model& model = transformer.hidden().model;
  save_circuit(model, circuit_cards(model), file);
}

void draw(const Transformer& transformer, const Letters& word, const std::string& file) {
  const Model& model = transformer.hidden().model;
  save_run(model, picture_of(model, word), true, file);
}

}  // namespace logdepth
