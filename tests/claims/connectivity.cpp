// MS25 Theorem 5.1: the connectivity constructions against searches in the graph.
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/graphs.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::connectivity_tests { namespace {

using Padding = GraphInput::Padding;

struct Form {
  std::string name;
  Program program;
  std::uint32_t initial, repeated, final;
  std::size_t factor = 2;  ///< how much longer the walks are after a loop
  bool for_a_size = true;  ///< it runs every graph as one of `size` vertices
};

/// The uniform forms, and those for graphs of at most `size` vertices.
std::vector<Form> forms(std::uint32_t size) {
  return {
      {"compact, n^3 - n^2",
       graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3_minus_n2), 6, 1, 1, 2,
       false},
      {"compact, n^3", graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, Padding::n3), 6, 1,
       1, 2, false},
      {"paper, n^3", graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3), 6, 2, 1,
       2, false},
      {"paper, n^3 - n^2",
       graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, Padding::n3_minus_n2), 6, 2, 1, 2,
       false},
      {"rows", graph_connectivity_rows_MS25_thm5_1(size), 0, 1, 0},
      {"compact, given size", graph_connectivity_sized_MS25_thm5_1(size), 1, 1, 1},
      {"bounded", graph_connectivity_bounded_MS25_thm5_1(size), 5, 1, 1, 2, false},
      {"radix 2", graph_connectivity_radix_MS25_thm5_1(size, 2), size <= 2, 1, 1},
      {"radix 3", graph_connectivity_radix_MS25_thm5_1(size, 3), size <= 2, 1, 1, 3},
  };
}

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(program, options).model;
}
Model compiled(const Form& form, Norm norm = Norm::rms) {
  return compiled(form.program, norm);
}

/// Right on every graph, with the shrunk one where it is not.
void expect_right(const Examination<AskedGraph>& report, const std::string& name) {
  if (const auto& found = report.counterexample)
    ADD_FAILURE() << name << ", seed " << report.bounds.seed << ": "
                  << support::edge_list_text(found->input.graph) << "from "
                  << found->input.pairs.front().first << " to " << found->input.pairs.front().second
                  << " expected " << expected_text(found->finding) << ", found "
                  << got_text(found->finding);
  EXPECT_GT(report.counts.answers, 0u) << name;
}

/// And every head was asked.
void expect_right(const Form& form, Norm norm, const Bounds& bounds) {
  const auto report = examine_graphs(compiled(form, norm), {bounds});
  expect_right(report, form.name);
  EXPECT_TRUE(report.unevaluated.empty())
      << form.name << ": " << describe(report.unevaluated.front());
}

TEST(Connectivity, HasTheShapeThatItsFileStates) {
  for (std::uint32_t size = 1; size <= 10; ++size)
    for (const Form& form : forms(size)) {
      if (form.initial == 6 && size < 10) continue;  // the same file
      const Model model = compiled(form);
      EXPECT_EQ(model.shape, (Shape{form.initial, form.repeated, form.final})) << form.name;
      for (std::size_t n = form.for_a_size ? size : 1; n <= size; ++n) {
        std::size_t loops = 0;
        for (std::size_t reach = 1; reach + 1 < n; reach *= form.factor) ++loops;
        EXPECT_EQ(measure(model, n).depth, form.initial + form.repeated * loops + form.final)
            << form.name << ", n = " << n;
      }
    }
}

/// All of three and more vertices are in the ledger (thm-5.1, every form, both norms).
TEST(Connectivity, IsRightOnEveryGraphOfAtMostTwoVerticesAndOnSomeOfThree) {
  // With fewer than three vertices no loop runs, and its heads stay unasked.
  const Bounds bounds{.up_to = 2, .random = 8, .max_size = 3};
  for (const Form& form : forms(3)) expect_right(form, Norm::rms, bounds);
}

