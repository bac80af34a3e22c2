// The program `logdepth` from outside: help, wrong usage, bad input and limits.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_usage_tests { namespace {

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
    const Finished finished = CommandLine::refuses(arguments, reason, status);
    EXPECT_TRUE(finished.err.starts_with("logdepth: ")) << finished.err;
    EXPECT_TRUE(finished.err.ends_with("\n"));
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
  refuses({"run", "broken.fst", "--input", "a"}, 2, "found an OpenFst text; --fst reads it");
  refuses({"info", "nowhere.json"}, 2, "nowhere.json");
  refuses({"diff", "nowhere.json", "--input", "a"}, 2, "nowhere.json");
  refuses({"draw", "nowhere.json", "-o", "x.svg"}, 2, "nowhere.json");
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
  refuses({"draw", "abb.json", "-o", "nowhere/x.svg"}, 2, "nowhere/x.svg");
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
                                           {"draw"},
                                           {"data", "words"}};
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

// What `logdepth` says of itself: the manual page, what shells complete, and the name that was
// probably meant.

class Reference : public support::CommandLine {
 protected:
  /// What `shell` prints of the words, run with what completes logdepth in the file `script`.
  std::string said(const std::string& shell, const std::string& text) const {
    folder.write("script", done({"--completion", "bash"}));
    const Finished finished = support::run_process({shell, "-c", text}, folder.path());
    EXPECT_EQ(finished.status, 0) << shell << ": " << finished.err;
    EXPECT_EQ(finished.err, "") << shell;
    return finished.out;
  }
  void says(const Arguments& arguments, const std::string& sentence) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err, "logdepth: " + sentence + "\n");
  }
};

TEST_F(Reference, TheManualPageIsSetWithoutAWarningAndNamesEveryCommand) {
  folder.write("logdepth.1", done({"--man"}));
  const Finished page = support::run_process(
      {"groff", "-man", "-ww", "-Tutf8", "-P-c", "-P-b", "-P-u", "logdepth.1"}, folder.path());
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_EQ(page.err, "");
  for (const char* text :
       {"logdepth compile regular", "logdepth train word-problem", "logdepth data words",
        "--regex VALUE", "--positions", "(a|b)*abb", "EXIT STATUS", "MODEL"})
    EXPECT_NE(page.out.find(text), std::string::npos) << text;
}

