// Bad input to the front ends: one sentence that says where and what was expected, never a crash.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/support/front_end_cases.hpp"

namespace logdepth::front_end_rejects_tests { namespace {

using namespace cases;

/// What went wrong: the sentence of an InputError, or of a SizeLimit after "limit: ".
std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  } catch (const SizeLimit& error) {
    return std::string("limit: ") + error.what();
  }
  return "accepted";
}

std::string of_regex(const std::string& text, const std::optional<Alphabet>& alphabet = {}) {
  return complaint([&] { parse_regex(text, alphabet); });
}
std::string of_fst(const std::string& text, const std::optional<std::string>& symbols = {}) {
  return complaint([&] { read_fst(text, "x.fst", symbols); });
}
std::string of_dot(const std::string& text) {
  return complaint([&] { read_dot(text, "x.dot"); });
}
std::string of_jff(const std::string& text) {
  return complaint([&] { read_jff(text, "x.jff"); });
}
std::string of_name(const std::string& name, NamedLetters letters = NamedLetters::generators) {
  return complaint([&] { named_monoid(name, letters); });
}

TEST(BadRegularExpressions, AreRefusedWithTheColumnAndWhatWasExpected) {
  const std::string at = "regular expression, column ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "1: expected an expression; write () for the empty word"},
      {"()", "1: no letter occurs; give the letters with --alphabet"},
      {".*", "1: no letter occurs; give the letters with --alphabet"},
      {"(a", "3: expected ')' for the '(' of column 1"},
      {"a)b", "2: unmatched ')'; write \\) for the letter"},
      {"*a", "1: expected an expression before '*'; write \\* for the letter"},
      {"a|+", "3: expected an expression before '+'; write \\+ for the letter"},
      {"{2}", "1: expected an expression before '{'; write \\{ for the letter"},
      {"a{", "3: expected a number: {m}, {m,} or {m,n}; write \\{ for the letter"},
      {"a{,2}", "3: expected a number: {m}, {m,} or {m,n}; write \\{ for the letter"},
      {"a{2", "4: expected '}' to end the repeat"},
      {"a{3,2}", "2: expected {m,n} with m <= n, found {3,2}"},
      {"a{1001}", "3: expected a repeat of at most 1000"},
      {"a{99999999999999999999}", "3: expected a repeat of at most 1000"},
      {"a}", "2: unmatched '}'; write \\} for the letter"},
      {"a]", "2: unmatched ']'; write \\] for the letter"},
      {"[ab", "4: expected ']' for the '[' of column 1"},
      {"[]", "1: expected at least one letter in the class"},
      {"[^]", "1: expected at least one letter in the class"},
      {"[b-a]", "2: expected a range in character order, found b-a"},
      {"[a-c-e]", "5: expected a range such as a-z; write \\- for the letter"},
      {"[[]", "2: expected a letter of the class; write \\[ for '['"},
      {"a\\", "3: expected a letter after '\\'"},
      {"(a|b)\\1",
       "6: unknown escape '\\1'; expected a letter that needs one, of |*+?{}.[]()\\!&^$"},
      {"\\x61", "1: unknown escape '\\x'; expected a letter that needs one, of |*+?{}.[]()\\!&^$"},
      {"[^a]",
       "1: the negated class matches no letter of the alphabet; give more letters with --alphabet"},
      {"\\d", "1: unknown escape '\\d'; expected a letter that needs one, of |*+?{}.[]()\\!&^$"},
      {"^a$", "1: the whole word is matched, so '^' is not needed; write \\^ for the letter"},
      {"a b", "2: white space and control characters cannot be letters, found ' '"},
      {"a\xC2\xA0", "2: white space and control characters cannot be letters, found '\\xc2\\xa0'"},
      {"[\xE2\x80\x8B]",
       "2: white space and control characters cannot be letters, found '\\xe2\\x80\\x8b'"},
      {"!", "2: expected an expression after '!'"},
      {"a&", "3: expected an expression after '&'; write () for the empty word"},
      {"&a", "1: expected an expression before '&'; write () for the empty word"},
      {"\xC3\xA9|\xFF", "3: expected UTF-8 text"},
      {"\xC3\xA9\xC3\xA9)", "3: unmatched ')'; write \\) for the letter"},
  };
  for (const auto& [text, sentence] : cases) EXPECT_EQ(of_regex(text), at + sentence) << text;
  const Alphabet ab({"a", "b"});
  EXPECT_EQ(of_regex("ab|c", ab), at + "4: letter 'c' is not in the alphabet");
  EXPECT_EQ(of_regex("[a-c]", ab), at + "2: letter 'c' is not in the alphabet");
  EXPECT_EQ(of_regex("()", ab), "accepted");
  EXPECT_EQ(of_regex("", ab), at + "1: expected an expression; write () for the empty word");
  EXPECT_EQ(of_regex("a", Alphabet()),
            at + "1: no letter occurs; give the letters with --alphabet");
}

