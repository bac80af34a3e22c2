// The program `logdepth` from outside: help, wrong usage, bad input and limits.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_refusals_tests {
namespace {

using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

std::string text_of(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += " '" + argument + "'";
  return text;
}

class Refusals : public support::CommandLine {
 protected:
  void SetUp() override {
    compile_regex("(a|b)*abb", "abb.json");
    folder.write("broken.json", "{\"format\": \"logdepth-weights\"}\n");
    folder.write("broken.fst", "0 1 a extra words here\n");
    folder.write("broken.jff", "<structure><type>fa</type>\n");
    folder.write("broken.dot", "digraph { a -> \n");
    folder.write("broken.cells", "logdepth-cells 1\nprogram \"x\"\nnonsense\n");
    folder.write("words.txt", "ab\nabc\n");
    names_ = folder.names();
  }

  /// One sentence on standard error, nothing on standard output, no file more or less.
  void refuses(const Arguments& arguments, int status, const std::string& reason) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status) << text_of(arguments) << finished.err;
    EXPECT_EQ(finished.out, "") << text_of(arguments);
    ASSERT_EQ(lines(finished.err).size(), 1u) << text_of(arguments) << '\n' << finished.err;
    EXPECT_TRUE(finished.err.starts_with("logdepth: ")) << finished.err;
    EXPECT_TRUE(finished.err.ends_with("\n"));
    EXPECT_NE(finished.err.find(reason), std::string::npos) << text_of(arguments) << finished.err;
    EXPECT_EQ(folder.names(), names_) << text_of(arguments);
  }

  /// The same for a refusal after the front end has reported its sizes.
  void refuses_at_last(const Arguments& arguments, int status, const std::string& reason) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status) << text_of(arguments) << finished.err;
    EXPECT_EQ(finished.out, "") << text_of(arguments);
    const auto said = lines(finished.err);
    ASSERT_FALSE(said.empty());
    for (const std::string& line : said)
      EXPECT_EQ(line.starts_with("logdepth: "), &line == &said.back()) << finished.err;
    EXPECT_NE(said.back().find(reason), std::string::npos) << text_of(arguments) << finished.err;
    EXPECT_EQ(folder.names(), names_) << text_of(arguments);
  }

  std::set<std::string> names_;
};

TEST_F(Refusals, WrongUsageIsOneSentence) {
  refuses({}, 2, "expected a command of logdepth: ");
  refuses({"frobnicate"}, 2, "");
  refuses({"compile"}, 2, "expected a command of logdepth compile: ");
  refuses({"compile", "regular", "-o", "x.json"}, 2, "--regex");
  refuses({"compile", "regular", "--regex", "a"}, 2, "--output");
  refuses({"compile", "regular", "--regex", "a", "--group", "Z2", "-o", "x.json"}, 2, "excludes");
  refuses({"compile", "regular", "--regex", "a", "-o", "x.json", "--nonsense"}, 2, "--nonsense");
  for (const char* option : {"--positions", "--table", "--norm", "--construction", "--letters"})
    refuses({"compile", "regular", "--regex", "a", "-o", "x.json", option, "nonsense"}, 2,
            "nonsense");
  refuses({"compile", "regular", "--regex", "a", "-o", "x.json", "--unroll", "many"}, 2, "many");
  refuses({"compile", "program", "-o", "x.json"}, 2, "FILE");
  refuses({"run"}, 2, "MODEL");
  refuses({"run", "abb.json"}, 2, "--input");
  refuses({"run", "abb.json", "--input", "a", "--tokens", "a"}, 2, "excludes");
  refuses({"run", "abb.json", "--input", "a", "--batch", "words.txt"}, 2, "excludes");
  refuses({"run", "abb.json", "--input", "a", "--engine", "float99"}, 2, "float99");
  refuses({"run", "abb.json", "--input", "a", "surplus"}, 2, "surplus");
  refuses({"test", "abb.json"}, 2, "expected --against with an oracle");
  refuses({"test", "abb.json", "--against", "a", "--regex", "b"}, 2, "--against");
  refuses({"diff", "abb.json"}, 2, "--input");
  refuses({"info"}, 2, "MODEL");
  refuses({"inspect"}, 2, "--regex");
  refuses({"draw", "abb.json"}, 2, "--output");
  refuses({"draw", "-o", "x.svg"}, 2, "either MODEL");
  refuses({"draw", "abb.json", "--learned", "nowhere", "--input", "ab"}, 2, "either MODEL");
  refuses({"draw", "abb.json", "--words", "3", "-o", "x.svg"}, 2, "--learned");
  refuses({"draw", "--learned", "nowhere", "--input", "ab"}, 2, "nowhere/record.json");
}

