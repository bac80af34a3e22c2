// The corpus of Encode-Think-Decode: every line is answered by its own words or by facts that all
// lines agree on, and by nothing less.

#include "learned/encode_think_decode/etd_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fixed_seed.hpp"
#include "tests/support/line_reader.hpp"

namespace logdepth::etd_text_tests {
namespace {

using laws::join_words;
using laws::read_line;
using laws::ReadLine;
using laws::WordList;
using laws::worked_out;

std::string text_of(const std::vector<std::int32_t>& tokens) {
  WordList words;
  for (const std::int32_t token : tokens)
    words.push_back(etd_words().at(static_cast<std::size_t>(token)));
  return join_words(words);
}

std::string text_of(const EtdLine& line) {
  return text_of(line.question) + " " + text_of(line.answer);
}

EtdLine draw(const EtdText& text, LineKind kind, std::uint32_t difficulty, LineUse use,
             std::uint64_t index) {
  CounterRandom random(laws::seed(),
                       use == LineUse::test ? RandomStream::validation : RandomStream::training,
                       100 * difficulty + static_cast<std::uint64_t>(kind), index);
  return text.line(kind, difficulty, use, random);
}

/// Told with every line of every kind and difficulty, of training and test.
template <class See>
void for_all_lines(std::uint64_t count, See see) {
  const EtdText text(1);
  for (const LineKind kind : kLineKinds) {
    const LineDifficulties range = line_difficulties(kind);
    for (std::uint32_t difficulty = range.least; difficulty <= range.most; ++difficulty)
      for (const LineUse use : {LineUse::training, LineUse::test})
        for (std::uint64_t i = 0; i < count; ++i)
          see(kind, difficulty, use, draw(text, kind, difficulty, use, i));
  }
}

TEST(EtdText, TheWordsAreAboutThreeHundredEachOnceAndTheFirstEndsALine) {
  const std::vector<std::string>& words = etd_words();
  EXPECT_NEAR(static_cast<double>(words.size()), 300, 10);
  EXPECT_EQ(words.at(static_cast<std::size_t>(kEndOfLine)), "<end>");
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  for (const std::string& word : words)
    EXPECT_EQ(laws::split_words(word), WordList{word}) << "a word with a blank";
}

TEST(EtdText, EveryLineIsOfItsKindAndDifficultyAndWhatCanBeWorkedOutIsRight) {
  std::size_t longest = 0;
  for_all_lines(300,
                [&](LineKind kind, std::uint32_t difficulty, LineUse use, const EtdLine& tokens) {
                  const std::string text = text_of(tokens);
                  const ReadLine line = read_line(text);
                  ASSERT_EQ(line.kind, line_kind_name(kind)) << text;
                  ASSERT_EQ(line.difficulty, static_cast<int>(difficulty)) << text;
                  ASSERT_EQ(tokens.answer.size(), 1u);
                  if (use == LineUse::test) {
                    ASSERT_TRUE(line.told.empty()) << text;
                  }
                  longest = std::max(longest, tokens.question.size() + tokens.answer.size() + 1);
                  if (kind == LineKind::recall || kind == LineKind::common) return;
                  ASSERT_EQ(worked_out(line, line.own), line.own.answer) << text;
                  for (const ReadLine::Asked& told : line.told)
                    ASSERT_EQ(worked_out(line, told), told.answer) << text;
                });
  EXPECT_EQ(longest, longest_etd_line());
  EXPECT_LE(longest, 48u);
}

TEST(EtdText, ThreeOfFourTrainingLinesTellOtherQuestionsAndNoneTellsItsOwn) {
  std::map<std::string, int> telling;
  for_all_lines(400,
                [&](LineKind kind, std::uint32_t difficulty, LineUse use, const EtdLine& tokens) {
                  const ReadLine line = read_line(text_of(tokens));
                  if (use == LineUse::test || kind == LineKind::common) return;
                  // Seven sentences leave no room.
                  if (kind == LineKind::reading && difficulty >= 7) return;
                  telling[line.kind] += !line.told.empty();
                  if (kind == LineKind::arithmetic) return;
                  std::set<std::string> asked = {join_words(line.own.words)};
                  for (const ReadLine::Asked& told : line.told)
                    ASSERT_TRUE(asked.insert(join_words(told.words)).second) << text_of(tokens);
                });
  EXPECT_NEAR(telling["recall"] / 400.0, 0.75, 0.09);
  EXPECT_NEAR(telling["reading"] / 1600.0, 0.75, 0.04);
  EXPECT_NEAR(telling["multi-hop"] / 1600.0, 0.75, 0.05);
  EXPECT_NEAR(telling["arithmetic"] / 2000.0, 0.75, 0.04);
}

/// The facts that lines of recall state: of a name and an attribute the value.
std::map<std::string, std::string> stated_facts(std::uint64_t world, LineUse use,
                                                std::uint64_t lines) {
  const EtdText text(world);
  std::map<std::string, std::string> facts;
  for (std::uint64_t i = 0; i < lines; ++i) {
    const ReadLine line = read_line(text_of(draw(text, LineKind::recall, 1, use, i)));
    EXPECT_EQ(line.passage.size(), 3u);
    std::vector<ReadLine::Asked> asked = line.told;
    asked.push_back(line.own);
    for (const ReadLine::Asked& one : asked) {
      const std::string key = line.passage.at(0) + " " + line.passage.at(1) + " " + one.words.at(1);
      const auto [known, is_new] = facts.emplace(key, one.answer);
      EXPECT_EQ(known->second, one.answer) << key;
    }
  }
  return facts;
}

TEST(EtdText, RecallAsksForTwoThousandFactsThatAreTheSameInTrainingAndTest) {
  const auto facts = stated_facts(1, LineUse::training, 20000);
  EXPECT_EQ(facts.size(), 2000u);
  const auto asked = stated_facts(1, LineUse::test, 20000);
  EXPECT_EQ(asked, facts);
  std::map<std::string, std::map<std::string, int>> values;  // of each attribute
  for (const auto& [key, value] : facts) ++values[key.substr(key.rfind(' ') + 1)][value];
  EXPECT_EQ(values.size(), 5u);
  for (const auto& [attribute, counts] : values) {
    EXPECT_EQ(counts.size(), 16u) << attribute;
    for (const auto& [value, count] : counts) EXPECT_LT(count, 55) << value;  // 25 expected
  }
  const auto others = stated_facts(2, LineUse::training, 20000);
  std::size_t same = 0;
  for (const auto& [key, value] : others) same += facts.at(key) == value;
  EXPECT_NEAR(static_cast<double>(same) / 2000, 1.0 / 16, 0.03);
}

TEST(EtdText, ClassesAreSixteenOfSevenWordsAndAllThreeWordsOfALineAreOfOne) {
  const EtdText text(1);
  std::map<std::string, std::string> place_of;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const ReadLine line = read_line(text_of(draw(text, LineKind::common, 1, LineUse::test, i)));
    ASSERT_EQ(line.own.words.size(), 5u);
    ASSERT_EQ(std::set<std::string>(line.own.words.begin(), line.own.words.end()).size(), 5u);
    for (std::size_t word = 0; word < 3; ++word) {
      const auto [known, is_new] = place_of.emplace(line.own.words[word], line.own.answer);
      ASSERT_EQ(known->second, line.own.answer) << line.own.words[word];
    }
  }
  std::map<std::string, int> things;
  for (const auto& [thing, place] : place_of) ++things[place];
  EXPECT_EQ(things.size(), 16u);
  for (const auto& [place, count] : things) EXPECT_EQ(count, 7) << place;
}

TEST(EtdText, NoMeasuredQuestionIsEverTrainedOnOwnOrTold) {
  std::map<bool, std::set<std::string>> questions;
  const EtdText text(1);
  const auto see = [&](LineKind kind, std::uint32_t difficulty, std::uint64_t count) {
    for (const LineUse use : {LineUse::training, LineUse::test})
      for (std::uint64_t i = 0; i < count; ++i) {
        const ReadLine line = read_line(text_of(draw(text, kind, difficulty, use, i)));
        std::vector<ReadLine::Asked> asked = line.told;
        asked.push_back(line.own);
        for (const ReadLine::Asked& one : asked)
          if (kind != LineKind::arithmetic || one.words.size() > 5)
            questions[use == LineUse::test].insert(join_words(line.passage) + "|" +
                                                   join_words(one.words));
      }
  };
  see(LineKind::reading, 3, 500);
  see(LineKind::multi_hop, 2, 500);
  see(LineKind::arithmetic, 4, 8000);
  for (const std::string& question : questions[true])
    ASSERT_FALSE(questions[false].contains(question)) << question;
  // Of sums there are few enough to have seen all: with four terms 3^4 * 8, one in eight measured.
  std::map<bool, double> sums;
  for (const bool measured : {false, true})
    for (const std::string& question : questions[measured])
      sums[measured] +=
          question.starts_with("mod") && laws::split_words(question).size() == 3 + 8;  // "|? 2 ...
  EXPECT_EQ(sums[false] + sums[true], 648);
  EXPECT_NEAR(sums[true] / 648, 1.0 / 8, 0.04);
}

TEST(EtdText, ALineDependsOnItsCountersOnly) {
  const EtdText text(3), again(3);
  for (std::uint64_t i = 20; i-- > 0;) {
    const EtdLine line = draw(text, LineKind::multi_hop, 3, LineUse::training, i);
    EXPECT_EQ(line, draw(again, LineKind::multi_hop, 3, LineUse::training, i));
    EXPECT_FALSE(line == draw(text, LineKind::multi_hop, 3, LineUse::training, i + 1));
  }
}

// --- no shortcuts --------------------------------------------------------------------------------

TEST(EtdText, APassageOfMultiHopIsOneRingSoThatFrequenciesSayNothing) {
  const EtdText text(1);
  std::set<std::string> letters;
  for (std::uint32_t hops = 1; hops <= 4; ++hops)
    for (std::uint64_t i = 0; i < 500; ++i) {
      const ReadLine line =
          read_line(text_of(draw(text, LineKind::multi_hop, hops, LineUse::test, i)));
      const auto next = laws::pairs_of(line);
      ASSERT_EQ(next.size(), 8u);
      std::string at = next.begin()->first;
      std::set<std::string> seen;
      for (int step = 0; step < 8; ++step) seen.insert(at = next.at(at));
      ASSERT_EQ(seen.size(), 8u) << "one ring";
      letters.insert(seen.begin(), seen.end());
    }
  EXPECT_EQ(letters.size(), 16u);
}

/// How often the word at a fixed place answers: the best place, counted from the first word or
/// from the last.
double best_place(LineKind kind, std::uint32_t difficulty) {
  const EtdText text(1);
  std::map<int, int> right;
  constexpr std::uint64_t kLines = 2000;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    const EtdLine line = draw(text, kind, difficulty, LineUse::test, i);
    const int size = static_cast<int>(line.question.size());
    for (int place = 0; place < size; ++place) {
      if (line.question[static_cast<std::size_t>(place)] != line.answer[0]) continue;
      ++right[place];
      ++right[place - size];
    }
  }
  int best = 0;
  for (const auto& [place, count] : right) best = std::max(best, count);
  return best / static_cast<double>(kLines);
}

