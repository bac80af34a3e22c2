#include <iostream>

#include "cli/commands.hpp"
#include "cli/draw_learned.hpp"
#include "cli/input_source.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/pictures/draw_attention.hpp"
#include "proofs-check/pictures/draw_circuit.hpp"
#include "proofs-check/pictures/draw_reachability.hpp"
#include "proofs-check/pictures/save_drawing.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

struct DrawArguments {
  std::string model, output;
  InputOptions input;
  LearnedDrawing learned;
};

/// How reachability grew where the file says what it knows, else who attends where; and whether a
/// page begins with all steps.
struct RunDrawing {
  Outcome<StripPicture> picture;
  bool together = true;
};

RunDrawing draw_run(const Model& model, const OneQuestion& question) {
  if (!question.tokens.has_value()) return {question.tokens.refusal()};
  Runner runner(model);
  if (question.graph) {
    const auto cells = reachability_cells(model);
    if (const auto* known = std::get_if<ReachabilityCells>(&cells)) {
      const auto run = read_reachability(runner, *known, *question.graph, question.pair);
      if (!run.has_value()) return {run.refusal()};
      return {draw_reachability(run.value()), false};
    }
    std::cerr << "logdepth: " << std::get<std::string>(cells) << "; drawn is who attends where\n";
  }
  return {draw_attention(runner, question.tokens.value(), question.pair)};
}

int draw(const DrawArguments& options) {
  if (options.model.empty() == options.learned.given->empty())
    throw InputError("expected either MODEL, a weights file, or --learned RUN");
  if (!options.learned.given->empty())
    return draw_learned(options.learned, options.input, options.output);
  if (options.output.empty()) throw InputError("--output: expected the name of the picture");
  auto inputs = options.input.files();
  inputs.push_back(options.model);
  refuse_overwriting(options.output, inputs);
  const Model model = read_weights(options.model);
  if (!options.input.given()) {
    save_circuit(model, circuit_dot(model), options.output);
  } else {
    const RunDrawing drawing = draw_run(model, load_one(options.input, model));
    if (!drawing.picture.has_value()) {
      std::cerr << "logdepth: " << describe(drawing.picture.refusal()) << "; nothing was drawn\n";
      return kNotDecided;
    }
    save_run(model, drawing.picture.value(), drawing.together, options.output);
  }
  std::cerr << "wrote " << options.output << '\n';
  return kDone;
}

}  // namespace

Command add_draw(CLI::App& app) {
  auto options = std::make_shared<DrawArguments>();
  CLI::App* command = app.add_subcommand(
      "draw",
      "the circuit of a weights file; with a word, who attends where, level by level; with a "
      "graph, how reachability grows, loop by loop\n"
      "Example: logdepth draw a5.json -o a5.svg && logdepth draw a5.json --input abab -o abab.svg");
  command->add_option("MODEL", options->model, "weights file");
  options->learned.add_to(*command);
  options->input.add_to(*command, false);
  command->add_option("-o,--output", options->output,
                      "picture: .svg, .html, .pdf, .png or (circuit) .dot; with --learned .svg, "
                      "or none");
  return [options] { return draw(*options); };
}

}  // namespace logdepth
