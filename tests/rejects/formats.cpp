// Graph files that must be refused, each for its own reason and at its own line.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::formats_tests { namespace {

using support::refusal;

struct Refused {
  std::string source, text, sentence;
};

/// Whether the sentence is about a line and not about something that a part of it is: about sums that
/// the whole file makes, or what is missing at its end.
bool needs_column(const std::string& sentence) {
  if (!std::regex_search(sentence, std::regex("^[^:]*:[0-9]+: "))) return false;
  for (const char* whole : {" announces, found ", "found the end of the file", "as a neighbour of",
                            "expected one graph", "after the number of vertices"})
    if (sentence.find(whole) != std::string::npos) return false;
  return !sentence.ends_with("'p max n m'") && !sentence.ends_with("'rows columns entries'");
}

void expect_refusals(const std::vector<Refused>& cases) {
  for (const Refused& c : cases) {
    const auto sentence = refusal<InputError>([&] { read_graph(c.text, c.source); });
    EXPECT_EQ(sentence.substr(0, c.sentence.size()), c.sentence) << c.source << "\n" << c.text;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    EXPECT_TRUE(c.text.empty() || !needs_column(sentence) ||
                sentence.find(", at column ") != std::string::npos)
        << sentence;
  }
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// `count` names from a letter, with a separator behind each.
std::string names(char letter, std::size_t count, const std::string& separator) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += letter + std::to_string(i) + separator;
  return result;
}

/// A directed GraphML file with nodes a and b on its first line, and more.
std::string graphml(const std::string& more) {
  return "<graphml><graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/>\n" + more +
         "</graph></graphml>";
}

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

TEST(RefusedGraphs, AColumnIsWhereThePartAtFaultBegins) {
  expect_refusals(
      {{"g.col", "p edge 3 1\n e  1 4\n",
        "g.col:2: expected a vertex from 1 to 3, found '4', at column 7"},
       {"g.mtx", kGeneral + "2 2 1\n1 2\t\u00E4\u00F6 \n",
        "g.mtx:3: expected a number as value, found '\u00E4\u00F6', at column 5"},
       {"g.edges", "a b\n\u00E4\u00F6 b,c\n",
        "g.edges:2: the word 'b,c' holds the separator ',', at column 5; expected blanks"},
       {"g.gml", "graph [\n node [ id 1 ]\n edge [ source 1 target\n 2 ] ]",
        "g.gml:4: the target '2' is the id of no node, at column 2"},
       {"g.dot", "digraph {\n a -> b [dir=\"both\"];\n}",
        "g.dot:2: expected edges with dir=forward, found dir=both, which draws them in another "
        "direction than they are written, at column 14; write an edge per direction"},
       {"g.dot", "graph {\n a -- b [weight=1, dir=forward];\n}",
        "g.dot:2: expected edges with dir=none, found dir=forward"},
       {"g.graphml", graphml("  <edge source=\"a\" target=\"c\"/>"),
        "g.graphml:2: expected target of <edge> to be the id of a node, found 'c', at column 3"}});
}

TEST(RefusedGraphs, AHeaderOfAContestBeforeTheEdges) {
  const std::string text = "3 2\n1 2\n2 3\n";
  expect_refusals(
      {{"g.edges", text,
        "g.edges:1: expected an edge, found '3 2', which fits a header of 3 vertices "
        "and 2 edges, at column 1; 'tail -n +2' removes it, and a first line '# edge "
        "list' declares it an edge"},
       {"g.txt", "\n5 2\n0 4\n1 2\n", "g.txt:2: expected an edge, found '5 2', which fits"}});
  EXPECT_EQ(read_graph("# edge list\n" + text, "g.edges").edge_count(), 3u);
  EXPECT_EQ(read_graph(text, "g.edges", false, "edges").edge_count(), 3u);
  EXPECT_EQ(read_graph("3 1\n1 2\n2 3\n", "g.edges").edge_count(), 3u);  // one line too many
  EXPECT_EQ(read_graph("3 2\n1 2\n2 4\n", "g.edges").edge_count(), 3u);  // a fourth vertex
  EXPECT_EQ(read_graph("3 2\n1 2\n2 x\n", "g.edges").edge_count(), 3u);
  EXPECT_EQ(read_graph("2 1\n1 2\n", "g.edges").edge_count(), 2u);  // both directions of an edge
}

