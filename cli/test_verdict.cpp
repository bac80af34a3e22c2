#include "cli/test_verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "compiler/file/checks_file.hpp"
#include "logdepth/errors.hpp"
#include "oracle/command_oracle.hpp"

namespace logdepth::inline cli {
namespace {

using nlohmann::json;

/// What is said of a verdict in words.
struct Wording {
  std::string bound;      ///< what was covered
  std::string compared;   ///< what was compared with the oracle
  std::string too_small;  ///< why a head may never have been asked
};

Wording wording(const TestVerdict& verdict) {
  const auto count = [&](const char* name) {
    return verdict.details.at(name).get<std::uint64_t>();
  };
  const auto text = [&](const char* name) { return verdict.details.at(name).get<std::string>(); };
  const std::uint64_t chosen = verdict.details.value("chosen_words", std::uint64_t{0});
  const auto covered = [&](const char* exhaustive, const char* random, const char* noun,
                           const std::string& all) {
    return (verdict.counterexample
                ? "stopped after " + counted(count(exhaustive) + chosen + count(random), noun)
                : all) +
           fmt::format(", seed {}", verdict.seed);
  };
  const auto sized = [&](const char* name, const char* noun) { return counted(count(name), noun); };
  switch (verdict.kind) {
    case TestVerdict::Kind::words:
      return {
          covered("exhaustive_words", "random_words", "word",
                  fmt::format("every word of at most {} ({}), {} with one letter that differs "
                              "from the rest, {} of at most {}",
                              sized("up_to", "letter"), count("exhaustive_words"),
                              sized("chosen_words", "word"), sized("random_words", "random word"),
                              sized("max_length", "letter"))),
          count("values") > 0 ? "checked " + sized("values", "named value")
                              : fmt::format("{} accepted; checked {}", count("accepted"),
                                            counted(count("prefixes"), text("prefix_kind"))),
          "no word was long enough"};
    case TestVerdict::Kind::graphs:
      return {covered("exhaustive_graphs", "random_graphs", "graph",
                      fmt::format(
                          "every graph of at most {}{} ({} up to renaming) with every source and "
                          "target, {} more of at most {}",
                          counted(count("up_to"), "vertex", "vertices"),
                          count("max_loopless") > 0 ? fmt::format(" and, without self-loops, of {}",
                                                                  count("max_loopless"))
                                                    : "",
                          count("exhaustive_graphs"), count("random_graphs"),
                          counted(count("max_size"), "vertex", "vertices"))),
              fmt::format("{} connected; checked {}", count("connected"),
                          counted(count("pairs"), "query", "queries")),
              "no graph was large enough"};
    case TestVerdict::Kind::divisions:
      return {covered("exhaustive_inputs", "random_inputs", "input",
                      fmt::format("every dividend at the positions up to {} by every divisor up "
                                  "to it ({}), {} more of at most {}",
                                  count("up_to"), sized("exhaustive_inputs", "input"),
                                  count("random_inputs"), sized("max_length", "position"))),
              "checked " + sized("divisions", "division"), "no input was long enough"};
    case TestVerdict::Kind::computation_graphs:
      return {covered("exhaustive_graphs", "random_graphs", "graph",
                      fmt::format("every graph of at most {} ({}), {} more of at most {}",
                                  sized("up_to", "equation"), count("exhaustive_graphs"),
                                  count("random_graphs"), sized("max_size", "equation"))),
              "checked " + sized("values", "token value"), "no graph was large enough"};
  }
  return {};
}

/// Longer commands than this are not typed again.
constexpr std::size_t kLongestCommand = 2000;

/// How to look at the counterexample.
void print_commands(const TestVerdict& verdict) {
  const std::string& preparation = verdict.counterexample->preparation;
  const std::string& options = verdict.counterexample->options;
  if (options.empty() || preparation.size() + options.size() > kLongestCommand) return;
  const std::string input = shell_word(verdict.file) + " " + options;
  std::cout << "to inspect: " << preparation << (preparation.empty() ? "" : "; ")
            << "logdepth diff " << input << "; logdepth draw " << input << " " << verdict.oracle
            << " -o counterexample.svg\n";
}

/// Limits are the same in all shards; everything else that is a number counts cases.
bool is_limit(const std::string& name) {
  return name == "up_to" || name.starts_with("max_");
}

}  // namespace

TestVerdict merged(const std::vector<TestVerdict>& shards) {
  TestVerdict whole = shards.front();
  for (auto shard = shards.begin() + 1; shard != shards.end(); ++shard) {
    whole.promises += shard->promises;
    std::erase_if(whole.unevaluated, [&](const std::string& head) {
      return std::ranges::count(shard->unevaluated, head) == 0;
    });
    for (const auto& [name, value] : shard->details.items()) {
      json& sum = whole.details.at(name);
      if (value.is_number() && !is_limit(name)) {
        sum = sum.get<std::uint64_t>() + value.get<std::uint64_t>();
      } else if (sum == "") {
        sum = value;  // a note that this shard had reason for
      }
    }
    if (shard->counterexample &&
        (!whole.counterexample || shard->counterexample->number < whole.counterexample->number))
      whole.counterexample = shard->counterexample;
  }
  return whole;
}

int conclude(const TestVerdict& verdict, bool as_json) {
  const auto& example = verdict.counterexample;
  const Wording words = wording(verdict);
  const std::string difference =
      example ? "expected " + example->expected + ", found " + example->got : "";
  if (as_json) {
    json out = verdict.details;
    out.update({{"schema", "logdepth/test/1"},
                {"model", verdict.model},
                {"against", verdict.against},
                {"passed", !example},
                {"seed", verdict.seed},
                {"promises", verdict.promises},
                {"unevaluated", verdict.unevaluated}});
    if (example) {
      out["counterexample"] = example->details;
      out["counterexample"].update({{"expected", example->expected}, {"got", example->got}});
    }
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << (example ? "FAILED" : "passed") << ": against "
              << printable(verdict.against, kMostPrinted) << ", " << words.bound << '\n'
              << words.compared << " and " << counted(verdict.promises, "contract instance")
              << '\n';
    if (const std::string note = verdict.details.value("prefix_note", ""); !note.empty()) {
      if (verdict.details.at("prefixes") == 0)
        std::cout << "no " << verdict.details.at("prefix_kind").get<std::string>()
                  << " was compared: ";
      std::cout << note << '\n';
    }
    for (const std::string& head : verdict.unevaluated)
      std::cout << "never exercised: " << printable(head, kMostPrinted) << " (" << words.too_small
                << ")\n";
    if (example)
      std::cout << "counterexample: " << printable(example->shown, std::string::npos) << " ("
                << example->origin << "): " << printable(difference, kMostPrinted) << '\n';
    if (example) print_commands(verdict);
  }
  std::map<std::string, std::uint64_t> limits;
  for (const auto& [name, value] : verdict.details.items())
    if (is_limit(name) || name.starts_with("random_")) limits[name] = value;
  try {
    // A program of the user's may have been repaired.
    compiler_file::add_check(
        verdict.file, verdict.sha256,
        {"test", verdict.against, words.bound,
         example ? "failed: on " + example->shown + " " + difference : "passed",
         fmt::format("{} and {}; cells, depth and limit at every run", words.compared,
                     counted(verdict.promises, "contract instance")),
         limits},
        verdict.against.starts_with(kCommandOracle));
  } catch (const InputError& error) {
    std::cerr << "logdepth: the result was not recorded: " << error.what() << '\n';
  }
  return example ? kCheckFailed : kDone;
}

}  // namespace logdepth::inline cli
