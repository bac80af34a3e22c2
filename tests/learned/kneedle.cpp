// The knee of a curve by Kneedle, and the cut of a decoder's layers by two of them.
#include "learned/language_model/kneedle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "learned/language_model/layer_cut.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::kneedle_tests {
namespace {

using Curve = std::vector<double>;

/// heights of f at `points` places from 0 to 1.
Curve curve(std::size_t points, const std::function<double(double)>& f) {
  Curve heights;
  for (std::size_t i = 0; i < points; ++i)
    heights.push_back(f(static_cast<double>(i) / static_cast<double>(points - 1)));
  return heights;
}

/// The parabola by the normal equations and Cramer's rule.
std::array<long double, 3> normal_equations(const Curve& heights) {
  long double s[5] = {}, t[3] = {};
  for (std::size_t i = 0; i < heights.size(); ++i) {
    long double power = 1;
    for (std::size_t k = 0; k < 5; ++k, power *= static_cast<long double>(i)) {
      s[k] += power;
      if (k < 3) t[k] += power * heights[i];
    }
  }
  const auto determinant = [](const long double(&m)[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  const long double all[3][3] = {{s[0], s[1], s[2]}, {s[1], s[2], s[3]}, {s[2], s[3], s[4]}};
  std::array<long double, 3> solution{};
  for (std::size_t column = 0; column < 3; ++column) {
    long double changed[3][3];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < 3; ++k) changed[row][k] = k == column ? t[row] : all[row][k];
    solution[column] = determinant(changed) / determinant(all);
  }
  return solution;
}

/// What the paper prints: y - (1 - x), both scaled to [0, 1].
Curve printed_difference(const Curve& heights) {
  const auto [c, b, a] = normal_equations(heights);
  Curve fit;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const auto x = static_cast<long double>(i);
    fit.push_back(static_cast<double>(c + b * x + a * x * x));
  }
  const auto [least, most] = std::ranges::minmax(fit);
  Curve difference;
  for (std::size_t i = 0; i < heights.size(); ++i)
    difference.push_back((fit[i] - least) / (most - least) -
                         (1 - static_cast<double>(i) / static_cast<double>(heights.size() - 1)));
  return difference;
}

Curve random_curve(std::size_t least_points) {
  const auto points = *rc::gen::inRange<std::size_t>(least_points, 65);
  const auto bend = *rc::gen::inRange(-30, 300), fall = *rc::gen::inRange(-100, 300);
  const auto noise = *rc::gen::container<std::vector<int>>(points, rc::gen::inRange(0, 100));
  Curve heights = curve(points, [&](double x) { return bend * (1 - x) * (1 - x) - fall * x; });
  for (std::size_t i = 0; i < points; ++i) heights[i] += noise[i];
  return heights;
}

// --- the knee ------------------------------------------------------------------------------------

TEST(Kneedle, FindsTheKneeOfAParabolaInTheMiddle) {
  const auto knee = find_knee(curve(11, [](double x) { return (1 - x) * (1 - x); }));
  ASSERT_TRUE(knee);
  EXPECT_EQ(knee->at, 5u);
  EXPECT_NEAR(knee->exact, 5, 1e-9);
}

TEST(Kneedle, FindsNoKneeInALineAConstantAndWhatBendsTheOtherWay) {
  EXPECT_FALSE(find_knee(curve(11, [](double x) { return 3 - 2 * x; })));
  EXPECT_FALSE(find_knee(curve(11, [](double x) { return 0.1 + 0.7 * x; })));
  EXPECT_FALSE(find_knee(Curve(11, 0.3)));
  EXPECT_FALSE(find_knee(curve(11, [](double x) { return 1 - x * x; })));
  EXPECT_FALSE(find_knee(curve(11, [](double x) { return x * x; })));  // grows
  EXPECT_FALSE(find_knee({}));
  EXPECT_FALSE(find_knee(Curve{1, 0}));
}

RC_GTEST_PROP(Kneedle, FindsNoKneeInADecreasingLineWithALittleNoise, ()) {
  const auto points = *rc::gen::inRange<std::size_t>(3, 65);
  const auto noise = *rc::gen::container<std::vector<int>>(points, rc::gen::inRange(0, 100));
  Curve heights;
  for (std::size_t i = 0; i < points; ++i)
    heights.push_back(-1000 * static_cast<double>(i) + noise[i]);
  RC_ASSERT(!find_knee(heights));
}

TEST(Kneedle, OfASingleDipFindsTheKneeOfTheParabolaThroughIt) {
  Curve heights(11, 1);
  heights[5] = 0;
  // Scaled, the parabola is (2x - 1)^2 and the difference 3x - 4x^2, largest at 3/8.
  const Curve difference = knee_difference(heights);
  for (std::size_t i = 0; i <= 10; ++i) {
    const double x = static_cast<double>(i) / 10;
    EXPECT_NEAR(difference.at(i), 3 * x - 4 * x * x, 1e-12) << i;
  }
  const auto knee = find_knee(heights);
  ASSERT_TRUE(knee);
  EXPECT_EQ(knee->at, 4u);
  EXPECT_NEAR(knee->exact, 3.75, 1e-9);
}

TEST(Kneedle, OfTwoPointsAlikeTakesTheLater) {
  const auto knee = find_knee(curve(10, [](double x) { return (1 - x) * (1 - x); }));
  ASSERT_TRUE(knee);
  EXPECT_EQ(knee->at, 5u);
  EXPECT_NEAR(knee->exact, 4.5, 1e-9);
}

RC_GTEST_PROP(Kneedle, UsesTheNegativeOfThePrintedDifference, ()) {
  const Curve heights = random_curve(3), difference = knee_difference(heights);
  RC_PRE(!difference.empty());
  const Curve printed = printed_difference(heights);
  RC_ASSERT(difference.size() == printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i)
    RC_ASSERT(std::abs(difference[i] + printed[i]) < 1e-6);
}

RC_GTEST_PROP(Kneedle, IsWhereThePrintedDifferenceIsLeastIfItRisesEnoughAfterwards, ()) {
  const Curve heights = random_curve(3), printed = printed_difference(heights);
  const double step = 1 / static_cast<double>(heights.size() - 1);
  std::size_t least = 0;
  for (std::size_t i = 1; i < printed.size(); ++i)
    if (printed[i] <= printed[least] + 1e-9) least = i;
  const double rise =
      *std::max_element(printed.begin() + static_cast<std::ptrdiff_t>(least), printed.end()) -
      printed[least] - step;
  const auto knee = find_knee(heights);
  if (least == 0 || rise < -1e-9) RC_ASSERT(!knee);
  if (least > 0 && rise > 1e-9) RC_ASSERT(knee && knee->at == least);
  if (!knee) return;
  // The closed form: the derivative of the printed difference is 0 there.
  RC_ASSERT(std::abs(static_cast<double>(knee->at) - knee->exact) <= 0.5 + 1e-6);
  const auto [c, b, a] = normal_equations(heights);
  Curve fit;
  for (std::size_t i = 0; i < heights.size(); ++i)
    fit.push_back(static_cast<double>(c + i * (b + i * a)));
  const auto [lowest, highest] = std::ranges::minmax(fit);
  const auto slope = static_cast<double>(b + 2 * a * knee->exact) / (highest - lowest) + step;
  RC_ASSERT(std::abs(slope) < 1e-6);
}

TEST(Kneedle, AcceptsAMaximumOnlyWhereTheDifferenceFallsByMoreThanAStep) {
  // A step of 5 points is .25.
  EXPECT_FALSE(last_knee(Curve{0, 0.5, 0.375, 0.25, 0.25}));
  EXPECT_EQ(last_knee(Curve{0, 0.5, 0.375, 0.25, 0.24}), 1u);
  EXPECT_EQ(last_knee(Curve{0, 0.5, 0.375, 0.25, 0.25}, 0.9), 1u);
  EXPECT_FALSE(last_knee(Curve{0, 0.5, 0.375, 0.25, 0.24}, 2));
}

TEST(Kneedle, ReadsTheWholeCurveAndTellsTheLastKnee) {
  // A step of 9 points is .125; the third maximum does not fall far enough.
  EXPECT_EQ(last_knee(Curve{0, 0.5, 0.1, 0.6, 0.2, 0.1, 0.3, 0.25, 0.2}), 3u);
  // The first does not before the second begins.
  EXPECT_EQ(last_knee(Curve{0, 0.5, 0.4, 0.6, 0.55, 0.5, 0.5, 0.5, 0.3}), 3u);
  EXPECT_FALSE(last_knee(Curve{0, 0.5, 0.4, 0.6, 0.55, 0.5, 0.5, 0.5, 0.5}));
}

TEST(Kneedle, TakesNeitherEndForAKneeAndOfAPlateauItsLastPoint) {
  EXPECT_FALSE(last_knee(Curve{1, 0.5, 0, -1}));
  EXPECT_FALSE(last_knee(Curve{-1, 0, 0.5, 1}));
  EXPECT_EQ(last_knee(Curve{0, 1, 1, 1, -1}), 3u);
  EXPECT_EQ(last_knee(Curve{0, 1, 1 - 1e-15, -1, -1}), 2u);
}

// --- the cut -------------------------------------------------------------------------------------

/// SmolLM2-135M-Instruct, 52 paragraphs.
const Curve kSmolLm2 = {.4889, .1732, .0831, .0746, .0812, .0863, .0831, .0806, .0937, .0805,
                        .0797, .0819, .0738, .0711, .0710, .0758, .0778, .0714, .0911, .0993,
                        .1171, .0921, .0944, .1110, .1821, .0594, .0698, .0880, .0947, .2772};

TEST(LayerCut, OfSmolLm2IsElevenTenNine) {
  const LayerCut cut = layer_cut(kSmolLm2);
  EXPECT_EQ(cut, (LayerCut{11, 10, 9, true, true}));
  EXPECT_EQ(layer_cut_text(cut), "11-10-9");
}

TEST(LayerCut, ReadsTheSameOfACurveAndItsReverse) {
  // Of a curve that is the same from both ends the decoder is that of a shorter curve.
  const Curve bowl = curve(16, [](double x) { return (2 * x - 1) * (2 * x - 1); });
  const LayerCut cut = layer_cut(bowl);
  EXPECT_EQ(cut.encoder, 6u);  // 3/8 of 15 is 5.6
  const auto decoder = find_knee(Curve(bowl.rbegin(), bowl.rend() - 5));
  ASSERT_TRUE(decoder);
  EXPECT_EQ(cut.decoder, decoder->at);
}

TEST(LayerCut, FallsBackToThePublishedSharesWithoutKnees) {
  const auto line = [](std::size_t layers) {
    return layer_cut(curve(layers, [](double x) { return 1 - x / 2; }));
  };
  EXPECT_EQ(line(16), (LayerCut{7, 4, 5, false, false}));
  EXPECT_EQ(line(32), (LayerCut{14, 8, 10, false, false}));
  EXPECT_EQ(line(30), (LayerCut{13, 8, 9, false, false}));
  EXPECT_EQ(line(3), (LayerCut{1, 1, 1, false, false}));
  EXPECT_EQ(layer_cut(Curve{1, 0.5}), (LayerCut{1, 1, 0, false, false}));
  EXPECT_EQ(layer_cut(Curve{1}), (LayerCut{0, 1, 0, false, false}));
}

TEST(LayerCut, SaysWhichKneeWasFound) {
  // Falls all the way: read backwards it rises.
  const LayerCut cut = layer_cut(curve(16, [](double x) { return (1 - x) * (1 - x); }));
  EXPECT_EQ(cut, (LayerCut{8, 3, 5, true, false}));
  // No parabola through all of it falls, one through its end read backwards does.
  const LayerCut reversed = layer_cut(Curve{0, 1, 2, 3, 4, 5, 3, 3, 3, 3, 3, 3, 3, 3, 5, 9});
  EXPECT_EQ(reversed, (LayerCut{7, 5, 4, false, true}));
}

RC_GTEST_PROP(LayerCut, LeavesALayerToThinkOfEveryCurve, ()) {
  const Curve distances = random_curve(2);
  const LayerCut cut = layer_cut(distances);
  RC_ASSERT(cut.encoder + cut.think + cut.decoder == distances.size());
  RC_ASSERT(cut.think >= 1 && cut.think <= distances.size());
  const CutKnees knees = cut_knees(distances);
  RC_ASSERT(knees.encoder.has_value() == cut.encoder_knee);
  RC_ASSERT(knees.decoder.has_value() == cut.decoder_knee);
  if (cut.encoder_knee) RC_ASSERT(knees.encoder->at == cut.encoder);
  if (cut.decoder_knee) RC_ASSERT(knees.decoder->at == cut.decoder);
}

}  // namespace
}  // namespace logdepth::kneedle_tests