TEST(RefusedGraphs, AGraphWithoutVertices) {
  const std::string none = ": the graph has no vertices; expected at least one";
  expect_refusals(
      {{"g.edges", "", "g.edges" + none},
       {"g.edges", "# only\n\n% comments\n", "g.edges" + none},
       {"standard input", " \n", "standard input" + none},
       {"g.dot", "digraph {}", "g.dot" + none},
       {"g.graphml", "<graphml><graph edgedefault=\"directed\"/></graphml>", "g.graphml" + none},
       {"g.col", "p edge 0 0\n", "g.col" + none},
       {"g.mtx", kGeneral + "0 0 0\n", "g.mtx" + none}});
}

TEST(RefusedGraphs, AnUnknownFormat) {
  const std::string unknown = ": unknown format; expected an edge list";
  expect_refusals({{"g.csv", "a,b\nb,c\n", "g.csv" + unknown},
                   {"g", "some words of a language\n", "g" + unknown},
                   {"g", std::string("a b\0", 4), "g" + unknown}});
}

TEST(RefusedGraphs, EdgeLists) {
  expect_refusals(
      {{"g.edges", "a b\na b 1 2\n",
        "g.edges:2: expected 'source target', a weight after them or a single vertex (in an "
        "adjacency list, .adjlist, more targets), found"},
       {"g.edges", "a b x", "g.edges:1: expected a number as the weight after source and target"},
       {"g.edges", "a b\nb: d\n",
        "g.edges:2: expected lines 'source target', found the word 'b:' of another"},
       {"g.edges", "// x\na b\n", "g.edges:1: expected lines 'source target', found the word '//'"},
       {"g.edges", "a-->b c\n",
        "g.edges:1: expected lines 'source target', found the word 'a-->b'"},
       {"g.edges", "Source Target\na b\n",
        "g.edges:1: expected an edge, found the header 'Source Target'"},
       {"g.edges", "a b 1e", "g.edges:1: expected a number as the weight"},
       {"g.edges", "a b nan", "g.edges:1: expected a number as the weight"},
       {"g.edges", "a b\nc\x01 d", "g.edges:2: expected a name of a vertex in UTF-8"},
       {"g.edges", "a b\n\ncaf\xE9 d", "g.edges:3: expected a name of a vertex in UTF-8"},
       {"g.edges", "a\rb c\n", "g.edges:1: expected a name of a vertex in UTF-8"},
       {"g.edges", "a b\rb c\r",
        "g.edges: lines end in carriage returns alone; expected line feeds"},
       {"g.edges", "Hall\tRoom 1\nHall\tRoom 2\n",
        "g.edges:1: expected columns between TABs without blanks, found 'Room 1', at column 6; "
        "'tr"},
       {"g.adjlist", "a\tb\na\t\tc\n",
        "g.adjlist:2: expected a word in every column between TABs, found an empty one, at column "
        "3"},
       {"g.edges", "a\tb\na\t \n",
        "g.edges:2: expected a word in every column between TABs, found a blank, at column 3"},
       {"g.edges", "a b\nc\xC2\xA0 d\n",
        "g.edges:2: expected a name without white space beyond ASCII and characters without a "
        "width, "
        "found 'c\\xc2\\xa0', at column 1"},
       {"g.edges", "% sym positive\n1 2 1 5 6\n", "g.edges:2: expected 'source target', a weight"},
       {"g.edges", "% sym dynamic\n1 2 1 5\n",
        "g.edges:1: expected edges that stay, found a dynamic"}});
}

