// Readers of graph formats that are not written: random graphs in each, by no writer of ours, and the
// examples of the formats' own descriptions. What tells a format from another one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::graph_dialects_tests { namespace {

using namespace support;

const std::vector<std::string> kNames = {"a",   "b2",       "10", "New York",
                                         "x,y", "\xC3\xA9", "{}", "<c>"};

Graph draw_graph(bool undirected) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> names(kNames.begin(),
                                 kNames.begin() + static_cast<std::ptrdiff_t>(2 + random() % 7));
  Graph graph = random_graph(random, names, *rc::gen::element(0.1, 0.4, 0.8));
  if (undirected) graph.make_undirected();
  return graph;
}

/// The same edges between vertices that are called otherwise; without self-loops on request.
Graph renamed(const Graph& graph, std::size_t first, bool loops = true) {
  Graph result;
  for (std::size_t i = 0; i < graph.size(); ++i) result.add_vertex(std::to_string(first + i));
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to) && (loops || from != to)) result.add_edge(from, to);
  return result;
}

template <typename Visit>
void each_edge(const Graph& graph, Visit visit) {
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) visit(from, to);
}

std::string in_xml(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return text;
}

std::string sixes(const std::vector<bool>& bits) {
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 6) {
    int value = 0;
    for (std::size_t k = i; k < i + 6; ++k)
      value = 2 * value + (k < bits.size() && bits[k] ? 1 : 0);
    text += static_cast<char>(63 + value);
  }
  return text;
}

RC_GTEST_PROP(GraphDialects, MetisIsReadWithAndWithoutWeights, ()) {
  const Graph graph = renamed(draw_graph(true), 1, false);
  const bool weights = *rc::gen::arbitrary<bool>(), vertices = *rc::gen::arbitrary<bool>();
  std::string text =
      "% a comment\n" + std::to_string(graph.size()) + " " + std::to_string(graph.edge_count() / 2);
  if (weights || vertices)
    text += std::string(" ") + (vertices ? "1" : "0") + (weights ? "1" : "0");
  for (Vertex from = 0; from < graph.size(); ++from) {
    text += "\n";
    if (vertices) text += "7 ";
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) text += std::to_string(to + 1) + (weights ? " 5 " : " ");
  }
  RC_LOG() << text;
  RC_ASSERT(read_graph(text, "x.metis") == graph);
  if (!weights && !vertices && graph.edge_count() > 0)
    for (const char* name : {"x.graph", "x", "x.txt"}) RC_ASSERT(read_graph(text, name) == graph);
}

RC_GTEST_PROP(GraphDialects, GexfIsRead, ()) {
  const Graph graph = draw_graph(false);
  std::string text =
      "<?xml version='1.0' encoding='utf-8'?>\n<gexf version=\"1.2\"><graph "
      "defaultedgetype=\"directed\"><nodes>\n";
  for (const std::string& name : graph.names())
    text += "<node id=\"" + in_xml(name) + "\" label=\"any\" />\n";
  text += "</nodes><edges>\n";
  each_edge(graph, [&](Vertex from, Vertex to) {
    text += "<edge source=\"" + in_xml(graph.names()[from]) + "\" target=\"" +
            in_xml(graph.names()[to]) + "\" id=\"0\" />\n";
  });
  text += "</edges></graph></gexf>\n";
  RC_LOG() << text;
  for (const char* name : {"x.gexf", "x", "x.xml"}) RC_ASSERT(read_graph(text, name) == graph);
}

RC_GTEST_PROP(GraphDialects, Graph6IsRead, ()) {
  const Graph graph = renamed(draw_graph(true), 0, false);
  const std::size_t n = graph.size();
  const std::string size(1, static_cast<char>(63 + n));
  std::vector<bool> bits, directed;
  for (Vertex column = 1; column < n; ++column)
    for (Vertex row = 0; row < column; ++row) bits.push_back(graph.has_edge(row, column));
  for (Vertex row = 0; row < n; ++row)
    for (Vertex column = 0; column < n; ++column) directed.push_back(graph.has_edge(row, column));
  RC_ASSERT(read_graph(size + sixes(bits) + "\n", "x.g6") == graph);
  RC_ASSERT(read_graph(">>graph6<<" + size + sixes(bits), "x") == graph);
  RC_ASSERT(read_graph("&" + size + sixes(directed) + "\n", "x.d6") == graph);
}

/// Of nauty's description of its formats.
TEST(GraphDialects, TheExamplesOfNautyAreRead) {
  const auto edges = [](const Graph& graph) {
    std::string text;
    each_edge(graph, [&](Vertex from, Vertex to) {
      text += std::to_string(from) + std::to_string(to) + " ";
    });
    return text;
  };
  EXPECT_EQ(edges(read_graph("DQc", "x.g6")), "02 04 13 20 31 34 40 43 ");
  EXPECT_EQ(edges(read_graph("&DI?AO?", "x.d6")), "02 04 31 34 ");
}

