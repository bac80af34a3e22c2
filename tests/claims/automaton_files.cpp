// Readers and writers of automaton files: round trips, the habits of each format, the files under
// examples/, and OpenFst's own tools where they are installed.
#include "objects/automaton_files.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "library/requests/automaton_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/crasp.hpp"
#include "objects/graph_files.hpp"
#include "objects/regex.hpp"
#include "objects/text_format.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::automaton_files_tests { namespace {

using namespace cases;

Dfa minimal(const Nfa& nfa) {
  return minimise(determinise(nfa));
}
Dfa minimal(const std::string& regex) {
  return minimal(to_nfa(parse_regex(regex)));
}
Dfa minimal(const std::string& regex, const Alphabet& alphabet) {
  return minimal(to_nfa(parse_regex(regex, alphabet)));
}

/// A nondeterministic automaton in each format, by no writer of ours, for letters a, b.
std::string as_fst(const Nfa& nfa, std::uint64_t state_step) {
  std::ostringstream text;
  const State first = nfa.initial.front();
  // The first state named is initial, so it is named by an arc that changes nothing.
  text << first * state_step << " " << first * state_step << " <eps>\n";
  for (const Nfa::Arc& arc : nfa.arcs) {
    text << arc.from * state_step << "\t" << arc.to * state_step << "\t"
         << (arc.letter ? nfa.alphabet.name(*arc.letter) : "<eps>") << "\n";
  }
  for (std::size_t q = 0; q < nfa.states(); ++q) {
    if (nfa.accepting[q]) text << q * state_step << "\n";
  }
  return text.str();
}

std::string as_jff(const Nfa& nfa) {
  std::ostringstream text;
  text << "<?xml version=\"1.0\" encoding=\"UTF-8\"?><structure>&#13;\n\t<type>fa</type>&#13;\n"
       << "\t<automaton>&#13;\n\t\t<!--The list of states.-->&#13;\n";
  const std::set<State> initial(nfa.initial.begin(), nfa.initial.end());
  for (State q = 0; q < nfa.states(); ++q) {
    text << "\t\t<state id=\"" << q << "\" name=\"q" << q << "\">&#13;\n<x>1.0</x><y>2.0</y>"
         << (initial.count(q) > 0 ? "<initial/>" : "") << (nfa.accepting[q] ? "<final/>" : "")
         << "</state>&#13;\n";
  }
  for (const Nfa::Arc& arc : nfa.arcs) {
    text << "<transition>\n<from>" << arc.from << "</from><to>" << arc.to << "</to>";
    text << (arc.letter ? "<read>" + nfa.alphabet.name(*arc.letter) + "</read>" : "<read/>");
    text << "</transition>\n";
  }
  text << "</automaton></structure>\n";
  return text.str();
}

std::string as_dot(const Nfa& nfa) {
  std::ostringstream text;
  text << "digraph {\n";
  text << "  node [shape=doublecircle];";
  for (std::size_t q = 0; q < nfa.states(); ++q) {
    if (nfa.accepting[q]) text << " " << q << ";";
  }
  // As for Graphviz, a default holds for the nodes named after it.
  text << "\n  node [shape=circle];\n";
  for (std::size_t i = 0; i < nfa.initial.size(); ++i) {
    text << "  __start" << i << " [shape=none label=\"\"]; __start" << i << " -> " << nfa.initial[i]
         << ";\n";
  }
  for (const Nfa::Arc& arc : nfa.arcs) {
    text << "  " << arc.from << " -> " << arc.to;
    text << (arc.letter ? " [label=\"" + nfa.alphabet.name(*arc.letter) + "\"]" : "") << ";\n";
  }
  text << "}\n";
  return text.str();
}

/// The automaton with arcs that use both letters, so that the letters of the file are a and b.
Nfa draw_with_both_letters(bool single_initial) {
  Nfa nfa = draw_nfa(Alphabet({"a", "b"}), single_initial);
  nfa.arcs.push_back({0, Letter{0}, 0});
  nfa.arcs.push_back({0, Letter{1}, static_cast<State>(nfa.states() - 1)});
  return nfa;
}

