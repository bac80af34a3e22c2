// The hop task on predictors whose result is known, and what is read off a heatmap.

#include "learned/depth_recurrent/hop_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "learned/report/frontier.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/hop_reference.hpp"

namespace logdepth::hop_task_tests {
namespace {

using Generator = HopTaskConfig::Generator;
using Json = nlohmann::ordered_json;
constexpr Generator kGenerators[] = {Generator::twin, Generator::natural, Generator::random_pairs};

/// The edges and self-loops that sample `i` shows through its view.
laws::Edges view_of(const Samples& samples, std::size_t i) {
  const auto first =
      samples.view.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens * samples.tokens);
  return {first, first + static_cast<std::ptrdiff_t>(samples.tokens * samples.tokens)};
}

/// What moves backwards from the target one edge a step: reached within `loops` steps, or else no.
std::vector<std::int32_t> within_loops(const Samples& samples, std::uint32_t loops) {
  std::vector<std::int32_t> answers;
  for (std::size_t i = 0; i < samples.count; ++i)
    answers.push_back(laws::ball(view_of(samples, i), samples.tokens,
                                 static_cast<std::size_t>(samples.read[2 * i]),
                                 loops)[static_cast<std::size_t>(samples.read[2 * i + 1])]);
  return answers;
}

HopTaskConfig small_config() {
  HopTaskConfig config;
  config.validation = 100;
  return config;
}

TEST(HopTask, OneHopOfInformationAStepGivesExactlyTheIdealHeatmap) {
  for (const Generator generator : kGenerators) {
    HopTaskConfig config = small_config();
    config.generator = generator;
    const auto task = config.make_task(laws::seed());
    const Json result = task->measure(within_loops, 0, {});
    for (std::size_t row = 0; row < config.tested.size(); ++row)
      for (std::size_t column = 0; column < config.test_loops.size(); ++column)
        EXPECT_EQ(result["accuracy"][row][column],
                  config.tested[row] <= config.test_loops[column] ? 1.0 : 0.5);
    EXPECT_EQ(result["largest_solved"], 12);
    EXPECT_EQ(result["frontier"].dump(),
              R"([{"loops":1,"difficulty":1},{"loops":2,"difficulty":2},)"
              R"({"loops":3,"difficulty":3},{"loops":5,"difficulty":5},)"
              R"({"loops":8,"difficulty":8},{"loops":12,"difficulty":12},)"
              R"({"loops":15,"difficulty":12},{"loops":20,"difficulty":12}])");
    std::vector<std::uint32_t> fastest;
    for (const Json& entry : result["fastest"]) fastest.push_back(entry["loops"]);
    EXPECT_EQ(fastest, (std::vector<std::uint32_t>{1, 2, 3, 5, 5, 8, 8, 8, 12, 12, 12, 12}));
    for (const Json& lost : result["overthinking"]) EXPECT_EQ(lost, 0.0);
  }
}

TEST(HopTask, TheResultHasTheStatedKeysAndTheSummaryIsOneSentence) {
  HopTaskConfig config = small_config();
  config.tested = {1, 2, 4};
  config.test_loops = {1, 3};
  const auto task = config.make_task(1);
  // More loops than three hops are forgotten: a model that overthinks.
  const Json result =
      task->measure([](const Samples& samples,
                       std::uint32_t loops) { return within_loops(samples, loops == 3 ? 1 : 4); },
                    0, {});
  EXPECT_EQ(result.dump(),
            R"({"kind":"hops","difficulty":"hops","difficulties":[1,2,4],"loops":[1,3],)"
            R"("samples":100,"threshold":0.95,"accuracy":[[1.0,1.0],[1.0,0.5],[1.0,0.5]],)"
            R"("frontier":[{"loops":1,"difficulty":4},{"loops":3,"difficulty":1}],)"
            R"("largest_solved":4,"overthinking":[0.0,0.5,0.5],)"
            R"("fastest":[{"difficulty":1,"loops":1},{"difficulty":2,"loops":1},)"
            R"({"difficulty":4,"loops":1}],"loop_readings":[],"generator":"twin"})");
  EXPECT_EQ(task->summary(result),
            "twin, 36 vertices: 4 hops solved; T = 1: 4, T = 3: 1; "
            "0.500 right at 4 hops, T = 3");
  EXPECT_EQ(
      task->summary(task->measure(
          [](const Samples& samples, std::uint32_t) { return within_loops(samples, 1); }, 0, {})),
      "twin, 36 vertices: 1 hop solved; T = 1: 1, T = 3: 1; 0.500 right at 4 hops, T = 3");
}

TEST(HopTask, FrontiersAreAskedAtEveryNumberOfHops) {
  const std::vector<std::uint32_t> tested = HopTaskConfig().tested;
  ASSERT_EQ(tested.size(), 12u);
  for (std::uint32_t i = 0; i < tested.size(); ++i) EXPECT_EQ(tested[i], i + 1);
}

TEST(HopTask, EveryNumberOfLoopsSeesTheSameBalancedGraphsInBatchesOfAtMost250) {
  HopTaskConfig config = small_config();
  config.validation = 600;
  config.tested = {2, 3};
  config.test_loops = {1, 7};
  const auto task = config.make_task(3);
  std::map<std::uint32_t, std::vector<std::vector<std::uint8_t>>> views;
  std::vector<std::size_t> counts;
  std::size_t asked = 0, positive = 0, done = 0, total = 0;
  task->measure(
      [&](const Samples& samples, std::uint32_t loops) {
        views[loops].push_back(samples.view);
        counts.push_back(samples.count);
        asked += samples.count;
        for (const std::int32_t target : samples.targets) positive += target == 1;
        return samples.targets;
      },
      0, [&](std::size_t now, std::size_t all) { done = now, total = all; });
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[1], views[7]);
  EXPECT_NE(views[1][0], views[1][1]);
  EXPECT_EQ(counts,
            (std::vector<std::size_t>{250, 250, 250, 250, 100, 100, 250, 250, 250, 250, 100, 100}));
  EXPECT_EQ(2 * positive, asked);
  EXPECT_EQ(done, 1200u);
  EXPECT_EQ(total, 1200u);
}