TEST(BadRegularExpressions, DeepNestingIsRefusedBeforeTheStackIsUsedUp) {
  const std::string nested = "the expression is nested more than 300 deep; expected a flatter one";
  constexpr std::size_t many = 1000000;
  const auto repeat = [&](const std::string& piece, std::string text = "") {
    for (std::size_t i = 0; i < many; ++i) text += piece;
    return text;
  };
  EXPECT_NE(of_regex(std::string(many, '(')).find(nested), std::string::npos);
  EXPECT_NE(of_regex(repeat("{1,2}", "a")).find(nested), std::string::npos);
  EXPECT_NE(of_regex(repeat("?", "a")).find(nested), std::string::npos);
  EXPECT_NE(of_regex(repeat("!(")).find(nested), std::string::npos);
  EXPECT_EQ(of_regex(repeat("!") + "a"), "accepted");
  EXPECT_EQ(of_regex(repeat("*", "a")), "accepted");
  EXPECT_EQ(of_regex(repeat("a|")), "accepted");
}

TEST(BadRegularExpressions, HugeAutomataAreForecastNotBuilt) {
  EXPECT_EQ(complaint([] { to_nfa(parse_regex("((a{1000}){1000}){1000}")); }),
            "limit: the automaton of the regular expression has more than 2000000 arcs, the limit; "
            "try smaller repeats");
  EXPECT_EQ(
      complaint([] { determinise(to_nfa(parse_regex("(a|b)*a(a|b){25}")), 1000); }),
      "limit: the deterministic automaton has more than 1000 states (the nondeterministic one "
      "has 164, the limit is 1000); try a smaller automaton, or an expression with "
      "smaller repeats or fewer alternatives");
  EXPECT_EQ(complaint([] { parse_regex("[\xC4\x80-\xF4\x8F\xBF\xBF]"); }),
            "limit: the regular expression names more than 4096 letters, the limit; try smaller "
            "classes");
  EXPECT_EQ(determinise(to_nfa(parse_regex("(a|b)*a(a|b){8}")), 512).states(), 512u);
}

