// The report on ReLIT: series and what they are compared with, the criteria at their thresholds,
// and the texts and pictures from records whose result is known.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "learned/records/task.hpp"
#include "learned/relit/criteria.hpp"
#include "learned/relit/published.hpp"
#include "learned/relit/report.hpp"
#include "learned/relit/section_data.hpp"
#include "learned/report/report_files.hpp"
#include "learned/report/report_runs.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/relit_records.hpp"

namespace logdepth::relit_report_tests {
namespace {

using support::expect_parts;
using support::refusal;

using namespace laws;

std::string page_of(const std::vector<RunRecord>& records) {
  return report::markdown(relit::make_report(records));
}

/// The picture of this file.
std::string picture_of(const std::string& file) {
  for (const report::File& one : report::files_of(relit::make_report(some_records())))
    if (one.name == file) return one.text;
  ADD_FAILURE() << "no picture " << file;
  return "";
}

relit::Section only_section(const std::vector<RunRecord>& records) {
  const auto sections = relit::sections_of(records);
  EXPECT_EQ(sections.size(), 1u);
  return sections.front();
}

// --- texts ---------------------------------------------------------------------------------------

TEST(RelitReport, PrintsNumbersBySeriesDepthAndMacroStep) {
  expect_parts(
      page_of(some_records()),
      {"| method | backbone | samples | seeds | state | all | proof depth 0 |",
       "| ReLIT | base/seed-1 | 2000 | 1, 2, 3 | measured | 0.835 (0.830 to 0.840) | 1.000 (1.000 "
       "to 1.000) |",
       "| 3 x 2 x 2 x 1 = 12 |", "| 1 x 1 x 1 x 1 = 1 |", "guessing gives 0.500",
       "| ReLIT | base/seed-1 | 200 | 2 | measured | 0.500 |",
       "| 0.700 (0.700 to 0.700) | 0.800 (0.800 to 0.800) | 0.850 (0.850 to 0.850) | 2.30 (2.30 to "
       "2.30) | 0.25 (0.25 to 0.25) |",
       "| 2.00 (2.00 to 2.00) | 2.20 (2.20 to 2.20) | 2.40 (2.40 to 2.40) | 2.60 (2.60 to 2.60) | "
       "+1.00 |",
       "| 3 | 0 | 60 | 90 |\n| all | 0 | 420 | 180 |\n",
       "| base/seed-1, embedding only | 2000 | 1, 2, 3 | 0.600 (0.600 to 0.600) | – | – | – |",
       "0.500 of 200 samples; 0.835 (0.830 to 0.840) of 2000 samples",
       "| replace | 1, 2, 3 | measured | 0.815 (0.810 to 0.820) | -0.020 ± 0.006 |",
       "- proof depth 2, target yes: no, **yes**, yes\n",
       "| ReLIT, published | 53.43 | 56.30 | 55.20 | 97.60 | 98.60 | 72.23 |",
       "| ProofWriter | 3 | 8 | 1 | 256 | 2e-05 | 5000 | 3000 | 3.6 |"});
}

TEST(RelitReport, StatesEveryCriterionWithSeedsAndWhatIsMissing) {
  expect_parts(
      page_of(some_records()),
      {"- RL-4, ReLIT on base/seed-1: **reproduced**, mean of 3 seeds, of which 3 pass by "
       "themselves.\n",
       "  - on proofs of depth 0 to 3 at least 0.03 above the one-pass block of equal parameters: "
       "+0.085 ± 0.003 (0.835 against 0.750), **passed**.\n",
       "after each 0.700, 0.800, 0.850, **passed**", "- RL-5, ReLIT on base/seed-1: **reproduced**",
       "+1.00 (2.00 at 0, 2.20 at 1, 2.40 at 2, 2.60 at 3); 4 points show a direction and are no "
       "test, **passed**",
       "- RL-6, ReLIT on base/seed-1: **reproduced**, mean of 3 seeds.\n",
       "+0.235 ± 0.003 (0.835 against 0.600); linear probes 0.600 and not run, **passed**",
       "- RL-1: training", "- RL-3: answers"});
  expect_parts(
      page_of({record(Method::relit, 1, {{50, 45, 40, 35}, {160, 150, 150}})}),
      {"- RL-4, ReLIT on base/seed-1: **not reproduced at this scale**, 1 of 3 seeds, so "
       "this is preliminary; missing: runs of the method one-pass on the same seeds.\n",
       "- RL-6, ReLIT on base/seed-1: **undecided**; missing: runs with --states embedding, "
       "runs with --states random.\n",
       "No ablation was run."});
  expect_parts(page_of({record(Method::one_pass, 1)}),
               {"- RL-4, ReLIT: **undecided**; missing: runs of the method relit.\n",
                "No run has a head that halts."});
}

TEST(RelitReport, SaysWhereADifferenceIsLessThanTwoStandardErrors) {
  std::vector<RunRecord> records;
  for (const std::size_t seed : {1, 2, 3}) {
    records.push_back(record(Method::relit, seed, {{30 + 5 * seed, 40, 40, 40}}));
    records.push_back(record(Method::one_pass, seed, {{39, 40, 40, 40}}));
  }
  expect_parts(page_of(records),
               {"+0.005 ± 0.014, less than two standard errors (0.800 against 0.795), **failed**"});
}

TEST(RelitReport, SaysHowRunsEnded) {
  RunRecord rising = record(Method::relit, 1, {.rising = true});
  RunRecord early = record(Method::relit, 2);
  early.training["stopped"] = "seconds";
  early.training["steps"] = 59u;
  const std::vector<RunRecord> records = {rising, early};
  expect_parts(page_of(records),
               {"seed 2 ended by its seconds after 59 steps, still improving: 1 of 2"});
  const Json series =
      Json::parse(report::json(relit::make_report(records)))["sections"][0]["series"][0];
  EXPECT_EQ(series["still_rising"], 1);
  EXPECT_EQ(series["ended_early"].dump(),
            R"([{"seed":2,"how":"ended by its seconds after 59 steps"}])");
}

TEST(RelitReport, NeverCallsOursByTheNamesOfPublishedDataSets) {
  const std::string text = page_of(some_records());
  const std::string ours = text.substr(0, text.find("## Published"));
  ASSERT_LT(ours.size(), text.size());
  const Json published = relit::published();
  ASSERT_EQ(published["data_sets"].size(), 5u);
  for (const Json& set : published["data_sets"])
    EXPECT_EQ(ours.find(set["name"].get<std::string>()), std::string::npos) << set["name"];
}

TEST(RelitReport, TheJsonHasTheSameNumbers) {
  const Json json = Json::parse(report::json(relit::make_report(some_records())));
  EXPECT_EQ(json["schema"], "logdepth/report-relit/1");
  const Json& section = json["sections"][0];
  const Json& first = section["series"][0];
  EXPECT_EQ(first["method"], "relit");
  EXPECT_EQ(first["states"], "last");
  EXPECT_EQ(first["layers_applied"], 12);
  EXPECT_NEAR(first["accuracy"]["median"].get<double>(), 0.835, 1e-12);
  EXPECT_EQ(first["by_proof_depth"][3]["halting"].dump(), "[0,60,90]");
  EXPECT_NEAR(first["by_macro_step"][1]["change"]["median"].get<double>(), 0.25, 1e-12);
  EXPECT_EQ(section["bottleneck"].size(), 3u);
  EXPECT_NEAR(section["bottleneck"][0]["linear_probe"]["median"].get<double>(), 0.6, 1e-12);
  EXPECT_TRUE(section["bottleneck"][2]["linear_probe"].is_null());
  ASSERT_EQ(section["ablations"].size(), 1u);
  EXPECT_NEAR(section["ablations"][0]["difference"]["mean"].get<double>(), -0.02, 1e-12);
  EXPECT_EQ(section["criteria"].size(), 3u);
  EXPECT_EQ(section["criteria"][0]["verdict"], "passed");
  EXPECT_EQ(json["published"]["accuracies"][9]["RuleTaker"], 97.6);
}

// --- pictures ------------------------------------------------------------------------------------

std::size_t elements(const std::string& svg, const std::string& path) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str()));
  return document.select_nodes(path.c_str()).size();
}

