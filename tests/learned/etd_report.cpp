// The report on Encode-Think-Decode: runs as series of one base, the criteria at their thresholds,
// published tables, and the texts from records and measurements whose verdicts are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "learned/encode_think_decode/criteria.hpp"
#include "learned/encode_think_decode/published.hpp"
#include "learned/encode_think_decode/report.hpp"
#include "learned/report/report_files.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/etd_records.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::etd_report_tests {
namespace {

using namespace etd;
using support::expect_parts;
using support::refusal;

using Router = ModelConfig::Router;

Section section_of(const std::vector<RunRecord>& records) {
  const Runs runs = runs_of(records);
  EXPECT_EQ(runs.sections.size(), 1u);
  return runs.sections.at(0);
}

AngularDistances distances(const std::string& name, const std::string& architecture) {
  AngularDistances measured{{name, architecture, 8, 1000}, {"corpus", 100, 48}, {}, {}};
  for (std::size_t i = 0; i < 8; ++i) {
    measured.distances.push_back(0.1 + 0.01 * static_cast<double>((7 - i) * (7 - i)));
    measured.standard_errors.push_back(0.001);
  }
  return measured;
}

LoopsWithoutTraining looped_losses(const std::string& name) {
  LoopsWithoutTraining measured{{name, "logdepth", 8, 1000}, {"corpus", 12, 48}, 500, 2, 0.1, {}};
  for (std::uint32_t first = 0; first <= 6; ++first)
    measured.shapes.push_back({first, 2, 2, 6 - first, 2.5, 0.1, 1.0 / (first + 1), 0.02});
  for (std::uint32_t first = 3; first <= 5; ++first)
    measured.shapes.push_back({first, 1, 2, 7 - first, 2.5, 0.1, 0.1 * first, 0.02});
  return measured;
}

Measurement measurement(const Json& json) {
  return {"runs/one.measurement.json", json};
}

std::string markdown_of(const ReportRuns& runs) {
  return markdown(make_report(runs));
}

std::string json_of(const ReportRuns& runs) {
  return json(make_report(runs));
}

std::string refusal_of(const std::vector<RunRecord>& records) {
  return refusal([&] { runs_of(records); });
}

/// The record with its result, or configuration, changed.
std::string refusal_with(const std::function<void(RunRecord&)>& change) {
  RunRecord changed = record(looped(2), 7);
  change(changed);
  return refusal_of(with(reproduced(), changed));
}

// --- published -----------------------------------------------------------------------------------

double number(const Json& list, std::size_t at) {
  return list.at(at).get<double>();
}

TEST(PublishedEtd, RelativeChangesAreThoseOfTheAccuraciesButForTheOneThatIsNoted) {
  const Json all = published(), rows = all.at("loops");
  ASSERT_EQ(rows.size(), 5u);
  std::size_t differing = 0;
  for (const Json& row : rows) {
    EXPECT_EQ(row["passes"].get<int>(), 12 + 4 * row["loops"].get<int>());
    ASSERT_EQ(row["accuracy"].size(), all["groups"].size());
    EXPECT_EQ(row["relative"].is_null(), row["loops"] == 1);
    for (std::size_t i = 0; i < row["relative"].size(); ++i) {
      const double change =
          100 * (number(row["accuracy"], i) / number(rows.front()["accuracy"], i) - 1);
      differing += std::abs(change - number(row["relative"], i)) > 0.11;
    }
  }
  EXPECT_EQ(differing, 1u);  // factual at k = 4
}

TEST(PublishedEtd, GroupsAreMeansOfTheirBenchmarks) {
  const Json all = published();
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t group = 0; group < all["groups"].size(); ++group) {
      double sum = 0;
      std::size_t count = 0;
      for (const Json& task : all["tasks"])
        if (task["group"] == all["groups"][group]) {
          sum += number(task["accuracy"], k);
          ++count;
        }
      EXPECT_NEAR(sum / static_cast<double>(count), number(all["loops"][k]["accuracy"], group), 0.2)
          << all["groups"][group] << " k = " << k + 1;
    }
}

TEST(PublishedEtd, PassesAreThoseOfTheShapes) {
  const Json all = published();
  for (const char* shapes : {"shapes", "large_shapes"})
    for (const Json& row : all[shapes]) {
      const ThinkShape shape = parse_think_shape(row["shape"], "shape");
      EXPECT_EQ(shape.encoder + shape.think * shape.passes + shape.decoder, row["passes"])
          << row["shape"];
    }
}

