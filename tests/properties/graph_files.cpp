// Readers of graph files: what every format says about the same graph, what is read back after
// writing, and the files under examples/.

#include "objects/graph_files.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/places.hpp"

namespace logdepth::graph_files_tests {
namespace {

using namespace support;

/// 1 -> 2, 2 -> 3, 3 -> 1, a self-loop at 3, and 4 alone.
Graph small_graph() {
  Graph graph = numbered_graph(4);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 0);
  graph.add_edge(2, 2);
  return graph;
}

const std::map<std::string, std::string>& small_graph_in_every_format() {
  static const std::map<std::string, std::string> texts = {
      {"g.edges", "# a comment\n% another\n\n1 2 1\n2\t3 0.5\r\n  3 1 -1e3\n3 3 0\n4"},
      {"g.dot",
       "/* a comment */ digraph G {\n node [shape=circle];\n 1 -> 2 -> 3 -> 1 [label=\"x\"];\n"
       " 3 -> 3; 4 // alone\n}\n"},
      {"g.graphml",
       "<?xml version=\"1.0\"?><!-- a comment -->\n<graphml>\n"
       "<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
       "<graph id=\"G\" edgedefault=\"directed\"><node id=\"1\"/><node id=\"2\"/><node id=\"3\"/>\n"
       "<node id=\"4\"><data key=\"no such key\">x</data></node>\n"
       "<edge source=\"1\" target=\"2\"><data key=\"w\">not a number</data></edge>\n"
       "<edge source=\"2\" target=\"3\"/><edge source=\"3\" target=\"1\"/>\n"
       "<edge source=\"3\" target=\"3\"/></graph></graphml>\n"},
      {"g.gml",
       "Creator \"a [ b ] \" # a comment\nVersion 1\ngraph [ directed 1 label \"G\"\n"
       " node [ id 10 label \"1\" ] node [ id 2 ]\n node [\n  id 30 label \"3\"\n"
       "  graphics [ x 1.5 y [ z \"]\" ] ]\n ]\n node [ label \"4\" id 4 ]\n"
       " edge [ source 10 target 2 value 0.5 ] edge [ target 30 source 2 ]\n"
       " edge [ source 30 target 10 ] edge [ source 30 target 30 ]\n]# the end"},
      {"g.gr", "c a comment\np sp 4 4\na 1 2 5\na 2 3 5\na 3 1 5\na 3 3 5\n"},
      {"g.max", "c a comment\n\np max 4 4\nn 1 s\nn 4 t\na 1 2 5\na 2 3 5\na 3 1 5\na 3 3 5\n"},
      {"g.mtx",
       "%%MatrixMarket matrix coordinate real general\n% a comment\n4 4 6\n1 2 0.5\n2 3 -1e-400\n"
       "3 1 1\n3 3 2.\n4 4 0.0e5\n1 4 -0\n"},
  };
  return texts;
}

TEST(GraphFiles, EveryFormatReadsTheSameGraph) {
  for (const auto& [name, text] : small_graph_in_every_format())
    EXPECT_EQ(read_graph(text, name), small_graph()) << name;
}

TEST(GraphFiles, TheContentSaysTheFormatWhereTheNameDoesNot) {
  for (const auto& [name, text] : small_graph_in_every_format())
    for (const std::string source : {"standard input", "graph", "v1.5/graph", "graph.data"})
      EXPECT_EQ(read_graph(text, source), small_graph()) << name << " as " << source;
  EXPECT_EQ(read_graph("strict graph\n{ a -- b }", "g").size(), 2u);
  EXPECT_EQ(read_graph("graph b\ndigraph c\n", "g").size(), 4u) << "an edge list";
}

TEST(GraphFiles, TheNameSaysTheFormatInEitherCase) {
  EXPECT_EQ(read_graph("p q", "/some.where/G.EDGES").size(), 2u);
  EXPECT_EQ(read_graph("digraph { p -> q }", "x.y.GV").size(), 2u);
}

TEST(GraphFiles, AnUndirectedFileGivesBothDirections) {
  Graph path = numbered_graph(3);
  path.add_edge(0, 1);
  path.add_edge(1, 2);
  path.add_edge(2, 2);
  Graph both = path;
  both.make_undirected();
  EXPECT_EQ(both.edge_count(), 5u);
  const std::map<std::string, std::string> undirected = {
      {"g.dot", "graph { 1 -- 2 -- 3; 3 -- 3 }"},
      {"g.graphml",
       "<graphml><graph edgedefault=\"undirected\"><node id=\"1\"/><node id=\"2\"/><node "
       "id=\"3\"/><edge source=\"1\" target=\"2\"/><edge source=\"2\" target=\"3\"/>"
       "<edge source=\"3\" target=\"3\"/></graph></graphml>"},
      {"h.graphml",
       "<graphml><graph edgedefault=\"directed\"><node id=\"1\"/><node id=\"2\"/><node "
       "id=\"3\"/><edge source=\"1\" target=\"2\" directed=\"false\"/><edge source=\"2\" "
       "target=\"3\" directed=\"false\"/><edge source=\"3\" target=\"3\" directed=\"false\"/>"
       "</graph></graphml>"},
      {"g.gml",
       "graph\n[ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 ]\n"
       "edge [ source 3 target 2 ] edge [ source 3 target 3 ] ]"},
      {"h.gml",
       "graph [ directed 0 node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 2 target 1 ]\n"
       "edge [ source 3 target 2 ] edge [ source 3 target 3 ] ]"},
      {"g.col", "p edge 3 3\ne 1 2\ne 2 3\ne 3 3\n"},
      {"h.col", "p col 3 4\ne 1 2\ne 2 1\ne 2 3\ne 3 3\n"},
      {"g.mtx",
       "%%MatrixMarket MATRIX Coordinate integer symmetric\n3 3 3\n2 1 1\n3 2 1\n3 3 1\n"}};
  for (const auto& [name, text] : undirected) EXPECT_EQ(read_graph(text, name), both) << name;
  for (const auto& [name, text] : small_graph_in_every_format()) {
    Graph expected = small_graph();
    expected.make_undirected();
    EXPECT_EQ(read_graph(text, name, true), expected) << name;
  }
}

/// As networkx 3.4 writes the path 0 -> 1 -> 2 by write_edgelist, with and without data.
TEST(GraphFiles, EdgesWithDataOfNetworkxAreRead) {
  Graph path;
  for (const char* name : {"0", "1", "2"}) path.add_vertex(name);
  path.add_edge(0, 1);
  path.add_edge(1, 2);
  for (const char* text : {"0 1 {'weight': 4}\n1 2 {'weight': 2.5, 'name': 'a b'}\n",
                           "0 1 {}\n1 2 {}\n", "# edge list\n0 1 {}\n1 2\n"}) {
    EXPECT_EQ(read_graph(text, "g.edgelist"), path) << text;
    EXPECT_EQ(read_graph(text, "standard input"), path) << text;
  }
}

TEST(GraphFiles, NamesOfGmlHaveTheirCharactersAsEntities) {
  const Graph graph = read_graph(
      "graph [ node [ id 1 label \"&#233;&#x65E5; &amp;&quot;&lt;&#38;lt;\" ] node [ id 2 label "
      "\"&#0;&#xD800;&nbsp;&#12x; & &;\" ] ]",
      "g.gml");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"\xC3\xA9\xE6\x97\xA5 &\"<&lt;",
                                                     "&#0;&#xD800;&nbsp;&#12x; & &;"}));
}