TEST(GraphDialects, ListsAsIdsAreCalledAsPythonsTuples) {
  const Graph graph = read_graph(
      "{\"directed\": true, \"nodes\": [{\"id\": [0, 1]}, {\"id\": [0, \"it's\"]}, {\"id\": "
      "[[1], 2]}],\n\"links\": [{\"source\": [0, 1], \"target\": [[1], 2]}]}",
      "x.json");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"(0, 1)", "(0, \"it's\")", "((1,), 2)"}));
  EXPECT_TRUE(graph.has_edge(0, 2));
}

std::string refusal(const std::string& text, const std::string& name,
                    const std::optional<std::string>& format = std::nullopt) {
  return support::refusal([&] { (void)read_graph(text, name, false, format); });
}

/// A short text of each format that says what it is.
const std::map<std::string, std::string> kSigned = {
    {"gml", "graph [ node [ id 1 ] ]"},
    {"dot", "digraph { a -> b }"},
    {"graphml", "<graphml><graph edgedefault=\"directed\"><node id=\"a\"/></graph></graphml>"},
    {"gexf", "<gexf><graph><nodes><node id=\"a\"/></nodes></graph></gexf>"},
    {"dimacs", "p edge 2 1\ne 1 2\n"},
    {"metis", "2 1\n2\n1\n"},
    {"matrix-market", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"},
    {"graph6", ">>graph6<<A_"},
    {"node-link", "{\"nodes\": [{\"id\": 1}], \"edges\": []}"},
    {"edges", "# edge list\na b\n"}};
const std::map<std::string, std::string> kNamed = {
    {"gml", "x.gml"},         {"dot", "x.dot"},          {"graphml", "x.graphml"},
    {"gexf", "x.gexf"},       {"dimacs", "x.col"},       {"metis", "x.metis"},
    {"graph6", "x.g6"},       {"node-link", "x.json"},   {"edges", "x.edges"},
    {"adjlist", "x.adjlist"}, {"matrix-market", "x.mtx"}};

TEST(GraphFormats, NameAndContentThatDisagreeAreRefusedWithBoth) {
  for (const auto& [written, text] : kSigned) {
    EXPECT_EQ(refusal(text, "x"), "accepted") << written;
    EXPECT_EQ(refusal(text, "x.txt"), "accepted") << written;
    EXPECT_EQ(refusal(text, "x.wrong", written), "accepted") << written;
    for (const auto& [named, name] : kNamed) {
      const std::string sentence = refusal(text, name);
      if (named == written) {
        EXPECT_EQ(sentence, "accepted") << name;
        continue;
      }
      const auto phrase = [](const std::string& format) {
        return std::string(name_of(graph_format(format)));
      };
      EXPECT_TRUE(sentence.starts_with(name + ": the name implies " + phrase(named) +
                                       " and the content is " + phrase(written) +
                                       "; expected one format, or --format "))
          << sentence;
      // The one who gives the format decides.
      EXPECT_EQ(refusal(text, name, written), "accepted") << name;
    }
  }
}

TEST(GraphFormats, WhatIsRecognisedAndNotReadIsNamedWithWhatConvertsIt) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"dl n = 2\ndata:\n0 1\n1 0\n", "the content is UCINET DL; expected a graph; 'python3 -c "},
      {"*Vertices 1\n1 \"a\"\n", "the content is Pajek; expected a graph; 'python3 -c "},
      {">>sparse6<<:An", "the content is sparse6; expected a graph; 'python3 -c "},
      {"LEDA.GRAPH\nstring\n", "the content is LEDA; expected a graph; 'python3 -c "},
      {"{\"directed\": false, \"nodes\": [{\"id\": 0}], \"adjacency\": [[]]}",
       "the content is adjacency JSON; expected a graph; 'python3 -c "},
      {"{\"data\": [], \"elements\": {\"nodes\": []}}",
       "the content is Cytoscape JSON; expected a graph; 'python3 -c "},
      {"{\"id\": 0, \"children\": []}", "the content is tree JSON; expected a graph; 'python3 -c "},
      {"0 1 0\n0 0 1\n1 0 0\n",
       "the content is an adjacency matrix; expected a graph; 'python3 -c "},
      {"{\"foo\": 0}", "the content is JSON of another kind; expected a graph"},
      {"<svg></svg>", "the content is XML of another kind; expected a graph"},
      {"c a comment\np cnf 2 1\n1 -2 0\n",
       "the content is DIMACS CNF, a formula; expected a graph"},
      {"HOA: v1\nStates: 1\n", "the content is HOA, an automaton of infinite words"},
      {"@NFA-explicit\n%Initial q\n",
       "the content is a Mata file; expected a graph; --mata reads it"},
      {"<structure><type>fa</type></structure>",
       "the content is a JFLAP file; expected a graph; --jff reads it"},
      {"{\"states\": [], \"input_symbols\": []}",
       "the content is a JSON dictionary of an automaton; expected a graph; --json-automaton "
       "reads"},
      {"\xD6\xFD\xB2\x7Exyz",
       "the content is a binary file of OpenFst; expected a graph; 'fstprint x"},
      {"PK\x03\x04xyz", "the content is a zip archive; expected a graph; 'unzip x' unpacks it"},
  };
  for (const auto& [text, sentence] : cases) {
    EXPECT_TRUE(refusal(text, "x").starts_with("x: " + sentence)) << refusal(text, "x");
    EXPECT_TRUE(refusal(text, "x.edges")
                    .starts_with("x.edges: the name implies an edge list and the "
                                 "content is "))
        << refusal(text, "x.edges");
  }
  EXPECT_EQ(
      refusal(std::string("\xFF\xFE"
                          "a\0",
                          4),
              "x.edges"),
      "x.edges: the text is UTF-16; expected UTF-8; 'iconv -f UTF-16 -t UTF-8 x.edges' converts "
      "it");
}

