// Automata written in every format: what the house's readers, OpenFst and Graphviz make of them, and
// the texts themselves.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::automaton_exchange_tests { namespace {

using namespace cases;

Nfa read_by_ending(const std::string& text, const std::string& path) {
  if (path.ends_with(".fst")) return read_fst(text, path);
  if (path.ends_with(".dot")) return read_dot(text, path);
  if (path.ends_with(".jff")) return read_jff(text, path);
  if (path.ends_with(".mata")) return read_mata(text, path);
  return read_automaton_json(text, path);
}

/// Letters and names that some format could stumble over; letters in byte order, as readers of
/// formats without a list of letters give them.
const Alphabet& characters() {
  static const Alphabet letters({"\"", "%", "&", ",", "0", "<", "\\", "|", "\xC3\xA9"});
  return letters;
}
const Alphabet& words() {
  static const Alphabet letters({"\"q\"", "#", "%Final", "->", "10", "<b>", "@x", "\\", "a,b",
                                 "eps", "x\\\"y", "\xC3\xA9\xF0\x9F\x90\x88"});
  return letters;
}
const std::vector<std::string> kNames = {"New York", " lead",
                                         "trail ",   "\"quoted\"",
                                         "<b>",      "a&b;",
                                         "start",    "__start",
                                         "init",     "qi0",
                                         "0",        "007",
                                         "q0",       "q1",
                                         "{a, b}",   "no state",
                                         "before",   "\xC3\xA9",
                                         "node",     "digraph",
                                         "#1",       "%Final",
                                         "@",        "|",
                                         "&",        "!not",
                                         "(p, q)",   "->",
                                         "]]>",      "a\\b",
                                         "\\true",   "'",
                                         "eps",      "\xF0\x9F\x90\x88"};

/// A random automaton whose states have names, of one initial state or of none or several.
Nfa draw_named(const Alphabet& alphabet, bool single_initial) {
  Nfa nfa = draw_nfa(alphabet, single_initial);
  if (!single_initial && draw(0, 5) == 0) nfa.initial.clear();
  const auto chosen =
      *rc::gen::unique<std::vector<std::string>>(nfa.states(), rc::gen::elementOf(kNames));
  nfa.names = chosen;
  return nfa;
}

Alphabet some_of(const Alphabet& all) {
  std::vector<std::string> names;
  const int first = draw(0, static_cast<int>(all.size()) - 2);
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<Letter>(first + i);
    if (at < all.size()) names.push_back(all.name(at));
  }
  return Alphabet(names);
}

/// Everything by name: the states, which are initial and accepting, and the arcs between them.
struct ByName {
  std::set<std::string> states, initial, accepting;
  std::set<std::tuple<std::string, std::string, std::string>> arcs;  ///< "" is epsilon
  bool operator==(const ByName&) const = default;
};

ByName by_name(const Nfa& nfa) {
  ByName result;
  result.states.insert(nfa.names.begin(), nfa.names.end());
  for (const State q : nfa.initial) result.initial.insert(nfa.names[q]);
  for (State q = 0; q < nfa.states(); ++q)
    if (nfa.accepting[q]) result.accepting.insert(nfa.names[q]);
  for (const Nfa::Arc& arc : nfa.arcs)
    result.arcs.emplace(nfa.names[arc.from], arc.letter ? nfa.alphabet.name(*arc.letter) : "",
                        nfa.names[arc.to]);
  return result;
}

/// The automaton that is read back has the letters of the given one and decides every short word as
/// the given one does, by an oracle that walks through its states.
void expect_same_language(const Nfa& nfa, const std::string& path) {
  const std::string text = write_automaton(nfa, path);
  RC_LOG() << shown(nfa) << "\n" << path << "\n" << text << std::endl;
  const Nfa read = read_by_ending(text, path);
  RC_ASSERT(read.alphabet == nfa.alphabet);
  const Dfa dfa = minimise(determinise(read));
  const auto oracle = make_nfa_oracle(nfa, "given");
  for (const Word& word : all_words(nfa.alphabet.size(), 4))
    RC_ASSERT(accepts(dfa, word) == oracle->accepts(word));
  RC_ASSERT(same_form(dfa, minimise(determinise(nfa))));
}

