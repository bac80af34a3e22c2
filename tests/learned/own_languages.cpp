#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/ledger/ledger.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

// Word problems of one's own automaton: labels against the oracle of derivatives, names, refusals, and the
// constructions that tables put beside them.

namespace logdepth::own_automaton_tests { namespace {

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

using support::refusal;

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
  const RunReadings readings = config.readings(RecordFields(result, "test"), ModelConfig());
  EXPECT_EQ(readings.size(), 8u);
  EXPECT_EQ(reached(readings), 8);
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

}}  // namespace logdepth::own_automaton_tests

// Word problems of one's own C-RASP program: labels against plain counting, words with both verdicts, names,
// refusals, and the construction that tables put beside them.

namespace logdepth::own_crasp_tests { namespace {

using support::refusal;

std::string example(const std::string& name) {
  return support::source_dir() + "/examples/crasp/" + name + ".crasp";
}

WordTaskConfig config_of(const std::string& file, std::uint32_t max_length = 8) {
  WordTaskConfig config;
  config.monoid.clear();
  config.crasp = file;
  config.positions = WordTaskConfig::Positions::begin;
  config.max_length = max_length;
  config.validation = 200;
  return config;
}

/// Whether a word is in the language of an example, without its program. Letters by their numbers.
using Language = std::function<bool(const Word&)>;

bool is_balanced(const Word& word) {
  int open = 0;
  for (const Letter letter : word)
    if ((open += letter == 0 ? 1 : -1) < 0) return false;
  return open == 0;
}

bool has_more_a(const Word& word) {
  return 2 * std::ranges::count(word, 0u) > static_cast<std::ptrdiff_t>(word.size());
}

bool is_anbncn(const Word& word) {
  const std::size_t n = word.size() / 3;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word.size() % 3 != 0 || word[i] != i / n) return false;
  return true;
}

bool has_spread_a(const Word& word) {
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word[i] == 0 && ((i > 0 && word[i - 1] == 0) || i % 3 == 2)) return false;
  return true;
}

bool has_aba(const Word& word) {
  std::size_t found = 0;
  for (const Letter letter : word) found += found < 3 && letter == (found == 1 ? 1u : 0u);
  return found == 3;
}

const std::map<std::string, Language>& languages() {
  static const std::map<std::string, Language> all = {{"dyck1", is_balanced},
                                                      {"majority", has_more_a},
                                                      {"anbncn", is_anbncn},
                                                      {"positions", has_spread_a},
                                                      {"subsequence", has_aba}};
  return all;
}

void expect_labels(const Labelling& labelling, const Word& word, const Language& accepts) {
  const std::vector<std::uint32_t> labels = labelling.after(word);
  ASSERT_EQ(labels.size(), word.size());
  for (std::size_t i = 0; i < word.size(); ++i)
    ASSERT_EQ(labels[i], accepts(Word(word.begin(), word.begin() + static_cast<int>(i) + 1)))
        << labelling.name << " after letter " << i + 1;
}

/// All words of so many letters, in order.
std::vector<Word> all_words(std::uint32_t letters, std::size_t length) {
  std::vector<Word> words = {{}};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Word> longer;
    for (const Word& word : words)
      for (Letter letter = 0; letter < letters; ++letter) {
        longer.push_back(word);
        longer.back().push_back(letter);
      }
    words = std::move(longer);
  }
  return words;
}

TEST(OwnPrograms, LabelsAreTheVerdictsOnEveryBeginning) {
  for (const auto& [name, accepts] : languages()) {
    const OwnCrasp own = own_crasp(example(name));
    const Labelling labelling = labelling_of(own);
    EXPECT_EQ(labelling.labels, 2u);
    for (const Word& word : all_words(labelling.letters, 8))
      expect_labels(labelling, word, accepts);
    CounterRandom random(5, RandomStream::validation);
    for (int i = 0; i < 20; ++i) {
      Word word(100 + 10 * static_cast<std::size_t>(i));
      for (Letter& letter : word) letter = static_cast<Letter>(random.below(labelling.letters));
      expect_labels(labelling, word, accepts);
    }
  }
}

