// The oracles of graphs and of division: two procedures of Boost.Graph and Warshall's algorithm,
// written here, agree; quotient and remainder obey their law.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "oracle/division_oracle.hpp"
#include "oracle/reachability_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::reachability_tests { namespace {

using namespace support;
using Relation = std::vector<std::vector<bool>>;

Relation warshall(const Graph& graph) {
  Relation reaches(graph.size(), std::vector<bool>(graph.size()));
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      reaches[from][to] = from == to || graph.has_edge(from, to);
  for (Vertex via = 0; via < graph.size(); ++via)
    for (Vertex from = 0; from < graph.size(); ++from)
      for (Vertex to = 0; to < graph.size(); ++to)
        if (reaches[from][via] && reaches[via][to]) reaches[from][to] = true;
  return reaches;
}

void expect_agreement(const Graph& graph) {
  const ReachabilityOracle oracle(graph);
  const Relation expected = warshall(graph);
  ASSERT_EQ(oracle.transitive_closure(), expected) << edge_list_text(graph);
  for (Vertex source = 0; source < graph.size(); ++source)
    for (Vertex target = 0; target < graph.size(); ++target)
      ASSERT_EQ(oracle.reaches(source, target), expected[source][target])
          << edge_list_text(graph) << source << " to " << target;
}

TEST(Reachability, BothProceduresAgreeWithWarshallOnEveryGraphOfThreeVertices) {
  std::size_t graphs = 0;
  for (std::size_t vertices = 0; vertices <= 3; ++vertices)
    for_each_graph(vertices, [&](const Graph& graph) {
      ++graphs;
      expect_agreement(graph);
    });
  EXPECT_EQ(graphs, 1u + 2u + 16u + 512u);
}

TEST(Reachability, BothProceduresAgreeWithWarshallOnRandomGraphs) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t vertices = 1; vertices <= 20; ++vertices)
    for (const double edges_per_vertex : {0.3, 0.8, 1.0, 1.3, 2.0, 5.0}) {
      const Graph names = numbered_graph(vertices);
      for (int sample = 0; sample < 5; ++sample)
        expect_agreement(
            random_graph(random, names.names(),
                         std::min(1.0, edges_per_vertex / static_cast<double>(vertices))));
    }
}

TEST(Reachability, APathReachesForwardsOnlyUntilItIsMadeUndirected) {
  Graph path = numbered_graph(50);
  for (Vertex v = 0; v + 1 < path.size(); ++v) path.add_edge(v, v + 1);
  const ReachabilityOracle one_way(path);
  EXPECT_TRUE(one_way.reaches(0, 49));
  EXPECT_FALSE(one_way.reaches(49, 0));
  EXPECT_TRUE(one_way.reaches(49, 49));
  path.make_undirected();
  EXPECT_TRUE(ReachabilityOracle(path).reaches(49, 0));
}

TEST(Graphs, AnEdgeIsCountedOnceAndEqualityIsThatOfNamesOrderAndEdges) {
  Graph graph;
  const Vertex a = graph.add_vertex("a");
  EXPECT_EQ(graph.add_vertex("b"), 1u);
  EXPECT_EQ(graph.add_vertex("a"), a);
  EXPECT_EQ(graph.vertex("b"), 1u);
  EXPECT_EQ(graph.vertex("c"), std::nullopt);
  graph.add_edge(0, 1);
  graph.add_edge(0, 1);
  graph.add_edge(1, 1);
  EXPECT_EQ(graph.edge_count(), 2u);
  EXPECT_FALSE(graph.has_edge(1, 0));
  Graph undirected = graph;
  undirected.make_undirected();
  EXPECT_EQ(undirected.edge_count(), 3u);
  EXPECT_TRUE(undirected.has_edge(1, 0));
  EXPECT_NE(undirected, graph);
  undirected.make_undirected();
  EXPECT_EQ(undirected.edge_count(), 3u);
}

TEST(Graphs, TheLargestGraphHasTheStatedLimit) {
  Graph graph = numbered_graph(Graph::max_vertices);
  EXPECT_EQ(graph.size(), 4096u);
  EXPECT_EQ(graph.add_vertex("4096"), 4095u);
  EXPECT_THROW(graph.add_vertex("4097"), SizeLimit);
  for (const std::string name : {"", "a\nb", "\xFF", "\x7F", "a\xC3"})
    EXPECT_THROW(graph.add_vertex(name), InputError) << name;
}

TEST(DivisionOracle, QuotientAndRemainderAreTheOnlyOnes) {
  for (std::uint64_t divisor = 1; divisor <= 40; ++divisor) {
    Division expected;  // counted up from 0 / divisor
    for (std::uint64_t dividend = 0; dividend <= 200; ++dividend) {
      EXPECT_EQ(division_oracle(dividend, divisor), expected) << dividend << " / " << divisor;
      if (++expected.remainder == divisor) expected = {expected.quotient + 1, 0};
    }
  }
  EXPECT_THROW(division_oracle(1, 0), InputError);
}

}}  // namespace logdepth::reachability_tests
