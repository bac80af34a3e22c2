// The program `logdepth data` from outside: files of words are written and checked, lines of the
// corpus written.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/line_source.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/language_model/text_paragraphs.hpp"
#include "learned/language_model/words.hpp"
#include "oracle/rule_oracle.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::command_line_data_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class Data : public support::CommandLine {
 protected:
  /// `data words` with S3 or another monoid and more options.
  std::string words(const std::string& monoid, const std::string& length, const std::string& count,
                    const Arguments& more = {}) const {
    Arguments arguments = {"data",     "words", "--monoid", monoid,
                           "--length", length,  "--words",  count};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return done(arguments);
  }

  json check(const std::string& file, const std::string& monoid) const {
    return json::parse(done({"data", "check", file, "--monoid", monoid, "--json"}));
  }

  /// One sentence on standard error, nothing on standard output, no file more or less.
  void refuses(const Arguments& arguments, const std::string& reason, int status = 2) const {
    const auto names = folder.names();
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err << "lacks " << reason;
    EXPECT_EQ(folder.names(), names);
  }
};

/// The numbers of a column of a row.
std::vector<int> numbers(const std::string& row, int column) {
  std::istringstream columns(row);
  std::string text;
  for (int i = 0; i <= column; ++i) std::getline(columns, text, ',');
  std::istringstream in(text);
  std::vector<int> result;
  for (int number = 0; in >> number;) result.push_back(number);
  return result;
}

TEST_F(Data, WordsAreWrittenWithTheirRunningProducts) {
  const auto rows = lines(words("Z60", "12", "50", {"--seed", "9"}));
  ASSERT_EQ(rows.size(), 51u);
  EXPECT_EQ(rows[0], "seed,input,target");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i].starts_with("9,"));
    const auto input = numbers(rows[i], 1), target = numbers(rows[i], 2);
    ASSERT_EQ(input.size(), 12u);
    ASSERT_EQ(target.size(), 12u);
    int sum = 0;
    for (std::size_t k = 0; k < input.size(); ++k) {
      sum = (sum + input[k]) % 60;  // element k of Z60 is the rotation by k
      EXPECT_EQ(target[k], sum);
    }
  }
}

TEST_F(Data, AFileHoldsWhatStandardOutputWouldAndDependsOnTheSeedAlone) {
  const std::string printed = words("A5", "32", "20");
  EXPECT_EQ(words("A5", "32", "20", {"-o", "a5.csv"}), "");
  EXPECT_EQ(folder.read("a5.csv"), printed);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"a5.csv"}));
  EXPECT_EQ(words("A5", "32", "20", {"--seed", "1"}), printed);
  EXPECT_NE(words("A5", "32", "20", {"--seed", "2"}), printed);
  EXPECT_EQ(words("A5", "32", "10"), printed.substr(0, words("A5", "32", "10").size()));
}

TEST_F(Data, GeneratorsAsLettersAreTheOnlyInputs) {
  const auto rows = lines(words("S5", "40", "30", {"--letters", "generators"}));
  std::set<int> inputs, targets;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (const int number : numbers(rows[i], 1)) inputs.insert(number);
    for (const int number : numbers(rows[i], 2)) targets.insert(number);
  }
  EXPECT_EQ(inputs.size(), 2u);
  EXPECT_GT(targets.size(), 60u);
}