TEST(BadFstFiles, AreRefusedWithTheLineAndWhatWasExpected) {
  EXPECT_EQ(of_fst(""), "x.fst:1: the file is empty; expected arcs: from to label [weight]");
  EXPECT_EQ(of_fst("0 1 a\n\nx 1 a\n"), "x.fst:3: expected a state number, found 'x', at column 1");
  EXPECT_EQ(of_fst("0 -1 a\n"), "x.fst:1: expected a state number, found '-1', at column 3");
  EXPECT_EQ(of_fst("0 1 a b\n"),
            "x.fst:1: expected an acceptor: a weight or a second label equal to 'a', found 'b', at "
            "column 7");
  EXPECT_EQ(of_fst("0 1 a b 0.5\n"),
            "x.fst:1: expected an acceptor: a weight or a second label equal to 'a', found 'b', at "
            "column 7");
  EXPECT_EQ(of_fst("0 1 a a x\n"), "x.fst:1: expected a weight, found 'x', at column 9");
  EXPECT_EQ(of_fst("0 1 a\n1 b\n"), "x.fst:2: expected a weight, found 'b', at column 3");
  EXPECT_EQ(
      of_fst("0 1 a nan\n"),
      "x.fst:1: expected an acceptor: a weight or a second label equal to 'a', found 'nan', at "
      "column 7");
  EXPECT_EQ(
      of_fst("0 1 2 3 4 5\n"),
      "x.fst:1: expected 'from to label [weight]' or 'final [weight]', found '0 1 2 3 4 5', at "
      "column 11");
  EXPECT_EQ(of_fst("0\n"), "x.fst: no letter occurs; expected at least one arc with a letter");
  EXPECT_EQ(of_fst("0 1 a\n0 1 \xFF\n"),
            "x.fst:2: letter '\\xff' of the alphabet is not valid UTF-8, at column 5");
  EXPECT_EQ(of_fst("0 1 a\n1 1 c\n", "a 1\nb 2\n"),
            "x.fst:2: label 'c' is not in the symbols file, at column 5; expected a symbol");
  EXPECT_EQ(
      of_fst("0 1 1\n1 1 3\n", "a 1\nb 2\n"),
      "x.fst:2: label '3' is not in the symbols file, at column 5; expected a number of a symbol");
  EXPECT_EQ(of_fst("0 1 a\n", "a one\n"),
            "symbols of x.fst:1: expected a symbol and its number, found 'a one', at column 3");
  EXPECT_EQ(of_fst("0 1 a\n", "a 1\nb 1\n"),
            "symbols of x.fst:2: symbol 'b' or its number 1 occurs twice, at column 1; expected "
            "each once");
}

TEST(BadFstFiles, HugeStateNumbersCostNoMemory) {
  const Nfa nfa = read_fst("4000000000 18446744073709551616999 a\n18446744073709551616999\n", "x");
  EXPECT_EQ(nfa.states(), 2u);
  EXPECT_EQ(minimise(determinise(nfa)).states(), 3u);
}

TEST(BadDotFiles, AreRefusedWithTheLineAndWhatWasExpected) {
  const std::string start = "digraph {\n i [shape=point]; i -> p;\n";
  EXPECT_EQ(of_dot(""), "x.dot:1: expected 'digraph', found the end of the text, at column 1");
  EXPECT_EQ(of_dot("graph { a -- b }"), "x.dot:1: expected 'digraph', found 'graph', at column 1");
  EXPECT_EQ(
      of_dot("strict digraph { a -> b }"),
      "x.dot:1: expected 'digraph' without 'strict', which merges parallel edges, at column 1");
  EXPECT_EQ(of_dot(start + " p -> p [label=a]\n foo = ;\n}\n"),
            "x.dot:4: expected a value, found ';', at column 8");
  EXPECT_EQ(of_dot(start + " p -> p [label=\"a]\n}\n"),
            "x.dot:3: expected '\"' to end the string, at column 16");
  EXPECT_EQ(of_dot(start + " p -> p [label=<a]\n}\n"),
            "x.dot:3: expected '>' to end the HTML string, at column 16");
  EXPECT_EQ(of_dot(start + " p -> <b> [label=a]\n}\n"),
            "x.dot:3: expected a name, HTML strings are read as values of attributes alone, at "
            "column 7");
  EXPECT_EQ(of_dot(start + " p -> p [label=\"a,,b\"]}"),
            "x.dot:3: expected letters separated by commas, found 'a,,b', at column 17; write \\, "
            "for the "
            "letter comma");
  EXPECT_EQ(
      of_dot(start + " p -> p [label=\"[a,b]\"]}"),
      "x.dot:3: expected letters separated by commas, found a comma inside brackets in '[a,b]', at "
      "column 17; write \\, for the letter comma");
  EXPECT_EQ(of_dot(start + " p -> p [label=\"a b\"]}"),
            "x.dot:3: letter 'a b' of the alphabet holds white space or a control character, at "
            "column 17");
  EXPECT_EQ(
      of_dot(start + "p [accepting=maybe]}"),
      "x.dot:3: expected true or false for accepting of node 'p', found 'maybe', at column 14");
  EXPECT_EQ(
      of_dot("digraph { p -> p [label=a] }"),
      "x.dot: expected an initial state: the target of an edge without letters from a node of "
      "shape point, or a node with initial=true");
  EXPECT_EQ(of_dot(start + "}"),
            "x.dot: no letter occurs; expected at least one arc with a letter");
  EXPECT_EQ(of_dot("digraph {\n" + std::string(200000, '{')),
            "x.dot:2: expected braces nested at most 100 deep, at column 100");
}

