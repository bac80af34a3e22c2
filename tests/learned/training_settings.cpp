// Settings of training runs as JSON: what is stored is read back unchanged, kinds of tasks are
// values, and what is wrong is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/tasks.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::training_settings_tests { namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string refusal(const std::string& json) {
  return support::refusal(
      [&] { validate(run_config_from_json(nlohmann::json::parse(json), "c.json")); });
}

/// The stored readings were made by another program from the results, so that this compares both.
TEST(TrainingSettings, StoredRunsAreWrittenAsTheyWereReadWithTheReadingsOfTheirResults) {
  std::map<std::string, std::size_t> kinds;
  std::vector<std::string> unreadable;
  for (StoredRecord& stored :
       stored_records(support::source_dir() + "/bench/results/records", unreadable)) {
    const std::string kind = stored.json["result"]["kind"];
    Json json = stored.json;
    json.erase("run");
    const RunRecord record = record_of(std::move(stored));
    EXPECT_EQ(to_json(record).dump(), json.dump()) << stored.place;
    EXPECT_EQ(record.config.task->kind(), kind) << stored.place;
    EXPECT_TRUE(continues(record.config, record.config));
    ++kinds[kind];
  }
  EXPECT_EQ(unreadable, std::vector<std::string>());
  EXPECT_EQ(kinds, (std::map<std::string, std::size_t>{{"expressions", 2},
                                                       {"families", 1},
                                                       {"hops", 14},
                                                       {"latent-steps", 6},
                                                       {"latent-values", 11},
                                                       {"latent-words", 3},
                                                       {"relation", 51},
                                                       {"words", 314}}));
}

TEST(TrainingSettings, StoredPlansAreRead) {
  std::size_t plans = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(support::source_dir()) / "examples/plans")) {
    if (entry.path().extension() != ".json") continue;
    for (const PlannedRun& run : read_training_plan(entry.path())) {
      EXPECT_NO_THROW(validate(run.config)) << run.name;
      EXPECT_NO_THROW(run.config.task->make_task(run.config.seed)) << run.name;
    }
    ++plans;
  }
  EXPECT_EQ(plans, 8u);
}

TEST(TrainingSettings, ATaskWithoutAKindIsTheFirstAndAnotherKindBeginsWithItsDefaults) {
  const RunConfig words = run_config_from_json({{"task", {{"monoid", "Z2"}}}}, "c.json");
  EXPECT_EQ(words.task.as<WordTaskConfig>().monoid, "Z2");
  RunConfig changed = words;
  set_by_path(changed, "task.kind=hops");
  set_by_path(changed, "task.hardest=4");
  EXPECT_EQ(changed.task.as<HopTaskConfig>().hardest, 4u);
  EXPECT_EQ(changed.task.as<HopTaskConfig>().chain, HopTaskConfig().chain);
  EXPECT_EQ(changed.task.try_as<WordTaskConfig>(), nullptr);
  EXPECT_EQ(words.task.as<WordTaskConfig>().monoid, "Z2") << "a copy shares nothing";
  EXPECT_FALSE(continues(words, changed));
}

TEST(TrainingSettings, WhatIsWrongIsNamedWithItsPath) {
  EXPECT_EQ(refusal(R"({"task": {"kind": "chess"}})"),
            "c.json: task.kind: expected one of words, hops, expressions, families, relation, "
            "latent-steps, latent-values, latent-words, found \"chess\"");
  EXPECT_EQ(
      refusal(R"({"task": {"kind": "relation", "vertex": 3}})"),
      "c.json: unknown setting 'task.vertex', expected one of kind, vertices, edges_per_vertex, "
      "batch, validation, threshold, false_positives");
  EXPECT_EQ(refusal(R"({"task": 3})"), "c.json: task: expected an object, found 3");
  EXPECT_EQ(refusal(R"([])"), "c.json: the configuration: expected an object, found []");
  EXPECT_EQ(refusal(R"({"model": {"gate": "open"}})"),
            "c.json: model.gate: expected one of none, gru, found \"open\"");
  EXPECT_EQ(refusal(R"({"model": {"width": -1}})"),
            "c.json: model.width: expected a whole number from 0 to 2147483648, found -1");
  EXPECT_EQ(refusal(R"({"model": {"loops": {"kinds": 1}}})"),
            "c.json: unknown setting 'model.loops.kinds', expected one of kind, least, most");
  EXPECT_EQ(refusal(R"({"model": {"layer_scale": "x"}})"),
            "c.json: model.layer_scale: expected a number, found \"x\"");
  EXPECT_EQ(refusal(R"({"task": {"kind": "hops", "test_loops": [70000]}})"),
            "task.test_loops: expected at most 65536");
  EXPECT_EQ(refusal(R"({"task": {"kind": "hops"}, "constructed": {"weights": "w.json"}})"),
            "constructed: expected a task of words");
}

