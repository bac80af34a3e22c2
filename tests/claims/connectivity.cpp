// MS25 Theorem 5.1: the connectivity constructions against searches in the graph.
#include <gtest/gtest.h>

#include <random>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/graphs.hpp"
#include "runtime/exact/run_model.hpp"
#include "tests/support/examined_graphs.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::connectivity_tests {
namespace {

using Padding = GraphInput::Padding;

struct Form {
  std::string name;
  Program program;
  std::uint32_t initial, repeated, final;
};

/// The uniform forms, and those for graphs of at most `size` vertices.
std::vector<Form> forms(std::uint32_t size) {
  return {
      {"compact, n^3 - n^2",
       graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3_minus_n2), 6, 1, 1},
      {"compact, n^3", graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3), 6, 1,
       1},
      {"paper, n^3", graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3), 6, 2, 1},
      {"paper, n^3 - n^2",
       graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3_minus_n2), 6, 2, 1},
      {"rows", graph_connectivity_rows_MS25_thm5_1(size), 0, 1, 0},
      {"compact, given size", graph_connectivity_sized_MS25_thm5_1(size), 1, 1, 1},
  };
}

Model compiled(const Form& form, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(form.program, options).model;
}

/// And every head was asked.
void expect_right(const Form& form, Norm norm, const Bounds& bounds) {
  const auto report = examine_graphs(compiled(form, norm), {bounds});
  support::expect_right_on_graphs(report, form.name);
  EXPECT_TRUE(report.unevaluated.empty())
      << form.name << ": " << describe(report.unevaluated.front());
}

TEST(Connectivity, HasTheShapeThatItsFileStates) {
  for (const Form& form : forms(9)) {
    const Model model = compiled(form);
    EXPECT_EQ(model.shape, (Shape{form.initial, form.repeated, form.final})) << form.name;
    // A file for one size runs every graph as one of that size.
    for (std::size_t n = form.initial == 6 ? 1 : 9; n <= 9; ++n) {
      std::size_t loops = 0;
      while ((std::size_t{1} << loops) + 1 < n) ++loops;
      EXPECT_EQ(measure(model, n).depth, form.initial + form.repeated * loops + form.final)
          << form.name << ", n = " << n;
    }
  }
}

/// All of three and more vertices are in the ledger (thm-5.1, every form, both norms).
TEST(Connectivity, IsRightOnEveryGraphOfAtMostTwoVerticesAndOnSomeOfThree) {
  Bounds bounds;
  bounds.up_to = 2;
  bounds.random = 8;
  bounds.max_size = 3;  // with fewer vertices no loop runs, and its heads stay unasked
  for (const Form& form : forms(3)) expect_right(form, Norm::rms, bounds);
}

TEST(Connectivity, IsRightOnPathsCutsCyclesStarsAndRandomGraphsOfUpToTenVertices) {
  Bounds bounds;
  bounds.up_to = 1;
  bounds.random = 24;
  bounds.max_size = 10;
  bounds.seed = 20261121;
  for (const Form& form : forms(10)) expect_right(form, Norm::rms, bounds);
}

TEST(Connectivity, IsTheSameUnderMeanSubtractingNorm) {
  Bounds bounds;
  bounds.up_to = 2;
  bounds.random = 8;
  bounds.max_size = 5;
  for (const Form& form : forms(5)) expect_right(form, Norm::layernorm, bounds);
}

Graph path(std::size_t vertices) {
  Graph graph = support::numbered_graph(vertices);
  for (std::size_t v = 0; v + 1 < vertices; ++v)
    graph.add_edge(static_cast<Vertex>(v), static_cast<Vertex>(v + 1));
  return graph;
}

/// Whether the model answers `connected` from one end of the path to the other.
bool follows_path(const Model& model, std::size_t vertices) {
  Runner runner(model);
  const auto stream = runner.run_graph(path(vertices), 0, vertices - 1);
  return runner.connected(stream.value(), 0, vertices - 1).value();
}

