// Verdicts on depth-recurrent transformers on heatmaps made by hand, the published figures, and what
// tells an ablation from its preset.

#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "learned/depth_recurrent/ablations.hpp"
#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/presets.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "learned/depth_recurrent/run_series.hpp"
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/heatmaps.hpp"

namespace logdepth::depth_recurrent_verdicts_tests {
namespace {

using Cells = std::vector<HeatmapCell>;
using Numbers = std::vector<std::uint32_t>;
using Supervision = TrainingConfig::Supervision;
using laws::ideal;
using laws::set;

TEST(FrontierVerdict, PassesTheIdealHeatmapInBothHalves) {
  const FrontierVerdict verdict = judge_frontier(ideal(), 1000);
  EXPECT_EQ(verdict.solved(), report::Verdict::passed);
  EXPECT_EQ(verdict.chance(), report::Verdict::passed);
  EXPECT_EQ(verdict.solved_cells, 1u + 2 + 3 + 5 + 5);
  EXPECT_EQ(verdict.chance_cells, 8u + 7 + 6 + 4 + 2);
}

TEST(FrontierVerdict, NamesTheCellThatFailsItsHalfAlone) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 5, 8, 0.949);
  set(heatmap, 6, 8, 0.2);    // beyond the trained hops, within T: judged by neither half
  set(heatmap, 12, 12, 0.2);  // T = 12 is not judged
  FrontierVerdict verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), report::Verdict::failed);
  EXPECT_EQ(verdict.unsolved, (Cells{{5, 8, 0.949}}));
  EXPECT_EQ(verdict.chance(), report::Verdict::passed);

  heatmap = ideal();
  set(heatmap, 6, 5, 0.561);
  set(heatmap, 2, 1, 0.439);
  verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), report::Verdict::passed);
  EXPECT_EQ(verdict.chance(), report::Verdict::failed);
  EXPECT_EQ(verdict.leaks, (Cells{{2, 1, 0.439}, {6, 5, 0.561}}));
}

TEST(FrontierVerdict, LimitsBelongToTheSideThatPasses) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 5, 5, 0.95);
  set(heatmap, 6, 5, 0.56);
  set(heatmap, 8, 5, 0.44);
  const FrontierVerdict verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), report::Verdict::passed);
  EXPECT_EQ(verdict.chance(), report::Verdict::passed);
}

TEST(FrontierVerdict, IsUndecidedAboutWhatWasNotMeasured) {
  FrontierVerdict verdict = judge_frontier(ideal({1, 2, 3, 4, 5, 10}, {1, 2, 3, 5}), 1000);
  EXPECT_EQ(verdict.missing_loops, (Numbers{8}));
  EXPECT_EQ(verdict.solved(), report::Verdict::undecided);
  EXPECT_EQ(verdict.chance(), report::Verdict::undecided);
  verdict = judge_frontier(ideal(), 999);
  EXPECT_EQ(verdict.solved(), report::Verdict::passed);
  EXPECT_EQ(verdict.chance(), report::Verdict::undecided);
  AccuracyHeatmap heatmap = ideal({1, 2, 3, 4}, {1, 2, 3, 5});
  set(heatmap, 1, 1, 0.5);
  EXPECT_EQ(judge_frontier(heatmap, 1000).solved(), report::Verdict::failed);
}

/// The most that an accuracy lies below one of the same row at fewer loops.
double largest_fall(const AccuracyHeatmap& heatmap) {
  double fall = 0;
  for (const auto& row : heatmap.accuracy)
    for (std::size_t j = 0; j < row.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) fall = std::max(fall, row[i] - row[j]);
  return fall;
}

