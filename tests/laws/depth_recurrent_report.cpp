// The report on depth-recurrent transformers: verdicts on heatmaps made by hand, the figure, and
// the texts from records whose result is known.

#include "learned/depth_recurrent/depth_recurrent_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/heatmap_figure.hpp"
#include "learned/depth_recurrent/hop_run_groups.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "learned/word_problems/word_task.hpp"
#include "objects/input_error.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::depth_recurrent_report_tests {
namespace {

using Cells = std::vector<HeatmapCell>;
using Numbers = std::vector<std::uint32_t>;
using Supervision = TrainingConfig::Supervision;

/// 1 where a step carries information one hop, one half beyond.
AccuracyHeatmap ideal(Numbers hops = {1, 2, 3, 4, 5, 6, 8, 10, 12},
                      Numbers loops = {1, 2, 3, 5, 8, 12, 15, 20}) {
  AccuracyHeatmap heatmap{std::move(hops), std::move(loops), {}};
  for (const std::uint32_t hop : heatmap.difficulties) {
    auto& row = heatmap.accuracy.emplace_back();
    for (const std::uint32_t loop : heatmap.loops) row.push_back(hop <= loop ? 1 : 0.5);
  }
  return heatmap;
}

void set(AccuracyHeatmap& heatmap, std::uint32_t hops, std::uint32_t loops, double accuracy) {
  for (std::size_t i = 0; i < heatmap.difficulties.size(); ++i)
    for (std::size_t j = 0; j < heatmap.loops.size(); ++j)
      if (heatmap.difficulties[i] == hops && heatmap.loops[j] == loops)
        heatmap.accuracy[i][j] = accuracy;
}

TEST(FrontierVerdict, PassesTheIdealHeatmapInBothHalves) {
  const FrontierVerdict verdict = judge_frontier(ideal(), 1000);
  EXPECT_EQ(verdict.solved(), Verdict::passed);
  EXPECT_EQ(verdict.chance(), Verdict::passed);
  EXPECT_EQ(verdict.solved_cells, 1u + 2 + 3 + 5 + 5);
  EXPECT_EQ(verdict.chance_cells, 8u + 7 + 6 + 4 + 2);
}

TEST(FrontierVerdict, NamesTheCellThatFailsItsHalfAlone) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 5, 8, 0.949);
  set(heatmap, 6, 8, 0.2);    // beyond the trained hops, within T: judged by neither half
  set(heatmap, 12, 12, 0.2);  // T = 12 is not judged
  FrontierVerdict verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), Verdict::failed);
  EXPECT_EQ(verdict.unsolved, (Cells{{5, 8, 0.949}}));
  EXPECT_EQ(verdict.chance(), Verdict::passed);

  heatmap = ideal();
  set(heatmap, 6, 5, 0.561);
  set(heatmap, 2, 1, 0.439);
  verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), Verdict::passed);
  EXPECT_EQ(verdict.chance(), Verdict::failed);
  EXPECT_EQ(verdict.leaks, (Cells{{2, 1, 0.439}, {6, 5, 0.561}}));
}

TEST(FrontierVerdict, LimitsBelongToTheSideThatPasses) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 5, 5, 0.95);
  set(heatmap, 6, 5, 0.56);
  set(heatmap, 8, 5, 0.44);
  const FrontierVerdict verdict = judge_frontier(heatmap, 1000);
  EXPECT_EQ(verdict.solved(), Verdict::passed);
  EXPECT_EQ(verdict.chance(), Verdict::passed);
}

TEST(FrontierVerdict, IsUndecidedAboutWhatWasNotMeasured) {
  FrontierVerdict verdict = judge_frontier(ideal({1, 2, 3, 4, 5, 10}, {1, 2, 3, 5}), 1000);
  EXPECT_EQ(verdict.missing_loops, (Numbers{8}));
  EXPECT_EQ(verdict.solved(), Verdict::undecided);
  EXPECT_EQ(verdict.chance(), Verdict::undecided);
  verdict = judge_frontier(ideal(), 999);
  EXPECT_EQ(verdict.solved(), Verdict::passed);
  EXPECT_EQ(verdict.chance(), Verdict::undecided);
  AccuracyHeatmap heatmap = ideal({1, 2, 3, 4}, {1, 2, 3, 5});
  set(heatmap, 1, 1, 0.5);
  EXPECT_EQ(judge_frontier(heatmap, 1000).solved(), Verdict::failed);
}

