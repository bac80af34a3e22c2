#include "learned/word_problems/word_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/word_files.hpp"
#include "logdepth/errors.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

// What the task of word problems trains on beside words of the newest length: earlier lengths, and
// products of windows; and what it measures of networks that are asked for several loops.

namespace logdepth::word_lessons_tests { namespace {

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
  EXPECT_EQ(support::refusal([&] { validate(run); }),
            "task.teach: expected a loop of at least 4 layers, one for each of the windows of "
            "2 to 16 letters, found 3");
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

}}  // namespace logdepth::word_lessons_tests

// The task of word problems with predictors whose n* is known, and its training samples against
// moving points.

namespace logdepth::word_task_tests { namespace {

using Letters = WordTaskConfig::Letters;

WordTaskConfig config_of(const std::string& monoid, std::uint32_t max_length = 16,
                         Letters letters = Letters::all) {
  WordTaskConfig config;
  config.monoid = monoid;
  config.max_length = max_length;
  config.letters = letters;
  config.validation = 600;
  return config;
}

/// Answers every sample by moving points letter by letter, without any table.
class MovedPoints {
 public:
  explicit MovedPoints(const std::string& monoid, Letters letters = Letters::all)
      : oracle_(make_action_oracle(
            named_monoid(monoid,
                         letters == Letters::all ? NamedLetters::all : NamedLetters::generators),
            monoid)) {
    const MonoidTable table = make_monoid_table(monoid);
    for (std::size_t e = 0; e < table.size; ++e)
      number_[table.element_names[e]] = static_cast<std::int32_t>(e);
  }

  Answers operator()(const Samples& samples) const {
    Answers answers;
    for (std::size_t i = 0; i < samples.count; ++i) {
      Word word;
      for (std::size_t k = 0; k < samples.tokens; ++k)
        word.push_back(static_cast<Letter>(samples.indices[(i * samples.tokens + k) * 2]));
      const std::vector<Transformation> maps = oracle_->prefix_products(word).value();
      for (const Transformation& map : maps)
        answers.push_back(number_.at(format_transformation(map)));
    }
    return answers;
  }