TEST(HopTask, ATrainingBatchAlternatesAnswersAndDrawsEveryHopCountOfTheRange) {
  HopTaskConfig config;
  config.hardest = 3;
  config.batch = 200;
  for (const Generator generator : kGenerators) {
    config.generator = generator;
    const auto task = config.make_task(laws::seed());
    const Samples samples = task->training_batch(0, 11);
    ASSERT_EQ(samples.count, 200u);
    ASSERT_EQ(samples.tokens, 24u);
    ASSERT_EQ(samples.size, 24u);
    std::map<std::int32_t, int> hops;
    for (std::size_t i = 0; i < samples.count; ++i) {
      ASSERT_EQ(samples.targets[i], static_cast<std::int32_t>(i % 2));
      ++hops[samples.labels[i]];
      laws::Edges view = view_of(samples, i);
      for (std::size_t v = 0; v < samples.tokens; ++v) {
        ASSERT_EQ(view[v * samples.tokens + v], 1);
        const auto place = static_cast<std::int32_t>(v);
        ASSERT_EQ(samples.indices[i * samples.tokens + v], place == samples.read[2 * i]       ? 1
                                                           : place == samples.read[2 * i + 1] ? 2
                                                                                              : 0);
      }
      const auto distance = laws::floyd_distances(
          view, samples.tokens)[static_cast<std::size_t>(samples.read[2 * i]) * samples.tokens +
                                static_cast<std::size_t>(samples.read[2 * i + 1])];
      ASSERT_EQ(distance, i % 2 == 1 ? samples.labels[i] : -1);
    }
    ASSERT_EQ(hops.size(), 3u);
    for (const auto& [hop, count] : hops) EXPECT_GT(count, 35) << hop;
    // Twins without their answers look alike, so what is told apart is the answer alone.
    EXPECT_EQ(task->promoting_accuracy(samples, std::vector<std::int32_t>(200, 1)), 0.5);
  }
}