TEST(BadJffFiles, AreRefusedWithTheLineAndWhatWasExpected) {
  const auto file = [](const std::string& inside) {
    return "<structure>\n<type>fa</type>\n<automaton>\n" + inside + "</automaton>\n</structure>";
  };
  const std::string state = "<state id=\"0\"><initial/><final/></state>\n";
  EXPECT_EQ(
      of_jff(""),
      "x.jff:1: expected an XML file of JFLAP, but found: No document element found, at column 1");
  EXPECT_EQ(
      of_jff("<structure>\n<type>fa</type>\n<automaton>"),
      "x.jff:3: expected an XML file of JFLAP, but found: Start-end tags mismatch, at column 11");
  EXPECT_EQ(of_jff("<html/>"),
            "x.jff:1: expected a <structure> element, as JFLAP writes, at column 1");
  EXPECT_EQ(of_jff("<structure>\n<type>pda</type></structure>"),
            "x.jff:2: expected <type>fa</type>, a finite automaton, found 'pda', a pushdown "
            "automaton, at "
            "column 1");
  EXPECT_EQ(of_jff(file("<state/>\n")),
            "x.jff:4: expected an attribute id of <state>, at column 1");
  EXPECT_EQ(of_jff(file(state + state)),
            "x.jff:5: state '0' occurs twice, at column 1; expected distinct ids");
  EXPECT_EQ(of_jff(file("<state id=\"0\"/>\n")),
            "x.jff:3: expected a <state> with <initial/>, but no state is initial, at column 1");
  EXPECT_EQ(of_jff(file(state + "<transition><from>0</from><to>7</to><read>a</read></transition>")),
            "x.jff:5: expected <to> to be the id of a state, found '7', at column 1");
  EXPECT_EQ(of_jff(file(state + "<transition><from>0</from><to>0</to></transition>")),
            "x.jff:5: expected a <read> element in the transition, at column 1");
  EXPECT_EQ(
      of_jff(file(state + "<transition><from>0</from><to>0</to><read>[a-cx]</read></transition>")),
      "x.jff:5: expected letters or one range [x-y] in <read>, found '[a-cx]', at column 37; write "
      "a "
      "transition per letter or range");
  for (const std::string range : {"[c-a]", "[a-\xF0\x9F\x98\x80]"})
    EXPECT_EQ(of_jff(file(state + "<transition><from>0</from><to>0</to><read>" + range +
                          "</read></transition>")),
              "x.jff:5: expected a range of 1 to 1024 letters in <read>, found '" + range +
                  "', at column 37");
  EXPECT_EQ(of_jff(file(state)),
            "x.jff: no letter occurs; expected at least one arc with a letter");
}