 private:
  std::unique_ptr<LanguageOracle> oracle_;
  std::map<std::string, std::int32_t> number_;
};

nlohmann::ordered_json measured(const Task& task, std::size_t stage, const Predict& predict) {
  return task.measure(predict, stage, {});
}

bool same(const Samples& a, const Samples& b) {
  return a.count == b.count && a.tokens == b.tokens && a.indices == b.indices &&
         a.targets == b.targets;
}

/// The words of a batch.
std::set<Answers> words_of(const Samples& samples) {
  std::set<Answers> words;
  for (std::size_t i = 0; i < samples.count; ++i) {
    Answers word;
    for (std::size_t k = 0; k < samples.tokens; ++k)
      word.push_back(samples.indices[(i * samples.tokens + k) * 2]);
    words.insert(std::move(word));
  }
  return words;
}

TEST(NStars, AreReadOffAccuraciesByHand) {
  const auto star = [](const std::vector<double>& accuracy) { return n_star(accuracy, 0.95); };
  EXPECT_EQ(star({1, 1, 0.97, 0.95}), (NStar{4, 4, true}));
  EXPECT_EQ(star({1, 0.96, 0.9499, 0.95, 0.2}), (NStar{2, 4, false}));
  EXPECT_EQ(star({0.94, 1, 1}), (NStar{0, 3, false}));
  EXPECT_EQ(star({0.1, 0.2}), (NStar{0, 0, false}));
  EXPECT_EQ(star({}), (NStar{0, 0, false}));
  EXPECT_EQ(n_star({1, 1}, 1), (NStar{2, 2, true}));
  EXPECT_EQ(star({3800.0 / 4000}), (NStar{1, 1, true}));  // the threshold itself is enough
}

TEST(WordTasks, ReadALetterAndAPositionAndAnswerWithAnElement) {
  const TaskFormat format = config_of("S5", 20, Letters::generators).make_task(1)->format();
  EXPECT_EQ(format.tables, (std::vector<std::uint32_t>{2, 20}));
  EXPECT_EQ(format.features, 0u);
  EXPECT_EQ(format.view, TaskFormat::View::causal);
  EXPECT_EQ(format.readout, TaskFormat::Readout::each_token);
  EXPECT_EQ(format.answer, TaskFormat::Answer::one_class);
  EXPECT_EQ(format.outputs, std::vector<std::uint32_t>{120});
}

TEST(WordTasks, DoubleTheLengthUpToTheLongest) {
  const std::map<std::uint32_t, std::vector<std::size_t>> expected = {
      {2, {2}}, {3, {2, 3}}, {16, {2, 4, 8, 16}}, {17, {2, 4, 8, 16, 17}}, {31, {2, 4, 8, 16, 31}}};
  for (const auto& [longest, lengths] : expected) {
    const auto task = config_of("S3", longest).make_task(1);
    ASSERT_EQ(task->stages(), lengths.size()) << longest;
    for (std::size_t stage = 0; stage < lengths.size(); ++stage) {
      const Samples samples = task->training_batch(stage, 0);
      EXPECT_EQ(samples.tokens, lengths[stage]);
      EXPECT_EQ(samples.size, lengths[stage]);
      EXPECT_EQ(task->stage_name(stage), "length " + std::to_string(lengths[stage]));
    }
  }
}

TEST(WordTasks, FillABatchWithTokensButNotWithTooFewWords) {
  WordTaskConfig config = config_of("S3", 64);
  config.batch_tokens = 1024;
  config.batch_least = 32;
  const auto task = config.make_task(1);
  EXPECT_EQ(task->training_batch(0, 0).count, 512u);
  EXPECT_EQ(task->training_batch(4, 0).count, 32u);
  EXPECT_EQ(task->training_batch(5, 0).count, 32u);  // not 16
}

TEST(WordTasks, LabelTrainingWordsAsMovingThePointsDoes) {
  for (const Letters letters : {Letters::all, Letters::generators})
    for (const std::string name : {"Z2", "S3", "A5", "A4_x_Z5", "flipflop"}) {
      const auto task = config_of(name, 12, letters).make_task(laws::seed());
      const MovedPoints moved(name, letters);
      for (const std::size_t stage : {std::size_t{0}, std::size_t{3}}) {
        const Samples samples = task->training_batch(stage, 5);
        ASSERT_EQ(samples.indices.size(), samples.count * samples.tokens * 2);
        EXPECT_EQ(samples.targets, moved(samples)) << name;
        const auto letter_count = static_cast<std::int32_t>(task->format().tables[0]);
        std::set<std::int32_t> seen;
        for (std::size_t k = 0; k < samples.count * samples.tokens; ++k) {
          EXPECT_EQ(samples.indices[2 * k + 1], static_cast<std::int32_t>(k % samples.tokens));
          seen.insert(samples.indices[2 * k]);
        }
        EXPECT_EQ(*seen.begin(), 0) << name;
        EXPECT_EQ(*seen.rbegin(), letter_count - 1) << name;
        EXPECT_EQ(static_cast<std::int32_t>(seen.size()), letter_count) << name;
      }
    }
}

TEST(WordTasks, DrawTheSameBatchAgainAndAnotherAtAnotherStepOrSeed) {
  const auto task = config_of("A5").make_task(3);
  const Samples batch = task->training_batch(2, 10);
  (void)task->training_batch(1, 4);
  EXPECT_TRUE(same(task->training_batch(2, 10), batch));
  EXPECT_TRUE(same(config_of("A5").make_task(3)->training_batch(2, 10), batch));
  EXPECT_FALSE(same(task->training_batch(2, 11), batch));
  EXPECT_FALSE(same(config_of("A5").make_task(4)->training_batch(2, 10), batch));
}

TEST(WordTasks, MeasureOtherWordsThanTheyTrainOn) {
  // 60^8 words: any that is met twice comes from the same random numbers.
  const auto task = config_of("A5", 8).make_task(3);
  std::set<Answers> validation, again;
  const auto collect = [](std::set<Answers>& into) {
    return [&](const Samples& samples, std::uint32_t) {
      into.merge(words_of(samples));
      return samples.targets;
    };
  };
  measured(*task, 2, collect(validation));
  measured(*task, 2, collect(again));
  EXPECT_EQ(validation, again);
  EXPECT_EQ(validation.size(), 600u);
  std::set<Answers> training;
  for (std::uint64_t step = 0; step < 20; ++step)
    training.merge(words_of(task->training_batch(2, step)));
  EXPECT_EQ(training.size(), 20u * 128);
  for (const Answers& word : validation) EXPECT_FALSE(training.contains(word));
}

TEST(WordTasks, MeasureBeginningsOfTheSameWordsAtEveryStage) {
  const auto task = config_of("A5", 8).make_task(3);
  std::vector<Samples> first(task->stages());
  for (std::size_t stage = 0; stage < task->stages(); ++stage)
    measured(*task, stage, [&](const Samples& samples, std::uint32_t) {
      if (first[stage].count == 0) first[stage] = samples;
      return samples.targets;
    });
  for (std::size_t i = 0; i < first[0].count; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(first[0].targets[i * 2 + k], first[2].targets[i * 8 + k]);
}

TEST(WordTasks, FindAPerfectPredictorCensoredAtTheLengthOfTheStage) {
  const auto task = config_of("S3", 16).make_task(1);
  const MovedPoints moved("S3");
  std::vector<std::size_t> told, batches;
  const Predict perfect = [&](const Samples& samples, std::uint32_t loops) {
    EXPECT_EQ(loops, 0u);
    batches.push_back(samples.count);
    return moved(samples);
  };
  for (const std::size_t stage : {std::size_t{3}, std::size_t{2}}) {
    const std::size_t length = stage == 3 ? 16 : 8;
    told.clear();
    batches.clear();
    const auto result = task->measure(perfect, stage, [&](std::size_t done, std::size_t total) {
      EXPECT_EQ(total, 600u);
      told.push_back(done);
    });
    EXPECT_EQ(batches, (std::vector<std::size_t>{256, 256, 88}));
    EXPECT_EQ(told, (std::vector<std::size_t>{256, 512, 600}));
    EXPECT_EQ(result, (nlohmann::ordered_json{{"kind", "words"},
                                              {"monoid", "S3"},
                                              {"size", 6},
                                              {"strict", length},
                                              {"loose", length},
                                              {"censored", true},
                                              {"length", length},
                                              {"words", 600},
                                              {"threshold", 0.95},
                                              {"accuracy", std::vector<double>(length, 1.0)}}));
  }
  EXPECT_EQ(task->summary(measured(*task, 3, perfect)),
            "S3: n* = 16 (strict, censored), 16 (loose) of 16, threshold 0.95, 600 words");
}

TEST(WordTasks, AreMeasuredAFewAtATimeWhereTheyAreLong) {
  // Attention has a number for every pair of letters: 256 words of 1024 letters would fill gigabytes.
  struct Case {
    std::uint32_t length;
    std::vector<std::size_t> batches;
  };
  for (const Case& at : {Case{128, {256, 44}}, Case{256, {64, 64, 64, 64, 44}}}) {
    auto config = config_of("Z2", at.length);
    config.validation = 300;
    const auto task = config.make_task(1);
    std::vector<std::size_t> batches;
    const auto result = measured(*task, task->stages() - 1, [&](const Samples& samples, auto) {
      batches.push_back(samples.count);
      return samples.targets;
    });
    EXPECT_EQ(batches, at.batches);
    EXPECT_EQ(result["strict"], at.length);
  }
  auto longest = config_of("Z2", 4096);
  longest.validation = 2;
  const auto task = longest.make_task(1);
  std::size_t calls = 0;
  measured(*task, task->stages() - 1, [&](const Samples& samples, auto) {
    ++calls;
    EXPECT_EQ(samples.count, 1u) << "a word at least";
    return samples.targets;
  });
  EXPECT_EQ(calls, 2u);
}

TEST(WordTasks, FindAPredictorThatIsRightUpToTheFifthIndex) {
  const auto task = config_of("A5", 16).make_task(1);
  const MovedPoints moved("A5");
  const auto wrong_at = [&](auto is_wrong) {
    return [&moved, is_wrong](const Samples& samples, std::uint32_t) {
      Answers answers = moved(samples);
      for (std::size_t i = 0; i < answers.size(); ++i)
        if (is_wrong(i % samples.tokens + 1, i / samples.tokens))
          answers[i] = (answers[i] + 1) % 60;
      return answers;
    };
  };
  const auto later =
      measured(*task, 3, wrong_at([](std::size_t index, auto) { return index > 5; }));
  EXPECT_EQ(later["strict"], 5);
  EXPECT_EQ(later["loose"], 5);
  EXPECT_EQ(later["censored"], false);
  EXPECT_EQ(later["accuracy"][4], 1.0);
  EXPECT_EQ(later["accuracy"][5], 0.0);
  EXPECT_EQ(task->summary(later),
            "A5: n* = 5 (strict), 5 (loose) of 16, threshold 0.95, 600 words");
  const auto gap =
      measured(*task, 3, wrong_at([](std::size_t index, auto) { return index == 6 || index > 9; }));
  EXPECT_EQ(gap["strict"], 5);
  EXPECT_EQ(gap["loose"], 9);
  // Wrong in each tenth word of every batch: below the threshold everywhere, right in most words.
  const auto tenth =
      measured(*task, 3, wrong_at([](auto, std::size_t word) { return word % 10 == 0; }));
  EXPECT_EQ(tenth["strict"], 0);
  EXPECT_GT(tenth["accuracy"][0], 0.85);
}

TEST(WordTasks, FindNothingInAConstantPredictor) {
  for (const std::string name : {"Z2", "S3", "A5"})
    for (const std::int32_t answer : {0, 1}) {
      const auto task = config_of(name).make_task(1);
      const auto result = measured(*task, 3, [&](const Samples& samples, std::uint32_t) {
        return Answers(samples.targets.size(), answer);
      });
      EXPECT_EQ(result["strict"], 0) << name;
      EXPECT_EQ(result["loose"], 0) << name;
      EXPECT_EQ(result["censored"], false) << name;
      EXPECT_NEAR(result["accuracy"][0], 1.0 / result["size"].get<double>(), 0.1);
    }
}

TEST(WordTasks, WithDrawnLabelsGiveAPerfectPredictorNothing) {
  WordTaskConfig config = config_of("S3");
  config.shuffled_labels = true;
  const auto task = config.make_task(1);
  const MovedPoints moved("S3");
  const auto result =
      measured(*task, 3, [&](const Samples& samples, std::uint32_t) { return moved(samples); });
  EXPECT_EQ(result["strict"], 0);
  EXPECT_EQ(result["loose"], 0);
  for (const double accuracy : result["accuracy"]) EXPECT_NEAR(accuracy, 1.0 / 6, 0.07);
  const Samples batch = task->training_batch(3, 0);
  EXPECT_NE(batch.targets, moved(batch));
  EXPECT_TRUE(same(batch, task->training_batch(3, 0)));
  const auto [least, most] = std::minmax_element(batch.targets.begin(), batch.targets.end());
  EXPECT_EQ(*least, 0);
  EXPECT_EQ(*most, 5);
}

TEST(WordTasks, PromoteByTheLastProductAlone) {
  const auto task = config_of("S3", 4).make_task(1);
  const Samples samples = task->training_batch(1, 0);
  Answers answers(samples.targets.size(), -5);
  EXPECT_EQ(task->promoting_accuracy(samples, answers), 0);
  for (std::size_t i = 0; i < samples.count; i += 2)
    answers[i * 4 + 3] = samples.targets[i * 4 + 3];
  EXPECT_EQ(task->promoting_accuracy(samples, answers), 0.5);
  answers = samples.targets;
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (i % 4 != 3) answers[i] = -5;
  EXPECT_EQ(task->promoting_accuracy(samples, answers), 1);
}

TEST(WordTasks, HoldEveryTenthDifferentWordOfAFileOutWhateverTheSeed) {
  const support::TemporaryFolder folder;
  const MonoidTable table = make_monoid_table("Z2");
  const ProductOrder order = ProductOrder::first_letter_first;
  std::string text = word_file_header(table, order);
  // All 64 words of six letters, the first twice: the copy is no second word.
  std::vector<Answers> all;
  for (std::uint32_t bits = 0; bits < 64; ++bits) {
    std::vector<std::uint32_t> word;
    for (std::uint32_t i = 0; i < 6; ++i) word.push_back(bits >> i & 1);
    const std::string row = word_file_row(table, order, 1, word);
    text += bits == 9 ? row + row : row;  // held out, so its copy is not trained on either
    all.emplace_back(word.begin(), word.end());
  }
  folder.write("z2.csv", text);
  std::set<Answers> expected;
  for (std::size_t i = 9; i < 64; i += 10) expected.insert(all[i]);
  for (const std::uint64_t seed : {1u, 2u}) {
    WordTaskConfig config = config_of("", 6);
    config.data = folder.file("z2.csv");
    config.batch_tokens = 2400;
    const auto task = config.make_task(seed);
    std::set<Answers> held_out, trained;
    measured(*task, task->stages() - 1, [&](const Samples& batch, std::uint32_t) {
      held_out.merge(words_of(batch));
      return batch.targets;
    });
    EXPECT_EQ(held_out, expected);
    for (std::uint64_t step = 0; step < 4; ++step)
      trained.merge(words_of(task->training_batch(task->stages() - 1, step)));
    EXPECT_EQ(trained.size(), 64 - expected.size());
    for (const Answers& word : expected) EXPECT_FALSE(trained.contains(word));
  }
}

TEST(WordTasks, RefuseSettingsThatMakeNoSenseByName) {
  const auto refuses = [](const std::string& sentence, auto change) {
    WordTaskConfig config = config_of("S3");
    change(config);
    const std::string said = support::refusal([&] { config.make_task(1); });
    EXPECT_TRUE(said.starts_with(sentence)) << sentence << "\n" << said;
  };
  using Config = WordTaskConfig;
  refuses("task.max_length: expected 2 to 65536, found 1", [](Config& c) { c.max_length = 1; });
  refuses("task.max_length: expected 2", [](Config& c) { c.max_length = 65537; });
  refuses("task.threshold: expected more than 0", [](Config& c) { c.threshold = 0; });
  refuses("task.threshold: expected more than 0", [](Config& c) { c.threshold = 1.01; });
  refuses("task.batch_tokens: expected 1", [](Config& c) { c.batch_tokens = 0; });
  refuses("task.batch_least: expected at least 1", [](Config& c) { c.batch_least = 0; });
  refuses("task.batch_least: expected at most", [](Config& c) { c.batch_least = 1u << 30; });
  refuses("task.validation: expected at least 1", [](Config& c) { c.validation = 0; });
  refuses("task.monoid: unknown group or monoid 'M24'", [](Config& c) { c.monoid = "M24"; });
  refuses("task.monoid: 'S7' has more than 4096 elements", [](Config& c) { c.monoid = "S7"; });
  refuses("task.monoid: 'Z5000' acts on more", [](Config& c) { c.monoid = "Z5000"; });
  refuses("task.monoid: expected at least 2 elements", [](Config& c) { c.monoid = "A2"; });
  refuses("task.data: a file has its own letters and labels", [](Config& c) { c.data = "x.csv"; });
  refuses("/nowhere.csv", [](Config& c) { c.monoid = "", c.data = "/nowhere.csv"; });
}

}}  // namespace logdepth::word_task_tests
