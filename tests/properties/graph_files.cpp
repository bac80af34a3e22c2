// Readers of graph files: what every format says about the same graph, what is read back after
// writing, and the files under examples/.
#include "objects/graph_files.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::graph_files_tests { namespace {

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
      {"g.edges", "# a comment\n% another\n\n1 2 1\n2\t3\t0.5\r\n  3 1 -1e3\n3 3 0\n4"},
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

TEST(GraphFiles, DotEdgesOfBracesAndHtmlAreRead) {
  const auto same = [](const std::string& text, const std::string& plain) {
    EXPECT_EQ(read_graph(text, "g.dot"), read_graph(plain, "g.dot")) << text;
  };
  same("digraph { {rank=same; p; q}\n p -> q [label=<<b>a</b> &gt; 0>] }", "digraph { p -> q }");
  same("digraph { a -> {b c} }", "digraph { a -> b; a -> c }");
  same("digraph { {b; c} -> a [x=1]; }", "digraph { b -> a; c -> a }");
  same("graph { subgraph x {b, c} -- {rank=min d e} -- a }",
       "graph { b -- d -- c -- e -- b; d -- a -- e }");
  same("digraph { a:n:s -> subgraph {b} -> c:w; d }", "digraph { a -> b -> c; d }");
  same("digraph { a -> {}; {} -> {} ; {b}}", "digraph { a; b }");
  same("digraph { label=<a -- <i>\"</i>>; subgraph s { a { b } } }", "digraph { a; b }");
  same("digraph { a -> {b -> c}; {d [x=1]; {e}} -> a }",
       "digraph { a -> b -> c; a -> c; d -> a; e -> a }");
  same("digraph { SubGraph x {b; c}; a -> subgraph \"x\" -> {subgraph x} }",
       "digraph { a -> b -> b; a -> c -> c; b -> c -> b }");
  EXPECT_EQ(
      read_graph("digraph { \"subgraph\" -> \"{\"; -1 -> .5:n -> 2. -> \"a\" + \"b\" -> \u00E9 }",
                 "g.dot")
          .names(),
      (std::vector<std::string>{"-1", ".5", "2.", "ab", "subgraph", "{", "\u00E9"}));
}

TEST(GraphFiles, DotAttributesAreNotLookedAt) {
  EXPECT_EQ(
      read_graph("graph { node [x=1]; a -- b [y, \"]\" = 2 /* ] */ z=c; t=d] [u=<v>] }", "g.dot")
          .names(),
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

TEST(GraphFiles, ABatchOfPairsHasNamesWithBlanksBetweenTabs) {
  EXPECT_EQ(read_pairs("New York\tRoom 1\n a \t b\n", "pairs.txt"),
            (std::vector<std::pair<std::string, std::string>>{{"New York", "Room 1"}, {"a", "b"}}));
}

TEST(GraphFiles, ABatchOfPairsSkipsCommentsAndBlankLines) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(read_pairs("# asked\na b\r\n\n \t\n  b\ta", "pairs.txt"),
            (Pairs{{"a", "b"}, {"b", "a"}}));
  EXPECT_EQ(read_pairs("", "pairs.txt"), Pairs{});
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

// Graphs written in every format and read back, and the texts themselves.

using namespace support;

/// Those without blanks, and not from # or %, first: an edge list has only such names.
const std::vector<std::string> kNames = {
    "a->b",     "a=b",     "edge",   "b",   "a",    "10",      "9",   "\xC3\xA9", "->",
    "--",       "digraph", "node",   "<b>", "a&b;", "x\"y",    "p,q", "0",        "007",
    "-3",       "n#1",     "'",      "{}",  "a\\b", "]]>",     "e",   "c",        "{\"nodes\"}",
    "New York", " lead",   "trail ", "#1",  "%",    "/* no */"};
constexpr std::size_t kNamesOfOneWord = 27;

Graph draw_graph(std::size_t possible_names) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> names(kNames.begin(),
                                 kNames.begin() + static_cast<long>(possible_names));
  std::shuffle(names.begin(), names.end(), random);
  names.resize(1 + random() % 9);
  return random_graph(random, names, *rc::gen::element(0.0, 0.1, 0.4));
}

/// The same edges between vertices 1 to n, in their order.
Graph numbered(const Graph& graph) {
  Graph result = numbered_graph(graph.size());
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) result.add_edge(from, to);
  return result;
}

RC_GTEST_PROP(GraphExchange, EveryFormatIsReadBack, ()) {
  const auto read_back = [](const Graph& graph, const char* path) {
    const std::string text = write_graph(graph, path);
    RC_LOG() << text << std::endl;
    return read_graph(text, path);
  };
  const Graph graph = draw_graph(kNames.size());
  for (const char* path : {"x.graphml", "x.json"}) RC_ASSERT(read_back(graph, path) == graph);
  RC_ASSERT(same_graph(read_back(graph, "x.dot"), graph));
  for (const char* path : {"x.gr", "x.mtx"}) RC_ASSERT(read_back(graph, path) == numbered(graph));
  const Graph tokens = draw_graph(kNamesOfOneWord);
  for (const char* path : {"x.edges", "x.TXT"}) RC_ASSERT(read_back(tokens, path) == tokens);
  Graph undirected = graph;
  undirected.make_undirected();
  RC_ASSERT(read_back(undirected, "x.col") == numbered(undirected));
}

/// a -> b, b -> a, a -> a, "New York" alone.
Graph loop_and_lone_vertex() {
  Graph graph;
  for (const char* name : {"a", "New York", "b"}) graph.add_vertex(name);
  graph.add_edge(0, 2);
  graph.add_edge(2, 0);
  graph.add_edge(0, 0);
  return graph;
}