TEST(PublishedHeatmap, ContradictsItsTextAtEightHopsAndShowsNoRowOfFive) {
  const AccuracyHeatmap& published = published_hop_heatmap();
  const FrontierVerdict verdict = judge_frontier(published, 1000);
  EXPECT_EQ(verdict.missing_hops, (Numbers{5}));
  EXPECT_EQ(verdict.solved(), Verdict::undecided);
  EXPECT_EQ(verdict.chance(), Verdict::passed);
  EXPECT_EQ(short_cells(published, 8, 0.95), (Cells{{8, 8, 0.5}}));
  EXPECT_EQ(short_cells(ideal(), 12, 0.95), Cells());
  EXPECT_EQ(frontier(published, 0.95), (Numbers{1, 2, 3, 4, 6, 8, 8, 8}));
  EXPECT_EQ(largest_solved(published, 0.95), 8u);
  EXPECT_EQ(published.accuracy.size(), published.difficulties.size());
  for (const auto& row : published.accuracy) EXPECT_EQ(row.size(), published.loops.size());
}

TEST(ExtrapolationVerdict, AsksForNineTenthsOfSixHopsAtTwelveSteps) {
  AccuracyHeatmap heatmap = ideal();
  set(heatmap, 8, 12, 0.3);
  ExtrapolationVerdict verdict = judge_extrapolation(heatmap);
  EXPECT_EQ(verdict.verdict(), Verdict::passed);
  EXPECT_EQ(verdict.eight, 0.3);
  set(heatmap, 6, 12, 0.9);
  EXPECT_EQ(judge_extrapolation(heatmap).verdict(), Verdict::passed);
  set(heatmap, 6, 12, 0.899);
  EXPECT_EQ(judge_extrapolation(heatmap).verdict(), Verdict::failed);
  EXPECT_EQ(judge_extrapolation(ideal({6}, {8})).verdict(), Verdict::undecided);
  EXPECT_EQ(judge_extrapolation(published_hop_heatmap()).six, 1.0);
  EXPECT_EQ(judge_extrapolation(published_hop_heatmap()).eight, 0.97);
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
  EXPECT_EQ(verdict.verdict(), Verdict::passed);
  EXPECT_TRUE(verdict.enough_seeds());
  verdict = judge_supervision(outcomes({10, 8, 12}), outcomes({10, 10, 1}));
  EXPECT_EQ(verdict.verdict(), Verdict::failed);  // equal is not smaller
  verdict = judge_supervision(outcomes({10, 12}), outcomes({10, 10, 10}));
  EXPECT_EQ(verdict.solved_last, 11.0);
  EXPECT_EQ(verdict.verdict(), Verdict::passed);
  EXPECT_FALSE(verdict.enough_seeds());
  EXPECT_EQ(judge_supervision(outcomes({10}), {}).verdict(), Verdict::undecided);
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

TEST(Medians, AreTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(median({3, 1, 2}), 2.0);
  EXPECT_EQ(median({4, 1, 2, 8}), 3.0);
  const AccuracyHeatmap one{{1}, {1, 2}, {{0.2, 1.0}}}, two{{1}, {1, 2}, {{0.4, 0.0}}},
      three{{1}, {1, 2}, {{0.3, 0.9}}};
  EXPECT_EQ(median_heatmap({one, two, three}), (AccuracyHeatmap{{1}, {1, 2}, {{0.3, 0.9}}}));
}

RunRecord record(HopTaskConfig::Generator generator, Supervision supervision, std::uint64_t seed,
                 const AccuracyHeatmap& heatmap, std::size_t graphs = 1000) {
  RunRecord run;
  run.config.preset = "graph";
  run.config.seed = seed;
  HopTaskConfig task;
  task.generator = generator;
  task.tested = heatmap.difficulties;
  task.test_loops = heatmap.loops;
  run.config.task = task;
  run.config.training.supervision = supervision;
  run.result = {{"kind", "hops"},
                {"difficulties", heatmap.difficulties},
                {"loops", heatmap.loops},
                {"samples", graphs},
                {"accuracy", heatmap.accuracy}};
  run.folder = "runs/seed-" + std::to_string(seed);
  return run;
}

/// Twins of two seeds, one of which leaks and fails DR-2, and `natural` under both supervisions.
std::vector<RunRecord> some_records() {
  using Generator = HopTaskConfig::Generator;
  AccuracyHeatmap leaking = ideal();
  set(leaking, 8, 3, 0.61);
  set(leaking, 6, 12, 0.7);
  AccuracyHeatmap short_sighted = ideal();
  for (const std::uint32_t loops : {12u, 15u, 20u}) set(short_sighted, 12, loops, 0.53);
  set(short_sighted, 12, 1, 0.58);
  std::vector<RunRecord> records = {record(Generator::twin, Supervision::last, 2, leaking),
                                    record(Generator::twin, Supervision::last, 1, ideal())};
  for (const std::uint64_t seed : {1, 2, 3}) {
    records.push_back(record(Generator::natural, Supervision::last, seed, ideal()));
    records.push_back(record(Generator::natural, Supervision::mean_steps, seed, short_sighted));
  }
  RunRecord other;
  other.config.task = WordTaskConfig();
  records.push_back(other);
  return records;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(HopRunGroups, HoldTheSeedsOfEqualSettingsInOrderAndTheFirstOfEachSeed) {
  std::vector<RunRecord> records = some_records();
  records.push_back(record(HopTaskConfig::Generator::twin, Supervision::last, 1,
                           published_hop_heatmap()));  // other rows: other settings
  records.push_back(records[0]);
  const std::vector<HopRunGroup> groups = hop_run_groups(records);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].title(), "twin, loss after the last loop");
  EXPECT_EQ(groups[0].seeds(), "median of seeds 1, 2");
  EXPECT_NEAR(*groups[0].median.at(8, 3), 0.555, 1e-12);
  EXPECT_EQ(groups[2].title(), "natural, mean of the losses of all loops");
  EXPECT_EQ(groups[3].seeds(), "seed 1");
}

