// Least-squares curves of depth: exact lines, values worked out by hand, and what may not enter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "learned/records/counter_random.hpp"
#include "learned/report/line_fit.hpp"
#include "learned/word_problems/published_depth.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::depth_fits_tests {
namespace {

using Points = std::vector<DepthPoint>;

/// One seed per depth.
Points points_of(const std::vector<std::pair<double, double>>& depth_and_reach) {
  Points points;
  for (const auto& [depth, reach] : depth_and_reach) points.push_back({depth, reach, false, 1});
  return points;
}

DepthPoint censored(double depth, double reach) {
  return {depth, reach, true, 1};
}

/// d = 3 log2 n with seeds that scatter around it.
Points scattered(double width, std::size_t seeds) {
  Points points;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CounterRandom random(seed, RandomStream::validation);
    for (double depth = 6; depth <= 18; depth += 3)
      points.push_back({depth, std::exp2(depth / 3 + width * (random.unit() - 0.5)), false, seed});
  }
  return points;
}

TEST(DepthFits, ExactPointsGiveBackTheirLine) {
  // WP-2: the published line, from the values that it implies.
  Points points;
  for (const double depth : {6., 9., 12., 15., 18., 21., 24.})
    points.push_back({depth, std::exp2((depth + 15.8) / 4.8), false, 1});
  const DepthFit fit = fit_depth(points, SeedChoice::best);
  ASSERT_TRUE(fit.fitted()) << fit.refusal;
  EXPECT_NEAR(fit.logarithmic.direct.a, 4.8, 1e-9);
  EXPECT_NEAR(fit.logarithmic.direct.b, -15.8, 1e-9);
  EXPECT_NEAR(fit.logarithmic.direct.r2, 1, 1e-12);
  ASSERT_TRUE(fit.logarithmic.inverse);
  EXPECT_NEAR(fit.logarithmic.inverse->first, 4.8, 1e-9);
  EXPECT_NEAR(fit.logarithmic.inverse->second, -15.8, 1e-9);
  EXPECT_EQ(fit.preferred, GrowthCurve::logarithmic);
  EXPECT_TRUE(std::isinf(fit.aic_difference));
}

TEST(DepthFits, FivePointsGiveTheValuesWorkedOutByHand) {
  // log2 n = 1 2 3 4 5 with d = 2 3 5 6 8. Means 3 and 4.8; sums of products of the deviations:
  // xx = 10, xd = 5.6 + 1.8 + 0 + 1.2 + 6.4 = 15, dd = 7.84 + 3.24 + 0.04 + 1.44 + 10.24 = 22.8.
  // a = 1.5, b = 4.8 - 4.5 = 0.3; squares 22.8 - 225/10 = 0.3; r2 = 22.5/22.8 = 0.986842.
  // Inverted: log2 n = 15/22.8 d - 0.157895, so a = 1.52 and b = 0.24.
  // n = 2 4 8 16 32, mean 12.4: xx = 108.16 + 70.56 + 19.36 + 12.96 + 384.16 = 595.2,
  // xd = 29.12 + 15.12 - 0.88 + 4.32 + 62.72 = 110.4, a = 0.185484, squares 22.8 - 20.477419 = 2.322581;
  // AICc: 5 ln(2.322581/0.3) = 10.233, what corrects for five points being the same for both.
  const DepthFit fit =
      fit_depth(points_of({{2, 2}, {3, 4}, {5, 8}, {6, 16}, {8, 32}}), SeedChoice::best);
  ASSERT_TRUE(fit.fitted());
  const LeastSquares& log = fit.logarithmic.direct;
  EXPECT_NEAR(log.a, 1.5, 1e-12);
  EXPECT_NEAR(log.b, 0.3, 1e-12);
  EXPECT_NEAR(log.residual, 0.3, 1e-12);
  EXPECT_NEAR(log.r2, 22.5 / 22.8, 1e-12);
  EXPECT_EQ(log.points, 5u);
  EXPECT_NEAR(fit.logarithmic.inverse->first, 1.52, 1e-6);
  EXPECT_NEAR(fit.logarithmic.inverse->second, 0.24, 1e-6);
  EXPECT_NEAR(fit.linear.direct.a, 0.185484, 1e-6);
  EXPECT_NEAR(fit.linear.direct.residual, 2.322581, 1e-6);
  EXPECT_EQ(fit.preferred, GrowthCurve::logarithmic);
  EXPECT_NEAR(fit.aic_difference, 10.233, 1e-3);
}