/// A record on disk with these changes to what is written today.
RunRecord read_back(const std::function<void(nlohmann::ordered_json&)>& change) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/record.json";
  RunRecord record;
  record.machine = record.training = record.result = nlohmann::ordered_json::object();
  nlohmann::ordered_json json = to_json(record);
  change(json);
  write_whole_file(file, json.dump());
  return read_run_record(file);
}

TEST(RunRecords, OfOtherSettingsOrVersionsAreRefused) {
  EXPECT_EQ(to_json(read_back([](nlohmann::ordered_json&) {}).config).dump(),
            to_json(RunConfig()).dump());
  EXPECT_THROW(read_back([](nlohmann::ordered_json& json) {
                 json["config"]["model"]["halting"] = "budget";
               }),
               InputError);
  for (const int version : {1, 3})
    EXPECT_THROW(read_back([=](nlohmann::ordered_json& json) { json["version"] = version; }),
                 InputError);
}

TEST(RunRecords, HashTheFilesThatARunReads) {
  const TemporaryFolder folder;
  const std::string words = folder.path() + "/words.csv", model = folder.path() + "/model";
  write_whole_file(words, "abc");
  write_whole_file(model, "abc");
  RunConfig config;
  EXPECT_TRUE(input_hashes(config).empty());
  config.task.as<WordTaskConfig>().data = words;
  config.initial_weights = model;
  // SHA-256 of "abc" as FIPS 180-2 prints it.
  const std::string hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const nlohmann::ordered_json expected = {{model, hash}, {words, hash}};
  const nlohmann::ordered_json found = input_hashes(config);
  EXPECT_EQ(nlohmann::json(found), nlohmann::json(expected));
  const RunRecord record = read_back([&](nlohmann::ordered_json& json) { json["inputs"] = found; });
  EXPECT_EQ(record.inputs, found);
  EXPECT_EQ(to_json(record)["inputs"], found);
  std::filesystem::remove(words);
  EXPECT_EQ(input_hashes(config).size(), 1u) << "what is gone is left out";
}

TEST(LearningCurves, TakePointsAtDoublingStepsAndTellWhetherTheyStillRise) {
  std::vector<std::uint64_t> taken;
  for (std::uint64_t step = 0; step <= 10000; ++step)
    if (is_curve_step(step, 1000)) taken.push_back(step);
  EXPECT_EQ(taken, (std::vector<std::uint64_t>{1000, 2000, 4000, 8000}));
  EXPECT_FALSE(is_curve_step(0, 0) || is_curve_step(7, 0));
  using Trend = LearningCurve::Trend;
  const auto trend = [](std::vector<LearningCurve::Point> points) {
    return LearningCurve{"score", std::move(points)}.trend();
  };
  EXPECT_EQ(trend({}), Trend::unknown);
  EXPECT_EQ(trend({{1000, 0.5}}), Trend::unknown);
  EXPECT_EQ(trend({{1000, 0.5}, {1500, 0.9}}), Trend::unknown) << "no point in the first half";
  EXPECT_EQ(trend({{1000, 0.5}, {2000, 0.52}}), Trend::rising);
  EXPECT_EQ(trend({{1000, 0.5}, {2000, 0.505}}), Trend::flat);
  EXPECT_EQ(trend({{1000, 0.5}, {2000, 0.9}, {4000, 0.9}, {5000, 0.95}}), Trend::rising)
      << "compared with 2000 steps, the last point of the first half";
  EXPECT_EQ(trend({{1000, 0.5}, {2000, 0.9}, {4000, 0.89}}), Trend::flat);
}

TEST(TrainingSettings, ARunGoesOnWithMoreStepsWhereItsRateDoesNotKnowTheEnd) {
  for (const auto& [schedule, may] : {std::pair(TrainingConfig::Schedule::constant, true),
                                      {TrainingConfig::Schedule::decaying, true},
                                      {TrainingConfig::Schedule::cosine, false}}) {
    RunConfig before, after;
    before.training.schedule = after.training.schedule = schedule;
    after.training.steps *= 2;
    EXPECT_EQ(continues(before, after), may);
  }
}

TEST(TrainingSettings, WhatMayBeAbsentIsNullAndNullMakesItAbsent) {
  RunConfig config;
  EXPECT_TRUE(to_json(config)["model"]["layer_scale"].is_null());
  EXPECT_TRUE(to_json(config)["constructed"].is_null());
  set_by_path(config, "model.layer_scale=0.5");
  set_by_path(config, "constructed.weights=w.json");
  EXPECT_EQ(to_json(config)["model"]["layer_scale"], 0.5);
  EXPECT_EQ(to_json(config)["constructed"]["attention"], "hard");
  set_by_path(config, "model.layer_scale=null");
  set_by_path(config, "constructed=null");
  EXPECT_EQ(to_json(config).dump(), to_json(RunConfig()).dump());
}

}}  // namespace logdepth::training_settings_tests
