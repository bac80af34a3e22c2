// The generators of the hop task: what they promise about distances, about what can be seen within
// fewer steps than hops, and about the order of vertices. Distances by Floyd's algorithm and by the
// reachability oracle.

#include "learned/depth_recurrent/hop_graphs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "logdepth/errors.hpp"
#include "objects/graph_distances.hpp"
#include "oracle/reachability_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/hop_reference.hpp"

namespace logdepth::hop_graphs_tests {
namespace {

using Generator = HopGenerator;
constexpr Generator kGenerators[] = {Generator::twin, Generator::natural, Generator::random_pairs};

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

TEST(HopGraphs, TheLongestDistanceOfAGeneratorIsReachedAndNotExceeded) {
  const HopGraphSize size{4, 2};
  EXPECT_EQ(most_hops(Generator::twin, size), 3u);
  EXPECT_EQ(most_hops(Generator::natural, size), 9u);
  EXPECT_EQ(most_hops(Generator::random_pairs, size), 9u);
  EXPECT_EQ(distance(drawn(Generator::twin, size, 3, true, 0)), 3);
  EXPECT_EQ(distance(drawn(Generator::natural, size, 9, true, 0)), 9);
  for (const Generator generator : kGenerators) {
    EXPECT_THROW(drawn(generator, size, most_hops(generator, size) + 1, true, 0),
                 std::invalid_argument);
    EXPECT_THROW(drawn(generator, size, 0, true, 0), std::invalid_argument);
  }
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
  EXPECT_LT(std::abs(edges_tell(Generator::random_pairs)), 4.5);
  EXPECT_GT(edges_tell(Generator::natural), 10);
}

TEST(RandomPairs, TheSameDrawsGiveTheSameGraphWhateverTheAnswer) {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const HopGraph joined = drawn(Generator::random_pairs, {8, 8}, 10, true, index);
    const HopGraph separate = drawn(Generator::random_pairs, {8, 8}, 10, false, index);
    EXPECT_EQ(joined.adjacency, separate.adjacency);
  }
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

TEST(HopGraphs, AreDecidedByTheirCounterAlone) {
  for (const Generator generator : kGenerators) {
    EXPECT_EQ(drawn(generator, {8, 8}, 3, true, 7), drawn(generator, {8, 8}, 3, true, 7));
    EXPECT_NE(drawn(generator, {8, 8}, 3, true, 7), drawn(generator, {8, 8}, 3, true, 8));
    CounterRandom training(5, RandomStream::training, 3, 7);
    CounterRandom validation(5, RandomStream::validation, 3, 7);
    EXPECT_NE(hop_graph(generator, {8, 8}, 3, true, training),
              hop_graph(generator, {8, 8}, 3, true, validation));
  }
}

TEST(RandomPairs, GiveUpWithASentenceWhenNoGraphHasTheDistance) {
  try {
    drawn(Generator::random_pairs, {10, 0}, 19, true, 0);
    FAIL() << "a random graph with a path through all vertices as the shortest";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "task.generator: random-pairs found no graph of 20 vertices with a distance of 19 in "
              "10000 draws, expected fewer hops");
  }
}

}  // namespace
}  // namespace logdepth::hop_graphs_tests