TEST(OwnPrograms, AVerdictIsSettledWhereNoLetterChangesIt) {
  const auto settled = [](const CraspProgram& program, const Word& word) {
    CraspRun run(program);
    for (const Letter letter : word) run.read(letter);
    return run.settled();
  };
  const CraspProgram dyck1 = own_crasp(example("dyck1")).program;
  EXPECT_EQ(settled(dyck1, {}), std::nullopt);
  EXPECT_EQ(settled(dyck1, {0, 0, 0}), std::nullopt);
  EXPECT_EQ(settled(dyck1, {0, 1, 1}), false);
  const CraspProgram subsequence = own_crasp(example("subsequence")).program;
  EXPECT_EQ(settled(subsequence, {0, 1, 2}), std::nullopt);
  EXPECT_EQ(settled(subsequence, {0, 1, 2, 0, 2}), true);
  // Every kind of count, of a word with three a.
  const std::vector<std::pair<std::string, bool>> of_three = {
      {"#[Q_a] >= 3", true},
      {"#[Q_a] < 3", false},
      {"2 * #[Q_a] - 5 >= 1", true},
      {"0 - #[Q_a] <= -3", true},
      {"-2 * #[Q_a] > -6", false},
      {"#[Q_a] + MOD(i, 3) > 2", true},
      {"min(#[Q_a], 4) <= 2", false},
      {"max(#[Q_a], 3) >= 3 and #[Q_a] > 2", true},
      {"(#[Q_a] > 2 ? #[Q_a] : 0) > 2", true},
      {"#[Q_a] = 2", false},
      {"not #[Q_a] = 2 or Q_b", true}};
  for (const auto& [line, verdict] : of_three) {
    const CraspProgram program = parse_crasp("alphabet a b\nL := " + line + "\n", line);
    EXPECT_EQ(settled(program, {0, 1, 0, 0}), verdict) << line;
  }
}

TEST(OwnPrograms, WordsWithTheSameMemoryAreContinuedWithTheSameVerdicts) {
  std::vector<CraspProgram> programs;
  for (const auto& [name, accepts] : languages())
    programs.push_back(own_crasp(example(name)).program);
  // Positions one by one, up to a distance and beyond one.
  for (const char* counted :
       {"#[j <= i - 2] Q_a(j)", "#[j < i] Q_a(j) - #[j = i - 3] Q_b(j)",
        "#[j >= i - 2] Q_a(j) + MOD(i, 3)", "#[j = i] Q_b(j) + #[j = i - 1] Q_a(j)"})
    programs.push_back(
        parse_crasp("alphabet a b\nL := " + std::string(counted) + " = 2\n", "counted"));
  for (const CraspProgram& program : programs) {
    const auto letters = static_cast<std::uint32_t>(program.alphabet.size());
    const std::vector<Word> words = all_words(letters, 6), endings = all_words(letters, 4);
    std::map<std::vector<std::int64_t>, std::vector<bool>> verdicts;
    for (const Word& word : words) {
      CraspRun run(program);
      for (const Letter letter : word) run.read(letter);
      std::vector<bool> said;
      for (const Word& ending : endings) {
        CraspRun longer = run;
        for (const Letter letter : ending) {
          longer.read(letter);
          said.push_back(longer.accepts());
        }
      }
      const auto [at, added] = verdicts.emplace(run.memory(), said);
      EXPECT_EQ(at->second, said) << program.source;
    }
    EXPECT_LT(verdicts.size(), words.size()) << program.source << ": no two words are alike";
  }
}

class OwnProgramFiles : public testing::Test {
 protected:
  std::string refused(const std::string& text) const {
    folder_.write("own.crasp", text);
    const std::string said = refusal([&] { config_of(folder_.file("own.crasp")).make_task(1); });
    return said.substr(std::min(said.find("own.crasp"), said.size()));
  }
  support::TemporaryFolder folder_;
};

/// Words that are drawn, one per index.
std::vector<Word> drawn(const OwnCrasp& own, std::uint32_t length, std::uint64_t count) {
  const VerdictWords words(own.program, length);
  std::vector<Word> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    CounterRandom random(1, RandomStream::training, 0, i);
    all.push_back(words.draw(length, random));
    EXPECT_EQ(all.back().size(), length);
  }
  return all;
}

