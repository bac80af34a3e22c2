// Settings of training runs as JSON: what is stored is read back unchanged, kinds of tasks are
// values, and what is wrong is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/records/input_files.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/training_plan.hpp"
#include "learned/word_problems/presets.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"

namespace logdepth::training_settings_tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string refusal(const std::string& json) {
  try {
    validate(run_config_from_json(nlohmann::json::parse(json), "c.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TrainingSettings, StoredRunsAreWrittenAsTheyWereRead) {
  std::set<std::string> kinds;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(support::source_dir()) / "bench/results")) {
    if (entry.path().filename() != kRecordFile) continue;
    const Json stored = Json::parse(read_whole_file(entry.path()));
    const RunRecord record = read_run_record(entry.path());
    EXPECT_EQ(to_json(record).dump(), stored.dump()) << entry.path();
    EXPECT_EQ(record.config.task->kind(), stored["result"]["kind"]) << entry.path();
    EXPECT_TRUE(continues(record.config, record.config));
    kinds.insert(record.config.task->kind());
  }
  EXPECT_GE(kinds.size(), 2u) << "the test did not find the stored runs";
}

TEST(TrainingSettings, StoredPlansAreRead) {
  std::size_t plans = 0, of_models = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(support::source_dir()) / "examples/plans")) {
    if (entry.path().extension() != ".json") continue;
    for (const PlannedRun& run : read_training_plan(entry.path())) {
      EXPECT_NO_THROW(validate(run.config)) << run.name;
      // The files of language models are not here.
      const auto tokens = run.config.task->text_tokens();
      if (tokens && !tokens->model.empty()) {
        ++of_models;
      } else {
        EXPECT_NO_THROW(run.config.task->make_task(run.config.seed)) << run.name;
      }
    }
    ++plans;
  }
  EXPECT_EQ(plans, 11u);
  EXPECT_EQ(of_models, 16u);
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
            "latent-steps, latent-values, latent-words, lines, rules, rule-text, found \"chess\"");
  EXPECT_EQ(refusal(R"({"task": {"kind": "relation", "vertex": 3}})"),
            "c.json: unknown setting 'task.vertex', expected one of kind, tokens, vertices, cut, "
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

TEST(RunRecords, OfVersionOneReadBackWithoutThePartsThatAreGone) {
  const auto of_version_one = [](nlohmann::ordered_json& json) {
    json["version"] = 1;
    nlohmann::ordered_json& model = json["config"]["model"];
    model["injection"] = "none";
    model["discretiser"] = "none";
    model["codes"] = 0;
    model["corruption"] = 0.0;
    model["halting"] = "budget";
    model["positions"] = "absolute";
  };
  const RunRecord record = read_back(of_version_one);
  EXPECT_EQ(to_json(record.config).dump(), to_json(RunConfig()).dump());
  EXPECT_TRUE(learning_curve(record).points.empty());
  EXPECT_THROW(read_back([&](nlohmann::ordered_json& json) {
                 of_version_one(json);
                 json["config"]["model"]["halting"] = "head";
               }),
               InputError)
      << "a model that halted by a head cannot be told any more";
  EXPECT_THROW(read_back([&](nlohmann::ordered_json& json) {
                 of_version_one(json);
                 json["version"] = 2;
               }),
               InputError);
  EXPECT_THROW(read_back([](nlohmann::ordered_json& json) { json["version"] = 3; }), InputError);
}

TEST(RunRecords, HashTheFilesThatARunReads) {
  const TemporaryFolder folder;
  const std::string words = folder.path() + "/words.csv", model = folder.path() + "/model";
  write_whole_file(words, "abc");
  std::filesystem::create_directory(model);
  for (const char* name : {"config.json", "model.safetensors", "checkpoint.safetensors"})
    write_whole_file(model + "/" + name, "abc");
  RunConfig config;
  EXPECT_TRUE(input_hashes(config).empty());
  config.task.as<WordTaskConfig>().data = words;
  config.initial_weights = model;
  // SHA-256 of "abc" as FIPS 180-2 prints it.
  const std::string hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const nlohmann::ordered_json expected = {
      {model + "/config.json", hash}, {model + "/model.safetensors", hash}, {words, hash}};
  const nlohmann::ordered_json found = input_hashes(config);
  EXPECT_EQ(nlohmann::json(found), nlohmann::json(expected)) << "no checkpoints";
  const RunRecord record = read_back([&](nlohmann::ordered_json& json) { json["inputs"] = found; });
  EXPECT_EQ(record.inputs, found);
  EXPECT_EQ(to_json(record)["inputs"], found);
  std::filesystem::remove(words);
  EXPECT_EQ(input_hashes(config).size(), 2u) << "what is gone is left out";
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

}  // namespace
}  // namespace logdepth::training_settings_tests
