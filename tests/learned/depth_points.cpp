// Records of runs as series of depths: what stands together, and what every point is.
#include "learned/report/depth_points.hpp"

#include <gtest/gtest.h>

#include "learned/report/depth_table_text.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/depth_records.hpp"

namespace logdepth::depth_points_tests {
namespace {

using namespace depth_records;

TEST(DepthPoints, AStackIsAsDeepAsItHasLayers) {
  const auto series = depth_series(doubling("S3"));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].problem, "S3");
  EXPECT_EQ(series[0].kind, "stack");
  EXPECT_EQ(series[0].width, 64u);
  EXPECT_EQ(series[0].cost.runs, 6u);
  EXPECT_EQ(series[0].cost.seconds, 360);
  ASSERT_EQ(series[0].points.size(), 6u);
  EXPECT_EQ(series[0].points[1].point.depth, 4);
  EXPECT_EQ(series[0].points[1].point.reach, 6);
  EXPECT_TRUE(series[0].points[5].point.censored);
}

TEST(DepthPoints, ALoopIsAsDeepAsItRan) {
  RunRecord adaptive = looped("Z2", 3, 9);
  adaptive.config.model.loops.kind = LoopRule::Kind::per_doubling;
  adaptive.config.model.final = 2;
  const auto series =
      depth_series({looped("Z2", 2, 7), looped("Z2", 4, 12), looped("Z2", 1, 4), adaptive});
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].kind, "stack");  // one loop is a stack as well
  EXPECT_EQ(series[0].points.size(), 1u);
  EXPECT_EQ(series[1].kind, "loop");
  EXPECT_EQ(series[1].shape, "(0, 1, 0)");
  ASSERT_EQ(series[1].points.size(), 3u);
  EXPECT_EQ(series[1].points[0].point.depth, 1);
  EXPECT_EQ(series[1].points[2].point.depth, 4);
  EXPECT_EQ(series[2].kind, "adaptive loop");
  // 16 letters: 3 * log2 16 loops of one layer, and two final ones.
  EXPECT_EQ(series[2].points[0].point.depth, 14);
}

TEST(DepthPoints, AFrontierHasAPointForEveryNumberOfLoops) {
  const auto series = depth_series({hops()});
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].problem, "reachability");
  EXPECT_EQ(series[0].kind, "unmasked recurrence");
  ASSERT_EQ(series[0].points.size(), 6u);
  EXPECT_EQ(series[0].points[3].point.depth, 5);
  EXPECT_FALSE(series[0].points[4].point.censored);
  EXPECT_TRUE(series[0].points[5].point.censored);  // 12 hops are the most that were tried
}

TEST(DepthPoints, WhatDiffersInMoreThanDepthIsAnotherSeries) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[1].config.model.heads = 8;
  runs[2].machine["device"] = "cuda";
  runs[3].config.task.as<WordTaskConfig>().shuffled_labels = true;
  runs[0].config.task.as<WordTaskConfig>().max_length = 32;  // one more stage is no difference
  runs[0].config.training.steps = 7;
  runs.push_back(words("S3", 3, 5));
  const auto series = depth_series(runs);
  ASSERT_EQ(series.size(), 4u);
  std::size_t plain = 0;
  bool control = false, heads = false, cuda = false;
  for (const LearnedSeries& one : series) {
    plain = std::max(plain, one.points.size());
    control |= one.setting.find("control: shuffled labels") == 0;
    heads |= one.setting.find("model.heads=8") != std::string::npos;
    cuda |= one.device == "cuda";
  }
  EXPECT_EQ(plain, 4u);
  EXPECT_TRUE(control && heads && cuda);
}

TEST(DepthPoints, ANetworkMadeFromAWeightsFileIsNotALearnedOne) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[0].config.constructed = ConstructedConfig{.weights = "s3.json"};
  ASSERT_EQ(depth_series(runs).size(), 1u);
  EXPECT_EQ(depth_series(runs)[0].points.size(), 5u);
  EXPECT_NE(depth_table_markdown(table_of(runs, {}), {})
                .find("read: 6, of which 1 began with compiled weights"),
            std::string::npos);
}