TEST(RefusedGraphs, GmlFiles) {
  expect_refusals(
      {{"g.gml", "", "g.gml:1: expected 'graph [' with nodes and edges"},
       {"g.gml", "graph 3", "g.gml:1: expected 'graph ['"},
       {"g.gml", "graph [ directed 2 ]",
        "g.gml:1: expected 'directed 0' or 'directed 1', found '2'"},
       {"g.gml", "graph [\n node [ id 1 ]\n", "g.gml:3: expected a closing bracket"},
       {"g.gml", "graph [ ] ]", "g.gml:1: expected no closing bracket here"},
       {"g.gml", "graph [\n node ]", "g.gml:2: expected a value for the key 'node'"},
       {"g.gml", "graph [\n 7 node ]", "g.gml:2: expected a key, as 'node', found '7'"},
       {"g.gml", "graph [ node [ id 1 label \"x ] ]", "g.gml:1: expected a closing quotation mark"},
       {"g.gml", "graph [\n node [ label \"x\" ] ]", "g.gml:2: expected an 'id' of every node"},
       {"g.gml", "graph [ node [ id 1\n id 2 ] ]",
        "g.gml:2: expected one value of 'id', found a second one"},
       {"g.gml", "graph [ directed 1\n directed 0 ]",
        "g.gml:2: expected one value of 'directed', found a second one"},
       {"g.gml", "graph [ node [ id 1 ]\n edge [ source 1 target 1\n target 1 ] ]",
        "g.gml:3: expected one value of 'target', found a second one"},
       {"g.gml", "graph [ node [ id 1 ]\n node [ id 1 label \"x\" ] ]",
        "g.gml:2: two nodes have the id '1'"},
       {"g.gml", "graph [ node [ id 1 ]\n node [ id 2 label \"1\" ] ]",
        "g.gml:2: two nodes are called '1'"},
       {"g.gml", "graph [ node [ id 1 ]\n edge [ source 1 ] ]",
        "g.gml:2: expected a 'target' of every edge"},
       {"g.gml", "graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]",
        "g.gml:2: the target '2' is the id of no node"}});
}

TEST(RefusedGraphs, DotFiles) {
  expect_refusals(
      {{"g.dot", "", "g.dot:1: expected 'graph' or 'digraph', found the end of the text"},
       {"g.dot", "digraph {\n a -> b;\n c ->", "g.dot:3: expected a name, found the end of the"},
       {"g.dot", "digraph {\n a -> b;\n b -- c;\n d -> e\n}",
        "g.dot:3: expected '->' in a digraph, found '--', at column 4"},
       {"g.dot", "graph {\n a -- b;\n b -> c;\n}", "g.dot:3: expected '--' in a graph, found '->'"},
       {"g.dot", "digraph {\n a [x=1,\n y=2];\n b -- c;\n}\n",
        "g.dot:4: expected '->' in a digraph, found '--'"},
       {"g.dot", "digraph { a }\ndigraph { b }",
        "g.dot:2: expected one graph, found 'digraph' behind"},
       {"g.dot", "digraph { a -> node }", "g.dot:1: expected a name, found 'node', at column 16"},
       {"g.dot", "digraph { 1a }", "g.dot:1: expected a number, or a name in quotation marks"},
       {"g.dot", "digraph { \"a\" + b }", "g.dot:1: expected a string after '+', found 'b'"},
       {"g.dot", "digraph { node; a }", "g.dot:1: expected '[', found ';'"},
       {"g.dot", "digraph { \"\" }", "g.dot:1: expected a name of a vertex, found an empty one"},
       {"g.dot", "digraph { \"a\tb\" }", "g.dot:1: expected a name of a vertex in UTF-8"},
       {"g.dot", "digraph {\n\"a }", "g.dot:2: expected '\"' to end the string"},
       {"g.dot", "digraph {\na [label=<b]}", "g.dot:2: expected '>' to end the HTML string"},
       {"g.dot", "digraph {\n<b> -> a}", "g.dot:2: expected a name, HTML strings are read as"},
       {"g.dot", "digraph " + repeated("{", 100000), "g.dot:1: expected braces nested at most 100"},
       {"g.dot", "digraph { a " + repeated("[", 100000), "g.dot:1: expected a name, found '['"}});
  const std::string many = "{" + names('a', 3000, ";") + "}";
  const std::string sentence =
      "g.dot: the nodes and edges of subgraphs are more than the limit of ";
  for (const std::string& text : {"subgraph x " + many + " -> subgraph y " + many,
                                  "subgraph x " + many + repeated(";{subgraph x}", 3000)})
    EXPECT_TRUE(refusal<SizeLimit>([&] {
                  read_graph("digraph {" + text + "}", "g.dot");
                }).starts_with(sentence));
}