RC_GTEST_PROP(AutomatonExchange, EveryFormatKeepsTheLanguage, ()) {
  const Nfa characters_only = draw_named(some_of(characters()), false);
  for (const char* path : {"x.fst", "x.dot", "x.jff", "x.mata", "x.json"})
    expect_same_language(characters_only, path);
  const Nfa longer = draw_named(some_of(words()), false);
  for (const char* path : {"x.fst", "x.dot", "x.mata", "x.json"})
    expect_same_language(longer, path);
}

RC_GTEST_PROP(AutomatonExchange, EveryFormatKeepsAMinimalAutomaton, ()) {
  const Dfa dfa = minimise(determinise(draw_nfa(some_of(characters()), false)));
  for (const char* path : {"x.fst", "x.dot", "x.jff", "x.mata", "x.json"}) {
    const Nfa read = read_by_ending(write_automaton(nfa_of(dfa), path), path);
    RC_ASSERT(read.states() == dfa.states());
    RC_ASSERT(same_form(minimise(determinise(read)), dfa));
  }
}

RC_GTEST_PROP(AutomatonExchange, NamesArcsAndStatesSurviveWhereTheFormatCanSayThem, ()) {
  Nfa nfa = draw_named(some_of(characters()), true);
  for (Letter letter = 0; letter < nfa.alphabet.size(); ++letter)
    nfa.arcs.push_back({0, letter, static_cast<State>(nfa.states() - 1)});
  for (const char* path : {"x.dot", "x.jff", "x.json"}) {
    const std::string text = write_automaton(nfa, path);
    RC_LOG() << path << "\n" << text << std::endl;
    RC_ASSERT(by_name(read_by_ending(text, path)) == by_name(nfa));
  }
  nfa.initial.push_back(static_cast<State>(nfa.states() - 1));
  RC_ASSERT(by_name(read_dot(write_dot(nfa), "x.dot")) == by_name(nfa));
  std::erase_if(nfa.arcs, [](const Nfa::Arc& arc) { return !arc.letter; });
  const std::string text = write_mata(nfa);
  RC_LOG() << text << std::endl;
  RC_ASSERT(by_name(read_mata(text, "x.mata")) == by_name(nfa));
}

/// Two initial states, one of them alone, an epsilon arc, two arcs of one letter, a letter on none.
Nfa small_automaton() {
  Nfa nfa;
  nfa.alphabet = Alphabet({"b", "a", "c"});
  nfa.initial = {0, 2};
  nfa.accepting = {false, true, true};
  nfa.arcs = {{0, Letter{1}, 0}, {0, Letter{1}, 1}, {1, std::nullopt, 0}, {0, Letter{0}, 1}};
  nfa.names = {"p", "the end", "alone"};
  return nfa;
}

TEST(AutomatonExchange, TheTextsAreThoseOfTheFormats) {
  const Nfa nfa = small_automaton();
  EXPECT_EQ(write_fst(nfa),
            "3\t0\t<eps>\n3\t2\t<eps>\n3\t4\tc\n"
            "4\tInfinity\n"
            "0\t0\ta\n0\t1\ta\n0\t1\tb\n"
            "1\t0\t<eps>\n1\n"
            "2\n");
  EXPECT_EQ(write_dot(nfa),
            "digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n"
            "  __start [shape=point];\n  p;\n  \"the end\" [shape=doublecircle];\n"
            "  alone [shape=doublecircle];\n  \"no state\";\n  __start -> p;\n  __start -> alone;\n"
            "  p -> p [label=\"a\"];\n  p -> \"the end\" [label=\"a,b\"];\n"
            "  p -> \"no state\" [label=\"c\"];\n  \"the end\" -> p [label=\"eps\"];\n}\n");
  EXPECT_EQ(write_mata(nfa),
            "@NFA-explicit\n%States-enum p \"the end\" alone\n%Alphabet-enum b a c\n"
            "%Initial p alone\n%Final \"the end\" alone\n"
            "p b \"the end\"\np a p\np a \"the end\"\n"
            "\"the end\" b \"the end\"\n\"the end\" a p\n\"the end\" a \"the end\"\n");
  EXPECT_EQ(write_automaton_json(nfa),
            "{\n \"states\": [\"p\", \"the end\", \"alone\", \"before\"],\n"
            " \"input_symbols\": [\"b\", \"a\", \"c\"],\n \"transitions\": {\n"
            "  \"p\": {\"b\": [\"the end\"], \"a\": [\"p\", \"the end\"]},\n"
            "  \"the end\": {\"\": [\"p\"]},\n  \"alone\": {},\n"
            "  \"before\": {\"\": [\"p\", \"alone\"]}\n },\n"
            " \"initial_state\": \"before\",\n \"final_states\": [\"the end\", \"alone\"]\n}\n");
  Nfa one = small_automaton();
  one.initial = {0};
  one.accepting.resize(2);
  one.names.resize(2);
  one.alphabet = Alphabet({"b", "a"});
  EXPECT_EQ(
      write_jff(one),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<structure>\n <type>fa</type>\n <automaton>\n"
      "  <state id=\"0\" name=\"p\">\n   <x>100</x>\n   <y>100</y>\n   <initial />\n  </state>\n"
      "  <state id=\"1\" name=\"the end\">\n   <x>220</x>\n   <y>100</y>\n   <final />\n"
      "  </state>\n"
      "  <transition>\n   <from>0</from>\n   <to>0</to>\n   <read>a</read>\n  </transition>\n"
      "  <transition>\n   <from>0</from>\n   <to>1</to>\n   <read>a</read>\n  </transition>\n"
      "  <transition>\n   <from>1</from>\n   <to>0</to>\n   <read />\n  </transition>\n"
      "  <transition>\n   <from>0</from>\n   <to>1</to>\n   <read>b</read>\n  </transition>\n"
      " </automaton>\n</structure>\n");
}