/// Reads a cell of a token after a run.
class Cells {
 public:
  Cells(const Model& model, const Graph& graph, std::size_t source, std::size_t target)
      : model_(model), runner_(model), stream_(runner_.run_graph(graph, source, target).value()) {}
  Real at(const std::string& cell, std::size_t token, std::size_t component = 0) const {
    return runner_.arithmetic()
        .pool()[stream_.at(token, model_.cells.at(cell).coordinates.at(component))];
  }
  std::size_t tokens() const { return stream_.tokens; }

 private:
  const Model& model_;
  mutable Runner runner_;
  Stream<ValueId> stream_;
};

/// Stands for the number: the components are a positive multiple of (number, 1).
bool codes(const Cells& cells, const char* cell, std::size_t token, std::size_t number) {
  const Real x = cells.at(cell, token, 0), w = cells.at(cell, token, 1);
  return w.sign() > 0 && x == w.scaled(Rational(static_cast<std::int64_t>(number)));
}

TEST(Connectivity, GivesEveryTokenItsCoordinates) {
  for (const Padding padding : {Padding::n3, Padding::n3_minus_n2})
    for (std::size_t n = 1; n <= 5; ++n) {
      Model model =
          compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, padding)).model;
      model.unroll = {Unroll::Kind::fixed, 0, 0, std::nullopt};
      const std::size_t source = n / 2, target = n - 1;
      const Cells cells(model, path(n), source, target);
      for (std::size_t p = 0; p < cells.tokens(); ++p) {
        const std::size_t u = p / n;
        EXPECT_TRUE(codes(cells, "I", p, p));
        EXPECT_TRUE(codes(cells, "U", p, u)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes(cells, "J", p, p % n)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes(cells, "T", p, u / n)) << "n = " << n << ", token " << p;
        EXPECT_TRUE(codes(cells, "K", p, u % n)) << "n = " << n << ", token " << p;
        EXPECT_EQ(cells.at("W", p, 0),
                  cells.at("W", p, 2).scaled(Rational(static_cast<std::int64_t>(source + 1))));
        EXPECT_EQ(cells.at("W", p, 1),
                  cells.at("W", p, 2).scaled(Rational(static_cast<std::int64_t>(target + 1))));
      }
    }
}

TEST(Connectivity, HoldsWalksThroughAMiddleVertexAfterEveryLoop) {
  std::mt19937_64 random(7);
  const std::vector<std::string> names = {"1", "2", "3", "4", "5"};
  const std::size_t n = names.size();
  for (int sample = 0; sample < 4; ++sample) {
    const Graph graph = support::random_graph(random, names, 0.2);
    // walks[i][j]: a walk of length 1 to 2^(l-1) from i to j, after l loops.
    std::vector<std::vector<bool>> walks(n, std::vector<bool>(n, false));
    for (std::uint32_t loops = 0; loops <= 4; ++loops) {
      for (const Padding padding : {Padding::n3, Padding::n3_minus_n2}) {
        Model model =
            compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, padding)).model;
        model.unroll = {Unroll::Kind::fixed, 0, loops, std::nullopt};
        const Cells cells(model, graph, 0, 1);
        const std::size_t first = padding == Padding::n3 ? n * n : 0;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j)
              EXPECT_EQ(cells.at("C", first + (i * n + k) * n + j),
                        Real(walks[i][k] && walks[k][j] ? 1 : -1))
                  << loops << " loops, " << i << ' ' << k << ' ' << j;
      }
      const auto before = walks;
      for (Vertex i = 0; i < n; ++i)
        for (Vertex j = 0; j < n; ++j) {
          walks[i][j] = graph.has_edge(i, j);
          for (std::size_t k = 0; k < n; ++k)
            walks[i][j] = walks[i][j] || (before[i][k] && before[k][j]);
        }
    }
  }
}