TEST(GraphFiles, AnAdjacencyListHasTheTargetsOfAVertexOnItsLine) {
  EXPECT_EQ(read_graph("# networkx\n1 2\n2 3\n3 1 3\n4\n", "g.adjlist"), small_graph());
  EXPECT_EQ(read_graph("a b c d\n", "g.adj").edge_count(), 3u);
}

TEST(GraphFiles, OneVertexIsAGraph) {
  const std::map<std::string, std::string> texts = {
      {"g.edges", "# edge list\n1"},
      {"g.dot", "digraph { 1 }"},
      {"g.graphml", "<graphml><graph edgedefault=\"directed\"><node id=\"1\"/></graph></graphml>"},
      {"g.col", "p edge 1 0"},
      {"g.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0"}};
  for (const auto& [name, text] : texts)
    EXPECT_EQ(read_graph(text, name), numbered_graph(1)) << name;
}

TEST(GraphFiles, VerticesAreInOrderOfAppearanceAndThoseOfDotByName) {
  EXPECT_EQ(read_graph("# edge list\nb a\nc\na 7\n", "g.edges").names(),
            (std::vector<std::string>{"b", "a", "c", "7"}));
  EXPECT_EQ(read_graph("<graphml><graph edgedefault=\"directed\"><node id=\"b\"/><edge "
                       "source=\"a\" target=\"b\"/><node id=\"a\"/></graph></graphml>",
                       "g.xml")
                .names(),
            (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(read_graph("digraph { b -> 10 -> 9 -> a }", "g.dot").names(),
            (std::vector<std::string>{"9", "10", "a", "b"}));
}

TEST(GraphFiles, DotSubgraphsPortsAndStrictGraphsAreRead) {
  const Graph graph = read_graph(
      "strict digraph \"G\" { subgraph cluster_0 { a:n -> b:s; c } a -> b; \"New York\" -> a }",
      "g.dot");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"New York", "a", "b", "c"}));
  EXPECT_EQ(graph.edge_count(), 2u);
}

