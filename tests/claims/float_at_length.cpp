// Floating point at lengths where it still proves all it says: every answer certified, and right.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::float_at_length_tests {
namespace {

using Engine = FloatOptions::Engine;

FloatOptions arithmetic(Engine engine) {
  FloatOptions options;
  options.engine = engine;
  options.threads = 2;
  return options;
}

/// Every prefix product of a random word over the generators of A5, and how the heads decided.
FloatStatistics expect_a5_certified(ScanPositions positions, Engine engine, std::size_t length) {
  const Action a5 = named_monoid("A5");
  const auto [model, program, facts] =
      compile(regular_language_scan_MS25_thm4_1(a5, "A5", {positions, ScanTable::matrix}));
  std::mt19937_64 random(length);
  const Word word = support::random_word(random, model->alphabet.size(), length);
  const auto tokens = tokens_of(model, support::letter_names(a5.alphabet, word));
  FloatRunner runner(model, facts, arithmetic(engine));
  const FloatStream stream = runner.run(tokens.value()).value();
  const std::vector<Transformation> products = support::products(a5, word);
  std::size_t right = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const auto prefix = runner.prefix(stream, 1 + i);
    right += prefix.has_value() && prefix.value().value == PrefixAnswer(products[i]) &&
             prefix.value().certificate == Certificate::certified;
  }
  EXPECT_EQ(right, length);
  return runner.statistics();
}

TEST(FloatAtLength, ScansOfFiveHundredLettersAreCertifiedInSinglePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float32, 512);
  EXPECT_EQ(s.ambiguous, 0u);
  EXPECT_EQ(s.rows, 9u * 513);
}

TEST(FloatAtLength, ScansOfTwentyThousandLettersAreCertifiedInDoublePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float64, 20000);
  EXPECT_EQ(s.single, s.rows);
}

TEST(FloatAtLength, ScansThatOnlyKnowTheFirstPositionAreCertifiedAtTwentyThousandLetters) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::first_flag, Engine::float64, 20000);
  EXPECT_EQ(s.ambiguous, 0u);
}

// A minute or so: not part of the normal run (tests/README.md).
TEST(FloatAtLength, DISABLED_ScansOfAHundredThousandLettersAreCertifiedInDoublePrecision) {
  const FloatStatistics s = expect_a5_certified(ScanPositions::two_circle, Engine::float64, 100000);
  EXPECT_EQ(s.single, s.rows);
}

TEST(FloatAtLength, DivisionsOfTwoThousandPositionsAreCertifiedInDoublePrecision) {
  const auto [model, program, facts] = compile(division_MS25_lem3_1());
  const DivisionFile file = division_file(model);
  FloatRunner runner(model, facts, arithmetic(Engine::float64));
  for (const std::uint64_t divisor : {3, 1999}) {
    DivisionInput input{divisor, {}};
    for (std::uint64_t i = 0; i < 2000; ++i)
      input.dividends.push_back(i % 2 == 0 ? i : i * 7919 % (i + 1));
    const FloatStream stream =
        runner.run(tokens_of(model, division_rows(model, input)).value()).value();
    for (std::size_t i = 0; i < input.dividends.size(); ++i) {
      const auto numbers = runner.numbers(stream, i);
      ASSERT_EQ(numbers.certificate, Certificate::certified) << i;
      const auto expected = right_division(input.dividends[i], divisor);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const FloatNumber& got = numbers.value[file.rows[k]];
        const Approximation x = expected[k].approximate();
        ASSERT_LE(std::fabs(got.value - x.value), got.error + x.bound) << i;
        // Small enough to tell the codes of any two numbers below 2000.
        ASSERT_LT(got.error, 1e-8) << i;
      }
    }
  }
}

TEST(FloatAtLength, GraphsOfSixVerticesAreCertifiedInDoublePrecision) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  FloatRunner runner(model, facts, arithmetic(Engine::float64));
  std::mt19937_64 random(6);
  std::size_t connected = 0;
  for (int i = 0; i < 12; ++i) {
    const Graph graph =
        support::random_graph(random, {"1", "2", "3", "4", "5", "6"}, i % 2 == 0 ? 0.15 : 0.3);
    const std::size_t source = random() % 6, target = random() % 6;
    const FloatStream stream = runner.run(tokens_of(model, graph, source, target).value()).value();
    const auto answer = runner.connected(stream, source, target);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified) << answer.value().reason;
    const bool expected = ReachabilityOracle(graph).reaches(source, target);
    EXPECT_EQ(answer.value().value, expected);
    connected += expected;
  }
  EXPECT_GT(connected, 2u);
  EXPECT_LT(connected, 10u);
}

Graph two_paths(std::size_t vertices) {
  Graph graph = support::numbered_graph(vertices);
  for (Vertex v = 0; v + 1 < vertices; ++v)
    if (v + 1 != vertices / 2) graph.add_edge(v, v + 1);
  return graph;
}

// The keys of its heads are those of pairs of vertices: some hundreds of 4 113.
TEST(FloatAtLength, GraphsOfSixteenVerticesAreCertifiedInDoublePrecisionForAllThreads) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  const Graph graph = two_paths(16);
  FloatOptions options = arithmetic(Engine::float64);
  FloatRunner two(model, facts, options);
  options.threads = 1;
  FloatRunner one(model, facts, options);
  for (const std::size_t target : {std::size_t{7}, std::size_t{8}}) {
    const Tokens tokens = tokens_of(model, graph, 0, target).value();
    const FloatStream stream = two.run(tokens).value(), same = one.run(tokens).value();
    const auto answer = two.connected(stream, 0, target);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified) << answer.value().reason;
    EXPECT_EQ(answer.value().value, target == 7);
    ASSERT_EQ(stream.numbers.size(), same.numbers.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < stream.numbers.size(); ++i)
      different += stream.numbers[i].value != same.numbers[i].value ||
                   stream.numbers[i].error != same.numbers[i].error;
    EXPECT_EQ(different, 0u);
  }
}

// Single precision decides no test for p = n (p div n) there. Rows for which every key is a
// candidate then share one average: added up one by one, they took minutes.
TEST(FloatAtLength, GraphsThatThePrecisionDoesNotSufficeForEndAndAreNotCertified) {
  const auto [model, program, facts] = compile(
      graph_connectivity_MS25_thm5_1(ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2));
  FloatRunner runner(model, facts, arithmetic(Engine::float32));
  const FloatStream stream = runner.run(tokens_of(model, two_paths(22), 0, 10).value()).value();
  const auto answer = runner.connected(stream, 0, 10);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer.value().certificate, Certificate::ambiguous);
  EXPECT_GT(runner.statistics().ambiguous, 10u * 10648);
}

}  // namespace
}  // namespace logdepth::float_at_length_tests
