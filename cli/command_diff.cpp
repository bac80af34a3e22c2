#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/input_source.hpp"
#include "compiler/compile.hpp"
#include "compiler/program_text.hpp"
#include "proofs-check/first_difference.hpp"
#include "runtime/weights_file.hpp"
#include "runtime/whole_file.hpp"

namespace logdepth {
namespace {

struct Options {
  std::string model, program;
  InputOptions input;
  bool json = false;
};

int diff(const Options& options) {
  // A program is compiled on the spot; a weights file is compared with the program it carries, or
  // with the one that --program names.
  std::optional<Program> program;
  Model model;
  if (!options.program.empty())
    program = parse_program(read_whole_file(options.program), options.program);
  if (options.model.ends_with(".cells")) {
    if (!program) program = parse_program(read_whole_file(options.model), options.model);
    model = compile(*program);
  } else {
    model = read_weights(options.model);
    if (!program) program = program_of(model);
  }
  const OneQuestion question = load_one(options.input, model);
  const auto outcome = [&]() -> Outcome<std::optional<Difference>> {
    if (!question.tokens.has_value()) return question.tokens.refusal();
    return first_difference(*program, model, question.tokens.value());
  }();
  nlohmann::json out = {{"schema", "logdepth/diff/1"}, {"model", model.name}};
  if (!outcome.has_value()) {
    out["refused"] = describe(outcome.refusal());
    if (options.json) std::cout << out.dump(1) << '\n';
    std::cerr << "logdepth: " << describe(outcome.refusal()) << '\n';
    return kNotDecided;
  }
  const auto& difference = outcome.value();
  out["equal"] = !difference;
  if (difference) {
    out["difference"] = {{"layer", difference->step},        {"sublayer", difference->sublayer},
                         {"token", difference->token},       {"cell", difference->cell},
                         {"expected", difference->expected}, {"got", difference->got}};
  }
  if (options.json) {
    std::cout << out.dump(1) << '\n';
  } else if (!difference) {
    std::cout << "equal: every cell of every token after every sublayer, and every output\n";
  } else {
    std::cout << "first difference: layer " << difference->step << ", " << difference->sublayer
              << ", token " << difference->token << ", cell " << difference->cell << ": expected "
              << difference->expected << ", got " << difference->got << '\n';
  }
  return difference ? kCheckFailed : kDone;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "diff",
      "the first place where the compiled weights leave the meaning of their program\n"
      "Example: logdepth diff abb.json --input aabb");
  command
      ->add_option("MODEL", options->model,
                   "weights file with an index of cells, or a .cells program")
      ->required();
  command->add_option("--program", options->program,
                      "program to compare with; default: the one the weights file carries");
  options->input.add_to(*command, false);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return diff(*options); };
}

}  // namespace logdepth
