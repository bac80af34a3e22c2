// `logdepth convert`, and the formats that it writes wherever an automaton or a graph is named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_automata_tests { namespace {

using nlohmann::json;
using support::Finished;

using Arguments = std::vector<std::string>;

class Convert : public support::CommandLine {
 protected:
  void says(const Arguments& arguments, const std::string& sentence, int status = 0) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err, sentence + "\n");
  }
  /// The same for what is refused, which writes nothing.
  void refuses(const Arguments& arguments, const std::string& sentence, int status = 2) const {
    const auto before = folder.names();
    says(arguments, "logdepth: " + sentence, status);
    EXPECT_EQ(folder.names(), before);
  }
};

/// The option that reads what ends so.
std::string option_of(const std::string& ending) {
  return ending == "json" ? "--json-automaton" : "--" + ending;
}

const std::vector<std::string> kEndings = {"fst", "dot", "jff", "mata", "json"};

TEST_F(Convert, AnAutomatonGoesThroughEveryFormatAndStaysAsItWasGiven) {
  const std::string abb = example("automata/ends_in_abb.jff");
  for (const std::string& ending : kEndings) {
    says({"convert", "--jff", abb, "-o", "x." + ending},
         "wrote x." + ending + ": the automaton, 4 states");
    const json inspected =
        json::parse(done({"inspect", option_of(ending), "x." + ending, "--json"}));
    EXPECT_EQ(inspected["minimal_states"], 4) << ending;
    says({"convert", option_of(ending), "x." + ending, "--minimal", "-o", "y." + ending},
         "wrote y." + ending + ": the minimal automaton, 4 states");
    says({"convert", option_of(ending), "x." + ending, "-o", "again.fst"},
         "wrote again.fst: the automaton, 4 states");
    const std::vector<std::string> lines = support::lines(folder.read("again.fst"));
    EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()),
              (std::set<std::string>{"0\t0\ta", "0\t1\ta", "0\t0\tb", "1\t2\tb", "2\t3\tb", "3"}))
        << ending;
  }
}

TEST_F(Convert, EmitWritesWhatConvertWrites) {
  for (const std::string& ending : kEndings) {
    compile_regex("(a|b)*abb", "abb.json", {"--emit", "emitted." + ending});
    done({"convert", "--regex", "(a|b)*abb", "--minimal", "-o", "converted." + ending});
    EXPECT_EQ(folder.read("emitted." + ending), folder.read("converted." + ending));
  }
}

TEST_F(Convert, OraclesAreFilesOfEveryFormat) {
  compile_regex("(a|b)*abb", "abb.json");
  const std::string abb = example("automata/ends_in_abb.jff");
  for (const std::string& ending : kEndings) {
    const std::string file = "right." + ending;
    done({"convert", "--jff", abb, "-o", file});
    const std::string passed = "passed: against " + ending + " " + file + ", ";
    for (const Arguments& named : {Arguments{"--against", file},
                                   {"--against", ending + ":" + file},
                                   {option_of(ending), file}}) {
      Arguments arguments = {"test", "abb.json", "--up-to", "3", "--random", "0"};
      arguments.insert(arguments.end(), named.begin(), named.end());
      EXPECT_TRUE(done(arguments).starts_with(passed)) << file;
    }
  }
}

TEST_F(Convert, TheAlphabetAndTheGroupThatAreAskedForAreWritten) {
  done({"convert", "--regex", "ab*", "--alphabet", "cba", "-o", "x.mata"});
  EXPECT_NE(folder.read("x.mata").find("\n%Alphabet-enum c b a\n"), std::string::npos);
  says({"convert", "--group", "S3", "-o", "s3.json"},
       "wrote s3.json: the minimal automaton, 6 states");
  EXPECT_EQ(json::parse(folder.read("s3.json"))["states"].size(), 6u);
  refuses({"convert", "--group", "A10", "-o", "x.fst"},
          "group A10: the minimal automaton is too large to write", 3);
}

TEST_F(Convert, AGraphGoesThroughEveryFormat) {
  const std::string cities = example("graphs/cities.edges");
  for (const char* ending : {"edges", "dot", "graphml", "gr", "mtx", "json"}) {
    const std::string file = std::string("x.") + ending;
    says({"convert", "--graph", cities, "-o", file}, "wrote " + file + ": 9 vertices and 9 edges");
    says({"convert", "--graph", file, "--undirected", "-o", "x.col"},
         "wrote x.col: 9 vertices and 18 edges");
  }
}

