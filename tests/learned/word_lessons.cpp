// What the task of word problems trains on beside words of the newest length: earlier lengths, and
// products of windows; and what it measures of networks that are asked for several loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "learned/records/measure_request.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::word_lessons_tests {
namespace {

WordTaskConfig words_over(const std::string& monoid, std::uint32_t max_length) {
  WordTaskConfig config;
  config.monoid = monoid;
  config.max_length = max_length;
  config.validation = 300;
  return config;
}

/// Products of words by moving points letter by letter, as numbers of elements.
class PointMover {
 public:
  /// `indices`: of a token; the letter's is the first.
  explicit PointMover(const std::string& monoid, std::size_t indices = 2)
      : oracle_(make_action_oracle(named_monoid(monoid, NamedLetters::all), monoid)),
        indices_(indices) {
    const MonoidTable table = make_monoid_table(monoid);
    for (std::size_t e = 0; e < table.size; ++e)
      number_[table.element_names[e]] = static_cast<std::int32_t>(e);
  }

  /// Of the tokens `first` ... `last` - 1 of a sample.
  std::int32_t product(const Samples& samples, std::size_t sample, std::size_t first,
                       std::size_t last) const {
    Word word;
    for (std::size_t i = first; i < last; ++i)
      word.push_back(
          static_cast<Letter>(samples.indices[(sample * samples.tokens + i) * indices_]));
    return number_.at(format_transformation(oracle_->prefix_products(word).value().back()));
  }

 private:
  std::unique_ptr<LanguageOracle> oracle_;
  std::size_t indices_;
  std::map<std::string, std::int32_t> number_;
};

/// The same words under both ways to say where a letter stands.
TEST(BeginTokens, StandBeforeTheWordAndNothingIsAskedOfThem) {
  WordTaskConfig config = words_over("A5", 13);
  config.teach = WordTaskConfig::Teach::windows;
  config.batch_tokens = 130;
  const auto table = config.make_task(7);
  config.positions = WordTaskConfig::Positions::begin;
  const auto begin = config.make_task(7);
  EXPECT_EQ(begin->format().tables, std::vector<std::uint32_t>{61}) << "the letters and the token";
  EXPECT_EQ(begin->format().outputs, table->format().outputs);
  for (std::size_t stage = 0; stage < begin->stages(); ++stage) {
    const Samples with = table->training_batch(stage, 3), found = begin->training_batch(stage, 3);
    ASSERT_EQ(found.count, with.count);
    EXPECT_EQ(found.size, with.size) << "the loops are those of the letters";
    ASSERT_EQ(found.tokens, with.tokens + 1);
    ASSERT_EQ(found.indices.size(), found.count * found.tokens);
    ASSERT_EQ(found.taught.size(), 4u);
    for (std::size_t word = 0; word < found.count; ++word) {
      const std::size_t first = word * found.tokens;
      EXPECT_EQ(found.indices[first], 60);
      EXPECT_EQ(found.targets[first], Samples::kIgnored);
      for (std::size_t level = 0; level < 4; ++level)
        EXPECT_EQ(found.taught[level][first], Samples::kIgnored);
      for (std::size_t i = 0; i < with.tokens; ++i) {
        const std::size_t at = word * with.tokens + i;
        EXPECT_EQ(found.indices[first + 1 + i], with.indices[2 * at]);
        EXPECT_EQ(found.targets[first + 1 + i], with.targets[at]);
        for (std::size_t level = 0; level < 4; ++level)
          EXPECT_EQ(found.taught[level][first + 1 + i], with.taught[level][at]);
      }
    }
    Answers answers(found.targets.size(), -7);  // the last product of every other word is right
    for (std::size_t word = 0; word < found.count; word += 2)
      answers[(word + 1) * found.tokens - 1] = found.targets[(word + 1) * found.tokens - 1];
    EXPECT_EQ(begin->promoting_accuracy(found, answers),
              static_cast<double>((found.count + 1) / 2) / static_cast<double>(found.count));
  }
}

TEST(BeginTokens, CountForNothingInTheMeasureAndLetItAskForLongerWords) {
  WordTaskConfig config = words_over("S3", 8);
  config.positions = WordTaskConfig::Positions::begin;
  MeasureRequest request;
  request.length = 20;
  config.ask(request);
  const PointMover moved("S3", 1);
  // Right up to the fifth letter; at the token before the word anything.
  const Predictor predictor = Predict([&](const Samples& samples, std::uint32_t) {
    Answers answers;
    for (std::size_t word = 0; word < samples.count; ++word)
      for (std::size_t i = 0; i < samples.tokens; ++i)
        answers.push_back(i == 0 || i > 5 ? -7 : moved.product(samples, word, 1, i + 1));
    return answers;
  });
  const auto task = config.make_task(2);
  const auto result = task->measure(predictor, task->stages() - 1, {});
  EXPECT_EQ(result["strict"], 5);
  EXPECT_EQ(result["length"], 20);
  EXPECT_EQ(result["accuracy"].size(), 20u);
  config.positions = WordTaskConfig::Positions::table;
  request.length = 21;
  EXPECT_THROW(config.ask(request), InputError) << "a table has no more positions";
}

TEST(MixedLengths, HalfOfTheBatchesAreOfAStageDrawnFromAllSoFar) {
  WordTaskConfig config = words_over("Z2", 16);
  config.batch_tokens = 32;
  config.batch_least = 1;
  config.mixed_lengths = 0.5;
  const auto task = config.make_task(3);
  constexpr std::size_t kBatches = 4000;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    std::map<std::size_t, std::size_t> drawn;
    for (std::size_t step = 0; step < kBatches; ++step) {
      const Samples samples = task->training_batch(stage, step);
      EXPECT_EQ(samples.size, samples.tokens);
      EXPECT_EQ(samples.count, 32 / samples.tokens) << "as many letters at every length";
      EXPECT_EQ(samples.review, samples.tokens != std::size_t{2} << stage);
      ++drawn[samples.tokens];
    }
    ASSERT_EQ(drawn.size(), stage + 1);
    for (const auto& [length, batches] : drawn) {
      const double share =
          0.5 / static_cast<double>(stage + 1) + (length == std::size_t{2} << stage ? 0.5 : 0);
      // Four standard deviations.
      EXPECT_NEAR(static_cast<double>(batches) / kBatches, share, 0.032)
          << "length " << length << " of stage " << stage;
    }
  }
}