TEST(GraphFormats, CommentsThatAreStructureAreNamed) {
  const std::string lgl = "# a\nb 1.5\nc 2\n# b\nc 1\n",
                    tgf = "1 first\n2 second\n#\n1 2 an edge\n";
  EXPECT_EQ(
      refusal(lgl, "x"),
      "x: the content is LGL; expected a graph; 'python3 -c \"import igraph; "
      "igraph.Graph.Read_Lgl(\\\"x\\\", directed=False).write_graphml(\\\"graph.graphml\\\")\"' "
      "converts it");
  EXPECT_TRUE(refusal(lgl, "x.txt").starts_with("x.txt: the content is LGL;"));
  EXPECT_TRUE(refusal(tgf, "x").starts_with(
      "x: the content is TGF, the trivial graph format; expected a graph; 'awk \"/^#/ {"));
  EXPECT_TRUE(refusal("1\n2\n#\n1 2\n", "x.edges")
                  .starts_with("x.edges: the name implies an edge list and the content is TGF"));
  EXPECT_EQ(refusal("nodedef>name VARCHAR\n1\nedgedef>node1,node2\n1,1\n", "x"),
            "x: the content is GDF, which Gephi reads and saves as GEXF; expected a graph");
  EXPECT_EQ(refusal("{\"graph\": {\"nodes\": {\"a\": {}}, \"edges\": []}}", "x"),
            "x: the content is JSON Graph Format; expected a graph");
  // The comments of edge lists are none of these.
  for (const std::string text : {"#\n# of somebody\n#\n1 2\n", "# cities\na b\n# more\nb c\n",
                                 "1 2\n# 1\n2 3 \n", "# 1\n1 2\n", "# a\nb c\n# b\n"})
    EXPECT_EQ(refusal(text, "x.txt"), "accepted") << text;
  EXPECT_EQ(refusal(tgf.substr(0, 3), "x", "edges"), "accepted");
}

TEST(GraphFormats, AKeyOfAnEdgeSaysItsDirection) {
  const auto edges = [](const std::string& text) {
    const Graph graph = read_graph(text, "x");
    return std::vector<bool>{graph.has_edge(0, 1), graph.has_edge(1, 0), graph.has_edge(1, 2),
                             graph.has_edge(2, 1)};
  };
  const std::vector<bool> first_one_way = {true, false, true, true};
  const auto gml = [](const std::string& graph, const std::string& first,
                      const std::string& second) {
    return "graph [ " + graph +
           " node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 " + first +
           " ] edge [ source 1 target 2 " + second + " ] ]";
  };
  EXPECT_EQ(edges(gml("directed 1", "", "directed 0")), first_one_way);
  EXPECT_EQ(edges(gml("", "directed 1", "")), first_one_way);
  EXPECT_EQ(refusal(gml("", "directed 2", ""), "x"),
            "x:1: expected 'directed 0' or 'directed 1', found '2', at column 86");
  const auto graphml = [](const std::string& graph, const std::string& first,
                          const std::string& second) {
    return "<graphml><key id=\"d\"/><graph edgedefault=\"" + graph +
           "\"><node id=\"0\"/><node id=\"1\"/><node id=\"2\"/><edge source=\"0\" target=\"1\" " +
           first + "/><edge source=\"1\" target=\"2\" " + second + "/></graph></graphml>";
  };
  EXPECT_EQ(edges(graphml("directed", "", "directed=\"false\"")), first_one_way);
  EXPECT_EQ(edges(graphml("undirected", "directed=\"1\"", "")), first_one_way);
  EXPECT_EQ(edges(graphml("undirected", "isDirect=\"true\"", "isDirect=\"false\"")), first_one_way);
  const auto json = [](const std::string& graph, const std::string& first,
                       const std::string& second) {
    return "{" + graph + "\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], \"links\": [" +
           "{\"source\": 0, \"target\": 1" + first + "}, {\"source\": 1, \"target\": 2" + second +
           "}]}";
  };
  EXPECT_EQ(edges(json("\"directed\": true,", "", ", \"directed\": false")), first_one_way);
  EXPECT_EQ(edges(json("", ", \"directed\": true", "")), first_one_way);
}

