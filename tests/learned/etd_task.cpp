// The task of lines: what is read and asked for, what is measured of predictors whose result is
// known, lines of files.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/line_reader.hpp"

namespace logdepth::etd_task_tests {
namespace {

using Json = nlohmann::ordered_json;
using laws::read_line;
using laws::ReadLine;
using laws::WordList;
using Tokens = std::vector<std::int32_t>;

std::string text_of(const Tokens& tokens) {
  WordList words;
  for (const std::int32_t token : tokens)
    words.push_back(etd_words().at(static_cast<std::size_t>(token)));
  return laws::join_words(words);
}

/// What sample `i` reads, without padding.
Tokens read_of(const Samples& samples, std::size_t i) {
  const auto begin = samples.indices.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens);
  return {begin, begin + samples.lengths.at(i)};
}

Tokens targets_of(const Samples& samples, std::size_t i) {
  const auto begin = samples.targets.begin() + static_cast<std::ptrdiff_t>(i * samples.tokens);
  return {begin, begin + static_cast<std::ptrdiff_t>(samples.tokens)};
}

LinesConfig small() {
  LinesConfig config;
  config.validation = 30;
  return config;
}

/// Facts as lines of training state them.
std::map<std::string, std::string> known_facts() {
  std::map<std::string, std::string> facts;
  LinesConfig config;
  config.mixture = {1, 1, 0, 0, 0};
  config.batch = 1000;
  const auto task = config.make_task(5);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Samples samples = task->training_batch(0, step);
    for (std::size_t i = 0; i < samples.count; ++i) {
      const ReadLine line = read_line(text_of(read_of(samples, i)));
      std::vector<ReadLine::Asked> asked = line.told;
      asked.push_back(line.own);
      for (const ReadLine::Asked& one : asked)
        facts[laws::join_words(line.passage) + laws::join_words(one.words)] = one.answer;
    }
  }
  return facts;
}

/// The answer to a question, by reading it: facts, or working it out.
std::string reader(const ReadLine& line) {
  static const auto kFacts = known_facts();
  const std::string answer = laws::worked_out(line, line.own);
  if (!answer.empty()) return answer;
  if (line.kind == "recall")
    return kFacts.at(laws::join_words(line.passage) + laws::join_words(line.own.words));
  for (const auto& [question, place] : kFacts)
    if (question.starts_with(line.own.words.at(0) + " ") && question.ends_with("belong to"))
      return place;
  return "";
}

/// A model that says nothing but answers: behind a question what `answer` says of it, behind an
/// answer the end.
Predictor answering(std::function<std::string(const ReadLine&)> answer) {
  return Predictor([answer](const Samples& samples, std::uint32_t) {
    Answers answers(samples.targets.size(), -2);
    for (std::size_t i = 0; i < samples.count; ++i) {
      const Tokens read = read_of(samples, i);
      // The last word that is read is the answer, and stands behind the question.
      const std::size_t last = i * samples.tokens + read.size() - 1;
      const auto& words = etd_words();
      const auto word = std::find(words.begin(), words.end(), answer(read_line(text_of(read))));
      answers[last - 1] = static_cast<std::int32_t>(word - words.begin());
      answers[last] = kEndOfLine;
    }
    return answers;
  });
}

TEST(LinesTask, ABatchIsLinesWithTheNextWordAsTheTargetOfEveryWord) {
  const auto task = small().make_task(laws::seed());
  TaskFormat expected;
  expected.tables = expected.outputs = {static_cast<std::uint32_t>(etd_words().size())};
  EXPECT_EQ(task->format(), expected);  // causal, each token, one class
  const Samples samples = task->training_batch(0, 7);
  ASSERT_EQ(samples.count, 32u);
  ASSERT_EQ(samples.indices.size(), samples.count * samples.tokens);
  ASSERT_EQ(samples.targets.size(), samples.indices.size());
  std::int32_t longest = 0;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const Tokens read = read_of(samples, i), targets = targets_of(samples, i);
    longest = std::max(longest, samples.lengths[i]);
    for (std::size_t k = 0; k < samples.tokens; ++k) {
      if (k + 1 < read.size()) {
        ASSERT_EQ(targets[k], read[k + 1]);
      } else if (k + 1 == read.size()) {
        ASSERT_EQ(targets[k], kEndOfLine);
      } else {
        ASSERT_EQ(targets[k], Samples::kIgnored);
      }
    }
    const ReadLine line = read_line(text_of(read));
    ASSERT_EQ(reader(line), line.own.answer) << text_of(read);
  }
  EXPECT_EQ(samples.tokens, static_cast<std::size_t>(longest)) << "padded to the longest";
}