// --- runs ----------------------------------------------------------------------------------------

TEST(EtdRuns, AreSeriesOfSeedsWithTheChosenCutFirst) {
  std::vector<RunRecord> records = reproduced();
  const ThinkShape all = looped_shape({0, 8, 0, false, false}, 2),
                   untied{3, 2, 3, Block::untied, 2, Router::none},
                   adaptive{3, 2, 3, Block::adaptive, 10, Router::mixture};
  for (const ThinkShape& shape : {all, untied, adaptive})
    records.insert(records.begin(), record(shape, 1));
  const Section section = section_of(records);
  std::vector<ThinkShape> shapes;
  for (const Series& series : section.series) shapes.push_back(series.shape);
  EXPECT_EQ(shapes, (std::vector{looped(1), looped(2), looped(3), untied, adaptive, all}));
  EXPECT_EQ(layer_cut_text(section.cut), "3-2-3");
  EXPECT_EQ(section.series[0].seeds_cell(), "1, 2, 3");
  EXPECT_EQ(ends_text(section.series[2].ends()), "still improving: 1 of 3");
  EXPECT_EQ(section.fixed().size(), 3u);
  EXPECT_EQ(section.series[1].passes(), "10");
  EXPECT_EQ(section.series[3].passes(), "10");
  EXPECT_EQ(section.series[4].passes(), "11.3");  // 6 + 2 (2 + 3 + 3) / 3
  EXPECT_EQ(section.series[5].passes(), "16");
  EXPECT_EQ(section.columns(),
            (std::vector<std::string>{"recall", "multi-hop", "arithmetic", "compositional"}));
}

TEST(EtdRuns, TheChosenCutIsTheOneWithMostNumbersOfLoopsNotWithMostShapes) {
  std::vector<RunRecord> records = {record(looped_shape({2, 4, 2, false, false}, 1), 1),
                                    record({2, 4, 2, Block::untied, 2, Router::none}, 1)};
  for (const Router router : {Router::straight_through, Router::mixture, Router::untrained})
    records.push_back(record({2, 4, 2, Block::adaptive, 10, router}, 1));
  for (const RunRecord& run : reproduced()) records.push_back(run);
  EXPECT_EQ(layer_cut_text(section_of(records).cut), "3-2-3");
}

TEST(EtdRuns, ChangesAreTakenSeedBySeed) {
  const Section section = section_of(with(reproduced(), record(looped(3), 9, {0, 0, 0})));
  const auto change = section.change(*section.loops(3), kCompositional);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->difference.seeds, 3u);  // seed 9 has no k = 1
  EXPECT_NEAR(change->difference.mean, 0.015, 1e-12);
  EXPECT_NEAR(*change->difference.error, 0.005 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(change->once.mean, 0.4, 1e-12);
  EXPECT_NEAR(change->relative->mean, 0.0375, 1e-12);
  EXPECT_NEAR(*change->relative->error, 0.0125 / std::sqrt(3), 1e-12);
  EXPECT_FALSE(section.change(*section.loops(3), "reading"));
}

TEST(EtdRuns, KeepBasesApartAndARunThatWasMadeTwiceOnce) {
  RunRecord base = record(looped(1), 1);
  base.config.initial_weights = "";
  base.config.model.initial = 8;
  base.config.model.repeated = base.config.model.final = 0;
  base.config.training.steps = 1200;
  const Runs runs = runs_of(with(with(reproduced(), base), record(looped(1), 1, {900, 400, 350})));
  ASSERT_EQ(runs.bases.size(), 1u);
  EXPECT_EQ(runs.bases[0].title(), "the own corpus, 8 layers of width 64, 1200 steps");
  ASSERT_EQ(runs.sections.size(), 1u);
  EXPECT_EQ(runs.sections[0].loops(1)->runs.size(), 3u);
}

TEST(EtdRuns, OtherLinesAndOtherModelsAreSectionsOfTheirOwn) {
  RunRecord wide = record(looped(1), 1), other = record(looped(1), 1);
  wide.config.model.width = 128;
  other.config.task.as<LinesConfig>().text = "sums.jsonl";
  other.config.initial_weights = "SmolLM2.gguf";
  EXPECT_EQ(runs_of(with(with(reproduced(), wide), other)).sections.size(), 3u);
}

