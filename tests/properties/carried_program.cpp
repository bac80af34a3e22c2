// The program that a weights file carries is outside its hash: each level of trust asks for its own
// evidence, and says why there is none.
#include "compiler/file/carried_program.hpp"

#include <gtest/gtest.h>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/derived_text.hpp"

namespace logdepth::carried_program_tests {
namespace {

Program scan(const std::string& name) {
  return regular_language_scan_MS25_thm4_1(named_monoid(name), name);
}

/// As whoever gets the file reads it.
Model in_a_file(const Compiled& compiled) {
  return parse_weights(write_weights(with_derived(compiled)), "test");
}

void expect_level(const Model& model, Trust needed, Trust reached, const std::string& reason) {
  const CarriedProgram carried(model, needed);
  EXPECT_EQ(carried.trust(), reached);
  EXPECT_EQ(carried.reason(), reason);
  EXPECT_EQ(carried.fitted() != nullptr, reached == Trust::plausible);
  if (reached != Trust::recompiled) {
    EXPECT_EQ(carried.facts(), no_facts(model));
  }
}

constexpr const char* kNothingProved =
    "the file carries no program from which anything could be proved";
constexpr const char* kOtherWeights = "the file's program does not compile to its weights";
constexpr const char* kDoesNotFit = "the file's program does not fit its weights";

TEST(CarriedProgram, ReachesEveryLevelInAFileOfTheCompiler) {
  const Program program = scan("A5");
  for (const bool strict : {false, true})
    for (const auto unrolled : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(9)})
      for (const Norm norm : {Norm::rms, Norm::layernorm}) {
        const Compiled compiled = compile(program, {norm, strict, unrolled});
        const Model model = in_a_file(compiled);
        expect_level(model, Trust::none, Trust::none, "");
        expect_level(model, Trust::plausible, Trust::plausible, "");
        expect_level(model, Trust::recompiled, Trust::recompiled, "");
        const CarriedProgram carried(model, Trust::recompiled);
        EXPECT_EQ(carried.facts(), compiled.facts);
        ASSERT_TRUE(carried.program());
        EXPECT_EQ(*carried.program(), program);
      }
}

TEST(CarriedProgram, IsNotThereOrNotReadable) {
  Model model = in_a_file(compile(scan("S3")));
  for (const char* const derived : {"{}", "{\"program\":3}", "{\"program\":\"nonsense\"}"}) {
    model = support::with_derived_text(model, derived);
    EXPECT_EQ(CarriedProgram(model, Trust::none).program(), nullptr) << derived;
    EXPECT_FALSE(CarriedProgram(model, Trust::none).reason().empty()) << derived;
    EXPECT_EQ(CarriedProgram(model, Trust::plausible).trust(), Trust::none) << derived;
    expect_level(model, Trust::recompiled, Trust::none, kNothingProved);
  }
}

TEST(CarriedProgram, OfOtherWeightsIsReadButNotTrusted) {
  Model model = in_a_file(compile(scan("A5")));
  model.derived = with_derived(compile(scan("Z6")))->derived;
  expect_level(model, Trust::none, Trust::none, "");
  expect_level(model, Trust::plausible, Trust::none, kDoesNotFit);
  expect_level(model, Trust::recompiled, Trust::none, kOtherWeights);
  const CarriedProgram carried(model, Trust::none);
  ASSERT_TRUE(carried.program());
  EXPECT_EQ(*carried.program(), scan("Z6"));
}

TEST(CarriedProgram, ThatFitsProvesNothingOfAWeightThatWasChanged) {
  Model model = in_a_file(compile(scan("A5")));
  Rational& weight = model.layers[0].feedforward.in.entries.front().value;
  weight = weight + Rational(1, 3);
  expect_level(model, Trust::plausible, Trust::plausible, "");
  expect_level(model, Trust::recompiled, Trust::none, kOtherWeights);
}

TEST(CarriedProgram, GivesTheFactsThatAreProvedAndNotThoseThatAreWritten) {
  const Compiled compiled = compile(scan("S3"));
  PrecisionFacts enlarged = compiled.facts;
  enlarged.layers[0].heads[0].gap = SeparationLaw{1000, 0};
  Model model = in_a_file({compiled.model, compiled.program, enlarged});
  ASSERT_EQ(model.derived.precision, enlarged);
  EXPECT_EQ(CarriedProgram(model, Trust::recompiled).facts(), compiled.facts);
}

}  // namespace
}  // namespace logdepth::carried_program_tests