TEST(PublishedHeatmaps, HaveTheRowsAndColumnsOfTheirFigures) {
  for (const PublishedHeatmap* figure :
       {&published_hops(), &published_expressions(), &published_families()}) {
    const AccuracyHeatmap& heatmap = figure->heatmap;
    EXPECT_EQ(heatmap.accuracy.size(), heatmap.difficulties.size()) << figure->source;
    for (const auto& row : heatmap.accuracy) EXPECT_EQ(row.size(), heatmap.loops.size());
    EXPECT_TRUE(std::ranges::is_sorted(heatmap.loops));
    EXPECT_TRUE(std::ranges::is_sorted(heatmap.difficulties));
  }
  EXPECT_EQ(published_expressions().heatmap.at(10, 16), .96);
  EXPECT_EQ(published_expressions().heatmap.at(14, 24), .90);
  EXPECT_EQ(published_families().heatmap.at(5, 1), .64);
  EXPECT_EQ(published_families().heatmap.at(9, 20), .56);
}

TEST(PublishedHeatmaps, ContradictTheTextAtEightHopsAndShowNoRowOfFive) {
  const AccuracyHeatmap& published = published_hops().heatmap;
  const FrontierVerdict verdict = judge_frontier(published, 1000);
  EXPECT_EQ(verdict.missing_hops, (Numbers{5}));
  EXPECT_EQ(verdict.solved(), report::Verdict::undecided);
  EXPECT_EQ(verdict.chance(), report::Verdict::passed);
  EXPECT_EQ(short_cells(published, 8, 0.95), (Cells{{8, 8, 0.5}}));
  EXPECT_EQ(short_cells(ideal(), 12, 0.95), Cells());
  EXPECT_EQ(frontier(published, 0.95), (Numbers{1, 2, 3, 4, 6, 8, 8, 8}));
  EXPECT_EQ(largest_solved(published, 0.95), 8u);
}

TEST(PublishedHeatmaps, AreNotMonotoneInTheStepsAsTheirTextsSay) {
  EXPECT_NEAR(largest_fall(published_expressions().heatmap), 0.02, 1e-12);
  const AccuracyHeatmap& families = published_families().heatmap;
  for (const std::uint32_t depth : {2u, 3u, 4u, 5u})
    for (const std::uint32_t loops : {6u, 8u, 10u, 12u, 16u, 20u})
      EXPECT_LE(*families.at(depth, loops), *families.at(depth, 4) + 0.01 + 1e-12);
  EXPECT_NEAR(*families.at(3, 4) - *families.at(3, 20), 0.02, 1e-12);
  EXPECT_EQ(largest_solved(families, 0.87), 0u);
}

TEST(ExtrapolationVerdict, AsksForNineTenthsOfSixHopsAtTwelveSteps) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 8, 12, 0.3);
  ExtrapolationVerdict verdict = judge_extrapolation(heatmap);
  EXPECT_EQ(verdict.verdict(), report::Verdict::passed);
  EXPECT_EQ(verdict.eight, 0.3);
  set(heatmap, 6, 12, 0.9);
  EXPECT_EQ(judge_extrapolation(heatmap).verdict(), report::Verdict::passed);
  set(heatmap, 6, 12, 0.899);
  EXPECT_EQ(judge_extrapolation(heatmap).verdict(), report::Verdict::failed);
  EXPECT_EQ(judge_extrapolation(ideal({6}, {8})).verdict(), report::Verdict::undecided);
  EXPECT_EQ(judge_extrapolation(published_hops().heatmap).six, 1.0);
  EXPECT_EQ(judge_extrapolation(published_hops().heatmap).eight, 0.97);
}

TEST(SupervisionVerdict, ComparesMediansOfTheLargestHopCountSolved) {
  const auto outcomes = [](const Numbers& solved) {
    std::vector<SupervisionOutcome> all;
    for (const std::uint32_t hops : solved)
      all.push_back({all.size(), hops, 0.5 + 0.01 * static_cast<double>(hops)});
    return all;
  };
  SupervisionVerdict verdict = judge_supervision(outcomes({10, 2, 12}), outcomes({8, 12, 8}));
  EXPECT_EQ(verdict.solved_last, 10.0);
  EXPECT_EQ(verdict.solved_mean_steps, 8.0);
  EXPECT_EQ(verdict.shortcut_last, 0.6);
  EXPECT_EQ(verdict.verdict(), report::Verdict::passed);
  EXPECT_TRUE(verdict.enough_seeds());
  verdict = judge_supervision(outcomes({10, 8, 12}), outcomes({10, 10, 1}));
  EXPECT_EQ(verdict.verdict(), report::Verdict::failed);  // equal is not smaller
  verdict = judge_supervision(outcomes({10, 12}), outcomes({10, 10, 10}));
  EXPECT_EQ(verdict.solved_last, 11.0);
  EXPECT_FALSE(verdict.enough_seeds());
  EXPECT_EQ(verdict.verdict(), report::Verdict::undecided);  // two runs of three
  EXPECT_EQ(judge_supervision(outcomes({10}), {}).verdict(), report::Verdict::undecided);
  EXPECT_EQ(judge_supervision({}, {}).shortcut_last, std::nullopt);
}