TEST(RefusedGraphs, GraphmlFiles) {
  const std::string edge = "<edge source=\"a\" target=\"b\"";
  expect_refusals(
      {{"g.graphml", "", "g.graphml:1: expected a GraphML file, but found: "},
       {"g.graphml", "<graphml>\n<graph>", "g.graphml:2: expected a GraphML file, but found: "},
       {"g.xml", "<svg/>", "g.xml:1: expected a <graphml> element"},
       {"g.graphml", "<graphml/>", "g.graphml:1: expected a <graph> element"},
       {"g.graphml", "<graphml>\n<graph/></graphml>", "g.graphml:2: expected edgedefault="},
       {"g.graphml", graphml("") + "\n<graphml/>", "g.graphml:3: expected one element that"},
       {"g.graphml", graphml("</graph>\n<graph edgedefault=\"directed\">"),
        "g.graphml:3: expected one <graph>"},
       {"g.graphml", graphml("<edge source=\"a\" source=\"b\" target=\"a\"/>"),
        "g.graphml:2: expected one attribute source of <edge>, found a second one"},
       {"g.gexf", "<gexf><graph><nodes/>\n<nodes/></graph></gexf>",
        "g.gexf:2: expected one <nodes> in <graph>, found a second one"},
       {"g.gexf",
        "<gexf><graph><nodes>\n<node id=\"a\"/></nodes><edges>\n<edge source=\"a\" "
        "target=\"b\"/></edges></graph></gexf>",
        "g.gexf:3: expected target of <edge> to be the id of a node, found 'b'"},
       {"g.metis", "2 1\n2\n\n", "g.metis:3: expected 1 as a neighbour of 2, which is a neighbour"},
       {"g.metis", "2 2\n2\n1\n", "g.metis:3: expected 4 neighbours, two per edge that the first"},
       {"g.metis", "2 1\n3\n", "g.metis:2: expected a vertex from 1 to 2, found '3'"},
       {"g.metis", "2 1 001\n2\n1\n", "g.metis:2: expected 0 weights and then pairs of a"},
       {"g.adjlist", "a 1\nb {}\n",
        "g.adjlist:2: expected a vertex and its targets, found a dictionary, as a multiline"},
       {"g.adjlist", "a 1\nb {'weight': 1}\n",
        "g.adjlist:2: expected a vertex and its targets, found a dictionary, as a multiline"},
       {"g.g6", "D?\n", "g.g6:1: expected 2 characters after the number of vertices, 5, found 1"},
       {"g.g6", "A_\nA_\n", "g.g6:2: expected one graph, found a second one"},
       {"g.graphml", graphml("<node/>"), "g.graphml:2: expected an attribute id of <node>"},
       {"g.graphml", graphml("\n<node id=\"a\"/>"), "g.graphml:3: node 'a' occurs twice"},
       {"g.graphml", graphml("<node id=\"c\"><graph/></node>"),
        "g.graphml:2: expected no <graph> inside a <node>"},
       {"g.graphml", graphml("<node id=\"\x01\"/>"), "g.graphml:2: expected a name of a vertex in"},
       {"g.graphml", graphml("<hyperedge/>"), "g.graphml:2: expected no <hyperedge>"},
       {"g.graphml", graphml("<edge target=\"a\"/>"),
        "g.graphml:2: expected source of <edge> to be the id of a node, found ''"},
       {"g.graphml", graphml("<edge source=\"a\" target=\"c\"/>"),
        "g.graphml:2: expected target of <edge> to be the id of a node, found 'c'"},
       {"g.graphml", graphml(edge + " directed=\"yes\"/>"), "g.graphml:2: expected directed="},
       {"g.graphml", graphml(edge + " isDirect=\"2\"/>"), "g.graphml:2: expected isDirect="},
       {"g.graphml",
        "<graphml><graph edgedefault=\"directed\"><node id=\"&x;\"/></graph></graphml>",
        "g.graphml:1: expected one of the five entities of XML or the number of a character, found "
        "'&x;', at column 50; entities of a document type are not read"},
       {"g.graphml", graphml("a &#0;"), "g.graphml:2: expected one of the five entities of XML or"},
       {"g.graphml", graphml("a && b"), "g.graphml:2: expected one of the five entities of XML or"},
       {"g.graphml", graphml("<edge source=\"a<b\" target=\"b\"/>"),
        "g.graphml:2: expected '&lt;'"},
       {"g.graphml", graphml("") + "\nmore", "g.graphml:3: expected the end of the file behind"},
       {"g.graphml", repeated("<graphml>", 200000), "g.graphml:1: expected a GraphML file"}});
}

