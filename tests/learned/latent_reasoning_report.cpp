// The report on latent-space reasoning: series and sections, and the texts from records whose result
// is known.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <string>

#include "learned/latent_reasoning/constructed_graphs.hpp"
#include "learned/latent_reasoning/report.hpp"
#include "learned/report/report_files.hpp"
#include "learned/report/report_runs.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "oracle/computation_graph_oracle.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/latent_records.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::latent_reasoning_report_tests {
namespace {

using support::expect_parts;

using namespace latent_records;

std::string page_of(const std::vector<RunRecord>& records) {
  return report::markdown(latent::make_report(records));
}

nlohmann::json data_of(const std::vector<RunRecord>& records) {
  return nlohmann::json::parse(report::json(latent::make_report(records)));
}

std::string picture_of(const std::vector<RunRecord>& records) {
  return report::files_of(latent::make_report(records)).at(2).text;
}

std::string refusal(const std::vector<RunRecord>& records) {
  return support::refusal([&] { page_of(records); });
}

// --- runs ----------------------------------------------------------------------------------------

TEST(LatentSections, HoldSeriesOfSeedsInOrderAndARunThatWasMadeTwiceOnce) {
  std::vector<RunRecord> records = some_records();
  records.push_back(discrete(1, {{1, 0.89, 0.6}, 1.0, 0.1}));  // a second run of seed 1
  const auto sections = latent::sections_of(records);
  ASSERT_EQ(sections.size(), 1u);
  const auto found = sections[0].of("discrete");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->seeds(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(found[0]->setting, "");
  EXPECT_EQ(std::ranges::count_if(found[0]->ends(), &RunEnd::rising), 1);
  const auto range = found[0]->solved({GraphShape::Generator::uniform, 16});
  ASSERT_TRUE(range);
  EXPECT_NEAR(range->least, 0.87, 1e-12);
  EXPECT_NEAR(range->median, 0.88, 1e-12);
  EXPECT_NEAR(range->most, 0.89, 1e-12);
  EXPECT_EQ(range->seeds, 3u);
  EXPECT_EQ(found[0]->solved({GraphShape::Generator::deep, 16}), std::nullopt);
  EXPECT_TRUE(sections[0].of("chain-of-thought/val").empty());
  EXPECT_EQ(sections[0].nodes(GraphShape::Generator::uniform),
            (std::vector<std::uint32_t>{8, 12, 16, 32}));
}

TEST(LatentSections, RefuseTwoResultsOfOneConfigurationAndSeed) {
  RunRecord other = discrete(1, {{0, 0, 0}});
  other.folder = "again/seed-1";
  EXPECT_EQ(refusal({discrete(1, {}), other}),
            "runs/discrete/seed-1 and again/seed-1: expected one result of seed 1, found two that "
            "differ under the same configuration");
}

TEST(LatentSections, SayNothingOfDepthsWithFewGraphs) {
  const auto sections = latent::sections_of({discrete(1, {{1, 0.5, 0.5}, 1.0})});
  const auto depths = sections[0].series[0].solved_by_depth(GraphShape::Generator::uniform);
  ASSERT_EQ(depths.size(), 1u);  // three times 6 graphs are fewer than 20
  EXPECT_NEAR(depths.at(4).median, 2.0 / 3, 1e-12);
  const auto iterations = sections[0].series[0].iterations_by_depth();
  ASSERT_EQ(iterations.size(), 1u);
  EXPECT_EQ(iterations.at(4).median, 4.5);
}

TEST(LatentSections, KeepTasksApartAndNameWhatSeriesOfAMethodDifferIn) {
  RunRecord narrow = discrete(1, {}), other = discrete(1, {});
  narrow.config.model.width = 32;
  other.config.task.as<LatentStepsConfig>().graphs.modulus = 5;
  RunRecord curve = discrete(2, {});
  curve.config.training.curve_first = 7;  // the same training
  const auto sections = latent::sections_of({discrete(1, {}), narrow, other, curve});
  ASSERT_EQ(sections.size(), 2u);
  ASSERT_EQ(sections[0].series.size(), 2u);
  EXPECT_EQ(sections[0].series[0].setting, "model.width=64");
  EXPECT_EQ(sections[0].series[0].runs.size(), 2u);
  EXPECT_EQ(sections[0].series[1].title(), "discrete (model.width=32)");
  EXPECT_EQ(sections[0].title(),
            "addition modulo 3, 1 to 2 operands, 32 names, trained on N = 3 to 8");
  EXPECT_EQ(sections[1].title(),
            "addition modulo 5, 1 to 2 operands, 32 names, trained on N = 3 to 8");
}

// --- texts ---------------------------------------------------------------------------------------

TEST(LatentReasoningReport, PrintsMediansRangesAndRowsThatWereNotRun) {
  expect_parts(
      page_of(some_records()),
      {"| method | seeds | state | N = 8 (trained) | N = 12 | N = 16 | N = 32 |",
       "| discrete | 1, 2, 3 | still improving: 1 of 3 | 1.000 (1.000 to 1.000) | – | 0.880 (0.870 "
       "to "
       "0.890) | 0.600 (0.600 to 0.600) |",
       "| recurrent | 1, 2, 3 | measured |", "| chain of thought, values | | not run |",
       "| chain of thought, operands | | not run |", "| constructed (exact) | | not given |",
       "Without a mistake but in values, chain of thought, equations: 0.950 (0.950 to 0.950) at N "
       "= 8.",
       "| discrete, corrected | 1, 2, 3 | measured | 0.820 (0.810 to 0.830) [0.900] |",
       "| corrected | about 128 | about 128 | near-perfect at all sizes"});
}

TEST(LatentReasoningReport, StatesEveryCriterionWithSeedsAndWhatIsMissing) {
  expect_parts(
      page_of(some_records()),
      {"- LO-3, discrete: **reproduced**, median of 3 seeds, of which 3 pass the first 2 "
       "thresholds by themselves.\n",
       "  - no threshold at N = 32: 0.600 (0.600 to 0.600).\n",
       "- LO-4, discrete: **reproduced**, median of 3 seeds, of which 3 pass by themselves.\n",
       "- LO-4, continuous, no oracle: **not reproduced at this scale**, median of 3 seeds, of "
       "which 0 pass by themselves.\n",
       "- LO-5, discrete, corrected: **reproduced**, median of 3 seeds, of which 3 pass the "
       "first threshold by themselves.\n",
       "- LO-6, continuous, no oracle: **reproduced**, median of 3 seeds.\n",
       "0.400 (0.400 to 0.400) against 0.500 (0.500 to 0.500), 0.800 of it, **passed**"});
  expect_parts(
      page_of({discrete(1, {{1, 0.9, 0.6}, 1.0})}),
      {"- LO-3, discrete: **undecided**, 1 of 3 seeds; missing: continuous "
       "at N = 16, feed-forward at N = 16, recurrent at N = 16.\n",
       "- LO-5, discrete, corrected: **undecided**; missing: runs of the method corrected.\n",
       "| continuous | | not run |"});
  expect_parts(
      page_of({discrete(1, {{0.5, 0.2, 0}})}),
      {"- LO-3, discrete: **not reproduced at this scale**, 1 of 3 seeds, so this is preliminary",
       "- LO-4, discrete: **undecided**; missing: solved graphs of two depths"});
}

TEST(LatentReasoningReport, CountsTheSeedsThatPassByThemselvesWhereTheMedianDoes) {
  std::vector<RunRecord> records = {discrete(1, {{1, 0.9, 0}, 0.592, 0.1}),
                                    discrete(2, {{1, 0.7, 0}, 1.0, 0.1}),
                                    discrete(3, {{0.9, 0.9, 0}, 0.9, 0.1})};
  for (const std::uint64_t seed : {1, 2, 3})
    records.push_back(
        record(steps(0.25), "corrected", seed, {{1, 1, 1}, 1.0, seed == 1 ? 0.7 : 0.9}));
  expect_parts(page_of(records),
               {"- LO-3, discrete: **undecided**, median of 3 seeds, of which 1 pass the",
                "- LO-4, discrete: **reproduced**, median of 3 seeds, of which 2 pass by",
                "- LO-5, discrete, corrected: **reproduced**, median of 3 seeds, of which 2"});
  const auto json = data_of(records);
  EXPECT_EQ(json["sections"][0]["criteria"][1]["alone"],
            nlohmann::json::parse(R"({"judged": 3, "passing": 2, "parts": 1})"));
}

TEST(LatentReasoningReport, SaysOfRunsThatEndedEarlyHow) {
  std::vector<RunRecord> records = {discrete(1, {})};
  records[0].training.update({{"steps", 59u}, {"stopped", "seconds"}});
  expect_parts(page_of(records),
               {"| discrete | 1 | ended by its seconds after 59 steps | 1.000 |"});
  for (const std::uint64_t seed : {2, 3}) records.push_back(discrete(seed, {.rising = true}));
  records[2].training.update({{"steps", 4u}, {"stopped", "diverged"}});
  expect_parts(
      page_of(records),
      {"| discrete | 1, 2, 3 | seed 1 ended by its seconds after 59 steps, seed 3 diverged "
       "after 4 steps, still improving: 1 of 3 |"});
  const auto json = data_of(records);
  EXPECT_EQ(json["sections"][0]["series"][0]["ended_early"][1],
            nlohmann::json::parse(R"({"seed": 3, "how": "diverged after 4 steps"})"));
}

TEST(LatentReasoningReport, TheJsonHoldsTheSameNumbers) {
  const auto json = data_of(some_records());
  EXPECT_EQ(json["schema"], "logdepth/report-latent-reasoning/1");
  ASSERT_EQ(json["sections"].size(), 1u);
  const auto& section = json["sections"][0];
  EXPECT_EQ(section["not_run"], nlohmann::json::parse(R"(["chain-of-thought/val",
      "chain-of-thought/eq-op-val", "constructed"])"));
  ASSERT_EQ(section["series"].size(), 7u);
  const auto& first = section["series"][0];
  EXPECT_EQ(first["row"], "feed-forward");
  EXPECT_EQ(first["seeds"], nlohmann::json::parse("[1, 2, 3]"));
  EXPECT_EQ(first["solved"][1]["nodes"], 16);
  EXPECT_EQ(first["solved"][1]["median"], 0.1);
  EXPECT_TRUE(first["slope"].is_null());
  std::vector<std::string> verdicts;
  for (const auto& criterion : section["criteria"])
    verdicts.push_back(criterion["name"].get<std::string>() + " " +
                       criterion["verdict"].get<std::string>());
  EXPECT_EQ(verdicts, (std::vector<std::string>{"LO-3 passed", "LO-4 passed", "LO-4 passed",
                                                "LO-4 failed", "LO-5 passed", "LO-6 passed"}));
  EXPECT_TRUE(section["criteria"][0]["parts"][4]["verdict"].is_null());
}

TEST(LatentReasoningReport, TheFigureHasALineForEverySeriesAndBandsOfSeeds) {
  const std::string svg = picture_of(some_records());
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg.c_str()));
  std::size_t bands = 0;
  std::set<std::string> lines;
  for (const auto& node : document.child("svg").children("polygon")) bands += !node.empty();
  for (const auto& node : document.child("svg").children("polyline"))
    lines.insert(node.child("title").text().get());
  // The trained sizes; by size and by depth every series, iterations of three, recovery of two.
  EXPECT_EQ(bands, 1u + 7 + 7 + 3 + 2);
  EXPECT_EQ(lines,
            (std::set<std::string>{"feed-forward", "recurrent", "chain of thought, equations",
                                   "continuous", "continuous, no oracle", "discrete",
                                   "discrete, corrected", "iterations = depth", "LO-5"}));
  expect_parts(svg, {"trained on N = 3 to 8", "discrete, N = 16: 0.880 (0.870 to 0.890)"});
}