TEST(HopTask, SamplesDependOnSeedStepAndIndexAlone) {
  HopTaskConfig config;
  const Samples whole = config.make_task(4)->training_batch(0, 2);
  config.batch = 10;
  const auto task = config.make_task(4);
  const Samples part = task->training_batch(0, 2);
  EXPECT_TRUE(std::equal(part.view.begin(), part.view.end(), whole.view.begin()));
  EXPECT_NE(task->training_batch(0, 3).view, part.view);
  EXPECT_NE(config.make_task(5)->training_batch(0, 2).view, part.view);
}

TEST(HopTask, TheFormatUnderTheMaskIsRolesAndAView) {
  HopTaskConfig config;
  TaskFormat expected;
  expected.tables = {3};
  expected.view = TaskFormat::View::given;
  expected.readout = TaskFormat::Readout::pair;
  EXPECT_EQ(config.make_task(1)->format(), expected);
  config.identities = 64;
  expected.tables = {3, 64};
  EXPECT_EQ(config.make_task(1)->format(), expected);
}

TEST(HopTask, IdentitiesAreDistinctInAGraphAndDifferBetweenGraphs) {
  HopTaskConfig config;
  config.identities = 36;
  config.batch = 2;
  const Samples samples = config.make_task(1)->training_batch(0, 0);
  std::vector<std::vector<std::int32_t>> rows(2);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t v = 0; v < 24; ++v) rows[i].push_back(samples.indices[(i * 24 + v) * 2 + 1]);
    const std::set<std::int32_t> distinct(rows[i].begin(), rows[i].end());
    EXPECT_EQ(distinct.size(), 24u);
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LT(*distinct.rbegin(), 36);
  }
  EXPECT_NE(rows[0], rows[1]);
}

TEST(HopTask, WithoutTheMaskTheEdgesAreFeaturesOfTheIdentities) {
  HopTaskConfig config;
  config.identities = 40;
  const Samples masked = config.make_task(6)->training_batch(0, 0);
  config.masked = false;
  const auto task = config.make_task(6);
  TaskFormat expected;
  expected.tables = {3, 40};
  expected.features = 40;
  expected.view = TaskFormat::View::everything;
  expected.readout = TaskFormat::Readout::pair;
  EXPECT_EQ(task->format(), expected);
  const Samples samples = task->training_batch(0, 0);
  EXPECT_TRUE(samples.view.empty());
  EXPECT_EQ(samples.indices, masked.indices);
  ASSERT_EQ(samples.features.size(), samples.count * samples.tokens * 40);
  for (std::size_t i = 0; i < samples.count; ++i)
    for (std::size_t from = 0; from < samples.tokens; ++from) {
      float sum = 0;
      for (std::size_t column = 0; column < 40; ++column)
        sum += samples.features[(i * samples.tokens + from) * 40 + column];
      float degree = 0;
      for (std::size_t to = 0; to < samples.tokens; ++to) {
        const auto identity = samples.indices[(i * samples.tokens + to) * 2 + 1];
        const auto edge = masked.view[(i * samples.tokens + from) * samples.tokens + to];
        ASSERT_EQ(
            samples.features[(i * samples.tokens + from) * 40 + static_cast<std::size_t>(identity)],
            static_cast<float>(edge));
        degree += static_cast<float>(edge);
      }
      ASSERT_EQ(sum, degree);
    }
}