TEST(AutomatonExchange, ADeterministicAutomatonIsTheDictionaryOfADfa) {
  Nfa nfa;
  nfa.alphabet = Alphabet({"a", "b"});
  nfa.initial = {1};
  nfa.accepting = {true, false};
  nfa.arcs = {{0, Letter{0}, 1}, {1, Letter{1}, 0}, {1, Letter{0}, 1}};
  const std::string beginning =
      "{\n \"states\": [\"q0\", \"q1\"],\n \"input_symbols\": [\"a\", \"b\"],\n \"transitions\": "
      "{\n";
  const std::string end = " },\n \"initial_state\": \"q1\",\n \"final_states\": [\"q0\"]";
  EXPECT_EQ(write_automaton_json(nfa),
            beginning + "  \"q0\": {\"a\": \"q1\"},\n  \"q1\": {\"a\": \"q1\", \"b\": \"q0\"}\n" +
                end + ",\n \"allow_partial\": true\n}\n");
  nfa.arcs.push_back({0, Letter{1}, 0});
  EXPECT_EQ(write_automaton_json(nfa),
            beginning +
                "  \"q0\": {\"a\": \"q1\", \"b\": \"q0\"},\n  \"q1\": {\"a\": \"q1\", \"b\": "
                "\"q0\"}\n" +
                end + "\n}\n");
}

TEST(AutomatonExchange, NumbersOfStatesSurviveInOpenFst) {
  EXPECT_EQ(write_fst(read_fst("7 3 a\n3 7 b\n3\n", "x.fst")), "7\t3\ta\n3\t7\tb\n3\n");
  EXPECT_EQ(write_fst(read_automaton_json(
                "{\"states\": [1, \"01\"], \"input_symbols\": [\"a\"], \"transitions\": {\"1\": "
                "{\"a\": \"01\"}}, \"initial_state\": 1, \"final_states\": []}",
                "x.json")),
            "0\t1\ta\n1\tInfinity\n");
}

TEST(AutomatonExchange, NamesThatNoFileCouldHoldAreReplaced) {
  Nfa nfa = small_automaton();
  nfa.names[0] = "a\nb";
  EXPECT_NE(write_mata(nfa).find("%States-enum q0 q1 q2\n"), std::string::npos);
  nfa.names[0] = nfa.names[1];
  EXPECT_NE(write_mata(nfa).find("%States-enum q0 q1 q2\n"), std::string::npos);
}

TEST(AutomatonExchange, AStateCalledAsAnAddedOneKeepsItsName) {
  Nfa nfa = small_automaton();
  nfa.names = {"before", "no state", "before_"};
  EXPECT_EQ(read_automaton_json(write_automaton_json(nfa), "x.json").names,
            (std::vector<std::string>{"before", "no state", "before_", "before__"}));
  EXPECT_NE(write_dot(nfa).find("before -> \"no state_\" [label=\"c\"]"), std::string::npos);
}

