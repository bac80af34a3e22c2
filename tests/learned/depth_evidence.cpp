// What a learned law rests on: flat curves, intervals of a measure, tokens, equal seeds, verdicts.
#include <gtest/gtest.h>

#include <cmath>

#include "learned/report/depth_table_text.hpp"
#include "learned/report/distinct_runs.hpp"
#include "learned/report/rank_sum.hpp"
#include "learned/report/share_interval.hpp"
#include "tests/support/depth_records.hpp"

namespace logdepth::depth_evidence_tests {
namespace {

using namespace depth_records;
using Trend = LearningCurve::Trend;

// --- curves --------------------------------------------------------------------------------------

TEST(DepthEvidence, AReachIsFlatWhereNothingChangedInTheSecondHalf) {
  const auto trend = [](std::vector<LearningCurve::Point> points) {
    return LearningCurve{"n*", std::move(points)}.trend();
  };
  EXPECT_EQ(trend({}), Trend::unknown);
  EXPECT_EQ(trend({{1000, 8}}), Trend::unknown);
  EXPECT_EQ(trend({{1000, 4}, {2000, 8}, {4000, 8}}), Trend::flat);
  EXPECT_EQ(trend({{1000, 4}, {2000, 8}, {4000, 9}}), Trend::rising);
  // 1 of 60 is less than a fiftieth, and still a change.
  EXPECT_EQ(trend({{1000, 60}, {2000, 61}}), Trend::rising);
  EXPECT_EQ(trend({{1000, 8}, {2000, 7}}), Trend::falling);
  EXPECT_EQ(trend({{1000, 8}, {1500, 7}, {2000, 8}}), Trend::rising) << "down, and up again";
  EXPECT_EQ(trend({{1000, 8}, {1500, 9}, {2000, 8}}), Trend::falling);
  EXPECT_EQ(trend({{1000, 2}, {2000, 8}, {3999, 9}}), Trend::rising)
      << "compared with 1000 steps: 2000 are more than half";
  EXPECT_EQ(trend({{1000, 9}, {2000, 8}, {4000, 8}}), Trend::flat) << "the first half is past";
}

TEST(DepthEvidence, WhereARunEndedInItsFirstHalfThatEndIsComparedAndNotThePointsOfTheFullRate) {
  LearningCurve curve{"n*", {{1000, 2, 0, {}, {2, 2}}, {4000, 7, 0, {}, {2, 7}}}};
  curve.points.push_back({6000, 8, 0, {}, {3, 8}});
  EXPECT_EQ(curve.trend(), Trend::rising) << "7 at the full rate";
  curve.ends = {{2000, 7, 0, {}, {2, 7}}, {3000, 8, 0, {}, {2, 8}}};
  EXPECT_EQ(curve.trend(), Trend::flat) << "8 where the rate had fallen after half of the steps";
  EXPECT_EQ(curve.after_loops(1).trend(), Trend::rising);
  EXPECT_EQ(curve.after_loops(2).trend(), Trend::flat);
  const LearningCurve read = learning_curve_from_json(to_json(curve));
  EXPECT_EQ(to_json(read), to_json(curve));
  EXPECT_EQ(read.ends.size(), 2u);
  curve.ends.back().score = 9;
  EXPECT_EQ(curve.trend(), Trend::falling);
  curve.ends.back() = {3001, 8};
  EXPECT_EQ(curve.trend(), Trend::rising) << "the end at 2000 is the latest of the first half";
  curve.ends = {{5000, 8}};
  EXPECT_EQ(curve.trend(), Trend::rising) << "more than half: the points decide";
  curve.score = "share";
  curve.ends = {{3000, 7.9}};
  EXPECT_EQ(curve.trend(), Trend::flat) << "less than a fiftieth";
}

TEST(DepthEvidence, ARisingPointEntersNoFit) {
  // 1, 2, 4, 8, 15 letters in as many depths, and a sixth whose curve still rises.
  std::vector<RunRecord> runs;
  for (const auto& [depth, reach] : {std::pair(1u, 1), {2u, 2}, {3u, 4}, {4u, 8}, {5u, 15}})
    runs.push_back(words("S3", depth, reach));
  runs.push_back(words("S3", 6, 9));
  with_curve(runs[5], {{1000, 4}, {2000, 8}, {4000, 9}});
  const DepthTable table = table_of(runs);
  const LearnedRow& row = table.problems.at(0).learned.at(0);
  ASSERT_TRUE(row.best.fitted());
  EXPECT_EQ(row.best.fitted_depths, 5u);
  EXPECT_EQ(row.best.unsettled_depths, 1u);
  EXPECT_NEAR(row.best.logarithmic.direct.a, 1, 0.03);
  const std::string markdown = depth_table_markdown(table, {});
  EXPECT_NE(markdown.find("0 of 6 depths censored, 1 not plateaued"), std::string::npos);
  EXPECT_NE(markdown.find("5 plateaued, 1 still improving"), std::string::npos);
  EXPECT_NE(markdown.find("6: 9 ↑ / 9 ↑ (9)"), std::string::npos);
  with_curve(runs[5], {{1000, 4}, {2000, 9}, {4000, 9}});
  EXPECT_EQ(table_of(runs).problems[0].learned[0].best.fitted_depths, 6u);
  // With four depths left there is no law, and the reason names them.
  with_curve(runs[5], {{1000, 4}, {2000, 8}, {4000, 9}});
  with_curve(runs[2], {{1000, 2}, {2000, 3}, {4000, 4}});
  EXPECT_EQ(table_of(runs).problems[0].learned[0].best.refusal,
            "no law: 4 depths, expected at least 5 that are settled (0 of 6 censored, 2 not "
            "plateaued)");
}

TEST(DepthEvidence, WithoutALearningCurveNothingHasPlateauedAndABriefRunIsSaidToHaveNone) {
  std::vector<RunRecord> runs = doubling("Z2");
  ASSERT_TRUE(table_of(runs).problems[0].learned[0].best.fitted());
  runs[1].training.erase("curve");
  runs[1].config.training.curve_first = 1000;  // of 1500 steps
  runs[2].config.training.curve_first = 1000;
  with_curve(runs[2], {{1000, 12}, {1500, 12}});
  const LearnedRow row = table_of(runs).problems[0].learned[0];
  EXPECT_EQ(row.best.refusal,
            "no law: 3 depths, expected at least 5 that are settled (1 of 6 censored, 2 not "
            "plateaued)");
  EXPECT_EQ(std::ranges::count(row.notes,
                               "1 of 6 runs cannot plateau: fewer steps than twice "
                               "training.curve_first"),
            1)
      << "of the run with a curve; the other one has none at all";
}

TEST(DepthEvidence, AChoiceOfSeedsIsOpenWhereMoreTrainingCouldMakeItLarger) {
  const auto point = [](double reach, bool unsettled) {
    return DepthPoint{2, reach, false, 1, unsettled};
  };
  const auto cell = [](const std::vector<DepthPoint>& points, SeedChoice choice) {
    return depth_cells(points, choice).at(0);
  };
  const std::vector<DepthPoint> best = {point(3, false), point(4, false), point(9, true)};
  EXPECT_TRUE(cell(best, SeedChoice::best).unsettled);
  EXPECT_FALSE(cell(best, SeedChoice::median).unsettled);
  EXPECT_EQ(cell(best, SeedChoice::median).reach, 4);
  const std::vector<DepthPoint> least = {point(3, true), point(4, false), point(9, false)};
  EXPECT_FALSE(cell(least, SeedChoice::best).unsettled);
  EXPECT_TRUE(cell(least, SeedChoice::median).unsettled);
  // One seed censored and one unsettled: each alone would leave the median where it is.
  const std::vector<DepthPoint> both = {
      point(5, true), {2, 5, true, 1}, point(5, false), point(5, false), point(9, false)};
  EXPECT_FALSE(cell(both, SeedChoice::median).censored);
  EXPECT_TRUE(cell(both, SeedChoice::median).unsettled);
}

// --- intervals -----------------------------------------------------------------------------------

TEST(DepthEvidence, IntervalsOfSharesAreThoseWorkedOutByHand) {
  // z = 1.96, z^2 = 3.8415. 50 of 100: middle .5, half width
  // (1.96 sqrt(.0025 + 3.8415 / 40000)) / 1.038415 = 1.96 * .050951 / 1.038415 = .09617.
  const ShareInterval half = share_interval(0.5, 100);
  EXPECT_NEAR(half.low, 0.40383, 2e-5);
  EXPECT_NEAR(half.high, 0.59617, 2e-5);
  // 10 of 10: from 1 / (1 + z^2 / 10) on.
  const ShareInterval all = share_interval(1, 10);
  EXPECT_NEAR(all.low, 1 / 1.38415, 1e-5);
  EXPECT_EQ(all.high, 1);
  EXPECT_EQ(share_interval(0, 10).low, 0);
  EXPECT_NEAR(share_interval(0, 10).high, 1 - all.low, 1e-12);
  // The ends are the shares p with (share - p)^2 = z^2 p (1 - p) / n.
  for (const double share : {0.03, 0.4, 0.951}) {
    const ShareInterval found = share_interval(share, 4000);
    for (const double p : {found.low, found.high})
      EXPECT_NEAR((share - p) * (share - p), 3.841459 * p * (1 - p) / 4000, 1e-9);
  }
}

TEST(DepthEvidence, AReachHasTheIntervalOfTheWordsThatMeasuredIt) {
  // At 95 % of 4000 words .955 is between .948 and .961, .945 between .938 and .952, .930 below .938.
  RunRecord run = words("S3", 2, 2);
  run.result["words"] = 4000;
  run.result["accuracy"] = {1.0, 0.955, 0.945, 0.93};
  const auto interval = depth_series({run}).at(0).points.at(0).interval;
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 3);
  run.result["words"] = 400000;  // more words, no doubt
  const auto narrow = depth_series({run}).at(0).points.at(0).interval;
  EXPECT_EQ(narrow->low, 2);
  EXPECT_EQ(narrow->high, 2);
  EXPECT_FALSE(depth_series({words("S3", 2, 2)})[0].points[0].interval) << "an older record";
  run.result["words"] = 4000;
  EXPECT_EQ(runs_table(table_of({run})).rows.at(0).at(3), "n* at 2: 2 (1 to 3), plateaued");
  run.result["loose"] = 3;
  EXPECT_EQ(runs_table(table_of({run})).rows.at(0).at(3),
            "n* at 2: 2, loose 3 (1 to 3), plateaued");
}

// --- tokens --------------------------------------------------------------------------------------

TEST(DepthEvidence, TokensPerDoublingAreThoseUntilLengthsWerePassed) {
  RunRecord run = words("A5", 2, 9);
  run.training["steps"] = 4000;
  run.training["tokens"] = 4000000;
  run.training["promotions"] = {{{"step", 250}, {"to", "length 4"}},
                                {{"step", 1000}, {"to", "length 8"}}};
  with_curve(run, {{1000, 3}, {2000, 9}, {4000, 9}});
  const auto passed = depth_series({run}).at(0).runs.at(0).passed;
  // 2 and 4 when they were left, 8 when the curve has 9; nothing says that 16 was.
  ASSERT_EQ(passed.size(), 3u);
  EXPECT_EQ(passed[0].size, 2u);
  EXPECT_EQ(passed[0].tokens, 250000);
  EXPECT_EQ(passed[1].tokens, 1000000);
  EXPECT_EQ(passed[2].steps, 2000u);
  EXPECT_EQ(passed[2].tokens, 2000000);
  EXPECT_NEAR(*tokens_per_doubling(passed), std::sqrt(8.0), 1e-12);
  // Where points of the curve count their tokens, steps are read between those.
  run.training["curve"]["points"][0]["tokens"] = 2000000;
  const auto counted = depth_series({run}).at(0).runs.at(0).passed;
  EXPECT_EQ(counted[0].tokens, 500000);
  EXPECT_EQ(counted[1].tokens, 2000000);
  EXPECT_NEAR(counted[2].tokens, 2000000 + 2000000 / 3.0, 1e-6);
  const DepthTable table = table_of({run});
  ASSERT_TRUE(table.problems[0].learned[0].tokens);
  EXPECT_EQ(runs_table(table).rows[0][5], "2: 500 k; 4: 2.00 M; 8: 2.67 M");
}

TEST(DepthEvidence, TokensPerDoublingThatCannotBeHadAreSaidToBeMissing) {
  RunRecord run = words("A5", 2, 2);
  run.training["promotions"] = {{{"step", 250}, {"to", "length 4"}}};
  const DepthTable table = table_of({run});
  EXPECT_FALSE(table.problems[0].learned[0].tokens);
  EXPECT_NE(depth_table_markdown(table, {}).find("no run passed two lengths"), std::string::npos);
  run.training["promotions"] = {{{"step", 250}, {"to", "length 99999999999999999999"}}};
  run.training.erase("curve");
  EXPECT_TRUE(depth_series({run})[0].runs[0].passed.empty());
}

// --- seeds ---------------------------------------------------------------------------------------

TEST(DepthEvidence, EqualSeedsOfCopiedFoldersCountOnce) {
  std::vector<RunRecord> runs = doubling("S3");
  RunRecord copy = runs[1];
  copy.folder = "copied";
  copy.machine["processor"] = "another";
  copy.training["seconds"] = 3.0;
  RunRecord longer = runs[2];
  longer.config.training.steps = 3000;
  longer.training["steps"] = 3000;
  longer.result["strict"] = 13;
  RunRecord seed = runs[0], device = runs[0], length = runs[0];
  seed.config.seed = 2;
  device.machine["device"] = "cuda";
  length.config.task.as<WordTaskConfig>().max_length = 32;
  for (const RunRecord& more : {copy, longer, seed, device, length}) runs.push_back(more);
  const DistinctRuns distinct = distinct_runs(runs);
  EXPECT_EQ(distinct.repeated, 2u);
  ASSERT_EQ(distinct.records.size(), 9u);
  EXPECT_EQ(distinct.records[1].folder, "runs/one") << "of equal ones the first";
  EXPECT_EQ(distinct.records[5].result["strict"], 13) << "the one with more steps";
  const DepthTable table = table_of(runs);
  EXPECT_EQ(table.records, 11u);
  EXPECT_EQ(table.repeated_runs, 2u);
  EXPECT_NE(depth_table_markdown(table, {}).find("Left out: 2 records with the configuration"),
            std::string::npos);
  EXPECT_EQ(depth_table_markdown(table_of(doubling("S3")), {}).find("Left out"), std::string::npos);
}

// --- reach ---------------------------------------------------------------------------------------

TEST(DepthEvidence, RankSumsAreThoseCountedByHand) {
  // 20 ways to choose 3 of 6; the lowest sum and the highest are as far as it goes.
  EXPECT_NEAR(rank_sum_p({1, 2, 3}, {4, 5, 6}), 2.0 / 20, 1e-12);
  EXPECT_NEAR(rank_sum_p({4, 5, 6}, {1, 2, 3}), 2.0 / 20, 1e-12);
  // {1, 2, 4} and {3, 5, 6} have sums 7 and 14 of 10.5; 6, 7, 14 and 15 are as far: one way each.
  EXPECT_NEAR(rank_sum_p({1, 2, 4}, {3, 5, 6}), 4.0 / 20, 1e-12);
  // Equal values share a rank: of 3 ways to choose one of {1, 1, 2}, only 2 has the sum 3.
  EXPECT_NEAR(rank_sum_p({2}, {1, 1}), 1.0 / 3, 1e-12);
  EXPECT_EQ(rank_sum_p({1, 1}, {1, 1}), 1);
  EXPECT_EQ(rank_sum_p({}, {1}), 1);
}

TEST(DepthEvidence, ReachIsTabledByIterationAndItsEdgeBySolvability) {
  const auto run = [](const char* monoid, std::uint64_t seed, const std::vector<int>& reached,
                      double behind) {
    RunRecord record = by_loops(seed, reached, 16);
    record.config.task.as<WordTaskConfig>().monoid = monoid;
    record.result["words"] = 1000;
    for (int n = 1; n <= 16; ++n)
      record.result["accuracy"].push_back(n <= reached.back()       ? 1.0
                                          : n == reached.back() + 1 ? behind
                                                                    : 0.0);
    return record;
  };
  const auto reading = [](RunRecord record, const std::vector<double>& shares) {
    record.result["circuit"] = {{"letters", 8}, {"words", 64}, {"levels", Json::array()}};
    for (const double share : shares)
      record.result["circuit"]["levels"].push_back({{"hillis_steele", share}});
    return record;
  };
  const DepthTable table = table_of({reading(run("A5", 1, {2, 4, 8, 12}, 0.02), {1, 0.5, 0.25}),
                                     reading(run("A5", 2, {2, 4, 6}, 0.03), {0.5, 1}),
                                     run("A5", 3, {0, 3, 6}, 0.01), run("S3", 1, {2, 5, 7}, 0.9),
                                     run("S3", 2, {2, 4, 7}, 0.8), run("S3", 3, {2, 4, 8, 16}, 0)});
  const TextTable reach = reach_table(table);
  using Row = std::vector<std::string>;
  ASSERT_EQ(reach.rows.size(), 8u);
  EXPECT_EQ(reach.rows[0],
            (Row{"A5", "not solvable", "1", "3", "0 (1), 2 (2)", "–", "–", "0.75 (2)"}));
  EXPECT_EQ(reach.rows[1],
            (Row{"A5", "not solvable", "2", "3", "3 (1), 4 (2)", "1.00", "2 of 2", "0.75 (2)"}));
  EXPECT_EQ(reach.rows[2],
            (Row{"A5", "not solvable", "3", "3", "6 (2), 8 (1)", "1.00", "2 of 3", "0.25 (1)"}));
  EXPECT_EQ(reach.rows[3], (Row{"A5", "not solvable", "4", "1", "12 (1)", "0.50", "0 of 1", "–"}));
  EXPECT_EQ(reach.rows[4][1], "solvable");
  const TextTable edge = edge_table(table);
  ASSERT_EQ(edge.rows.size(), 2u);
  EXPECT_EQ(edge.rows[0],
            (Row{"A5", "not solvable", "3", "1.00", "0.02", "0.00", "0.01 0.02 0.03"}));
  EXPECT_EQ(edge.rows[1], (Row{"S3", "solvable", "2", "1.00", "0.85", "0.00", "0.80 0.90"}))
      << "the third seed solves all that was measured";
  // 2 of 5 values: 10 ways, of which the two ends are as far.
  EXPECT_NE(
      edge.before.at(0).find("medians 0.85 (2 networks) and 0.02 (3 networks), exact rank sum "
                             "test over networks, two-sided p = 0.2000."),
      std::string::npos)
      << edge.before[0];
}

// --- verdicts ------------------------------------------------------------------------------------

/// One layer per letter, with flat curves unless a seed is left without.
std::vector<RunRecord> letter_by_letter(std::uint64_t seeds, std::uint64_t without_curve = 0) {
  std::vector<RunRecord> runs;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (int depth = 1; depth <= 5; ++depth) {
      runs.push_back(words("S3", static_cast<std::uint32_t>(depth), depth + 3, seed));
      if (seed <= without_curve) runs.back().training.erase("curve");
    }
  return runs;
}

LawVerdict verdict_of(const std::vector<RunRecord>& runs) {
  return table_of(runs).problems.at(0).learned.at(0).verdict;
}

TEST(DepthEvidence, NotLogarithmicIsSaidOfFlatPointsOfThreeSeedsOnly) {
  using Law = LawVerdict::Law;
  EXPECT_EQ(verdict_of(letter_by_letter(3)).law, Law::not_logarithmic);
  EXPECT_EQ(verdict_text(verdict_of(letter_by_letter(3))),
            "not logarithmic: the linear law is closer, exactly");
  const LawVerdict two = verdict_of(letter_by_letter(2));
  EXPECT_EQ(two.law, Law::open);
  EXPECT_EQ(
      two.missing,
      "\"not logarithmic\" needs plateaued points of 3 seeds at every depth: 0 of 5 depths have "
      "them, 10 of 10 points are plateaued");
  // The seed without a curve has not plateaued, so that the best is open and the median is not.
  const LawVerdict without = verdict_of(letter_by_letter(3, 1));
  EXPECT_EQ(without.law, Law::open);
  EXPECT_EQ(
      without.reason,
      "the linear law is closer, exactly, of the median seed; the best one has not plateaued");
  EXPECT_EQ(
      without.missing,
      "\"not logarithmic\" needs plateaued points of 3 seeds at every depth: 0 of 5 depths have "
      "them, 10 of 15 points are plateaued and 5 have no learning curve");
  // A fourth seed takes the place of the one without a curve.
  EXPECT_EQ(verdict_of(letter_by_letter(4, 1)).law, Law::not_logarithmic);
  // Of one depth two seeds are flat, and the third, which the best seed does not depend on, rises.
  std::vector<RunRecord> rising = letter_by_letter(3);
  rising[0].result["strict"] = 3;
  with_curve(rising[0], {{750, 2}, {1500, 3}});
  EXPECT_EQ(verdict_of(rising).law, Law::open);
}

TEST(DepthEvidence, DepthWithoutGrowthIsNotLogarithmicOnTheSameEvidence) {
  using Law = LawVerdict::Law;
  std::vector<RunRecord> runs;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const auto& [depth, reach] : {std::pair(2u, 9), {4u, 7}, {6u, 6}, {8u, 8}, {10u, 9}})
      runs.push_back(words("S3", depth, reach, seed));
  EXPECT_EQ(verdict_of(runs).law, Law::not_logarithmic);
  EXPECT_EQ(verdict_of({runs.begin(), runs.begin() + 5}).law, Law::open);
  EXPECT_EQ(verdict_of(doubling("S3")).law, Law::logarithmic);
}

