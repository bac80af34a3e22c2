// What a user gives becomes tokens, and tokens become the residual stream: order and number of
// tokens, given values and their mirrors, sizes, limits, and what is refused.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/graph.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/forward.hpp"
#include "tests/support/model_samples.hpp"

namespace logdepth::inputs_tests {
namespace {

using Kinds = std::vector<std::string>;
using Rows = std::vector<std::vector<Real>>;

Graph graph_of(std::size_t n, const std::vector<std::pair<Vertex, Vertex>>& edges) {
  Graph graph;
  for (std::size_t i = 0; i < n; ++i) graph.add_vertex("v" + std::to_string(i));
  for (const auto& [from, to] : edges) graph.add_edge(from, to);
  return graph;
}

Tokens value(const Outcome<Tokens>& tokens) {
  EXPECT_TRUE(tokens.has_value());
  return tokens.has_value() ? tokens.value() : Tokens{};
}

template <class Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Inputs, AWordStandsBetweenItsBeginningAndItsEnd) {
  const Kinds letters = {"a", "b"};
  EXPECT_EQ(value(word_tokens({true, true}, letters)).kinds, (Kinds{"<begin>", "a", "b", "<end>"}));
  EXPECT_EQ(value(word_tokens({false, true}, letters)).kinds, (Kinds{"a", "b", "<end>"}));
  EXPECT_EQ(value(word_tokens({true, false}, letters)).kinds, (Kinds{"<begin>", "a", "b"}));
  EXPECT_EQ(value(word_tokens({false, false}, letters)).size, 2u);
  EXPECT_EQ(value(word_tokens({false, true}, {})).kinds, Kinds{"<end>"});
  EXPECT_EQ(value(word_tokens({true, true}, {})).size, 0u);
  const auto nothing = word_tokens({false, false}, {});
  ASSERT_FALSE(nothing.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(nothing.refusal()));
}

TEST(Inputs, AGraphIsItsMatrixRowByRowThenPaddingThenSourceAndTargetInUnary) {
  const Graph graph = graph_of(2, {{0, 1}, {1, 1}});
  GraphInput input;
  const Tokens tokens = value(graph_tokens(input, graph, 0, 1));
  EXPECT_EQ(tokens.kinds, (Kinds{"<no-edge>", "<edge>", "<no-edge>", "<edge>", "<pad>", "<pad>",
                                 "<pad>", "<pad>", "<source>", "<target>", "<target>"}));
  EXPECT_EQ(tokens.size, 2u);
  EXPECT_TRUE(tokens.given.empty());
  input.padding = GraphInput::Padding::n3;
  EXPECT_EQ(value(graph_tokens(input, graph, 1, 0)).kinds.size(), 4u + 8 + 2 + 1);
  EXPECT_EQ(value(graph_tokens({}, graph_of(1, {}), 0, 0)).kinds,
            (Kinds{"<no-edge>", "<source>", "<target>"}));
}

TEST(Inputs, AFileMadeForASizeAddsIsolatedVerticesAndRefusesLargerGraphs) {
  GraphInput input;
  input.size = 3;
  const Tokens tokens = value(graph_tokens(input, graph_of(2, {{1, 0}}), 1, 0));
  EXPECT_EQ(tokens.size, 3u);
  ASSERT_EQ(tokens.kinds.size(), 9u + 18 + 2 + 1);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(tokens.kinds[i], i == 3 ? kEdgeToken : kNoEdgeToken) << i;
  const auto larger = graph_tokens(input, graph_of(4, {}), 0, 0);
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(describe(larger.refusal()),
            "hypothesis violated: the graph has 4 vertices; this network supports at most 3");
}

TEST(Inputs, TooManyPaddingTokensAreALimitAndNotACrash) {
  const auto make = [](std::size_t n) {
    Graph graph;
    for (std::size_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
    return graph_tokens({}, graph, 0, 0);
  };
  EXPECT_THROW(make(407), SizeLimit);  // 407^3 > 2^26
  EXPECT_THROW(make(4096), SizeLimit);
}

TEST(Inputs, TheRowsOfAGraphAreGivenValuesWithTheDiagonalSet) {
  GraphInput input;
  input.layout = GraphInput::Layout::rows;
  input.size = 3;
  const Tokens tokens = value(graph_tokens(input, graph_of(2, {{0, 1}}), 1, 0));
  EXPECT_EQ(tokens.kinds, Kinds(3, "<vertex>"));
  EXPECT_EQ(tokens.size, 3u);
  EXPECT_EQ(tokens.given, (Rows{{1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}}));
}

TEST(Inputs, RowsOfAGraphAnswerEveryPairInOneRun) {
  const Model model = example_rows_model();
  ASSERT_EQ(first_violation(model), "");
  Runner runner(model);
  const Graph graph = graph_of(2, {{1, 0}});
  const auto stream = runner.run_graph(graph, 0, 0);
  ASSERT_TRUE(stream.has_value());
  EXPECT_TRUE(runner.relation(stream.value(), 0, 0).value());
  EXPECT_FALSE(runner.relation(stream.value(), 0, 1).value());
  EXPECT_TRUE(runner.relation(stream.value(), 1, 0).value());
  EXPECT_TRUE(runner.connected(stream.value(), 1, 1).value());
  EXPECT_THROW(runner.accepts(stream.value(), 0), InputError);
  EXPECT_THROW(runner.relation(stream.value(), 0, 2), InputError);
  const auto larger = runner.run_graph(graph_of(3, {}), 0, 0);
  ASSERT_FALSE(larger.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(larger.refusal()));
}

TEST(Inputs, AZeroInARelationIsUndecided) {
  Model model = example_rows_model();
  model.unembedding.entries.erase(model.unembedding.entries.begin());
  Runner runner(model);
  const auto stream = runner.run_graph(graph_of(2, {}), 0, 0);
  ASSERT_TRUE(stream.has_value());
  const auto verdict = runner.relation(stream.value(), 1, 0);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(describe(verdict.refusal()), "undecided: the logit of the pair (1, 0) is 0");
}

TEST(Inputs, GivenValuesMirrorsEmbeddingAndPositionAreAddedUp) {
  Model model = example_cells_model();
  model.position = TablePosition{{{{0, 10}, {7, 1}}, {}}};
  const Real root = Real::root(Rational(2));
  Runner runner(model);
  const auto tokens = tokens_of(model, Rows{{Real(3), root}, {Real(-1), Real(0)}});
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ(tokens.value().size, 2u);
  auto stream = runner.run(tokens.value());
  ASSERT_TRUE(stream.has_value());
  std::vector<Real> first;
  for (std::size_t c = 0; c < 8; ++c)
    first.push_back(runner.arithmetic().pool()[stream.value().at(0, c)]);
  EXPECT_EQ(first, (std::vector<Real>{13, root, 0, 0, -3, -root, 0, 1}));
  EXPECT_EQ(runner.logits(stream.value(), 1), (std::vector<Real>{-1, 0}));
  EXPECT_FALSE(runner.run(cells_tokens({{1, 1}, {1, 1}, {1, 1}})).has_value());  // the table ends
}

TEST(Inputs, RowsWithMirrorsKeepTheMeanAtZero) {
  Model model = example_rows_model();
  model.width = 8;
  std::get<GraphInput>(model.input).mirrored = true;
  model.embedding = {{kVertexToken, {}}};
  model.position = FirstFlagPosition{};
  model.layers.clear();
  model.shape = {};
  model.unembedding.columns = 8;
  ASSERT_EQ(first_violation(model), "");
  Exact arithmetic;
  const Forward<Exact> forward(model, arithmetic, run_memory());
  const Tokens tokens = value(tokens_of(model, graph_of(2, {{0, 1}}), 0, 0));
  auto stream = forward.stream(tokens.kinds.size());
  ASSERT_FALSE(embed(model, tokens, arithmetic, stream).has_value());
  const auto at = [&](std::size_t token, std::size_t c) {
    return arithmetic.pool()[stream.at(token, c)];
  };
  EXPECT_EQ(at(1, 0), Real(-1));
  EXPECT_EQ(at(1, 4), Real(1));
  EXPECT_EQ(at(1, 1), Real(1));
  EXPECT_EQ(at(1, 5), Real(-1));
  EXPECT_EQ(at(0, 5), Real(-1));
}

TEST(Inputs, TheLargestLengthCountsLettersVerticesAndTokens) {
  Model words = example_model(), graphs = example_adjacency_model(), cells = example_cells_model();
  for (Model* model : {&words, &graphs, &cells}) model->unroll.max_length = 2;
  const auto reason = [](const Outcome<Tokens>& tokens) {
    return tokens.has_value() ? "" : describe(tokens.refusal());
  };
  const std::string tail = "; this network supports at most 2";
  EXPECT_EQ(reason(tokens_of(words, Kinds{"a", "b", "a"})),
            "hypothesis violated: the input has 3 letters" + tail);
  EXPECT_EQ(reason(tokens_of(graphs, graph_of(3, {}), 0, 0)),
            "hypothesis violated: the input has 3 vertices" + tail);
  EXPECT_EQ(reason(tokens_of(cells, Rows{{1, 1}, {1, 1}, {1, 1}})),
            "hypothesis violated: the input has 3 tokens" + tail);
  EXPECT_EQ(reason(tokens_of(graphs, graph_of(2, {}), 0, 0)), "");
  Runner runner(cells);
  EXPECT_FALSE(runner.run(cells_tokens({{1, 1}, {1, 1}, {1, 1}})).has_value());
}

TEST(Inputs, LoopsFollowTheVerticesAndNotTheTokens) {
  Model model = example_adjacency_model();
  model.unroll = {Unroll::Kind::ceil_log2_vertices, 0, 0, std::nullopt};
  model.shape = {0, 1, 0};
  Layer layer;
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  model.layers = {layer};
  ASSERT_EQ(first_violation(model), "");
  class Count : public ForwardObserver<ValueId> {
   public:
    void after(const Location& location, const Stream<ValueId>&) override { steps = location.step; }
    std::size_t steps = 0;
  } count;
  Runner runner(model);
  ASSERT_TRUE(runner.run_graph(graph_of(5, {}), 0, 4, {&count}).has_value());
  EXPECT_EQ(count.steps, 3u);
  EXPECT_EQ(depth_at(model, 5), 3u);
}

TEST(Inputs, LoopsToAnotherBaseAreTheLogarithmRoundedUp) {
  for (std::uint32_t base = 2; base <= 7; ++base) {
    Unroll unroll;
    unroll.base = base;
    for (std::uint64_t n = 0; n <= 400; ++n) {
      std::uint64_t loops = 0;
      for (std::uint64_t reach = 1; reach < n; reach *= base) ++loops;
      EXPECT_EQ(loops_at(unroll, n), loops) << "base " << base << ", n = " << n;
      if (base == 2) {
        EXPECT_EQ(ceil_log2(n), loops) << n;
      }
    }
    unroll.minus = 1;
    EXPECT_EQ(loops_at(unroll, base * base + 1), 2u);
    EXPECT_EQ(loops_at(unroll, base * base + 2), 3u);
    EXPECT_EQ(loops_at(unroll, 0), 0u);
  }
}

TEST(Inputs, InputsOfAnotherKindAreRefusedWithOneSentence) {
  const Model words = example_model(), graphs = example_adjacency_model(),
              cells = example_cells_model();
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(graphs, Kinds{"a"})); }),
            "the weights file 'adjacency' takes graphs, not words");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, graph_of(1, {}), 0, 0)); }),
            "the weights file 'example' takes words, not graphs");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Rows{{1}})); }),
            "the weights file 'example' takes words, not cells");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(cells, Kinds{"a"})); }),
            "the weights file 'difference' takes cells, not words");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Kinds{"<begin>"})); }),
            "'<begin>' is not a letter of this model");
  EXPECT_EQ(refusal([&] { static_cast<void>(tokens_of(words, Kinds{"c"})); }),
            "'c' is not a letter of this model");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(tokens_of(cells, Rows{{1, 2}, {3}}));
            }),
            "token 1 is given 1 values; the weights file 'difference' expects 2");
  // Tokens made by hand are checked where they are run.
  Runner runner(graphs);
  EXPECT_EQ(refusal([&] { static_cast<void>(runner.run(value(word_tokens({}, {"a"})))); }),
            "the weights file 'adjacency' has no token '<begin>'");
  Runner raw(cells);
  EXPECT_EQ(refusal([&] { static_cast<void>(raw.run(value(word_tokens({}, {"a"})))); }),
            "the weights file 'difference' expects values for every token");
  EXPECT_FALSE(raw.run(cells_tokens({})).has_value());
}

TEST(Inputs, AWordWithAnEndIsDecidedAtItsEnd) {
  Model model;
  model.name = "end";
  model.width = 1;
  model.input = WordInput{false, true};
  model.alphabet = {"a"};
  model.embedding = {{"a", {{0, -1}}}, {kEndToken, {{0, 1}}}};
  model.unroll.kind = Unroll::Kind::fixed;
  model.output = AcceptOutput{};
  model.unembedding = {2, 1, {{0, 0, 1}}};
  model.position = FirstFlagPosition{};
  ASSERT_EQ(first_violation(model), "");
  Runner runner(model);
  for (const Kinds& letters : {Kinds{}, Kinds{"a"}, Kinds{"a", "a"}}) {
    const auto stream = runner.run_word(letters);
    ASSERT_TRUE(stream.has_value());
    EXPECT_EQ(stream.value().tokens, letters.size() + 1);
    EXPECT_TRUE(runner.accepts(stream.value(), letters.size()).value());
  }
  EXPECT_EQ(runner.first_letter(), 0u);
}

}  // namespace
}  // namespace logdepth::inputs_tests