/// In drawings an edge called start from a node called init is no arc.
TEST(AutomatonExchange, AStateCalledInitIsAStateInDot) {
  Nfa nfa;
  nfa.alphabet = Alphabet({"start"});
  nfa.initial = {1};
  nfa.accepting = {false, true};
  nfa.arcs = {{0, Letter{0}, 1}};
  nfa.names = {"init", "q"};
  EXPECT_EQ(by_name(read_dot(write_dot(nfa), "x.dot")), by_name(nfa));
}

TEST(AutomatonExchange, TheHabitsOfMataFilesAreUnderstood) {
  const auto same = [](const std::string& text, const std::string& fst) {
    return same_form(minimise(determinise(read_mata(text, "x.mata"))),
                     minimise(determinise(read_fst(fst, "x.fst"))));
  };
  const std::string even_a = "0 1 a\n0 0 b\n1 0 a\n1 1 b\n0\n";
  EXPECT_TRUE(
      same("# as the library prints it\n\n@NFA-explicit\n%Alphabet-auto\n%Initial q0\n"
           "%Final q0\nq0 a q1\nq0 b q0\nq1 a q0\nq1 b q1\n",
           even_a));
  EXPECT_TRUE(
      same("@NFA-explicit # ...\r\n%States-marked\r\n  q0 a & q1\t# a comment\r\nq0 b&q0\r\n"
           "q1 a \\\r\n q0\r\n\"q1\" b q1#\r\n%Initial \\\r\nq0\r\n%Final q0",
           even_a));
  EXPECT_TRUE(same("@NFA-explicit\n%Initial p | q\n%Initial r\n%Final r\n%Final q\np a q\nq b r\n",
                   "0 1 <eps>\n0 2 <eps>\n0 3 <eps>\n1 2 a\n2 3 b\n2\n3\n"));
  EXPECT_TRUE(
      same("@NFA-explicit\n%Epsilon e \"to nothing\"\n%Alphabet-enum a b e\n%Initial p\n"
           "%Final q\np e q\nq a p\nq \"to nothing\" q\np b p\n",
           "0 1 <eps>\n1 0 a\n0 0 b\n1\n"));
  // Without an initial state nothing is accepted.
  EXPECT_EQ(minimise(determinise(read_mata("@NFA-explicit\n%Final p\np a p\n", "x"))).accepting,
            std::vector<bool>{false});
  // The list of letters gives their order, and letters that are on no arc.
  EXPECT_EQ(read_mata("@NFA-explicit\n%Alphabet-enum b \"|\"\n%Alphabet-enum a\np a p\n", "x")
                .alphabet.names(),
            (std::vector<std::string>{"b", "|", "a"}));
  EXPECT_EQ(read_mata("@NFA-explicit\n%States-enum \"x \\\" \\\\ \\y\" q\n%Initial q\nq a q\n", "x")
                .names,
            (std::vector<std::string>{"x \" \\ \\y", "q"}));
}

TEST(AutomatonExchange, TheExamplesAreTheLanguagesOfTheirNeighbours) {
  const auto minimal = [](const std::string& name) {
    const std::string path = support::source_dir() + "/examples/automata/" + name;
    return minimise(determinise(read_by_ending(read_whole_file(path), path)));
  };
  EXPECT_TRUE(same_form(minimal("ends_in_abb.mata"), minimal("ends_in_abb.jff")));
  EXPECT_TRUE(same_form(minimal("dyck_depth2.json"), minimal("dyck_depth2.fst")));
}

TEST(AutomatonExchange, WhatAFormatCannotSayIsRefusedByName) {
  const auto refusal = [](const std::string& letter, const std::string& state,
                          const std::string& path) {
    Nfa nfa = small_automaton();
    nfa.alphabet = Alphabet({"a", "b", letter});
    nfa.names[0] = state;
    return support::refusal([&] { (void)write_automaton(nfa, path); });
  };
  EXPECT_EQ(refusal("<eps>", "p", "x.fst"),
            "x.fst: the letter '<eps>' cannot be written: an OpenFst file reads it as epsilon");
  EXPECT_EQ(refusal("open", "p", "x.jff"),
            "x.jff: the letter 'open' cannot be written: JFLAP has letters of one character");
  EXPECT_EQ(refusal("c", "p\\", "x.dot"),
            "x.dot: the name 'p\\' cannot be written: DOT has no backslash before a quotation mark "
            "or at the end of a name");
  EXPECT_EQ(refusal("c", "p\\\"q", "x.dot").substr(0, 22), "x.dot: the name 'p\\\"q'");
  EXPECT_EQ(refusal("c", "p\\\\", "x.dot"), "accepted");
  EXPECT_EQ(refusal("c", "p", "x.xml"),
            "x.xml: expected a name that ends in .fst, .dot, .jff, .mata or .json");
}