TEST_F(Convert, WhatCannotBeConvertedIsRefused) {
  const std::string cities = example("graphs/cities.edges");
  folder.write("x.fst", "0 1 a\n1\n");
  refuses({"convert", "-o", "y.fst"}, "expected --graph or an option that names an automaton");
  refuses({"convert", "--graph", cities, "--fst", "x.fst", "-o", "y.fst"},
          "expected --graph or an option that names an automaton, found both");
  refuses({"convert", "--graph", cities, "--minimal", "-o", "y.dot"},
          "--minimal requires an automaton");
  refuses({"convert", "--graph", cities, "-o", "y.fst"},
          "y.fst: expected a name that ends in .edges, .txt, .dot, .graphml, .gr, .col, .mtx or "
          ".json");
  refuses({"convert", "--graph", cities, "-o", "y.col"},
          "y.col: the edge from 'Berlin' to 'Vienna' cannot be written: the graphs of .col are "
          "undirected; those of .gr are directed");
  for (const Arguments& command : {Arguments{"convert"}, {"compile", "regular", "-o", "y.json"}}) {
    Arguments arguments = command;
    arguments.insert(arguments.end(),
                     {"--fst", "x.fst", command[0] == "convert" ? "-o" : "--emit", "y.png"});
    refuses(arguments, "y.png: expected a name that ends in .fst, .dot, .jff, .mata or .json");
  }
  EXPECT_EQ(logdepth({"convert", "--fst", "x.fst", "-o", "x.fst"}).status, 2);
  EXPECT_EQ(folder.read("x.fst"), "0 1 a\n1\n");
}

TEST_F(Convert, ManualPageAndCompletionsKnowIt) {
  const std::string page = done({"--man"});
  for (const char* text : {"logdepth convert", "json\\-automaton", "mata"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  folder.write("script", done({"--completion", "bash"}));
  const Finished completed = support::run_process({"bash", "-c", R"(. ./script
for line in 'conv' 'convert --mi' 'convert --json-a' 'compile regular --mat'; do
  COMP_WORDS=(logdepth $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _logdepth
  echo "${COMPREPLY[*]}"
done)"},
                                                  folder.path());
  EXPECT_EQ(completed.out, "convert\n--minimal\n--json-automaton\n--mata\n") << completed.err;
}

// The program `logdepth` from outside: what inspect says of J-classes, groups and circuits, and
// its picture.

class Algebra : public support::CommandLine {
 protected:
  json of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "inspect");
    arguments.emplace_back("--json");
    return json::parse(done(std::move(arguments)))["algebra"];
  }
};

TEST_F(Algebra, NamesGroupsAndCountsClasses) {
  const json t3 = of({"--group", "T3"});
  EXPECT_EQ(t3["idempotents"], 10);
  EXPECT_EQ(t3["j_classes"], 3);
  EXPECT_EQ(t3["regular_j_classes"], 3);
  ASSERT_EQ(t3["groups"].size(), 3u);
  EXPECT_EQ(t3["groups"][0], (json{{"name", "S3"},
                                   {"order", 6},
                                   {"commutative", false},
                                   {"solvable", true},
                                   {"j_classes", 1},
                                   {"idempotents", 1}}));
  EXPECT_EQ(t3["groups"][1]["name"], "Z2");
  EXPECT_EQ(t3["groups"][1]["idempotents"], 6);
  EXPECT_EQ(t3["groups"][2]["name"], "trivial");
  EXPECT_EQ(of({"--group", "Z2_x_S3"})["groups"][0]["name"], "D6");
  EXPECT_EQ(of({"--regex", "(a|b)*abb"})["regular_j_classes"], 2);
}

TEST_F(Algebra, SaysTheCircuitsOfTheLanguage) {
  const auto circuits = [&](const std::string& expression) {
    const json algebra = of({"--regex", expression});
    EXPECT_EQ(algebra["circuits_of"], "the language, by its syntactic monoid");
    return algebra["circuits"].get<std::string>() +
           (algebra["quasi_aperiodic"] ? ", quasi-aperiodic" : "");
  };
  EXPECT_EQ(circuits("(a|b)*abb"), "AC0, quasi-aperiodic");
  EXPECT_EQ(circuits("(aa)*"), "AC0, quasi-aperiodic");
  EXPECT_EQ(circuits("((a|b)(a|b))*"), "AC0, quasi-aperiodic");
  EXPECT_EQ(circuits("b*(ab*ab*)*"), "ACC0");
  const json a5 = of({"--group", "A5"});
  EXPECT_EQ(a5["circuits"], "NC1-complete");
  EXPECT_EQ(a5["circuits_of"], "products of the letters");
}

// The program `logdepth` from outside: the levels of an automaton, and a word on its way through
// them.

class Levels : public support::CommandLine {
 protected:
  json inspected(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "inspect");
    arguments.emplace_back("--json");
    return json::parse(done(arguments));
  }
  void refuses(std::vector<std::string> arguments, int status, const std::string& why) const {
    arguments.insert(arguments.begin(), "inspect");
    const support::Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, status) << finished.out;
    EXPECT_NE(finished.err.find(why), std::string::npos) << finished.err;
  }
};