TEST(BadNames, OfMonoidsAreRefusedWithTheKnownOnes) {
  const std::string known =
      ": expected Zk, Sk, Ak, Tk (k = 1, 2, ...), Dk (k = 3, 4, ...), V4, Q8, Q16, Dic3, SL(2,3), "
      "flipflop, a product of these such as A4_x_Z5, or maps of points such as [1,2,0] [1,0,2]";
  for (const std::string name : {"", "A", "Z0", "Z06", "A5x", "D2", "Q17", "Z-1"}) {
    EXPECT_EQ(of_name(name), "unknown group or monoid '" + name + "'" + known);
  }
  const std::map<std::string, std::string> meant = {
      {"a5", "A5"}, {"C6", "Z6"}, {"D_4", "D4"}, {"Z2xZ4", "Z2_x_Z4"}, {"C_2*s_3", "Z2_x_S3"}};
  for (const auto& [written, name] : meant)
    EXPECT_EQ(of_name(written),
              "unknown group or monoid '" + written + "'" + known + "; did you mean " + name + "?");
  EXPECT_EQ(of_name("SL(2,4)"),
            "unknown group or monoid 'SL(2,4)'" + known + "; did you mean SL(2,3)?");
  EXPECT_EQ(of_name("[1,2,0] [1,0]"), "expected maps of 3 points, as the first, found '[1,0]'");
  for (const std::string map : {"[]", "[1,2]", "[0.5]", "[-1,0]", "[1,0", "[[0]]"})
    EXPECT_EQ(of_name(map),
              "expected the images of the points 0, 1, ..., as [1,2,0], found '" + map + "'");
  EXPECT_EQ(of_name("A4_x_"), "unknown group or monoid '' in 'A4_x_'" + known);
  EXPECT_EQ(of_name("A4_x_Z5_x_B"), "unknown group or monoid 'B' in 'A4_x_Z5_x_B'" + known);
  EXPECT_EQ(
      of_name("Z99999999999999999999"),
      "limit: 'Z99999999999999999999' acts on more than 4096 points, the limit; try a smaller "
      "degree");
  EXPECT_EQ(of_name("Z4000_x_Z4000"),
            "limit: 'Z4000_x_Z4000' acts on more than 4096 points, the limit; try fewer or smaller "
            "factors");
  EXPECT_EQ(of_name("S20", NamedLetters::all),
            "limit: 'S20' has more than 10000 elements, too many to be letters; try its generators "
            "as letters");
  std::string product = "S3";
  for (int i = 0; i < 13; ++i) product += "_x_S3";
  EXPECT_EQ(of_name(product).substr(0, 7), "limit: ");
  EXPECT_NE(of_name(product).find("28 generators, the letters a to z allow 26"), std::string::npos);
}

TEST(BadWords, AreRefusedWithTheLetterItsPositionAndTheAlphabet) {
  const Alphabet ab({"a", "b"});
  EXPECT_EQ(complaint([&] { ab.parse_word("a bc"); }),
            "letter 'c' at position 3 of the word is not in the alphabet {a, b}");
  EXPECT_EQ(complaint([&] { ab.parse_word("\xC3\xA9"); }),
            "letter '\xC3\xA9' at position 1 of the word is not in the alphabet {a, b}");
  EXPECT_EQ(complaint([&] { ab.parse_word("b\xFF"); }),
            "letter '\\xff' at position 2 of the word is not in the alphabet {a, b}");
  EXPECT_EQ(complaint([&] { ab.parse_tokens("a ab"); }),
            "letter 'ab' at position 2 of the word is not in the alphabet {a, b}");
  EXPECT_EQ(complaint([] {
              Alphabet({"a", ""});
            }),
            "letter 2 of the alphabet is empty; expected a name of at least one character");
  EXPECT_EQ(complaint([] {
              Alphabet({"a", "b", "a"});
            }),
            "letter 'a' occurs twice in the alphabet; expected distinct letters");
  EXPECT_EQ(complaint([] { Alphabet({"a b"}); }),
            "letter 'a b' of the alphabet holds white space or a control character");
}

/// Text that gets past the first check: pieces of the formats, with some random bytes.
std::string draw_hostile(const std::vector<std::string>& pieces, int longest = 30) {
  std::string text;
  const int length = draw(0, longest);
  for (int i = 0; i < length; ++i) {
    if (draw(0, 12) == 0) {
      text += static_cast<char>(draw(0, 256));
    } else {
      text += pieces[static_cast<std::size_t>(draw(0, static_cast<int>(pieces.size())))];
    }
  }
  return text;
}

/// Reads, and where that works goes all the way to the minimal automaton.
void read_all_the_way(const std::function<Nfa()>& read) {
  try {
    minimise(determinise(read(), 4096));
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
  } catch (const SizeLimit&) {
  }
}