TEST(Connectivity, FailsOnThePathWithOneLoopFewerThanStated) {
  for (const std::size_t vertices : {3u, 4u, 5u, 6u, 9u})
    for (const Form& form : forms(static_cast<std::uint32_t>(vertices))) {
      Model model = compiled(form);
      const std::size_t loops = measure(model, vertices).loops;
      model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
      EXPECT_TRUE(follows_path(model, vertices)) << form.name << ", " << vertices;
      // The loop that is missing halves the reach; 2^(L-1) < n - 1 by the definition of L.
      model.unroll.loops = static_cast<std::uint32_t>(loops - 1);
      EXPECT_FALSE(follows_path(model, vertices)) << form.name << ", " << vertices;
    }
}

TEST(Connectivity, KeepsItsAnswerWithMoreLoopsThanStated) {
  for (const Form& form : forms(4)) {
    Model model = compiled(form);
    for (const std::uint32_t extra : {1u, 3u}) {
      model.unroll = {Unroll::Kind::fixed, 0, 2 + extra, std::nullopt};
      EXPECT_TRUE(follows_path(model, 4)) << form.name;
      Graph cut = support::numbered_graph(4);
      cut.add_edge(0, 1);
      cut.add_edge(2, 3);
      Runner runner(model);
      const auto stream = runner.run_graph(cut, 0, 3);
      EXPECT_FALSE(runner.connected(stream.value(), 0, 3).value()) << form.name;
    }
  }
}

TEST(Connectivity, DoesAfterEveryLayerWhatItsProgramSays) {
  Graph graph = path(3);
  graph.add_edge(2, 2);
  for (const Form& form : forms(3))
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Model model = compiled(form, norm);
      for (const Vertex target : {0u, 2u}) {
        const auto tokens = tokens_of(model, graph, 1, target);
        EXPECT_FALSE(first_difference(form.program, model, tokens.value()).value()) << form.name;
      }
    }
}

TEST(Connectivity, ForAGivenSizeTakesSmallerGraphsAndRefusesLargerOnes) {
  for (const Form& form : forms(4)) {
    if (form.initial == 6) continue;
    const Model model = compiled(form);
    EXPECT_TRUE(follows_path(model, 3)) << form.name;
    Runner runner(model);
    const auto stream = runner.run_graph(path(5), 0, 4);
    ASSERT_FALSE(stream.has_value()) << form.name;
    EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal())) << form.name;
  }
  EXPECT_THROW(graph_connectivity_rows_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_rows_MS25_thm5_1(kMaxRowsSize + 1), SizeLimit);
  EXPECT_THROW(graph_connectivity_sized_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_sized_MS25_thm5_1(kMaxSizedVertices + 1), SizeLimit);
}

TEST(Connectivity, ForAGivenSizeCanBeUnrolledForThatSizeOnly) {
  for (const Form& form : forms(5)) {
    if (form.initial == 6) continue;
    CompileOptions options;
    options.unroll = 3;
    const Model model = compile(form.program, options).model;
    EXPECT_EQ(model.shape.repeated, 0u) << form.name;
    EXPECT_EQ(measure(model, 5).depth, measure(compiled(form), 5).depth) << form.name;
    for (const std::size_t vertices : {1u, 2u, 5u}) EXPECT_TRUE(follows_path(model, vertices));
  }
}

TEST(Connectivity, ByRowsIsRationalThroughout) {
  const Model model = compiled(forms(6)[4]);
  Runner runner(model);
  const auto stream = runner.run_graph(path(6), 0, 5);
  for (std::size_t token = 0; token < stream.value().tokens; ++token)
    for (std::size_t c = 0; c < stream.value().width; ++c)
      EXPECT_TRUE(runner.arithmetic().pool()[stream.value().at(token, c)].is_rational());
}

}  // namespace
}  // namespace logdepth::connectivity_tests