TEST(GraphFiles, DotAttributesAreNotLookedAt) {
  EXPECT_EQ(read_graph("graph { node [x=]; a -- b [=, \"]\" /* ] */ c -- d] }", "g.dot").names(),
            (std::vector<std::string>{"a", "b"}));
}

TEST(GraphFiles, AByteOrderMarkIsNoVertex) {
  EXPECT_EQ(read_graph("\xEF\xBB\xBF"
                       "1 2",
                       "g.edges")
                .names(),
            (std::vector<std::string>{"1", "2"}));
}

TEST(GraphFiles, TheExamplesAreRead) {
  struct Example {
    std::string name;
    std::size_t vertices, edges;
  };
  const auto path = [](const std::string& name) {
    return support::source_dir() + "/examples/graphs/" + name;
  };
  const auto read = [&](const std::string& name) {
    return read_graph(read_whole_file(path(name)), path(name));
  };
  for (const Example& example : {Example{"cities.edges", 9, 9}, Example{"modules.dot", 9, 7},
                                 Example{"bridges.graphml", 5, 10},
                                 Example{"two_triangles.col", 6, 12}, Example{"cycle.mtx", 5, 6}}) {
    EXPECT_EQ(read(example.name).size(), example.vertices) << example.name;
    EXPECT_EQ(read(example.name).edge_count(), example.edges) << example.name;
  }
  const Graph cities = read("cities.edges");
  const auto pairs = read_pairs(read_whole_file(path("pairs.txt")), "pairs.txt");
  EXPECT_EQ(pairs.size(), 5u);
  for (const auto& [source, target] : pairs)
    EXPECT_TRUE(cities.vertex(source) && cities.vertex(target)) << source << " " << target;
}

TEST(GraphFiles, ABatchOfPairsSkipsCommentsAndBlankLines) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(read_pairs("# asked\na b\r\n\n \t\n  b\ta", "pairs.txt"),
            (Pairs{{"a", "b"}, {"b", "a"}}));
  EXPECT_EQ(read_pairs("", "pairs.txt"), Pairs{});
}

/// Names that some format could stumble over; those of an edge list have no white space.
const std::vector<std::string> kTokens = {
    "a",    "b",    "10",   "9",    "\xC3\xA9", "->",  "--", "digraph", "node", "<b>",
    "a&b;", "x\"y", "p,q",  "a->b", "0",        "007", "-3", "n#1",     "'",    "\xF0\x9F\x90\x88",
    "{}",   "a=b",  "edge", "]]>"};
