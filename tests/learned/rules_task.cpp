// ReLIT's task: prompts with an answer of one token, and what is measured, on predictors whose result
// is known.

#include "learned/relit/rules_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learned/records/task.hpp"
#include "learned/relit/relit_tokens.hpp"
#include "logdepth/errors.hpp"
#include "oracle/rule_oracle.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::rules_task_tests {
namespace {

using Json = nlohmann::ordered_json;
using Set = RulesTaskConfig::Set;

std::string words_of(const Samples& samples, std::size_t i) {
  std::string text;
  for (std::size_t k = 0; k < static_cast<std::size_t>(samples.lengths.at(i)); ++k)
    text += (k ? " " : "") +
            relit_words().at(static_cast<std::size_t>(samples.indices.at(i * samples.tokens + k)));
  return text;
}

std::string word(std::int32_t token) {
  return relit_words().at(static_cast<std::size_t>(token));
}

std::int32_t token(const std::string& word) {
  return relit_tokens("").answer(word);
}

RulesTaskConfig small(Set set = Set::rules) {
  RulesTaskConfig config;
  config.set = set;
  config.training_samples = 48;
  config.test_samples = 32;
  config.batch = 10;
  return config;
}

TEST(RulesTask, PromptsEndInTheTokenThatTheAnswerIsReadOff) {
  RulesTaskConfig config = small();
  config.rules.world = RuleWorld::open;
  config.rules.negation = RuleSettings::Negation::rules;
  const auto task = config.make_task(laws::seed());
  const auto vocabulary = static_cast<std::uint32_t>(relit_words().size());
  TaskFormat expected;
  expected.tables = {vocabulary};
  expected.readout = TaskFormat::Readout::one_token;
  expected.outputs = {vocabulary};
  EXPECT_EQ(task->format(), expected);
  const Samples samples = task->training_batch(0, 2);
  ASSERT_EQ(samples.count, 10u);
  ASSERT_EQ(samples.indices.size(), samples.count * samples.tokens);
  std::set<std::int32_t> lengths;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::string text = words_of(samples, i);
    ASSERT_TRUE(text.ends_with(" answer :")) << text;
    ASSERT_EQ(samples.read.at(i), samples.lengths[i] - 1);
    for (auto k = static_cast<std::size_t>(samples.lengths[i]); k < samples.tokens; ++k)
      ASSERT_EQ(samples.indices[i * samples.tokens + k], 0);
    const RuleOracle oracle(text, true);
    ASSERT_EQ(oracle.answer(), word(samples.targets.at(i))) << text;
    ASSERT_EQ(static_cast<std::int32_t>(oracle.depth()), samples.labels.at(i)) << text;
    lengths.insert(samples.lengths[i]);
  }
  EXPECT_EQ(static_cast<std::int32_t>(samples.tokens), *lengths.rbegin());
  EXPECT_GT(lengths.size(), 1u);
}

/// Prompts of an epoch, and how often each label and answer stands there.
struct Epoch {
  std::vector<std::string> prompts;
  std::map<std::pair<std::int32_t, std::string>, int> cells;
};

Epoch epoch(const RulesTaskConfig& config, std::uint64_t first_step, std::size_t skipped) {
  const auto task = config.make_task(7);
  Epoch epoch;
  for (std::uint64_t step = first_step; epoch.prompts.size() < config.training_samples; ++step) {
    const Samples samples = task->training_batch(0, step);
    for (std::size_t i = skipped; i < samples.count; ++i) {
      if (epoch.prompts.size() == config.training_samples) break;
      epoch.prompts.push_back(words_of(samples, i));
      ++epoch.cells[{samples.labels[i], word(samples.targets[i])}];
    }
    skipped = 0;
  }
  return epoch;
}

TEST(RulesTask, EveryEpochHasTheSameBalancedSamplesInAnotherOrder) {
  const Epoch first = epoch(small(), 0, 0);
  const Epoch second = epoch(small(), 4, 8);  // 48 samples end in the middle of the fifth batch
  EXPECT_NE(first.prompts, second.prompts);
  const std::set<std::string> samples(first.prompts.begin(), first.prompts.end());
  EXPECT_EQ(samples.size(), 48u);
  EXPECT_EQ(samples, std::set<std::string>(second.prompts.begin(), second.prompts.end()));
  ASSERT_EQ(first.cells.size(), 8u);
  for (const auto& [cell, count] : first.cells) EXPECT_EQ(count, 6) << cell.second;
}

/// Test prompts as a measurement asks for them.
std::vector<std::string> test_prompts(const RulesTaskConfig& config) {
  std::vector<std::string> prompts;
  config.make_task(7)->measure(
      [&](const Samples& samples, std::uint32_t loops) {
        if (loops == 1)
          for (std::size_t i = 0; i < samples.count; ++i) prompts.push_back(words_of(samples, i));
        return samples.targets;
      },
      0, {});
  return prompts;
}

