// Graphs written in every format and read back, and the texts themselves.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/places.hpp"

namespace logdepth::graph_exchange_tests {
namespace {

using namespace support;

/// Those without blanks, and not from # or %, first: an edge list has only such names.
const std::vector<std::string> kNames = {
    "a",     "10",     "9",    "\xC3\xA9", "->",      "--",  "digraph",     "node",
    "<b>",   "a&b;",   "x\"y", "p,q",      "0",       "007", "-3",          "n#1",
    "'",     "{}",     "a\\b", "]]>",      "e",       "c",   "{\"nodes\"}", "New York",
    " lead", "trail ", "#1",   "%",        "/* no */"};
constexpr std::size_t kTokens = 23;

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
  const Graph tokens = draw_graph(kTokens);
  for (const char* path : {"x.edges", "x.TXT"}) RC_ASSERT(read_back(tokens, path) == tokens);
  Graph undirected = graph;
  undirected.make_undirected();
  RC_ASSERT(read_back(undirected, "x.col") == numbered(undirected));
}

/// a -> b, b -> a, a -> a, "New York" alone.
Graph small_graph() {
  Graph graph;
  for (const char* name : {"a", "New York", "b"}) graph.add_vertex(name);
  graph.add_edge(0, 2);
  graph.add_edge(2, 0);
  graph.add_edge(0, 0);
  return graph;
}

TEST(GraphExchange, TheTextsAreThoseOfTheFormats) {
  const Graph graph = small_graph();
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
  const auto refusal = [](const std::string& name, const std::string& path) -> std::string {
    Graph graph = numbered_graph(1);
    graph.add_edge(0, graph.add_vertex(name));
    try {
      (void)write_graph(graph, path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
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

}  // namespace
}  // namespace logdepth::graph_exchange_tests