TEST_F(Levels, ArePrintedFromTheFirstDown) {
  const std::string text = done({"inspect", "--group", "T3"});
  EXPECT_NE(
      text.find("levels     2, by holonomy (Eilenberg 1976)\n"
                "level 1: 3 coordinates {0,1} {0,2} {1,2}, 1 reset, 2 permutations of a group "
                "of order 6: Z2, Z3, 1 context\n"
                "level 2: 2 coordinates {0} {2}, 1 reset, 1 permutation of a group of order "
                "2: Z2, 3 contexts\n"),
      std::string::npos)
      << text;
  const json t3 = inspected({"--group", "T3"})["levels"];
  ASSERT_EQ(t3.size(), 2u);
  EXPECT_EQ(t3[0], (json{{"height", 2},
                         {"coordinates", {"{0,1}", "{0,2}", "{1,2}"}},
                         {"resets", 1},
                         {"permutations", 2},
                         {"group", {{"order", 6}, {"steps", {{2}, {3}}}}},
                         {"contexts", 1}}));
  EXPECT_TRUE(inspected({"--group", "A5"})["levels"][0]["group"]["steps"].is_null());
  EXPECT_EQ(inspected({"--regex", "(a(a(ab)*b)*b)*"})["levels"].size(), 4u);
  EXPECT_NE(done({"inspect", "--regex", "(a|b)*"}).find("levels     none: there is one state\n"),
            std::string::npos);
  // The points of a product are not reached from each other: its products stand for them.
  EXPECT_EQ(inspected({"--group", "Z2_x_Z3"})["levels"][0]["coordinates"].size(), 6u);
}

TEST_F(Levels, OfAWordAreATableOfItsPrefixes) {
  const std::string text =
      done({"inspect", "--dot", example("automata/tomita4.dot"), "--word", "01000"});
  const std::size_t begin = text.find("letter  ");
  const std::string table = text.substr(begin, text.find("\n\n", begin) + 1 - begin);
  std::vector<std::string> states;
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    const std::string line = table.substr(at, table.find('\n', at) - at);
    states.push_back(line.substr(line.rfind("  ") + 2));
  }
  EXPECT_EQ(states,
            (std::vector<std::string>{"state", "none", "one", "none", "one", "two", "no state"}))
      << table;
  const json run = inspected({"--dot", example("automata/tomita4.dot"), "--word", "01000"})["run"];
  ASSERT_EQ(run.size(), 6u);
  EXPECT_TRUE(run[0]["changes"].is_null());
  EXPECT_EQ(run[5]["state"], 3);
  EXPECT_EQ(run[5]["letter"], "0");
  EXPECT_EQ(run[5]["changes"].size(), run[5]["coordinates"].size());
}

TEST_F(Levels, RefuseWhatDoesNotFit) {
  refuses({"--regex", "(a|b)*abb", "--word", "abc"}, 2, "--word: ");
  refuses({"--regex", "(a|b)*a(a|b){13}", "--word", "ab"}, 3, "the limit");
  const json large = inspected({"--regex", "(a|b)*a(a|b){13}"});
  EXPECT_TRUE(large["levels"].is_null());
  EXPECT_NE(done({"inspect", "--regex", "(a|b)*a(a|b){13}"})
                .find("levels     not known: " + large["levels_refusal"].get<std::string>() + '\n'),
            std::string::npos);
  EXPECT_TRUE(folder.names().empty());
}

// Files that read the state after every prefix, from outside: run, test, draw, info, diff and the runner
// in Python.

const std::string kProgram =
    support::source_dir() + "/tests/programs/the_state_of_a_flip_flop.cells";
constexpr const char* kRight = "(s|r|t|k)*sk*";