TEST_F(Refusals, TheOptionsOfAConstructionGoWithItOnly) {
  const auto regular = [](const Arguments& more) {
    Arguments all = {"compile", "regular", "--group", "A5", "-o", "x.json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  refuses(regular({"--radix", "3"}), 2, "--construction radix");
  refuses(regular({"--construction", "scan", "--radix", "3", "--unroll", "4"}), 2,
          "--construction radix");
  for (const char* radix : {"0", "1", "65", "-2", "two"})
    refuses(regular({"--construction", "radix", "--unroll", "9", "--radix", radix}), 2, radix);
  refuses_at_last(regular({"--construction", "radix", "--radix", "9", "--unroll", "81"}), 3,
                  "a smaller --radix");
  refuses_at_last(regular({"--construction", "radix", "--unroll", "5000000000"}), 3, "4294967295");
}

TEST_F(Refusals, NegativeCountsAreWrongUsage) {
  for (const Arguments& arguments : std::vector<Arguments>{
           {"compile", "regular", "--regex", "a", "-o", "x.json", "--unroll", "-3"},
           {"info", "abb.json", "--at", "-1"},
           {"test", "abb.json", "--against", "a", "--up-to", "-1"},
           {"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "1", "--max-length", "-1",
            "--random", "1"},
           {"test", "abb.json", "--against", "(a|b)*ab", "--up-to", "2", "--random", "-1"}})
    refuses(arguments, 2, "-");
}

TEST_F(Refusals, FilesThatAreMissingOrWrongAreNamed) {
  refuses({"run", "nowhere.json", "--input", "a"}, 2, "nowhere.json");
  refuses({"run", ".", "--input", "a"}, 2, "directory");
  refuses({"run", "broken.json", "--input", "a"}, 2, "broken.json:");
  refuses({"run", "broken.fst", "--input", "a"}, 2, "found an automaton in OpenFst's text");
  refuses({"info", "nowhere.json"}, 2, "nowhere.json");
  refuses({"diff", "nowhere.json", "--input", "a"}, 2, "nowhere.json");
  refuses({"draw", "nowhere.json", "-o", "x.dot"}, 2, "nowhere.json");
  refuses({"test", "nowhere.json", "--against", "a"}, 2, "nowhere.json");
  refuses({"test", "abb.json", "--against", "nowhere.fst"}, 2, "nowhere.fst");
  for (const std::string kind : {"fst", "jff", "dot"}) {
    const std::string file = "broken." + kind;
    refuses({"compile", "regular", "--" + kind, file, "-o", "x.json"}, 2, file);
    refuses({"inspect", "--" + kind, "nowhere." + kind}, 2, "nowhere." + kind);
  }
  refuses({"compile", "program", "broken.cells", "-o", "x.json"}, 2, "broken.cells:3");
  refuses({"compile", "program", "nowhere.cells", "-o", "x.json"}, 2, "nowhere.cells");
  refuses({"run", "abb.json", "--input", "@nowhere.txt"}, 2,
          "logdepth: nowhere.txt: cannot be read");
  refuses({"run", "abb.json", "--batch", "nowhere.txt"}, 2, "nowhere.txt");
}

TEST_F(Refusals, LanguagesAndWordsThatMakeNoSenseAreExplained) {
  refuses({"compile", "regular", "--regex", "(a", "-o", "x.json"}, 2, "column");
  refuses({"compile", "regular", "--regex", "ac", "--alphabet", "ab", "-o", "x.json"}, 2, "'c'");
  refuses({"compile", "regular", "--regex", "a", "--alphabet", "aa", "-o", "x.json"}, 2, "twice");
  refuses({"compile", "regular", "--group", "M24", "-o", "x.json"}, 2, "M24");
  refuses({"inspect", "--group", ""}, 2, "expected");
  refuses({"run", "abb.json", "--input", "abc"}, 2, "'c' at position 3");
  refuses({"run", "abb.json", "--tokens", "a ab"}, 2, "'ab'");
  refuses({"run", "abb.json", "--batch", "words.txt"}, 2, "words.txt:2");
  refuses({"test", "abb.json", "--against", "(a|b|c)*abb"}, 2, "'c'");
  refuses({"test", "abb.json", "--against", "group:flipflop"}, 2, "'c'");
  refuses({"test", "abb.json", "--against", "a", "--up-to", "60"}, 2, "--up-to 60");
  refuses({"draw", "abb.json", "-o", "x.bmp"}, 2, "x.bmp");
  refuses({"draw", "abb.json", "--input", "ab", "-o", "x.dot"}, 2, "x.dot");
}

TEST_F(Refusals, PlacesThatCannotBeWrittenLeaveNothingBehind) {
  refuses({"compile", "regular", "--regex", "a", "-o", "nowhere/x.json"}, 2,
          "nowhere/x.json: cannot be written: no folder 'nowhere'");
  refuses({"compile", "regular", "--regex", "a", "-o", "abb.json/x"}, 2, "abb.json/x");
  refuses_at_last({"compile", "regular", "--regex", "a", "-o", "."}, 2, "cannot be written");
  refuses({"compile", "regular", "--regex", "a", "-o", "x.json", "--emit", "nowhere/a.dot"}, 2,
          "nowhere/a.dot");
  refuses_at_last({"compile", "regular", "--regex", "a", "-o", "x.json", "--emit", "a.png"}, 2,
                  "a.png");
  refuses({"run", "abb.json", "--input", "ab", "--trace", "nowhere/t.jsonl"}, 2, "nowhere/t.jsonl");
  refuses({"draw", "abb.json", "-o", "nowhere/x.dot"}, 2, "nowhere/x.dot");
}

TEST_F(Refusals, AFileThatIsThereSurvivesAFailedCommand) {
  const std::string before = folder.read("abb.json");
  refuses({"compile", "regular", "--regex", "(a", "-o", "abb.json"}, 2, "column");
  refuses_at_last({"compile", "regular", "--regex", "(a|b)*a(a|b){9}", "-o", "abb.json"}, 3,
                  "4194319");
  refuses({"compile", "program", "broken.cells", "-o", "abb.json"}, 2, "broken.cells:3");
  EXPECT_EQ(folder.read("abb.json"), before);
}

TEST_F(Refusals, SizesBeyondALimitExitWithThreeAndTheForecast) {
  for (const char* table : {"auto", "matrix", "monoid"})
    refuses_at_last(
        {"compile", "regular", "--regex", "(a|b)*a(a|b){9}", "-o", "x.json", "--table", table}, 3,
        "1075838992");
  refuses({"compile", "regular", "--group", "Z5000", "-o", "x.json"}, 3, "4096");
}

TEST_F(Refusals, ADerivedProgramThatDoesNotFitIsNotCompared) {
  done({"compile", "program", example("programs/parity.cells"), "-o", "parity.json"});
  names_ = folder.names();
  refuses({"diff", "abb.json", "--program", example("programs/parity.cells"), "--input", "ab"}, 2,
          "");
}

TEST_F(Refusals, HelpIsPrintedWithAnExample) {
  const std::vector<Arguments> commands = {{},
                                           {"compile", "regular"},
                                           {"compile", "program"},
                                           {"run"},
                                           {"test"},
                                           {"diff"},
                                           {"info"},
                                           {"inspect"},
                                           {"draw"}};
  for (Arguments arguments : commands) {
    arguments.emplace_back("--help");
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 0) << text_of(arguments);
    EXPECT_EQ(finished.err, "") << text_of(arguments);
    EXPECT_NE(finished.out.find("Example: logdepth "), std::string::npos) << finished.out;
  }
  EXPECT_EQ(logdepth({"compile", "--help"}).status, 0);
  EXPECT_EQ(done({"--version"}).substr(0, 9), "logdepth ");
}

TEST_F(Refusals, AFullDeviceIsReported) {
  if (!std::ofstream("/dev/full")) GTEST_SKIP() << "there is no /dev/full on this system";
  refuses({"info", "abb.json", "--at", "nonsense"}, 2, "nonsense");
  const Finished finished = support::run_process(
      {"sh", "-c", "\"$0\" info abb.json > /dev/full", support::program()}, folder.path());
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
}

}  // namespace
}  // namespace logdepth::command_line_refusals_tests
