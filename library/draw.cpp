// Pictures of a transformer and of its runs: draw.hpp.
#include "logdepth/draw.hpp"

#include "library/compared_runs.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/circuit_sheet.hpp"
#include "report/pictures/draw_run.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {
namespace {

struct Drawing {
  StripPicture picture;
  bool together;  ///< a page begins with all steps
};

/// A run that is refused is drawn as far as it came. Errors: InputError where it does not begin.
Drawing drawing_of(const Model& model, const RunComparison& comparison,
                   const OneQuestion& question) {
  RunReview review = review_of(comparison, model, question);
  review.although_refused = true;
  RunDrawing drawing = draw_run(model, question.tokens, question.graph, question.pair, review);
  if (!drawing.picture.has_value()) throw InputError(describe(drawing.picture.refusal()));
  return {std::move(drawing.picture).value(), drawing.together};
}

template <class... Parts>
Drawing drawing_of(const Transformer& transformer, const RunComparison& comparison,
                   const Parts&... parts) {
  const Model& model = transformer.hidden().model;
  return drawing_of(model, comparison, question_of(model, parts...));
}

void save(const Transformer& transformer, const Drawing& drawing, const std::string& file) {
  save_run(transformer.hidden().model, drawing.picture, drawing.together, file);
}

}  // namespace

std::string svg(const Transformer& transformer) {
  return circuit_sheet(circuit_cards(transformer.hidden().model)).svg;
}

std::string svg(const Transformer& transformer, const Letters& word,
                const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, word).picture);
}

std::string svg(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
                std::uint32_t target, const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, graph, source, target).picture);
}

std::string svg(const Transformer& transformer, const RawStreams& streams,
                const RunComparison& comparison) {
  return strips_svg(drawing_of(transformer, comparison, streams).picture);
}

void draw(const Transformer& transformer, const std::string& file) {
  const Model& model = transformer.hidden().model;
  save_circuit(model, circuit_cards(model), file);
}

void draw(const Transformer& transformer, const Letters& word, const std::string& file,
          const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, word), file);
}

void draw(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
          std::uint32_t target, const std::string& file, const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, graph, source, target), file);
}

void draw(const Transformer& transformer, const RawStreams& streams, const std::string& file,
          const RunComparison& comparison) {
  save(transformer, drawing_of(transformer, comparison, streams), file);
}

}  // namespace logdepth