TEST(RefusedGraphs, DimacsFiles) {
  expect_refusals(
      {{"g.col", "", "g.col:1: expected a line 'p edge n m'"},
       {"g.col", "c only a comment\n", "g.col:2: expected a line 'p edge n m'"},
       {"g.col", "e 1 2\n", "g.col:1: expected a line 'p edge n m', 'p col n m', 'p sp n m' or"},
       {"g.col", "p edge 3\n", "g.col:1: expected 'p edge n m'"},
       {"g.gr", "p tw 3 1\n1 2\n", "g.gr:1: expected 'p edge n m', 'p col n m', 'p sp n m' or"},
       {"g.col", "p edge 3 0\n\np edge 3 0\n",
        "g.col:3: expected one line 'p', found a second one"},
       {"g.col", "p edge -3 0\n", "g.col:1: expected a number of at most 18 digits, found '-3'"},
       {"g.col", "p edge 3 1\ne 1 4\n", "g.col:2: expected a vertex from 1 to 3, found '4'"},
       {"g.col", "p edge 3 1\ne 0 1\n", "g.col:2: expected a vertex from 1 to 3, found '0'"},
       {"g.col", "p edge 3 1\ne 1 " + repeated("9", 1000), "g.col:2: expected a number of at most"},
       {"g.col", "p edge 3 1\na 1 2 3\n", "g.col:2: expected a line 'e u v', as the line 'p'"},
       {"g.gr", "p sp 3 1\ne 1 2\n", "g.gr:2: expected a line 'a u v w', as the line 'p'"},
       {"g.gr", "p sp 3 1\na 1 2 x\n", "g.gr:2: expected a number as weight, found 'x'"},
       {"g.max", "p max 3 0\nn 4 s\n", "g.max:2: expected a vertex from 1 to 3, found '4'"},
       {"g.col", "p edge 3 2\ne 1 2\n", "g.col:2: expected 2 lines 'e', as the line 'p' announces"},
       {"g.col", "p edge 3 1\ne 1 2\ne 2 3\n", "g.col:3: expected 1 lines 'e'"}});
}

TEST(RefusedGraphs, MatrixMarketFiles) {
  const std::string matrix = "%%MatrixMarket matrix ";
  const std::string integers = matrix + "coordinate integer general\n";
  expect_refusals(
      {{"g.mtx", "", "g.mtx:1: expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY'"},
       {"g.mtx", "3 3 0\n", "g.mtx:1: expected '%%MatrixMarket"},
       {"g.mtx", matrix + "array real general\n1 1\n1\n", "g.mtx:1: expected a sparse matrix"},
       {"g.mtx", matrix + "coordinate complex hermitian\n1 1 0\n",
        "g.mtx:1: expected the field 'pattern', 'integer' or 'real', found 'complex'"},
       {"g.mtx", matrix + "coordinate real skew-symmetric\n1 1 0\n",
        "g.mtx:1: expected the symmetry 'general' or 'symmetric', found 'skew-symmetric'"},
       {"g.mtx", kGeneral + "% and no more\n", "g.mtx:3: expected a line 'rows columns entries'"},
       {"g.mtx", kGeneral + "2 2\n", "g.mtx:2: expected 'rows columns entries'"},
       {"g.mtx", kGeneral + "2 3 0\n", "g.mtx:2: expected a square matrix"},
       {"g.mtx", kGeneral + "2 2 1\n1 3 1\n", "g.mtx:3: expected a vertex from 1 to 2, found '3'"},
       {"g.mtx", kGeneral + "2 2 1\n1 2\n", "g.mtx:3: expected 'row column value'"},
       {"g.mtx", kGeneral + "2 2 1\n1 2 inf\n", "g.mtx:3: expected a number as value, found 'inf'"},
       {"g.mtx", integers + "2 2 1\n1 2 1.5\n", "g.mtx:3: expected an integer as value"},
       {"g.mtx", matrix + "coordinate pattern general\n2 2 1\n1 2 1\n",
        "g.mtx:3: expected 'row column', found"},
       {"g.mtx", kGeneral + "2 2 2\n1 2 1\n",
        "g.mtx:3: expected 2 entries, as the line of sizes announces, found 1"},
       {"g.mtx", kGeneral + "2 2 0\n1 2 1\n", "g.mtx:3: expected 0 entries"}});
}

