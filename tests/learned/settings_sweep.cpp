// The report on settings that were tried: which runs stand together, when they passed a length, and
// which choice is called the best.
#include "learned/report/settings_sweep.hpp"

#include <gtest/gtest.h>

#include "logdepth/errors.hpp"
#include "tests/support/depth_records.hpp"

namespace logdepth::settings_sweep_tests {
namespace {

using namespace depth_records;

/// 2000 steps of 512 letters, whose curriculum went on from 2, 4, ... letters after these.
RunRecord run(double rate, std::uint64_t seed, const std::vector<std::uint64_t>& promotions,
              int reach = 1) {
  RunRecord record = words("A5", 1, reach, seed);
  record.training.erase("curve");
  record.config.training.learning_rate = rate;
  record.training["steps"] = 2000;
  record.training["tokens"] = 2000 * 512;
  record.training["promotions"] = Json::array();
  for (std::size_t i = 0; i < promotions.size(); ++i)
    record.training["promotions"].push_back(
        {{"step", promotions[i]}, {"to", "length " + std::to_string(4 << i)}});
  return record;
}

TEST(SettingsSweeps, HaveARowForEachChoiceOfTheSettingsThatDiffer) {
  std::vector<RunRecord> runs = {run(2e-3, 2, {100, 900}), run(1e-3, 1, {300}), run(2e-3, 1, {200}),
                                 run(1e-2, 1, {})};
  runs[3].config.model.step_embedding = ModelConfig::StepEmbedding::learned;
  const SettingsSweep sweep = settings_sweep(runs);
  EXPECT_EQ(sweep.problem, "A5");
  EXPECT_EQ(sweep.settings,
            (std::vector<std::string>{"model.step_embedding", "training.learning_rate"}));
  EXPECT_EQ(sweep.sizes, (std::vector<std::uint64_t>{2, 4}));
  ASSERT_EQ(sweep.choices.size(), 3u);
  EXPECT_EQ(sweep.choices[0].values, (std::vector<std::string>{"learned", "0.01"}));
  EXPECT_EQ(sweep.choices[1].values, (std::vector<std::string>{"none", "0.001"}));
  EXPECT_EQ(sweep.choices[2].values, (std::vector<std::string>{"none", "0.002"}));
  ASSERT_EQ(sweep.choices[2].runs.size(), 2u);
  EXPECT_EQ(sweep.choices[2].runs[0].seed, 1u);
  EXPECT_EQ(sweep.choices[2].runs[0].at(4), nullptr);
  ASSERT_NE(sweep.choices[2].runs[1].at(4), nullptr);
  EXPECT_EQ(sweep.choices[2].runs[1].at(4)->steps, 900u);
}

TEST(SettingsSweeps, NumbersStandInTheirOrderAndNotInThatOfTheirDigits) {
  std::vector<RunRecord> runs;
  for (const std::uint32_t letters : {1024, 256, 512}) {
    runs.push_back(run(1e-3, 1, {}));
    runs.back().config.task.as<WordTaskConfig>().batch_tokens = letters;
  }
  const SettingsSweep sweep = settings_sweep(runs);
  ASSERT_EQ(sweep.choices.size(), 3u);
  EXPECT_EQ(sweep.choices[0].values.front(), "256");
  EXPECT_EQ(sweep.choices[1].values.front(), "512");
  EXPECT_EQ(sweep.choices[2].values.front(), "1024");
}

TEST(SettingsSweeps, AMedianTakesRunsThatDidNotPassForTheLast) {
  const auto median = [](const std::vector<std::vector<std::uint64_t>>& promotions) {
    std::vector<RunRecord> runs;
    for (std::size_t i = 0; i < promotions.size(); ++i)
      runs.push_back(run(1e-3, i + 1, promotions[i]));
    return settings_sweep(runs).choices.front().median_tokens(2);
  };
  EXPECT_EQ(median({{100}, {300}, {200}}), 200 * 512.0);
  EXPECT_EQ(median({{100}, {300}, {}}), 300 * 512.0) << "the middle one of 100, 300, never";
  EXPECT_EQ(median({{100}, {}, {}}), std::nullopt);
  EXPECT_EQ(median({{100}, {300}}), 200 * 512.0);
  EXPECT_EQ(median({{100}, {}}), std::nullopt) << "half way between 100 and never";
  EXPECT_EQ(median({{100}, {200}, {400}, {}}), 300 * 512.0);
}

TEST(SettingsSweeps, TheBestPassesTheLargestLengthWithMostSeedsAndThenSoonest) {
  std::vector<RunRecord> runs = {run(1e-3, 1, {50, 60}),   run(1e-3, 2, {50}),
                                 run(2e-3, 1, {100, 500}), run(2e-3, 2, {100, 700}),
                                 run(4e-3, 1, {100, 600}), run(4e-3, 2, {100, 800})};
  EXPECT_EQ(settings_sweep(runs).best()->values, std::vector<std::string>{"0.002"});
  runs[5] = run(4e-3, 2, {100, 200});
  EXPECT_EQ(settings_sweep(runs).best()->values, std::vector<std::string>{"0.004"});
  EXPECT_EQ(settings_sweep({run(1e-3, 1, {})}).best(), nullptr);
}

TEST(SettingsSweeps, AreATableForPeopleAndAnObjectForPrograms) {
  RunRecord ended = run(2e-3, 2, {100}, 3);
  ended.training["stopped"] = "seconds";
  const std::vector<RunRecord> runs = {run(2e-3, 1, {100, 900}, 16), ended, run(1e-3, 1, {300}, 2)};
  const std::string text = markdown(sweep_report(runs));
  EXPECT_NE(text.find("| 0.001 | 1 | 300 (154 k) | – | 2 |\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("| 0.002 | 1, 2 | 100, 100 (51 k) | 900, – | 16+, 3 (ended by its seconds) |\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("Length 4 was passed by most seeds, and then soonest, under "
                      "training.learning\\_rate = 0.002: 1 of 2."),
            std::string::npos)
      << text;
  const auto json = Json::parse(report::json(sweep_report(runs)));
  EXPECT_EQ(json["settings"], (Json{"training.learning_rate"}));
  EXPECT_EQ(json["best"], (Json{"0.002"}));
  EXPECT_EQ(json["choices"][1]["runs"][0]["passed"][1],
            (Json{{"length", 4}, {"steps", 900}, {"tokens", 900 * 512.0}}));
  EXPECT_EQ(json["choices"][1]["median_tokens"][1], nullptr);
  EXPECT_EQ(json["choices"][1]["runs"][0]["censored"], true);
}

TEST(SettingsSweeps, CountATrainingOnceAndRefuseRunsWithoutWords) {
  RunRecord longer = run(1e-3, 1, {100, 2500});
  longer.training["steps"] = 3000;
  const SettingsSweep sweep = settings_sweep({run(1e-3, 1, {100}), longer});
  ASSERT_EQ(sweep.choices.size(), 1u);
  EXPECT_TRUE(sweep.settings.empty());
  ASSERT_EQ(sweep.choices[0].runs.size(), 1u);
  EXPECT_NE(sweep.choices[0].runs[0].at(4), nullptr) << "the longer one counts";
  EXPECT_THROW(settings_sweep({rows(2, 3)}), InputError);
  EXPECT_THROW(settings_sweep({}), InputError);
  RunRecord wrong = run(1e-3, 1, {});
  wrong.training["promotions"] = "none";
  EXPECT_THROW(settings_sweep({wrong}), InputError);
}

}  // namespace
}  // namespace logdepth::settings_sweep_tests