TEST_F(Data, WordsOfAnAutomatonHaveItsStatesOrVerdicts) {
  const Arguments ask = {"data", "words", "--length", "9", "--words", "40", "--seed", "3"};
  const auto written = [&](Arguments more) {
    more.insert(more.begin(), ask.begin(), ask.end());
    return done(more);
  };
  const std::string states = written({"--regex", "(a|b)*abb"});
  const auto rows = lines(states);
  const auto verdicts = lines(written({"--regex", "(a|b)*abb", "--labels", "verdicts"}));
  ASSERT_EQ(rows.size(), 41u);
  ASSERT_EQ(verdicts.size(), 41u);
  EXPECT_EQ(rows[0], "seed,input,target");
  std::set<int> seen;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string input = rows[i].substr(2, 17);  // nine letters and the blanks between them
    EXPECT_EQ(verdicts[i].substr(0, 20), rows[i].substr(0, 20));
    const auto state = numbers(rows[i], 2), verdict = numbers(verdicts[i], 2);
    ASSERT_EQ(state.size(), 9u);
    ASSERT_EQ(verdict.size(), 9u);
    std::string word;
    for (std::size_t k = 0; k < 9; ++k) {
      word += input[2 * k];
      const int expected = word.ends_with("abb")  ? 3
                           : word.ends_with("ab") ? 2
                           : word.ends_with("a")  ? 1
                                                  : 0;
      EXPECT_EQ(state[k], expected) << word;
      EXPECT_EQ(verdict[k], expected == 3 ? 1 : 0) << word;
      seen.insert(expected);
    }
  }
  EXPECT_EQ(seen.size(), 4u);
  folder.write("abb.txt",
               "@NFA-explicit\n%Initial 0\n%Final 3\n0 a 0\n0 b 0\n0 a 1\n1 b 2\n2 b 3\n");
  EXPECT_EQ(written({"--automaton", "abb.txt"}), states) << "Mata, by its content";
  EXPECT_EQ(written({"--group", "S3"}), written({"--monoid", "S3"}));
  const auto refuses_words = [&](Arguments more, const std::string& reason) {
    more.insert(more.begin(), ask.begin(), ask.end());
    refuses(more, reason);
  };
  refuses_words({}, "expected one of --monoid, --regex, --automaton and --crasp, found none");
  refuses_words({"--regex", "a", "--monoid", "S3"}, "--monoid excludes --regex");
  refuses_words({"--regex", "a*b", "--letters", "all"}, "--letters requires --monoid");
  refuses_words({"--regex", "()"},
                "--regex: regular expression, column 1: no letter occurs; expected");
  refuses_words({"--monoid", "S3", "--labels", "states"}, "--monoid excludes --labels");
  refuses_words({"--automaton", "abb.txt", "-o", "abb.txt"}, "abb.txt");
}

TEST_F(Data, WordsOfAProgramHaveItsVerdictsAndBothOccur) {
  const std::string dyck1 = example("crasp/dyck1.crasp");
  const std::string printed =
      done({"data", "words", "--crasp", dyck1, "--length", "12", "--words", "200", "--seed", "3"});
  const auto rows = lines(printed);
  ASSERT_EQ(rows.size(), 201u);
  EXPECT_EQ(rows[0], "seed,input,target");
  int accepted = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string input = rows[i].substr(2, 23);  // twelve letters and the blanks between them
    const auto verdicts = numbers(rows[i], 2);
    ASSERT_EQ(verdicts.size(), 12u);
    int open = 0;
    bool violated = false;
    for (std::size_t k = 0; k < 12; ++k) {
      open += input[2 * k] == '(' ? 1 : -1;
      violated |= open < 0;
      EXPECT_EQ(verdicts[k], !violated && open == 0 ? 1 : 0) << rows[i];
    }
    accepted += verdicts[11];
  }
  EXPECT_GT(accepted, 40);  // 132 of 4096 uniform words
  EXPECT_LT(accepted, 120);
  EXPECT_EQ(lines(done({"data", "words", "--crasp", dyck1, "--length", "12", "--words", "10",
                        "--seed", "3"}))[10],
            rows[10]);
}

TEST_F(Data, TheTwoConventionsHoldTheSameWordsAndCheckTellsThemApart) {
  words("A5", "8", "30", {"-o", "ours.csv"});
  words("A5", "8", "30", {"--order", "published", "-o", "published.csv"});
  EXPECT_NE(folder.read("ours.csv"), folder.read("published.csv"));
  EXPECT_EQ(check("ours.csv", "A5"), (json{{"schema", "logdepth/data-check/1"},
                                           {"file", "ours.csv"},
                                           {"monoid", "A5"},
                                           {"size", 60},
                                           {"words", 30},
                                           {"shortest", 8},
                                           {"longest", 8},
                                           {"order", "ours"},
                                           {"right", true}}));
  EXPECT_EQ(check("published.csv", "A5")["order"], "published");
  EXPECT_EQ(done({"data", "check", "published.csv", "--monoid", "A5"}),
            "published.csv: 30 words of length 8 over A5, targets right in the published "
            "convention\n");
  EXPECT_EQ(done({"data", "check", "ours.csv", "--monoid", "A5", "--order", "ours"}),
            "ours.csv: 30 words of length 8 over A5, targets right with the first letter first\n");
  refuses({"data", "check", "published.csv", "--monoid", "A5", "--order", "ours"},
          "all rows of the file are right in the published convention", 1);
  refuses({"data", "check", "ours.csv", "--monoid", "A5", "--order", "published"},
          "ours.csv:2: target index ", 1);
}