TEST(SupervisionVerdict, CountsUpToTwentyStepsOnly) {
  AccuracyHeatmap heatmap = ideal({4, 8, 12}, {1, 4, 20, 24});
  set(heatmap, 12, 1, 0.58);
  EXPECT_EQ(supervision_outcome(3, heatmap), (SupervisionOutcome{3, 12, 0.58}));
  set(heatmap, 12, 20, 0.94);
  EXPECT_EQ(supervision_outcome(3, heatmap), (SupervisionOutcome{3, 8, 0.58}));
  EXPECT_EQ(supervision_outcome(3, ideal({4}, {20})), (SupervisionOutcome{3, 4, std::nullopt}));
}

TEST(ExpressionVerdict, JudgesShallowDepthsMonotonyAndDepthEight) {
  AccuracyHeatmap heatmap{{1, 2, 3, 4, 8}, {1, 8, 16}, {}};
  for (const double last : {1.0, 0.95, 0.92, 0.9, 0.71})
    heatmap.accuracy.push_back({0.6, last, last - 0.03});
  ExpressionVerdict verdict = judge_expressions(heatmap);
  EXPECT_EQ(verdict.solved(), report::Verdict::passed);
  EXPECT_EQ(verdict.non_decreasing(), report::Verdict::passed);
  EXPECT_EQ(verdict.deep_verdict(), report::Verdict::passed);

  set(heatmap, 4, 8, 0.899);
  set(heatmap, 8, 8, 0.7);
  set(heatmap, 1, 16, 0.969);
  verdict = judge_expressions(heatmap);
  EXPECT_EQ(verdict.solved(), report::Verdict::failed);
  EXPECT_EQ(verdict.unsolved, (Cells{{4, 8, 0.899}}));
  EXPECT_EQ(verdict.non_decreasing(), report::Verdict::failed);
  EXPECT_EQ(verdict.fallen, (Cells{{1, 16, 0.969}}));
  EXPECT_EQ(verdict.deep_verdict(), report::Verdict::failed);  // above, not at
}

TEST(ExpressionVerdict, RemembersTheBestOfAllSmallerT) {
  // Two falls of .02 in a row are one of .04.
  EXPECT_EQ(judge_expressions({{1}, {1, 2, 3}, {{0.9, 0.88, 0.86}}}).fallen, (Cells{{1, 3, 0.86}}));
  EXPECT_EQ(judge_expressions({{1}, {1, 2, 3}, {{0.9, 0.88, 0.87}}}).fallen, Cells());
}

TEST(ExpressionVerdict, IsUndecidedAboutWhatWasNotMeasured) {
  const ExpressionVerdict published = judge_expressions(published_expressions().heatmap);
  EXPECT_EQ(published.missing, (Numbers{1, 3}));
  EXPECT_EQ(published.solved(), report::Verdict::undecided);
  EXPECT_EQ(published.non_decreasing(), report::Verdict::passed);
  EXPECT_EQ(published.deep, 0.98);
  const ExpressionVerdict other = judge_expressions({{1, 2, 3, 4}, {4}, {{1}, {1}, {1}, {1}}});
  EXPECT_EQ(other.solved(), report::Verdict::undecided);
  EXPECT_EQ(other.non_decreasing(), report::Verdict::undecided);
  EXPECT_EQ(other.deep_verdict(), report::Verdict::undecided);
}