TEST(DepthEvidence, ThePageOpensWithTheLawsInAWordEach) {
  std::vector<RunRecord> runs = letter_by_letter(3);
  for (const RunRecord& run : doubling("Z2")) runs.push_back(run);
  EXPECT_EQ(depth_table_introduction(table_of(runs)).front(),
            "Learned laws of depth: S3, stack: not logarithmic; Z2, stack: logarithmic, 2.00 "
            "layers per doubling.");
  EXPECT_EQ(depth_table_introduction(table_of(letter_by_letter(2))).front(),
            "Learned laws of depth: S3, stack: open.");
  // Series of one kind that are not said to be alike are told apart by their settings.
  runs = letter_by_letter(3);
  for (RunRecord& run : doubling("S3")) {
    run.config.training.learning_rate = 0.5;
    runs.push_back(std::move(run));
  }
  const std::string both = depth_table_introduction(table_of(runs)).front();
  EXPECT_NE(both.find("learning_rate=0.001, width 64, cpu: not logarithmic; S3, stack"),
            std::string::npos)
      << both;
  EXPECT_NE(both.find("learning_rate=0.5, width 64, cpu: logarithmic, 2.00"), std::string::npos)
      << both;
  EXPECT_TRUE(depth_table_introduction(table_of({})).front().starts_with("Depth against size"));
}

TEST(DepthEvidence, ALearnedLawNamesKindBudgetAndSeeds) {
  std::vector<RunRecord> runs = letter_by_letter(3);
  for (RunRecord& run : runs) run.training["tokens"] = 1536000;
  const std::vector<TextTable> tables = depth_text_tables(table_of(runs));
  ASSERT_EQ(tables[0].heading, "Side by side");
  EXPECT_EQ(tables[0].rows.at(0).at(1), "stack, width 64, cpu");
  EXPECT_EQ(tables[0].rows[0][2].substr(0, 61),
            "3 seeds, 1500 steps and 1.54 M tokens a run: best seed d = 3.");
  ASSERT_EQ(tables[1].heading, "What is compared");
  EXPECT_EQ(tables[1].rows[0][5], "1.54 M letters of words");
  EXPECT_EQ(tables[1].rows[0][6], "95 % of answers, measured");
}

}  // namespace
}  // namespace logdepth::depth_evidence_tests