// --- the weights file ----------------------------------------------------------------------------

/// A file as the oracle of computation graphs answers, from any values.
ExactFile oracle_file(std::uint32_t prime, std::uint32_t names, std::uint32_t operands = 2) {
  ExactFile file;
  file.name = "graphs.json";
  for (std::uint32_t k = 0; k < names; ++k) file.letters.push_back("x" + std::to_string(k));
  for (std::uint32_t v = 0; v < prime; ++v) file.outputs.push_back(std::to_string(v));
  file.outputs.insert(file.outputs.end(), {"empty", "n/a"});
  file.most_operands = operands;
  file.layers_per_iteration = 1;
  file.answers = [prime](const std::vector<std::string>& word) {
    return ComputationGraphOracle(prime, word).values(1);
  };
  return file;
}

TEST(ConstructedGraphs, AreMeasuredAsTheRunsAreAndSolveEverything) {
  const auto records = with_constructed_graphs({discrete(4, {})}, oracle_file(3, 32));
  ASSERT_EQ(records.size(), 2u);
  const auto sections = latent::sections_of(records);
  ASSERT_EQ(sections.size(), 1u);
  const auto found = sections[0].of("constructed");
  ASSERT_EQ(found.size(), 1u);
  const latent::Run& run = found[0]->runs.at(0);
  EXPECT_EQ(run.end.seed, 4u);
  ASSERT_EQ(run.cells.size(), 3u);
  for (const latent::Cell& cell : run.cells) {
    EXPECT_EQ(cell.graphs, kConstructedGraphs);
    EXPECT_EQ(cell.solved, 1);
    EXPECT_EQ(cell.recovery->hit_nodes, 1);
  }
  EXPECT_NEAR(run.settling->fit->slope, 1, 1e-9);
  for (const auto& [depth, iterations] : run.settling->iterations)
    EXPECT_NEAR(iterations, depth, 1) << "occurrences of the last node may take one more";
  expect_parts(page_of(records),
               {"Constructed: graphs.json, not trained, 1 layer for each unit of depth; run "
                "exactly on the first 50 graphs of each size that seed 4 was measured on.",
                "| constructed (exact) | 50 graphs each | exact | 1.000 | 1.000 | 1.000 |"});
}

