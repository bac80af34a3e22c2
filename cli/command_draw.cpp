#include <iostream>

#include "cli/commands.hpp"
#include "cli/word_source.hpp"
#include "proofs-check/draw_attention.hpp"
#include "proofs-check/draw_circuit.hpp"
#include "proofs-check/save_drawing.hpp"
#include "runtime/weights_file.hpp"
#include "runtime/whole_file.hpp"

namespace logdepth {
namespace {

struct Options {
  std::string model, output;
  WordOptions words;
};

int draw(const Options& options) {
  refuse_overwriting(options.output,
                     {options.model, file_of(options.words.input), file_of(options.words.tokens)});
  const Model model = read_weights(options.model);
  Drawing drawing{DrawingKind::dot, {}};
  if (options.words.input_option->count() + options.words.tokens_option->count() == 0) {
    drawing.text = circuit_dot(model);
  } else {
    const auto words = load_words(options.words, model.alphabet);
    WordRunner runner(model);
    auto picture = draw_attention(runner, words.front());
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
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "draw",
      "the circuit of a weights file; with a word, who attends where, level by level\n"
      "Example: logdepth draw a5.json -o a5.svg && logdepth draw a5.json --input abab -o abab.svg");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->words.add_to(*command, false);
  command->add_option("-o,--output", options->output, "picture: .svg, .dot (circuit) or .html")
      ->required();
  return [options] { return draw(*options); };
}

}  // namespace logdepth
