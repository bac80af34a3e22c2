// MS25 Lemma 3.1 for a given length, by a look-up that rounds down, against / and %.
#include <gtest/gtest.h>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_floor_lem3_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth::division_floor_tests {
namespace {

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(program, options).model;
}
Model compiled(std::uint64_t length, bool own_argument, Norm norm = Norm::rms) {
  return compiled(division_floor_MS25_lem3_1(length, own_argument), norm);
}

void expect_right(const Model& model, const Bounds& bounds) {
  const auto report = examine_divisions(model, bounds);
  EXPECT_TRUE(report.unevaluated.empty()) << describe(report.unevaluated.front());
  ASSERT_FALSE(report.counterexample)
      << "m = " << report.counterexample->input.divisor << ", "
      << report.counterexample->input.dividends.size() << " positions: expected "
      << expected_text(report.counterexample->finding) << ", found "
      << got_text(report.counterexample->finding);
  EXPECT_GT(report.counts.numbers, 0u);
}

TEST(DivisionFloor, HasThreeLayersAndTwoForTheOwnPosition) {
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    EXPECT_EQ(compiled(100, false, norm).shape, (Shape{3, 0, 0}));
    EXPECT_EQ(compiled(100, true, norm).shape, (Shape{2, 0, 0}));
  }
}

/// Promised lengths around multiples of 8, where L changes; every position and divisor of each.
TEST(DivisionFloor, IsRightForEveryPositionAndDivisorOfThePromisedLength) {
  for (const bool own_argument : {false, true})
    for (const std::uint64_t length : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 33u}) {
      Bounds bounds;
      bounds.up_to = length;
      bounds.random = 4;
      bounds.max_size = length;
      expect_right(compiled(length, own_argument), bounds);
    }
}

TEST(DivisionFloor, IsRightForDivisorsBeyondTheLength) {
  for (const std::uint64_t length : {8u, 16u, 40u})
    for (const std::uint64_t divisor : {length, length + 1, length + 2, 8 * length}) {
      const Model model = compiled(length, true);
      Runner runner(model);
      const DivisionInput input{divisor, std::vector<std::uint64_t>(length, 0)};
      const auto stream = runner.run(tokens_of(model, division_rows(model, input)).value());
      for (std::size_t i = 0; i < length; ++i)
        EXPECT_TRUE(runner.logits(stream.value(), i).front().is_zero()) << i << " by " << divisor;
    }
}

TEST(DivisionFloor, IsRightOnRandomInputsOf512Positions) {
  Bounds bounds;
  bounds.up_to = 1;
  bounds.random = 3;
  bounds.max_size = 512;
  bounds.seed = 20261123;
  for (const bool own_argument : {false, true}) expect_right(compiled(512, own_argument), bounds);
}

TEST(DivisionFloor, IsTheSameUnderMeanSubtractingNorm) {
  Bounds bounds;
  bounds.up_to = 14;
  bounds.random = 5;
  bounds.max_size = 20;
  for (const bool own_argument : {false, true})
    expect_right(compiled(20, own_argument, Norm::layernorm), bounds);
}

TEST(DivisionFloor, LeavesNothingBehindButItsAnswer) {
  const Model model = compiled(11, false);
  const DivisionInput input{3, {0, 1, 0, 3, 2, 5, 4, 7, 8, 1, 10}};
  Runner runner(model);
  const auto stream = runner.run(tokens_of(model, division_rows(model, input)).value());
  const std::set<std::string> stays = {"a", "I", "I2", "R", "one", "quotient", "remainder"};
  for (const auto& [name, cell] : model.cells)
    for (std::size_t token = 0; token < stream.value().tokens; ++token)
      for (const std::uint32_t at : cell.coordinates)
        if (!stays.contains(name)) {
          EXPECT_TRUE(runner.arithmetic().pool()[stream.value().at(token, at)].is_zero()) << name;
        }
}

TEST(DivisionFloor, DoesAfterEveryLayerWhatItsProgramSays) {
  const DivisionInput input{4, {0, 1, 2, 0, 4, 5, 3, 7, 8, 9, 10, 6, 12}};
  for (const bool own_argument : {false, true})
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Program program = division_floor_MS25_lem3_1(13, own_argument);
      const Model model = compiled(program, norm);
      const auto tokens = tokens_of(model, division_rows(model, input));
      EXPECT_FALSE(first_difference(program, model, tokens.value()).value());
    }
}

/// L = 1 serves divisors up to 8: position 17 by 9 is the smallest that rounds up.
TEST(DivisionFloor, IsWrongBeyondEightTokensForEachL) {
  Program program = division_floor_MS25_lem3_1(8, true);
  program.unroll.max_length = 19;
  Bounds bounds;
  bounds.up_to = 18;
  bounds.random = 0;
  const auto report = examine_divisions(compiled(program), bounds);
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(report.counterexample->input.divisor, 9u);
  EXPECT_EQ(report.counterexample->input.dividends.size(), 18u);
}

TEST(DivisionFloor, RefusesLongerInputs) {
  const Model model = compiled(9, true);
  const DivisionInput input{2, std::vector<std::uint64_t>(10, 0)};
  const auto tokens = tokens_of(model, division_rows(model, input));
  ASSERT_FALSE(tokens.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(tokens.refusal()));
  EXPECT_THROW(division_floor_MS25_lem3_1(0, true), InputError);
  EXPECT_THROW(division_floor_MS25_lem3_1((std::uint64_t{1} << 24) + 1, true), SizeLimit);
}

}  // namespace
}  // namespace logdepth::division_floor_tests