TEST(GraphExchange, TheTextsAreThoseOfTheFormats) {
  const Graph graph = loop_and_lone_vertex();
  EXPECT_EQ(write_graph(graph, "x.dot"),
            "digraph {\n  a;\n  \"New York\";\n  b;\n  a -> a;\n  a -> b;\n  b -> a;\n}\n");
  EXPECT_EQ(write_graph(graph, "x.graphml"),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
            " <graph edgedefault=\"directed\">\n  <node id=\"a\" />\n  <node id=\"New York\" />\n"
            "  <node id=\"b\" />\n  <edge source=\"a\" target=\"a\" />\n"
            "  <edge source=\"a\" target=\"b\" />\n  <edge source=\"b\" target=\"a\" />\n"
            " </graph>\n</graphml>\n");
  EXPECT_EQ(write_graph(graph, "x.gr"),
            "c 1 is a\nc 2 is New York\nc 3 is b\np sp 3 3\na 1 1 1\na 1 3 1\na 3 1 1\n");
  EXPECT_EQ(write_graph(graph, "x.col"),
            "c 1 is a\nc 2 is New York\nc 3 is b\np edge 3 2\ne 1 1\ne 1 3\n");
  EXPECT_EQ(
      write_graph(graph, "x.mtx"),
      "%%MatrixMarket matrix coordinate pattern general\n% 1 is a\n% 2 is New York\n% 3 is b\n"
      "3 3 3\n1 1\n1 3\n3 1\n");
  EXPECT_EQ(write_graph(graph, "x.json"),
            "{\n \"directed\": true,\n \"multigraph\": false,\n \"graph\": {},\n \"nodes\": [\n"
            "  {\"id\": \"a\"},\n  {\"id\": \"New York\"},\n  {\"id\": \"b\"}\n ],\n \"edges\": [\n"
            "  {\"source\": \"a\", \"target\": \"a\"},\n  {\"source\": \"a\", \"target\": \"b\"},\n"
            "  {\"source\": \"b\", \"target\": \"a\"}\n ]\n}\n");
  EXPECT_EQ(write_graph(numbered_graph(2), "x.edges"), "# edge list\n1\n2\n");
  EXPECT_EQ(write_graph(numbered_graph(2), "x.gr"), "p sp 2 0\n");
}

/// As networkx writes it: attributes, numbers as ids, links before version 3.4; as D3 has it, without
/// directed.
TEST(GraphExchange, NodeLinkDictionariesAreRead) {
  Graph path;
  for (const char* name : {"0", "b"}) path.add_vertex(name);
  path.add_edge(0, 1);
  Graph both = path;
  both.make_undirected();
  const std::string nodes = "\"nodes\": [{\"id\": 0, \"colour\": [1]}, {\"id\": \"b\"}]";
  const std::string edges = "[{\"weight\": 2.5, \"source\": 0, \"target\": \"b\", \"key\": 0}]";
  EXPECT_EQ(read_graph("{\"directed\": true, \"multigraph\": true, \"graph\": {\"name\": \"G\"}, " +
                           nodes + ", \"edges\": " + edges + "}",
                       "x.json"),
            path);
  EXPECT_EQ(read_graph(" {\"directed\": false, " + nodes + ", \"links\": " + edges + "}", "data"),
            both);
  EXPECT_EQ(read_graph("{" + nodes + ", \"links\": " + edges + "}", "standard input"), both);
}

TEST(GraphExchange, TheExampleOfNetworkxIsPetersensGraph) {
  const std::string path = support::source_dir() + "/examples/graphs/petersen.json";
  const Graph graph = read_graph(read_whole_file(path), path);
  EXPECT_EQ(graph.size(), 10u);
  for (Vertex vertex = 0; vertex < 10; ++vertex) {
    std::size_t neighbours = 0;
    for (Vertex other = 0; other < 10; ++other) neighbours += graph.has_edge(vertex, other);
    EXPECT_EQ(neighbours, 3u);
  }
}

TEST(GraphExchange, WhatAFormatCannotSayIsRefusedByName) {
  const auto refusal = [](const std::string& name, const std::string& path) {
    Graph graph = numbered_graph(1);
    graph.add_edge(0, graph.add_vertex(name));
    return support::refusal([&] { (void)write_graph(graph, path); });
  };
  const std::string list =
      " cannot be written: an edge list has names without blanks that do not begin with # or %";
  EXPECT_EQ(refusal("New York", "x.edges"), "x.edges: the vertex 'New York'" + list);
  EXPECT_EQ(refusal("#1", "x.txt"), "x.txt: the vertex '#1'" + list);
  EXPECT_EQ(refusal("%", "x.edges"), "x.edges: the vertex '%'" + list);
  EXPECT_EQ(refusal("a\\", "x.dot"),
            "x.dot: the name 'a\\' cannot be written: DOT has no backslash before a quotation mark "
            "or at the end of a name");
  EXPECT_EQ(refusal("b", "x.col"),
            "x.col: the edge from '1' to 'b' cannot be written: the graphs of .col are undirected; "
            "those of .gr are directed");
  const std::string endings =
      ": expected a name that ends in .edges, .txt, .dot, .graphml, .gr, .col, .mtx or .json";
  EXPECT_EQ(refusal("b", "x.max"), "x.max" + endings);
  EXPECT_EQ(refusal("b", "json"), "json" + endings);
}

}}  // namespace logdepth::graph_files_tests
