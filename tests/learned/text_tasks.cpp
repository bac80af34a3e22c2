// The tasks on expressions and family text, and what all tasks with difficulties measure, on
// predictors whose result is known.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "learned/depth_recurrent/expression_task.hpp"
#include "learned/depth_recurrent/family_task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/expression_reference.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::text_tasks_tests {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<std::uint32_t>;

/// The tokens of sample `i` without padding; the padding is looked at.
std::vector<std::int32_t> tokens_of(const Samples& samples, std::size_t i) {
  const auto begin = samples.indices.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens);
  const auto length = static_cast<std::size_t>(samples.lengths.at(i));
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  EXPECT_LE(length, samples.tokens);
  for (auto rest = end; rest != begin + static_cast<std::ptrdiff_t>(samples.tokens); ++rest)
    EXPECT_EQ(*rest, 0);
  for (auto token = begin; token != end; ++token) EXPECT_GT(*token, 0);
  EXPECT_EQ(*begin, 1) << "[CLS]";
  return {begin, end};
}

std::string expression_of(const Samples& samples, std::size_t i) {
  std::string text;
  for (const std::int32_t token : tokens_of(samples, i))
    if (token > 1) text += std::string("()TF&|!").at(static_cast<std::size_t>(token - 2));
  return text;
}

/// A model that evaluates one level of operators in a loop, and says no to what is deeper.
Answers a_level_a_loop(const Samples& samples, std::uint32_t loops) {
  Answers answers;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::string text = expression_of(samples, i);
    answers.push_back(laws::ExpressionTree(text).depth() <= loops && laws::rewritten_value(text));
  }
  return answers;
}

TEST(ExpressionTask, ATrainingBatchIsReadOffItsFirstTokenAndPaddedToItsLongest) {
  ExpressionTaskConfig config;
  config.batch = 200;
  const auto task = config.make_task(laws::seed());
  TaskFormat expected;
  expected.tables = {9};
  expected.view = TaskFormat::View::everything;
  expected.readout = TaskFormat::Readout::one_token;
  EXPECT_EQ(task->format(), expected);
  const Samples samples = task->training_batch(0, 5);
  ASSERT_EQ(samples.count, 200u);
  EXPECT_EQ(samples.indices.size(), samples.count * samples.tokens);
  EXPECT_EQ(samples.read, std::vector<std::int32_t>(200, 0));
  std::size_t longest = 0;
  std::map<std::int32_t, int> depths;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::string text = expression_of(samples, i);
    longest = std::max(longest, text.size() + 1);
    ASSERT_EQ(samples.targets[i], static_cast<std::int32_t>(i % 2));
    ASSERT_EQ(laws::rewritten_value(text), i % 2 == 1) << text;
    ASSERT_EQ(static_cast<std::int32_t>(laws::ExpressionTree(text).depth()), samples.labels[i]);
    ++depths[samples.labels[i]];
  }
  EXPECT_EQ(samples.tokens, longest);
  ASSERT_EQ(depths.size(), 4u);
  for (const auto& [depth, count] : depths) EXPECT_GT(count, 25) << depth;
}

TEST(ExpressionTask, ALevelALoopGivesExactlyTheIdealHeatmap) {
  ExpressionTaskConfig config;
  config.validation = 100;
  const auto task = config.make_task(laws::seed());
  const Json result = task->measure(a_level_a_loop, 0, {});
  EXPECT_EQ(result["kind"], "expressions");
  EXPECT_EQ(result["difficulty"], "depth");
  EXPECT_EQ(result["difficulties"], config.tested);
  for (std::size_t row = 0; row < config.tested.size(); ++row) {
    for (std::size_t column = 0; column < config.test_loops.size(); ++column)
      EXPECT_EQ(result["accuracy"][row][column],
                config.tested[row] <= config.test_loops[column] ? 1.0 : 0.5);
    const double decided = result["decided_in_two_rounds"][row];
    if (config.tested[row] <= 2) {
      EXPECT_EQ(decided, 1.0);
    } else {
      EXPECT_NEAR(decided, 0.28, 0.15) << "depth " << config.tested[row];
    }
  }
  EXPECT_EQ(result["largest_solved"], 8);
  EXPECT_EQ(task->summary(result),
            "nested expressions: depth 8 solved; T = 1: 1, T = 2: 2, T = 4: 4, T = 6: 6, T = 8: 8, "
            "T = 10: 8, T = 12: 8, T = 16: 8; 1.000 right at depth 4, T = 16");
  EXPECT_EQ(task->score(a_level_a_loop, 0).value, 1.0);
  EXPECT_EQ(
      task->score([](const Samples& samples, std::uint32_t) { return Answers(samples.count, 1); },
                  0)
          .value,
      0.5);
  EXPECT_EQ(task->score_name(), "share of right answers, depth 4 at T = 16");
}

