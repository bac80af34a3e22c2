// MS25 Theorem 5.1 for a given size, two or three times the length a layer, against searches in the
// graph.
#include <gtest/gtest.h>

#include <random>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "constructions/MS25/graph_connectivity_radix_thm5_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/graphs.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/examined_graphs.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::connectivity_radix_tests {
namespace {

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(program, options).model;
}
Model compiled(std::uint32_t size, std::uint32_t radix, Norm norm = Norm::rms) {
  return compiled(graph_connectivity_radix_MS25_thm5_1(size, radix), norm);
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

TEST(ConnectivityRadix, HasOneLayerBesideItsLoopsAndTwoWhereNoLoopRuns) {
  for (const std::uint32_t radix : {2u, 3u})
    for (std::uint32_t n = 1; n <= 10; ++n) {
      const Model model = compiled(n, radix);
      std::size_t loops = 0;
      for (std::size_t reach = 1; reach + 1 < n; reach *= radix) ++loops;
      EXPECT_EQ(model.shape, (Shape{n <= 2 ? 1u : 0u, 1, 1})) << radix << ", n = " << n;
      EXPECT_EQ(measure(model, n).depth, std::max<std::size_t>(loops, 1) + 1)
          << radix << ", n = " << n;
    }
}

TEST(ConnectivityRadix, IsRightOnEveryGraphOfAtMostThreeVerticesWithEverySourceAndTarget) {
  for (const std::uint32_t radix : {2u, 3u})
    for (const std::uint32_t size : {1u, 2u, 3u, 4u}) {
      Bounds bounds;
      bounds.up_to = size == 4 ? 2 : size;  // smaller graphs, filled up
      bounds.random = 0;
      support::expect_right_on_graphs(examine_graphs(compiled(size, radix), {bounds}),
                                      std::to_string(size));
    }
}

TEST(ConnectivityRadix, IsRightOnPathsCutsCyclesStarsAndRandomGraphsOfUpToTenVertices) {
  // 5 and 6, 10 and the lengths of paths around 2^l and 3^l.
  for (const std::uint32_t size : {4u, 5u, 6u, 9u, 10u})
    for (const std::uint32_t radix : {2u, 3u}) {
      Bounds bounds;
      bounds.up_to = 1;
      bounds.random = 12;
      bounds.max_size = size;
      bounds.seed = 20261123;
      support::expect_right_on_graphs(examine_graphs(compiled(size, radix), {bounds}),
                                      std::to_string(size));
    }
}

TEST(ConnectivityRadix, IsTheSameUnderMeanSubtractingNorm) {
  Bounds bounds;
  bounds.up_to = 2;
  bounds.random = 8;
  bounds.max_size = 4;
  for (const std::uint32_t radix : {2u, 3u})
    support::expect_right_on_graphs(examine_graphs(compiled(4, radix, Norm::layernorm), {bounds}),
                                    std::to_string(radix));
}

TEST(ConnectivityRadix, FailsOnThePathWithOneLoopFewerThanStated) {
  for (const std::uint32_t radix : {2u, 3u})
    for (const std::uint32_t size : {4u, 5u, 6u, 10u}) {
      Model model = compiled(size, radix);
      const std::size_t loops = measure(model, size).loops;
      if (loops < 2) continue;  // the only loop also finds s and t
      model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
      EXPECT_TRUE(follows_path(model, size)) << radix << ", " << size;
      model.unroll.loops = static_cast<std::uint32_t>(loops - 1);
      EXPECT_FALSE(follows_path(model, size)) << radix << ", " << size;
    }
}

TEST(ConnectivityRadix, KeepsItsAnswerWithMoreLoopsThanStated) {
  for (const std::uint32_t radix : {2u, 3u}) {
    Model model = compiled(4, radix);
    model.unroll = {Unroll::Kind::fixed, 0, 4, std::nullopt};
    EXPECT_TRUE(follows_path(model, 4));
    Runner runner(model);
    const auto stream = runner.run_graph(path(4), 3, 0);
    EXPECT_FALSE(runner.connected(stream.value(), 3, 0).value());
  }
}

/// C, as the head of the construction's file states it, from breadth-first searches.
class Walks {
 public:
  explicit Walks(const Graph& graph) : graph_(graph) {}
  /// A walk of length 1..longest from i to j.
  bool between(Vertex i, Vertex j, std::size_t longest) const {
    std::vector<bool> reached(graph_.size(), false);
    reached[i] = true;
    for (std::size_t length = 1; length <= longest; ++length) {
      std::vector<bool> next(graph_.size(), false);
      for (Vertex a = 0; a < graph_.size(); ++a)
        for (Vertex b = 0; b < graph_.size(); ++b)
          if (reached[a] && graph_.has_edge(a, b)) next[b] = true;
      if (next[j]) return true;
      reached = next;
    }
    return false;
  }

 private:
  const Graph& graph_;
};

TEST(ConnectivityRadix, HoldsWalksBetweenTheVerticesOfATupleAfterEveryLoop) {
  std::mt19937_64 random(7);
  const std::vector<std::string> names = {"1", "2", "3", "4"};
  const std::size_t n = names.size();
  for (const std::uint32_t radix : {2u, 3u})
    for (int sample = 0; sample < 3; ++sample) {
      const Graph graph = support::random_graph(random, names, 0.25);
      const Walks walks(graph);
      std::size_t longest = 1;
      for (std::uint32_t loops = 1; loops <= 3; ++loops, longest *= radix) {
        Model model = compiled(static_cast<std::uint32_t>(n), radix);
        model.unroll = {Unroll::Kind::fixed, 0, loops, std::nullopt};
        Runner runner(model);
        const auto stream = runner.run_graph(graph, 0, 1);
        const std::size_t tuples = radix == 2 ? n * n * n : n * n * n * n;
        for (std::size_t p = 0; p < tuples; ++p) {
          std::vector<Vertex> v;
          for (std::size_t rest = p; v.size() <= radix; rest /= n)
            v.insert(v.begin(), static_cast<Vertex>(rest % n));
          bool expected = walks.between(v[0], v[1], longest) && walks.between(v[1], v[2], longest);
          if (radix == 3)
            expected = expected && (v[2] == v[3] || walks.between(v[2], v[3], longest));
          const auto at = model.cells.at("C").coordinates.front();
          EXPECT_EQ(runner.arithmetic().pool()[stream.value().at(p, at)], Real(expected ? 1 : -1))
              << radix << ", " << loops << " loops, token " << p;
        }
      }
    }
}

TEST(ConnectivityRadix, DoesAfterEveryLayerWhatItsProgramSays) {
  Graph graph = path(3);
  graph.add_edge(2, 2);
  for (const std::uint32_t radix : {2u, 3u})
    for (const std::uint32_t size : {2u, 3u})
      for (const Norm norm : {Norm::rms, Norm::layernorm}) {
        const Program program = graph_connectivity_radix_MS25_thm5_1(size, radix);
        const Model model = compiled(program, norm);
        const auto tokens = tokens_of(model, size == 3 ? graph : path(2), 1, 0);
        EXPECT_FALSE(first_difference(program, model, tokens.value()).value())
            << radix << ", " << size;
      }
}

/// Without tuples that stay where they are, a path of two edges has no third step.
TEST(ConnectivityRadix, IsWrongOnAPathOfTwoEdgesWhereNoTupleMayStay) {
  Program program = graph_connectivity_radix_MS25_thm5_1(3, 3);
  const CellId stay = program.find("stay").value();
  for (auto& row : program.table)
    for (TableFill& fill : row)
      if (fill.cell == stay) fill.value = 0;
  EXPECT_FALSE(follows_path(compiled(program), 3));
  EXPECT_TRUE(follows_path(compiled(3, 3), 3));
}

TEST(ConnectivityRadix, TakesSmallerGraphsAndRefusesLargerOnesAndOtherRadices) {
  for (const std::uint32_t radix : {2u, 3u}) {
    const Model model = compiled(5, radix);
    for (const std::size_t vertices : {1u, 2u, 3u, 5u}) EXPECT_TRUE(follows_path(model, vertices));
    Runner runner(model);
    const auto stream = runner.run_graph(path(6), 0, 5);
    ASSERT_FALSE(stream.has_value());
    EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
  }
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(0, 3), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(4, 1), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(4, 4), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(11, 3), SizeLimit);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(25, 2), SizeLimit);
}

TEST(ConnectivityRadix, IsTheSameProgramAndTheSameFileReadBack) {
  for (const std::uint32_t radix : {2u, 3u}) {
    const Program program = graph_connectivity_radix_MS25_thm5_1(3, radix);
    EXPECT_EQ(parse_program(print_program(program), "printed"), program);
    const Model model = compiled(program);
    const std::string text = write_weights(model);
    EXPECT_NE(text.find(radix == 2 ? "\"n3-n2\"" : "\"n4-n2\""), std::string::npos);
    EXPECT_EQ(write_weights(parse_weights(text, "written")), text);
  }
}

TEST(ConnectivityRadix, IsRationalThroughout) {
  const Model model = compiled(4, 3);
  Runner runner(model);
  const auto stream = runner.run_graph(path(4), 0, 3);
  for (std::size_t token = 0; token < stream.value().tokens; ++token)
    for (std::size_t c = 0; c < stream.value().width; ++c)
      EXPECT_TRUE(runner.arithmetic().pool()[stream.value().at(token, c)].is_rational());
}

}  // namespace
}  // namespace logdepth::connectivity_radix_tests
