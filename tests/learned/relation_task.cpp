// The relation task: targets and distances against oracles, and its measure on predictors whose h*
// is known.

#include "learned/reachability/relation_task.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "oracle/reachability_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/hop_reference.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::relation_task_tests { namespace {

using Json = nlohmann::ordered_json;

/// The edges with self-loops that sample `i` shows.
laws::Edges edges_of(const Samples& samples, std::size_t i) {
  const std::size_t n = samples.size;
  laws::Edges edges;
  for (std::size_t pair = 0; pair < n * n; ++pair)
    edges.push_back(samples.features[i * n * n + pair] == 1.0F);
  return edges;
}

/// Answers yes up to a distance.
Predict up_to(std::int32_t limit) {
  return [=](const Samples& samples, std::uint32_t loops) {
    EXPECT_EQ(loops, 0u);  // the rule of the model
    const std::size_t each = samples.size * samples.size;
    std::vector<std::int32_t> answers(samples.targets.size(), 1);
    for (std::size_t i = 0; i < samples.count; ++i) {
      const auto distances = laws::floyd_distances(edges_of(samples, i), samples.size);
      for (std::size_t pair = 0; pair < distances.size(); ++pair)
        answers[i * each + pair] = distances[pair] >= 0 && distances[pair] <= limit;
    }
    return answers;
  };
}

RelationTaskConfig small_config(std::uint32_t vertices = 16) {
  RelationTaskConfig config;
  config.vertices = vertices;
  config.batch = 20;
  config.validation = 130;
  return config;
}

TEST(RelationTask, TargetsAreTheClosureAndLabelsTheDistances) {
  for (const std::uint32_t vertices : {16u, 5u}) {
    const RelationTaskConfig config = small_config(vertices);
    const auto task = config.make_task(laws::seed());
    const Samples samples = task->training_batch(0, 3);
    const std::size_t n = config.vertices, each = n * n;
    ASSERT_EQ(samples.count, 20u);
    ASSERT_EQ(samples.size, n);
    ASSERT_EQ(samples.targets.size(), samples.count * each);
    ASSERT_EQ(samples.labels.size(), samples.targets.size());
    for (std::size_t i = 0; i < samples.count; ++i) {
      const laws::Edges edges = edges_of(samples, i);
      const auto closure = ReachabilityOracle(laws::graph_of(edges, n)).transitive_closure();
      const auto distances = laws::floyd_distances(edges, n);
      for (std::size_t pair = 0; pair < n * n; ++pair) {
        ASSERT_EQ(samples.targets[i * each + pair], closure[pair / n][pair % n]);
        ASSERT_EQ(samples.labels[i * each + pair], distances[pair]);
      }
    }
  }
}

TEST(RelationTask, ARowTokenIsAVertexWithItsIdentityAndItsSuccessors) {
  const auto task = small_config().make_task(1);
  TaskFormat expected;
  expected.tables = {16};
  expected.features = 16;
  expected.view = TaskFormat::View::everything;
  expected.answer = TaskFormat::Answer::bits;
  expected.outputs = {16};
  EXPECT_EQ(task->format(), expected);
  const Samples samples = task->training_batch(0, 0);
  ASSERT_EQ(samples.tokens, 16u);
  ASSERT_EQ(samples.indices.size(), 20u * 16);
  for (std::size_t k = 0; k < samples.indices.size(); ++k) {
    ASSERT_EQ(samples.indices[k], static_cast<std::int32_t>(k % 16));
    ASSERT_EQ(samples.features[k * 16 + k % 16], 1.0F);
  }
}

RC_GTEST_PROP(RelationTask, GraphsHaveTheEdgesAskedForAndNoSelfLoops, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 30);
  const auto edges = *rc::gen::inRange<std::size_t>(0, n * (n - 1) + 1);
  CounterRandom random(*rc::gen::arbitrary<std::uint64_t>(), RandomStream::training);
  const auto adjacency = drawn_graph(n, edges, random);
  RC_ASSERT(std::ranges::count(adjacency, 1) == static_cast<std::ptrdiff_t>(edges));
  for (std::size_t v = 0; v < n; ++v) RC_ASSERT(adjacency[v * n + v] == 0);
}

TEST(RelationTask, GraphsOfEquallyManyEdgesAreEquallyLikely) {
  std::map<std::vector<std::uint8_t>, int> drawn;
  constexpr int kTimes = 20000, kGraphs = 15;  // two of the six edges over three vertices
  for (std::uint64_t index = 0; index < kTimes; ++index) {
    CounterRandom random(laws::seed(), RandomStream::training, 0, index);
    ++drawn[drawn_graph(3, 2, random)];
  }
  EXPECT_EQ(drawn.size(), static_cast<std::size_t>(kGraphs));
  const double expected = 1.0 * kTimes / kGraphs;
  for (const auto& [graph, times] : drawn) EXPECT_NEAR(times, expected, 5 * std::sqrt(expected));
}