TEST_F(Reference, BashCompletesCommandsOptionsAndChoices) {
  EXPECT_EQ(said("bash", R"(. ./script
for line in 'compile re' 'compile regular --constr' 'compile regular --construction t' \
            'compile regular --regex compile --pos' 'run abb.json --inp' 'data ch'; do
  COMP_WORDS=(logdepth $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _logdepth
  echo "${COMPREPLY[*]}"
done)"),
            "regular\n--construction\ntree\n--positions\n--input\ncheck\n");
}

TEST_F(Reference, ZshReadsTheSameScriptAfterBashcompinit) {
  EXPECT_EQ(said("zsh", R"(autoload -U +X bashcompinit compinit; compinit -D; bashcompinit
. ./script; compadd() { [[ $1 == - ]] && print -r -- $matches }; _default() { print files }
words=(logdepth compile regular --construction t); CURRENT=5
_bash_complete -o default -F _logdepth
words=(logdepth certify ''); CURRENT=3; _bash_complete -o default -F _logdepth)"),
            "scan tree radix cascade auto\nfiles\n");
}

TEST_F(Reference, HelpHasValuesRangesDefaultsAndTheOptionsThatOneRequiresOrExcludes) {
  const auto shows = [&](Arguments command, const std::string& lines) {
    command.emplace_back("--help");
    const std::string help = done(command);
    EXPECT_NE(help.find(lines), std::string::npos) << lines << "\nis not in\n" << help;
  };
  shows({},
        "them\nExample: logdepth compile regular --regex '(a|b)*abb' -o abb.json &&\n"
        "         logdepth run abb.json --input aabb\nUsage: logdepth [OPTIONS] SUBCOMMAND\n");
  shows(
      {},
      "\n  run                         run a weights file on words, a graph or raw input, exactly "
      "or in\n                              floating point\n  test ");
  shows({"run"}, "\n  MODEL                       weights file [required]\n");
  shows({"run"}, "\n  --device cpu|cuda           device for floating point [default: cpu]\n");
  shows({"run"},
        "\n  --threads N                 number of threads; does not change results [1 to 256; "
        "default: ");
  shows({"run"}, "\n  --source TEXT               source vertex [requires --graph]\n");
  shows({"run"}, "\n  --json                      print one JSON object\n");
  shows({"run"}, "\n  --temperature TAU           use the softmax");
  shows({"info"}, "\n  --json                      print one JSON object [not with --program]\n");
  shows({"inspect"},
        "\nLanguage (one of these options):\n"
        "  --regex TEXT                regular expression, such as (a|b)*abb\n");
  shows({"train", "word-problem"},
        "\n  --kind stack|loop|adaptive-loop\n"
        "                              stack (different layers)");
  shows({"train", "word-problem"},
        "\n  --seeds N,...               one run per seed, as 1,2,3 "
        "[default: 1]\n");
}

TEST_F(Reference, AnUnknownNameComesWithTheOneThatWasProbablyMeant) {
  says({"rnu", "x.json"},
       "unknown command 'rnu' of logdepth; did you mean run? (see logdepth --help)");
  says({"compile", "regluar", "--regex", "a"},
       "unknown command 'regluar' of logdepth compile; did you mean regular? (see logdepth compile "
       "--help)");
  says({"compile", "poetry"},
       "unknown command 'poetry' of logdepth compile; expected one of regular, program, crasp, "
       "division, connectivity, computation-graph, khop, formula, ltl (see logdepth compile "
       "--help)");
  says({"compile"},
       "expected a command of logdepth compile: regular, program, crasp, division, "
       "connectivity, computation-graph, khop, formula, ltl (see logdepth compile --help)");
  says({"run", "x.json", "--inptu=ab"},
       "unknown option '--inptu=ab' of logdepth run; did you mean --input? (see logdepth run "
       "--help)");
  says({"compile", "regular", "--rexgex", "a", "-o", "x.json"},
       "unknown option '--rexgex' of logdepth compile regular; did you mean --regex? (see logdepth "
       "compile regular --help)");
  says({"--json", "info", "x.json"},
       "expected --json after logdepth info, found it before (see logdepth info --help)");
  says({"info", "x.json", "--zzz"},
       "unknown option '--zzz' of logdepth info (see logdepth info --help)");
}

TEST_F(Reference, AnEmptyValueOfAnyOptionIsTakenOrRefusedAndTheNextArgumentIsNotTakenForIt) {
  const std::set<std::string> may_be_empty = {"--input", "--tokens", "--word",   "--regex",
                                              "--group", "--monoid", "--against"};
  std::size_t taken = 0, refused = 0, flags = 0;
  std::istringstream page(done({"--man"}));
  std::string path;
  const std::regex kName(R"(\\fB(-[^\\]*)\\fR)");
  for (std::string line; std::getline(page, line);) {
    line = std::regex_replace(line, std::regex(R"(\\-)"), "-");
    // .SS logdepth compile regular
    // \fB-o\fR, \fB--output\fR \fIVALUE\fR
    if (line.starts_with(".SS logdepth ")) path = line.substr(13);
    std::istringstream command(path);
    std::vector<std::string> names;
    if (line.starts_with("\\fB-"))
      for (std::sregex_iterator at(line.begin(), line.end(), kName), end; at != end; ++at)
        names.push_back((*at)[1]);
    const bool value = line.find("\\fI") != std::string::npos;
    const Arguments of_command((std::istream_iterator<std::string>(command)), {});
    for (const std::string& name : names) {
      Arguments arguments = of_command;
      arguments.insert(arguments.end(), {name + "=", "--help"});
      const Finished finished = logdepth(arguments);
      const std::string where = path + " " + name + "\n" + finished.err;
      if (may_be_empty.contains(name)) {
        EXPECT_EQ(finished.status, 0) << where;
        EXPECT_NE(finished.out.find("Usage:"), std::string::npos) << where;
        ++taken;
        continue;
      }
      EXPECT_EQ(finished.status, 2) << where;
      EXPECT_EQ(finished.out, "") << where;
      EXPECT_EQ(support::lines(finished.err).size(), 1u) << where;
      EXPECT_NE(finished.err.find(name), std::string::npos) << where;
      EXPECT_NE(finished.err.find(value ? " found ''" : "expected no value"), std::string::npos)
          << where;
      ++(value ? refused : flags);
    }
  }
  EXPECT_GT(taken, 20u);
  EXPECT_GT(refused, 250u);
  EXPECT_GT(flags, 50u);
}

TEST_F(Reference, TheEmptyWordIsAWordAndAnEmptyExpressionOrGroupIsNone) {
  compile_regex("(ab)*", "ab.json");
  EXPECT_EQ(done({"run", "ab.json", "--input=", "--prefixes"}),
            done({"run", "ab.json", "--input", "", "--prefixes"}));
  for (const char* word : {"--input=", "--tokens="})
    EXPECT_EQ(done({"run", "ab.json", word}), "accept\n");
  EXPECT_EQ(done({"inspect", "--regex=(ab)*", "--word=", "--json"}),
            done({"inspect", "--regex", "(ab)*", "--word", "", "--json"}));
  for (const Arguments& empty :
       {Arguments{"--regex="}, {"--regex", ""}, {"--regex=", "--alphabet=ab"}}) {
    Arguments arguments = {"inspect"};
    arguments.insert(arguments.end(), empty.begin(), empty.end());
    says(arguments,
         "regular expression, column 1: expected an expression; write () for the empty word");
  }
  says({"test", "ab.json", "--against="},
       "expected --against with an oracle: a regular expression, group:NAME, crasp:FILE, "
       "ltl:FORMULA, khop:K, formula:ALGEBRA, a file of "
       "an automaton or command:PROGRAM");
  EXPECT_EQ(logdepth({"inspect", "--group="})
                .err.find("logdepth: unknown group or monoid '': expected Zk, "),
            0u);
  says({"train", "word-problem", "--seeds=,", "--help"},
       "--seeds: expected a whole number from 0 to 1000000000000000, found '' (see logdepth train "
       "word-problem --help)");
}

TEST_F(Reference, AFileOfAnotherKindInPlaceOfWeightsIsNamed) {
  for (const auto& [file, kind] : std::vector<std::pair<std::string, std::string>>{
           {"automata/even_a.fst", "an OpenFst text; --fst reads it"},
           {"automata/ends_in_abb.mata", "a Mata file; --mata reads it"},
           {"automata/tomita4.dot", "Graphviz DOT; --graph and --dot read it"},
           {"automata/ends_in_abb.jff", "a JFLAP file; --jff reads it"},
           {"programs/parity.cells", "a program; `logdepth compile program`"}}) {
    const Finished finished = logdepth({"info", example(file)});
    EXPECT_EQ(finished.status, 2);
    EXPECT_NE(finished.err.find(file + ": expected a weights file, found " + kind),
              std::string::npos)
        << finished.err;
  }
}

// What the program does to files: nothing a user did not ask for.

class Files : public support::CommandLine {
 protected:
  void SetUp() override {
    compile_regex("(a|b)*abb", "abb.json");
    folder.write("words.txt", "aabb\nab\n");
  }

  Finished shell(const std::string& script) const {
    return support::run_process({"sh", "-c", script, support::program()}, folder.path());
  }
};

TEST_F(Files, AnOutputThatIsAnInputIsRefusedAndStaysAsItWas) {
  std::filesystem::copy_file(example("programs/parity.cells"), folder.file("parity.cells"));
  std::filesystem::copy_file(example("automata/even_a.fst"), folder.file("even_a.fst"));
  const std::vector<std::vector<std::string>> commands = {
      {"run", "abb.json", "--input", "ab", "--trace", "abb.json"},
      {"run", "abb.json", "--batch", "words.txt", "--trace", "words.txt"},
      {"run", "abb.json", "--input", "@words.txt", "--trace", "words.txt"},
      {"compile", "program", "parity.cells", "-o", "./parity.cells"},
      {"compile", "regular", "--fst", "even_a.fst", "-o", "even_a.fst"},
      {"compile", "regular", "--fst", "even_a.fst", "-o", "x.json", "--emit", "even_a.fst"},
      {"compile", "regular", "--regex", "ab", "-o", "same.dot", "--emit", "same.dot"},
      {"draw", "abb.json", "-o", "abb.json"}};
  for (const auto& command : commands) {
    std::map<std::string, std::string> before;
    for (const std::string& name : folder.names()) before[name] = folder.read(name);
    const Finished finished = logdepth(command);
    EXPECT_EQ(finished.status, 2) << command[1] << finished.err;
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    for (const auto& [name, bytes] : before) EXPECT_EQ(folder.read(name), bytes) << name;
    EXPECT_EQ(folder.names().size(), before.size());
  }
}

TEST_F(Files, ADeviceStaysADevice) {
  const std::string device = folder.file("nowhere");
  if (mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
    GTEST_SKIP() << "making a device needs root; devices as outputs were not checked";
  done({"compile", "regular", "--regex", "ab", "-o", "nowhere"});
  done({"run", "abb.json", "--input", "ab", "--trace", "nowhere"});
  EXPECT_TRUE(std::filesystem::is_character_file(device));
}

TEST_F(Files, ASymbolicLinkIsFollowed) {
  std::filesystem::create_symlink("abb.json", folder.file("link.json"));
  compile_regex("ba", "link.json");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.json")));
  EXPECT_EQ(read_weights(folder.file("abb.json"))->name, "regex ba");
}

TEST_F(Files, AClosedStandardStreamNeverEndsUpInAnOutput) {
  const Finished no_output = shell("\"$0\" run abb.json --batch words.txt --trace t1 >&-");
  EXPECT_TRUE(no_output.status == 0 || no_output.status == 2) << no_output.err;
  if (folder.names().contains("t1")) {
    EXPECT_EQ(folder.read("t1").find("reject\n"), std::string::npos);
  }
  shell("\"$0\" run abb.json --input ab --trace t2 --stats 2>&-");
  for (const std::string& line : lines(folder.read("t2"))) EXPECT_EQ(line.front(), '{') << line;
  EXPECT_EQ(shell("\"$0\" run abb.json --batch - <&-").out, "");
}

TEST_F(Files, NothingUnfinishedIsLeftWhenThePipeBreaks) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "abababababababab\n";
  folder.write("many.txt", many);
  shell("\"$0\" run abb.json --batch many.txt --trace t.jsonl | head -1");
  for (const std::string& name : folder.names()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(Files, ASpoiltChecksFileDoesNotHideTheResultOfATest) {
  folder.write("abb.json.checks.json", "garbage");
  const Finished finished =
      logdepth({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "3", "--random", "5"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_TRUE(finished.out.starts_with("passed")) << finished.out;
  EXPECT_NE(finished.err.find("not recorded"), std::string::npos) << finished.err;
}

TEST_F(Files, DiffComparesOutputsAndPrefixesToo) {
  for (const bool prefixes : {false, true}) {
    Model model = read_weights(folder.file("abb.json"));
    auto& output = std::get<AcceptOutput>(model.output);
    if (prefixes) {
      auto& elements = std::get<ElementReadout>(output.prefix).elements;
      std::swap(elements[0], elements[1]);
    } else {
      std::swap(output.accept, output.reject);
    }
    save_weights(model, folder.file("swapped.json"));
    const Finished finished = logdepth({"diff", "swapped.json", "--input", "aabb"});
    EXPECT_EQ(finished.status, 1) << finished.err;
    EXPECT_NE(finished.out.find("unembedding, token 0"), std::string::npos) << finished.out;
  }
  EXPECT_EQ(logdepth({"diff", "abb.json", "--input", "aabb"}).status, 0);
}

}}  // namespace logdepth::command_line_usage_tests
