// Computation graphs against the instance that the paper prints, against an evaluator that reads
// the tokens, and the states of the layer-by-layer algorithm against one that sees the tokens only.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "learned/latent_reasoning/graph_task.hpp"
#include "tests/support/equation_oracle.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::computation_graphs_tests { namespace {

using laws::TokenRows;

/// The printed graph of 32 nodes, TARGET=EXPRESSION:VALUE, as the paper's trace has them.
constexpr const char* kLeaves = "3=2 30=2 12=18 11=14 20=15 23=8";
constexpr const char* kNodes =
    "9=30:2 22=23+3:10 27=20*23:5 0=3+22:12 26=3+22*11:7 13=20-22+23:13 24=22:10 17=12*23-0:17 "
    "28=11*26:6 21=13-11+23:7 25=17-3:15 6=30*17-23:3 16=17:17 7=11+21:21 14=28+17-21:16 15=7:21 "
    "31=7:21 5=12+3+14:13 19=14:16 29=23-5*7:10 18=5:13 4=25+23-19:7 2=14*29-5:9 1=29*28-7:16 "
    "8=3*23*18:1 10=8-28-0:6";

struct PrintedGraph {
  ComputationGraph graph;
  std::vector<std::uint32_t> values;  ///< as printed
};

PrintedGraph printed_graph() {
  PrintedGraph printed;
  printed.graph.modulus = 23;
  std::map<std::uint32_t, std::uint32_t> index;
  const auto add = [&](GraphNode node, std::uint32_t value) {
    index[node.name] = static_cast<std::uint32_t>(printed.graph.nodes.size());
    printed.graph.nodes.push_back(std::move(node));
    printed.values.push_back(value);
  };
  std::istringstream leaves(kLeaves), nodes(kNodes);
  for (std::string text; leaves >> text;) {
    GraphNode node;
    char equals = 0;
    std::istringstream(text) >> node.name >> equals >> node.value;
    const std::uint32_t value = node.value;
    add(std::move(node), value);
  }
  for (std::string text; nodes >> text;) {
    GraphNode node;
    std::istringstream in(text);
    char mark = 0;
    std::uint32_t operand = 0, value = 0;
    in >> node.name >> mark >> operand;
    node.operands.push_back(index.at(operand));
    while (in >> mark && mark != ':') {
      in >> operand;
      node.operations.push_back(mark == '+'   ? GraphOperation::add
                                : mark == '-' ? GraphOperation::subtract
                                              : GraphOperation::multiply);
      node.operands.push_back(index.at(operand));
    }
    in >> value;
    add(std::move(node), value);
  }
  evaluate(printed.graph);
  return printed;
}

TokenRows rows_of(const FactoredState& state) {
  TokenRows rows;
  for (const FactoredToken& token : state) rows.push_back({token[0], token[1], token[2], token[3]});
  return rows;
}

TEST(ComputationGraph, ThePrintedInstanceHasItsPrintedValues) {
  const PrintedGraph printed = printed_graph();
  ASSERT_EQ(printed.graph.nodes.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i)
    EXPECT_EQ(printed.graph.nodes[i].value, printed.values[i])
        << "x" << printed.graph.nodes[i].name;
  EXPECT_EQ(printed.graph.depth(), 9u);
  std::map<std::size_t, int> by_operands;
  for (const GraphNode& node : printed.graph.nodes) ++by_operands[node.operands.size()];
  EXPECT_EQ(by_operands, (std::map<std::size_t, int>{{0, 6}, {1, 7}, {2, 6}, {3, 13}}));
}

TEST(ComputationGraph, PrecedenceWouldChangeThePrintedValues) {
  // x26 = x3 + x22 * x11: (2 + 10) * 14 = 7, while 2 + 10 * 14 = 4 modulo 23.
  const PrintedGraph printed = printed_graph();
  EXPECT_EQ(printed.graph.nodes[10].name, 26u);
  EXPECT_EQ(printed.graph.nodes[10].value, 7u);
  EXPECT_EQ((2 + 10 * 14) % 23, 4);
}

TEST(FactoredTokens, ThePrintedInstanceIsItsPrintedTokens) {
  const PrintedGraph printed = printed_graph();
  const GraphTokens text = graph_tokens(printed.graph, {23, 128});
  const std::string words = laws::text_of_rows(rows_of(text.tokens), 23);
  EXPECT_EQ(words.substr(0, 45), "2 = x3[?] ; 2 = x30[?] ; 18 = x12[?] ; 14 = x");
  EXPECT_NE(words.find("; x30[?] = x9[?] ; x23[?] + x3[?] = x22[?] ; x20[?] x x23[?] = x27[?] ;"),
            std::string::npos);
  EXPECT_EQ(text.tokens.size(), 6u * 4 + 7 * 4 + 6 * 6 + 13 * 8);
}

