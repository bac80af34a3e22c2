#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/automaton_source.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/word_source.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/checks_file.hpp"
#include "proofs-check/test_language.hpp"
#include "runtime/weights_file.hpp"

namespace logdepth {
namespace {

struct Options {
  std::string model, against;
  AutomatonOptions automaton;
  TestOptions test;
  bool json = false;
};

/// "--against X": X is "kind:value", a file of a known kind, or a regular expression.
void apply_against(Options& options) {
  std::string kind, value = options.against;
  for (const char* known : {"regex", "fst", "jff", "dot", "group"}) {
    const std::string prefix = std::string(known) + ":";
    if (value.starts_with(prefix)) {
      kind = known;
      value = value.substr(prefix.size());
    }
  }
  if (kind.empty()) {
    const std::string extension = std::filesystem::path(value).extension().string();
    if (extension == ".fst" || extension == ".jff" || extension == ".dot") {
      kind = extension.substr(1);
    } else {
      kind = "regex";
    }
  }
  const std::vector<std::string> kinds = {"regex", "fst", "jff", "dot", "group"};
  const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
  CLI::Option* option = options.automaton.sources[static_cast<std::size_t>(at)];
  if (options.automaton.given())
    throw InputError("--against and another option both name the language");
  option->add_result(value);
  option->run_callback();
}

std::string bound_text(const TestReport& report) {
  if (report.counterexample)
    return "stopped after " + std::to_string(report.exhaustive_words + report.random_words) +
           " words, seed " + std::to_string(report.seed);
  return "every word of at most " + std::to_string(report.up_to) + " letters (" +
         std::to_string(report.exhaustive_words) + "), " + std::to_string(report.random_words) +
         " random words of at most " + std::to_string(report.max_length) + " letters, seed " +
         std::to_string(report.seed);
}

int test(Options& options) {
  if (!options.against.empty()) apply_against(options);
  const Model model = read_weights(options.model);
  const LoadedAutomaton loaded = load_automaton(options.automaton, model.alphabet);
  TestReport report;
  {
    Progress progress("test", "words");
    options.test.progress = [&](std::size_t done, std::size_t total) {
      progress.update(done, total);
    };
    report = test_language(model, *loaded.oracle, options.test);
  }
  const auto& example = report.counterexample;
  std::string result = "passed";
  if (example)
    result = "failed: on '" + show_word(example->word) + "' expected " + example->expected +
             ", got " + example->got;

  if (options.json) {
    nlohmann::json out = {{"schema", "logdepth/test/1"},
                          {"model", model.name},
                          {"against", loaded.name},
                          {"passed", !example},
                          {"up_to", report.up_to},
                          {"exhaustive_words", report.exhaustive_words},
                          {"random_words", report.random_words},
                          {"max_length", report.max_length},
                          {"seed", report.seed},
                          {"accepted", report.accepted},
                          {"prefixes", report.prefixes},
                          {"promises", report.promises},
                          {"unevaluated", report.unevaluated}};
    if (example)
      out["counterexample"] = {{"word", show_word(example->word)},
                               {"expected", example->expected},
                               {"got", example->got},
                               {"found_at_length", example->original_length}};
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << (example ? "FAILED" : "passed") << ": against " << loaded.name << ", "
              << bound_text(report) << '\n'
              << report.accepted << " words of the language among them, " << report.prefixes
              << " prefix products and " << report.promises << " promises compared\n";
    for (const std::string& head : report.unevaluated)
      std::cout << "never asked: " << head << " (no word was long enough)\n";
    if (example)
      std::cout << "counterexample: '" << show_word(example->word) << "' (" << example->word.size()
                << " letters, shrunk from " << example->original_length << "): expected "
                << example->expected << ", got " << example->got << '\n';
  }
  try {
    add_check(options.model, weights_hash(model),
              {"test", loaded.name, bound_text(report), result});
  } catch (const InputError& error) {
    std::cerr << "logdepth: the result was not recorded: " << error.what() << '\n';
  }
  return example ? kCheckFailed : kDone;
}

}  // namespace

Command add_test(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "test",
      "property test of any weights file against an independent oracle, with a shrunk "
      "counterexample\nExample: logdepth test abb.json --against regex:'(a|b)*abb' --up-to 8");
  command->add_option("MODEL", options->model, "weights file")->required();
  command->add_option("--against", options->against,
                      "regex:R, fst:FILE, jff:FILE, dot:FILE, group:NAME, an automaton file by its "
                      "extension, or else a regular expression");
  options->automaton.add_to(*command);
  command->add_option("--up-to", options->test.up_to, "every word of at most so many letters")
      ->check(kSmallCount);
  command->add_option("--random", options->test.random, "number of random words beyond")
      ->check(kSmallCount);
  command->add_option("--max-length", options->test.max_length, "length of the random words")
      ->check(kSmallCount);
  command->add_option("--seed", options->test.seed, "seed of the random words")->check(kCount);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return test(*options); };
}

}  // namespace logdepth