RC_GTEST_PROP(AutomatonFiles, AllFormatsDescribeTheSameAutomaton, ()) {
  const Nfa nfa = draw_with_both_letters(true);
  RC_LOG() << shown(nfa) << std::endl;
  const auto oracle = make_nfa_oracle(nfa, "random");
  const Dfa fst = minimal(read_fst(as_fst(nfa, 1), "test.fst"));
  for (const Word& word : all_words(2, 6)) RC_ASSERT(accepts(fst, word) == oracle->accepts(word));
  RC_ASSERT(same_form(fst, minimal(read_fst(as_fst(nfa, 4000000000u), "test.fst"))));
  RC_ASSERT(same_form(fst, minimal(read_jff(as_jff(nfa), "test.jff"))));
  RC_ASSERT(same_form(fst, minimal(read_dot(as_dot(nfa), "test.dot"))));
}

RC_GTEST_PROP(AutomatonFiles, SeveralInitialStatesAreRead, ()) {
  const Nfa nfa = draw_with_both_letters(false);
  const Dfa expected = minimal(nfa);
  RC_ASSERT(same_form(expected, minimal(read_jff(as_jff(nfa), "test.jff"))));
  RC_ASSERT(same_form(expected, minimal(read_dot(as_dot(nfa), "test.dot"))));
}

TEST(FstFiles, LabelsWeightsAndSymbolsAreReadAsOpenFstWritesThem) {
  const Dfa even_a = minimal("(b|ab*a)*");
  const auto read = [](const std::string& text,
                       const std::optional<std::string>& symbols = std::nullopt) {
    return minimal(read_fst(text, "test.fst", symbols));
  };
  EXPECT_TRUE(same_form(even_a, read("0 1 a\n0 0 b\n1 0 a\n1 1 b\n0\n")));
  EXPECT_TRUE(same_form(even_a, read("0 1 a a\n0 0 b b 0.5\n1 0 a 1.5\n1 1 b\n0 0.25")));
  EXPECT_TRUE(same_form(even_a, read("0\t1\ta\r\n\r\n0\t0\tb\r\n1\t0\ta\r\n1\t1\tb\r\n0\r\n")));
  // Infinity is the weight of what is not there.
  EXPECT_TRUE(
      same_form(even_a, read("0 1 a\n0 0 b\n0 0 a Infinity\n1 0 a\n1 1 b\n1 Infinity\n0\n")));
  const std::string symbols = "<eps> 0\na 1\nb 2\n";
  EXPECT_TRUE(same_form(even_a, read("0 1 1\n0 0 2\n1 0 1\n1 1 2\n0\n", symbols)));
  EXPECT_TRUE(same_form(even_a, read("0 1 a\n0 0 b\n1 0 a\n1 1 b\n0\n", symbols)));
  EXPECT_TRUE(same_form(even_a, read("0 1 1\n0 0 2\n1 2 1\n2 0 0\n1 1 2\n0\n", symbols)));
  EXPECT_TRUE(same_form(even_a, read("0 1 a\n0 0 b\n1 2 a\n2 0 <eps>\n1 1 b\n0\n")));
  EXPECT_TRUE(same_form(even_a, read("0 1 1\n0 0 2\n1 2 1\n2 0 0\n1 1 2\n0\n", "a 1\nb 2\n")));
  // Symbols give the order of the letters, and letters that no arc uses.
  EXPECT_EQ(read_fst("0 0 b\n0\n", "t", "a 2\nb 1\nc 3").alphabet.names(),
            (std::vector<std::string>{"b", "a", "c"}));
  // Symbols called 0 and 1 are names, as for fstcompile; without symbols, 0 is a letter.
  const Dfa parity = minimal("(0|10*1)*");
  EXPECT_TRUE(same_form(parity, read("0 0 0\n0 1 1\n1 1 0\n1 0 1\n0\n")));
  EXPECT_TRUE(same_form(parity, read("0 0 0\n0 1 1\n1 1 0\n1 0 1\n0\n", "eps 0\n0 1\n1 2\n")));
  // Letters that are numbers are ordered by value.
  EXPECT_EQ(read_fst("0 0 10\n0 0 9\n0 0 2\n0", "t").alphabet.names(),
            (std::vector<std::string>{"2", "9", "10"}));
}