TEST(OwnPrograms, WordsAreDrawnUniformlyAmongThoseWithTheVerdict) {
  // Of 256 words of eight brackets 14 are balanced: one of 18 uniform words, but one of four of these.
  std::map<Word, int> balanced, others;
  const std::vector<Word> words = drawn(own_crasp(example("dyck1")), 8, 20000);
  for (const Word& word : words) ++(is_balanced(word) ? balanced : others)[word];
  EXPECT_EQ(balanced.size(), 14u);
  EXPECT_EQ(others.size(), 242u);
  int sum = 0;
  const auto [least, most] =
      std::ranges::minmax_element(balanced, {}, &std::pair<const Word, int>::second);
  for (const auto& [word, count] : balanced) sum += count;
  EXPECT_GT(sum, 5000);  // half of those that are drawn for the last letter, and some of the others
  EXPECT_LT(sum, 8000);
  EXPECT_GT(2 * least->second, most->second);
}

TEST_F(OwnProgramFiles, BothVerdictsOccurWhereUniformWordsHaveOne) {
  struct Case {
    std::string name;
    std::uint32_t length;
  };
  for (const auto& [name, length] : {Case{"dyck1", 64}, Case{"anbncn", 63}, Case{"majority", 33},
                                     Case{"positions", 64}, Case{"subsequence", 64}}) {
    const std::vector<Word> words = drawn(own_crasp(example(name)), length, 400);
    const auto accepted = std::ranges::count_if(words, languages().at(name));
    EXPECT_GT(accepted, 70) << name;
    EXPECT_LT(accepted, 330) << name;
    EXPECT_EQ(words, drawn(own_crasp(example(name)), length, 400)) << name;
  }
  // More beginnings than are kept, of which ten and then ten of the next twenty letters are an a.
  folder_.write("window.crasp", "alphabet a b\nL := #[j >= i - 19] Q_a(j) = 10\n");
  const std::vector<Word> windows = drawn(own_crasp(folder_.file("window.crasp")), 20, 400);
  const auto accepted = std::ranges::count_if(
      windows, [](const Word& word) { return std::ranges::count(word, 0u) == 10; });
  EXPECT_GT(accepted, 90);
  EXPECT_LT(accepted, 330);
  // No verdict is sought that far.
  EXPECT_EQ(drawn(own_crasp(example("dyck1")), 300, 3).size(), 3u);
  // Brackets of odd length are never balanced.
  EXPECT_EQ(std::ranges::count_if(drawn(own_crasp(example("dyck1")), 7, 100), is_balanced), 0);
}

TEST(OwnPrograms, BatchesHaveTheirWordsAndVerdicts) {
  const auto task = config_of(example("dyck1")).make_task(3);
  EXPECT_EQ(task->format().outputs, std::vector<std::uint32_t>{2});
  EXPECT_EQ(task->format().tables, std::vector<std::uint32_t>{3});
  const Samples samples = task->training_batch(2, 5);
  ASSERT_EQ(samples.tokens, 9u);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < samples.count; ++i) {
    Word word;
    for (std::size_t k = 1; k < samples.tokens; ++k) {
      word.push_back(static_cast<Letter>(samples.indices[i * samples.tokens + k]));
      ASSERT_EQ(samples.targets[i * samples.tokens + k], is_balanced(word) ? 1 : 0);
    }
    accepted += is_balanced(word);
  }
  EXPECT_GT(5 * accepted, samples.count);
}

TEST(OwnPrograms, AResultHoldsTheProgramAndWhatOneVerdictAloneReaches) {
  const OwnCrasp own = own_crasp(example("dyck1"));
  EXPECT_TRUE(own.name.starts_with("dyck1-"));
  EXPECT_NE(own.name, own_crasp(example("majority")).name);
  const auto back = crasp_from_json(crasp_to_json(own));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->nodes.size(), own.program.nodes.size());
  EXPECT_EQ(crasp_to_json(own)["letters"], (std::vector<std::string>{"(", ")"}));
  EXPECT_FALSE(crasp_from_json({{"letters", {"a"}}}).has_value());
  EXPECT_FALSE(crasp_from_json({{"program", "alphabet a b"}}).has_value());

  const WordTaskConfig config = config_of(example("dyck1"));
  const auto task = config.make_task(1);
  const auto measured = [&](const std::function<std::int32_t(std::int32_t)>& answer) {
    return task->measure(Predict([&](const Samples& samples, std::uint32_t) {
                           std::vector<std::int32_t> answers = samples.targets;
                           for (std::int32_t& one : answers) one = answer(one);
                           return answers;
                         }),
                         2, {});
  };
  const auto result = measured([](std::int32_t target) { return target; });
  EXPECT_EQ(result["monoid"], own.name);
  EXPECT_EQ(result["crasp"]["program"], own.text);
  EXPECT_EQ(result["strict"], 8);
  ASSERT_EQ(result["accepted"].size(), 8u);
  EXPECT_EQ(result["accepted"][0], 0.0) << "of odd length none is balanced";
  EXPECT_GT(result["accepted"][7], 0.2);
  // Two letters are rejected in three of four words.
  EXPECT_EQ(result["one_verdict"], 1);
  const auto rejecting = measured([](std::int32_t) { return 0; });
  EXPECT_EQ(rejecting["strict"], result["one_verdict"]);
  EXPECT_NE(task->summary(result).find(", n* = 1 of the more frequent verdict alone"),
            std::string::npos)
      << task->summary(result);
  const RunReadings readings = config.readings(RecordFields(result, "test"), ModelConfig());
  EXPECT_EQ(reached(readings), result["strict"].get<double>());
}

