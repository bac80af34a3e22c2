// Automata, words and packed files as other tools write them: what each means, a note on what was chosen, or
// the sentence that refuses it.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/regex.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::file_dialects_tests { namespace {

using namespace cases;
using Notes = std::vector<std::string>;

Dfa minimal(const Nfa& nfa) {
  return minimise(determinise(nfa));
}

using support::refusal;

TEST(AutomatonDialects, TabsSeparateTheColumnsOfALine) {
  const auto of_fst = [](const std::string& text, const std::optional<std::string>& symbols = {}) {
    return refusal([&] { (void)read_fst(text, "x.fst", symbols, "x.syms"); });
  };
  EXPECT_EQ(of_fst("0\t1\ta\ta\t0.0\n1\t2\t \t \t0.0\n2\t0.0\n"),
            "x.fst:2: expected a word in every column between TABs, found a blank, at column 5");
  EXPECT_EQ(
      of_fst("0\t1\t\n1\n"),
      "x.fst:1: expected a word in every column between TABs, found an empty one, at column 5");
  EXPECT_EQ(
      of_fst("0\t1\tput x\n1\n"),
      "x.fst:1: expected columns between TABs without blanks, found 'put x', at column 5; 'tr "
      "\" \" _' makes it a word, and 'tr \"\\t\" \" \"' makes blanks and TABs the same");
  EXPECT_EQ(of_fst("0 1 a\n1\n", "<eps>\t0\n \t1\n"),
            "x.syms:2: expected a word in every column between TABs, found a blank, at column 1");
  EXPECT_EQ(
      of_fst("0 1 a\xC2\xA0\n1\n"),
      "x.fst:1: letter 'a\\xc2\\xa0' of the alphabet holds white space or a character without a "
      "width, at column 5");
  EXPECT_EQ(of_fst("0\t1\ta \n 1\n"), "accepted");
  const Alphabet letters({"ab", "c"});
  EXPECT_EQ(letters.parse_tokens("ab\tc\n c\tab "), (Word{0, 1, 1, 0}));
  EXPECT_EQ(
      refusal([&] { (void)letters.parse_tokens("ab\tc ab"); }),
      "expected letters between TABs, found a blank before the letter at position 3 of the word");
  EXPECT_EQ(
      refusal([&] { (void)letters.parse_tokens("ab\t\tc"); }),
      "expected letters between TABs, found an empty column before the letter at position 2 of "
      "the word");
}

Nfa dot_with_label(const std::string& attributes) {
  return read_dot("digraph { i [shape=point]; i -> p; r [shape=doublecircle];\n p -> q " +
                      attributes + "; q -> r [label=a]; }",
                  "x.dot");
}

TEST(AutomatonDialects, LabelsOfDotThatMeanSomething) {
  const Dfa wanted = minimal(read_fst("0 1 a\n1\n", "x"));
  for (const std::string label : {"&epsilon;", "&#949;", "&#x3b5;", "&lambda;", "&#x3BB;"})
    EXPECT_TRUE(same_form(minimal(dot_with_label("[label=\"" + label + "\"]")), wanted)) << label;
  const auto letters = [](const std::string& label) {
    return dot_with_label("[label=\"" + label + "\"]").alphabet.names();
  };
  using Letters = std::vector<std::string>;
  EXPECT_EQ(letters("&amp;,&lt;b&gt;"), (Letters{"&", "<b>", "a"}));
  EXPECT_EQ(letters("&amp\\;"), (Letters{"&amp;", "a"}));
  EXPECT_EQ(dot_with_label("[label=<x<sub>1</sub>,&amp;>]").alphabet.names(),
            (Letters{"&", "a", "x1"}));
  for (const std::string label :
       {"[99-102]", "98...", "b-d", "[x-z]", "other", "\xCE\xB1-\xCF\x89"})
    EXPECT_EQ(dot_with_label("[label=\"" + label + "\"]").notes,
              (Notes{"x.dot: the label '" + label +
                     "' is read as one letter; ranges, cut labels and 'other' are not expanded"}));
  EXPECT_EQ(dot_with_label("[label=\"f(x)\"]").notes, Notes{});
  const Nfa unlabelled = dot_with_label("[xlabel=b]");
  EXPECT_TRUE(same_form(minimal(unlabelled), wanted));
  EXPECT_EQ(unlabelled.notes, (Notes{"x.dot: an edge without a label is read as epsilon; of its "
                                     "attributes label alone is read"}));
  const Nfa subgraphs = read_dot(
      "digraph { i [shape=point]; i -> p; q [shape=doublecircle];\n {rank=same; p; q}\n"
      " { node [shape=doublecircle] s } {p q} -> s [label=a]; s -> {q} -> p [label=b] }",
      "x.dot");
  const Dfa same = minimal(read_fst("0 1 a\n1 2 b\n2 0 b\n2 1 a\n1\n2\n", "x"));
  EXPECT_TRUE(same_form(minimal(subgraphs), same));
}