TEST(EtdRuns, RefuseRunsFromAnotherBaseOrTrainedOtherwise) {
  EXPECT_EQ(
      refusal_with([](RunRecord& run) { run.config.initial_weights = "runs/base/seed-2"; }),
      "runs/3-2x2-3/seed-7/record.json: config.initial_weights: expected runs/base/seed-1 as "
      "in runs/3-2x1-3/seed-3/record.json, found runs/base/seed-2: shapes are compared on one "
      "base and the same training");
  expect_parts(refusal_with([](RunRecord& run) { run.config.training.steps = 600; }),
               {"config.training.steps: expected 300", "found 600"});
}

TEST(EtdRuns, RefuseTwoResultsOfOneConfigurationAndSeed) {
  RunRecord again = record(looped(2), 1, {900, 1, 1});
  again.folder = "again";
  expect_parts(refusal_of(with(reproduced(), again)),
               {"runs/3-2x2-3/seed-1 and again: expected one result of seed 1"});
}

TEST(EtdRuns, RefuseDamagedResults) {
  const auto result = [](const std::function<void(Json&)>& change) {
    return refusal_with([&](RunRecord& run) { change(run.result); });
  };
  const std::string file = "runs/3-2x2-3/seed-7/record.json: result";
  EXPECT_EQ(result([](Json& json) { json["kinds"][0]["right"] = 1001; }),
            file + ".kinds.right: expected a whole number from 0 to 1000, the number of questions");
  EXPECT_EQ(result([](Json& json) { json["kinds"][0]["right"] = 899; }),
            file +
                ".kinds.difficulties: expected sums of questions and right answers equal to those "
                "of the kind");
  expect_parts(result([](Json& json) { json["kinds"][0]["asked"] = 0; }),
               {".kinds.asked: expected"});
  expect_parts(result([](Json& json) { json["kinds"][0]["difficulties"][1]["difficulty"] = 1; }),
               {".difficulties.difficulty: expected every difficulty once"});
  expect_parts(result([](Json& json) { json["kinds"].push_back(json["kinds"][0]); }),
               {".kinds.kind: expected every kind once"});
  expect_parts(result([](Json& json) { json["kinds"] = Json::array(); }), {".kinds: expected"});
  expect_parts(result([](Json& json) { json["kinds"].erase(1); }),
               {".kinds: expected those of runs/3-2x1-3/seed-3/record.json"});
  expect_parts(result([](Json& json) { json.erase("kinds"); }), {".kinds: expected a list"});
  expect_parts(result([](Json& json) { json["kind"] = "words"; }), {".kind: expected lines"});
}

TEST(EtdRuns, RefuseDamagedAdaptiveResultsAndConfigurations) {
  const ThinkShape adaptive{3, 2, 3, Block::adaptive, 10, Router::mixture};
  const auto changed = [&](const std::function<void(RunRecord&)>& change) {
    RunRecord run = record(adaptive, 1);
    change(run);
    return refusal_of({run});
  };
  EXPECT_EQ(changed([](RunRecord&) {}), "accepted");
  expect_parts(changed([](RunRecord& run) { run.result.erase("largest_loops"); }),
               {".largest_loops: expected a number"});
  expect_parts(changed([](RunRecord& run) { run.result["largest_loops"] = 65; }), {"at most 64"});
  expect_parts(changed([](RunRecord& run) { run.result["kinds"][1]["mean_loops"] = 0.5; }),
               {".mean_loops: expected a number from 1 to 64"});
  expect_parts(changed([](RunRecord& run) { run.result["kinds"][1].erase("mean_loops"); }),
               {".mean_loops: expected"});
  RunRecord untied = record({3, 2, 3, Block::untied, 2, Router::none}, 1);
  std::swap(untied.config.initial_layers[3], untied.config.initial_layers[4]);
  expect_parts(refusal_of({untied}), {"initial_layers that repeat one block"});
  RunRecord plain = record(looped(1), 1);
  plain.config.model.initial = 8;
  plain.config.model.repeated = plain.config.model.final = 0;
  expect_parts(refusal_of({plain}), {"model.repeated of at least 1"});
}

// --- criteria ------------------------------------------------------------------------------------

std::optional<Change> change_of(double difference, double error, std::size_t seeds = 5,
                                double changed = 0.5) {
  return Change{{changed - difference, error, seeds},
                {changed, error, seeds},
                {difference, error, seeds},
                std::nullopt};
}