TEST(DotFiles, TheHabitsOfDrawnAutomataAreUnderstood) {
  const Dfa even_a = minimal("(b|ab*a)*");
  const auto read = [](const std::string& text) { return minimal(read_dot(text, "test.dot")); };
  const std::string arcs =
      "p -> q [label=a]; p -> p [label=b]; q -> p [label=a]; q -> q [label=b];";
  for (const std::string start : {
           "s [shape=point]; s -> p;",
           "s [shape=none, label=\"\"]; s -> p;",
           "s [shape=plaintext]; s -> p [label=start];",
           "s [style=invis]; s -> p;",
           "start -> p;",
           "init -> p;",
           "__start0 [label=\"\"]; __start0 -> p;",
           "p [initial=true];",
       }) {
    EXPECT_TRUE(
        same_form(even_a, read("digraph g { " + start + "p [shape=doublecircle];" + arcs + "}")))
        << start;
  }
  for (const std::string accepting :
       {"p [accepting=true];", "p [accepting=1, shape=box];", "p [peripheries=2];",
        "node [shape=doublecircle]; p; node [shape=circle];",
        "q [shape=doublecircle, accepting=false]; p [shape=doublecircle];"}) {
    EXPECT_TRUE(same_form(even_a, read("digraph{i[shape=point];" + accepting + arcs + "i -> p}")))
        << accepting;
  }
  // Several letters on an edge, several edges between two states, chains, comments, epsilon.
  EXPECT_TRUE(same_form(minimal("(a|b|c)*a"),
                        read("digraph { start -> p; p -> p [label=\"a, b\"]; p -> p [label=c];\n"
                             "# a comment\n/* { */ p -> q [label=\"a\"]; // another\n"
                             "q -> r -> s [label=\"eps\"]; s [shape=doublecircle] }")));
  // What something leads into is a state, whatever its shape.
  EXPECT_TRUE(
      same_form(minimal("a*"), read("digraph { node [shape=none]; p [initial=true, accepting=true];"
                                    " p -> q [label=a]; q -> p }")));
  // A state that happens to be called start is a state when letters lead out of it.
  EXPECT_TRUE(same_form(minimal("ab*"), read("digraph { start [initial=true]; start -> f [label=a];"
                                             " f -> f [label=b]; f [shape=doublecircle] }")));
  EXPECT_TRUE(
      same_form(minimal("ab*"), read("digraph { i [shape=point]; i -> init; init -> f [label=a];"
                                     " f -> f [label=b]; f [shape=doublecircle] }")));
}