TEST(DepthFits, ACurveIsRecognisedInItsOwnData) {
  const DepthFit line = fit_depth(
      points_of({{1, 1}, {2, 2.1}, {3, 2.9}, {5, 5}, {8, 8.2}, {12, 11.9}}), SeedChoice::best);
  EXPECT_EQ(line.preferred, GrowthCurve::linear);
  EXPECT_LT(line.aic_difference, 0);
  EXPECT_NEAR(line.linear.direct.a, 1, 0.05);
  const DepthFit log =
      fit_depth(points_of({{1, 2.1}, {2, 3.9}, {3, 8}, {4, 16.5}, {5, 31}}), SeedChoice::best);
  EXPECT_EQ(log.preferred, GrowthCurve::logarithmic);
  EXPECT_GT(log.aic_difference, 0);
  EXPECT_NEAR(log.logarithmic.direct.a, 1, 0.05);
}

TEST(DepthFits, TwoDifferentReachesCannotTellTheCurvesApart) {
  const DepthFit fit =
      fit_depth(points_of({{1, 2}, {2, 2}, {3, 8}, {4, 8}, {5, 8}}), SeedChoice::best);
  ASSERT_TRUE(fit.fitted());
  EXPECT_EQ(fit.preferred, GrowthCurve::undecided);
}

TEST(DepthFits, TheLogarithmicLawIsShownUnlessTheLinearOneIsTellinglyCloser) {
  // Squares of both lines by hand give an AICc of 0.08 for the linear one: that says little.
  const DepthFit little =
      fit_depth(points_of({{1, 2}, {2, 4}, {4, 14}, {5, 20}, {6, 27}}), SeedChoice::best);
  EXPECT_EQ(little.preferred, GrowthCurve::linear);
  EXPECT_NEAR(little.aic_difference, -0.0774, 1e-4);
  EXPECT_FALSE(little.telling());
  EXPECT_EQ(&little.shown(), &little.logarithmic);
  const DepthFit line =
      fit_depth(points_of({{1, 1}, {2, 2.1}, {3, 2.9}, {5, 5}, {6, 6}}), SeedChoice::best);
  EXPECT_TRUE(line.telling());
  EXPECT_EQ(&line.shown(), &line.linear);
}

TEST(DepthFits, FewerThanFiveSettledDepthsAreNoLaw) {
  Points points = points_of({{1, 2}, {2, 4}, {3, 9}, {4, 15}});
  points.push_back(censored(5, 32));
  const DepthFit four = fit_depth(points, SeedChoice::best);
  EXPECT_FALSE(four.fitted());
  EXPECT_EQ(four.refusal,
            "no law: 4 depths, expected at least 5 that are settled (1 of 5 censored)");
  EXPECT_EQ(four.fitted_depths, 4u);
  points.back().censored = false;
  EXPECT_TRUE(fit_depth(points, SeedChoice::best).fitted());
  const DepthFit zeros =
      fit_depth(points_of({{1, 0}, {2, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}}), SeedChoice::best);
  EXPECT_EQ(zeros.refusal,
            "no law: 4 depths, expected at least 5 that are settled (0 of 6 censored, 2 reaching "
            "less than 1)");
  EXPECT_EQ(zeros.zero_depths, 2u);
  const DepthFit flat =
      fit_depth(points_of({{1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}}), SeedChoice::best);
  EXPECT_EQ(flat.refusal, "no law: every settled depth reaches the same (0 of 5 censored)");
  EXPECT_FALSE(fit_depth({}, SeedChoice::best).fitted());
}

