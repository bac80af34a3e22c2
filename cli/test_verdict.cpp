#include "cli/test_verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

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
    return (verdict.counterexample ? fmt::format("stopped after {} {}",
                                                 count(exhaustive) + chosen + count(random), noun)
                                   : all) +
           fmt::format(", seed {}", verdict.seed);
  };
  switch (verdict.kind) {
    case TestVerdict::Kind::words:
      return {
          covered("exhaustive_words", "random_words", "words",
                  fmt::format("every word of at most {} letters ({}), {} words with one letter "
                              "that differs from the rest, {} random words of at most {} letters",
                              count("up_to"), count("exhaustive_words"), count("chosen_words"),
                              count("random_words"), count("max_length"))),
          count("values") > 0 ? fmt::format("checked {} named values", count("values"))
                              : fmt::format("{} accepted; checked {} {}s", count("accepted"),
                                            count("prefixes"), text("prefix_kind")),
          "no word was long enough"};
    case TestVerdict::Kind::graphs:
      return {covered("exhaustive_graphs", "random_graphs", "graphs",
                      fmt::format(
                          "every graph of at most {} vertices{} ({} up to renaming) with every "
                          "source and target, {} more of at most {} vertices",
                          count("up_to"),
                          count("max_loopless") > 0 ? fmt::format(" and, without self-loops, of {}",
                                                                  count("max_loopless"))
                                                    : "",
                          count("exhaustive_graphs"), count("random_graphs"), count("max_size"))),
              fmt::format("{} connected; checked {} queries", count("connected"), count("pairs")),
              "no graph was large enough"};
    case TestVerdict::Kind::divisions:
      return {covered("exhaustive_inputs", "random_inputs", "inputs",
                      fmt::format("every dividend at the positions up to {} by every divisor up "
                                  "to it ({} inputs), {} more of at most {} positions",
                                  count("up_to"), count("exhaustive_inputs"),
                                  count("random_inputs"), count("max_length"))),
              fmt::format("checked {} divisions", count("divisions")), "no input was long enough"};
    case TestVerdict::Kind::computation_graphs:
      return {covered("exhaustive_graphs", "random_graphs", "graphs",
                      fmt::format("every graph of at most {} equations ({}), {} more of at most {} "
                                  "equations",
                                  count("up_to"), count("exhaustive_graphs"),
                                  count("random_graphs"), count("max_size"))),
              fmt::format("checked {} token values", count("values")), "no graph was large enough"};
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
              << words.compared << " and " << verdict.promises << " contract instances\n";
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
         fmt::format("{} and {} contract instances; cells, depth and limit at every run",
                     words.compared, verdict.promises),
         limits},
        verdict.against.starts_with(kCommandOracle));
  } catch (const InputError& error) {
    std::cerr << "logdepth: the result was not recorded: " << error.what() << '\n';
  }
  return example ? kCheckFailed : kDone;
}

}  // namespace logdepth::inline cli