TEST(GraphFormats, IdsThatCouldBePositionsAreNoted) {
  const auto notes = [](const std::string& first, const std::string& second) {
    return read_graph("{\"directed\": true, \"nodes\": [{\"id\": " + first + "}, {\"id\": " +
                          second + "}], \"links\": [{\"source\": 0, \"target\": 1}]}",
                      "x.json")
        .notes;
  };
  EXPECT_EQ(notes("1", "0"), (std::vector<std::string>{
                                 "x.json: the ends of edges are read as ids of nodes; networkx 1 "
                                 "and D3 write positions in the list of nodes"}));
  EXPECT_TRUE(notes("0", "1").empty());
}

TEST(GraphFormats, MetisWithAFormatIsRecognised) {
  const auto text_of = [](const Graph& graph) {
    std::string text;
    each_edge(graph, [&](Vertex from, Vertex to) {
      text += graph.names()[from] + graph.names()[to] + " ";
    });
    return text;
  };
  for (const char* name : {"x", "x.txt", "x.graph", "x.metis"}) {
    EXPECT_EQ(text_of(read_graph("4 2 0\n2 4\n1\n\n1\n", name)), "12 14 21 41 ") << name;
    EXPECT_EQ(text_of(read_graph("3 2 001\n2 7 3 5\n1 7\n1 5\n", name)), "12 13 21 31 ") << name;
    EXPECT_EQ(text_of(read_graph("2 1 11 2\n9 9 2 7\n9 9 1 7\n", name)), "12 21 ") << name;
  }
  EXPECT_EQ(
      refusal("4 2 0\n2 4\n1\n\n3\n", "x.graph"),
      "x.graph:5: expected 1 as a neighbour of 4, which is a neighbour of 1; a file .graph that "
      "begins with numbers is read as METIS, and --format edges reads an edge list");
  EXPECT_EQ(refusal("a b\nb c\n", "x.graph"), "accepted");
}

/// Comments that declare the direction of the edges.
TEST(GraphFormats, UndirectedEdgeListsOfSnapAndKonectAreUndirected) {
  const auto edges = [](const std::string& comment) {
    return read_graph(comment + "\n1 2\n2 3\n", "x.txt").edge_count();
  };
  EXPECT_EQ(edges("# Undirected graph: ../../data/output/x.txt\n# FromNodeId\tToNodeId"), 4u);
  EXPECT_EQ(edges("# Directed graph (each unordered pair of nodes is saved once): x.txt"), 2u);
  EXPECT_EQ(edges("% sym unweighted"), 4u);
  EXPECT_EQ(edges("% asym unweighted"), 2u);
  for (const char* name : {"out.konect", "x.txt", "x.edges"})
    EXPECT_EQ(read_graph("% sym positive\n1 2 1 1082008561\n2\t3\t1\t5\n", name).edge_count(), 4u)
        << name;
  EXPECT_TRUE(refusal("% bip unweighted\n1 2\n", "x.txt")
                  .starts_with("x.txt:1: expected one set of vertices, found a bipartite graph"));
}

TEST(GraphFormats, AnEdgeListIsPlausible) {
  const auto begins = [](const std::string& text, const std::string& sentence) {
    EXPECT_TRUE(refusal(text, "x.edges").starts_with("x.edges" + sentence))
        << refusal(text, "x.edges");
    EXPECT_EQ(refusal("# edge list\n" + text, "x.edges"), "accepted") << text;
    EXPECT_EQ(refusal(text, "x.edges", "edges"), "accepted") << text;
  };
  begins("a\nb\n", ": no line is an edge; expected lines 'source target', or a first line");
  begins("a b\nb c 1\n",
         ":2: expected a source and a target, as in line 1, found a source, a target "
         "and a weight");
  begins("a b {}\nb c 1\n", ":2: expected a source, a target and a dictionary, as in line 1");
  begins("a b\nc\nb c\n",
         ":3: expected an edge on every line between two edges, found a single word "
         "in line 2");
  begins("a;b c\n", ":1: the word 'a;b' holds the separator ';'");
  begins("a b\nb {}\n", ":2: expected a target, found the dictionary '{}'");
  EXPECT_EQ(refusal("c\na b\nb c\nd\n", "x.edges"), "accepted");
}

}}  // namespace logdepth::graph_dialects_tests