TEST(FamilyVerdict, AsksForFiveHundredthsAtDepthThree) {
  EXPECT_EQ(judge_families({{2, 3}, {1, 4}, {{0.9, 0.5}, {0.7, 0.75}}}).verdict(),
            report::Verdict::passed);
  EXPECT_EQ(judge_families({{2, 3}, {1, 4}, {{0.5, 0.9}, {0.7, 0.749}}}).verdict(),
            report::Verdict::failed);
  EXPECT_EQ(judge_families({{2, 4}, {1, 4}, {{0, 1}, {0, 1}}}).verdict(),
            report::Verdict::undecided);
  EXPECT_EQ(judge_families({{3}, {1, 5}, {{0, 1}}}).verdict(), report::Verdict::undecided);
  EXPECT_EQ(judge_families(published_families().heatmap).verdict(), report::Verdict::passed);
}

TEST(Verdicts, OfSeveralRunsFailWithOneAndPassWithAll) {
  using enum report::Verdict;
  EXPECT_EQ(report::overall({passed, passed}), passed);
  EXPECT_EQ(report::overall({passed, undecided}), undecided);
  EXPECT_EQ(report::overall({undecided, failed, passed}), failed);
  EXPECT_EQ(report::overall({}), undecided);
}

using Points = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(FrontierFit, LeavesOutWhatMightReachFurtherAndWhatReachedNothing) {
  const FrontierFit fit = fit_frontier(ideal(), 0.95);
  EXPECT_EQ(fit.points, (Points{{1, 1}, {2, 2}, {3, 3}, {5, 5}, {8, 8}}));
  EXPECT_EQ(fit.censored, (Points{{12, 12}, {15, 12}, {20, 12}}));
  ASSERT_TRUE(fit.line);
  EXPECT_NEAR(fit.line->a, 1, 1e-12);
  EXPECT_NEAR(fit.line->b, 0, 1e-12);
  EXPECT_NEAR(fit.line->r2, 1, 1e-12);

  AccuracyHeatmap slow = ideal();
  set(slow, 1, 1, 0.5);    // nothing at T = 1
  set(slow, 8, 8, 0.5);    // 6 at T = 8
  set(slow, 12, 12, 0.5);  // 10 at T = 12, which is no further than was asked
  const FrontierFit slower = fit_frontier(slow, 0.95);
  EXPECT_EQ(slower.empty, (Points{{1, 0}}));
  EXPECT_EQ(slower.points, (Points{{2, 2}, {3, 3}, {5, 5}, {8, 6}, {12, 10}}));
  // By hand: means 6 and 5.2, sums of products 50 and of squares 66.
  EXPECT_NEAR(slower.line->a, 50.0 / 66, 1e-12);
  EXPECT_NEAR(slower.line->b, 5.2 - 6 * 50.0 / 66, 1e-12);
  EXPECT_FALSE(fit_frontier(ideal({1, 2, 3}, {1, 2, 3}), 0.95).line);  // two points

  AccuracyHeatmap stuck = ideal();
  for (const std::uint32_t loops : {12u, 15u}) set(stuck, 12, loops, 0.5);
  const FrontierFit short_of_all = fit_frontier(stuck, 0.95);
  EXPECT_EQ(short_of_all.beyond, (Points{{15, 10}}));  // T is more than 12, all that was asked
  EXPECT_EQ(short_of_all.censored, (Points{{20, 12}}));
  EXPECT_EQ(short_of_all.points, (Points{{1, 1}, {2, 2}, {3, 3}, {5, 5}, {8, 8}, {12, 10}}));
}

// --- ablations -----------------------------------------------------------------------------------

std::vector<RunConfig> all_presets() {
  std::vector<RunConfig> presets;
  for (const bool paper_size : {false, true}) {
    presets.push_back(depth_recurrent(HopGenerator::twin, paper_size));
    presets.push_back(depth_recurrent(HopGenerator::natural, paper_size));
    presets.push_back(depth_recurrent_expressions(paper_size));
    presets.push_back(depth_recurrent_families(paper_size));
  }
  return presets;
}