TEST(RelationTask, ManyPairsAreStillJoinedWhicheverEdgeIsLeftOut) {
  const auto task = small_config().make_task(laws::seed());
  const Samples samples = task->training_batch(0, 0);
  std::size_t joined = 0, always = 0;
  for (std::size_t i = 0; i < samples.count; ++i) {
    laws::Edges edges = edges_of(samples, i);
    ASSERT_EQ(std::ranges::count(edges, 1), 16 + 24) << "self-loops and 1.5 edges a vertex";
    const auto all = laws::floyd_distances(edges, 16);
    std::vector<bool> kept(256, true);
    for (std::size_t edge = 0; edge < 256; ++edge) {
      if (edges[edge] == 0) continue;
      edges[edge] = 0;
      const auto fewer = laws::floyd_distances(edges, 16);
      edges[edge] = 1;
      for (std::size_t pair = 0; pair < 256; ++pair) kept[pair] = kept[pair] && fewer[pair] >= 0;
    }
    for (std::size_t pair = 0; pair < 256; ++pair) {
      joined += all[pair] >= 2;
      always += all[pair] >= 2 && kept[pair];
    }
  }
  EXPECT_NEAR(static_cast<double>(joined) / (20 * 256), 0.31, 0.1);
  EXPECT_GT(always, joined / 10);
}

TEST(RelationTask, SamplesDependOnSeedStreamStepAndIndexAlone) {
  RelationTaskConfig config = small_config();
  const Samples whole = config.make_task(4)->training_batch(0, 2);
  config.batch = 7;
  const auto task = config.make_task(4);
  const Samples part = task->training_batch(0, 2);
  EXPECT_TRUE(std::equal(part.features.begin(), part.features.end(), whole.features.begin()));
  EXPECT_NE(task->training_batch(0, 3).features, part.features);
  EXPECT_NE(config.make_task(5)->training_batch(0, 2).features, part.features);
  EXPECT_NE(config.make_task(4)->training_batch(0, 0).features, [&] {
    std::vector<float> measured;
    task->measure(
        [&](const Samples& samples, std::uint32_t) {
          if (measured.empty()) measured = samples.features;
          return samples.targets;
        },
        0, {});
    return measured;
  }());
}

TEST(RelationTask, TheMeasuredGraphsAreNewInEveryBatchAndDoNotDependOnItsSize) {
  const auto measured = [](std::uint32_t batch) {
    RelationTaskConfig config = small_config();
    config.batch = batch;
    std::vector<float> features;
    config.make_task(9)->measure(
        [&](const Samples& samples, std::uint32_t) {
          features.insert(features.end(), samples.features.begin(), samples.features.end());
          return samples.targets;
        },
        0, {});
    return features;
  };
  const std::vector<float> features = measured(20);
  ASSERT_EQ(features.size(), 130u * 256);
  EXPECT_FALSE(
      std::equal(features.begin(), features.begin() + 20 * 256, features.begin() + 20 * 256));
  EXPECT_EQ(features, measured(33));
}

TEST(RelationTask, APredictorOfDistancesUpToHHasItAsItsReach) {
  for (const std::uint32_t vertices : {16u, 5u}) {
    const auto task = small_config(vertices).make_task(laws::seed());
    for (const std::int32_t h : {0, 1, 2}) {
      const Json result = task->measure(up_to(h), 0, {});
      EXPECT_EQ(result["h"], h);
      EXPECT_EQ(result["censored"], false);
      EXPECT_EQ(result["false_positives"], 0.0);
      for (std::size_t d = 0; d < result["recall"].size(); ++d)
        EXPECT_EQ(result["recall"][d], static_cast<std::int32_t>(d) <= h ? 1.0 : 0.0);
    }
  }
}

TEST(RelationTask, APerfectPredictorIsCensoredAtTheLargestCountedDistance) {
  const auto task = small_config(5).make_task(laws::seed());
  std::vector<std::size_t> done;
  const Json result = task->measure(up_to(99), 0, [&](std::size_t now, std::size_t all) {
    done.push_back(now);
    EXPECT_EQ(all, 130u);
  });
  EXPECT_EQ(done, (std::vector<std::size_t>{20, 40, 60, 80, 100, 120, 130}));
  const std::vector<std::size_t> pairs = result["pairs"];
  ASSERT_GT(pairs.size(), 3u);
  EXPECT_EQ(pairs[0], 130u * 5);
  EXPECT_EQ(pairs[1], 130u * 8) << "1.5 edges a vertex, rounded";
  const auto few = std::ranges::find_if(pairs, [](std::size_t count) { return count < 20; });
  const auto largest = few - pairs.begin() - 1;
  EXPECT_EQ(result["h"], largest);
  EXPECT_EQ(result["censored"], true);
  EXPECT_EQ(task->summary(result),
            "rows, 5 vertices: h* >= " + std::to_string(largest) + ", false positives 0.000");
}

