#include <iostream>

#include "cli/commands.hpp"
#include "cli/draw_learned.hpp"
#include "cli/input_source.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/pictures/draw_attention.hpp"
#include "proofs-check/pictures/draw_circuit.hpp"
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
  Drawing drawing{DrawingKind::dot, {}};
  if (!options.input.given()) {
    drawing.text = circuit_dot(model);
  } else {
    const OneQuestion question = load_one(options.input, model);
    Runner runner(model);
    auto picture = [&]() -> Outcome<std::string> {
      if (!question.tokens.has_value()) return question.tokens.refusal();
      return draw_attention(runner, question.tokens.value(), question.pair);
    }();
    if (!picture.has_value()) {
      std::cerr << "logdepth: " << describe(picture.refusal()) << "; nothing was drawn\n";
      return kNotDecided;
    }
    drawing = {DrawingKind::svg, std::move(picture).value()};
  }
  save_drawing(model, drawing, options.output);
  std::cerr << "wrote " << options.output << '\n';
  return kDone;
}

}  // namespace

Command add_draw(CLI::App& app) {
  auto options = std::make_shared<DrawArguments>();
  CLI::App* command = app.add_subcommand(
      "draw",
      "the circuit of a weights file; with an input, who attends where, level by level\n"
      "Example: logdepth draw a5.json -o a5.svg && logdepth draw a5.json --input abab -o abab.svg");
  command->add_option("MODEL", options->model, "weights file");
  options->learned.add_to(*command);
  options->input.add_to(*command, false);
  command->add_option("-o,--output", options->output,
                      "picture: .svg, .dot (circuit) or .html; with --learned .svg, or none");
  return [options] { return draw(*options); };
}

}  // namespace logdepth