std::string content_of(const std::string& name) {
  std::ifstream file(support::source_dir() + "/examples/automata/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

TEST(AutomatonFiles, ExamplesHaveTheLanguagesTheyAreNamedAfter) {
  const Alphabet bits({"0", "1"});
  const Dfa even_a = minimal("(b|ab*a)*");
  EXPECT_TRUE(same_form(even_a, minimal(read_fst(content_of("even_a.fst"), "even_a.fst"))));
  EXPECT_TRUE(
      same_form(even_a, minimal(read_fst(content_of("even_a_numbers.fst"), "even_a_numbers.fst",
                                         content_of("even_a_numbers.syms")))));
  EXPECT_TRUE(same_form(minimal("!(.*000.*)", bits),
                        minimal(read_dot(content_of("tomita4.dot"), "tomita4.dot"))));
  EXPECT_TRUE(same_form(minimal("(a|b)*abb"),
                        minimal(read_jff(content_of("ends_in_abb.jff"), "ends_in_abb.jff"))));
  EXPECT_TRUE(same_form(minimal("(a(ab)*b)*"),
                        minimal(read_fst(content_of("dyck_depth2.fst"), "dyck_depth2.fst"))));
}

/// OpenFst keeps no state from which nothing is accepted.
std::size_t states_without_sink(const Dfa& dfa) {
  std::size_t sinks = 0;
  for (State q = 0; q < dfa.states(); ++q) {
    bool is_sink = !dfa.accepting[q];
    for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
      is_sink = is_sink && dfa.step(q, letter) == q;
    }
    sinks += is_sink ? 1 : 0;
  }
  return dfa.states() - sinks;
}

TEST(FstFiles, StateCountsAgreeWithOpenFst) {
  if (std::system("command -v fstcompile > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "OpenFst's tools are not installed, so state counts were not compared";
  }
  const support::TemporaryFolder folder;
  const auto run = [&](const std::string& command) {
    return support::run_process({"sh", "-c", command}, folder.path()).out;
  };
  folder.write("symbols", "<eps> 0\na 1\nb 2\n");
  std::vector<std::size_t> expected;
  EXPECT_TRUE(rc::check("random automata are written for OpenFst", [&] {
    if (expected.size() == 60) return;
    const Nfa nfa = draw_with_both_letters(true);
    const std::string name = std::to_string(expected.size()) + ".txt";
    folder.write(name, as_fst(nfa, 1));
    expected.push_back(states_without_sink(minimal(read_fst(as_fst(nfa, 1), name))));
  }));
  ASSERT_EQ(expected.size(), 60u);
  const std::string counts =
      run("for i in $(seq 0 59); do fstcompile --acceptor --isymbols=symbols $i.txt | "
          "fstrmepsilon | fstdeterminize | fstminimize | fstinfo | "
          "awk '/^# of states/ {print $4}'; done 2>&1");
  std::string wanted;
  for (const std::size_t count : expected) wanted += std::to_string(count) + "\n";
  EXPECT_EQ(counts, wanted);

  // And fstprint's own output is read back.
  const std::string printed =
      run("fstcompile --acceptor --isymbols=symbols 0.txt | "
          "fstprint --acceptor --isymbols=symbols");
  const std::string numbers = run("fstcompile --acceptor --isymbols=symbols 0.txt | fstprint");
  const Dfa dfa = minimal(read_fst(folder.read("0.txt"), "0.txt"));
  EXPECT_TRUE(same_form(dfa, minimal(read_fst(printed, "printed")))) << printed;
  EXPECT_TRUE(same_form(dfa, minimal(read_fst(numbers, "numbers", "<eps> 0\na 1\nb 2\n"))))
      << numbers;
}

// Files as other tools write them and users give them (tests/claims/given_files): the language or the
// graph that each has, or the sentence that refuses it.

using namespace cases;

std::string path_of(const std::string& name) {
  return support::source_dir() + "/tests/claims/given_files/" + name;
}

/// Paths and not the folder of this build, so sentences are compared from the name on.
std::string without_folder(std::string sentence) {
  const std::string folder = path_of("");
  for (std::size_t at = 0; (at = sentence.find(folder)) != std::string::npos;)
    sentence.erase(at, folder.size());
  return sentence;
}

template <typename Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return without_folder(error.what());
  } catch (const SizeLimit& limit) {
    return "size: " + without_folder(limit.what());
  }
  return "";
}

Graph graph_of(const std::string& name, const std::optional<std::string>& format = std::nullopt) {
  return read_graph(read_text_file(path_of(name)), path_of(name), false, format);
}
std::string refusal_of_graph(const std::string& name) {
  return refusal([&] { (void)graph_of(name); });
}
bool reaches(const Graph& graph, const std::string& from, const std::string& to) {
  std::vector<Vertex> reached = {*graph.vertex(from)};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Vertex next = 0; next < graph.size(); ++next)
      if (graph.has_edge(reached[i], next) &&
          std::find(reached.begin(), reached.end(), next) == reached.end())
        reached.push_back(next);
  return std::find(reached.begin(), reached.end(), *graph.vertex(to)) != reached.end();
}

LoadedAutomaton load(std::optional<SourceFile> AutomatonSource::*kind, const std::string& name,
                     const std::string& symbols = "") {
  AutomatonSource source;
  source.*kind = SourceFile(path_of(name));
  if (!symbols.empty()) source.symbols = SourceFile(path_of(symbols));
  return load_automaton(source);
}
std::vector<std::string> notes_of(const LoadedAutomaton& loaded) {
  std::vector<std::string> notes;
  for (const std::string& note : loaded.notes) notes.push_back(without_folder(note));
  return notes;
}
void expect_language(const LoadedAutomaton& loaded, const std::string& regex,
                     const Alphabet& letters) {
  const Dfa wanted = minimise(determinise(to_nfa(parse_regex(regex, letters))));
  EXPECT_EQ(loaded.minimal->alphabet.names(), letters.names());
  EXPECT_TRUE(same_form(*loaded.minimal, wanted)) << loaded.name;
}