TEST(EtdVerdicts, TheEffectPassesAtTwoStandardErrors) {
  const auto gains = [](double difference, double error) {
    return EffectVerdict{change_of(0, 0, 5, 0.1), change_of(difference, error), {}}.gains();
  };
  EXPECT_EQ(gains(0.02, 0.01), report::Verdict::passed);
  EXPECT_EQ(gains(0.0199, 0.01), report::Verdict::failed);
  EXPECT_EQ(gains(0, 0), report::Verdict::failed);
  EXPECT_EQ(gains(-0.02, 0.001), report::Verdict::failed);
}

TEST(EtdVerdicts, TheEffectGrowsFromOneToTwoToThree) {
  EffectVerdict effect{change_of(0.03, 0.01, 5, 0.6), change_of(0.03, 0.01, 5, 0.6), {}};
  EXPECT_EQ(effect.gains(), report::Verdict::passed) << "two may be as good as three";
  effect.two = change_of(0.04, 0.01, 5, 0.61);
  EXPECT_EQ(effect.gains(), report::Verdict::failed) << "three less than two";
  effect.two = change_of(-0.01, 0.01, 5, 0.56);
  EXPECT_EQ(effect.gains(), report::Verdict::failed) << "two less than one";
  effect.two = change_of(0.04, 0.01, 5, 0.61);
  EXPECT_EQ(effect.better(), 2u);
  std::swap(effect.two, effect.three);
  EXPECT_EQ(effect.better(), 3u);
  EXPECT_EQ((EffectVerdict{change_of(0, 0), change_of(0, 0), {}}.better()), 2u);
}

TEST(EtdVerdicts, TheEffectIsUndecidedWithFewSeedsOrOneOfTheTwoMissing) {
  const auto good = change_of(0.03, 0.01), bad = change_of(0.0, 0.01);
  const auto four = change_of(0.03, 0.01, 4);
  EXPECT_EQ((EffectVerdict{four, four, {}}.gains()), report::Verdict::undecided);
  EXPECT_EQ((EffectVerdict{bad, {}, {}}.gains()), report::Verdict::undecided);
  EXPECT_EQ((EffectVerdict{{}, bad, {}}.gains()), report::Verdict::undecided);
  EXPECT_EQ((EffectVerdict{good, {}, {}}.gains()), report::Verdict::undecided);
  EXPECT_EQ((EffectVerdict{good, good, {}}.gains()), report::Verdict::passed);
  EXPECT_EQ((EffectVerdict{bad, bad, {}}.gains()), report::Verdict::failed);
  EXPECT_EQ(EffectVerdict().verdict(), report::Verdict::undecided);
}

TEST(EtdVerdicts, RecallMayChangeByLessThanTwoPointsEitherWay) {
  const auto keeps = [](double difference) {
    return EffectVerdict{{}, {}, change_of(difference, 0.001)}.keeps_recall();
  };
  EXPECT_EQ(keeps(0.0199), report::Verdict::passed);
  EXPECT_EQ(keeps(-0.0199), report::Verdict::passed);
  EXPECT_EQ(keeps(0.02), report::Verdict::failed);
  EXPECT_EQ(keeps(-0.02), report::Verdict::failed);
}

TEST(EtdVerdicts, OfRecordsAreTheKnownOnes) {
  const EffectVerdict effect = judge_effect(section_of(reproduced({3, 1, 2, 4, 5})));
  EXPECT_EQ(effect.better(), 3u);
  EXPECT_EQ(effect.verdict(), report::Verdict::passed);
  EXPECT_EQ(judge_effect(section_of(reproduced())).verdict(), report::Verdict::undecided);
  std::vector<RunRecord> none;
  for (const std::uint32_t seed : {1, 2, 3, 4, 5})
    for (const std::uint32_t passes : {1, 2, 3})
      none.push_back(record(looped(passes), seed, {900, 400 + (seed * passes * 7) % 10, 300}));
  EXPECT_EQ(judge_effect(section_of(none)).verdict(), report::Verdict::failed);
}

TEST(EtdVerdicts, AdaptiveDepthPassesIfEveryTokenHaltsBeforeTheCap) {
  const ThinkShape adaptive{3, 2, 3, Block::adaptive, 10, Router::mixture};
  const auto verdict = [&](std::uint32_t largest) {
    Found found;
    found.largest = largest;
    const auto criteria = criteria_of(
        section_of(with(with(reproduced(), record(adaptive, 1)), record(adaptive, 2, found))));
    EXPECT_EQ(criteria.size(), 4u);
    return criteria.at(1).verdict();
  };
  EXPECT_EQ(verdict(63), report::Verdict::passed);
  EXPECT_EQ(verdict(64), report::Verdict::failed);
  EXPECT_EQ(criteria_of(section_of(reproduced())).at(1).verdict(), report::Verdict::undecided);
}

