// What reads graphs or divides, from the library: tests that find what is wrong, pictures that are
// the program's; oracles by the names of the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "logdepth/constructions.hpp"
#include "logdepth/draw.hpp"
#include "logdepth/test.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::graph_and_division_tests { namespace {

using support::changed, support::refusal;

/// A way from source to target, by one edge after the other.
bool connected(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  std::vector<bool> reached(graph.vertices);
  reached[source] = true;
  for (std::uint32_t round = 0; round < graph.vertices; ++round)
    for (const auto& [from, to] : graph.edges)
      if (reached[from]) reached[to] = true;
  return reached[target];
}

TEST(TestsOfGraphs, AgreeWithSearches) {
  const Transformer reach = compile_connectivity();
  const GraphTestResult searched = test_graphs(reach, {.random = 6, .max_size = 4});
  EXPECT_TRUE(searched.passed()) << searched.text();
  EXPECT_EQ(searched.exhaustive_graphs, 2u + 10 + 104) << "graphs of up to three vertices, renamed";
  EXPECT_EQ(searched.random_graphs, 6u);
  EXPECT_GT(searched.connected, 0u);
  EXPECT_GT(searched.pairs, searched.connected);
  EXPECT_GT(searched.promises, searched.pairs);
  const GraphTestResult asked = test_graphs(reach, connected, {.random = 6, .max_size = 4});
  EXPECT_TRUE(asked.passed()) << asked.text();
  EXPECT_EQ(asked.connected, searched.connected);
  EXPECT_EQ(test_graphs(reach, {.random = 0, .undirected = true}).exhaustive_graphs, 2u + 6 + 20)
      << "2 graphs of one vertex, 8 of two";
}

TEST(TestsOfGraphs, ShrinkWhatIsWrong) {
  const Transformer reach = compile_connectivity();
  const auto neighbours = [](const DirectedGraph& graph, std::uint32_t source,
                             std::uint32_t target) {
    return source == target ||
           std::ranges::find(graph.edges, std::pair(source, target)) != graph.edges.end();
  };
  const GraphTestResult found = test_graphs(reach, neighbours, {.up_to = 2, .random = 20});
  ASSERT_FALSE(found.passed());
  EXPECT_GE(found.wrong->graph.vertices, 3u);
  EXPECT_EQ(found.wrong->graph.edges.size(), found.wrong->graph.vertices - 1) << "more than a way";
  EXPECT_TRUE(connected(found.wrong->graph, found.wrong->source, found.wrong->target));
  EXPECT_EQ(found.wrong->got, "connected");
  EXPECT_NE(found.text().find(" vertices with "), std::string::npos) << found.text();
  EXPECT_NE(refusal([] { test_graphs(compile_regular({.regex = "a"})); }), "nothing was refused");
}

TEST(TestsOfDivisions, FindExchangedOutputs) {
  const Transformer division = compile_division({.own_argument = true});
  const DivisionTestResult right = test_division(division, {.up_to = 5, .random = 2});
  EXPECT_TRUE(right.passed()) << right.text();
  EXPECT_EQ(right.random_inputs, 2u);
  EXPECT_GT(right.divisions, 15u);
  EXPECT_EQ(right.unasked, std::vector<std::string>{});
  std::string text = division.text();
  text = std::regex_replace(text, std::regex("\"quotient\\."), "\"x.");
  text = std::regex_replace(text, std::regex("\"remainder\\."), "\"quotient.");
  text = std::regex_replace(text, std::regex("\"x\\."), "\"remainder.");
  ASSERT_NE(text, division.text());
  const DivisionTestResult wrong = test_division(changed(division, text), {.up_to = 5});
  ASSERT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.wrong->dividends.size(), 2u) << wrong.text();
  EXPECT_NE(wrong.wrong->expected, wrong.wrong->got);
  EXPECT_NE(refusal([] { test_division(compile_connectivity()); }), "nothing was refused");
}