TEST(RefusedGraphs, MoreVerticesThanTheLimitAreASizeAndNoMistake) {
  const std::string nodes = names('a', 5000, "\"/><node id=\"");
  const std::vector<std::pair<std::string, std::string>> files = {
      {"g.edges", names('a', 5000, "\n")},
      {"g.dot", "digraph {" + names('a', 5000, ";") + "}"},
      {"g.graphml", graphml("<node id=\"" + nodes + "last\"/>")},
      {"g.col", "p edge 4097 0\n"},
      {"g.mtx", kGeneral + "999999999999999999 999999999999999999 0\n"}};
  for (const auto& [source, text] : files) {
    const std::string sentence =
        refusal<SizeLimit>([&, s = source, t = text] { read_graph(t, s); });
    EXPECT_TRUE(sentence.starts_with(source + ": the graph has ")) << sentence;
    EXPECT_NE(sentence.find("more than 4096"), std::string::npos) << sentence;
  }
}

TEST(RefusedGraphs, BinaryFilesInEveryFormat) {
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 50; ++sample) {
    std::string bytes(2000, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    bytes[100] = '\0';  // some bytes without line ends could be one strange name
    for (const char* source : {"g", "g.edges", "g.dot", "g.graphml", "g.col", "g.mtx"})
      EXPECT_NE(refusal<InputError>([&] { read_graph(bytes, source); }), "accepted") << source;
  }
}

TEST(RefusedGraphs, BatchesOfPairs) {
  for (const auto& [line, column] :
       std::vector<std::pair<std::string, int>>{{"a", 1}, {"a b c", 5}, {"a b #c", 5}})
    EXPECT_EQ(refusal<InputError>([&, l = line] { read_pairs("# x\n" + l + "\n", "pairs.txt"); }),
              "pairs.txt:2: expected a line 'source target', found '" + line + "', at column " +
                  std::to_string(column));
}

// Files of Mata and dictionaries of automata and graphs that must be refused, each for its own reason
// and at its own line.

template <typename Read>
void expect_refusal(Read read, const std::string& text, const std::string& sentence) {
  EXPECT_EQ(refusal([&] { read(text); }), sentence) << text;
}