TEST(LinesTask, OnlyAnswersToldOnesTooAreAskedForWhereThatIsSet) {
  LinesConfig config = small();
  const Samples all = config.make_task(3)->training_batch(0, 1);
  config.answers_only = true;
  const Samples some = config.make_task(3)->training_batch(0, 1);
  EXPECT_EQ(some.indices, all.indices);
  std::size_t told = 0;
  for (std::size_t i = 0; i < all.count; ++i) {
    const auto length = static_cast<std::size_t>(all.lengths[i]);
    const Tokens read = read_of(all, i);
    Tokens expected(all.tokens, Samples::kIgnored);
    for (std::size_t k = length - 2; k < length; ++k) expected[k] = targets_of(all, i)[k];
    // What is told ends with its answer and a comma, which stands nowhere else.
    for (std::size_t k = 0; k + 2 < length; ++k)
      if (etd_words().at(static_cast<std::size_t>(read[k + 2])) == ",") {
        expected[k] = read[k + 1];
        ++told;
      }
    ASSERT_EQ(targets_of(some, i), expected);
  }
  EXPECT_GT(told, 10u);
}

TEST(LinesTask, TheMixtureIsThatOfThePhase) {
  const auto shares = [](LinesConfig config) {
    config.batch = 4000;
    const Samples samples = config.make_task(laws::seed())->training_batch(0, 0);
    std::map<std::string, double> shares;
    for (std::size_t i = 0; i < samples.count; ++i)
      shares[read_line(text_of(read_of(samples, i))).kind] += 1 / 4000.0;
    return shares;
  };
  auto base = shares(LinesConfig());
  EXPECT_NEAR(base["recall"] + base["common"], 0.35, 0.03);
  LinesConfig config;
  config.phase = LinesConfig::Phase::middle;
  auto middle = shares(config);
  EXPECT_NEAR(middle["multi-hop"] + middle["arithmetic"], 0.7, 0.04);
  EXPECT_GT(middle["recall"], 0.05);
  config.mixture = {0, 0, 0, 1, 3};
  auto own = shares(config);
  EXPECT_EQ(own.size(), 2u);
  EXPECT_NEAR(own["arithmetic"], 0.75, 0.04);
}

TEST(LinesTask, LinesDependOnSeedPhaseAndStepAndOnNothingElse) {
  LinesConfig config;
  config.mixture = {1, 0, 0, 1, 1};
  const auto batch = [](const LinesConfig& of, std::uint64_t seed, std::uint64_t step) {
    return of.make_task(seed)->training_batch(0, step).indices;
  };
  const std::vector<std::int32_t> first = batch(config, 1, 0);
  EXPECT_EQ(batch(config, 1, 0), first);
  EXPECT_NE(batch(config, 2, 0), first);
  EXPECT_NE(batch(config, 1, 1), first);
  LinesConfig middle = config;
  middle.phase = LinesConfig::Phase::middle;
  for (std::uint64_t step = 0; step < 20; ++step)
    EXPECT_NE(batch(middle, 1, 0), batch(config, 1, step));
}