TEST(RelitPictures, ShowBarsWithTheirProbes) {
  const std::string svg = picture_of("relit-bottleneck.svg");
  EXPECT_EQ(elements(svg, "//rect[starts-with(title, 'ReLIT on ')]"), 3u);
  EXPECT_EQ(elements(svg, "//rect[title='ReLIT on base/seed-1: 0.835']"), 1u);
  EXPECT_EQ(elements(svg, "//rect[title='ReLIT on base/seed-1, random weights: 0.500']"), 1u);
  // One of the first bar, one in the legend.
  EXPECT_EQ(elements(svg, "//line[@stroke='#000000']"), 2u);
}

TEST(RelitPictures, ShowAnswersRightAndWrongAndTheHalt) {
  const std::string svg = picture_of("relit-trajectories.svg");
  EXPECT_EQ(elements(svg, "//rect[title='halted here']"), 2u);
  // Frames stand in the cells of their answers.
  EXPECT_EQ(elements(svg,
                     "//rect[title='halted here'][@x = //rect[title='macro step 2: yes, "
                     "right']/@x + 1]"),
            1u);
  EXPECT_EQ(elements(svg,
                     "//rect[title='halted here'][@x = //rect[title='macro step 3: yes, "
                     "wrong']/@x + 1]"),
            1u);
  EXPECT_EQ(elements(svg, "//rect[contains(title, ', right')]"), 4u);
  EXPECT_EQ(elements(svg, "//rect[title='macro step 1: no, wrong']"), 1u);
  EXPECT_EQ(elements(svg, "//rect[title='macro step 3: yes, wrong']"), 1u);
}