TEST(RulesTask, TestSamplesAreNotTrainedOn) {
  for (const Set set : {Set::rules, Set::nli}) {
    RulesTaskConfig config = small(set);
    config.training_samples = 600;
    config.test_samples = 300;
    const std::vector<std::string> trained = epoch(config, 0, 0).prompts;
    const std::set<std::string> training(trained.begin(), trained.end());
    const std::vector<std::string> tested = test_prompts(config);
    ASSERT_EQ(tested.size(), 300u);
    for (const std::string& prompt : tested) ASSERT_FALSE(training.contains(prompt)) << prompt;
  }
}

TEST(RulesTask, TheAnswerOfRecordIsTheOneAtTheHalt) {
  RulesTaskConfig config = small();
  config.test_samples = 80;  // two passes, of 50 and 30
  config.macro_steps = 3;
  Predictor predictor = [](const Samples&, std::uint32_t) -> Answers {
    throw std::logic_error("a pass for one number of loops");
  };
  // Right from step depth + 1 on, but for depth 0 no longer at step 3, "." else; halts at depth + 1,
  // at most at 3.
  predictor.answers_after = [](const Samples& samples, const std::vector<std::uint32_t>& loops) {
    EXPECT_EQ(loops, (std::vector<std::uint32_t>{1, 2, 3}));
    std::vector<Answers> answers;
    for (const std::uint32_t loop : loops) {
      Answers& after = answers.emplace_back(samples.targets);
      for (std::size_t i = 0; i < samples.count; ++i)
        if (samples.labels[i] >= static_cast<std::int32_t>(loop) ||
            (samples.labels[i] == 0 && loop == 3))
          after[i] = token(".");
    }
    return answers;
  };
  predictor.loops_taken = [](const Samples& samples) {
    std::vector<std::uint32_t> loops;
    for (const std::int32_t depth : samples.labels)
      loops.push_back(static_cast<std::uint32_t>(std::min(depth + 1, 3)));
    return loops;
  };
  predictor.loop_readings = [](const Samples& samples, std::uint32_t loops) {
    EXPECT_EQ(loops, 3u);
    const double change = samples.count == 50 ? 1 : 0.2;
    return std::vector<LoopReading>{{1, change}, {1, 0.5}, {1, 0.25}};
  };
  const auto task = config.make_task(7);
  const Json result = task->measure(predictor, 0, {});
  EXPECT_EQ(result["kind"], "rules");
  EXPECT_EQ(result["set"], "rules");
  EXPECT_EQ(result["asked"], 80);
  EXPECT_EQ(result["right"], 60);
  EXPECT_EQ(result["mean_halting"], 2.25);
  EXPECT_EQ(result["by_proof_depth"].dump(),
            R"([{"depth":0,"asked":20,"right":20,"mean_halting":1.0},)"
            R"({"depth":1,"asked":20,"right":20,"mean_halting":2.0},)"
            R"({"depth":2,"asked":20,"right":20,"mean_halting":3.0},)"
            R"({"depth":3,"asked":20,"right":0,"mean_halting":3.0}])");
  ASSERT_EQ(result["by_macro_step"].size(), 3u);
  EXPECT_EQ(result["by_macro_step"][0]["right"], 20);
  EXPECT_EQ(result["by_macro_step"][2]["right"], 40);
  EXPECT_DOUBLE_EQ(result["by_macro_step"][0]["change"].get<double>(), 0.7);
  EXPECT_EQ(result["by_macro_step"][1]["change"], 0.5);
  EXPECT_EQ(result["halting"].dump(), "[20,20,40]");
  EXPECT_EQ(result["mean_flips"], 0.75);
  ASSERT_EQ(result["trajectories"].size(), 12u);
  EXPECT_EQ(result["trajectories"][5].dump(),
            R"({"depth":2,"target":"no","answers":[".",".","no"],"halted":3})");
  EXPECT_EQ(task->score(predictor, 0).value, 0.75);
  EXPECT_EQ(task->summary(result),
            "rules: 0.750 of 80 right; depth 0: 1.000; depth 1: 1.000; depth 2: 1.000; depth 3: "
            "0.000; halted after 2.25 of 3 macro steps");
}