TEST(DepthPoints, WidthsAtOneDepthAreASeriesOfTheirOwn) {
  std::vector<RunRecord> runs;
  for (const auto& [width, reach] :
       {std::pair(16u, 0), {32u, 3}, {64u, 6}, {128u, 9}, {256u, 12}}) {
    runs.push_back(words("S3", 2, reach));
    runs.back().config.model.width = width;
    runs.back().config.model.heads = width / 16;
    runs.back().config.model.hidden = 4 * width;
  }
  const auto widths = width_series(runs);
  ASSERT_EQ(widths.size(), 1u);
  EXPECT_EQ(widths[0].depth, 2);
  EXPECT_EQ(widths[0].points[2].point.depth, 6);  // log2 64
  const DepthTable table = table_of(runs, {});
  ASSERT_EQ(table.widths.size(), 1u);
  EXPECT_NEAR(table.widths[0].best.line.a, 3, 1e-9);
  EXPECT_NEAR(table.widths[0].best.line.b, -12, 1e-9);
  EXPECT_TRUE(width_series(doubling("S3")).empty());
}

TEST(DepthPoints, OneLoopedNetworkHasAPointForEveryNumberOfItsLoops) {
  const auto series = depth_series({by_loops(1, {2, 4, 8, 12}, 16), by_loops(2, {2, 3, 5}, 8)});
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].kind, "adaptive loop");
  EXPECT_TRUE(series[0].by_loops);
  EXPECT_EQ(series[0].runs.size(), 2u);
  ASSERT_EQ(series[0].points.size(), 7u);
  const auto first = series[0].depth_points(0);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[3].depth, 4);
  EXPECT_EQ(first[3].reach, 12);
  EXPECT_EQ(series[0].depth_points(1)[2].reach, 5);
  // The second was never trained for four loops: with them it has at most what it had.
  const auto all = series[0].depth_points();
  ASSERT_EQ(all.size(), 8u);
  EXPECT_TRUE(all[7].absent);
  EXPECT_EQ(all[7].depth, 4);
  EXPECT_EQ(all[7].reach, 5);
  EXPECT_EQ(all[7].network, all[1].network);
  // A record without that list has one point, as before, in a series of its own.
  RunRecord older = by_loops(3, {2, 4, 7}, 8);
  older.result.erase("by_loops");
  const auto both = depth_series({older, by_loops(1, {2, 4, 8, 12}, 16)});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_FALSE(both[0].by_loops);
  EXPECT_EQ(both[0].points.size(), 1u);
  EXPECT_EQ(both[0].points[0].point.depth, 3);
}

TEST(DepthPoints, AFixedLoopIsADepthOfItsSeriesAndALawByItself) {
  RunRecord fixed = looped("S3", 4, 9);
  fixed.result["by_loops"] = by_loops(1, {2, 3, 6, 9}, 16).result["by_loops"];
  const auto series = depth_series({looped("S3", 2, 5), fixed});
  ASSERT_EQ(series.size(), 2u);
  EXPECT_FALSE(series[0].by_loops);
  EXPECT_EQ(series[0].points.size(), 2u);
  EXPECT_TRUE(series[1].by_loops);
  ASSERT_EQ(series[1].points.size(), 4u);
  EXPECT_EQ(series[1].points[2].point.reach, 6);
}

TEST(DepthPoints, ANetworkByItsLoopsIsFittedSeedBySeed) {
  const DepthTable table =
      table_of({by_loops(1, {2, 4, 8, 12, 20}, 32), by_loops(2, {1, 2, 4, 8, 16}, 32)});
  const LearnedRow& row = table.problems.at(0).learned.at(0);
  ASSERT_EQ(row.run_fits.size(), 2u);
  ASSERT_TRUE(row.run_fits[1].fitted());
  EXPECT_NEAR(row.run_fits[1].logarithmic.direct.a, 1, 1e-9);  // 1 2 4 8 16 in 1 to 5 layers
  EXPECT_NEAR(row.run_fits[1].logarithmic.direct.b, 1, 1e-9);
  EXPECT_GT(row.run_fits[0].logarithmic.direct.a, 1.05);
  EXPECT_EQ(row.best.cells[3].reach, 12);
  EXPECT_EQ(row.median.cells[3].reach, 10);
  const TextTable runs = runs_table(table);
  ASSERT_EQ(runs.rows.size(), 2u);
  EXPECT_EQ(runs.rows[1][4].substr(0, 40), "d = 1.00 log2 n* + 1.00, r2 = 1.00; 0 of");
  EXPECT_NE(runs.rows[0][3].find("n* at 1: 2, plateaued; 2: 4"), std::string::npos)
      << runs.rows[0][3];
}