TEST(EtdVerdicts, TheCutNeedsABaseOfOurs) {
  EXPECT_EQ(cut_criterion({}).verdict(), report::Verdict::undecided);
  EXPECT_EQ(cut_criterion({distances("SmolLM2", "llama")}).verdict(), report::Verdict::undecided);
  EXPECT_EQ(cut_criterion({distances("SmolLM2", "llama"), distances("base", "logdepth")}).verdict(),
            report::Verdict::passed);
}

// --- texts ---------------------------------------------------------------------------------------

ReportRuns everything() {
  std::vector<RunRecord> records = reproduced();
  const auto add = [&](const ThinkShape& shape, const Found& found = {}) {
    for (const std::uint64_t seed : {1, 2, 3}) records.push_back(record(shape, seed, found));
  };
  add({3, 2, 3, Block::untied, 2, Router::none});
  add({3, 2, 3, Block::adaptive, 10, Router::straight_through});
  add({3, 2, 3, Block::adaptive, 10, Router::mixture}, {890, 420, 330, 1.5, 4.5, 64});
  add({3, 2, 3, Block::adaptive, 10, Router::untrained}, {880, 380, 280, 2.5, 2.5});
  add(looped_shape({0, 8, 0, false, false}, 2), {500, 100, 100});
  return {records,
          {measurement(to_json(distances("base/seed-1", "logdepth"))),
           measurement(to_json(looped_losses("base/seed-1")))}};
}

TEST(EtdReport, PrintsOursBesidePublishedWithErrorsChangesAndVerdicts) {
  expect_parts(markdown_of(everything()),
               {"| 3 | 16 | 24 | 37.55 (+0.0 %)", "7-4-5 of OLMo 2 1B and 16-10-6 of OLMo 2 7B",
                "| 3-2x3-3 | 8 | 12 | 1, 2, 3 | still improving: 1 of 3 |",
                "+0.015 ± 0.003 (+3.7 ± 0.7 %)", "ETD-4, 3-2-3: **undecided**, 3 of 5 seeds",
                "k = 3: +0.015 ± 0.003 (0.415 ± ", "ETD-5, 3-2-3-straight-through: **reproduced**",
                "ETD-5, 3-2-3-mixture: **not reproduced at this scale**", "multi-hop 4.500 ± 0.000",
                "they do", "| 3-2+2-3 | 10 | 10 |",
                "| 4-1\\*2-3 | the chosen cut | 2.500 | +0.400 ± 0.020 |", "costs most", "GSM8K",
                "40 passes for 16-10\\*2-6"});
}

TEST(EtdReport, OfMeasurementsAloneHasTheCutAndNoVerdictOnTraining) {
  const ReportRuns runs{{}, {measurement(to_json(distances("base", "logdepth")))}};
  const std::string text = markdown_of(runs);
  expect_parts(text,
               {"No mid-training was run.", "ETD-3, the cut by angular distances: **reproduced**"});
  EXPECT_EQ(text.find("ETD-4, "), std::string::npos);
  EXPECT_EQ(text.find("etd.svg"), std::string::npos);
  EXPECT_EQ(text.find("etd-loops.svg"), std::string::npos);
  const Json json = Json::parse(json_of(runs));
  EXPECT_EQ(json["distances"][0]["cut"]["encoder"], 4);
  EXPECT_TRUE(json["sections"].empty());
}

TEST(EtdReport, AsJsonHasEveryMeanWithItsErrorAndSeeds) {
  const Json json = Json::parse(json_of(everything()));
  EXPECT_EQ(json["schema"], "logdepth/report-etd/1");
  const Json& series = json["sections"][0]["series"][2];
  EXPECT_EQ(series["shape"], "3-2x3-3");
  EXPECT_EQ(series["seeds"], Json({1, 2, 3}));
  EXPECT_NEAR(series["change"]["compositional"]["difference"]["mean"].get<double>(), 0.015, 1e-12);
  EXPECT_EQ(series["change"]["compositional"]["difference"]["seeds"], 3);
  EXPECT_EQ(json["sections"][0]["criteria"][0]["verdict"], "undecided");
  EXPECT_EQ(json["published"]["tasks"].size(), 17u);
  EXPECT_EQ(json["published"]["shapes"].size(), 12u);
}