TEST(Connectivity, IsRightOnPathsCutsCyclesStarsAndRandomGraphsOfUpToTenVertices) {
  // The lengths of paths around 2^l and 3^l, and graphs around eight vertices, which need another code.
  for (const std::uint32_t size : {4u, 5u, 6u, 7u, 8u, 9u, 10u})
    for (const Form& form : forms(size)) {
      if (form.initial == 6 && size < 10) continue;  // the same file
      const Bounds bounds{
          .up_to = 1, .random = form.initial == 6 ? 24u : 12u, .max_size = size, .seed = 20261121};
      expect_right(form, Norm::rms, bounds);
    }
}

TEST(Connectivity, IsTheSameUnderMeanSubtractingNorm) {
  const Bounds bounds{.up_to = 2, .random = 8, .max_size = 5};
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
  const auto stream = runner.run(tokens_of(model, path(vertices), 0, vertices - 1).value());
  return runner.connected(stream.value(), 0, vertices - 1).value();
}

/// Reads a cell of a token after a run.
class Cells {
 public:
  Cells(const Model& model, const Graph& graph, std::size_t source, std::size_t target)
      : model_(model),
        runner_(model),
        stream_(runner_.run(tokens_of(model, graph, source, target).value()).value()) {}
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

/// Stands for the number: the components are a positive multiple of (number, parameter).
bool codes(const Cells& cells, const char* cell, std::size_t token, std::size_t number,
           std::int64_t parameter = 1) {
  const Real x = cells.at(cell, token, 0), w = cells.at(cell, token, 1);
  return w.sign() > 0 && x == w.scaled(Rational(static_cast<std::int64_t>(number), parameter));
}

/// Every token of a path of n vertices has the numbers of its place, as multiples of 1/L, before any loop.
void expect_coordinates(Model model, std::size_t n, std::int64_t L, bool terminals) {
  model.unroll = {Unroll::Kind::fixed, 0, 0, std::nullopt};
  const Cells cells(model, path(n), n / 2, n - 1);
  for (std::size_t p = 0; p < cells.tokens(); ++p) {
    const std::size_t u = p / n;
    EXPECT_TRUE(codes(cells, "I", p, p, L));
    EXPECT_TRUE(codes(cells, "U", p, u, L)) << "n = " << n << ", token " << p;
    EXPECT_TRUE(codes(cells, "J", p, p % n, L)) << "n = " << n << ", token " << p;
    EXPECT_TRUE(codes(cells, "T", p, u / n, L)) << "n = " << n << ", token " << p;
    EXPECT_TRUE(codes(cells, "K", p, u % n, L)) << "n = " << n << ", token " << p;
    if (!terminals) continue;
    const Real count = cells.at("W", p, 2);
    EXPECT_EQ(cells.at("W", p, 0), count.scaled(Rational(static_cast<std::int64_t>(n / 2 + 1))));
    EXPECT_EQ(cells.at("W", p, 1), count.scaled(Rational(static_cast<std::int64_t>(n))));
  }
}

TEST(Connectivity, GivesEveryTokenItsCoordinates) {
  for (const Padding padding : {Padding::n3, Padding::n3_minus_n2})
    for (std::size_t n = 1; n <= 5; ++n)
      expect_coordinates(
          compiled(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, padding)), n, 1, true);
  for (const std::uint32_t vertices : {8u, 16u})
    for (std::size_t n = 1; n <= 8; ++n)
      expect_coordinates(compiled(graph_connectivity_bounded_MS25_thm5_1(vertices)), n,
                         vertices / 8, false);
}

/// C, as the heads of the constructions' files state it, from breadth-first searches.
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