/// The same for places counted from where the asked letter begins an arrow: of edges told in their
/// order, each step would be one place further.
double best_place_from_the_start(std::uint32_t hops) {
  const EtdText text(1);
  std::map<std::ptrdiff_t, int> right;
  constexpr std::uint64_t kLines = 2000;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    const EtdLine line = draw(text, LineKind::multi_hop, hops, LineUse::test, i);
    const std::vector<std::int32_t>& words = line.question;
    const std::size_t passage = words.size() - 5;
    std::size_t start = 0;
    while (words.at(start) != words.back()) start += 3;
    for (std::size_t place = 0; place < passage; ++place)
      if (words[place] == line.answer[0])
        ++right[static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(start)];
  }
  int best = 0;
  for (const auto& [place, count] : right) best = std::max(best, count);
  return best / static_cast<double>(kLines);
}

/// Naive Bayes on the bag of words of a question, among the words that may be the answer.
double bag_of_words(LineKind kind, std::uint32_t difficulty) {
  const EtdText text(1);
  std::map<std::int32_t, double> answers;
  std::map<std::pair<std::int32_t, std::int32_t>, double> together;  // of an answer and a word
  const auto bag = [](const EtdLine& line) {
    return std::set<std::int32_t>(line.question.begin(), line.question.end());
  };
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const EtdLine line = draw(text, kind, difficulty, LineUse::test, i);
    ++answers[line.answer[0]];
    for (const std::int32_t word : bag(line)) ++together[{line.answer[0], word}];
  }
  int right = 0;
  for (std::uint64_t i = 5000; i < 7000; ++i) {
    const EtdLine line = draw(text, kind, difficulty, LineUse::test, i);
    std::pair<double, std::int32_t> best = {-1e300, 0};
    for (const auto& [answer, count] : answers) {
      double score = std::log(count);
      for (const std::int32_t word : bag(line)) {
        const auto found = together.find({answer, word});
        score += std::log(((found == together.end() ? 0 : found->second) + 0.5) / (count + 1));
      }
      best = std::max(best, {score, answer});
    }
    right += best.second == line.answer[0];
  }
  return right / 2000.0;
}