/// Without epsilon two million arcs are the limit: 2000 states in a chain of epsilon arcs to one
/// with 2000 arcs would have four.
TEST(AutomatonExchange, EpsilonArcsThatWouldBecomeTooManyAreALimit) {
  Nfa nfa;
  nfa.alphabet = Alphabet({"a"});
  nfa.initial = {0};
  nfa.accepting.resize(2000);
  for (State q = 0; q + 1 < 2000; ++q) nfa.arcs.push_back({q, std::nullopt, q + 1});
  for (State q = 0; q < 2000; ++q) nfa.arcs.push_back({1999, Letter{0}, q});
  EXPECT_THROW((void)write_mata(nfa), SizeLimit);
}

/// Random automata written for a program, what it prints read back: the same languages.
void compare_with(const std::string& ending, const std::string& command) {
  const TemporaryFolder folder;
  std::vector<Dfa> expected;
  EXPECT_TRUE(rc::check("random automata are written for another program", [&] {
    if (expected.size() == 40) return;
    const Nfa nfa = draw_named(Alphabet({"#", "0", "\\", "x>y"}), false);
    // Graphviz prints <b> as an HTML string, % as one without a name.
    const bool plain = std::ranges::all_of(nfa.names, [](const std::string& name) {
      return name.find_first_of("<%") == std::string::npos;
    });
    if (!plain) return;
    const std::string name = std::to_string(expected.size()) + ending;
    write_whole_file(folder.file(name), write_automaton(nfa, name));
    expected.push_back(minimise(determinise(nfa)));
  }));
  ASSERT_EQ(expected.size(), 40u);
  write_whole_file(folder.file("symbols"), "<eps> 0\n# 1\n0 2\n\\ 3\nx>y 4\n");
  const std::string all =
      "cd '" + folder.path() + "' && for i in $(seq 0 39); do " + command + " || exit 1; done";
  ASSERT_EQ(std::system(all.c_str()), 0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = std::to_string(i) + ".out" + ending;
    const std::string text = read_whole_file(folder.file(name));
    EXPECT_TRUE(same_form(minimise(determinise(read_by_ending(text, name))), expected[i])) << text;
  }
}