TEST(Ablations, AreKnownByWhatDiffersFromThePreset) {
  std::size_t runs = 0;
  for (const RunConfig& preset : all_presets())
    for (const RecurrentAblation ablation : kRecurrentAblations) {
      if (ablation == RecurrentAblation::mask && !preset.task.try_as<HopTaskConfig>()) continue;
      for (PlannedRun& run : ablation_runs(ablation, preset)) {
        run.config.seed = 7;
        const auto differences = setting_differences(preset, run.config);
        const auto found = ablations_of(differences);
        ASSERT_TRUE(found) << run.name;
        ++runs;
        if (run.name == "last") {
          EXPECT_EQ(found->size(), 0u);
          EXPECT_EQ(ablation_label(differences), "");
        } else {
          EXPECT_EQ(*found, std::vector{ablation})
              << run.name << ": " << ablation_label(differences);
        }
        // The differences are all there is.
        RunConfig rebuilt = preset;
        for (const SettingDifference& difference : differences) {
          if (difference.value == "none" && difference.setting == "model.layer_scale")
            rebuilt.model.layer_scale.reset();
          else
            set_by_path(rebuilt, difference.setting + "=" + difference.value);
        }
        EXPECT_EQ(setting_differences(rebuilt, run.config), std::vector<SettingDifference>());
      }
    }
  EXPECT_GT(runs, 100u);
}

TEST(Ablations, OfTheMaskAreOfGraphsOnly) {
  for (const RunConfig& preset : all_presets())
    for (const RecurrentAblation ablation : kRecurrentAblations) {
      const bool has = has_ablation(preset.task, ablation);
      EXPECT_EQ(has, ablation != RecurrentAblation::mask ||
                         preset.task.try_as<HopTaskConfig>() != nullptr);
      if (has)
        EXPECT_GT(ablation_runs(ablation, preset).size(), 1u);
      else
        EXPECT_THROW(ablation_runs(ablation, preset), InputError);
    }
}

TEST(Ablations, AreLabelledByTheSettingsAsTheCommandLineTakesThem) {
  const RunConfig preset = depth_recurrent_expressions(false);
  const auto label = [&](RunConfig config) {
    return ablation_label(setting_differences(preset, config));
  };
  RunConfig changed = preset;
  changed.model.gate = ModelConfig::Gate::none;
  EXPECT_EQ(label(changed), "model.gate=none");
  changed.model.layer_scale.reset();
  EXPECT_EQ(label(changed), "model.gate=none, model.layer_scale=none");
  EXPECT_EQ(ablations_of(setting_differences(preset, changed)),
            (std::vector{RecurrentAblation::gate, RecurrentAblation::layer_scale}));
  EXPECT_EQ(label(ablation_runs(RecurrentAblation::untied, preset)[1].config),
            "model.gate=none, model.initial=8, model.repeated=0, model.step_embedding=none");
}

TEST(Ablations, DoNotExplainOtherSettings) {
  const RunConfig preset = depth_recurrent_families(false);
  for (const char* setting : {"training.steps=2001", "task.validation=500", "model.width=128",
                              "task.test_loops=[1,2]", "training.learning_rate=0.5"}) {
    RunConfig changed = preset;
    changed.model.gate = ModelConfig::Gate::none;
    set_by_path(changed, setting);
    SettingDifference other;
    EXPECT_FALSE(ablations_of(setting_differences(preset, changed), &other)) << setting;
    EXPECT_EQ(other.setting, std::string(setting).substr(0, std::string(setting).find('=')));
  }
}

TEST(Medians, AreTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(report::median({}), std::nullopt);
  EXPECT_EQ(report::median({3, 1, 2}), 2.0);
  EXPECT_EQ(report::median({4, 1, 2, 8}), 3.0);
  const AccuracyHeatmap one{{1}, {1, 2}, {{0.2, 1.0}}}, two{{1}, {1, 2}, {{0.4, 0.0}}},
      three{{1}, {1, 2}, {{0.3, 0.9}}};
  EXPECT_EQ(median_heatmap({one, two, three}), (AccuracyHeatmap{{1}, {1, 2}, {{0.3, 0.9}}}));
}

}  // namespace
}  // namespace logdepth::depth_recurrent_verdicts_tests