TEST(EtdText, NeitherAPlaceNorABagOfWordsAnswersWhatHasToBeReadOrFollowed) {
  // Four standard errors of 2000 lines above chance; a bag also tells letters that do not occur.
  const auto above = [](double chance) {
    return chance + 4 * std::sqrt(chance * (1 - chance) / 2000);
  };
  for (std::uint32_t sentences = 3; sentences <= 8; ++sentences) {
    EXPECT_LE(best_place(LineKind::reading, sentences), above(1.0 / sentences));
    EXPECT_LE(bag_of_words(LineKind::reading, sentences), above(1.0 / sentences));
  }
  for (std::uint32_t hops = 1; hops <= 4; ++hops) {
    EXPECT_LE(best_place(LineKind::multi_hop, hops), above(1.0 / 7)) << hops;
    EXPECT_LE(bag_of_words(LineKind::multi_hop, hops), above(1.0 / 7)) << hops;
    if (hops > 1) {
      EXPECT_LE(best_place_from_the_start(hops), above(1.0 / 7)) << hops;
    }
  }
}

TEST(EtdText, ABagOfWordsFindsTheClassAndThePlaceBehindTheArrowIsOneStep) {
  // What the baselines are worth: where they have to be right, they are.
  EXPECT_GE(bag_of_words(LineKind::common, 1), 0.95);
  EXPECT_EQ(best_place_from_the_start(1), 1);
}

