#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "learned/depth_recurrent/tasks.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph.hpp"
#include "oracle/reachability_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/hop_reference.hpp"
#include "tests/support/refusals.hpp"

// The generators of the hop task: what they promise about distances, about what can be seen within
// fewer steps than hops, and about the order of vertices. Distances by Floyd's algorithm and by the
// reachability oracle.

namespace logdepth::hop_graphs_tests { namespace {

using Generator = HopGenerator;
constexpr Generator kGenerators[] = {Generator::twin, Generator::natural};

CounterRandom random_at(std::uint64_t step, std::uint64_t index) {
  return {laws::seed(), RandomStream::training, step, index};
}

HopGraph drawn(Generator generator, HopGraphSize size, std::uint32_t hops, bool reachable,
               std::uint64_t index) {
  CounterRandom random = random_at(hops, index);
  return hop_graph(generator, size, hops, reachable, random);
}

/// The distance from source to target by Floyd's algorithm, which the oracle must confirm.
std::int32_t distance(const HopGraph& graph) {
  const auto all = laws::floyd_distances(graph.adjacency, graph.vertices);
  const std::int32_t found = all[graph.source * graph.vertices + graph.target];
  const bool reaches = ReachabilityOracle(laws::graph_of(graph.adjacency, graph.vertices))
                           .reaches(graph.source, graph.target);
  EXPECT_EQ(reaches, found >= 0);
  return found;
}

std::size_t edges(const HopGraph& graph) {
  std::size_t count = 0;
  for (const std::uint8_t edge : graph.adjacency) count += edge;
  return count;
}

TEST(HopGraphs, ThePathHasExactlyTheHopsAskedForOrThereIsNone) {
  for (const Generator generator : kGenerators)
    for (const HopGraphSize size : {HopGraphSize{8, 8}, HopGraphSize{14, 8}})
      for (std::uint32_t hops = 1; hops < size.chain; ++hops)
        for (std::uint64_t index = 0; index < 20; ++index) {
          const bool reachable = index % 2 == 1;
          const HopGraph graph = drawn(generator, size, hops, reachable, index);
          ASSERT_EQ(graph.vertices, size.vertices());
          ASSERT_EQ(distance(graph), reachable ? static_cast<std::int32_t>(hops) : -1)
              << generator_name(generator) << ' ' << hops << " hops, sample " << index;
        }
}

RC_GTEST_PROP(HopGraphs, ThePathHasTheHopsAskedForInGraphsOfAnySize, ()) {
  const Generator generator = *rc::gen::element(Generator::twin, Generator::natural);
  const HopGraphSize size{*rc::gen::inRange(2u, 12u), *rc::gen::inRange(0u, 10u)};
  const auto hops = *rc::gen::inRange(1u, most_hops(generator, size) + 1);
  const bool reachable = *rc::gen::arbitrary<bool>();
  const HopGraph graph = drawn(generator, size, hops, reachable, *rc::gen::inRange(0u, 1000000u));
  RC_ASSERT(distance(graph) == (reachable ? static_cast<std::int32_t>(hops) : -1));
  for (std::size_t v = 0; v < graph.vertices; ++v) RC_ASSERT(!graph.has_edge(v, v));
}

RC_GTEST_PROP(HopGraphs, DistancesAreThoseOfFloydsAlgorithm, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 12);
  const auto density = *rc::gen::inRange(0, 60);
  CounterRandom random = random_at(0, *rc::gen::inRange(0u, 1000000u));
  laws::Edges adjacency(n * n);
  for (std::uint8_t& edge : adjacency) edge = random.chance(density / 100.0);
  RC_ASSERT(all_distances(adjacency, n) == laws::floyd_distances(adjacency, n));
}

TEST(HopGraphs, TheLongestDistanceOfAGeneratorIsReached) {
  const HopGraphSize size{4, 2};
  EXPECT_EQ(most_hops(Generator::twin, size), 3u);
  EXPECT_EQ(most_hops(Generator::natural, size), 9u);
  EXPECT_EQ(distance(drawn(Generator::twin, size, 3, true, 0)), 3);
  EXPECT_EQ(distance(drawn(Generator::natural, size, 9, true, 0)), 9);
}

TEST(TwinGraphs, HaveTwoChainsIntoWhichNothingLeadsBack) {
  const HopGraphSize size{8, 8};
  for (std::uint64_t index = 0; index < 200; ++index) {
    const std::uint32_t hops = 1 + index % 7;
    const HopGraph graph = drawn(Generator::twin, size, hops, index % 2 == 1, index);
    // From a chain vertex the way back is the chain: one predecessor each, down to the first.
    const auto way_back = [&](std::size_t v) {
      std::vector<std::size_t> way = {v};
      while (true) {
        std::vector<std::size_t> before;
        for (std::size_t u = 0; u < graph.vertices; ++u)
          if (graph.has_edge(u, way.back())) before.push_back(u);
        EXPECT_LE(before.size(), 1u);
        if (before.empty() || way.size() > graph.vertices) return way;
        way.push_back(before.front());
      }
    };
    const auto from_source = way_back(graph.source), from_target = way_back(graph.target);
    // The target lies `hops` further from the beginning of a chain in both cases.
    ASSERT_EQ(from_target.size(), from_source.size() + hops);
    ASSERT_LE(from_target.size(), size.chain);
    ASSERT_EQ(from_target[hops] == graph.source, index % 2 == 1);
    ASSERT_EQ(from_target.back() == from_source.back(), index % 2 == 1);
  }
}

/// The edges that a vertex can know of after so many steps under the mask: those that leave
/// vertices which it reaches in fewer steps.
std::set<std::pair<std::size_t, std::size_t>> seen(const laws::Edges& adjacency, std::size_t n,
                                                   std::size_t root, std::uint32_t steps) {
  std::set<std::pair<std::size_t, std::size_t>> edges;
  if (steps == 0) return edges;
  const std::vector<bool> inside = laws::ball(adjacency, n, root, steps - 1);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      if (inside[from] && adjacency[from * n + to]) edges.emplace(from, to);
  return edges;
}

/// The proof that fewer than k steps tell nothing: to leave out a_{r+k-1} -> a_{r+k} and
/// b_{r+k-1} -> b_{r+k} and cross them over is a bijection of equally probable graphs that turns
/// the answer around and changes nothing that source or target see within k - 1 steps.
TEST(TwinGraphs, CrossingTheChainsBeforeTheTargetTurnsTheAnswerUnseenInFewerStepsThanHops) {
  const HopGraphSize size{8, 8};
  const std::size_t n = size.vertices();
  for (std::uint64_t index = 0; index < 300; ++index) {
    const std::uint32_t hops = 1 + index % 7;
    const HopGraph joined = drawn(Generator::twin, size, hops, true, index);
    const HopGraph separate = drawn(Generator::twin, size, hops, false, index);
    // The same draws give the same graph and source, so the graph alone tells nothing.
    ASSERT_EQ(joined.adjacency, separate.adjacency);
    ASSERT_EQ(joined.source, separate.source);
    const std::size_t here = joined.target, there = separate.target;
    laws::Edges crossed = joined.adjacency;
    std::size_t before_here = n, before_there = n;
    for (std::size_t v = 0; v < n; ++v) {
      if (joined.has_edge(v, here)) before_here = v;
      if (joined.has_edge(v, there)) before_there = v;
    }
    ASSERT_LT(before_here, n);
    ASSERT_LT(before_there, n);
    crossed[before_here * n + here] = crossed[before_there * n + there] = 0;
    crossed[before_here * n + there] = crossed[before_there * n + here] = 1;
    const auto distances = laws::floyd_distances(crossed, n);
    ASSERT_EQ(distances[joined.source * n + here], -1);
    ASSERT_EQ(distances[joined.source * n + there], static_cast<std::int32_t>(hops));
    for (std::uint32_t steps = 0; steps < hops; ++steps)
      for (const std::size_t root : {std::size_t{joined.source}, here, there}) {
        ASSERT_EQ(seen(joined.adjacency, n, root, steps), seen(crossed, n, root, steps));
        // Nor do source and target see one another, which their roles would tell.
        ASSERT_TRUE(root == here || !laws::ball(joined.adjacency, n, root, steps)[here]);
        ASSERT_TRUE(root == joined.source ||
                    !laws::ball(joined.adjacency, n, root, steps)[joined.source]);
      }
    ASSERT_NE(seen(joined.adjacency, n, joined.source, hops),
              seen(crossed, n, joined.source, hops));
  }
}

TEST(TwinGraphs, HaveTheDensitiesOfTheSpecification) {
  const HopGraphSize size{8, 8};
  double total = 0;
  const int samples = 4000;
  for (std::uint64_t index = 0; index < samples; ++index)
    total += static_cast<double>(edges(drawn(Generator::twin, size, 3, index % 2 == 1, index)));
  // 2 * 7 chain edges, 16 * 8 pairs at 0.08, 8 * 7 pairs at 0.15.
  const double expected = 14 + 128 * 0.08 + 56 * 0.15;
  const double deviation = std::sqrt((128 * 0.08 * 0.92 + 56 * 0.15 * 0.85) / samples);
  EXPECT_NEAR(total / samples, expected, 5 * deviation);
}

/// The mean number of edges with a path less the one without, in standard deviations of that
/// difference. Different draws are taken for the two.
double edges_tell(Generator generator) {
  double sum[2] = {0, 0}, squares[2] = {0, 0};
  const int samples = 3000;
  for (std::uint64_t index = 0; index < 2 * samples; ++index) {
    const bool reachable = index % 2 == 1;
    const auto count = static_cast<double>(edges(drawn(generator, {8, 8}, 4, reachable, index)));
    sum[reachable] += count;
    squares[reachable] += count * count;
  }
  double variance = 0;
  for (const int side : {0, 1})
    variance += (squares[side] / samples - sum[side] * sum[side] / samples / samples) / samples;
  return (sum[1] - sum[0]) / samples / std::sqrt(variance);
}

TEST(HopGraphs, TheNumberOfEdgesTellsTheAnswerOnlyWhereAShortcutIsMeantToBe) {
  EXPECT_LT(std::abs(edges_tell(Generator::twin)), 4.5);
  EXPECT_GT(edges_tell(Generator::natural), 10);
}

TEST(HopGraphs, EveryVertexIsSourceAndTargetEquallyOften) {
  const HopGraphSize size{4, 4};
  const std::size_t n = size.vertices();
  const int samples = 6000;
  for (const Generator generator : kGenerators) {
    std::vector<double> sources(n), targets(n);
    for (std::uint64_t index = 0; index < samples; ++index) {
      const HopGraph graph = drawn(generator, size, 2, index % 2 == 1, index);
      ++sources[graph.source];
      ++targets[graph.target];
    }
    for (const std::vector<double>& counts : {sources, targets}) {
      double chi_square = 0;
      const double expected = samples / static_cast<double>(n);
      for (const double count : counts)
        chi_square += (count - expected) * (count - expected) / expected;
      // 11 degrees of freedom: above 42 with probability 2e-5.
      EXPECT_LT(chi_square, 42) << generator_name(generator);
    }
  }
}

}}  // namespace logdepth::hop_graphs_tests

// The hop task on predictors whose result is known, and what is read off a heatmap.

namespace logdepth::hop_task_tests { namespace {

using Generator = HopTaskConfig::Generator;
using Json = nlohmann::ordered_json;
constexpr Generator kGenerators[] = {Generator::twin, Generator::natural};

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
            R"("largest_solved":4,"generator":"twin"})");
  EXPECT_EQ(task->summary(result),
            "twin, 36 vertices: 4 hops solved; T = 1: 4, T = 3: 1; "
            "0.500 right at 4 hops, T = 3");
  EXPECT_EQ(
      task->summary(task->measure(
          [](const Samples& samples, std::uint32_t) { return within_loops(samples, 1); }, 0, {})),
      "twin, 36 vertices: 1 hop solved; T = 1: 1, T = 3: 1; 0.500 right at 4 hops, T = 3");
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
}

std::string refusal(const HopTaskConfig& config) {
  return support::refusal([&] { config.make_task(1); });
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
}

}}  // namespace logdepth::hop_task_tests