TEST(MixedLengths, AreOffUnlessAskedForAndChangeNoWordOfTheNewestLength) {
  WordTaskConfig config = words_over("S3", 8);
  const auto plain = config.make_task(5);
  config.mixed_lengths = 1;
  const auto mixed = config.make_task(5);
  std::size_t alike = 0;
  for (std::size_t step = 0; step < 60; ++step) {
    const Samples expected = plain->training_batch(2, step), found = mixed->training_batch(2, step);
    EXPECT_FALSE(expected.review);
    EXPECT_EQ(expected.tokens, 8u);
    if (found.review) continue;
    EXPECT_EQ(found.indices, expected.indices);
    ++alike;
  }
  EXPECT_GT(alike, 5u);
  EXPECT_LT(alike, 40u);
}

TEST(TaughtWindows, AreProductsOfTheLastLettersOnTenThousandWords) {
  WordTaskConfig config = words_over("A5", 13);
  config.teach = WordTaskConfig::Teach::windows;
  config.batch_tokens = 1300;
  const auto task = config.make_task(7);
  EXPECT_EQ(task->format().taught, 4u) << "windows of 2, 4, 8 and 16 letters";
  const PointMover moved("A5");
  std::size_t words = 0;
  for (std::size_t step = 0; words < 10000; ++step) {
    const Samples samples = task->training_batch(step % 4, step);
    words += samples.count;
    ASSERT_EQ(samples.taught.size(), 4u);
    for (std::size_t level = 0; level < 4; ++level) {
      ASSERT_EQ(samples.taught[level].size(), samples.targets.size());
      // Every word, at one place that depends on the word.
      for (std::size_t word = 0; word < samples.count; ++word) {
        const std::size_t at = (word + step) % samples.tokens, window = std::size_t{2} << level;
        const std::size_t first = at + 1 < window ? 0 : at + 1 - window;
        ASSERT_EQ(samples.taught[level][word * samples.tokens + at],
                  moved.product(samples, word, first, at + 1))
            << "window " << window << " at " << at << " of " << samples.tokens;
      }
    }
    EXPECT_EQ(samples.taught[3], samples.targets) << "a window that holds every word";
  }
}

