// The program `logdepth` from outside: what inspect says of J-classes, groups and circuits, and
// its picture.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_algebra_tests {
namespace {

using nlohmann::json;

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

TEST_F(Algebra, DrawsEggboxesAndRefusesOtherFormsAndLargeMonoids) {
  done({"inspect", "--group", "T3", "--eggbox", "t3.svg"});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(folder.read("t3.svg").c_str()));
  EXPECT_EQ(document.select_nodes("//rect[@fill='#DCEBF5']").size(), 10u);
  const auto html = logdepth({"inspect", "--group", "T3", "--eggbox", "t3.html"});
  EXPECT_EQ(html.status, 2);
  EXPECT_NE(html.err.find(".svg, .pdf, .png"), std::string::npos) << html.err;
  const auto large = logdepth({"inspect", "--group", "S8", "--eggbox", "s8.svg"});
  EXPECT_EQ(large.status, 3);
  EXPECT_NE(large.err.find("20000"), std::string::npos) << large.err;
  EXPECT_EQ(folder.names(), std::set<std::string>{"t3.svg"});
}

}  // namespace
}  // namespace logdepth::command_line_algebra_tests
