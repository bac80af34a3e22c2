#include <iostream>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/draw_learned.hpp"
#include "cli/input_source.hpp"
#include "cli/oracle_options.hpp"
#include "cli/program_source.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "logdepth/errors.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/draw_run.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

struct DrawArguments {
  std::string model, program, output;
  InputOptions input;
  OracleOptions oracle;
  LearnedDrawing learned;
};

int draw(DrawArguments& options) {
  if (options.model.empty() == options.learned.given->empty())
    throw InputError("expected either MODEL, a weights file, or --learned RUN");
  if (!options.learned.given->empty())
    return draw_learned(options.learned, options.input, options.output);
  if (options.output.empty()) throw InputError("--output: expected the name of the picture");
  auto inputs = options.input.files();
  inputs.insert(inputs.end(), {options.model, options.program});
  refuse_overwriting(options.output, inputs);
  const Model model = read_weights(options.model);
  std::string said;
  if (!options.input.given()) {
    if (options.oracle.given() || !options.program.empty())
      throw InputError("--against and --program require an input");
    said = save_circuit(model, circuit_cards(model), options.output);
  } else {
    const OneQuestion question = load_one(options.input, model);
    ReviewRequest request;
    if (options.oracle.given()) request.oracle = options.oracle.request();
    if (!options.program.empty()) request.program = read_program(options.program);
    const RunReview review = review_of(request, model, question, [](const std::string& note) {
      std::cerr << "logdepth: " << printable(note, kMostPrinted) << '\n';
    });
    const RunDrawing drawing =
        draw_run(model, question.tokens, question.graph, question.pair, review);
    if (!drawing.note.empty())
      std::cerr << "logdepth: " << printable(drawing.note, kMostPrinted)
                << "; drawing the attention instead\n";
    if (!drawing.picture.has_value()) {
      std::cerr << "logdepth: " << printable(describe(drawing.picture.refusal()), kMostPrinted)
                << "; no picture was written\n";
      return kNotDecided;
    }
    save_run(model, drawing.picture.value(), drawing.together, options.output);
  }
  std::cerr << "wrote " << options.output << (said.empty() ? "" : ": ") << said << '\n';
  return kDone;
}

}  // namespace

Command add_draw(CLI::App& app) {
  auto options = std::make_shared<DrawArguments>();
  CLI::App* command = app.add_subcommand(
      "draw",
      "draw the circuit of a weights file; for a word, the attention per layer; for a graph, the "
      "reachable vertices per iteration\nExample: logdepth draw a5.json -o a5.svg && logdepth draw "
      "a5.json --input abab -o abab.svg");
  command->add_option("MODEL", options->model, "weights file");
  options->learned.add_to(*command);
  options->input.add_to(*command, false);
  options->oracle.add_to(*command,
                         "test oracle (as in test), or program. Differences are drawn in red: "
                         "answers and prefix products that differ from the oracle, and the first "
                         "value that differs from the embedded program");
  command->add_option(
      "--program", options->program,
      "program (.cells) to compare the run with (default with --against: the embedded program)");
  command
      ->add_option(
          "-o,--output", options->output,
          "picture to write: .svg, .html, .pdf, .png, .tex, .tikz or, for a circuit, .dot; "
          "optional with --learned (.svg)")
      ->check(kInAFolder);
  add_run_limits(*command);
  return [options] { return draw(*options); };
}

}  // namespace logdepth::inline cli