TEST(TaughtWindows, AreRefusedWhereTheirLabelsAreDrawnOrTheLoopIsTooShort) {
  WordTaskConfig shuffled = words_over("Z2", 8);
  shuffled.teach = WordTaskConfig::Teach::windows;
  EXPECT_EQ(shuffled.make_task(1)->training_batch(0, 0).taught.size(), 3u);
  shuffled.shuffled_labels = true;
  EXPECT_THROW(shuffled.make_task(1), InputError);

  RunConfig run;
  WordTaskConfig words = words_over("Z2", 16);
  words.teach = WordTaskConfig::Teach::windows;
  run.task = words;
  run.model.repeated = 1;
  run.model.loops.least = 3;
  try {
    validate(run);
    FAIL() << "three loops are taught four windows";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "task.teach: expected a loop of at least 4 layers, one for each of the windows of "
                 "2 to 16 letters, found 3");
  }
  run.model.loops.least = 4;
  EXPECT_NO_THROW(validate(run));
  run.model.loops = {LoopRule::Kind::per_doubling, 1, 1};
  EXPECT_NO_THROW(validate(run)) << "as many loops as windows";
  run.model = {};
  run.model.repeated = 0;
  run.model.initial = 2;
  EXPECT_NO_THROW(validate(run)) << "a stack is taught what its layers have room for";
}

/// Right up to index 2^L after L loops: what the optimised scan can do.
Predictor doubling(const PointMover& moved) {
  const auto answers = [&moved](const Samples& samples, std::uint32_t loops) {
    Answers all;
    for (std::size_t word = 0; word < samples.count; ++word)
      for (std::size_t i = 0; i < samples.tokens; ++i)
        all.push_back(i < std::size_t{1} << loops ? moved.product(samples, word, 0, i + 1) : -1);
    return all;
  };
  Predictor predictor(answers);
  predictor.own_loops = [](std::size_t size) {
    std::uint32_t loops = 0;
    while (std::size_t{1} << loops < size) ++loops;
    return loops;
  };
  return predictor;
}

TEST(LoopsOfWords, ANetworkThatDoublesWithEveryLoopHasThatLaw) {
  const PointMover moved("S3");
  const auto task = words_over("S3", 12).make_task(1);
  const Predictor predictor = doubling(moved);
  const auto result = task->measure(predictor, 3, {});
  EXPECT_EQ(result["strict"], 12);
  EXPECT_EQ(result["censored"], true);
  ASSERT_EQ(result["by_loops"].size(), 4u);
  const std::vector<std::size_t> reached = {2, 4, 8, 12};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& entry = result["by_loops"][i];
    EXPECT_EQ(entry["loops"], i + 1);
    EXPECT_EQ(entry["strict"], reached[i]);
    EXPECT_EQ(entry["loose"], reached[i]);
    EXPECT_EQ(entry["censored"], i == 3);
    EXPECT_EQ(entry["accuracy"].size(), 12u);
    EXPECT_EQ(entry["accuracy"][reached[i] - 1], 1.0);
  }
  const Score score = task->score(predictor, 1);
  EXPECT_EQ(score.value, 4);
  EXPECT_EQ(score.accuracy, std::vector<double>(4, 1.0));
  EXPECT_EQ(score.by_loops, (std::vector<double>{2, 4}));
}

TEST(LoopsOfWords, ANetworkWithoutALoopHasOneResult) {
  const PointMover moved("S3");
  Predictor predictor = doubling(moved);
  predictor.own_loops = nullptr;
  const std::unique_ptr<Task> task = words_over("S3", 8).make_task(1);
  EXPECT_FALSE(task->measure(predictor, 1, {}).contains("by_loops"));
  EXPECT_TRUE(task->score(predictor, 1).by_loops.empty());
}

}  // namespace
}  // namespace logdepth::word_lessons_tests