TEST(RefusedMata, EveryFaultHasItsLine) {
  const auto read = [](const std::string& text) { (void)read_mata(text, "x.mata"); };
  const std::string first = "@NFA-explicit\n%Initial p\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ":1: the file is empty; expected @NFA-explicit"},
      {"# nothing\n\n", ":1: the file is empty; expected @NFA-explicit"},
      {"\np a p\n", ":2: expected @NFA-explicit first, found 'p a p', at column 1"},
      {"@NFA-vtf\n", ":1: expected a section @NFA-explicit, found '@NFA-vtf', at column 1"},
      {"@NFA-bits\n",
       ":1: expected a section @NFA-explicit, found '@NFA-bits', at column 1; letters as bits are "
       "not read; Mata can make them explicit"},
      {"@NFA-explicit x\n",
       ":1: expected a section @NFA-explicit, found '@NFA-explicit x', at column 1"},
      {first + "p a p\n" + first, ":4: expected one automaton, found a second, at column 1"},
      {first + "p a\n",
       ":3: expected a transition 'state letter state', found 2 words, at column 1"},
      {first + "p a | q\n",
       ":3: expected a transition 'state letter state', found 4 words, at column 1"},
      {first + "p ! p\n", ":3: expected a name, found '!', at column 3; in quotes it would be one"},
      {first + "p @a p\n",
       ":3: expected a name, found '@a', at column 3; in quotes it would be one"},
      {first + "p a p %x\n",
       ":3: expected a transition 'state letter state', found 4 words, at column 1"},
      {first + "p a p\n%Final \\true\n",
       ":4: expected a name, found '\\true', at column 8; in quotes it would be one"},
      {first + "p a p\n%Final !p\n",
       ":4: expected a name, found '!', at column 8; in quotes it would be one"},
      {first + "p a p\n%Final p |\n",
       ":4: expected a name, found '|', at column 10; in quotes it would be one"},
      {first + "p \"a p\n", ":3: expected '\"' to end the name, at column 3"},
      {first + "p \"\" p\n",
       ":3: expected a name in UTF-8 without control characters, found '', at column 3"},
      {first + "p \x01 p\n",
       ":3: expected a name in UTF-8 without control characters, found '\\x01', at column 3"},
      {first + "%Levels 1\np a p\n",
       ":3: expected %Initial, %Final, %Alphabet-..., %States-... or %Epsilon, found '%Levels', at "
       "column 1"},
      {first + "%States-enum p\np a \\\nq\n",
       ":5: expected a state of %States-enum, found 'q', at column 1"},
      {"@NFA-explicit\n%Initial q\n%States-enum p\np a p\n",
       ":2: expected a state of %States-enum, found 'q', at column 10"},
      {first + "%Alphabet-enum b\np a p\n",
       ":4: expected a letter of %Alphabet-enum, found 'a', at column 3"},
      {first, ": no letter occurs; expected at least one arc with a letter"},
      {first + "%Alphabet-enum a a\n",
       ": letter 'a' occurs twice in the alphabet; expected distinct letters"},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.mata" + sentence);
}