TEST(RelitPictures, DrawEveryMeanAndAHistogramOfHalts) {
  const std::string svg = picture_of("relit.svg");
  EXPECT_EQ(elements(svg, "//circle[title='ReLIT on base/seed-1, proof depth 3: 0.640']"), 1u);
  EXPECT_EQ(elements(svg, "//circle[title='ReLIT on base/seed-1, proof depth 3: 2.60']"), 1u);
  EXPECT_EQ(elements(svg, "//circle[title='ReLIT on base/seed-1, macro step 2: 0.250']"), 1u);
  EXPECT_EQ(elements(svg, "//text[.='share of samples that halt there']"), 1u);
}

TEST(RelitPictures, HaveRoomForFewMacroSteps) {
  EXPECT_EQ(relit::shown_steps(3), (Counts{1, 2, 3}));
  EXPECT_EQ(relit::shown_steps(16).size(), 16u);
  EXPECT_EQ(relit::shown_steps(40), (Counts{1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 40}));
  EXPECT_EQ(relit::shown_steps(32), (Counts{1, 2, 3, 4, 5, 6, 7, 8, 16, 32}));
}

// --- bad input, files ----------------------------------------------------------------------------

TEST(RelitReport, RefusesRecordsOfOtherTasksAndTwoResultsOfOneRun) {
  RunRecord other, without = record(Method::relit, 1);
  other.config.task = WordTaskConfig();
  without.config.network.reset();
  const std::string none =
      "RUNS: expected at least one run of a recursive block on a frozen language model, as 'train "
      "relit' leaves them";
  EXPECT_EQ(refusal([&] { page_of({}); }), none);
  EXPECT_EQ(refusal([&] { page_of({other, without}); }), none);
  RunRecord again = record(Method::relit, 1, {{50, 45, 40, 34}});
  again.folder = "again/seed-1";
  EXPECT_EQ(refusal([&] {
              page_of({record(Method::relit, 1), again});
            }),
            "runs/relit/seed-1 and again/seed-1: expected one result of seed 1, found two that "
            "differ under the same configuration");
}