// A row that a program derived from the published one was reported to print.
TEST_F(Data, APublishedRowIsRecognised) {
  folder.write("a5.csv", "seed,input,target\n123,50 46 20 48,50 15 32 16\n");
  EXPECT_EQ(done({"data", "check", "a5.csv", "--monoid", "A5"}),
            "a5.csv: 1 word of length 4 over A5, targets right in the published convention\n");
}

TEST_F(Data, CheckSaysWhatItCannotTellAndHowLongTheWordsAre) {
  folder.write("z.csv", "seed,input,target\n1,1 2,1 0\n1,2,2\n1,1 1 1,1 2 0\n");
  EXPECT_EQ(done({"data", "check", "z.csv", "--monoid", "Z3"}),
            "z.csv: 3 words of length 1 to 3 over Z3, targets right in either convention\n");
  EXPECT_EQ(check("z.csv", "Z3")["order"], "both");
  EXPECT_EQ(check("z.csv", "Z3")["longest"], 3);
}

TEST_F(Data, FilesThatAreWrongAreRefusedWithTheLine) {
  folder.write("bad.csv", "seed,input,target\n1,1 1,1 0\n1,1 1,1 1\n");
  refuses({"data", "check", "bad.csv", "--monoid", "Z2"},
          "bad.csv:3: target index 2 is 1, expected 0", 1);
  refuses({"data", "check", "bad.csv", "--monoid", "Z1"}, "bad.csv:2: input index 1: expected");
  folder.write("old.csv", "length,input,target\n2,1 1,0\n");
  refuses({"data", "check", "old.csv", "--monoid", "Z2"}, "their target is the last product alone");
  refuses({"data", "check", "nowhere.csv", "--monoid", "Z2"}, "nowhere.csv");
  refuses({"data", "check", "bad.csv"}, "--monoid");
}