TEST(FactoredTokens, TokensHaveTheRowsOfAppendixC) {
  ComputationGraph graph;
  graph.modulus = 23;
  GraphNode leaf, node;
  leaf.name = 42;
  leaf.value = 17;
  node.name = 7;
  node.operands = {0};
  graph.nodes = {leaf, node};
  evaluate(graph);
  const GraphTokens text = graph_tokens(graph, {23, 128});
  // value, =, variable, separator, then variable, =, variable, separator
  const FactoredState expected = {{0, 128, 3, 17}, {1, 128, 3, 23}, {2, 42, 3, 24},
                                  {4, 128, 3, 23}, {2, 42, 3, 24},  {1, 128, 3, 23},
                                  {2, 7, 3, 24},   {4, 128, 3, 23}};
  EXPECT_EQ(text.tokens, expected);
  EXPECT_EQ(text.due, (std::vector<std::uint32_t>{0, 0, 1, 0, 2, 0, 2, 0}));
  EXPECT_EQ(text.defining, (std::vector<std::uint32_t>{2, 6}));
  EXPECT_EQ(factored_format({23, 128}).tables, (std::vector<std::uint32_t>{6, 129, 4, 25}));
  EXPECT_EQ(factored_format({23, 128}).empty, (TaskFormat::Empty{3, 24}));
}

/// Shapes of all moduli and numbers of operands, by turns.
GraphShape some_shape(std::uint64_t i) {
  GraphShape shape;
  shape.modulus = std::array<std::uint32_t, 4>{2, 3, 5, 23}[i / 3 % 4];
  shape.names = 40;
  shape.operations = i % 3 == 0 ? GraphShape::Operations::add : GraphShape::Operations::all;
  shape.operand_weights.assign(1 + i / 5 % 3, 1);
  return shape;
}

TEST(ComputationGraph, TenThousandGraphsAgreeWithAnEvaluatorOfTheirTokens) {
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const GraphShape shape = some_shape(i);
    CounterRandom random(laws::seed(), RandomStream::training, 0, i);
    const auto nodes = static_cast<std::uint32_t>(2 + random.below(38));
    const ComputationGraph graph = draw_graph(shape, nodes, random);
    const GraphTokens text = graph_tokens(graph, {shape.modulus, shape.names});
    const auto equations = laws::equations_of_rows(rows_of(text.tokens));
    ASSERT_EQ(equations.size(), nodes);
    laws::EquationOracle oracle(equations, static_cast<int>(shape.modulus));
    std::set<int> names;
    std::size_t tokens = 0, leaves = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      const laws::ReadEquation& equation = equations[node];
      // Every variable has a name of its own and stands after its operands.
      for (const int operand : equation.operands) ASSERT_TRUE(names.contains(operand));
      ASSERT_EQ(std::set<int>(equation.operands.begin(), equation.operands.end()).size(),
                equation.operands.size());
      ASSERT_TRUE(names.insert(equation.target).second);
      ASSERT_EQ(graph.nodes[node].value, static_cast<std::uint32_t>(oracle.value(equation.target)));
      ASSERT_EQ(graph.nodes[node].depth, static_cast<std::uint32_t>(oracle.depth(equation.target)));
      ASSERT_LE(equation.operands.size(), shape.operand_weights.size());
      leaves += equation.constant.has_value();
      tokens += equation.constant ? 4 : 2 * equation.operands.size() + 2;
    }
    ASSERT_EQ(leaves, std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(nodes * .2))));
    ASSERT_EQ(text.tokens.size(), tokens);
    ASSERT_EQ(text.depth, static_cast<std::uint32_t>(oracle.depth()));
    ASSERT_LT(*names.rbegin(), 40);
  }
}

double mean_depth(const GraphShape& shape, std::uint32_t nodes) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    CounterRandom random(laws::seed(), RandomStream::training, nodes, i);
    sum += draw_graph(shape, nodes, random).depth();
  }
  return sum / 300;
}

TEST(ComputationGraph, GraphsGrowDeepSlowly) {
  GraphShape shape;
  shape.names = 128;
  shape.operand_weights = {1, 1, 1};
  // The specification's table: 4.5, 7.0 and 8.6.
  EXPECT_NEAR(mean_depth(shape, 8), 4.5, 0.3);
  EXPECT_NEAR(mean_depth(shape, 32), 7.0, 0.4);
  EXPECT_NEAR(mean_depth(shape, 128), 8.6, 0.5);
}

