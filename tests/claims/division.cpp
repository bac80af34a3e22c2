// MS25 Lemma 3.1: the division constructions against / and %.
#include <gtest/gtest.h>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::division_tests {
namespace {

struct Form {
  const char* name;
  DivisionOptions options;
  std::uint32_t layers;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"compact", {}, 5},
      {"own argument", {DivisionForm::compact, true, false}, 4},
      {"unit inputs", {DivisionForm::compact, false, true}, 4},
      {"own argument and unit inputs", {DivisionForm::compact, true, true}, 3},
      {"paper", {DivisionForm::paper, false, false}, 8},
  };
  return all;
}

Model compiled(const Form& form, Norm norm) {
  CompileOptions options;
  options.norm = norm;
  return compile(division_MS25_lem3_1(form.options), options).model;
}

void expect_right(const Model& model, const Bounds& bounds, const char* name) {
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
  for (const Form& form : forms())
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Measures m = measure(compiled(form, norm), 100);
      EXPECT_EQ(m.depth, form.layers) << form.name;
      EXPECT_EQ(m.repeated + m.final, 0u) << form.name;
    }
}

TEST(Division, IsRightForEveryPositionAndDivisorUpTo48) {
  Bounds bounds;
  bounds.up_to = 48;
  bounds.random = 20;
  bounds.max_size = 64;
  for (const Form& form : forms()) expect_right(compiled(form, Norm::rms), bounds, form.name);
}

TEST(Division, IsTheSameUnderMeanSubtractingNorm) {
  Bounds bounds;
  bounds.up_to = 14;
  bounds.random = 5;
  bounds.max_size = 40;
  for (const Form& form : forms()) expect_right(compiled(form, Norm::layernorm), bounds, form.name);
}

TEST(Division, IsRightOnRandomInputsOf512Positions) {
  Bounds bounds;
  bounds.up_to = 1;
  bounds.random = 3;
  bounds.max_size = 512;
  bounds.seed = 20261121;
  for (const Form& form : forms())
    if (!form.options.own_argument) expect_right(compiled(form, Norm::rms), bounds, form.name);
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
  const std::set<std::string> stays = {"i", "m", "a",        "one",      "fst",
                                       "I", "R", "quotient", "remainder"};
  for (const Form& form : forms()) {
    if (form.options.own_argument) continue;  // B, C are the answer, and c stays by design
    for (const auto& [name, values] : cells_after(compiled(form, Norm::rms), input)) {
      const bool given = form.options.unit_inputs && (name == "I" || name == "R");
      const bool kept = stays.contains(name) && (given || (name != "I" && name != "R"));
      for (const Real& value : values)
        if (!kept) {
          EXPECT_TRUE(value.is_zero()) << form.name << ": cell " << name;
        }
    }
  }
}

TEST(Division, DoesAfterEveryLayerWhatItsProgramSays) {
  const DivisionInput input{4, {0, 1, 2, 0, 4, 5, 3, 7, 8, 9, 10, 6, 12}};
  for (const Form& form : forms()) {
    const Program program = division_MS25_lem3_1(form.options);
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Model model = compiled(form, norm);
      const auto tokens = tokens_of(model, division_rows(model, input));
      EXPECT_FALSE(first_difference(program, model, tokens.value()).value()) << form.name;
    }
  }
}

TEST(Division, TakesDivisorsFarBeyondThePositions) {
  const Model model = compiled(forms()[0], Norm::rms);
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

}  // namespace
}  // namespace logdepth::division_tests