TEST(DepthRecurrentReport, PrintsBothHalvesOfTheFrontierWithTheCellsThatFail) {
  const std::string text = depth_recurrent_markdown(some_records());
  expect_parts(
      text,
      {"| hops \\ T | 1 | 2 | 3 | 5 | 8 | 12 | 15 | 20 |",
       "| 8 | 0.51 | 0.54 | 0.50 | 0.50 | 0.50 | 0.97 | 1.00 | 1.00 |",
       "- N steps for N hops, up to 8 hops: not at 8 hops at T = 8 (0.500).",
       "## 1. twin, loss after the last loop", "median of seeds 1, 2.",
       "| 1 | 1.000 (+0.03) | 1.000 (+0.03) | 1.000 (+0.00) |",
       "| 5 | 0.500 | 0.500 | 0.500 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |",
       "- seed 1\n  - first half, at least .95 at all hops up to min(T, 5): **passed**, 16 cells.\n"
       "  - second half, within .06 of one half at all hops beyond T: **passed**, 27 cells.\n",
       "- seed 2\n  - first half, at least .95 at all hops up to min(T, 5): **passed**, 16 cells.\n"
       "  - second half, within .06 of one half at all hops beyond T: **failed**, 27 cells; "
       "outside: 8 hops at T = 3 (0.610).\n",
       "at T = 12: 6 hops 1.000 (published 1.00), 8 hops 1.000 (published 0.97); at least .9 at 6 "
       "hops: **passed**",
       "at T = 12: 6 hops 0.700 (published 1.00)",
       "12 hops, no threshold (published .50): T = 12: 1.000, T = 15: 1.000, T = 20: 1.000.",
       "figure 1 has 8 hops at T = 8 at chance"});
}