TEST(RelitReport, RefusesResultsThatContradictThemselvesOrTheirConfiguration) {
  const std::string place = "runs/relit/seed-7/record.json: result";
  const auto with = [&](const char* path, const Json& value) {
    RunRecord damaged = record(Method::relit, 7);
    damaged.result[Json::json_pointer(path)] = value;
    const std::string text = refusal([&] { page_of({damaged}); });
    return text.starts_with(place) ? text.substr(place.size()) : text;
  };
  EXPECT_EQ(with("/kind", "rules"), "accepted");
  EXPECT_EQ(with("/kind", "lines"), ".kind: expected \"rules\", as in its configuration");
  EXPECT_EQ(with("/asked", 201), ".asked: expected 200, as in its configuration");
  EXPECT_EQ(with("/right", 201), ".right: expected at most 200, the number of questions");
  EXPECT_EQ(with("/right", 169), ".by_proof_depth: expected 169 of 200 right in all");
  EXPECT_EQ(with("/right", -1), ".right: expected a whole number of at least 0");
  EXPECT_EQ(with("/by_proof_depth/1/depth", 0), ".by_proof_depth.depth: expected depths that grow");
  EXPECT_EQ(with("/by_proof_depth/3/depth", 4),
            ".by_proof_depth.depth: expected one of those in its configuration");
  EXPECT_EQ(with("/by_proof_depth/1/right", 51),
            ".by_proof_depth.right: expected at most 50, the number of questions");
  EXPECT_EQ(with("/by_proof_depth/1/mean_halting", 3.5),
            ".by_proof_depth.mean_halting: expected a number from 1 to 3");
  EXPECT_EQ(with("/by_proof_depth/1/mean_halting", 2.5),
            ".halting_by_proof_depth: expected a mean of 2.5 as elsewhere in the result");
  EXPECT_EQ(with("/mean_halting", 2.4),
            ".by_proof_depth: expected a mean of 2.4 as elsewhere in the result");
  EXPECT_EQ(with("/halting", {1, 139, 60}),
            ".halting: expected a mean of 2.3 as elsewhere in the result");
  EXPECT_EQ(with("/halting", {0, 200}), ".halting: expected 3 numbers for 200 samples in all");
  EXPECT_EQ(with("/halting", {0, 140, 61}), ".halting: expected 3 numbers for 200 samples in all");
  EXPECT_EQ(with("/halting/0", -1), ".halting: expected whole numbers up to 200");
  EXPECT_EQ(with("/halting_by_proof_depth", Json::array()),
            ".halting_by_proof_depth: expected 4 lists, one for each proof depth");
  EXPECT_EQ(with("/by_macro_step", Json::array()),
            ".by_macro_step: expected 3 entries, its macro steps");
  EXPECT_EQ(with("/by_macro_step/1/step", 3),
            ".by_macro_step.step: expected 1, 2, 3, ... in order");
  EXPECT_EQ(with("/by_macro_step/1/change", -0.5),
            ".by_macro_step.change: expected a number of at least 0");
  EXPECT_EQ(with("/by_macro_step/1/change", nullptr), "accepted");
  EXPECT_EQ(with("/mean_flips", 2.5), ".mean_flips: expected a number from 0 to 2");
  EXPECT_EQ(with("/trajectories/0/halted", 4),
            ".trajectories.halted: expected a macro step from 1 to 3");
  EXPECT_EQ(with("/trajectories/0/answers", {"no"}),
            ".trajectories.answers: expected 3 words, one for each macro step");
  EXPECT_EQ(with("/trajectories", std::vector<int>(13)), ".trajectories: expected at most 12");
}

TEST(RelitReport, ReadsWhatTheTaskMeasures) {
  RunRecord run = record(Method::relit, 1);
  const auto& task = run.config.task.as<RulesTaskConfig>();
  Predictor predictor([](const Samples& samples, std::uint32_t loops) {
    Answers answers = samples.targets;
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (samples.labels[i] > static_cast<std::int32_t>(loops)) answers[i] = 0;
    return answers;
  });
  predictor.loops_taken = [](const Samples& samples) {
    std::vector<std::uint32_t> loops;
    for (const std::int32_t depth : samples.labels)
      loops.push_back(static_cast<std::uint32_t>(std::clamp(depth, 1, 3)));
    return loops;
  };
  run.config.task.as<RulesTaskConfig>().tokens.clear();
  run.result = task.make_task(1)->measure(predictor, 0, {});
  const relit::Section section = only_section({run});
  const relit::Series& series = section.series[0];
  EXPECT_EQ(series.accuracy()->median, 1);
  EXPECT_EQ(series.halting_at(2), (Counts{0, 50, 0}));
  EXPECT_EQ(relit::judge_halting(mean_halts(series), series.may_halt()), report::Verdict::passed);
  EXPECT_NEAR(*series.runs[0].accuracy_after(1), 0.5, 1e-12);
}

TEST(RelitReport, IsWrittenToAFolderThatIsMadeAndTheSameEachTime) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "relit-report" / "new";
  fs::remove_all(folder.parent_path());
  const auto names =
      write_report_files(files_of(relit::make_report(some_records())), folder.string());
  EXPECT_EQ(names, (std::vector<std::string>{"relit.md", "relit.json", "relit.svg",
                                             "relit-bottleneck.svg", "relit-trajectories.svg"}));
  EXPECT_EQ(read_whole_file((folder / "relit.md").string()), page_of(some_records()));
  EXPECT_EQ(read_whole_file((folder / "relit.json").string()),
            report::json(relit::make_report(some_records())));
  EXPECT_EQ(read_whole_file((folder / "relit.svg").string()), picture_of("relit.svg"));
  fs::remove_all(folder.parent_path());
}

}  // namespace
}  // namespace logdepth::relit_report_tests