/// Point of a network, one of its iterations.
DepthPoint of_network(std::size_t network, double depth, double reach, bool absent = false) {
  return {depth, reach, false, network, false, absent, network};
}

TEST(DepthFits, AnAbsentSeedCountsWithAtMostItsOwnReach) {
  // Two seeds have 12 in four iterations; the third never came to four and had 6 in three.
  const Points twelve = {of_network(0, 4, 12), of_network(1, 4, 12), of_network(2, 4, 6, true)};
  const DepthCell median = depth_cells(twelve, SeedChoice::median).at(0);
  EXPECT_EQ(median.reach, 12);
  EXPECT_EQ(median.absent_seeds, 1u);
  EXPECT_EQ(median.reaches, (std::vector<double>{12, 12}));
  EXPECT_TRUE(median.fitted());
  // With one survivor the median is that of an absent seed, which may be anything less.
  const Points one = {of_network(0, 4, 12), of_network(1, 4, 5, true), of_network(2, 4, 6, true)};
  const DepthCell open = depth_cells(one, SeedChoice::median).at(0);
  EXPECT_EQ(open.reach, 6);
  EXPECT_TRUE(open.undetermined);
  EXPECT_FALSE(open.fitted());
  EXPECT_TRUE(depth_cells(one, SeedChoice::best).at(0).fitted()) << "12 is the largest whatever";
  const Points behind = {of_network(0, 4, 12), of_network(1, 4, 14, true)};
  EXPECT_TRUE(depth_cells(behind, SeedChoice::best).at(0).undetermined);
}

TEST(DepthFits, AFlatSeedSettlesThatAChoiceIsAtLeastThat) {
  const auto cell = [](bool second_is_open) {
    return depth_cells({{2, 8, false, 1, true}, {2, 8, false, 2, second_is_open}}, SeedChoice::best)
        .at(0);
  };
  EXPECT_TRUE(cell(false).unsettled && cell(false).at_least);
  EXPECT_TRUE(cell(true).unsettled);
  EXPECT_FALSE(cell(true).at_least);
}

TEST(DepthFits, NetworksAreResampledWholeAndNotDepthByDepth) {
  // Two networks on parallel lines: whichever is drawn, the median lies on a line of slope 1, so the
  // slope is certain and the constant is not. Depth by depth both would scatter.
  Points whole, apart;
  for (double depth = 1; depth <= 5; ++depth)
    for (const std::size_t network : {0u, 1u}) {
      const double reach = std::exp2(depth + static_cast<double>(network));
      whole.push_back(of_network(network, depth, reach));
      apart.push_back({depth, reach, false, network + 1});
    }
  const DepthFit fit = fit_depth(whole, SeedChoice::best);
  ASSERT_TRUE(fit.logarithmic.a);
  EXPECT_NEAR(fit.logarithmic.a->low, 1, 1e-9);
  EXPECT_NEAR(fit.logarithmic.a->high, 1, 1e-9);
  EXPECT_NEAR(fit.logarithmic.b->high - fit.logarithmic.b->low, 1, 1e-9);
  const DepthFit scattered_fit = fit_depth(apart, SeedChoice::best);
  EXPECT_GT(scattered_fit.logarithmic.a->high - scattered_fit.logarithmic.a->low, 0.1);
}

TEST(DepthFits, SeedsBecomeTheBestOrTheMedian) {
  const Points points = {
      {2, 5, false, 1}, {2, 9, false, 2}, {2, 6, false, 3}, {4, 3, false, 1}, {4, 8, false, 2}};
  const auto best = depth_cells(points, SeedChoice::best);
  const auto median = depth_cells(points, SeedChoice::median);
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].reach, 9);
  EXPECT_EQ(best[1].reach, 8);
  EXPECT_EQ(median[0].reach, 6);
  EXPECT_EQ(median[1].reach, 5.5);
  EXPECT_EQ(best[0].reaches, (std::vector<double>{5, 6, 9}));
}