TEST(DepthPoints, EveryNumberOfLoopsHasACurveOfItsOwn) {
  RunRecord run = by_loops(1, {2, 5, 8, 12}, 16);
  run.training["steps"] = 8000;
  with_curve(run, {{1000, 2}, {2000, 5}, {4000, 8}, {8000, 12}});
  using Trend = LearningCurve::Trend;
  const auto trends = [&] {
    std::vector<Trend> all;
    const auto series = depth_series({run});
    for (const RunPoint& point : series.at(0).points) all.push_back(point.trend);
    return all;
  };
  // A record that does not tell loops apart: one curve for all of them.
  EXPECT_EQ(trends(), std::vector<Trend>(4, Trend::rising));
  auto& points = run.training["curve"]["points"];
  points[0]["by_loops"] = {2};
  points[1]["by_loops"] = {2, 5};
  points[2]["by_loops"] = {2, 7, 8};
  points[3]["by_loops"] = {2, 5, 8, 12};
  // Two loops have lost what they had; four were not run before the second half.
  EXPECT_EQ(trends(),
            (std::vector<Trend>{Trend::flat, Trend::falling, Trend::flat, Trend::rising}));
  EXPECT_FALSE(depth_series({run})[0].points[2].point.unsettled);
  EXPECT_TRUE(depth_series({run})[0].points[3].point.unsettled);
  points[3]["by_loops"] = {2, 5, 8, 8};
  EXPECT_EQ(trends()[3], Trend::rising) << "from nothing, not from what three loops had";
  // Only points that tell loops apart count: without one in the first half nothing is known.
  points[0].erase("by_loops");
  points[1].erase("by_loops");
  points[2].erase("by_loops");
  EXPECT_EQ(trends(), std::vector<Trend>(4, Trend::unknown));
}

TEST(DepthPoints, AnotherRecipeIsAnotherSeriesAndItsBudgetIsNot) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[0].config.training.steps = 100;
  runs[1].config.training.learning_rate = 2e-3;
  runs[2].config.task.as<WordTaskConfig>().batch_tokens = 512;
  const auto series = depth_series(runs);
  ASSERT_EQ(series.size(), 3u);
  std::vector<std::string> settings;
  for (const LearnedSeries& one : series) settings.push_back(one.setting);
  EXPECT_EQ(settings[0], "task.batch_tokens=1024, training.learning_rate=0.001");
  EXPECT_EQ(settings[2], "task.batch_tokens=512, training.learning_rate=0.001");
}

TEST(DepthPoints, AResultThatIsNotOneOfItsTaskIsRefused) {
  const auto refusal = [](const RunRecord& record) -> std::string {
    try {
      depth_series({record});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  RunRecord broken = words("S3", 2, 3);
  broken.result.erase("strict");
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.strict: expected a number");
  broken = words("S3", 2, 3);
  broken.result["kind"] = "hops";
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.kind: expected 'words', as in its task");
  broken = words("S3", 2, 3);
  broken.result["censored"] = 1;
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.censored: expected true or false");
  broken = hops();
  broken.result["frontier"] = {{{"loops", "many"}, {"difficulty", 1}}};
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.frontier.loops: expected a number");
  broken = by_loops(1, {2, 4}, 4);
  broken.result["by_loops"][1]["loops"] = 0;
  EXPECT_EQ(refusal(broken),
            "runs/one/record.json: result.by_loops.loops: expected a whole number of at least 1");
  broken = words("S3", 2, 3);
  broken.result["words"] = 100;
  broken.result["accuracy"] = {0.5, 2};
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.accuracy: expected shares from 0 to 1");
  broken = words("S3", 2, 3);
  broken.training["promotions"] = {{{"step", "many"}, {"to", "length 4"}}};
  EXPECT_EQ(refusal(broken), "runs/one/record.json: training.promotions.step: expected a number");
  broken = words("S3", 2, 3);
  broken.training.erase("seconds");
  EXPECT_EQ(refusal(broken), "runs/one/record.json: training.seconds: expected a number");
}

}  // namespace
}  // namespace logdepth::depth_points_tests
