// Pictures of divisions: quotients and remainders as they are read from the run are those of the
// language, and stand as blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "proofs-check/check/divisions.hpp"
#include "report/pictures/division_results.hpp"
#include "report/pictures/draw_attention.hpp"

namespace logdepth::division_pictures_tests {
namespace {

Model division(bool own_argument, bool unit_inputs, DivisionForm form = DivisionForm::compact) {
  return with_derived(compile(division_MS25_lem3_1({form, own_argument, unit_inputs})));
}

/// A dividend for each of some positions, from 0 to the position.
DivisionInput input_of(std::size_t positions, std::uint64_t divisor) {
  DivisionInput input{divisor, {}};
  for (std::uint64_t i = 0; i < positions; ++i)
    input.dividends.push_back((7 * i * i + 3) % (i + 1));
  return input;
}

TokenBands bands_of(const Model& model, const DivisionInput& input) {
  Runner runner(model);
  return attention_bands(runner, tokens_of(model, division_rows(model, input)).value()).value();
}

TEST(DivisionPictures, ShowTheQuotientAndTheRemainderOfTheLanguageAtEveryToken) {
  for (const Model& model :
       {division(false, false), division(true, false), division(false, false, DivisionForm::paper)})
    for (const std::uint64_t divisor : {1, 2, 3, 5, 30}) {
      const DivisionInput input = input_of(17, divisor);
      const bool own = division_file(model).own_argument;
      const TokenBands bands = bands_of(model, input);
      ASSERT_EQ(bands.stacks.size(), 17u);
      ASSERT_EQ(bands.results.size(), 4u);
      std::size_t blocks = 0;
      for (std::size_t i = 0; i < 17; ++i) {
        const std::uint64_t dividend = own ? i : input.dividends[i];
        EXPECT_EQ(bands.results[0].texts[i], std::to_string(dividend));
        EXPECT_EQ(bands.results[1].texts[i], std::to_string(divisor));
        EXPECT_EQ(bands.results[2].texts[i], std::to_string(dividend / divisor));
        EXPECT_EQ(bands.results[3].texts[i], std::to_string(dividend % divisor));
        EXPECT_EQ(bands.stacks[i].blocks * divisor + bands.stacks[i].rest, dividend);
        blocks += dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
      }
      const std::string svg = strips_svg(token_bands_picture({bands}, ""));
      std::size_t drawn = 0;
      for (std::size_t at = svg.find("class=\"block\""); at != std::string::npos;
           at = svg.find("class=\"block\"", at + 1))
        ++drawn;
      EXPECT_EQ(drawn, blocks);
    }
}

TEST(DivisionPictures, ShowAWrongAnswerAsItIsAndNoTowers) {
  // The first number of the quotient's code doubled: (2 q, 1) stands for 2 q.
  Model model = division(false, false);
  const std::size_t row = division_file(model).rows[0];
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(2);
  const DivisionInput input{2, {0, 1, 2, 3, 4}};
  const TokenBands bands = bands_of(model, input);
  EXPECT_EQ(bands.results[2].texts, (std::vector<std::string>{"0", "0", "2", "2", "4"}));
  EXPECT_EQ(bands.stacks[4].blocks, 4u) << "8 units are drawn for 4";
  EXPECT_EQ(bands.results[2].wrong, (std::vector<std::size_t>{2, 3, 4}));
  // A hundredfold quotient is a number, but no picture; a third of one is no natural number.
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(50);
  const TokenBands towers = bands_of(model, input);
  EXPECT_EQ(towers.results[2].texts[4], "200");
  EXPECT_EQ(towers.stacks[4].blocks, 0u);
  for (MatrixEntry& entry : model.unembedding.entries)
    if (entry.row == row) entry.value = entry.value * Rational(1, 300);
  EXPECT_EQ(bands_of(model, input).results[2].texts[2], "?");
}

// The position nearest to i/m among 0 ... i is by angle not always the nearest by distance.
TEST(DivisionPictures, ShowTheNearestDirectionToThatOfTheLastPositionAndTheDivisor) {
  std::size_t drawn = 0;
  for (const std::size_t positions : {2, 3, 8, 18, 30})
    for (const std::uint64_t divisor : {1, 2, 3, 5, 7, 50}) {
      const TokenBands bands = bands_of(division(false, false), input_of(positions, divisor));
      const double last = static_cast<double>(positions - 1), by = static_cast<double>(divisor);
      std::size_t nearest = 0;
      for (std::size_t j = 0; j < positions; ++j) {
        const auto off = [&](std::size_t k) {
          return std::abs(std::atan2(last, by) - std::atan2(static_cast<double>(k), 1.0));
        };
        if (off(j) < off(nearest)) nearest = j;
      }
      std::size_t circles = 0;
      for (const Band& band : bands.bands) {
        if (!band.circle) continue;
        ++circles;
        EXPECT_EQ(band.circle->nearest, nearest) << positions << " by " << divisor;
        EXPECT_EQ(band.circle->directions.size(), positions);
        EXPECT_NEAR(band.circle->asked.x / band.circle->asked.y, last / by, 1e-9);
        const std::string svg = strips_svg(token_bands_picture({bands}, ""));
        EXPECT_EQ(svg.find("class=\"nearest\""), svg.rfind("class=\"nearest\""));
        EXPECT_NE(svg.find("class=\"nearest\""), std::string::npos);
      }
      // Where m divides i the key is there, and nothing is to be found by its angle.
      EXPECT_EQ(circles, (positions - 1) % divisor == 0 ? 0u : 1u)
          << positions << " by " << divisor;
      drawn += circles;
    }
  EXPECT_GT(drawn, 10u);
}

TEST(DivisionPictures, AreNotMadeOfOtherNamesOrInputs) {
  EXPECT_TRUE(bands_of(division(false, true), input_of(5, 2)).stacks.empty()) << "no m is given";
  const Model model = division(true, false);
  std::vector<std::vector<Real>> rows = division_rows(model, input_of(3, 2));
  for (auto& row : rows) row[2] = Real(Rational(3, 2));  // the divisor
  Runner runner(model);
  const Tokens tokens = tokens_of(model, rows).value();
  const auto stream = runner.run(tokens);
  ASSERT_TRUE(stream.has_value());
  EXPECT_TRUE(division_results(runner, tokens, stream.value()).empty());
}

}  // namespace
}  // namespace logdepth::division_pictures_tests