class States : public support::CommandLine {
 protected:
  States() { compile(read_whole_file(kProgram), "states.json"); }
  void compile(const std::string& text, const std::string& name) const {
    folder.write("program.cells", text);
    done({"compile", "program", "program.cells", "-o", name});
  }
  /// The program with another last line.
  static std::string with_prefix(const std::string& line) {
    const std::string text = read_whole_file(kProgram);
    return text.substr(0, text.rfind("prefix state")) + line + "\n";
  }
  Finished python(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {support::python(),
                                    support::source_dir() + "/examples/exact_runner.py"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return support::run_process(all, folder.path(), "");
  }
};

TEST_F(States, AreNamedInTextAndNumberedInJson) {
  EXPECT_EQ(done({"run", "states.json", "--input", "rskt", "--prefixes"}),
            "\"off\"\n\"on\"\n\"on\"\n\"off\"\n");
  const json out =
      json::parse(done({"run", "states.json", "--input", "rskt", "--prefixes", "--json"}));
  EXPECT_EQ(out["results"][0]["prefixes"], json({0, 1, 1, 0}));
  EXPECT_EQ(done({"run", "states.json", "--batch", "-", "--prefixes"}, "s\n\nkk\n"),
            "\"on\"\n\n\n\"off\"\n\"off\"\n");
  EXPECT_EQ(done({"run", "states.json", "--input", "sk", "--prefixes", "--engine", "float64"}),
            "\"on\"\n\"on\"\n");
  compile(with_prefix("prefix state last 3 0 0 1"), "numbers.json");
  EXPECT_EQ(done({"run", "numbers.json", "--input", "rs", "--prefixes"}), "\"off\"\n3\n");
}

TEST_F(States, AreWhatTheRunnerInPythonReads) {
  EXPECT_EQ(python({"states.json", "rskt", "kk", "--prefixes"}).out, "0\n1\n1\n0\n0\n0\n");
}

TEST_F(States, AreComparedByTestWhereTheOracleKnowsTheAutomaton) {
  const std::string said =
      done({"test", "states.json", "--against", kRight, "--up-to", "3", "--random", "0"});
  EXPECT_NE(said.find("27 accepted; checked 228 states and "), std::string::npos) << said;
  const json out = json::parse(done(
      {"test", "states.json", "--against", kRight, "--up-to", "3", "--random", "0", "--json"}));
  EXPECT_EQ(out["prefixes"], 1 * 4 + 2 * 16 + 3 * 64);
  EXPECT_EQ(out["prefix_kind"], "state");
}

TEST_F(States, ThatAreExchangedFailATest) {
  compile(with_prefix("prefix state last 0 1 1 1"), "exchanged.json");
  const Finished finished = logdepth({"test", "exchanged.json", "--against", kRight});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("'s' (1 letter, shrunk from 1): expected state after the first 1 "
                              "letter 1, found 0"),
            std::string::npos)
      << finished.out;
  const Finished differs =
      logdepth({"diff", "exchanged.json", "--input", "s", "--program", kProgram});
  EXPECT_EQ(differs.status, 1) << differs.out << differs.err;
  EXPECT_NE(differs.out.find("token 0, cell prefix: expected 0, found 1"), std::string::npos)
      << differs.out;
}

TEST_F(States, ThatNoOracleKnowsAreNotComparedAndATestSaysSo) {
  folder.write("oracle.py",
               "import sys\n"
               "for line in sys.stdin:\n"
               "    rest = line.strip().rstrip('k')\n"
               "    print('accept' if rest.endswith('s') else 'reject', flush=True)\n");
  const std::string said = done({"test", "states.json", "--against",
                                 std::string("command:") + support::python() + " oracle.py",
                                 "--up-to", "2", "--random", "0"});
  EXPECT_NE(said.find("no state was compared: the oracle has no states"), std::string::npos)
      << said;
}

TEST_F(States, StandInTheClaimSheetAndUnderTheTokensOfAPicture) {
  EXPECT_NE(
      done({"info", "states.json"}).find("prefixes      the state after every letter, one of 2\n"),
      std::string::npos);
  EXPECT_EQ(json::parse(done({"info", "states.json", "--json"}))["states"], 2);
  done({"draw", "states.json", "--input", "rsk", "--against", kRight, "-o", "right.svg"});
  const std::string right = folder.read("right.svg");
  for (const char* text : {">state<", ">on<", ">off<"})
    EXPECT_NE(right.find(text), std::string::npos) << text;
  EXPECT_EQ(right.find("class=\"wrong\""), std::string::npos);
  compile(with_prefix("prefix state last 0 1 1 1"), "exchanged.json");
  done({"draw", "exchanged.json", "--input", "rsk", "--against", kRight, "-o", "wrong.svg"});
  EXPECT_NE(folder.read("wrong.svg").find("3 states are wrong, the first at token 1"),
            std::string::npos);
  EXPECT_EQ(logdepth({"draw", "states.json", "-o", "network.svg"}).status, 0);
  EXPECT_NE(folder.read("network.svg").find("the state after its prefix,"), std::string::npos);
}

}}  // namespace logdepth::command_line_automata_tests
