// Word problems of one's own automaton: labels against the oracle of derivatives, names, refusals, and the
// constructions that tables put beside them.
#include "learned/word_problems/own_automaton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "learned/records/training_config.hpp"
#include "learned/word_problems/presets.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/ledger/constructed_depths.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::own_automaton_tests {
namespace {

constexpr const char* kEndsInAbb = "(a|b)*abb";

WordTaskConfig config_of(const std::string& regex, WordTaskConfig::Labels labels) {
  WordTaskConfig config;
  config.monoid.clear();
  config.regex = regex;
  config.labels = labels;
  config.positions = WordTaskConfig::Positions::begin;
  config.max_length = 8;
  config.validation = 200;
  return config;
}

std::string refusal(const std::function<void()>& asked) {
  try {
    asked();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Whether a word ends in abb, without an automaton.
bool ends_in_abb(const std::vector<std::int32_t>& word) {
  return word.size() >= 3 &&
         std::equal(word.end() - 3, word.end(), std::vector<std::int32_t>{0, 1, 1}.begin());
}

TEST(OwnAutomata, VerdictsAreThoseOfTheLanguageAfterEveryLetter) {
  const auto task = config_of(kEndsInAbb, WordTaskConfig::Labels::verdicts).make_task(3);
  EXPECT_EQ(task->format().outputs, std::vector<std::uint32_t>{2});
  const Samples samples = task->training_batch(2, 5);
  std::set<std::int32_t> seen;
  for (std::size_t i = 0; i < samples.count; ++i) {
    std::vector<std::int32_t> word;
    for (std::size_t k = 1; k < samples.tokens; ++k) {
      word.push_back(samples.indices[i * samples.tokens + k]);
      const std::int32_t target = samples.targets[i * samples.tokens + k];
      EXPECT_EQ(target, ends_in_abb(word) ? 1 : 0);
      seen.insert(target);
    }
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(OwnAutomata, StatesTellWordsApartThatSomeEndingTellsApart) {
  const auto task = config_of(kEndsInAbb, WordTaskConfig::Labels::states).make_task(3);
  // The longest beginning of abb that the word ends in: none, a, ab, abb.
  EXPECT_EQ(task->format().outputs, std::vector<std::uint32_t>{4});
  const Samples samples = task->training_batch(2, 5);
  for (std::size_t i = 0; i < samples.count; ++i) {
    std::string word;
    for (std::size_t k = 1; k < samples.tokens; ++k) {
      word += samples.indices[i * samples.tokens + k] == 0 ? 'a' : 'b';
      const int state = word.ends_with("abb")  ? 3
                        : word.ends_with("ab") ? 2
                        : word.ends_with("a")  ? 1
                                               : 0;
      EXPECT_EQ(samples.targets[i * samples.tokens + k], state) << word;
    }
  }
}

TEST(OwnAutomata, AResultHoldsTheAutomatonAndItsNameIsThatOfTheAutomaton) {
  const Dfa automaton = own_automaton(kEndsInAbb, "");
  const auto back = automaton_from_json(automaton_to_json(automaton));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(automaton_to_json(*back), automaton_to_json(automaton));
  const std::string name = name_of_automaton(automaton, "");
  EXPECT_TRUE(name.starts_with("regex-"));
  EXPECT_EQ(name, name_of_automaton(own_automaton("(b|a)*abb", ""), ""));
  EXPECT_NE(name, name_of_automaton(own_automaton("(a|b)*aba", ""), ""));
  auto broken = automaton_to_json(automaton);
  broken["next"][0] = 4;
  EXPECT_FALSE(automaton_from_json(broken).has_value());

  const WordTaskConfig config = config_of(kEndsInAbb, WordTaskConfig::Labels::states);
  const auto task = config.make_task(1);
  const auto result = task->measure(
      Predict([](const Samples& samples, std::uint32_t) { return samples.targets; }), 2, {});
  EXPECT_EQ(result["monoid"], name);
  EXPECT_EQ(result["strict"], 8);
  const auto reading = config.depth_reading(RecordFields(result, "test"));
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(reading->problem, name);
  EXPECT_EQ(reading->solvable, true);
}

TEST(OwnAutomata, SettingsOfAnAutomatonAreThereWithoutAMonoidOnly) {
  RunConfig config = word_problem("", WordModel::stack, 2);
  EXPECT_TRUE(to_json(config)["task"].contains("regex"));
  EXPECT_FALSE(to_json(word_problem("S3", WordModel::stack, 2))["task"].contains("regex"));
  config.task.as<WordTaskConfig>().regex = kEndsInAbb;
  config.task.as<WordTaskConfig>().labels = WordTaskConfig::Labels::verdicts;
  const RunConfig again = run_config_from_json(to_json(config), "test");
  EXPECT_EQ(to_json(again), to_json(config));
  EXPECT_EQ(again.task.as<WordTaskConfig>().labels, WordTaskConfig::Labels::verdicts);
}

TEST(OwnAutomata, WhatIsNoTaskIsRefusedByItsSetting) {
  using Labels = WordTaskConfig::Labels;
  const auto made = [](const WordTaskConfig& config) {
    return refusal([&] { config.make_task(1); });
  };
  EXPECT_NE(made(config_of("", Labels::states)).find("task.monoid: expected a group"),
            std::string::npos);
  EXPECT_NE(made(config_of("(a|b", Labels::states)).find("task.regex: "), std::string::npos);
  EXPECT_EQ(
      made(config_of("()", Labels::states)),
      "task.regex: regular expression, column 1: no letter occurs; expected one with letters, "
      "such as (a|b)*abb");
  EXPECT_NE(made(config_of("(a|b)*", Labels::states)).find("a minimal automaton of 1 state"),
            std::string::npos);
  // The letter before the last ten: 2^11 states.
  EXPECT_NE(made(config_of("(a|b)*a(a|b){10}", Labels::states)).find("found 2048"),
            std::string::npos);
  WordTaskConfig both = config_of(kEndsInAbb, Labels::states);
  both.automaton = "parity.fst";
  EXPECT_NE(made(both).find("found both"), std::string::npos);
  WordTaskConfig windows = config_of(kEndsInAbb, Labels::states);
  windows.teach = WordTaskConfig::Teach::windows;
  EXPECT_NE(made(windows).find("task.teach: windows"), std::string::npos);
}

TEST(OwnAutomata, FilesAreRecognisedByTheirContentWhateverTheirName) {
  const support::TemporaryFolder folder;
  const Dfa expected = own_automaton(kEndsInAbb, "");
  const Nfa nfa = nfa_of(expected);
  for (const std::string& text : {write_fst(nfa), write_dot(nfa), write_jff(nfa), write_mata(nfa),
                                  write_automaton_json(nfa)}) {
    folder.write("automaton.txt", text);
    EXPECT_EQ(automaton_to_json(own_automaton("", folder.file("automaton.txt"))),
              automaton_to_json(expected))
        << text;
  }
  folder.write("automaton.txt", "graph [\n]\n");
  EXPECT_NE(refusal([&] {
              own_automaton("", folder.file("automaton.txt"));
            }).find("automaton.txt: the content is GML"),
            std::string::npos);
}

TEST(OwnAutomata, ItsConstructionsAreCountedAndVerified) {
  ConstructedOptions options;
  options.reachability = false;
  options.up_to = 8;
  options.automata.emplace("regex-own", to_action(own_automaton(kEndsInAbb, "")));
  std::set<std::string> names;
  for (const ConstructedDepths& depths : constructed_depths(options)) {
    EXPECT_EQ(depths.problem, "regex-own");
    EXPECT_FALSE(depths.failed) << depths.verification;
    if (depths.form == Form::as_written) continue;
    EXPECT_TRUE(depths.built) << depths.construction << ": " << depths.verification;
    EXPECT_NE(depths.verification.find("verified: every word"), std::string::npos)
        << depths.construction << ": " << depths.verification;
    names.insert(depths.construction);
  }
  EXPECT_TRUE(names.contains("tree"));
  EXPECT_TRUE(names.contains("scan"));
  EXPECT_TRUE(std::ranges::any_of(
      names, [](const std::string& name) { return name.starts_with("radix"); }));
  EXPECT_TRUE(std::ranges::any_of(
      names, [](const std::string& name) { return name.starts_with("cascade"); }));
}

}  // namespace
}  // namespace logdepth::own_automaton_tests