TEST(EtdReport, WritesThePicturesThatThereIsSomethingFor) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "etd_report";
  std::filesystem::remove_all(folder);
  const std::vector<std::string> all =
      write_report_files(files_of(make_report(everything())), folder.string());
  EXPECT_EQ(all, (std::vector<std::string>{"etd.md", "etd.json", "etd.svg", "etd-angular.svg",
                                           "etd-loops.svg"}));
  for (const std::string& name : all) {
    if (!name.ends_with(".svg")) continue;
    pugi::xml_document picture;
    EXPECT_TRUE(picture.load_file((folder / name).c_str())) << name;
    EXPECT_GT(picture.child("svg").select_nodes(".//polyline").size(), 1u) << name;
  }
  const ReportRuns few{{}, {measurement(to_json(looped_losses("base")))}};
  EXPECT_EQ(write_report_files(files_of(make_report(few)), folder.string()),
            (std::vector<std::string>{"etd.md", "etd.json", "etd-loops.svg"}));
  std::filesystem::remove_all(folder);
}

TEST(EtdReport, RefusesNothingAtAllAndDamagedMeasurements) {
  expect_parts(refusal([] { markdown_of({}); }), {"RUNS: expected at least one run"});
  expect_parts(refusal([] {
                 markdown_of({{}, {measurement({{"measurement", "weight"}})}});
               }),
               {"RUNS: expected at least one run"});
  const auto with_change = [](Json json, const std::function<void(Json&)>& change) {
    change(json);
    return refusal([&] { markdown_of({{}, {measurement(json)}}); });
  };
  const Json angles = to_json(distances("base", "logdepth")),
             losses = to_json(looped_losses("base"));
  EXPECT_EQ(with_change(angles, [](Json& json) { json["distances"][3] = 1.5; }),
            "runs/one.measurement.json: measurement.distances: expected a number from 0 to 1 for "
            "each of 8 layers");
  expect_parts(with_change(angles, [](Json& json) { json["distances"].erase(0); }),
               {"for each of 8 layers"});
  expect_parts(with_change(angles, [](Json& json) { json["cut"]["think"] = 3; }),
               {"measurement.cut: expected", "the cut of its distances"});
  expect_parts(with_change(angles, [](Json& json) { json["model"]["layers"] = 1e7; }),
               {"measurement.model.layers: expected at most 512"});
  expect_parts(with_change(angles, [](Json& json) { json.erase("model"); }),
               {"measurement.model: expected an object"});
  expect_parts(with_change(losses, [](Json& json) { json["shapes"][0]["decoder"] = 7; }),
               {"measurement.shapes.think: expected a block of at least one of 8 layers"});
  expect_parts(with_change(losses, [](Json& json) { json["shapes"][1] = json["shapes"][0]; }),
               {"measurement.shapes: expected every shape once"});
  expect_parts(with_change(losses, [](Json& json) { json["loss"] = -1; }),
               {"measurement.loss: expected"});
  EXPECT_EQ(with_change(losses, [](Json&) {}), "accepted");
}

TEST(EtdReport, ReadsMeasurementsBelowAFolderInTheOrderOfTheirPathsAndNamesAFileThatIsNone) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "etd_runs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "b");
  std::ofstream(folder / "b/loops.measurement.json") << to_json(looped_losses("base"));
  std::ofstream(folder / "angular.measurement.json") << to_json(distances("base", "logdepth"));
  std::ofstream(folder / "angular.json") << "no measurement";
  const ReportRuns runs = read_report_runs(folder.string());
  ASSERT_EQ(runs.measurements.size(), 2u);
  EXPECT_EQ(runs.measurements[0].kind(), kAngularMeasurement);
  EXPECT_EQ(runs.measurements[1].kind(), kLoopsMeasurement);
  EXPECT_TRUE(runs.records.empty());
  for (const char* text : {"", "[]", "{}", "{\"measurement\": 3}"}) {
    std::ofstream(folder / "b/damaged.measurement.json") << text;
    EXPECT_EQ(refusal([&] { read_report_runs(folder.string()); }),
              (folder / "b/damaged.measurement.json").string() +
                  ": expected a measurement, a JSON object whose \"measurement\" is a word")
        << text;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace logdepth::etd_report_tests