class AgainstTheProgram : public support::OutsideTheTree {
 protected:
  std::string program(std::vector<std::string> command) const {
    command.insert(command.begin(), LOGDEPTH_BINARY);
    return support::run_process(command, folder.path()).err;
  }
};

TEST_F(AgainstTheProgram, OraclesHaveTheSameNames) {
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  abb.save(folder.file("abb.json"));
  folder.write("abb.crasp", "nonsense\n");
  folder.write("b.fst", "0 0 a\n0 1 b\n1 1 b\n1 0 a\n1\n");
  folder.write("answers.sh",
               "#!/bin/sh\nwhile read -r w; do case \"$w\" in *abb) echo accept;; *) "
               "echo reject;; esac; done\n");
  done({"chmod", "+x", "answers.sh"});
  const TestedWords few = {.up_to = 4, .random = 5};
  for (const std::string& right : {std::string("regex:(a|b)*abb"), std::string("(a|b)*abb"),
                                   "command:" + folder.file("answers.sh")})
    EXPECT_TRUE(test_against(abb, right, few).passed()) << right;
  const TestResult wrong = test_against(abb, "fst:" + folder.file("b.fst"), few);
  ASSERT_FALSE(wrong.passed());
  EXPECT_EQ(wrong.wrong->word, Letters{"b"});
  EXPECT_FALSE(test_against(abb, folder.file("b.fst"), few).passed());
  for (const std::string& none :
       {std::string("group:Foo"), std::string("graph:reachability"), std::string("division"),
        std::string("("), std::string("command:"), std::string("fst:missing.fst"), std::string(),
        folder.file("abb.json"), "crasp:" + folder.file("abb.crasp")}) {
    const std::string said = refusal([&] { test_against(abb, none, few); });
    EXPECT_EQ(program({"test", "abb.json", "--against", none}), "logdepth: " + said + "\n");
  }
}

TEST_F(AgainstTheProgram, RunsOnGraphsAreDrawnAlike) {
  const DirectedGraph graph = {2, {{0, 1}}};
  folder.write("g.edges", "0\n1\n0 1\n");
  // The last does not say what it knows of a graph: drawn is who attends where.
  const std::vector<Transformer> all = {compile_connectivity(),
                                        compile_connectivity({.construction = "rows", .size = 2}),
                                        compile_connectivity({.construction = "radix", .size = 2})};
  std::set<std::string> pictures;
  for (const Transformer& reach : all) {
    reach.save(folder.file("reach.json"));
    for (const char* file : {"program.svg", "program.html"})
      program({"draw", "reach.json", "--graph", "g.edges", "--source", "0", "--target", "1", "-o",
               file});
    EXPECT_EQ(svg(reach, graph, 0, 1), folder.read("program.svg"));
    draw(reach, graph, 0, 1, folder.file("library.html"));
    EXPECT_EQ(folder.read("library.html"), folder.read("program.html"));
    pictures.insert(svg(reach, graph, 0, 1));
    EXPECT_NE(svg(reach, graph, 0, 1), svg(reach, graph, 1, 0));
  }
  EXPECT_EQ(pictures.size(), all.size());
  EXPECT_NE(refusal([&] { svg(all[0], graph, 0, 3); }).find("2 vertices"), std::string::npos);

  const Transformer division = compile_division({.own_argument = true});
  division.save(folder.file("division.json"));
  folder.write("s.txt", "i.0 i.1 m.0 m.1\n0 1 2 1\n1 1 2 1\n");
  const RawStreams streams(
      {{"i.0", {"0", "1"}}, {"i.1", {"1", "1"}}, {"m.0", {"2", "2"}}, {"m.1", {"1", "1"}}});
  program({"draw", "division.json", "--cells", "s.txt", "-o", "streams.svg"});
  draw(division, streams, folder.file("library.svg"));
  EXPECT_EQ(folder.read("library.svg"), folder.read("streams.svg"));
  EXPECT_EQ(svg(division, streams), folder.read("streams.svg"));
}

}}  // namespace logdepth::graph_and_division_tests
