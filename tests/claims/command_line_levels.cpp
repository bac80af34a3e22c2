// The program `logdepth` from outside: the levels of an automaton, and a word on its way through
// them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_levels_tests {
namespace {

using nlohmann::json;

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

TEST_F(Levels, AreDrawnInTheFormOfTheName) {
  const std::vector<std::string> dyck = {"inspect", "--regex", "(a(ab)*b)*", "--word", "aabbab"};
  for (const char* name : {"one.svg", "one.html"}) {
    auto arguments = dyck;
    arguments.insert(arguments.end(), {"--levels", name});
    done(arguments);
    EXPECT_NE(folder.read(name).find("<svg"), std::string::npos);
  }
  EXPECT_NE(folder.read("one.html").find("level 2 kept, as level 1 says"), std::string::npos);
}

TEST_F(Levels, RefuseWhatDoesNotFit) {
  refuses({"--regex", "(a|b)*abb", "--levels", "one.svg"}, 2, "--levels requires --word");
  refuses({"--regex", "(a|b)*abb", "--word", "abc"}, 2, "--word: ");
  refuses({"--regex", "(a|b)*abb", "--word", "ab", "--levels", "one.txt"}, 2,
          "one.txt: expected a name that ends in .svg, .html, .pdf, .png");
  refuses({"--regex", "(a|b)*abb", "--word", std::string(201, 'a'), "--levels", "one.svg"}, 3,
          "a picture shows words of at most 200 letters, not of 201");
  refuses({"--regex", "(a|b)*a(a|b){13}", "--word", "ab"}, 3, "the limit");
  const json large = inspected({"--regex", "(a|b)*a(a|b){13}"});
  EXPECT_TRUE(large["levels"].is_null());
  EXPECT_NE(done({"inspect", "--regex", "(a|b)*a(a|b){13}"})
                .find("levels     not known: " + large["levels_refusal"].get<std::string>() + '\n'),
            std::string::npos);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace logdepth::command_line_levels_tests