const std::vector<std::string> kPhrases = {"New York", "a  b", " lead", "trail ", "/* no */"};

Graph draw_graph(const std::vector<std::string>& names) {
  const auto size = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(1, 13));
  const auto chosen =
      *rc::gen::container<std::vector<std::string>>(size, rc::gen::elementOf(names));
  Graph graph;
  for (const std::string& name : chosen) graph.add_vertex(name);
  const auto edges = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 1000), rc::gen::inRange(0, 1000)));
  const auto vertex = [&](int number) {
    return static_cast<Vertex>(static_cast<std::size_t>(number) % graph.size());
  };
  for (const auto& [from, to] : edges) graph.add_edge(vertex(from), vertex(to));
  return graph;
}

Graph draw_numbered_graph() {
  const Graph drawn = draw_graph(kTokens);
  Graph graph = numbered_graph(drawn.size());
  for (Vertex from = 0; from < drawn.size(); ++from)
    for (Vertex to = 0; to < drawn.size(); ++to)
      if (drawn.has_edge(from, to)) graph.add_edge(from, to);
  return graph;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = kTokens;
  names.insert(names.end(), kPhrases.begin(), kPhrases.end());
  return names;
}

RC_GTEST_PROP(GraphFiles, WrittenEdgeListsAreReadBack, ()) {
  const Graph graph = draw_graph(kTokens);
  const std::string text = edge_list_text(graph);
  RC_LOG() << text;
  RC_ASSERT(read_graph(text, "g.edges") == graph);
}

RC_GTEST_PROP(GraphFiles, WrittenDotFilesAreReadBack, ()) {
  const Graph graph = draw_graph(all_names());
  const std::string text = dot_text(graph);
  RC_LOG() << text;
  RC_ASSERT(same_graph(read_graph(text, "g.dot"), graph));
}

RC_GTEST_PROP(GraphFiles, WrittenGraphmlFilesAreReadBack, ()) {
  const Graph graph = draw_graph(all_names());
  const std::string text = graphml_text(graph);
  RC_LOG() << text;
  RC_ASSERT(read_graph(text, "g.graphml") == graph);
}

RC_GTEST_PROP(GraphFiles, WrittenDimacsFilesAreReadBack, ()) {
  const Graph graph = draw_numbered_graph();
  const std::string text = dimacs_text(graph);
  RC_LOG() << text;
  RC_ASSERT(read_graph(text, "g.gr") == graph);
}

RC_GTEST_PROP(GraphFiles, WrittenMatrixMarketFilesAreReadBack, ()) {
  const Graph graph = draw_numbered_graph();
  const std::string text = matrix_market_text(graph);
  RC_LOG() << text;
  RC_ASSERT(read_graph(text, "g.mtx") == graph);
}

/// Random bytes inserted, deleted or replaced: a graph or one of the two errors, never a crash.
RC_GTEST_PROP(GraphFiles, DamagedFilesAreReadOrRefused, ()) {
  const auto& texts = small_graph_in_every_format();
  const auto entry = std::next(texts.begin(), *rc::gen::inRange<std::ptrdiff_t>(
                                                  0, static_cast<std::ptrdiff_t>(texts.size())));
  std::string text = entry->second;
  const int changes = *rc::gen::inRange(1, 6);
  for (int change = 0; change < changes; ++change) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto length = std::min(*rc::gen::inRange<std::size_t>(0, 12), text.size() - at);
    const auto by = *rc::gen::element<std::string>("", "", "{", "}", "<", "\"", "-", "9999999999",
                                                   "\n", std::string(1, '\0'), "\xFF", "->", "[",
                                                   "&#0;", "<graph>", "e 1 2\n", " 1 ", "\\");
    text.replace(at, length, by);
  }
  RC_LOG() << entry->first << "\n" << text;
  try {
    RC_ASSERT(read_graph(text, entry->first).size() > 0u);
  } catch (const InputError&) {
  } catch (const SizeLimit&) {
  }
}

}  // namespace
}  // namespace logdepth::graph_files_tests