TEST(OwnPrograms, SettingsAreThoseOfAProgram) {
  RunConfig config = word_problem("", WordModel::stack, 2);
  config.task.as<WordTaskConfig>().crasp = "dyck1.crasp";
  const auto json = to_json(config);
  EXPECT_EQ(json["task"]["crasp"], "dyck1.crasp");
  EXPECT_FALSE(json["task"].contains("labels"));
  EXPECT_EQ(to_json(run_config_from_json(json, "test")), json);
  config.task.as<WordTaskConfig>().crasp.clear();
  config.task.as<WordTaskConfig>().regex = "(a|b)*abb";
  EXPECT_FALSE(to_json(config)["task"].contains("crasp")) << "runs of automata are as they were";
}

TEST_F(OwnProgramFiles, WhatIsNoTaskIsRefusedByItsFile) {
  EXPECT_EQ(refused("alphabet a\nL := #[Q_a] > 1\n"),
            "own.crasp: expected an alphabet of at least 2 letters, found 'a' alone");
  EXPECT_EQ(
      refused("alphabet a b\nL := #[Q_a] < 0\n"),
      "own.crasp: expected a program that accepts some words of at most 8 letters and rejects "
      "some, found none accepted");
  EXPECT_EQ(
      refused("alphabet a b\nL := #[Q_a] >= 0\n"),
      "own.crasp: expected a program that accepts some words of at most 8 letters and rejects "
      "some, found all accepted");
  EXPECT_NE(refused("alphabet a b\nA := #[Q_a]\n").find("own.crasp"), std::string::npos);
  EXPECT_EQ(refused("alphabet a b\nL := Q_a\n"), "") << "accepted";
  EXPECT_NE(refusal([] { own_crasp("missing.crasp", "--"); }).find("--crasp: "), std::string::npos);
  WordTaskConfig both = config_of(example("dyck1"));
  both.automaton = "parity.fst";
  EXPECT_EQ(refusal([&] { both.make_task(1); }),
            "task.crasp: expected one of task.regex, task.automaton and task.crasp, found "
            "task.automaton as well");
  WordTaskConfig windows = config_of(example("dyck1"));
  windows.teach = WordTaskConfig::Teach::windows;
  EXPECT_NE(refusal([&] { windows.make_task(1); }).find("task.teach: windows"), std::string::npos);
}

TEST(OwnPrograms, ItsConstructionIsCountedAndVerified) {
  ConstructedOptions options;
  options.reachability = false;
  options.up_to = 16;
  options.counting.emplace("dyck1-own", own_crasp(example("dyck1")).program);
  const std::vector<ConstructedDepths> all = constructed_depths(options);
  ASSERT_EQ(all.size(), 1u);
  const ConstructedDepths& depths = all[0];
  EXPECT_EQ(depths.problem, "dyck1-own");
  EXPECT_EQ(depths.construction, "counting program");
  EXPECT_TRUE(depths.built);
  EXPECT_FALSE(depths.failed) << depths.verification;
  EXPECT_NE(depths.verification.find("verified: every word"), std::string::npos)
      << depths.verification;
  EXPECT_EQ(depths.depths, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                               {2, 3}, {4, 3}, {8, 3}, {16, 3}}));
  EXPECT_EQ(depths.slope, 0);
}

}}  // namespace logdepth::own_crasp_tests