std::string refusal(const HopTaskConfig& config) {
  try {
    config.make_task(1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(HopTask, RefusesSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) {
    HopTaskConfig config;
    change(config);
    return refusal(config);
  };
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(with([](auto& c) { c.hardest = 8; }),
            "task.hardest: expected less than task.chain = 8, found 8");
  EXPECT_EQ(with([](auto& c) { c.hardest = 0; }),
            "task.easiest: expected 1 to task.hardest = 0, found 1");
  EXPECT_EQ(with([](auto& c) { c.generator = Generator::natural, c.hardest = 24; }),
            "task.hardest: expected less than the 24 vertices of 2 * task.chain + "
            "task.pool, found 24");
  EXPECT_EQ(with([](auto& c) {
              c.tested = {1, 14};
            }),
            "task.tested: expected less than task.test_chain = 14, found 14");
  EXPECT_EQ(with([](auto& c) { c.tested = {}; }),
            "task.tested: expected increasing numbers of at least 1");
  EXPECT_EQ(with([](auto& c) {
              c.tested = {2, 2};
            }),
            "task.tested: expected increasing numbers of at least 1");
  EXPECT_EQ(with([](auto& c) {
              c.test_loops = {0, 1};
            }),
            "task.test_loops: expected increasing numbers of at least 1");
  EXPECT_EQ(with([](auto& c) { c.chain = 1; }), "task.chain: expected at least 2");
  EXPECT_EQ(with([](auto& c) { c.test_chain = 600; }),
            "task.test_chain, task.pool: expected at most 1024 vertices");
  EXPECT_EQ(with([](auto& c) { c.pool = 1u << 31; }),
            "task.chain, task.pool: expected at most 1024 vertices");
  EXPECT_EQ(with([](auto& c) { c.batch = 0; }), "task.batch: expected 1 to 65536");
  for (const std::uint32_t validation : {0, 101})
    EXPECT_EQ(with([=](auto& c) { c.validation = validation; }),
              "task.validation: expected an even number of at least 2, half of them true");
  EXPECT_EQ(with([](auto& c) { c.threshold = 0.5; }),
            "task.threshold: expected more than 0.5, which a coin reaches, and at most 1");
  EXPECT_EQ(
      with([](auto& c) { c.identities = 35; }),
      "task.identities: expected 0, or 36 to 65536, one for each vertex of a graph, found 35");
  EXPECT_EQ(with([](auto& c) { c.masked = false; }),
            "task.identities: expected at least 36 where task.masked is false, because the edges "
            "are then read as features of the identities");
}

TEST(Frontier, IsTheLastRowOfAnUnbrokenRunFromTheTop) {
  const AccuracyHeatmap heatmap{
      {1, 2, 4, 8},
      {1, 3, 9},
      {{0.96, 0.94, 1.0}, {0.5, 1.0, 0.95}, {0.97, 1.0, 0.949}, {0.5, 0.5, 0.99}}};
  EXPECT_EQ(frontier(heatmap, 0.95), (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(frontier(heatmap, 0.94), (std::vector<std::uint32_t>{1, 4, 8}));
  EXPECT_EQ(largest_solved(heatmap, 0.95), 8u);
  EXPECT_EQ(largest_solved(heatmap, 0.995), 4u);
  EXPECT_EQ(largest_solved(heatmap, 1.1), 0u);
  using Loops = std::vector<std::optional<std::uint32_t>>;
  EXPECT_EQ(fewest_loops(heatmap, 0.95), (Loops{1, 3, 1, 9}));
  EXPECT_EQ(fewest_loops(heatmap, 0.995), (Loops{9, 3, 3, std::nullopt}));
  const std::vector<double> lost = overthinking(heatmap);
  EXPECT_EQ(lost, (std::vector<double>{0, 1.0 - 0.95, 1.0 - 0.949, 0}));
  EXPECT_EQ(heatmap.at(4, 9), 0.949);
  EXPECT_EQ(heatmap.at(3, 9), std::nullopt);
  EXPECT_EQ(heatmap.at(4, 2), std::nullopt);
}

}  // namespace
}  // namespace logdepth::hop_task_tests
