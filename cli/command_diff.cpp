#include <iostream>
#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/input_source.hpp"
#include "cli/program_source.hpp"
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "library/runs/run_difference.hpp"
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

int diff(const DiffArguments& options) {
  DifferenceRequest request;
  request.engine = options.engine;
  if (options.rule_option->count() > 0) request.rule = options.rule;
  if (options.scores_option->count() > 0) request.scores = options.scores;
  if (!options.program.empty()) request.program = read_program(options.program);
  require_consistent(request);
  // A program is compiled on the spot; a weights file is compared with the program it carries, or
  // with the one that --program names.
  const bool exact = options.engine == "exact";
  Model model;
  if (options.model.ends_with(".cells")) {
    const Program program = request.program ? *request.program : read_program(options.model);
    model = compile(program).model;
    if (exact) request.program = program;
  } else {
    model = read_weights(options.model);
  }
  const OneQuestion question = load_one(options.input, model);
  const auto outcome = difference_of(request, model, question.tokens);
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
          ->check(choice_of(kDiffRules))
          ->capture_default_str();
  options->scores_option =
      command
          ->add_option(
              "--scores", options->scores,
              "scores: q.k (product), or -|q - k|^2 / 2 if all keys have the same norm (distance)")
          ->check(choice_of(kDiffScores))
          ->capture_default_str();
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] { return diff(*options); };
}

}  // namespace logdepth::inline cli