using Notes = std::vector<std::string>;
constexpr auto kFst = &AutomatonSource::fst;
constexpr auto kJff = &AutomatonSource::jff;
constexpr auto kDot = &AutomatonSource::dot;

TEST(GivenGraphs, TheContentOfATextIsRecognised) {
  const Graph matrix = graph_of("matrix-market.mtx");
  EXPECT_EQ(graph_of("matrix-market-in-txt.txt"), matrix);
  EXPECT_EQ(matrix.size(), 4u);
  EXPECT_TRUE(reaches(matrix, "1", "3"));
  EXPECT_TRUE(reaches(matrix, "3", "1"));
  const Graph gml = graph_of("gml-in-txt.txt");
  EXPECT_EQ(gml.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(reaches(gml, "a", "b"));
  EXPECT_FALSE(reaches(gml, "b", "a"));
}

TEST(GivenGraphs, MetisIsRead) {
  const Graph metis = graph_of("metis.graph");
  EXPECT_EQ(metis.size(), 3u);
  EXPECT_EQ(metis.edge_count(), 4u);
  EXPECT_TRUE(reaches(metis, "2", "1"));
  EXPECT_TRUE(reaches(metis, "1", "3"));
}

TEST(GivenGraphs, FortransExponentIsANumber) {
  const Graph graph = graph_of("fortran-exponent.mtx");
  EXPECT_EQ(graph.edge_count(), 2u);
  EXPECT_TRUE(reaches(graph, "3", "2"));
}

TEST(GivenGraphs, RefusalsNameTheFormatAndThePlace) {
  EXPECT_EQ(
      refusal_of_graph("comma.edges"),
      "comma.edges:1: the word 'a,b' holds the separator ',', at column 2; expected blanks between "
      "source and target; 'tr ',' \" \"' converts the file, and a first line '# edge list' "
      "declares that "
      "its words are names");
  EXPECT_TRUE(refusal_of_graph("label-two-lines.gml")
                  .starts_with("label-two-lines.gml:7: expected a name of a vertex"));
  EXPECT_EQ(refusal_of_graph("nan-weight.json").substr(0, 20), "nan-weight.json:1: n");
  EXPECT_TRUE(refusal_of_graph("nan-weight.json").ends_with(", at column 193"))
      << refusal_of_graph("nan-weight.json");
  EXPECT_EQ(refusal_of_graph("two-reads.jff"),
            "two-reads.jff: the content is a JFLAP file; expected a graph; --jff reads it");
}

TEST(GivenAutomata, MealyMachinesAreSaidToAcceptNothing) {
  const LoadedAutomaton mealy = load(kDot, "mealy.dot");
  EXPECT_EQ(notes_of(mealy),
            (Notes{"mealy.dot: no state accepts, so no word is accepted; its labels have the form "
                   "a/b: a Mealy machine?"}));
  EXPECT_EQ(mealy.minimal->states(), 1u);
  const LoadedAutomaton comma = load(kDot, "mealy-comma.dot");
  EXPECT_EQ(comma.minimal->alphabet.names(), (std::vector<std::string>{"SYN(V,0)/ACK"}));
  EXPECT_EQ(notes_of(comma),
            (Notes{"mealy-comma.dot: no state accepts, so no word is accepted; its labels have the "
                   "form a/b: a Mealy machine?"}));
}

TEST(GivenAutomata, JflapsLabels) {
  EXPECT_EQ(refusal([] { (void)load(kJff, "blank-read.jff"); }),
            "blank-read.jff:2: expected letters in <read>, found ' ' with white space or a control "
            "character, which is no letter here, at column 37; epsilon is an empty <read/>, and "
            "another character can take the place of a blank");
  EXPECT_EQ(
      refusal([] { (void)load(kJff, "blank-read-entity.jff"); }),
      "blank-read-entity.jff:2: expected letters in <read>, found ' ' with white space or a "
      "control character, which is no letter here, at column 37; epsilon is an empty <read/>, "
      "and another character can take the place of a blank");
  EXPECT_EQ(
      refusal([] { (void)load(kJff, "two-reads.jff"); }),
      "two-reads.jff:3: expected one <read> in <transition>, found a second one, at column 51");
  const LoadedAutomaton epsilon = load(kJff, "epsilon-spelled.jff");
  expect_language(epsilon, "b*", Alphabet({"b"}));
  EXPECT_EQ(
      notes_of(epsilon),
      (Notes{"epsilon-spelled.jff: '\xCE\xB5' in <read> is read as epsilon, which JFLAP writes "
             "as an empty <read/>",
             "epsilon-spelled.jff: every word over its 1 letter is accepted"}));
  expect_language(load(kJff, "word-label.jff"), "abc*", Alphabet({"a", "b", "c"}));
  const std::string latin = refusal([] { (void)load(kJff, "latin1.jff"); });
  EXPECT_TRUE(
      latin.starts_with("latin1.jff:1: the file declares the encoding 'ISO-8859-1', at column 1; "
                        "expected UTF-8, which alone is read; 'iconv -f ISO-8859-1 -t UTF-8 "))
      << latin;
}

TEST(GivenAutomata, LabelsOfOpenFstHfstAndK2) {
  const LoadedAutomaton hfst = load(kFst, "hfst-epsilon.fst");
  expect_language(hfst, "b*", Alphabet({"b"}));
  EXPECT_TRUE(
      refusal([] { (void)load(kFst, "k2-final-arc.fst"); })
          .starts_with("k2-final-arc.fst:2: expected a letter, found the negative label "
                       "'-1', the label of arcs into the final state in k2, at column 5; 'awk "));
  EXPECT_EQ(
      refusal([] { (void)load(kFst, "s1.fst", "mine.syms"); }),
      "mine.syms:3: symbol 'b' or its number 1 occurs twice, at column 1; expected each once");
  for (const std::string symbol :
       {"@_IDENTITY_SYMBOL_@", "@_UNKNOWN_SYMBOL_@", "@P.CASE.NOM@", "@D.CASE@"}) {
    const std::string sentence =
        refusal([&] { (void)read_fst("0 1 " + symbol + "\n1\n", "x.fst"); });
    EXPECT_TRUE(
        sentence.starts_with("x.fst:1: expected a letter, found '" + symbol + "', a symbol for "))
        << sentence;
  }
}

TEST(GivenAutomata, DotOfPyformlangAndFstdraw) {
  expect_language(load(kDot, "pyformlang.dot"), "ab*", Alphabet({"a", "b"}));
  const LoadedAutomaton drawn = load(kDot, "fstdraw.dot");
  expect_language(drawn, "ab*", Alphabet({"a", "b"}));
  EXPECT_EQ(notes_of(drawn), (Notes{"fstdraw.dot: the weights are not used: a word is accepted if "
                                    "some path spells it"}));
  EXPECT_EQ(refusal([] { (void)load(kDot, "label-with-space.dot"); }),
            "label-with-space.dot:5: letter 'put x' of the alphabet holds white space or a control "
            "character, at column 19");
}

/// As the writers of these tools have it.
TEST(GivenAutomata, DotOfMataLearnLibAndAALpy) {
  const auto language = [](const std::string& text) {
    AutomatonSource source;
    source.dot = SourceFile("x.dot", text);
    return load_automaton(source);
  };
  const Alphabet letters({"a", "b"});
  expect_language(
      language("digraph finiteAutomaton {\nnode [shape=circle];\n1 [shape=doublecircle];\n"
               "0 -> {0 1 } [label=a];\n1 -> {1 } [label=b];\n"
               "node [shape=none, label=\"\"];\ni0 -> 0;\n}\n"),
      "a*ab*", letters);
  expect_language(
      language(
          "digraph g {\n\n\ts0 [shape=\"doublecircle\" label=\"0\"];\n"
          "\ts1 [shape=\"circle\" label=\"1\"];\n\ts0 -> s1 [label=\"a\"];\n"
          "\ts1 -> s0 [label=\"a\"];\n\ts0 -> s0 [label=\"b\"];\n\ts1 -> s1 [label=\"b\"];\n\n"
          "__start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n__start0 -> s0;\n\n}\n"),
      "(b|ab*a)*", letters);
  expect_language(
      language(
          "digraph learnedModel {\ns0 [label=\"s0\", shape=doublecircle];\ns1 [label=\"s1\"];\n"
          "s0 -> s1 [label=\"a\"];\ns1 -> s0 [label=\"a\"];\ns0 -> s0 [label=\"b\"];\n"
          "s1 -> s1 [label=\"b\"];\n__start0 [label=\"\", shape=none];\n"
          "__start0 -> s0 [label=\"\"];\n}\n"),
      "(b|ab*a)*", letters);
  const LoadedAutomaton moore = language(
      "digraph m {\ns0 [label=\"s0|x\"];\ns1 [label=\"s1|y\"];\ns0 -> s1 [label=\"a\"];\n"
      "__start0 [label=\"\", shape=none];\n__start0 -> s0 [label=\"\"];\n}\n");
  EXPECT_EQ(moore.notes, (Notes{"x.dot: no state accepts, so no word is accepted; its states are "
                                "labelled with outputs: a Moore machine?"}));
  const LoadedAutomaton chain = language(
      "digraph m {\ns0 [label=\"s0\"];\ns1 [label=\"s1\"];\ns0 -> s1 [label=\"a:0.5\"];\n"
      "s0 -> s0 [label=\"a:0.5\"];\n__start0 [label=\"\", shape=none];\n"
      "__start0 -> s0 [label=\"\"];\n}\n");
  EXPECT_EQ(chain.notes, (Notes{"x.dot: no state accepts, so no word is accepted; its labels have "
                                "probabilities: a stochastic machine?"}));
}

TEST(GivenPrograms, CraspIsReadInTheSpellingsOfOtherLanguages) {
  const auto decides = [](const std::string& expression) {
    return make_crasp_oracle(
        parse_crasp("alphabet a b\nA := #[Q_a]\nB := #[Q_b]\nD := " + expression + "\n", "x"), "x");
  };
  const std::vector<std::pair<std::string, std::string>> spellings = {
      {"A == 1", "A = 1"},
      {"A != 1", "not (A = 1)"},
      {"A \xE2\x89\xA0 1", "not (A = 1)"},
      {"A == 1 && B == 2", "A = 1 and B = 2"},
      {"A == 1 || B >= 2", "A = 1 or B >= 2"},
      {"!Q_a && A \xE2\x89\xA4 2", "not Q_a and A <= 2"},
      {"A == 1 || A == 2 && B == 1", "A = 1 or (A = 2 and B = 1)"},
      {"! A == 1", "not (A = 1)"},
  };
  for (const auto& [theirs, ours] : spellings) {
    const auto one = decides(theirs), other = decides(ours);
    std::size_t accepted = 0;
    for (const Word& word : all_words(2, 6)) {
      ASSERT_EQ(one->accepts(word), other->accepts(word)) << theirs;
      accepted += one->accepts(word);
    }
    EXPECT_GT(accepted, 0u) << theirs;
    EXPECT_LT(accepted, 127u) << theirs;
  }
  const CraspProgram program =
      parse_crasp(read_text_file(path_of("double-equals.crasp")), "double-equals.crasp");
  const auto oracle = make_crasp_oracle(program, "x");
  EXPECT_TRUE(oracle->accepts({1, 0, 1}));
  EXPECT_FALSE(oracle->accepts({0, 0}));
  EXPECT_TRUE(
      refusal([] { (void)parse_crasp("alphabet a\nD := pos = 1\n", "x"); })
          .starts_with("x:2: expected the name of an earlier line, found 'pos', at column 6; "
                       "positions are written MOD(i, m) and #[j = i - 1] P(j)"));
}

using GivenFiles = support::CommandLine;

TEST_F(GivenFiles, PackedByGzipAreRead) {
  folder.write("g.edges.gz", packed("a b\nb c\n"));
  folder.write("matrix", packed(read_text_file(path_of("matrix-market.mtx"))));
  folder.write("abb.jff.gz", packed(read_text_file(path_of("word-label.jff"))));
  done({"convert", "--graph", "g.edges.gz", "-o", "g.gr"});
  EXPECT_EQ(folder.read("g.gr"), "c 1 is a\nc 2 is b\nc 3 is c\np sp 3 2\na 1 2 1\na 2 3 1\n");
  done({"convert", "--graph", "matrix", "-o", "m.gr"});
  EXPECT_EQ(folder.read("m.gr"), "p sp 4 4\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n");
  done({"convert", "--jff", "abb.jff.gz", "--minimal", "-o", "abb.mata"});
  EXPECT_EQ(read_mata(folder.read("abb.mata"), "x").states(), 4u);
  folder.write("cut.gz", packed("a b\n").substr(0, 12));
  const support::Finished cut = logdepth({"convert", "--graph", "cut.gz", "-o", "x.gr"});
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(cut.err, "logdepth: cut.gz: the gzip data ends too early\n");
  EXPECT_EQ(logdepth({"convert", "--graph", "g.edges.gz", "-o", "h.edges.gz"}).status, 2)
      << "text under the name of packed data";
}

TEST_F(GivenFiles, TheFormatThatIsGivenDecides) {
  folder.write("m.edges", read_text_file(path_of("matrix-market.mtx")));
  const support::Finished refused = logdepth({"convert", "--graph", "m.edges", "-o", "m.gr"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.err,
      "logdepth: m.edges: the name implies an edge list and the content is Matrix Market; expected "
      "one format, or --format edges or --format matrix-market\n");
  done({"convert", "--graph", "m.edges", "--format", "matrix-market", "-o", "m.gr"});
  EXPECT_EQ(folder.read("m.gr").substr(0, 9), "p sp 4 4\n");
  done({"compile", "connectivity", "-o", "c.json"});
  EXPECT_EQ(done({"run", "c.json", "--graph", "m.edges", "--format", "matrix-market", "--source",
                  "1", "--target", "3"}),
            "connected\n");
  EXPECT_EQ(done({"run", "c.json", "--graph", path_of("matrix-market-in-txt.txt"), "--source", "1",
                  "--target", "3"}),
            "connected\n");
  EXPECT_EQ(
      done({"run", "c.json", "--graph", path_of("metis.graph"), "--source", "2", "--target", "1"}),
      "connected\n");
}

TEST_F(GivenFiles, OfAnEmptyLanguageGetOneSentenceInEveryCommand) {
  folder.write("m.dot", read_text_file(path_of("mealy.dot")));
  const std::string sentence =
      "m.dot: no state accepts, so no word is accepted; its labels have the form a/b: a Mealy "
      "machine?\n";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"compile", "regular", "--dot", "m.dot", "-o", "m.json"},
           {"inspect", "--dot", "m.dot"},
           {"convert", "--dot", "m.dot", "-o", "m.mata"},
           {"test", "m.json", "--dot", "m.dot"}}) {
    const support::Finished finished = logdepth(command);
    EXPECT_EQ(finished.status, 0) << command[0] << finished.err;
    EXPECT_TRUE(finished.err.starts_with(sentence)) << command[0] << '\n' << finished.err;
    EXPECT_EQ(finished.err.find(sentence, 1), std::string::npos) << command[0];
  }
  folder.write("all.fst", "0 0 a\n0 0 b\n0\n");
  EXPECT_TRUE(logdepth({"inspect", "--fst", "all.fst"})
                  .err.starts_with("all.fst: every word over its 2 letters is accepted\n"));
  folder.write("dead.fst", "0 0 a\n1 1 a\n1\n");
  EXPECT_TRUE(
      logdepth({"inspect", "--fst", "dead.fst"})
          .err.starts_with("dead.fst: no accepting state is reached from the initial one, so "
                           "no word is accepted\n"));
}

}}  // namespace logdepth::automaton_files_tests
