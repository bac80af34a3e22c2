// Words of a file that nothing but the file labels: what is read, trained and measured, and what is refused
// with line and column.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/word_files.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::own_words_tests { namespace {

using Names = std::vector<std::string>;

/// All words of 1 to `longest` of the letters down and up, with the number of ups modulo 3 in words: after
/// every letter, or after the last.
std::string counted_ups(std::size_t longest, bool verdicts) {
  const Names classes = {"zero", "one", "two"};
  std::string text = "id,target,input\n";
  for (std::size_t letters = 1; letters <= longest; ++letters)
    for (std::size_t bits = 0; bits < std::size_t{1} << letters; ++bits) {
      std::string input, target;
      std::size_t ups = 0;
      for (std::size_t i = 0; i < letters; ++i) {
        const bool up = bits >> i & 1;
        ups += up;
        input += (i > 0 ? " " : "") + std::string(up ? "up" : "down");
        if (verdicts && i + 1 < letters) continue;
        target += (target.empty() ? "" : " ") + classes[ups % 3];
      }
      text += "7," + target + "," + input + "\n";
    }
  return text;
}

/// The number of the class of the letters so far, computed from what the network reads: letter 1 is up, and
/// the classes are one, two, zero.
class CountedUps {
 public:
  std::int32_t operator()(std::int32_t letter) {
    ups_ += letter;
    return (ups_ + 2) % 3;
  }

 private:
  std::int32_t ups_ = 0;
};

class OwnWordTasks : public testing::Test {
 protected:
  WordTaskConfig config(const std::string& text, std::uint32_t max_length) const {
    folder_.write("own.csv", text);
    WordTaskConfig config;
    config.monoid.clear();
    config.data = folder_.file("own.csv");
    config.positions = WordTaskConfig::Positions::begin;
    config.max_length = max_length;
    config.batch_tokens = 256;
    return config;
  }
  std::string refusal(const std::string& text, std::uint32_t max_length = 2) const {
    const std::string said = support::refusal([&] { config(text, max_length).make_task(1); });
    const std::size_t file = said.find("own.csv");
    return said.substr(file == std::string::npos ? 0 : file);
  }

  support::TemporaryFolder folder_;
};

/// Every word of samples whose rows begin with a token of their own, with its targets.
struct Read {
  std::vector<std::int32_t> letters, targets;
};
std::vector<Read> words_of(const Samples& samples, std::int32_t begin) {
  std::vector<Read> words;
  for (std::size_t i = 0; i < samples.targets.size(); ++i) {
    if (samples.indices[i] == begin) {
      words.emplace_back();
      EXPECT_EQ(samples.targets[i], Samples::kIgnored);
    } else {
      words.back().letters.push_back(samples.indices[i]);
      words.back().targets.push_back(samples.targets[i]);
    }
  }
  return words;
}

TEST_F(OwnWordTasks, LettersAndLabelsAreThoseOfTheFile) {
  const OwnWords own = [&] {
    (void)config(counted_ups(3, false), 2);
    return read_own_words(folder_.file("own.csv"));
  }();
  EXPECT_EQ(own.letters, (Names{"down", "up"}));
  EXPECT_EQ(own.labels, (Names{"one", "two", "zero"}));
  EXPECT_EQ(own.given.words.size(), 14u);
  EXPECT_EQ(own.longest(), 3u);
  EXPECT_FALSE(own.given.verdicts);
  EXPECT_TRUE(own.name.starts_with("own-"));
  folder_.write("numbers.csv", "input,target\n10 9,2 100\n\"9, 9\",100 2\n");
  const OwnWords quoted = read_own_words(folder_.file("numbers.csv"));
  EXPECT_EQ(quoted.letters, (Names{"10", "9", "9,"})) << "not all are whole numbers";
  EXPECT_EQ(quoted.labels, (Names{"2", "100"})) << "whole numbers in their order";
}