TEST(ExpressionTask, AllNumbersOfLoopsAreOnePassAndTheLoopsAreReadAtTheLargest) {
  ExpressionTaskConfig config;
  config.validation = 300;
  config.tested = {2, 5};
  config.test_loops = {3, 7};
  const auto task = config.make_task(1);
  Predictor predictor = [](const Samples&, std::uint32_t) -> Answers {
    throw std::logic_error("a pass for one number of loops");
  };
  std::vector<std::pair<std::int32_t, std::size_t>> passes;
  predictor.answers_after = [&](const Samples& samples, const Numbers& loops) {
    EXPECT_EQ(loops, config.test_loops);
    passes.emplace_back(samples.labels.front(), samples.count);
    return std::vector<Answers>{samples.targets, Answers(samples.count, 0)};
  };
  predictor.loop_readings = [&](const Samples& samples, std::uint32_t loops) {
    EXPECT_EQ(std::set(samples.labels.begin(), samples.labels.end()), std::set<std::int32_t>{4});
    EXPECT_EQ(loops, 7u);
    return std::vector<LoopReading>{{0.125, 2}, {0.25, 0.5}};
  };
  const Json result = task->measure(predictor, 0, {});
  EXPECT_EQ(passes, (std::vector<std::pair<std::int32_t, std::size_t>>{
                        {2, 250}, {2, 50}, {5, 250}, {5, 50}}));
  EXPECT_EQ(result["accuracy"].dump(), "[[1.0,0.5],[1.0,0.5]]");
  EXPECT_EQ(result["overthinking"].dump(), "[0.5,0.5]");
  EXPECT_EQ(result["loop_readings"].dump(),
            R"([{"gate_share":0.125,"change":2.0},{"gate_share":0.25,"change":0.5}])");
}

TEST(FamilyTask, ReadsTheTwoNamesOfTheQuestionThatIsLast) {
  FamilyTaskConfig config;
  config.batch = 100;
  const auto task = config.make_task(laws::seed());
  const auto words = family_vocabulary(config.families);
  TaskFormat expected;
  expected.tables = {static_cast<std::uint32_t>(words.size())};
  expected.view = TaskFormat::View::everything;
  expected.readout = TaskFormat::Readout::pair;
  EXPECT_EQ(task->format(), expected);
  const Samples samples = task->training_batch(0, 3);
  const std::set<std::string> names(words.end() - config.families.names, words.end());
  std::set<std::int32_t> depths;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const auto tokens = tokens_of(samples, i);
    for (const std::size_t side : {0, 1}) {
      const auto place = static_cast<std::size_t>(samples.read.at(2 * i + side));
      ASSERT_TRUE(names.contains(words.at(static_cast<std::size_t>(tokens.at(place)))));
      // Behind the last full stop there is the question.
      for (std::size_t after = place; after < tokens.size(); ++after)
        ASSERT_NE(words.at(static_cast<std::size_t>(tokens[after])), ".");
    }
    ASSERT_LT(samples.read[2 * i], samples.read[2 * i + 1]);
    ASSERT_EQ(words.at(static_cast<std::size_t>(tokens.back())), "?");
    ASSERT_EQ(samples.targets[i], static_cast<std::int32_t>(i % 2));
    depths.insert(samples.labels[i]);
  }
  EXPECT_EQ(depths, (std::set<std::int32_t>{2, 3}));
}

TEST(FamilyTask, IsMeasuredByDepthAndLoops) {
  FamilyTaskConfig config;
  config.validation = 20;
  const auto task = config.make_task(2);
  const Json result = task->measure(
      [](const Samples& samples, std::uint32_t loops) {
        return samples.labels.front() <= static_cast<std::int32_t>(loops)
                   ? samples.targets
                   : Answers(samples.count, 1);
      },
      0, {});
  EXPECT_EQ(result["kind"], "families");
  EXPECT_EQ(result["difficulties"].dump(), "[2,3,4,5]");
  EXPECT_EQ(result["accuracy"][3].dump(), "[0.5,0.5,0.5,1.0,1.0,1.0,1.0]");
  EXPECT_EQ(task->score_name(), "share of right answers, depth 3 at T = 12");
}

template <class Config, class Change>
std::string refusal_of(Change change) {
  Config config;
  change(config);
  try {
    config.make_task(1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ExpressionTask, RefusesSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) { return refusal_of<ExpressionTaskConfig>(change); };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_EQ(with([](auto& c) { c.easiest = 0; }),
            "task.easiest: expected 1 to task.hardest = 4, found 0");
  EXPECT_EQ(with([](auto& c) {
              c.tested = {0, 1};
            }),
            "task.tested: expected increasing numbers of at least 1");
  EXPECT_EQ(with([](auto& c) { c.hardest = 65; }),
            "task.hardest: expected depths up to 64, found 65");
  EXPECT_EQ(with([](auto& c) { c.expressions.sibling_depth = 7; }),
            "task.sibling_depth: expected at most 6");
  EXPECT_EQ(with([](auto& c) { c.expressions.critical = 1.5; }), "task.critical: expected 0 to 1");
  EXPECT_EQ(with([](auto& c) { c.expressions.most_letters = 8; }),
            "task.most_letters: expected room for expressions of depth 6, found none of at most 8 "
            "letters in 10000 draws");
}

TEST(FamilyTask, RefusesDepthsForWhichThereAreTooFewNames) {
  const auto with = [](auto change) { return refusal_of<FamilyTaskConfig>(change); };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_NE(with([](auto& c) { c.tested = {2, 6}; }).find("task.names"), std::string::npos);
  EXPECT_NE(with([](auto& c) { c.hardest = 9; }).find("task.names"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::text_tasks_tests
