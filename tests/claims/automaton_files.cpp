// Readers and writers of automaton files: round trips, the habits of each format, the files under
// examples/, and OpenFst's own tools where they are installed.

#include "objects/automaton_files.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "logdepth/errors.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/places.hpp"

namespace logdepth::automaton_files_tests {
namespace {

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

/// Letters whose names the formats could stumble over, in byte order as the readers give them.
const Alphabet& awkward_letters() {
  static const Alphabet letters(
      {"\"", "#", ",", "->", "<b>", "[x]", "\\", "a,b", "eps", "x;y", "\xC3\xA9"});
  return letters;
}

RC_GTEST_PROP(FstFiles, WrittenAutomataAreReadBack, ()) {
  const Dfa dfa =
      minimal(draw_nfa(draw(0, 2) == 0 ? Alphabet({"a", "b"}) : awkward_letters(), false));
  const std::string text = write_fst(nfa_of(dfa));
  RC_LOG() << text << std::endl;
  RC_ASSERT(same_form(minimal(read_fst(text, "test.fst")), dfa));
}

RC_GTEST_PROP(DotFiles, WrittenAutomataAreReadBack, ()) {
  const Dfa dfa =
      minimal(draw_nfa(draw(0, 2) == 0 ? Alphabet({"a", "b"}) : awkward_letters(), false));
  const std::string text = write_dot(nfa_of(dfa));
  RC_LOG() << text << std::endl;
  RC_ASSERT(same_form(minimal(read_dot(text, "test.dot")), dfa));
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

std::string run(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string output;
  for (char buffer[4096]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) output += buffer;
  ::pclose(pipe);
  return output;
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
  const auto folder =
      std::filesystem::temp_directory_path() / ("logdepth_fst_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "symbols") << "<eps> 0\na 1\nb 2\n";
  std::vector<std::size_t> expected;
  EXPECT_TRUE(rc::check("random automata are written for OpenFst", [&] {
    if (expected.size() == 60) return;
    const Nfa nfa = draw_with_both_letters(true);
    const std::string name = std::to_string(expected.size()) + ".txt";
    std::ofstream(folder / name) << as_fst(nfa, 1);
    expected.push_back(states_without_sink(minimal(read_fst(as_fst(nfa, 1), name))));
  }));
  ASSERT_EQ(expected.size(), 60u);
  const std::string counts =
      run("cd " + folder.string() +
          " && for i in $(seq 0 59); do fstcompile --acceptor --isymbols=symbols $i.txt | "
          "fstrmepsilon | fstdeterminize | fstminimize | fstinfo | "
          "awk '/^# of states/ {print $4}'; done 2>&1");
  std::string wanted;
  for (const std::size_t count : expected) wanted += std::to_string(count) + "\n";
  EXPECT_EQ(counts, wanted);

  // And fstprint's own output is read back.
  const std::string printed = run("cd " + folder.string() +
                                  " && fstcompile --acceptor --isymbols=symbols 0.txt | "
                                  "fstprint --acceptor --isymbols=symbols");
  const std::string numbers = run("cd " + folder.string() +
                                  " && fstcompile --acceptor --isymbols=symbols 0.txt | fstprint");
  std::ifstream original(folder / "0.txt");
  std::stringstream text;
  text << original.rdbuf();
  const Dfa dfa = minimal(read_fst(text.str(), "0.txt"));
  EXPECT_TRUE(same_form(dfa, minimal(read_fst(printed, "printed")))) << printed;
  EXPECT_TRUE(same_form(dfa, minimal(read_fst(numbers, "numbers", "<eps> 0\na 1\nb 2\n"))))
      << numbers;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace logdepth::automaton_files_tests