TEST(RulesTask, AModelThatDoesNotHaltAnswersAfterItsLastStep) {
  RulesTaskConfig config = small();
  const auto task = config.make_task(7);
  const auto last_only = [](const Samples& samples, std::uint32_t loops) {
    return loops == 3 ? samples.targets : Answers(samples.count, token("unknown"));
  };
  const Json result = task->measure(last_only, 0, {});
  EXPECT_EQ(result["right"], 32);
  EXPECT_EQ(result["mean_halting"], 3.0);
  EXPECT_EQ(result["halting"].dump(), "[0,0,32]");
  EXPECT_TRUE(result["by_macro_step"][0]["change"].is_null());
  EXPECT_EQ(result["mean_flips"], 1.0);
  EXPECT_EQ(task->score_name(), "share of right answers at the halt, 32 test samples");
}

/// A file in the temporary folder that goes away with it.
struct TemporaryFile {
  std::string path;
  TemporaryFile(const std::string& name, const std::string& text)
      : path(std::filesystem::temp_directory_path() / name) {
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

TEST(RulesTask, ReadsQuestionsFromAFileWhoseLastLinesAreTheTest) {
  std::string lines;
  for (const char* answer : {"yes", "no", "unknown", "yes", "no"})
    lines += std::string(R"({"question":"Bob is not )") + rule_attribute(lines.size() % 16) +
             R"( .","answer":")" + answer + R"(","difficulty":)" + std::to_string(lines.size()) +
             "}\n";
  const TemporaryFile file("rules_task_questions.jsonl", lines);
  RulesTaskConfig config = small(Set::file);
  config.questions = file.path;
  config.training_samples = 3;
  config.test_samples = 2;
  config.batch = 3;
  const Samples samples = config.make_task(1)->training_batch(0, 0);
  std::map<std::int32_t, std::string> answers;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(words_of(samples, i),
              "question : Bob is not " +
                  std::string(rule_attribute(static_cast<std::uint32_t>(samples.labels[i]) % 16)) +
                  " . answer :");
    answers[samples.labels[i]] = word(samples.targets[i]);
  }
  std::vector<std::string> in_order;
  for (const auto& [difficulty, answer] : answers) in_order.push_back(answer);
  EXPECT_EQ(in_order, (std::vector<std::string>{"yes", "no", "unknown"}));
  const Json result = config.make_task(1)->measure(
      [](const Samples& test, std::uint32_t) {
        EXPECT_EQ(word(test.targets.at(0)) + word(test.targets.at(1)), "yesno");
        return test.targets;
      },
      0, {});
  EXPECT_EQ(result["set"], "file");
  EXPECT_EQ(result["right"], 2);
}

template <class Change>
std::string refusal_of(Change change) {
  RulesTaskConfig config = small();
  change(config);
  try {
    config.make_task(1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RulesTask, RefusesSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) { return refusal_of(change); };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_EQ(with([](auto& c) {
              c.depths = {2, 1};
            }),
            "task.depths: expected growing numbers from 0 to 5");
  EXPECT_EQ(with([](auto& c) { c.depths = {6}; }),
            "task.depths: expected growing numbers from 0 to 5");
  EXPECT_EQ(with([](auto& c) { c.depths.clear(); }),
            "task.depths: expected growing numbers from 0 to 5");
  EXPECT_EQ(with([](auto& c) { c.macro_steps = 0; }), "task.macro_steps: expected 1 to 1024");
  EXPECT_EQ(with([](auto& c) { c.batch = 0; }), "task.batch: expected 1 to 65536");
  EXPECT_EQ(with([](auto& c) { c.training_samples = 0; }),
            "task.training_samples: expected 1 to 10000000");
  EXPECT_EQ(with([](auto& c) { c.test_samples = 0; }), "task.test_samples: expected 1 to 1000000");
  EXPECT_EQ(with([](auto& c) { c.set = Set::file; }),
            "task.questions: expected a file of JSON lines exactly where task.set is file");
  EXPECT_EQ(with([](auto& c) { c.questions = "a.jsonl"; }),
            "task.questions: expected a file of JSON lines exactly where task.set is file");
  EXPECT_EQ(with([](auto& c) { c.rules.most_words = 30; }).substr(0, 16), "task.most_words:");
  const TemporaryFile two("rules_task_two.jsonl",
                          R"({"question":"Bob is big .","answer":"yes"}
{"question":"Bob is red .","answer":"yes , no"}
)");
  const auto of_file = [&](std::uint32_t training) {
    return with([&](auto& c) {
      c.set = Set::file;
      c.questions = two.path;
      c.training_samples = training;
      c.test_samples = 1;
    });
  };
  EXPECT_EQ(of_file(2), two.path +
                            ": expected 3 questions, task.training_samples and "
                            "task.test_samples, found 2");
  EXPECT_EQ(of_file(1),
            "the words of the task: expected answers of one token, found 'yes , no' with 3");
}

}  // namespace
}  // namespace logdepth::rules_task_tests