TEST(DepthRecurrentReport, ComparesTheSupervisionsWithNumbersWhateverComesOut) {
  expect_parts(
      depth_recurrent_markdown(some_records()),
      {"| of all loops (mean) | 1: 10, 2: 10, 3: 10 | 10 | 0.580 | 73 % |",
       "| after the last loop | 1: 12, 2: 12, 3: 12 | 12 | 0.500 | 50 % |",
       "**Reproduced**: the median of the largest hop count solved is 10 under the mean of "
       "the losses of all loops, 12 under the loss after the last. Seeds: 3 under all losses, 3 "
       "under the last; the specification asks for 3 of each.\n",
       "is +0.080 under the loss of all loops against the last (published +0.23)"});
  using Generator = HopTaskConfig::Generator;
  const RunRecord last = record(Generator::natural, Supervision::last, 1, ideal());
  const RunRecord mean = record(Generator::natural, Supervision::mean_steps, 1, ideal());
  expect_parts(
      depth_recurrent_markdown({last, mean}),
      {"**Not reproduced**: the median of the largest hop count solved is 12 under the mean "
       "of the losses of all loops, 12 under the loss after the last, expected the first "
       "to be smaller. Seeds: 1 under all losses, 1 under the last; the specification asks for 3 "
       "of each, so this is preliminary.\n"});
  expect_parts(depth_recurrent_markdown({last}),
               {"**Undecided**: there are no runs under the mean of the losses of all loops with "
                "otherwise equal settings."});
  expect_parts(
      depth_recurrent_markdown({record(Generator::twin, Supervision::last, 1, ideal(), 200)}),
      {"**Undecided**: there are no runs on `natural`.",
       "**undecided**, 27 cells; the limit is for 1000 graphs a cell, there are 200."});
}

TEST(DepthRecurrentReport, TheJsonHoldsTheSameVerdicts) {
  const auto json = nlohmann::json::parse(depth_recurrent_json(some_records()));
  ASSERT_EQ(json["groups"].size(), 3u);
  const auto& runs = json["groups"][0]["runs"];
  EXPECT_EQ(runs[0]["DR-1"]["chance"], "passed");
  EXPECT_EQ(runs[1]["DR-1"]["chance"], "failed");
  EXPECT_EQ(runs[1]["DR-1"]["leaks"],
            nlohmann::json::parse(R"([{"hops":8,"loops":3,"accuracy":0.61}])"));
  EXPECT_EQ(runs[1]["DR-2"]["verdict"], "failed");
  EXPECT_EQ(runs[1]["name"], "seed-2");
  EXPECT_FALSE(json["groups"][1]["runs"][0].contains("DR-1"));
  EXPECT_TRUE(json["groups"][0]["difference_to_published"][4][0].is_null());
  EXPECT_NEAR(json["groups"][0]["difference_to_published"][0][0].get<double>(), 0.03, 1e-12);
  EXPECT_EQ(json["DR-3"][0]["reproduced"], true);
  EXPECT_EQ(json["DR-3"][0]["last"]["median_largest_solved"], 12);
  EXPECT_EQ(json["published"]["supervision"]["mean-steps"]["hops_12_loops_1"], 0.73);
}

TEST(DepthRecurrentReport, RefusesResultsThatAreNotOfThisTask) {
  const auto refusal = [](const std::vector<RunRecord>& records) -> std::string {
    try {
      depth_recurrent_markdown(records);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({}), "RUNS: expected at least one run of the task 'hops'");
  const std::string expected =
      "runs/seed-7/record.json: result: expected accuracies from 0 to 1 for the hops and loops "
      "that "
      "the configuration names, and the number of samples";
  const RunRecord sound =
      record(HopTaskConfig::Generator::twin, Supervision::last, 7, ideal({1, 2}, {1, 2}));
  EXPECT_EQ(refusal({sound}), "accepted");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"accuracy", {{1, 1}}},
                                                           {"accuracy", {{1, 1}, {1}}},
                                                           {"accuracy", {{1, 1}, {1, 1.5}}},
                                                           {"accuracy", {{1, 1}, {1, nullptr}}},
                                                           {"accuracy", "high"},
                                                           {"difficulties", {1, 3}},
                                                           {"loops", {2, 1}},
                                                           {"samples", "many"}}) {
    RunRecord damaged = sound;
    damaged.result[key] = value;
    EXPECT_EQ(refusal({damaged}), expected) << key << value;
    damaged.result.erase(key);
    EXPECT_EQ(refusal({damaged}), expected) << key;
  }
}

