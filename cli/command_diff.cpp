#include <iostream>
#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/engine_options.hpp"
#include "cli/input_source.hpp"
#include "cli/program_source.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "compiler/difference/first_difference.hpp"
#include "compiler/difference/float_difference.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {
namespace {

struct DiffArguments {
  std::string model, program, engine = "exact", scores = "product", rule = "plain";
  InputOptions input;
  bool json = false;
  CLI::Option *rule_option = nullptr, *scores_option = nullptr;
};

/// The weights in another arithmetic beside the exact run of the same weights.
Outcome<std::optional<Difference>> in_floats(const DiffArguments& options, const Model& model,
                                             const Tokens& tokens) {
  EngineOptions engine;
  engine.name = options.engine;
  engine.settle(1);
  FloatOptions floats = engine.options;
  floats.rule = options.rule == "plain" ? FloatOptions::Rule::plain : FloatOptions::Rule::bounded;
  floats.scores =
      options.scores == "product" ? FloatOptions::Scores::product : FloatOptions::Scores::distance;
  const CarriedProgram program(model, Trust::recompiled);
  return first_float_difference(model, program.facts(), floats, tokens);
}

int diff(const DiffArguments& options) {
  const bool exact = options.engine == "exact";
  if (exact && (options.rule_option->count() > 0 || options.scores_option->count() > 0))
    throw InputError("--rule and --scores require a floating-point --engine");
  if (!exact && !options.program.empty())
    throw InputError(
        "--program requires --engine exact; a floating-point run is compared with the exact run");
  // A program is compiled on the spot; a weights file is compared with the program it carries, or
  // with the one that --program names.
  std::optional<Program> program;
  Model model;
  if (!options.program.empty()) program = read_program(options.program);
  if (options.model.ends_with(".cells")) {
    if (!program) program = read_program(options.model);
    model = compile(*program).model;
  } else {
    model = read_weights(options.model);
    if (!program && exact) program = carried_by(model);
  }
  const OneQuestion question = load_one(options.input, model);
  const auto outcome = [&]() -> Outcome<std::optional<Difference>> {
    if (!question.tokens.has_value()) return question.tokens.refusal();
    if (!exact) return in_floats(options, model, question.tokens.value());
    return first_difference(*program, model, question.tokens.value());
  }();
  nlohmann::json out = {{"schema", "logdepth/diff/1"}, {"model", model.name}};
  if (!outcome.has_value()) {
    out["refused"] = describe(outcome.refusal());
    if (options.json) std::cout << out.dump(1) << '\n';
    std::cerr << "logdepth: " << printable(describe(outcome.refusal()), kMostPrinted) << '\n';
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
    std::cout << (exact
                      ? "equal: every cell of every token after every sublayer, and every output\n"
                      : "equal up to rounding: every number of every token after every sublayer "
                        "is within its error bound of the exact one\n");
  } else {
    std::cout << "first difference: " << printable(describe(*difference), kMostPrinted) << '\n';
  }
  return difference ? kCheckFailed : kDone;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffArguments>();
  CLI::App* command = app.add_subcommand(
      "diff",
      "find the first value where a network differs from its program, or a floating-point run from "
      "the exact run\nExample: logdepth diff abb.json --input aabb");
  command
      ->add_option("MODEL", options->model,
                   "weights file with an index of cells, or a program (.cells)")
      ->required();
  command->add_option(
      "--program", options->program,
      "program to compare with (default: the program embedded in the weights file)");
  options->input.add_to(*command, false);
  command
      ->add_option("--engine", options->engine,
                   "exact: compare with the program; float64, float32, mpfr:BITS: compare a run in "
                   "this arithmetic with the exact run")
      ->capture_default_str();
  options->rule_option =
      command
          ->add_option("--rule", options->rule,
                       "ties and zeros in floating point: equal numbers (plain), or numbers that "
                       "differ by less than their error bounds (bounded)")
          ->check(choice_of({"plain", "bounded"}))
          ->capture_default_str();
  options->scores_option =
      command
          ->add_option(
              "--scores", options->scores,
              "scores: q.k (product), or -|q - k|^2 / 2 if all keys have the same norm (distance)")
          ->check(choice_of({"product", "distance"}))
          ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] { return diff(*options); };
}

}  // namespace logdepth::inline cli