TEST_F(OwnWordTasks, TrainOnLabelsAfterEveryLetterAndNotOnWordsThatAreHeldOut) {
  const auto task = config(counted_ups(6, false), 6).make_task(3);
  EXPECT_EQ(task->format().outputs, std::vector<std::uint32_t>{3});
  EXPECT_EQ(task->format().tables, std::vector<std::uint32_t>{3});
  std::set<std::vector<std::int32_t>> held_out;
  const auto result = task->measure(
      Predict([&](const Samples& samples, std::uint32_t) {
        for (const Read& word : words_of(samples, 2)) {
          std::size_t letters = 0;
          while (letters < word.targets.size() && word.targets[letters] != Samples::kIgnored)
            ++letters;
          held_out.insert(
              {word.letters.begin(), word.letters.begin() + static_cast<std::ptrdiff_t>(letters)});
        }
        return samples.targets;
      }),
      task->stages() - 1, {});
  EXPECT_EQ(held_out.size(), 12u);  // of 126 words
  EXPECT_EQ(result["words"], 12);
  EXPECT_EQ(result["strict"], 6);
  EXPECT_EQ(result["censored"], true);
  EXPECT_EQ(result["letters"], (Names{"down", "up"}));
  EXPECT_EQ(result["asked"][0], 12);
  EXPECT_EQ(result["asked"][5], 6);  // those of six letters

  std::size_t deciding = 0, asked = 0;
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Samples samples = task->training_batch(task->stages() - 1, step);
    EXPECT_FALSE(samples.review);
    ASSERT_EQ(samples.labels.size(), samples.targets.size());
    const std::vector<Read> words = words_of(samples, 2);
    for (std::size_t i = 0; i < words.size(); ++i) {
      CountedUps count;
      std::vector<std::int32_t> letters;
      for (std::size_t k = 0; k < words[i].letters.size(); ++k) {
        const std::int32_t expected = count(words[i].letters[k]);
        if (words[i].targets[k] == Samples::kIgnored) continue;
        letters.push_back(words[i].letters[k]);
        EXPECT_EQ(words[i].targets[k], expected);
        ++asked;
      }
      EXPECT_FALSE(held_out.contains(letters));
      // Words of five and six letters are longer than those of the stage before; the last letter decides.
      for (std::size_t k = 0; k < samples.tokens; ++k) {
        const bool decides = letters.size() > 4 && k == letters.size();
        EXPECT_EQ(samples.labels[i * samples.tokens + k], decides ? 1 : 0);
        deciding += decides;
      }
    }
  }
  EXPECT_GT(deciding, 100u);
  EXPECT_GT(asked, 4000u);
}

TEST_F(OwnWordTasks, OfOneLabelPerWordAskAfterItsLastLetter) {
  const auto task = config(counted_ups(6, true), 6).make_task(3);
  ASSERT_EQ(task->stages(), 3u);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    std::map<std::size_t, std::size_t> lengths;
    const Samples samples = task->training_batch(stage, 5);
    for (const Read& word : words_of(samples, 2)) {
      CountedUps count;
      std::size_t last = 0;
      for (std::size_t k = 0; k < word.letters.size(); ++k) {
        const std::int32_t expected = count(word.letters[k]);
        if (word.targets[k] == Samples::kIgnored) continue;
        EXPECT_EQ(last, 0u);
        last = k + 1;
        EXPECT_EQ(word.targets[k], expected);
      }
      ++lengths[last];
    }
    EXPECT_FALSE(lengths.contains(0));
    EXPECT_EQ(lengths.rbegin()->first, 2 * (stage + 1));
  }
  const auto right_up_to_four = [&](const Samples& samples, std::uint32_t) {
    Answers answers = samples.targets;
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (i % samples.tokens > 4) answers[i] = (answers[i] + 1) % 3;
    return answers;
  };
  const auto result = task->measure(Predict(right_up_to_four), 2, {});
  EXPECT_EQ(result["strict"], 4);
  // Of every tenth word the 10th has three letters, the 20th and 30th four, those up to the 60th five.
  EXPECT_EQ(result["asked"], (std::vector<int>{0, 0, 1, 2, 3, 6}));
  EXPECT_EQ(result["accuracy"], (std::vector<double>{1, 1, 1, 1, 0, 0}));
  const RunReadings readings =
      config(counted_ups(6, true), 6).readings(RecordFields(result, "test"), ModelConfig());
  ASSERT_EQ(readings.size(), 4u) << "of letters that no word has nothing is read";
  EXPECT_EQ(readings[0].at, 3);
  EXPECT_EQ(readings[0].samples, 1);
  EXPECT_EQ(reached(readings), 4);
}

TEST_F(OwnWordTasks, FillRowsWithWholeWordsWhoseLabelIsTheLast) {
  for (const bool verdicts : {false, true}) {
    WordTaskConfig packed = config(counted_ups(6, verdicts), 6);
    packed.row_tokens = 16;
    packed.mixed_lengths = 0.25;
    const auto task = packed.make_task(4);
    const Samples samples = task->training_batch(2, 1);
    ASSERT_EQ(samples.targets.size(), 256u);
    ASSERT_EQ(samples.labels.size(), 256u);
    std::size_t decided = 0;
    for (std::size_t row = 0; row < samples.count; ++row) {
      CountedUps count;
      std::int32_t segment = -1;
      for (std::size_t i = row * 16; i < row * 16 + 16; ++i) {
        if (samples.segments[i] != segment) {
          EXPECT_EQ(samples.segments[i], segment + 1);
          EXPECT_EQ(samples.indices[i], 2);
          segment = samples.segments[i];
          count = CountedUps();
          continue;
        }
        const std::int32_t expected = count(samples.indices[i]);
        const bool last = i + 1 == row * 16 + 16 || samples.segments[i + 1] != segment;
        if (!last && verdicts) {
          EXPECT_EQ(samples.targets[i], Samples::kIgnored);
        }
        if (samples.targets[i] != Samples::kIgnored) {
          EXPECT_EQ(samples.targets[i], expected);
        }
        if (!samples.labels[i]) continue;
        ++decided;
        EXPECT_TRUE(last);
        EXPECT_NE(samples.targets[i], Samples::kIgnored);
      }
    }
    EXPECT_GT(decided, 5u);
  }
}