TEST(Connectivity, HoldsWalksThroughAMiddleVertexAfterEveryLoop) {
  std::mt19937_64 random(7);
  const std::vector<std::string> names = {"1", "2", "3", "4", "5"};
  const std::size_t n = names.size();
  for (int sample = 0; sample < 4; ++sample) {
    const Graph graph = support::random_graph(random, names, 0.2);
    const Walks walks(graph);
    // After l loops, of length 1 to 2^(l-1).
    for (std::uint32_t loops = 0; loops <= 4; ++loops) {
      const std::size_t longest = loops == 0 ? 0 : std::size_t{1} << (loops - 1);
      for (const Padding padding : {Padding::n3, Padding::n3_minus_n2}) {
        Model model =
            compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, padding)).model;
        model.unroll = {Unroll::Kind::fixed, 0, loops, std::nullopt};
        const Cells cells(model, graph, 0, 1);
        const std::size_t first = padding == Padding::n3 ? n * n : 0;
        for (Vertex i = 0; i < n; ++i)
          for (Vertex k = 0; k < n; ++k)
            for (Vertex j = 0; j < n; ++j)
              EXPECT_EQ(cells.at("C", first + (i * n + k) * n + j),
                        Real(walks.between(i, k, longest) && walks.between(k, j, longest) ? 1 : -1))
                  << loops << " loops, " << i << ' ' << k << ' ' << j;
      }
    }
  }
}

TEST(Connectivity, FailsOnThePathWithOneLoopFewerThanStated) {
  for (const std::size_t vertices : {3u, 4u, 5u, 6u, 9u, 10u})
    for (const Form& form : forms(static_cast<std::uint32_t>(vertices))) {
      Model model = compiled(form);
      const std::size_t loops = measure(model, vertices).loops;
      if (form.name.starts_with("radix") && loops < 2)
        continue;  // the only loop also finds s and t
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
      const auto stream = runner.run(tokens_of(model, cut, 0, 3).value());
      EXPECT_FALSE(runner.connected(stream.value(), 0, 3).value()) << form.name;
    }
  }
}

TEST(Connectivity, DoesAfterEveryLayerWhatItsProgramSays) {
  for (const std::uint32_t size : {2u, 3u}) {
    Graph graph = path(size);
    if (size == 3) graph.add_edge(2, 2);
    for (const Form& form : forms(size))
      for (const Norm norm : {Norm::rms, Norm::layernorm}) {
        const Model model = compiled(form, norm);
        for (const Vertex target : {0u, size - 1}) {
          const auto tokens = tokens_of(model, graph, 1, target);
          EXPECT_FALSE(first_difference(form.program, model, tokens.value()).value()) << form.name;
        }
      }
  }
}

TEST(Connectivity, ForAGivenSizeTakesSmallerGraphsAndRefusesLargerOnes) {
  for (const Form& form : forms(4)) {
    if (form.initial == 6) continue;
    const Model model = compiled(form);
    for (const std::size_t vertices : {1u, 2u, 3u, 4u}) EXPECT_TRUE(follows_path(model, vertices));
    Runner runner(model);
    const auto tokens = tokens_of(model, path(5), 0, 4);
    ASSERT_FALSE(tokens.has_value()) << form.name;
    EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(tokens.refusal())) << form.name;
  }
  EXPECT_THROW(graph_connectivity_rows_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_rows_MS25_thm5_1(kMaxRowsSize + 1), SizeLimit);
  EXPECT_THROW(graph_connectivity_sized_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_sized_MS25_thm5_1(kMaxSizedVertices + 1), SizeLimit);
  EXPECT_THROW(graph_connectivity_bounded_MS25_thm5_1(0), InputError);
  EXPECT_THROW(graph_connectivity_bounded_MS25_thm5_1(kMaxBoundedVertices + 1), SizeLimit);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(0, 3), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(4, 1), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(4, 4), InputError);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(11, 3), SizeLimit);
  EXPECT_THROW(graph_connectivity_radix_MS25_thm5_1(25, 2), SizeLimit);
}

TEST(Connectivity, ForAGivenSizeCanBeUnrolledForThatSizeOnly) {
  for (const Form& form : forms(5)) {
    if (form.name != "rows" && form.name != "compact, given size") continue;
    CompileOptions options;
    options.unroll = 3;
    const Model model = compile(form.program, options).model;
    EXPECT_EQ(model.shape.repeated, 0u) << form.name;
    EXPECT_EQ(measure(model, 5).depth, measure(compiled(form), 5).depth) << form.name;
    for (const std::size_t vertices : {1u, 2u, 5u}) EXPECT_TRUE(follows_path(model, vertices));
  }
}