TEST(RelationTask, OneWhoAlwaysSaysYesHasNoReachForItsFalsePositives) {
  const auto task = small_config().make_task(laws::seed());
  const Json result = task->measure(
      [](const Samples& samples, std::uint32_t) {
        return std::vector<std::int32_t>(samples.targets.size(), 1);
      },
      0, {});
  EXPECT_EQ(result["false_positives"], 1.0);
  EXPECT_EQ(result["recall"][0], 1.0);
  EXPECT_EQ(result["h"], -1);
  EXPECT_EQ(result["censored"], false);
  EXPECT_EQ(task->summary(result), "rows, 16 vertices: no h*, false positives 1.000");
}

TEST(RelationTask, TheResultHasTheStatedKeys) {
  RelationTaskConfig config = small_config();
  config.vertices = 3;
  config.edges_per_vertex = 9;  // all six edges
  const auto task = config.make_task(1);
  const Json result = task->measure(up_to(0), 0, {});
  EXPECT_EQ(result.dump(),
            R"({"kind":"relation","tokens":"rows","vertices":3,"h":0,"censored":false,)"
            R"("recall":[1.0,0.0],"pairs":[390,780],"false_positives":0.0,"graphs":130,)"
            R"("threshold":0.95})");
  EXPECT_EQ(task->summary(result), "rows, 3 vertices: h* = 0, false positives 0.000");
}

RelationScore score_of(const std::vector<std::pair<int, int>>& found_of_pairs, int wrong,
                       int unreachable) {
  RelationScore score;
  for (std::size_t d = 0; d < found_of_pairs.size(); ++d)
    for (int i = 0; i < found_of_pairs[d].second; ++i)
      score.add(static_cast<std::int32_t>(d), i < found_of_pairs[d].first);
  for (int i = 0; i < unreachable; ++i) score.add(-1, i < wrong);
  return score;
}

TEST(RelationScore, DistancesOfFewerThanTwentyPairsAreNotCounted) {
  const RelationScore score = score_of({{100, 100}, {40, 40}, {20, 20}, {19, 19}, {30, 30}}, 0, 9);
  EXPECT_EQ(score.largest_counted(), 2);
  EXPECT_EQ(score.reach(0.95, 0.05), 2);
  EXPECT_EQ(score_of({{19, 19}}, 0, 9).reach(0.95, 0.05), -1);
  EXPECT_EQ(RelationScore().largest_counted(), -1);
}

TEST(RelationScore, ReachNeedsTheThresholdAtEverySmallerDistanceAndFewFalsePositives) {
  const RelationScore score = score_of({{100, 100}, {95, 100}, {94, 100}, {100, 100}}, 5, 100);
  EXPECT_EQ(score.reach(0.95, 0.05), 1);
  EXPECT_EQ(score.reach(0.94, 0.05), 3);
  EXPECT_EQ(score.reach(0.96, 0.05), 0);
  EXPECT_EQ(score.reach(0.95, 0.049), -1);
  EXPECT_EQ(score_of({{90, 100}, {100, 100}}, 0, 100).reach(0.95, 0.05), -1);
}

TEST(RelationTask, RefusesSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) -> std::string {
    RelationTaskConfig config;
    change(config);
    return support::refusal([&] { config.make_task(1); });
  };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  EXPECT_EQ(with([](auto& c) { c.vertices = 1; }), "task.vertices: expected 2 to 1024, found 1");
  for (const double edges : {-1.0, 1024.0, std::nan("")})
    EXPECT_EQ(with([=](auto& c) { c.edges_per_vertex = edges; }),
              "task.edges_per_vertex: expected 0 to 1023");
  EXPECT_EQ(with([](auto& c) { c.batch = 0; }), "task.batch: expected 1 to 65536");
  EXPECT_EQ(with([](auto& c) { c.validation = 0; }), "task.validation: expected at least 1 graph");
  EXPECT_EQ(with([](auto& c) { c.threshold = 0; }),
            "task.threshold: expected more than 0 and at most 1");
  EXPECT_EQ(with([](auto& c) { c.false_positives = 1.5; }),
            "task.false_positives: expected 0 to 1");
}

}}  // namespace logdepth::relation_task_tests