TEST(DepthFits, ADepthIsCensoredWhenItsChoiceCouldBeLarger) {
  // The best was not asked for more than 16; a median of 4 stays 4 whatever the best can do.
  const Points one = {{2, 4, false, 1}, {2, 3, false, 2}, {2, 16, true, 3}};
  EXPECT_TRUE(depth_cells(one, SeedChoice::best)[0].censored);
  EXPECT_FALSE(depth_cells(one, SeedChoice::median)[0].censored);
  EXPECT_EQ(depth_cells(one, SeedChoice::median)[0].reach, 4);
  EXPECT_EQ(depth_cells(one, SeedChoice::best)[0].censored_seeds, 1u);
  // Censored at 16, but another seed was asked for more and got to 20: 20 is what is known.
  const Points longer = {{2, 16, true, 1}, {2, 20, false, 2}, {2, 18, false, 3}};
  EXPECT_FALSE(depth_cells(longer, SeedChoice::best)[0].censored);
  EXPECT_TRUE(depth_cells(longer, SeedChoice::median)[0].censored);
}

TEST(DepthFits, OneSeedPerDepthHasNoInterval) {
  const DepthFit fit = fit_depth(scattered(0.5, 1), SeedChoice::best);
  ASSERT_TRUE(fit.fitted());
  EXPECT_EQ(fit.several_seeds, 0u);
  EXPECT_EQ(fit.resamples, 0u);
  EXPECT_FALSE(fit.logarithmic.a);
}

TEST(DepthFits, ResamplingIsDeterministicAndFollowsTheScatter) {
  const auto width = [](const DepthFit& fit) {
    return fit.logarithmic.a->high - fit.logarithmic.a->low;
  };
  const DepthFit fit = fit_depth(scattered(0.5, 5), SeedChoice::median, 7);
  const DepthFit again = fit_depth(scattered(0.5, 5), SeedChoice::median, 7);
  const DepthFit other = fit_depth(scattered(0.5, 5), SeedChoice::median, 8);
  ASSERT_TRUE(fit.logarithmic.a && fit.logarithmic.b);
  EXPECT_EQ(fit.resamples, kResamples);
  EXPECT_EQ(fit.logarithmic.a->low, again.logarithmic.a->low);
  EXPECT_EQ(fit.logarithmic.b->high, again.logarithmic.b->high);
  EXPECT_NE(fit.logarithmic.a->low, other.logarithmic.a->low);
  EXPECT_LE(fit.logarithmic.a->low, fit.logarithmic.direct.a);
  EXPECT_GE(fit.logarithmic.a->high, fit.logarithmic.direct.a);
  EXPECT_GT(width(fit), 0);
  EXPECT_LT(width(fit_depth(scattered(0.1, 5), SeedChoice::median, 7)), width(fit));
  EXPECT_GT(fit.logarithmic_wins, kResamples * 9 / 10);
  // Seeds that agree leave nothing to chance.
  EXPECT_NEAR(width(fit_depth(scattered(0, 5), SeedChoice::median)), 0, 1e-9);
}

TEST(DepthFits, ResamplesWithoutFiveDepthsAreLeftOutAndCounted) {
  // At depth 3 one of the three seeds is censored at 8: where it decides, four depths are left.
  const Points points = {{1, 2, false, 1}, {2, 4, false, 1},  {3, 7, false, 1}, {3, 9, false, 2},
                         {3, 8, true, 3},  {4, 16, false, 1}, {5, 30, false, 1}};
  const DepthFit fit = fit_depth(points, SeedChoice::best);
  ASSERT_TRUE(fit.fitted());
  EXPECT_LT(fit.resamples, kResamples);
  // 9 is drawn, or 7 three times: 1 - (2/3)^3 + (1/3)^3 = 0.741.
  EXPECT_NEAR(static_cast<double>(fit.resamples) / kResamples, 0.741, 0.05);
}