TEST(Connectivity, ByRowsAndByTuplesIsRationalThroughout) {
  for (const std::size_t form : {4u, 8u}) {
    const Model model = compiled(forms(4)[form]);
    Runner runner(model);
    const auto stream = runner.run(tokens_of(model, path(4), 0, 3).value());
    for (std::size_t token = 0; token < stream.value().tokens; ++token)
      for (std::size_t c = 0; c < stream.value().width; ++c)
        EXPECT_TRUE(runner.arithmetic().pool()[stream.value().at(token, c)].is_rational());
  }
}

// --- for at most a given number of vertices, with quotients at once

TEST(ConnectivityBounded, HasAsManyNumbersWhateverTheContract) {
  for (const std::uint32_t vertices : {8u, 9u, 1000u})
    EXPECT_EQ(measure(compiled(graph_connectivity_bounded_MS25_thm5_1(vertices)), 1).cells,
              measure(compiled(graph_connectivity_bounded_MS25_thm5_1(1)), 1).cells);
}

TEST(ConnectivityBounded, IsRightOnEverySmallGraphWithEverySourceAndTarget) {
  // All of three vertices with a contract in between, 10, are in the ledger.
  for (const auto& [vertices, up_to] :
       {std::pair{3u, 3u}, std::pair{9u, 2u}, std::pair{100u, 2u}}) {
    const Bounds bounds{.up_to = up_to, .random = 8, .max_size = 3};
    expect_right(
        examine_graphs(compiled(graph_connectivity_bounded_MS25_thm5_1(vertices)), {bounds}),
        "bounded");
  }
}

/// With L = 1 position 17 of a graph of 9 vertices gets row 2, not 1.
TEST(ConnectivityBounded, IsWrongBeyondEightVerticesForEachL) {
  Program program = graph_connectivity_bounded_MS25_thm5_1(8);
  program.unroll.max_length = 9;
  const Bounds bounds{.up_to = 1, .random = 40, .max_size = 9};
  const auto report = examine_graphs(compiled(program), {bounds});
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(report.counterexample->input.graph.size(), 9u);
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

// --- for a given size, two or three times the length a layer

TEST(ConnectivityRadix, IsRightOnEveryGraphOfAtMostThreeVerticesWithEverySourceAndTarget) {
  for (const std::uint32_t radix : {2u, 3u})
    for (const std::uint32_t size : {1u, 2u, 3u, 4u}) {
      // Smaller graphs, filled up.
      const Bounds bounds{.up_to = size == 4 ? 2 : size, .random = 0};
      expect_right(
          examine_graphs(compiled(graph_connectivity_radix_MS25_thm5_1(size, radix)), {bounds}),
          std::to_string(size));
    }
}

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
        Model model =
            compiled(graph_connectivity_radix_MS25_thm5_1(static_cast<std::uint32_t>(n), radix));
        model.unroll = {Unroll::Kind::fixed, 0, loops, std::nullopt};
        const Cells cells(model, graph, 0, 1);
        const std::size_t tuples = radix == 2 ? n * n * n : n * n * n * n;
        for (std::size_t p = 0; p < tuples; ++p) {
          std::vector<Vertex> v;
          for (std::size_t rest = p; v.size() <= radix; rest /= n)
            v.insert(v.begin(), static_cast<Vertex>(rest % n));
          bool expected = walks.between(v[0], v[1], longest) && walks.between(v[1], v[2], longest);
          if (radix == 3)
            expected = expected && (v[2] == v[3] || walks.between(v[2], v[3], longest));
          EXPECT_EQ(cells.at("C", p), Real(expected ? 1 : -1))
              << radix << ", " << loops << " loops, token " << p;
        }
      }
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
  EXPECT_TRUE(follows_path(compiled(graph_connectivity_radix_MS25_thm5_1(3, 3)), 3));
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

}}  // namespace logdepth::connectivity_tests