TEST(AutomatonDialects, ExpressionsOfJflapAndEntitiesOfXml) {
  const auto read = [](const std::string& expression) {
    return read_jff(
        "<structure><type>re</type><expression>" + expression + "</expression></structure>",
        "x.jff");
  };
  const Nfa nfa = read("(a+b)*c");
  EXPECT_TRUE(same_form(minimal(nfa), minimal(to_nfa(parse_regex("(a|b)*c")))));
  EXPECT_EQ(nfa.notes,
            (Notes{"x.jff: '+' is read as union and '!' as the empty word, as JFLAP reads an "
                   "expression"}));
  EXPECT_TRUE(same_form(minimal(read("a!+.(b?)*&amp;")),
                        minimal(to_nfa(parse_regex("a()|\\.(b\\?)*\\&")))));
  EXPECT_EQ(
      refusal([&] { (void)read("(a+b"); }),
      "x.jff:1: expected an expression of JFLAP, at column 27; as '(a|b', regular expression, "
      "column 5: expected ')' for the '(' of column 1");
  const auto read_label = [](const std::string& label) {
    return refusal([&] {
      (void)read_jff(
          "<structure><type>fa</type><automaton><state id=\"0\"><initial/><final/></state>\n"
          "<transition><from>0</from><to>0</to><read>" +
              label + "</read></transition></automaton></structure>",
          "x.jff");
    });
  };
  EXPECT_EQ(read_label("&#97;<!-- & --><![CDATA[&]]>"), "accepted");
  for (const std::string entity : {"&epsilon;", "&#0;", "&#x1;", "&#xD800;"})
    EXPECT_EQ(read_label(entity),
              "x.jff:2: expected one of the five entities of XML or the number of a "
              "character, found '" +
                  entity + "', at column 43; entities of a document type are not read");
}

TEST(AutomatonDialects, MataWithoutExplicit) {
  const Nfa nfa = read_mata("@NFA\n%Alphabet a b\n%Initial p\n%Final q\np a q\nq b q\n", "x.mata");
  EXPECT_TRUE(same_form(minimal(nfa), minimal(to_nfa(parse_regex("ab*")))));
}

using FileDialects = support::CommandLine;

TEST_F(FileDialects, PackedBySeveralProgramsAreReadOrNamed) {
  folder.write("two.edges.gz", packed("a b\n") + packed("b c\n"));
  done({"convert", "--graph", "two.edges.gz", "-o", "g.col", "--undirected"});
  EXPECT_EQ(folder.read("g.col"), "c 1 is a\nc 2 is b\nc 3 is c\np edge 3 2\ne 1 2\ne 2 3\n");
  folder.write("more.gz", packed("a b\n") + "b c\n");
  EXPECT_EQ(logdepth({"convert", "--graph", "more.gz", "-o", "x.gr"}).err,
            "logdepth: more.gz: 4 bytes follow the end of the gzip data\n");
  folder.write("g.bz2", "BZh91AY&SY");
  EXPECT_EQ(
      logdepth({"convert", "--graph", "g.bz2", "-o", "x.gr"}).err,
      "logdepth: g.bz2: is packed by bzip2; expected a text, or one packed by gzip; 'bzip2 -d "
      "g.bz2' unpacks it\n");
  folder.write("g.xz", std::string("\xFD\x37zXZ\0\0", 7));
  EXPECT_EQ(logdepth({"convert", "--fst", "g.xz", "-o", "x.dot"}).err,
            "logdepth: g.xz: is packed by xz; expected a text, or one packed by gzip; 'xz -d g.xz' "
            "unpacks it\n");
}