RC_GTEST_PROP(RandomBytes, AreAnAutomatonOrAnInputError, ()) {
  std::string bytes;
  const int length = draw(0, 40);
  for (int i = 0; i < length; ++i) bytes += static_cast<char>(draw(0, 256));
  read_all_the_way([&] { return to_nfa(parse_regex(bytes)); });
  read_all_the_way([&] { return read_fst(bytes, "x"); });
  read_all_the_way([&] { return read_fst("0 0 a\n", "x", bytes); });
  read_all_the_way([&] { return read_dot(bytes, "x"); });
  read_all_the_way([&] { return read_jff(bytes, "x"); });
  complaint([&] { named_monoid(bytes); });
  complaint([&] { Alphabet({bytes}); });
  complaint([&] { Alphabet({"a", "b"}).parse_word(bytes); });
}

RC_GTEST_PROP(RandomBytes, OfRegularExpressionsAreReadOrRefused, ()) {
  const std::string text = draw_hostile(
      {"a",   "b", "(",  ")", "(", ")",   "|", "*", "+", "?",  "{2}", "{1,",  "}",
       ",3}", "[", "[^", "]", "-", "a-b", ".", "!", "&", "\\", "()",  "\xC3", "\xC3\xA9"},
      draw(1, 30));
  RC_LOG() << text << std::endl;
  bool parsed = false;
  read_all_the_way([&] {
    const ParsedRegex regex = parse_regex(text);
    parsed = true;
    make_regex_oracle(regex)->accepts(Word(20, 0));
    return to_nfa(regex);
  });
  RC_CLASSIFY(parsed, "well formed");
}

RC_GTEST_PROP(RandomBytes, OfFstFilesAreReadOrRefused, ()) {
  const std::string text =
      draw_hostile({"0", "1", "4000000000", " ", " ", " ", "\t", "\n", "\n", "a", "<eps>",
                    "Infinity", "-1", "1e999", "0.5", "0 1 a\n"});
  RC_LOG() << text << std::endl;
  read_all_the_way([&] { return read_fst(text, "x"); });
  read_all_the_way([&] { return read_fst(text, "x", "<eps> 0\na 1\n"); });
  read_all_the_way([&] { return read_fst("0 1 a\n1 0 1\n", "x", text); });
}

RC_GTEST_PROP(RandomBytes, OfDotFilesAreReadOrRefused, ()) {
  std::vector<std::string> pieces = {" ", "\n"};
  for (const std::string_view piece : fields_of(
           "a b -> -> -- { } [ ] label = \" \"x\" ; , subgraph node edge [shape=point] [label=a] < "
           "/* */ // # : \\ start->a; + 1.5 -"))
    pieces.emplace_back(piece);
  const std::string text = draw_hostile(pieces);
  RC_LOG() << text << std::endl;
  read_all_the_way([&] { return read_dot(text, "x"); });
  read_all_the_way([&] { return read_dot("digraph{" + text + "}", "x"); });
}

RC_GTEST_PROP(RandomBytes, OfJffFilesAreReadOrRefused, ()) {
  const std::string text = draw_hostile({"<state id=\"0\">",
                                         "<state id='1'/>",
                                         "</state>",
                                         "<initial/>",
                                         "<final/>",
                                         "<transition>",
                                         "</transition>",
                                         "<from>0</from>",
                                         "<to>0</to>",
                                         "<read>",
                                         "</read>",
                                         "<read/>",
                                         "a",
                                         "&lt;",
                                         "&#x41;",
                                         "&",
                                         "<!--",
                                         "-->",
                                         "<![CDATA[",
                                         "]]>",
                                         "<",
                                         ">",
                                         "\n",
                                         "<?",
                                         "?>",
                                         "<!DOCTYPE"});
  RC_LOG() << text << std::endl;
  read_all_the_way([&] { return read_jff(text, "x"); });
  read_all_the_way([&] {
    return read_jff("<structure><type>fa</type><automaton>" + text + "</automaton></structure>",
                    "x");
  });
}

}}  // namespace logdepth::front_end_rejects_tests