TEST(RefusedDictionaries, EveryFaultOfAnAutomatonHasItsLineAndPath) {
  const auto read = [](const std::string& text) { (void)read_automaton_json(text, "x.json"); };
  const auto with = [](const std::string& key, const std::string& value) {
    std::string text = "{";
    for (const auto& [name, usual] : std::vector<std::pair<std::string, std::string>>{
             {"states", "[0, \"p\"]"},
             {"input_symbols", "[\"a\"]"},
             {"transitions", "{\"0\": {\"a\": \"p\"}}"},
             {"initial_state", "0"},
             {"final_states", "[\"p\"]"}})
      if (name != key || !value.empty())
        text += "\n\"" + name + "\": " + (name == key ? value : usual) + ",";
    text.back() = '\n';
    return text + "}";
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", ":1: expected an object"},
      {with("states", ""), ":1: expected a key \"states\""},
      {with("final_states", ""), ":1: expected a key \"final_states\""},
      {with("states", "\"p\""), ":2: states: expected a list"},
      {with("states", "[0, \"0\", \"p\"]"),
       ":2: states[1]: state \"0\" occurs twice; expected it once"},
      {with("states", "[0, \"p\", 1.5]"),
       ":2: states[2]: expected a name: a string or a whole number"},
      {with("states", "[0, \"p\", \"\"]"),
       ":2: states[2]: expected a name of a state without control characters"},
      {with("states", "[0, \"p\", \"\\n\"]"),
       ":2: states[2]: expected a name of a state without control characters"},
      {with("input_symbols", "[\"a\", \"a\"]"),
       ":3: input_symbols: letter 'a' occurs twice in the alphabet; expected distinct letters"},
      {with("input_symbols", "[]"), ":3: input_symbols: expected at least one letter"},
      {with("transitions", "{\"q\": {}}"),
       ":4: transitions.q: expected one of states, found \"q\""},
      {with("transitions", "{\"p\": []}"), ":4: transitions.p: expected an object"},
      {with("transitions", "{\"p\": {\"b\": 0}}"),
       ":4: transitions.p.b: expected one of input_symbols, or \"\" for epsilon"},
      {with("transitions", "{\"p\": {\"a\": [0, 1]}}"),
       ":4: transitions.p.a[1]: expected one of states, found \"1\""},
      {with("transitions", "{\"p\": {\"a\": 0, \"a\": 0}}"),
       ":4: the key transitions.p.a appears twice in one object"},
      {with("initial_state", "\"q\""), ":5: initial_state: expected one of states, found \"q\""},
      {with("initial_state", "[0]"),
       ":5: initial_state: expected a name: a string or a whole number"},
      {with("final_states", "0"), ":6: final_states: expected a list"},
      {with("final_states", "[\"q\"]"), ":6: final_states[0]: expected one of states, found \"q\""},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.json" + sentence);
  const std::string known =
      "expected states, input_symbols, transitions, initial_state, final_states and perhaps "
      "allow_partial, true or false";
  std::string more = with("", "");
  more.insert(1, "\"stack\": 1,");
  expect_refusal(read, more, "x.json:1: stack: " + known);
  more.replace(1, 10, "\"allow_partial\": 0");
  expect_refusal(read, more, "x.json:1: allow_partial: " + known);
}

TEST(RefusedDictionaries, EveryFaultOfAGraphHasItsLineAndPath) {
  const auto read = [](const std::string& text) { (void)read_graph(text, "x.json"); };
  const std::string nodes = "{\"nodes\": [{\"id\": 0},\n {\"id\": \"p\"}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", ":1: expected an object"},
      {"{}", ":1: expected a key \"nodes\""},
      {"{\"nodes\": []}", ":1: expected a key \"edges\" or \"links\""},
      {"{\"nodes\": [], \"edges\": []}", ": the graph has no vertices; expected at least one"},
      {"{\"nodes\": [0], \"edges\": []}", ":1: nodes[0]: expected an object"},
      {"{\"nodes\": [{}], \"edges\": []}", ":1: nodes[0]: expected a key \"id\""},
      {"{\"nodes\": [{\"name\": \"a\"}], \"links\": []}",
       ":1: nodes[0]: expected node-link JSON of networkx, found a node without an id, as D3 reads "
       "it, "
       "where the ends of edges are positions of nodes"},
      {"{\"nodes\": [{\"key\": \"a\"}], \"edges\": []}",
       ":1: nodes[0]: expected node-link JSON of networkx, found a node of graphology, which has a "
       "'key' for an id"},
      {nodes + "],\n\"edges\": [{\"from\": 0, \"to\": 0}]}",
       ":3: edges[0]: expected node-link JSON of networkx, found an edge of vis.js, which has "
       "'from' "
       "and 'to' for source and target"},
      {nodes + "],\n\"edges\": [{\"source\": 0, \"target\": 0, \"directed\": 1}]}",
       ":3: edges[0].directed: expected true or false"},
      {nodes + ",\n{\"id\": 0.5}], \"edges\": []}",
       ":3: nodes[2].id: expected a name: a string or a whole number"},
      {nodes + "],\n\"edges\": [],\n\"links\": []}",
       ":3: edges: expected edges or links, found both"},
      {nodes + ",\n{\"id\": \"0\"}], \"edges\": []}",
       ":3: nodes[2].id: node \"0\" occurs twice; expected distinct ids"},
      {nodes + ",\n{\"id\": \"\"}], \"edges\": []}",
       ":3: expected a name of a vertex, found an empty one"},
      {nodes + "],\n\"edges\": [[0, 1]]}", ":3: edges[0]: expected an object"},
      {nodes + "],\n\"links\": [{\"source\": 0}]}", ":3: links[0]: expected a key \"target\""},
      {nodes + "],\n\"edges\": [{\"source\": 0,\n\"target\": 1}]}",
       ":4: edges[0].target: expected the id of a node, found \"1\""},
      {nodes + "],\n\"edges\": [],\n\"directed\": 1}", ":4: directed: expected true or false"},
  };
  for (const auto& [text, sentence] : cases) expect_refusal(read, text, "x.json" + sentence);
}

}}  // namespace logdepth::formats_tests
