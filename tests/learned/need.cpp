// Packed words, and the page of networks of fixed depth, from records whose result is known.
#include <gtest/gtest.h>

#include <cmath>

#include "learned/report/need_report.hpp"
#include "learned/word_problems/presets.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::need_tests {
namespace {

using Json = nlohmann::ordered_json;

RunConfig packed(std::uint32_t loops, std::uint64_t seed) {
  RunConfig config = word_problem("S3", WordModel::loop, loops);
  config.task.as<WordTaskConfig>().max_length = 16;
  pack(config);
  config.seed = seed;
  config.training.steps = 8000;
  return config;
}

/// Right up to `reach` of 32 letters, and always so after the first half of the steps.
RunRecord record_of(std::uint32_t loops, std::uint64_t seed, std::size_t reach, bool settled) {
  RunRecord record;
  record.config = packed(loops, seed);
  record.machine = {{"device", "cuda"}, {"device_name", "a card"}, {"processor", "a processor"}};
  std::vector<double> accuracy(32, 0.1);
  std::fill(accuracy.begin(), accuracy.begin() + static_cast<std::ptrdiff_t>(reach), 1.0);
  const bool censored = reach == 32;
  record.result = {{"kind", "words"},   {"monoid", "S3"},       {"size", 6},
                   {"strict", reach},   {"loose", reach},       {"censored", censored},
                   {"length", 32},      {"trained_length", 16}, {"words", 2000},
                   {"threshold", 0.95}, {"accuracy", accuracy}};
  const double before = static_cast<double>(reach) - (settled ? 0 : 1);
  LearningCurve curve{"n*", {{4000, before}, {8000, static_cast<double>(reach)}}};
  record.training = {{"steps", 8000u}, {"seconds", 30.0}, {"stopped", "steps"},
                     {"tokens", 1000}, {"together", 2},   {"curve", to_json(curve)}};
  record.folder = "runs/" + std::to_string(loops) + "-" + std::to_string(seed);
  return record;
}

/// Two seeds at 2 to 6 loops: 2^(k/2) letters, one seed one letter more.
std::vector<RunRecord> records_of(std::uint32_t most = 6) {
  std::vector<RunRecord> records;
  for (std::uint32_t loops = 2; loops <= most; ++loops) {
    const auto reach = static_cast<std::size_t>(std::round(std::exp2(loops / 2.0)));
    records.push_back(record_of(loops, 1, reach, true));
    records.push_back(record_of(loops, 2, reach + 1, loops < 6));
  }
  return records;
}

std::string refusal(const std::vector<RunRecord>& records) {
  try {
    need_series(records, {"S3"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PackedWords, FillTheirRowsAndPromoteByTheLastLettersOfWholeWords) {
  RunConfig config = packed(2, 1);
  auto& words = config.task.as<WordTaskConfig>();
  words.row_tokens = 24;
  words.batch_tokens = 96;
  words.mixed_lengths = 0;
  const auto task = words.make_task(1);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::size_t length = std::size_t{2} << stage, whole = 24 / (length + 1);
    const Samples samples = task->training_batch(stage, 7);
    ASSERT_EQ(samples.count, 4u);
    ASSERT_EQ(samples.tokens, 24u);
    EXPECT_FALSE(samples.review);
    std::vector<std::int32_t> answers = samples.targets;
    EXPECT_EQ(task->promoting_accuracy(samples, answers), 1);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::size_t place = i % 24, in_word = place % (length + 1);
      EXPECT_EQ(samples.segments[i], static_cast<std::int32_t>(place / (length + 1)));
      EXPECT_EQ(samples.targets[i] == Samples::kIgnored, in_word == 0);
      EXPECT_EQ(samples.labels[i], in_word == length && place / (length + 1) < whole ? 1 : 0);
      if (samples.labels[i] == 0) answers[i] = -7;  // decides nothing
    }
    EXPECT_EQ(task->promoting_accuracy(samples, answers), 1);
  }
}

TEST(PackedWords, AreRefusedWhereRowsOrModelDoNotFit) {
  RunConfig config = packed(2, 1);
  config.task.as<WordTaskConfig>().row_tokens = 16;
  EXPECT_THROW(config.task->make_task(1), InputError) << "a word of 16 letters has 17 tokens";
  config = packed(2, 1);
  config.model.loops.kind = LoopRule::Kind::per_doubling;
  EXPECT_THROW(validate(config), InputError);
  config = packed(2, 1);
  config.model.positions = ModelConfig::Positions::relative;
  EXPECT_THROW(validate(config), InputError);
}

TEST(Need, SaysWhatALoopBuysAtOneBudgetAndThatItIsNoLaw) {
  const std::vector<NeedSeries> series = need_series(records_of(), {"S3"});
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].depths.size(), 5u);
  EXPECT_EQ(series[0].depths[0].layers, 2u);
  EXPECT_EQ(series[0].depths[0].median(), 2.5);
  EXPECT_EQ(series[0].settled_depths(), 4u) << "one seed of six loops still rose";
  EXPECT_EQ(series[0].seconds, 150) << "two seeds of a stack share their time";
  ASSERT_TRUE(series[0].purchase);
  const Purchase& purchase = *series[0].purchase;
  EXPECT_NEAR(purchase.doublings, 0.45, 0.05);
  EXPECT_LE(purchase.interval.low, purchase.doublings);
  EXPECT_GE(purchase.interval.high, purchase.doublings);
  EXPECT_EQ(purchase.not_fitted, 0u);
  const DepthTable table = depth_table({}, {}, {});
  const std::string page = report::markdown(need_report(table, series, "logdepth"));
  EXPECT_NE(page.find("no law: 4 of 5 depths have settled, expected at least 5"), std::string::npos)
      << page;
  EXPECT_NE(page.find("a loop buys 0.4"), std::string::npos) << page;
  EXPECT_EQ(page,
            report::markdown(need_report(table, need_series(records_of(), {"S3"}), "logdepth")));
}

TEST(Need, HasNoSlopeOfFewerThanFiveDepths) {
  const std::vector<NeedSeries> series = need_series(records_of(5), {"S3"});
  EXPECT_FALSE(series[0].purchase);
  EXPECT_EQ(series[0].no_purchase, "4 of the 5 depths that a slope needs");
}

TEST(Need, KeepsBudgetsApartAndRefusesMixedSettingsAndEarlyEnds) {
  std::vector<RunRecord> records = records_of();
  records[0].config.training.steps = 4000;
  EXPECT_EQ(need_series(records, {"S3"}).size(), 2u);
  records = records_of();
  records[3].config.training.weight_decay = 0.2;
  EXPECT_EQ(refusal(records),
            "runs/3-2/record.json: expected the settings of runs/2-1/record.json, which is in the "
            "same table, found training.weight_decay 0.1 and 0.2");
  records = records_of();
  records[1].training["stopped"] = "seconds";
  EXPECT_EQ(
      refusal(records),
      "runs/2-2/record.json: expected a run of 8000 steps, found one that ended by its seconds "
      "after 8000 steps");
}

}  // namespace
}  // namespace logdepth::need_tests