TEST(HeatmapFigure, IsWellFormedWithEveryCellBothLinesAndTitlesAsGiven) {
  HeatmapPanel ours{"a < b & \"c\"", ideal()};
  ours.heatmap.accuracy[0][0] = 0.123;
  const std::string svg = heatmap_pair_svg(ours, {"published, figure 1", published_hop_heatmap()});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg.c_str()));
  std::vector<std::string> texts;
  for (const pugi::xml_node& node : document.child("svg").children("text"))
    texts.emplace_back(node.text().get());
  const auto count = [&](const std::string& text) {
    return std::count(texts.begin(), texts.end(), text);
  };
  EXPECT_EQ(count("a < b & \"c\""), 1);
  EXPECT_EQ(count("published, figure 1"), 1);
  EXPECT_EQ(count("0.12"), 1);
  EXPECT_EQ(count("0.97"), 3);
  EXPECT_EQ(count("loops T"), 2);
  EXPECT_EQ(count("hops from source to target"), 2);
  std::size_t lines = 0;
  for (const auto& node : document.child("svg").children("polyline")) lines += !node.empty();
  EXPECT_EQ(lines, 4u + 2u);  // two of each panel, two of the legend
  std::size_t boxes = 0;
  for (const auto& node : document.child("svg").children("rect")) boxes += !node.empty();
  EXPECT_EQ(boxes, 9u * 8 + 8 * 8 + 21 + 1);
  EXPECT_EQ(svg, heatmap_pair_svg(ours, {"published, figure 1", published_hop_heatmap()}));
}

/// The height of the first line of a panel at its right end.
double right_end(const AccuracyHeatmap& heatmap) {
  pugi::xml_document document;
  document.load_string(heatmap_svg({"one", heatmap}).c_str());
  const std::string points = document.child("svg").child("polyline").attribute("points").value();
  return std::stod(points.substr(points.rfind(',') + 1));
}

TEST(HeatmapFigure, TheFrontierIsDrawnUnderItsRow) {
  AccuracyHeatmap heatmap = ideal();
  const double all_solved = right_end(heatmap);
  set(heatmap, 12, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 28);
  set(heatmap, 8, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 3 * 28);
  set(heatmap, 1, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 9 * 28);
}

TEST(DepthRecurrentReport, IsWrittenToAFolderThatIsMadeAndTheSameEachTime) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "depth-recurrent-report" / "new";
  fs::remove_all(folder.parent_path());
  save_depth_recurrent_report(some_records(), folder.string());
  EXPECT_EQ(read_whole_file(folder / "depth-recurrent.md"),
            depth_recurrent_markdown(some_records()));
  EXPECT_EQ(read_whole_file(folder / "depth-recurrent.json"), depth_recurrent_json(some_records()));
  const std::string svg = read_whole_file(folder / "depth-recurrent.svg");
  EXPECT_EQ(svg, depth_recurrent_svg(some_records()));
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str()));
  expect_parts(svg, {"natural, mean of the losses of all loops<", "median of seeds 1, 2, 3",
                     "figure 1 of Chen 2026"});
  write_whole_file((folder.parent_path() / "file").string(), "");
  EXPECT_THROW(
      save_depth_recurrent_report(some_records(), (folder.parent_path() / "file").string()),
      InputError);
  fs::remove_all(folder.parent_path());
}

}  // namespace
}  // namespace logdepth::depth_recurrent_report_tests
