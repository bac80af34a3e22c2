// Dialects of automaton files: formulas of bits against their meaning, letters that look like what
// tools write for epsilon, words as labels, and groups by the names that are printed for them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/group_names.hpp"
#include "objects/named_monoids.hpp"
#include "objects/permutation_group.hpp"
#include "objects/regex.hpp"
#include "tests/support/front_end_cases.hpp"

namespace logdepth::automaton_dialects_tests {
namespace {

using namespace cases;

/// A formula as text, and whether it holds where bit i is bit i of the value.
struct Formula {
  std::string text;
  std::function<bool(unsigned)> holds;
};

Formula draw_formula(std::mt19937_64& random, unsigned bits, int depth) {
  const unsigned choice = static_cast<unsigned>(random() % (depth == 0 ? 3 : 7));
  if (choice == 0 && random() % 4 == 0) return {"\\true", [](unsigned) { return true; }};
  if (choice == 1 && random() % 8 == 0) return {"\\false", [](unsigned) { return false; }};
  if (choice < 3) {
    const unsigned bit = static_cast<unsigned>(random() % bits);
    return {"a" + std::to_string(bit), [bit](unsigned value) { return (value >> bit & 1) != 0; }};
  }
  const Formula left = draw_formula(random, bits, depth - 1);
  if (choice == 3)
    return {"!(" + left.text + ")", [h = left.holds](unsigned value) { return !h(value); }};
  const Formula right = draw_formula(random, bits, depth - 1);
  const bool both = choice < 6;
  return {"(" + left.text + (both ? " & " : "|") + right.text + ")",
          [both, l = left.holds, r = right.holds](unsigned value) {
            return both ? l(value) && r(value) : l(value) || r(value);
          }};
}

struct BitArc {
  State from = 0;
  Formula formula;
  State to = 0;
};
struct BitAutomaton {
  unsigned bits = 1;
  std::vector<BitArc> arcs;
  std::string text;
};

/// State 0 is initial and 2 accepts. Every bit stands in some formula.
BitAutomaton draw_bits(unsigned bits) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  BitAutomaton drawn{bits, {}, "@NFA-bits\n%Alphabet-auto\n%Initial q0\n%Final q2\n"};
  for (int i = 0; i < 5; ++i)
    drawn.arcs.push_back({static_cast<State>(random() % 3), draw_formula(random, bits, 3),
                          static_cast<State>(random() % 3)});
  std::string all = "a0";
  for (unsigned bit = 1; bit < bits; ++bit) all += " & a" + std::to_string(bit);
  drawn.arcs.push_back({0, {all, [bits](unsigned value) { return value + 1 == 1u << bits; }}, 2});
  for (const BitArc& arc : drawn.arcs)
    drawn.text += "q" + std::to_string(arc.from) + " " + arc.formula.text + " q" +
                  std::to_string(arc.to) + "\n";
  return drawn;
}

/// "01": bit 0 is 0 and bit 1 is 1.
std::string letter_of(unsigned value, unsigned bits) {
  std::string name;
  for (unsigned bit = 0; bit < bits; ++bit) name += value >> bit & 1 ? '1' : '0';
  return name;
}

bool accepts_values(const BitAutomaton& automaton, const std::vector<unsigned>& word) {
  std::vector<bool> in = {true, false, false};
  for (const unsigned value : word) {
    std::vector<bool> next(3);
    for (const BitArc& arc : automaton.arcs)
      if (in[arc.from] && arc.formula.holds(value)) next[arc.to] = true;
    in = next;
  }
  return in[2];
}

RC_GTEST_PROP(MataBits, FewBitsAreLettersByTheirValues, ()) {
  const unsigned bits = static_cast<unsigned>(draw(1, 4));
  const BitAutomaton drawn = draw_bits(bits);
  RC_LOG() << drawn.text;
  const Nfa nfa = read_mata(drawn.text, "x.mata");
  RC_ASSERT(nfa.alphabet.size() == std::size_t{1} << bits);
  RC_ASSERT(nfa.notes.empty());
  const Dfa dfa = determinise(nfa);
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 40; ++sample) {
    std::vector<unsigned> values(random() % 6);
    Word word;
    for (unsigned& value : values) {
      value = static_cast<unsigned>(random() % (1u << bits));
      word.push_back(*nfa.alphabet.find(letter_of(value, bits)));
    }
    RC_ASSERT(accepts(dfa, word) == accepts_values(drawn, values));
  }
}