TEST(DepthFits, WidthsAreFittedTheOtherWayRound) {
  // The published widths and the values that their line implies.
  Points points;
  for (const double width : {128., 256., 384., 512., 768., 1024.})
    points.push_back({std::log2(width), published_width_line().value(width), false, 1});
  const WidthFit fit = fit_width(points, SeedChoice::best);
  ASSERT_TRUE(fit.fitted());
  EXPECT_NEAR(fit.line.a, 7.2, 1e-9);
  EXPECT_NEAR(fit.line.b, -41.7, 1e-9);
  points[0].censored = points[1].censored = true;
  const WidthFit refused = fit_width(points, SeedChoice::best);
  EXPECT_FALSE(refused.fitted());
  EXPECT_EQ(refused.censored_widths, 2u);
}

TEST(DepthFits, APublishedLineIsNotEvaluatedOutsideItsRange) {
  const PublishedLine& line = published_depth_line();
  EXPECT_NEAR(line.value(16), 3.4, 1e-9);
  EXPECT_NEAR(line.value(512), 27.4, 1e-9);
  EXPECT_THROW(line.value(15), std::logic_error);
  EXPECT_THROW(line.value(513), std::logic_error);
}

/// Depths 1, 2, ... with any reaches of at least 1.
Points any_points() {
  Points points;
  const auto count = *rc::gen::inRange<std::size_t>(5, 11);
  for (std::size_t i = 0; i < count; ++i)
    points.push_back(
        {static_cast<double>(i + 1), static_cast<double>(*rc::gen::inRange(1, 500)), false, 1});
  return points;
}

RC_GTEST_PROP(DepthFits, TheTwoWaysDifferByR2, ()) {
  const DepthFit fit = fit_depth(any_points(), SeedChoice::best);
  RC_PRE(fit.fitted());
  for (const CurveFit& curve : {fit.logarithmic, fit.linear}) {
    RC_PRE(std::fabs(curve.direct.r2) > 1e-6);
    RC_ASSERT(curve.inverse);
    // a = xd/xx and, inverted, dd/xd: their ratio is xd^2/(xx dd).
    RC_ASSERT(std::fabs(curve.direct.a / curve.inverse->first - curve.direct.r2) < 1e-6);
    if (curve.direct.r2 < 0.99) RC_ASSERT(curve.direct.a != curve.inverse->first);
  }
}

RC_GTEST_PROP(DepthFits, NoOtherLineHasSmallerSquares, ()) {
  std::vector<std::pair<double, double>> line;
  for (const DepthPoint& point : any_points()) line.emplace_back(point.reach, point.depth);
  const auto fit = least_squares(line);
  RC_PRE(fit.has_value());
  const double a = fit->a + *rc::gen::inRange(-100, 100) * 1e-3;
  const double b = fit->b + *rc::gen::inRange(-100, 100) * 1e-2;
  double squares = 0;
  for (const auto& [x, y] : line) squares += (y - a * x - b) * (y - a * x - b);
  RC_ASSERT(squares >= fit->residual - 1e-9);
}

RC_GTEST_PROP(DepthFits, CensoredDepthsAreCountedAndNeverUsed, ()) {
  Points points = any_points();
  const DepthFit before = fit_depth(points, SeedChoice::best);
  const auto more = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t i = 0; i < more; ++i)
    points.push_back(censored(100 + static_cast<double>(i), *rc::gen::inRange(1, 500)));
  const DepthFit after = fit_depth(points, SeedChoice::best);
  RC_ASSERT(after.fitted() == before.fitted());
  RC_ASSERT(after.censored_depths == more && after.censored_points == more);
  RC_ASSERT(after.logarithmic.direct.a == before.logarithmic.direct.a);
  RC_ASSERT(after.linear.direct.b == before.linear.direct.b);
}

RC_GTEST_PROP(DepthFits, TheOrderOfThePointsDoesNotMatter, ()) {
  const Points points = any_points();
  Points reversed(points.rbegin(), points.rend());
  const DepthFit a = fit_depth(points, SeedChoice::median);
  const DepthFit b = fit_depth(reversed, SeedChoice::median);
  RC_ASSERT(a.fitted() == b.fitted());
  RC_ASSERT(a.logarithmic.direct.a == b.logarithmic.direct.a);
  RC_ASSERT(a.aic_difference == b.aic_difference);
}

}  // namespace
}  // namespace logdepth::depth_fits_tests