TEST(LinesTask, AReaderIsRightOnEveryLineOfEveryKindAndDifficulty) {
  const Json result = small().make_task(laws::seed())->measure(answering(reader), 0, {});
  EXPECT_EQ(result["kind"], "lines");
  EXPECT_FALSE(result.contains("largest_loops"));
  std::map<std::string, std::vector<int>> difficulties;
  for (const Json& kind : result["kinds"]) {
    EXPECT_EQ(kind["right"], kind["asked"]);
    EXPECT_FALSE(kind.contains("mean_loops"));
    int asked = 0;
    for (const Json& one : kind["difficulties"]) {
      EXPECT_EQ(one["asked"], 30);
      EXPECT_EQ(one["right"], 30);
      asked += 30;
      difficulties[kind["kind"]].push_back(one["difficulty"]);
    }
    EXPECT_EQ(kind["asked"], asked);
  }
  EXPECT_EQ(difficulties,
            (std::map<std::string, std::vector<int>>{{"recall", {1}},
                                                     {"common", {1}},
                                                     {"reading", {3, 4, 5, 6, 7, 8}},
                                                     {"multi-hop", {1, 2, 3, 4}},
                                                     {"arithmetic", {2, 3, 4, 5, 6}}}));
  EXPECT_EQ(small().make_task(laws::seed())->score(answering(reader), 0).value, 1);
}

TEST(LinesTask, AModelOfTwoHopsAndThreeTermsIsRightExactlyThere) {
  const auto limited = [](const ReadLine& line) {
    const bool known = (line.kind == "multi-hop" && line.difficulty <= 2) ||
                       (line.kind == "arithmetic" && line.difficulty <= 3);
    return known ? reader(line) : std::string("kitchen fork");  // no word at all
  };
  const auto task = small().make_task(laws::seed());
  const Json result = task->measure(answering(limited), 0, {});
  for (const Json& kind : result["kinds"])
    for (const Json& one : kind["difficulties"]) {
      const bool known = (kind["kind"] == "multi-hop" && one["difficulty"] <= 2) ||
                         (kind["kind"] == "arithmetic" && one["difficulty"] <= 3);
      EXPECT_EQ(one["right"], known ? 30 : 0) << kind["kind"] << one["difficulty"];
    }
  EXPECT_DOUBLE_EQ(task->score(answering(limited), 0).value, 4.0 / 17);
  const std::string text = task->summary(result);
  EXPECT_NE(text.find("multi-hop 0.500 (1: 1.000, 2: 1.000, 3: 0.000, 4: 0.000)"),
            std::string::npos)
      << text;
}

TEST(LinesTask, AnAnswerThatDoesNotEndIsWrong) {
  Predictor endless = answering(reader);
  endless.answers = [answers = endless.answers](const Samples& samples, std::uint32_t loops) {
    Answers all = answers(samples, loops);
    std::replace(all.begin(), all.end(), kEndOfLine, kEndOfLine + 1);
    return all;
  };
  const Json result = small().make_task(1)->measure(endless, 0, {});
  ASSERT_FALSE(result["kinds"].empty());
  for (const Json& kind : result["kinds"]) EXPECT_EQ(kind["right"], 0);
}

/// A causal model of next words: some word that depends on all that was read, often the right one.
Answers some_next_word(const Samples& samples, std::uint32_t) {
  const auto& words = etd_words();
  const auto zero =
      static_cast<std::int32_t>(std::find(words.begin(), words.end(), "0") - words.begin());
  Answers answers(samples.targets.size(), 0);
  for (std::size_t i = 0; i < samples.count; ++i) {
    const Tokens read = read_of(samples, i);
    std::uint64_t hash = 17;
    for (std::size_t k = 0; k < read.size(); ++k) {
      hash = hash * 6364136223846793005U + static_cast<std::uint64_t>(read[k]) + 1;
      const std::uint64_t dice = hash >> 60;
      // A digit or the end: of sums of three values some are right.
      answers[i * samples.tokens + k] =
          dice < 7 ? kEndOfLine : zero + static_cast<std::int32_t>(dice) % 3;
    }
  }
  return answers;
}

