// MS25 Theorem 5.1 for at most a given number of vertices, with quotients at once, against searches in
// the graph.
#include <gtest/gtest.h>

#include <utility>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_bounded_thm5_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/graphs.hpp"
#include "runtime/exact/run_model.hpp"
#include "tests/support/examined_graphs.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::connectivity_bounded_tests {
namespace {

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(program, options).model;
}
Model compiled(std::uint32_t vertices, Norm norm = Norm::rms) {
  return compiled(graph_connectivity_bounded_MS25_thm5_1(vertices), norm);
}

Graph path(std::size_t vertices) {
  Graph graph = support::numbered_graph(vertices);
  for (Vertex v = 0; v + 1 < vertices; ++v) graph.add_edge(v, v + 1);
  return graph;
}

bool follows_path(const Model& model, std::size_t vertices) {
  Runner runner(model);
  const auto stream = runner.run_graph(path(vertices), 0, vertices - 1);
  return runner.connected(stream.value(), 0, vertices - 1).value();
}

TEST(ConnectivityBounded, HasFiveLayersBeforeItsLoopAndAsManyNumbersWhateverTheContract) {
  for (const std::uint32_t vertices : {1u, 8u, 9u, 1000u}) {
    const Model model = compiled(vertices);
    EXPECT_EQ(model.shape, (Shape{5, 1, 1}));
    EXPECT_EQ(measure(model, 1).cells, measure(compiled(1), 1).cells);
    std::size_t loops = 0;
    for (std::size_t n = 1; n <= std::min(vertices, 40u); ++n) {
      while ((std::size_t{1} << loops) + 1 < n) ++loops;
      EXPECT_EQ(measure(model, n).depth, 6 + loops) << n;
    }
  }
}

TEST(ConnectivityBounded, IsRightOnEverySmallGraphWithEverySourceAndTarget) {
  // All of three vertices with a contract in between, 10, are in the ledger.
  for (const auto& [vertices, up_to] :
       {std::pair{3u, 3u}, std::pair{9u, 2u}, std::pair{100u, 2u}}) {
    Bounds bounds;
    bounds.up_to = up_to;
    bounds.random = 8;
    bounds.max_size = 3;
    support::expect_right_on_graphs(examine_graphs(compiled(vertices), {bounds}), "bounded");
  }
}

TEST(ConnectivityBounded, IsRightOnPathsCutsCyclesStarsAndRandomGraphsUpToTheContract) {
  for (const std::uint32_t vertices : {7u, 8u, 9u, 10u}) {
    Bounds bounds;
    bounds.up_to = 1;
    bounds.random = 16;
    bounds.max_size = vertices;
    bounds.seed = 20261123;
    support::expect_right_on_graphs(examine_graphs(compiled(vertices), {bounds}), "bounded");
  }
}

TEST(ConnectivityBounded, IsTheSameUnderMeanSubtractingNorm) {
  Bounds bounds;
  bounds.up_to = 2;
  bounds.random = 8;
  bounds.max_size = 5;
  support::expect_right_on_graphs(examine_graphs(compiled(20, Norm::layernorm), {bounds}),
                                  "bounded");
}

TEST(ConnectivityBounded, GivesEveryTokenItsCoordinates) {
  for (const std::uint32_t vertices : {8u, 16u})
    for (std::size_t n = 1; n <= 8; ++n) {
      Model model = compiled(vertices);
      model.unroll = {Unroll::Kind::fixed, 0, 0, std::nullopt};
      Runner runner(model);
      const auto stream = runner.run_graph(path(n), n / 2, n - 1);
      // Components in the ratio number : L.
      const auto codes = [&](const char* cell, std::size_t token, std::size_t number) {
        const auto& at = model.cells.at(cell).coordinates;
        const Real x = runner.arithmetic().pool()[stream.value().at(token, at[0])];
        const Real w = runner.arithmetic().pool()[stream.value().at(token, at[1])];
        return w.sign() > 0 && x == w.scaled(Rational(static_cast<std::int64_t>(number),
                                                      static_cast<std::int64_t>(vertices / 8)));
      };
      for (std::size_t p = 0; p < stream.value().tokens; ++p) {
        EXPECT_TRUE(codes("I", p, p));
        EXPECT_TRUE(codes("U", p, p / n)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes("J", p, p % n)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes("T", p, p / n / n)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes("K", p, p / n % n)) << "n = " << n << ", token " << p;
      }
    }
}

