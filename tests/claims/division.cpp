// MS25 Lemma 3.1: the division constructions against / and %.
#include <gtest/gtest.h>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/examined_files.hpp"

namespace logdepth::division_tests { namespace {

struct Form {
  std::string name;
  Program program;
  std::uint32_t layers;
  bool own_argument = false, unit_inputs = false;
};

Form form_of(const char* name, const DivisionOptions& options, std::uint32_t layers) {
  return {name, division_MS25_lem3_1(options), layers, options.own_argument, options.unit_inputs};
}

/// Those for every length, and for a given one those by a look-up that rounds down.
std::vector<Form> forms(std::uint64_t length) {
  return {form_of("compact", {}, 5),
          form_of("own argument", {DivisionForm::compact, true, false}, 4),
          form_of("unit inputs", {DivisionForm::compact, false, true}, 4),
          form_of("own argument and unit inputs", {DivisionForm::compact, true, true}, 3),
          form_of("paper", {DivisionForm::paper, false, false}, 8),
          {"floor", division_floor_MS25_lem3_1(length, false), 3, false, true},
          {"floor of the own position", division_floor_MS25_lem3_1(length, true), 2, true, true}};
}

Model compiled(const Program& program, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(program, options).model;
}

void expect_right(const Model& model, const Bounds& bounds, const std::string& name) {
  const auto report = examine_divisions(model, bounds);
  EXPECT_TRUE(report.unevaluated.empty()) << name << ": " << describe(report.unevaluated.front());
  ASSERT_FALSE(report.counterexample)
      << name << ", m = " << report.counterexample->input.divisor << ", "
      << report.counterexample->input.dividends.size() << " positions: expected "
      << expected_text(report.counterexample->finding) << ", found "
      << got_text(report.counterexample->finding);
  EXPECT_GT(report.counts.numbers, bounds.up_to * bounds.up_to / 2);
}

TEST(Division, HasTheLayersThatItsFileStates) {
  for (const Form& form : forms(100))
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Measures m = measure(compiled(form.program, norm), 100);
      EXPECT_EQ(m.depth, form.layers) << form.name;
      EXPECT_EQ(m.repeated + m.final, 0u) << form.name;
    }
}

TEST(Division, IsRightForEveryPositionAndDivisorUpTo48) {
  const Bounds bounds{.up_to = 48, .random = 20, .max_size = 64};
  for (const Form& form : forms(64)) expect_right(compiled(form.program), bounds, form.name);
}

TEST(Division, IsTheSameUnderMeanSubtractingNorm) {
  const Bounds bounds{.up_to = 14, .random = 5, .max_size = 40};
  for (const Form& form : forms(40))
    expect_right(compiled(form.program, Norm::layernorm), bounds, form.name);
}

TEST(Division, IsRightOnRandomInputsOf512Positions) {
  const Bounds bounds{.up_to = 1, .random = 3, .max_size = 512, .seed = 20261121};
  for (const Form& form : forms(512)) expect_right(compiled(form.program), bounds, form.name);
}

/// Every cell of the index, by name, at every token of one run.
using CellValues = std::map<std::string, std::vector<Real>>;
CellValues cells_after(const Model& model, const DivisionInput& input) {
  Runner runner(model);
  const auto stream = runner.run(tokens_of(model, division_rows(model, input)).value());
  CellValues values;
  for (const auto& [name, cell] : model.cells)
    for (std::size_t token = 0; token < stream.value().tokens; ++token)
      for (const std::uint32_t at : cell.coordinates)
        values[name].push_back(runner.arithmetic().pool()[stream.value().at(token, at)]);
  return values;
}

TEST(Division, ReadsNumbersOffTheirCodesAlone) {
  for (const Rational& x : {Rational(0), Rational(1, 3), Rational(7)}) {
    const auto [first, second] = phi_code(x);
    EXPECT_EQ(phi_argument(first, second), x);
    EXPECT_EQ(phi_argument(-first, -second), std::nullopt)
        << "the direction opposite to " << x.text();
    EXPECT_EQ(phi_argument(first + first, second + second), std::nullopt) << "twice " << x.text();
  }
  EXPECT_EQ(phi_argument(1, 0), std::nullopt);
}

TEST(Division, LeavesNothingBehindButItsAnswer) {
  const DivisionInput input{3, {0, 1, 0, 3, 2, 5, 4, 7, 8, 1, 10}};
  const std::set<std::string> stays = {"i", "m", "a", "one", "fst", "quotient", "remainder"};
  for (const Form& form : forms(11)) {
    if (form.own_argument) continue;  // B, C are the answer, and c stays by design
    for (const auto& [name, values] : cells_after(compiled(form.program), input)) {
      const bool given = form.unit_inputs && (name == "I" || name == "I2" || name == "R");
      const bool kept = stays.contains(name) || given;
      for (const Real& value : values)
        if (!kept) {
          EXPECT_TRUE(value.is_zero()) << form.name << ": cell " << name;
        }
    }
  }
}

TEST(Division, DoesAfterEveryLayerWhatItsProgramSays) {
  const DivisionInput input{4, {0, 1, 2, 0, 4, 5, 3, 7, 8, 9, 10, 6, 12}};
  for (const Form& form : forms(input.dividends.size()))
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Model model = compiled(form.program, norm);
      const auto tokens = tokens_of(model, division_rows(model, input));
      EXPECT_FALSE(first_difference(form.program, model, tokens.value()).value()) << form.name;
    }
}

TEST(Division, TakesDivisorsFarBeyondThePositions) {
  const Model model = compiled(division_MS25_lem3_1({}));
  for (const std::uint64_t divisor : {1000000007ull, 4294967296ull}) {
    const DivisionInput input{divisor, {0, 1, 2, 3, 4, 5}};
    const auto values = cells_after(model, input);
    for (std::size_t token = 0; token < 6; ++token) {
      EXPECT_TRUE(values.at("quotient")[2 * token].is_zero());
      EXPECT_EQ(values.at("quotient")[2 * token + 1], Real(1));
    }
  }
}

TEST(Division, OfThePaperTakesRawInputsOnly) {
  EXPECT_THROW(division_MS25_lem3_1({DivisionForm::paper, true, false}), InputError);
  EXPECT_THROW(division_MS25_lem3_1({DivisionForm::paper, false, true}), InputError);
}

// MS25 Lemma 3.1 for a given length, by a look-up that rounds down, against / and %.

Model compiled(std::uint64_t length, bool own_argument) {
  return compiled(division_floor_MS25_lem3_1(length, own_argument));
}

/// Promised lengths around multiples of 8, where L changes; every position and divisor of each.
TEST(DivisionFloor, IsRightForEveryPositionAndDivisorOfThePromisedLength) {
  for (const bool own_argument : {false, true})
    for (const std::uint64_t length : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 33u}) {
      const Bounds bounds{.up_to = length, .random = 4, .max_size = length};
      expect_right(compiled(length, own_argument), bounds, "floor");
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

/// L = 1 serves divisors up to 8: position 17 by 9 is the smallest that rounds up.
TEST(DivisionFloor, IsWrongBeyondEightTokensForEachL) {
  Program program = division_floor_MS25_lem3_1(8, true);
  program.unroll.max_length = 19;
  const Bounds bounds{.up_to = 18, .random = 0};
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

}}  // namespace logdepth::division_tests