TEST(ConstructedGraphs, OfAnotherModulusOrWithFewerNamesOrOperandsAreRefused) {
  const auto with = [](const ExactFile& file) {
    return support::refusal([&] { with_constructed_graphs({discrete(1, {})}, file); });
  };
  EXPECT_EQ(with(oracle_file(5, 32)),
            "graphs.json: expected arithmetic modulo the number of a run, 3, found modulo 5 "
            "(logdepth compile computation-graph)");
  EXPECT_EQ(
      with(oracle_file(3, 31)),
      "graphs.json: expected the letters x0 to x31, as many names as the runs have, found 31");
  EXPECT_EQ(with(oracle_file(3, 32, 1)),
            "graphs.json: expected a file compiled with --operands at least 2, as many as nodes of "
            "the runs have, found 1");
}

// --- bad input, files ----------------------------------------------------------------------------

TEST(LatentReasoningReport, RefusesRecordsOfOtherTasksAndResultsOfOtherSettings) {
  RunRecord other;
  other.config.task = WordTaskConfig();
  const std::string none =
      "RUNS: expected at least one run of computation graphs, as 'train latent-reasoning' leaves "
      "them";
  EXPECT_EQ(refusal({}), none);
  EXPECT_EQ(refusal({other}), none);
  const RunRecord sound = discrete(7, {{1, 1, 1}, 1.0, 0.5});
  EXPECT_EQ(refusal({sound}), "accepted");
  const auto changed = [&](const std::function<void(Json&)>& change) {
    RunRecord damaged = sound;
    change(damaged.result);
    return refusal({damaged});
  };
  const std::string place = "runs/discrete/seed-7/record.json: result";
  EXPECT_EQ(changed([](Json& result) { result["method"] = "corrected"; }),
            place + ".method: expected \"discrete\", as in its configuration");
  EXPECT_EQ(changed([](Json& result) {
              result["trained_nodes"] = {3, 9};
            }),
            place + ".trained_nodes: expected [3,8], as in its configuration");
  EXPECT_EQ(changed([](Json& result) { result["cells"].erase(2); }),
            place + ".cells: expected 3 cells, as in its configuration");
  EXPECT_EQ(
      changed([](Json& result) { result["cells"][1]["nodes"] = 9; }),
      place + ".cells.nodes: expected the cells that the configuration names, in their order");
  const auto with = [&](const char* path, const Json& value) {
    return changed([&](Json& result) { result[Json::json_pointer(path)] = value; });
  };
  EXPECT_EQ(with("/cells/1/solved", 1.5), place + ".cells.solved: expected a share from 0 to 1");
  EXPECT_EQ(with("/cells/1/by_depth", 1), place + ".cells.by_depth: expected a list");
  EXPECT_EQ(with("/settling/fit/slope", "steep"), place + ".settling.fit.slope: expected a number");
  EXPECT_EQ(with("/settling", 1), place + ".settling: expected an object");
  EXPECT_EQ(with("/settling/by_depth/1/iterations", -1),
            place + ".settling.by_depth.iterations: expected a number of at least 0");
  EXPECT_EQ(with("/settling/by_depth/1/depth", 129),
            place + ".settling.by_depth.depth: expected at most 128");
  EXPECT_EQ(with("/cells/1/by_depth/0/depth", 129),
            place + ".cells.by_depth.depth: expected at most 128");
  EXPECT_EQ(with("/cells/1/by_depth/0/depth", 4.5),
            place + ".cells.by_depth.depth: expected a whole number of at least 1");
  EXPECT_EQ(with("/cells/1/settling", nullptr), place + ".cells.settling: expected an object");
  EXPECT_EQ(with("/cells/1/recovery", 0.5), place + ".cells.recovery: expected an object");
  RunRecord even = sound;
  even.config.task.as<GraphTaskSettings>().graphs.modulus = 4;
  EXPECT_EQ(support::refusal([&] { validate(even.config); }),
            "task.modulus: expected a prime from 2 to 997, found 4");
  EXPECT_EQ(changed([](Json& result) { result.erase("kind"); }),
            place + ".kind: expected \"latent-steps\", as in its configuration");
}

TEST(LatentReasoningReport, IsWrittenToAFolderThatIsMadeAndTheSameEachTime) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "latent-reasoning-report" / "new";
  fs::remove_all(folder.parent_path());
  write_report_files(files_of(latent::make_report(some_records())), folder.string());
  EXPECT_EQ(read_whole_file((folder / "latent-reasoning.md").string()), page_of(some_records()));
  EXPECT_EQ(read_whole_file((folder / "latent-reasoning.json").string()),
            report::json(latent::make_report(some_records())));
  EXPECT_EQ(read_whole_file((folder / "latent-reasoning.svg").string()),
            picture_of(some_records()));
  fs::remove_all(folder.parent_path());
}

}  // namespace
}  // namespace logdepth::latent_reasoning_report_tests