TEST(ConnectivityBounded, FailsOnThePathWithOneLoopFewerThanStated) {
  for (const std::size_t vertices : {3u, 4u, 6u, 10u}) {
    Model model = compiled(10);
    const std::size_t loops = measure(model, vertices).loops;
    model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
    EXPECT_TRUE(follows_path(model, vertices)) << vertices;
    model.unroll.loops = static_cast<std::uint32_t>(loops - 1);
    EXPECT_FALSE(follows_path(model, vertices)) << vertices;
  }
}

TEST(ConnectivityBounded, DoesAfterEveryLayerWhatItsProgramSays) {
  Graph graph = path(3);
  graph.add_edge(2, 2);
  const Program program = graph_connectivity_bounded_MS25_thm5_1(9);
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    const Model model = compiled(program, norm);
    const auto tokens = tokens_of(model, graph, 1, 0);
    EXPECT_FALSE(first_difference(program, model, tokens.value()).value());
  }
}

/// With L = 1 position 17 of a graph of 9 vertices gets row 2, not 1.
TEST(ConnectivityBounded, IsWrongBeyondEightVerticesForEachL) {
  Program program = graph_connectivity_bounded_MS25_thm5_1(8);
  program.unroll.max_length = 9;
  Bounds bounds;
  bounds.up_to = 1;
  bounds.random = 40;
  bounds.max_size = 9;
  const auto report = examine_graphs(compiled(program), {bounds});
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(report.counterexample->input.graph.size(), 9u);
}

TEST(ConnectivityBounded, RefusesLargerGraphs) {
  const Model model = compiled(9);
  Runner runner(model);
  const auto stream = runner.run_graph(path(10), 0, 9);
  ASSERT_FALSE(stream.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
  EXPECT_THROW(graph_connectivity_bounded_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_bounded_MS25_thm5_1(kMaxBoundedVertices + 1), SizeLimit);
}

// --- the margin: conditions (1) and (2) at the head of the construction's file --------------------

using Polynomial = std::vector<std::int64_t>;  // coefficients, from the constant one

Polynomial times(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1, 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

/// large - small at n = 1 + x has no negative coefficient, so large >= small for every n >= 1.
bool at_least(Polynomial large, Polynomial small) {
  large.resize(std::max(large.size(), small.size()), 0);
  for (std::size_t i = 0; i < small.size(); ++i) large[i] -= small[i];
  Polynomial shifted = {0};
  for (std::size_t i = large.size(); i-- > 0;) {  // Horner
    shifted = times(shifted, {1, 1});
    shifted[0] += large[i];
  }
  return std::all_of(shifted.begin(), shifted.end(), [](std::int64_t c) { return c >= 0; });
}

TEST(ConnectivityBounded, ItsMarginIsBelowWhatAMismatchCostsForEveryNumberOfVertices) {
  const Polynomial A = {1, 0, 1}, B = {2, 2, 1};  // n^2 + 1, (n+1)^2 + 1
  const Polynomial cube = {2, 0, 0, 1};           // n^3 + 2
  EXPECT_TRUE(at_least(times({0, 0, 5}, cube), times(A, B)));
  const Polynomial last = times(times({2, 0, 2}, A), times(B, B));
  EXPECT_TRUE(at_least(times({0, 0, 0, 0, 32}, times(cube, cube)), last));
  EXPECT_FALSE(at_least(times({0, 0, 3}, cube), times(A, B)));  // at n = 1: 9 < 10
}

}  // namespace
}  // namespace logdepth::connectivity_bounded_tests