TEST_F(OwnWordTasks, OfAnAutomatonAreReadIfTheyHaveItsLabels) {
  const Dfa abb = own_automaton("(a|b)*abb", "");
  const auto said = [&](const std::string& rows, bool verdicts) {
    folder_.write("own.csv", "input,target\n" + rows);
    try {
      const auto words = read_labelled_words(folder_.file("own.csv"), abb.alphabet,
                                             labelling_of(abb, "abb", verdicts));
      EXPECT_EQ(words[0].letters[0], 0u);
      return fmt::format("{} accepted", words.size());
    } catch (const InputError& error) {
      const std::string text = error.what();
      return (dynamic_cast<const WrongTarget*>(&error) ? "wrong " : "") +
             text.substr(std::min(text.find("own.csv"), text.size()));
    }
  };
  EXPECT_EQ(said("a b b,1 2 3\nb b,0 0\n", false), "2 accepted");
  EXPECT_EQ(said("a b b,0 0 1\nb b,0 0\n", true), "2 accepted");
  EXPECT_EQ(said("a b b,1\nb b,0\n", true), "2 accepted");
  EXPECT_EQ(said("a b b,1 2 0\n", false), "wrong own.csv:2: target index 3 is 0, expected 3");
  EXPECT_EQ(said("a b b,1\na b,1\n", true), "wrong own.csv:3: target index 2 is 1, expected 0");
  EXPECT_EQ(said("a b b,1 2 4\n", false),
            "own.csv:2: expected a label from 0 to 3, found '4', at column 11");
  EXPECT_EQ(said("a b b,0 0 2\n", true),
            "own.csv:2: expected a label from 0 to 1, found '2', at column 11");
  EXPECT_EQ(said("a c,1 1\n", false),
            "own.csv:2: expected a letter of abb, found 'c', at column 3");
}

TEST_F(OwnWordTasks, OfBadFilesAreRefusedWithLineAndColumn) {
  const std::string header = "input,target\n";
  EXPECT_EQ(refusal("input,class\na,b\n"),
            "own.csv:1: expected a header with the columns input and target, found 'input,class'");
  EXPECT_EQ(refusal(header), "own.csv:1: expected rows after the header, found none");
  EXPECT_EQ(refusal(header + "a b,1 0\na b\n"),
            "own.csv:3: expected the 2 columns of the header, found 1");
  EXPECT_EQ(refusal(header + "a b,1 0\n,1\n"),
            "own.csv:3: expected a letter as input, found an empty word, at column 1");
  EXPECT_EQ(refusal(header + "a b c,1 0\n"),
            "own.csv:2: expected a label for each of 3 letters, or one for the word, found 2, at "
            "column 7");
  EXPECT_EQ(
      refusal(header + "a,1\nä b,1 0\nä c,1\n"),
      "own.csv:4: expected a label for each of 2 letters, as in line 3, found 1, at column 5");
  EXPECT_EQ(refusal(header + "a b,1\na c,1 0\n"),
            "own.csv:3: expected one label for the word, as in line 2, found 2, at column 5");
  EXPECT_EQ(refusal(header + "a b,1 1\nb b,1 1\n"),
            "own.csv: expected at least 2 different labels, found '1' in every row");
  EXPECT_EQ(refusal(header + "a b,1 1\na b,1 0\n"),
            "own.csv:3: expected the labels of the same word in line 2, found others");
  EXPECT_EQ(refusal(header + "a b,1 0\na b,1 0\n"),
            "own.csv: expected at least 2 different words, since one is held out for the measure, "
            "found 1");
  EXPECT_EQ(refusal(header + "a b,1 0\nb b,1 0\n", 3), "own.csv, found 3")
      << "the longest word has two";
  EXPECT_EQ(refusal(header + "a b c,1\na c d,0\n"),
            "own.csv: expected words of at most 2 letters, task.max_length, some to train on and "
            "some held out, since labels are one per word; found none to train on");
  EXPECT_EQ(refusal(header + "a b,1\na c d,0\n"),
            "own.csv: expected words of at most 2 letters, task.max_length, some to train on and "
            "some held out, since labels are one per word; found none among those held out");
  EXPECT_EQ(refusal(header + "a b,1 0\nb b,1 0\n"), "accepted");
}

}}  // namespace logdepth::own_words_tests