TEST(LinesTask, WhatIsCountedIsWhatGreedyDecodingWrites) {
  LinesConfig config;
  config.validation = 400;
  const auto task = config.make_task(laws::seed());
  std::map<std::string, int> decoded;
  // The questions of a measurement, taken from the predictor's side.
  const Predictor watching([&](const Samples& samples, std::uint32_t loops) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      const Tokens line = read_of(samples, i);
      Samples prompt;
      prompt.count = 1;
      prompt.tokens = line.size() - 1;  // without the word that answers
      prompt.indices.assign(line.begin(), line.end() - 1);
      prompt.targets.assign(prompt.tokens, Samples::kIgnored);
      Tokens expected = line;
      expected.push_back(kEndOfLine);
      const Predictor plain([](const Samples& of, std::uint32_t) {
        Samples with_lengths = of;
        if (of.lengths.empty())
          with_lengths.lengths.assign(of.count, static_cast<std::int32_t>(of.tokens));
        return some_next_word(with_lengths, 0);
      });
      decoded[read_line(text_of(line)).kind] +=
          plain.continued(prompt, kEndOfLine, line.size() + 5).at(0) == expected;
    }
    return some_next_word(samples, loops);
  });
  const Json result = task->measure(watching, 0, {});
  int right = 0;
  for (const Json& kind : result["kinds"]) {
    EXPECT_EQ(kind["right"], decoded[kind["kind"]]) << kind["kind"];
    right += kind["right"].get<int>();
  }
  EXPECT_GT(right, 20) << "the comparison needs lines that are right";
}

TEST(LinesTask, RightTokensAreCountedOverAllWordsAndLoopsOverThoseThatAnswer) {
  LinesConfig config = small();
  Predictor half([](const Samples& samples, std::uint32_t) {
    Answers answers = samples.targets;  // right at every word but the first
    for (std::size_t i = 0; i < samples.count; ++i) answers[i * samples.tokens] = -5;
    return answers;
  });
  std::size_t words = 0, lines = 0;
  half.loops_taken = [&](const Samples& samples) {
    std::vector<std::uint32_t> loops(samples.targets.size(), 9);  // also of padding
    for (std::size_t i = 0; i < samples.count; ++i) {
      const auto length = static_cast<std::size_t>(samples.lengths[i]);
      const std::string kind = read_line(text_of(read_of(samples, i))).kind;
      for (std::size_t k = 0; k < length; ++k) loops[i * samples.tokens + k] = 7;
      loops[i * samples.tokens + length - 2] = kind == "recall" ? 1 : 2;
      loops[i * samples.tokens + length - 1] = 4;
      words += length;
      ++lines;
    }
    return loops;
  };
  const Json result = config.make_task(1)->measure(half, 0, {});
  EXPECT_EQ(result["largest_loops"], 7) << "padding is not asked";
  for (const Json& kind : result["kinds"]) {
    EXPECT_EQ(kind["right"], kind["asked"]);
    EXPECT_EQ(kind["mean_loops"], kind["kind"] == "recall" ? 2.5 : 3) << kind["kind"];
    for (const Json& one : kind["difficulties"]) EXPECT_EQ(one["mean_loops"], kind["mean_loops"]);
  }
  EXPECT_DOUBLE_EQ(result["right_tokens"],
                   static_cast<double>(words - lines) / static_cast<double>(words));
}

void expect_refused(const LinesConfig& config, const std::string& message) {
  try {
    config.make_task(1);
    FAIL() << "accepted, expected: " << message;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(LinesTask, SettingsOutOfRangeAreRefused) {
  const auto with = [](auto change) {
    LinesConfig config;
    change(config);
    return config;
  };
  expect_refused(with([](LinesConfig& c) { c.length = 44; }),
                 "task.length: expected at least 45, the longest line of the own corpus, found 44");
  expect_refused(with([](LinesConfig& c) { c.batch = 0; }), "task.batch: expected 1 to 65536");
  expect_refused(with([](LinesConfig& c) { c.validation = 0; }),
                 "task.validation: expected 1 to 1048576");
  for (const std::vector<std::uint32_t>& mixture :
       {std::vector<std::uint32_t>{1, 2, 3}, {0, 0, 0, 0, 0}})
    expect_refused(with([&](LinesConfig& c) { c.mixture = mixture; }),
                   "task.mixture: expected five parts, of recall, common, reading, multi-hop and "
                   "arithmetic, not all of them 0");
  expect_refused(with([](LinesConfig& c) { c.tokens = "somewhere"; }),
                 "task.tokens: expected task.text, the own corpus has words of its own");
  expect_refused(with([](LinesConfig& c) { c.text = "somewhere"; }),
                 "task.tokens: expected the language model whose tokens task.text is read in");
}

}  // namespace
}  // namespace logdepth::etd_task_tests