/// The letter of a value is the one of the first value that all formulas treat alike.
RC_GTEST_PROP(MataBits, OfManyBitsLettersThatNoFormulaDistinguishesAreOne, ()) {
  const unsigned bits = static_cast<unsigned>(draw(9, 12));
  const BitAutomaton drawn = draw_bits(bits);
  RC_LOG() << drawn.text;
  const Nfa nfa = read_mata(drawn.text, "x.mata");
  RC_ASSERT(nfa.alphabet.size() <= 64u);
  RC_ASSERT(nfa.notes.size() == 1u);
  const auto treatment = [&](unsigned value) {
    std::string holds;
    for (const BitArc& arc : drawn.arcs) holds += arc.formula.holds(value) ? '1' : '0';
    return holds;
  };
  std::map<std::string, std::string> first;  // by name, which is the order of letters
  for (unsigned value = 0; value < 1u << bits; ++value) {
    const std::string name = letter_of(value, bits);
    const auto [entry, is_new] = first.emplace(treatment(value), name);
    if (!is_new && name < entry->second) entry->second = name;
  }
  RC_ASSERT(nfa.alphabet.size() == first.size());
  const Dfa dfa = determinise(nfa);
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 20; ++sample) {
    std::vector<unsigned> values(random() % 6);
    Word word;
    for (unsigned& value : values) {
      value = static_cast<unsigned>(random() % (1u << bits));
      const auto letter = nfa.alphabet.find(first.at(treatment(value)));
      RC_ASSERT(letter.has_value());
      word.push_back(*letter);
    }
    RC_ASSERT(accepts(dfa, word) == accepts_values(drawn, values));
  }
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  } catch (const SizeLimit& limit) {
    return limit.what();
  }
  return "";
}

TEST(MataBits, BadFormulasAreRefusedWithTheirLine) {
  const auto said = [](const std::string& line) {
    return refusal([&] { (void)read_mata("@NFA-bits\n%Initial p\np a1 p\n" + line, "x.mata"); });
  };
  EXPECT_EQ(said("p a1 & p\n"),
            "x.mata:4: expected a bit, found the end of the formula, at column 3");
  EXPECT_EQ(said("p (a1 p\n"), "x.mata:4: expected ')' in the formula, at column 3");
  EXPECT_EQ(said("p a1 a2 p\n"),
            "x.mata:4: expected the end of the formula, found 'a2', at column 3");
  EXPECT_EQ(said("p q\n"),
            "x.mata:4: expected a transition 'state formula state', found 2 words, at column 1");
  EXPECT_EQ(said("%Epsilon a1\n"), "x.mata: %Epsilon names a letter; expected none in @NFA-bits");
  EXPECT_EQ(said("%Alphabet-enum a0\n"),
            "x.mata:3: expected a bit of %Alphabet-enum, found 'a1', at column 3");
  EXPECT_EQ(said("p " + std::string(400, '!') + "a1 p\n"),
            "x.mata:4: expected a formula nested at most 300 deep, at column 3");
  EXPECT_EQ(refusal([] { (void)read_mata("@NFA-bits\n%Initial p\np \\true p\n", "x"); }),
            "x: no bit occurs; expected at least one transition with a bit");
  std::string many = "p a0";
  for (int bit = 1; bit < 21; ++bit) many += " & a" + std::to_string(bit);
  EXPECT_EQ(said(many + " p\n"),
            "x.mata: 21 bits make 2^21 letters; the limit is 20 bits; try fewer");
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

RC_GTEST_PROP(AutomatonFormats, EveryPairKeepsTheLanguage, ()) {
  struct Format {
    const char* name;
    Nfa (*read)(const std::string& text);
    std::string (*write)(const Nfa& nfa);
  };
  static const std::vector<Format> formats = {
      {"fst", [](const std::string& text) { return read_fst(text, "x"); }, write_fst},
      {"dot", [](const std::string& text) { return read_dot(text, "x"); }, write_dot},
      {"jff", [](const std::string& text) { return read_jff(text, "x"); }, write_jff},
      {"mata", [](const std::string& text) { return read_mata(text, "x"); }, write_mata},
      {"json", [](const std::string& text) { return read_automaton_json(text, "x"); },
       write_automaton_json}};
  const Nfa nfa = draw_nfa(Alphabet({"0", "1", "\xC3\xA9"}), false);
  const Dfa language = minimise(determinise(nfa));
  for (const Format& first : formats)
    for (const Format& second : formats) {
      const Nfa there = first.read(first.write(nfa));
      const Nfa back = second.read(second.write(there));
      RC_LOG() << first.name << " " << second.name << "\n" << second.write(there);
      RC_ASSERT(same_form(minimise(determinise(back)), language));
    }
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

}  // namespace
}  // namespace logdepth::automaton_dialects_tests