TEST(EtdText, AnswersOfSumsAreUniformWhateverTheFirstAndTheLastTermAre) {
  const EtdText text(1);
  for (std::uint32_t terms = 2; terms <= 6; ++terms) {
    std::map<std::pair<std::string, std::string>, int> by_first, by_last;
    std::map<std::string, int> firsts, lasts, signs;
    for (std::uint64_t i = 0; i < 14000; ++i) {
      const ReadLine line =
          read_line(text_of(draw(text, LineKind::arithmetic, terms, LineUse::training, i)));
      const WordList& words = line.own.words;
      ++firsts[words[1]];
      ++lasts[words[words.size() - 2]];
      ++signs[words[2]];
      ++by_first[{words[1], line.own.answer}];
      ++by_last[{words[words.size() - 2], line.own.answer}];
    }
    ASSERT_EQ(firsts.size(), 3u);
    EXPECT_NEAR(signs["+"] / 14000.0, 0.5, 0.05);
    // Of few terms the sums that are kept for measuring leave gaps.
    const double tolerance = terms == 3 ? 0.12 : terms == 4 ? 0.06 : 0.04;
    for (const auto& [pair, count] : by_first)
      EXPECT_NEAR(count / static_cast<double>(firsts[pair.first]), 1.0 / 3, tolerance);
    for (const auto& [pair, count] : by_last)
      EXPECT_NEAR(count / static_cast<double>(lasts[pair.first]), 1.0 / 3, tolerance);
    EXPECT_EQ(by_first.size(), 9u);
  }
}

}  // namespace
}  // namespace logdepth::etd_text_tests
