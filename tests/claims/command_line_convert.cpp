// `logdepth convert`, and the formats that it writes wherever an automaton or a graph is named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_convert_tests {
namespace {

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

TEST_F(Convert, AFileOfMataInPlaceOfWeightsIsNamed) {
  refuses({"info", example("automata/ends_in_abb.mata")},
          example("automata/ends_in_abb.mata") +
              ": expected a weights file, found an automaton of Mata's; `logdepth compile regular "
              "--mata` makes weights of it");
}

}  // namespace
}  // namespace logdepth::command_line_convert_tests