TEST(ComputationGraph, OperandCountsHaveTheGivenWeights) {
  GraphShape shape;
  shape.operand_weights = {7, 6, 13};
  std::vector<double> counts(4);
  for (std::uint64_t i = 0; i < 500; ++i) {
    CounterRandom random(laws::seed(), RandomStream::training, 1, i);
    const ComputationGraph graph = draw_graph(shape, 32, random);
    for (std::size_t node = 6; node < 32; ++node) ++counts[graph.nodes[node].operands.size()];
  }
  for (const auto& [operands, weight] : {std::pair(1, 7), std::pair(2, 6), std::pair(3, 13)}) {
    const double share = weight / 26.0;
    EXPECT_NEAR(counts[operands] / 13000, share, 5 * std::sqrt(share * (1 - share) / 13000));
  }
}

RC_GTEST_PROP(FactoredTokens, StatesAreThoseOfAnEvaluatorThatSeesTokensOnly, ()) {
  const GraphShape shape = some_shape(*rc::gen::inRange<std::uint64_t>(0, 1000));
  CounterRandom random(*rc::gen::arbitrary<std::uint64_t>(), RandomStream::training);
  const FactorTables tables{shape.modulus, shape.names};
  const auto graph = draw_graph(shape, *rc::gen::inRange<std::uint32_t>(2, 30), random);
  const GraphTokens text = graph_tokens(graph, tables);
  RC_ASSERT(text.state(0, tables) == text.tokens);
  for (std::uint32_t t = 0; t < text.depth + 3; ++t)
    RC_ASSERT(rows_of(text.state(t + 1, tables)) ==
              laws::next_state(rows_of(text.state(t, tables)), static_cast<int>(shape.modulus)));
  RC_ASSERT(text.state(text.depth, tables) == text.state(text.depth + 1, tables));
  RC_ASSERT(text.state(text.depth - 1, tables) != text.state(text.depth, tables));
}

TEST(FactoredTokens, ErrorsAreWrongValuesOfVariablesAtTheGivenRates) {
  const FactorTables tables{5, 40};
  GraphShape shape;
  shape.modulus = 5;
  shape.names = 40;
  double known = 0, replaced = 0, empty = 0, filled = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    CounterRandom random(laws::seed(), RandomStream::corruption, 0, i);
    const GraphTokens text = graph_tokens(draw_graph(shape, 30, random), tables);
    const FactoredState before = text.state(3, tables);
    FactoredState after = before;
    corrupt(after, tables, 0.1, 0.02, random);
    for (std::size_t token = 0; token < before.size(); ++token) {
      for (const Factor factor : {kSyntaxFactor, kVariableFactor, kOperationFactor})
        ASSERT_EQ(after[token][factor], before[token][factor]);
      if (before[token][kSyntaxFactor] != 2) {
        ASSERT_EQ(after[token], before[token]);
        continue;
      }
      ASSERT_LT(after[token][kValueFactor] == 6 ? 0 : after[token][kValueFactor], 5);
      const bool changed = after[token] != before[token];
      (before[token][kValueFactor] == 6 ? empty : known) += 1;
      (before[token][kValueFactor] == 6 ? filled : replaced) += changed;
    }
  }
  EXPECT_NEAR(replaced / known, 0.1, 5 * std::sqrt(.09 / known));
  EXPECT_NEAR(filled / empty, 0.02, 5 * std::sqrt(.0196 / empty));
}

TEST(FactoredTokens, AShareOfTheKnownValuesIsReplacedByOthers) {
  const FactorTables tables{2, 40};
  GraphShape shape;
  shape.modulus = 2;
  shape.names = 40;
  for (std::uint64_t i = 0; i < 100; ++i) {
    CounterRandom random(laws::seed(), RandomStream::corruption, 1, i);
    const GraphTokens text = graph_tokens(draw_graph(shape, 3 + i % 30, random), tables);
    const FactoredState before = text.state(text.depth, tables);
    FactoredState after = before;
    const std::vector<std::size_t> where = corrupt_share(after, tables, 0.1, random);
    std::size_t variables = 0;
    std::set<std::size_t> changed;
    for (std::size_t token = 0; token < before.size(); ++token) {
      variables += before[token][kSyntaxFactor] == 2;
      if (after[token] != before[token]) changed.insert(token);
    }
    EXPECT_EQ(changed, std::set<std::size_t>(where.begin(), where.end()));
    EXPECT_EQ(changed.size(),
              std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(variables * 0.1))));
  }
}

}}  // namespace logdepth::computation_graphs_tests