TEST(AutomatonExchange, OpenFstReadsAndPrintsWhatIsWritten) {
  if (std::system("command -v fstcompile > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "OpenFst's tools are not installed";
  // A state without a way to accept stays: nothing is trimmed.
  compare_with(".fst",
               "fstcompile --acceptor --isymbols=symbols $i.fst | fstprint --acceptor "
               "--isymbols=symbols > $i.out.fst");
}

TEST(AutomatonExchange, GraphvizReadsAndPrintsWhatIsWritten) {
  if (std::system("command -v dot > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "Graphviz is not installed";
  compare_with(".dot", "dot -Tcanon $i.dot > $i.out.dot");
}

// Dialects of automaton files: letters that look like what tools write for epsilon, words as labels,
// and groups by the names that are printed for them.

using namespace cases;

std::string refusal(const std::function<void()>& read) {
  return support::refusal(read);
}

/// Letters that a reader could take for something else.
const Alphabet& odd_letters() {
  static const Alphabet letters({"<eps>", "@0@", "@_IDENTITY_SYMBOL_@", "a(", "b)", "eps",
                                 "epsilon", "f(x,y)", "g[1,2]", "i|j", "new", "x/y", "{",
                                 "\xCE\xB5", "\xCE\xBB"});
  return letters;
}

RC_GTEST_PROP(DotLabels, LettersThatLookLikeEpsilonAreWrittenAsLetters, ()) {
  const Dfa dfa = minimise(determinise(draw_nfa(odd_letters(), false)));
  const std::string text = write_dot(nfa_of(dfa));
  RC_LOG() << text;
  const Nfa read = read_dot(text, "x.dot");
  RC_ASSERT(read.notes.empty());
  RC_ASSERT(same_form(minimise(determinise(read)), dfa));
}

TEST(DotLabels, ABarSeparatesNothingAndIsNoted) {
  const auto notes = [](const std::string& label) {
    return read_dot("digraph { s [shape=point]; s -> p; p -> p [label=\"" + label + "\"] }",
                    "x.dot")
        .notes;
  };
  EXPECT_EQ(notes("0|1"),
            (std::vector<std::string>{
                "x.dot: the label '0|1' is read as one letter; commas separate letters"}));
  EXPECT_EQ(notes("0\\|1"), (std::vector<std::string>{}));
  EXPECT_EQ(notes("0,|"), (std::vector<std::string>{}));
  EXPECT_EQ(notes("epsilon,a").size(), 1u);
}

TEST(Labels, WhatAFormatReadsOtherwiseIsNotWritten) {
  const auto with = [](const std::string& letter) {
    return Nfa{Alphabet({letter}), {0}, {true}, {{0, Letter{0}, 0}}};
  };
  for (const std::string letter : {"<eps>", "<epsilon>", "@0@", "@P.A.B@", "-1"})
    EXPECT_TRUE(refusal([&] {
                  (void)write_fst(with(letter));
                }).starts_with("the letter '" + letter + "' cannot be written: an OpenFst file"))
        << letter;
  for (const std::string letter : {"\xCE\xB5", "\xCE\xBB"})
    EXPECT_EQ(refusal([&] { (void)write_jff(with(letter)); }),
              "the letter '" + letter + "' cannot be written: a JFLAP file reads it as epsilon");
  EXPECT_EQ(
      read_fst("0 0 eps\n0\n", "x.fst").notes,
      (std::vector<std::string>{"x.fst: the label 'eps' is read as a letter; epsilon is <eps>"}));
  EXPECT_EQ(read_fst("0 0 0\n0 0 1\n0\n", "x.fst").notes,
            (std::vector<std::string>{
                "x.fst: the label 0 is read as a letter; with --symbols it is epsilon"}));
  EXPECT_EQ(read_fst("0 0 a 0.5\n0\n", "x.fst").notes,
            (std::vector<std::string>{"x.fst: the weights are not used: a word is accepted if some "
                                      "path spells it"}));
  EXPECT_EQ(read_fst("0 0 a 0\n0\n", "x.fst").notes, (std::vector<std::string>{}));
}

RC_GTEST_PROP(JflapWords, AreTheirLettersInOrder, ()) {
  std::string regex = "(";
  std::string text =
      "<structure><type>fa</type><automaton><state id=\"0\"><initial/></state>"
      "<state id=\"1\"><final/></state>";
  const int words = draw(1, 5);
  for (int i = 0; i < words; ++i) {
    std::string word;
    for (int length = draw(1, 5); length > 0; --length) word += draw(0, 2) == 0 ? 'a' : 'b';
    regex += (i == 0 ? "" : "|") + word;
    text += "<transition><from>0</from><to>1</to><read>" + word + "</read></transition>";
  }
  text +=
      "<transition><from>1</from><to>0</to><read>ab</read></transition></automaton></structure>";
  const Alphabet letters({"a", "b"});
  regex = regex + ")(ab" + regex + "))*";
  RC_LOG() << text << "\n" << regex;
  RC_ASSERT(same_form(minimise(determinise(read_jff(text, "x.jff"))),
                      minimise(determinise(to_nfa(parse_regex(regex, letters))))));
}

TEST(GroupNames, ThatArePrintedAreRead) {
  for (const std::string name : {"trivial",
                                 "Z6",
                                 "Z2 x Z4",
                                 "S4",
                                 "A5",
                                 "D4",
                                 "Q8",
                                 "Q16",
                                 "Dic3",
                                 "Z7 : Z3",
                                 "SL(2,3)",
                                 "GL(2,3)",
                                 "Z3 x D4",
                                 "SD16",
                                 "M16",
                                 "Z4 : Z4",
                                 "(Z2 x Z2) : Z4",
                                 "Z4 o D4",
                                 "S3 wr Z2",
                                 "(Z3 x Z3) : Z2",
                                 "Z3 : Z8",
                                 "AGL(1,8)",
                                 "PSL(2,7)",
                                 "Z2 x (Z2 x Z2) : Z4"}) {
    const Action action = named_monoid(name);
    const auto group = generated_group(action.generators, action.points, 5040);
    ASSERT_TRUE(group) << name;
    const auto printed = group_name(*group);
    if (name == "Z2 x (Z2 x Z2) : Z4") {
      EXPECT_EQ(group->order(), 32u);
    } else {
      EXPECT_EQ(printed, name);
    }
  }
  EXPECT_EQ(named_monoid("Z2_x_Z4").generators, named_monoid("Z2 x Z4").generators);
}

TEST(OtherMachines, AreNamed) {
  const auto jff = [](const std::string& type) {
    return refusal([&] {
      (void)read_jff("<structure><type>" + type + "</type><automaton/></structure>", "x.jff");
    });
  };
  for (const auto& [type, machine] :
       std::vector<std::pair<std::string, std::string>>{{"mealy", "a Mealy machine"},
                                                        {"moore", "a Moore machine"},
                                                        {"pda", "a pushdown automaton"},
                                                        {"turing", "a Turing machine"},
                                                        {"grammar", "a grammar"}})
    EXPECT_TRUE(jff(type).starts_with(
        "x.jff:1: expected <type>fa</type>, a finite automaton, found '" + type + "', " + machine))
        << jff(type);
  const auto json = [](const std::string& key) {
    return refusal([&] {
      (void)read_automaton_json(
          "{\"states\": [], \"input_symbols\": [], \"transitions\": {}, \"" + key + "\": []}", "x");
    });
  };
  EXPECT_EQ(json("stack_symbols"),
            "x:1: stack_symbols: expected a finite automaton, found a pushdown automaton");
  EXPECT_EQ(json("tape_symbols"),
            "x:1: tape_symbols: expected a finite automaton, found a Turing machine");
  EXPECT_TRUE(json("output_table")
                  .ends_with("found a Mealy or Moore machine, which has outputs and "
                             "accepts nothing"));
  const std::string two =
      "<structure><type>fa</type><automaton><state id=\"0\"><initial/><final/>"
      "</state><state id=\"1\"><initial/></state><transition><from>1</from><to>0"
      "</to><read>a</read></transition></automaton></structure>";
  EXPECT_EQ(
      read_jff(two, "x.jff").notes,
      (std::vector<std::string>{"x.jff: 2 states are initial, and a word is accepted from any "
                                "of them; JFLAP has one"}));
  EXPECT_EQ(
      refusal([] {
        (void)read_dot(
            "digraph g {\ns0 [shape=circle];\ns0 -> s0 [label=\"coin / ok\"];\n"
            "__start0 [shape=none];\n__start0 -> s0;\n}\n",
            "x.dot");
      }),
      "x.dot:3: expected a letter, found 'coin / ok', an input and an output as a Mealy machine "
      "has, which accepts nothing, at column 18");
  const std::string range =
      "<structure><type>fa</type><automaton><state id=\"0\"><initial/><final/></state><transition>"
      "<from>0</from><to>0</to><read>[b-e]</read></transition></automaton></structure>";
  const Nfa letters = read_jff(range, "x.jff");
  EXPECT_EQ(letters.alphabet.names(), (std::vector<std::string>{"b", "c", "d", "e"}));
  EXPECT_EQ(letters.arcs.size(), 4u);
  EXPECT_EQ(letters.notes,
            (std::vector<std::string>{
                "x.jff: '[b-e]' in <read> is read as a range of letters, as JFLAP does"}));
  const Nfa infinite = read_fst("0 1 a\n0 1 b Infinity\n1\n", "x.fst");
  EXPECT_EQ(infinite.alphabet.names(), std::vector<std::string>{"a"});
  EXPECT_EQ(infinite.notes,
            (std::vector<std::string>{
                "x.fst: arcs of weight Infinity are left out, no path takes them"}));
  const std::string back =
      "digraph g {\ni [shape=point];\ni -> s;\ns -> s [label=\"a\" dir=back];\n}\n";
  EXPECT_TRUE(refusal([&] {
                (void)read_dot(back, "x.dot");
              }).starts_with("x.dot:4: expected edges with dir=forward, found dir=back, which "));
  EXPECT_EQ(refusal([] { (void)read_fst("graph [\n]\n", "x.fst"); }),
            "x.fst: the content is GML; expected an OpenFst text; --graph reads it");
  EXPECT_EQ(refusal([] { (void)read_dot("{\"nodes\": []}", "x.dot"); }),
            "x.dot: the content is node-link JSON; expected Graphviz DOT; --graph reads it");
  EXPECT_EQ(refusal([] { (void)read_mata("HOA: v1\n", "x.mata"); }),
            "x.mata: the content is HOA, an automaton of infinite words; expected a Mata file");
}

}}  // namespace logdepth::automaton_exchange_tests