TEST_F(FileDialects, StandardInputThatCannotBeReadIsNoEndOfIt) {
  done({"compile", "regular", "--regex", "(a|b)*abb", "-o", "abb.json"});
  done({"compile", "connectivity", "-o", "c.json"});
  folder.write("g.edges", "a b\n");
  for (const std::string command :
       {"run abb.json --batch -", "run c.json --graph g.edges --batch -"})
    for (const std::string input : {"< .", "<&-"}) {
      const support::Finished ended = support::run_process(
          {"/bin/sh", "-c", support::program() + " " + command + " " + input}, folder.path());
      EXPECT_TRUE(ended.err.starts_with("logdepth: standard input cannot be read: ")) << ended.err;
      EXPECT_EQ(ended.status, 2);
    }
}

TEST_F(FileDialects, CarriageReturnsAloneEndNoLines) {
  done({"compile", "regular", "--regex", "(a|b)*abb", "-o", "abb.json"});
  folder.write("words.txt", "abb\rab\r");
  EXPECT_EQ(logdepth({"run", "abb.json", "--batch", "words.txt"}).err,
            "logdepth: words.txt: lines end in carriage returns alone; expected line feeds; 'tr "
            "\"\\r\" \"\\n\" < words.txt' converts it\n");
  folder.write("words.txt", "abb\rab\nabb\r\n");
  EXPECT_EQ(logdepth({"run", "abb.json", "--batch", "words.txt"}).err,
            "logdepth: words.txt:1: expected one word, found a carriage return inside the line\n");
  folder.write("words.txt", "abb\r\nab");
  EXPECT_EQ(done({"run", "abb.json", "--batch", "words.txt"}), "accept\nreject\n");
}

TEST_F(FileDialects, AreConvertedWithoutADeterministicForm) {
  std::string text =
      "@NFA-explicit\n%Alphabet-enum a b\n%Initial q0\n%Final q22\nq0 a q0\nq0 b q0\nq0 a q1\n";
  for (int i = 1; i < 22; ++i)
    for (const char* letter : {"a", "b"}) text += fmt::format("q{} {} q{}\n", i, letter, i + 1);
  folder.write("kth.mata", text);
  EXPECT_EQ(logdepth({"convert", "--mata", "kth.mata", "-o", "kth.dot"}).err,
            "wrote kth.dot: the automaton, 23 states\n");
  EXPECT_EQ(read_dot(folder.read("kth.dot"), "x").arcs.size(), 45u);
  const support::Finished minimal =
      logdepth({"convert", "--mata", "kth.mata", "--minimal", "-o", "x.dot"});
  EXPECT_EQ(minimal.status, 3);
  EXPECT_NE(minimal.err.find("try a smaller automaton"), std::string::npos) << minimal.err;
}

TEST_F(FileDialects, ExpressionsThatMeanSomethingElsewhereAreNoted) {
  const auto noted = [&](const std::string& regex) {
    const std::string err = logdepth({"compile", "regular", "--regex", regex, "-o", "x.json"}).err;
    return err.substr(0, err.find("automaton: "));
  };
  for (const std::string letter : {"\xCE\xB5", "\xCE\xBB", "\xE2\x88\x85"})
    EXPECT_EQ(noted("a|" + letter),
              "the letter '" + letter +
                  "' is read as a letter; () is the empty word, and !(.*) is no word\n");
  EXPECT_EQ(noted("S4"),
            "the expression 'S4' is read as a word of letters; --group reads it as a group\n");
  EXPECT_EQ(noted("(a|b)*abb"), "");
  EXPECT_EQ(noted("a5"), "");
}

}}  // namespace logdepth::file_dialects_tests