TEST_F(Data, RequestsThatMakeNoSenseAreRefused) {
  const auto request = [](const Arguments& more) {
    Arguments arguments = {"data", "words", "--length", "4", "-o", "x.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refuses(request({}), "--monoid");
  refuses({"data", "words", "--monoid", "S3"}, "--length");
  refuses(request({"--monoid", "M24"}), "unknown group or monoid 'M24'");
  refuses(request({"--monoid", "S7"}), "more than 4096 elements", 3);
  refuses(request({"--monoid", "S3", "--words", "0"}), "--words: expected at least 1");
  refuses(request({"--monoid", "S3", "--words", "-1"}), "expected a whole number from 0 to");
  refuses(request({"--monoid", "S3", "--letters", "some"}), "--letters");
  refuses(request({"--monoid", "S3", "--order", "theirs"}), "--order");
  refuses(request({"--monoid", "flipflop", "--order", "published"}),
          "the published word problems have no 'flipflop'");
  refuses({"data", "words", "--monoid", "S3", "--length", "0"}, "--length: expected at least 1");
  refuses({"data", "words", "--monoid", "S3", "--length", "2", "-o", ""},
          "--output: expected the name of a file");
  refuses({"data", "words", "--monoid", "S3", "--length", "2", "-o", "no/folder/x.csv"},
          "no/folder/x.csv");
  refuses({"data"}, "expected a command of logdepth data: ");
}

TEST_F(Data, LinesOfTrainingAreThoseOfARunInTheirOrder) {
  const LinesConfig config;
  const std::unique_ptr<LineSource> run = corpus_lines(config, 7);
  const auto written = lines(done({"data", "lines", "--lines", "70", "--seed", "7"}));
  ASSERT_EQ(written.size(), 70u);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const json line = json::parse(written[i]);
    const TokenLine drawn = run->training_line(i / config.batch, i % config.batch);
    const WordTokeniser words(etd_words(), "the corpus");
    EXPECT_EQ(words.encode(line["question"].get<std::string>(), SpecialTokens::as_text),
              drawn.question);
    auto answer = words.encode(line["answer"].get<std::string>(), SpecialTokens::as_text);
    answer.push_back(kEndOfLine);
    EXPECT_EQ(answer, drawn.answer);
    EXPECT_EQ(line.size(), 2u) << written[i];
  }
}

TEST_F(Data, MeasuredLinesSayTheirKindAndAreNotTrainedOn) {
  const auto measured = lines(done({"data", "lines", "--use", "test", "--lines", "3"}));
  std::map<std::string, int> kinds;
  for (const std::string& text : measured) {
    const json line = json::parse(text);
    ++kinds[line["kind"].get<std::string>()];
    const bool few = line["kind"] == "recall" || line["kind"] == "common" ||
                     (line["kind"] == "arithmetic" && line["difficulty"] == 2);
    EXPECT_TRUE(few || held_out(line["question"].get<std::string>())) << text;
  }
  EXPECT_EQ(
      kinds,
      (std::map<std::string, int>{
          {"recall", 3}, {"common", 3}, {"reading", 18}, {"multi-hop", 12}, {"arithmetic", 15}}));
}

TEST_F(Data, LinesAsTextAreParagraphsThatEnd) {
  done({"data", "lines", "--lines", "40", "--format", "text", "--phase", "middle", "-o", "a.txt"});
  const auto paragraphs = text_paragraphs(folder.file("a.txt"));
  ASSERT_EQ(paragraphs.size(), 40u);
  for (const std::string& paragraph : paragraphs) EXPECT_TRUE(paragraph.ends_with(" <end>"));
  EXPECT_NE(folder.read("a.txt"), done({"data", "lines", "--lines", "40", "--format", "text"}));
}

TEST_F(Data, RulesAreAskedOfEveryDepthWithEveryAnswerAndProved) {
  for (const std::string world : {"closed", "open"}) {
    const auto written = lines(done({"data", "rules", "--world", world, "--depths", "0,2",
                                     "--questions", "60", "--seed", "3"}));
    ASSERT_EQ(written.size(), 60u);
    std::map<std::string, int> cells;
    for (const std::string& text : written) {
      const json line = json::parse(text);
      EXPECT_EQ(line["kind"], world + "-world");
      EXPECT_TRUE(line["question"].get<std::string>().ends_with(" answer :")) << text;
      const RuleOracle oracle(line["question"].get<std::string>(), world == "open");
      EXPECT_EQ(line["answer"], oracle.answer()) << text;
      EXPECT_EQ(line["difficulty"], oracle.depth()) << text;
      ++cells[line["answer"].get<std::string>() + line["difficulty"].dump()];
    }
    EXPECT_EQ(cells.size(), world == "open" ? 6u : 4u);
    for (const auto& [cell, count] : cells) EXPECT_EQ(count, world == "open" ? 10 : 15) << cell;
  }
  EXPECT_EQ(done({"data", "rules", "--questions", "5", "--negation", "none"}).find(" not "),
            std::string::npos);
}

TEST_F(Data, RulesThatCannotBeDrawnAreRefused) {
  refuses({"data", "rules", "--questions", "0"}, "--questions: expected at least 1");
  refuses({"data", "rules", "--depths", "9"}, "--depths");
  refuses({"data", "rules", "--world", "flat"}, "--world");
  refuses({"data", "rules", "--world", "open", "--negation", "facts"}, "negation");
}

TEST_F(Data, LinesThatCannotBeWrittenAreRefused) {
  refuses({"data", "lines", "--lines", "0"}, "--lines: expected at least 1");
  refuses({"data", "lines", "--use", "both"}, "--use");
  refuses({"data", "lines", "--phase", "end"}, "--phase");
  refuses({"data", "lines", "--format", "csv"}, "--format");
  refuses({"data", "lines", "--use", "test", "--phase", "middle"}, "--phase");
  refuses({"data", "lines", "-o", "no/folder/x.jsonl"}, "no/folder/x.jsonl");
}

TEST_F(Data, HelpShowsAnExampleOfEachCommand) {
  for (const std::string command : {"words", "lines", "rules", "check"})
    EXPECT_NE(done({"data", command, "--help"}).find("Example: logdepth data " + command),
              std::string::npos);
}

}  // namespace
}  // namespace logdepth::command_line_data_tests
