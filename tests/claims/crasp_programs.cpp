// C-RASP programs that nobody wrote: their network against their interpreter. What is broken or cannot
// be read, and the commands.
#include "tests/support/crasp_programs.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/words.hpp"

namespace logdepth::crasp_program_tests {
namespace {

using Compiled = support::CompiledCrasp;
using support::crasp_example;
using support::Recogniser;

/// Lines over a and b, with names of earlier ones.
class AnyProgram {
 public:
  std::string text() {
    std::string text = "alphabet a b\n";
    const int lines = *rc::gen::inRange(1, 8);
    for (int i = 0; i < lines; ++i) {
      const bool count = i + 1 < lines && *rc::gen::inRange(0, 3) == 0;
      const std::string name = fmt::format("x{}", i);
      text += name + " := " + (count ? this->count(3) : boolean(4)) + "\n";
      (count ? counts_ : booleans_).push_back(name);
    }
    return text;
  }

 private:
  std::string boolean(int depth) {
    if (depth > 0 && *rc::gen::inRange(0, 12) == 0)
      return fmt::format("(MOD(i, {}) {} {})", *rc::gen::inRange(1, 6),
                         *rc::gen::element<std::string>("<", "=", ">"), *rc::gen::inRange(0, 4));
    const int kind = *rc::gen::inRange(0, depth > 0 ? 10 : 2);
    if (kind == 0 && !booleans_.empty()) return *rc::gen::elementOf(booleans_);
    if (kind < 2) return *rc::gen::element<std::string>("Q_a", "Q_b", "Q_a", "Q_b", "true");
    if (kind == 2) return "not " + boolean(depth - 1);
    if (kind == 3) return "(" + boolean(depth - 1) + " and " + boolean(depth - 1) + ")";
    if (kind == 4) return "(" + boolean(depth - 1) + " or " + boolean(depth - 1) + ")";
    return "(" + count(depth - 1) + " " +
           *rc::gen::element<std::string>("<", "<=", "=", ">=", ">") + " " + count(depth - 1) + ")";
  }

  std::string count(int depth) {
    const int kind = *rc::gen::inRange(0, depth > 0 ? 11 : 4);
    if (kind == 0 && !counts_.empty()) return *rc::gen::elementOf(counts_);
    if (kind == 1) return std::to_string(*rc::gen::inRange(0, 4));
    if (kind < 6) return "#[" + boolean(depth - 1) + "]";
    if (kind == 6 && *rc::gen::inRange(0, 2) == 0)
      return fmt::format("#[j {} i - {}] ({})", *rc::gen::element<std::string>("=", "<", ">="),
                         *rc::gen::inRange(0, 4), over_j(depth - 1));
    const std::string a = count(depth - 1), b = count(depth - 1);
    if (kind == 6) return a + " + " + b;
    if (kind == 7) return a + " - (" + b + ")";
    if (kind == 8) return fmt::format("{} * ({})", *rc::gen::inRange(0, 4), a);
    if (kind == 9) return *rc::gen::element<std::string>("min(", "max(") + a + ", " + b + ")";
    return "(" + boolean(depth - 1) + " ? " + a + " : " + b + ")";
  }

  /// What #[j ...] counts: an earlier line, or letters and positions.
  std::string over_j(int depth) {
    if (!booleans_.empty() && *rc::gen::inRange(0, 2) == 0)
      return *rc::gen::elementOf(booleans_) + "(j)";
    if (depth > 0 && *rc::gen::inRange(0, 3) == 0)
      return "not (" + over_j(depth - 1) + ") or MOD(j, 2) = 1";
    return *rc::gen::element<std::string>("Q_a(j)", "not Q_a(j)", "MOD(j, 3) = 1");
  }

  std::vector<std::string> booleans_, counts_;
};

TEST(CraspPrograms, AnyProgramIsDecidedByItsNetworkAsByItsInterpreter) {
  std::size_t deepest = 0, with_tables = 0, decisive = 0, with_positions = 0;
  const bool passed = rc::check("every word of at most 5 letters and a long one", [&] {
    const std::string text = AnyProgram().text();
    Compiled compiled(text);
    deepest = std::max(deepest, compiled.depth());
    with_tables += compiled.number("table_layers") > 0;
    with_positions += compiled.program.parameters.contains("position_layers");
    std::size_t accepted = 0, words = 0;
    const auto agree = [&](const Word& word) {
      const bool right = compiled.oracle->accepts(word);
      accepted += right;
      ++words;
      if (compiled.answer(word) != right)
        RC_FAIL(text + "on '" + compiled.crasp.alphabet.format_word(word) + "'");
    };
    support::for_each_word(2, 5, agree);
    agree(*rc::gen::container<Word>(20, rc::gen::inRange<Letter>(0, 2)));
    decisive += accepted > 0 && accepted < words;
    RC_ASSERT(!::testing::Test::HasFailure());
  });
  EXPECT_TRUE(passed);
  EXPECT_GE(deepest, 6u) << "the programs were too easy";
  EXPECT_GE(with_tables, 100u);
  EXPECT_GE(with_positions, 150u);
  EXPECT_GE(decisive, 500u);
}

TEST(CraspPrograms, DoesAfterEveryLayerWhatItsProgramSays) {
  for (const auto& [file, word] :
       std::map<std::string, std::string>{{"dyck1.crasp", "(()))(()"},
                                          {"anbncn.crasp", "aabbbcca"},
                                          {"subsequence.crasp", "cabbca"},
                                          {"positions.crasp", "abbabab"}}) {
    const Compiled compiled(crasp_example(file));
    const Alphabet& alphabet = compiled.crasp.alphabet;
    EXPECT_FALSE(first_difference(compiled.program, compiled.network.model(),
                                  support::letter_names(alphabet, alphabet.parse_word(word)))
                     .value())
        << file;
  }
}

TEST(CraspPrograms, BrokenOnPurposeIsToldFromTheRightOne) {
  struct Edit {
    const char *file, *before, *after;
  };
  const std::vector<Edit> edits = {
      // A tie counts as more, the other way round, with half of what a tie needs.
      {"majority.crasp", "- 1/4 Q.any - 1/4 Q.begin", "+ 1/4 Q.any + 1/4 Q.begin"},
      {"dyck1.crasp", "- 1/4 Q.any - 1/4 Q.begin", "+ 1/4 Q.any + 1/4 Q.begin"},
      {"majority.crasp", "+ 1/2 Q_a - 1/2 Q_b", "+ 1/2 Q_b - 1/2 Q_a"},
      {"dyck1.crasp", "- 1/2 Q.0 + 1/2 Q.1", "+ 1/2 Q.0 - 1/2 Q.1"},
      {"dyck1.crasp", "M.margin + 1/2 Q.any + 1/2 V", "M.margin + 1/2 Q.any - 1/2 V"},
      {"dyck1.crasp", "B.margin + 1/2 Q.0 - 1/2 Q.1", "B.margin + 1/2 Q.0 - 1/4 Q.1"},
      {"dyck1.crasp", "accept - Q.any + B + M", "accept + Q.any + B + M"},
      {"anbncn.crasp", "Q_a=true late.1=true -> late=true", "Q_a=true late.1=true -> late=false"},
      {"anbncn.crasp", "Q_b=true late.2=true -> late=true", "Q_b=true late.2=true -> late=false"},
      {"anbncn.crasp", "accept - 2 Q.any", "accept - 1/2 Q.any"},
      {"subsequence.crasp", "L.margin + 1/4 Q.any - 1/4 Q.begin + 1/2 aba",
       "L.margin + 1/4 Q.any - 1/4 Q.begin + 1/2 ab"},
  };
  for (const auto& [file, before, after] : edits) {
    SCOPED_TRACE(std::string(file) + ": " + before);
    const Compiled right(crasp_example(file));
    std::string text = print_program(right.program);
    const std::size_t at = text.find(before);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, std::string(before).size(), after);
    Recogniser wrong(compile(parse_program(text, "edited"), {}).model);
    std::size_t told = 0;
    support::for_each_word(right.crasp.alphabet.size(), 5, [&](const Word& word) {
      told += wrong.ask(word).accepts != right.oracle->accepts(word);
    });
    EXPECT_GT(told, 0u);
  }
}

TEST(CraspPrograms, AComparisonOfTooManyChoicesIsASizeLimitThatNamesBothFigures) {
  const auto text = [](int choices) {
    std::string sum = "0";
    for (int i = 0; i < choices; ++i) sum += fmt::format(" + min(#[Q_a], {} * #[Q_b])", i + 1);
    return "alphabet a b\n// nothing\nL := " + sum + " > 3\n";
  };
  EXPECT_EQ(Compiled(text(8)).number("nesting"), 1u);  // 2^8 ways, many of them the same
  try {
    counting_program(parse_crasp(text(9), "nine.crasp"), "nine");
    FAIL() << "accepted";
  } catch (const SizeLimit& limit) {
    support::expect_parts(limit.what(), {"nine.crasp:3: ", "the 9 min, max and conditionals",
                                         "up to 2^9", "at most 256"});
  }
  // One in the other they only add up.
  std::string chain = "alphabet a b\nm0 := #[Q_a]\n";
  for (int i = 0; i < 30; ++i)
    chain += fmt::format("m{} := min(m{}, {} * #[Q_b])\n", i + 1, i, i + 1);
  EXPECT_EQ(Compiled(chain + "L := m30 > 0\n").number("comparisons"), 2u);
}

TEST(CraspPrograms, WhatCannotBeReadIsRefusedWithFileLineAndWhatWasExpected) {
  const auto refused = [](const std::string& line) {
    return support::refusal([&] { parse_crasp("alphabet a b\nA := #[Q_a]\n" + line, "f.crasp"); });
  };
  const std::map<std::string, std::string> sentences = {
      {"L := Q_c", "expected a letter of the alphabet after Q_, found 'c'"},
      {"L := Q_", "expected a letter after Q_"},
      {"L := Q_\"a", "expected a second \" after Q_\""},
      {"L := Q_ab", "expected a letter of the alphabet after Q_, found 'ab'"},
      {"L := X", "expected the name of an earlier line, found 'X'"},
      {"L := L", "expected the name of an earlier line, found 'L'"},
      {"A := Q_a", "expected a new name, found 'A', which line 2 defines"},
      {"min := Q_a", "expected a name, found the word 'min'"},
      {"Q_x := Q_a", "expected NAME := EXPRESSION, found 'x'"},
      {"3 := Q_a", "expected NAME := EXPRESSION, found '3'"},
      {"L = Q_a", "expected ':=' after the name 'L', found '='"},
      {"L", "expected ':=' after the name 'L', found the end of the line"},
      {"L := ", "expected an expression, found the end of the line"},
      {"L := Q_a Q_b", "expected the end of the line, found 'b'"},
      {"L := (Q_a", "expected ')' after an expression in parentheses, found the end of the line"},
      {"L := #Q_a", "expected '[' after '#', found 'a'"},
      {"L := #[Q_a", "expected ']' after what is counted, found the end of the line"},
      {"L := #[A]", "expected a Boolean between '#[' and ']', found a count"},
      {"L := not A", "expected a Boolean after 'not', found a count"},
      {"L := A and Q_a", "expected a Boolean before 'and', found a count"},
      {"L := Q_a or A", "expected a Boolean after 'or', found a count"},
      {"L := Q_a < 3", "expected a count before '<', found a Boolean"},
      {"L := 3 >= Q_a", "expected a count after '>=', found a Boolean"},
      {"L := A < A < A", "expected the end of the line, found '<'"},
      {"L := A + Q_a > 1", "expected a count after '+', found a Boolean"},
      {"L := Q_a - A > 1", "expected a count before '-', found a Boolean"},
      {"L := - Q_a", "expected a count after '-', found a Boolean"},
      {"L := A * 3 > 1", "expected a number before '*'"},
      {"L := 3 * Q_a", "expected a count after '*', found a Boolean"},
      {"L := 3a > 1", "expected a number, found '3a'"},
      {"L := A ? 1 : 2", "expected a Boolean before '?', found a count"},
      {"L := Q_a ? Q_b : 2", "expected a count after '?', found a Boolean"},
      {"L := Q_a ? 1", "expected ':' between the two counts of a conditional, found the end"},
      {"L := min(A) > 1", "expected ',' between the two counts of 'min', found ')'"},
      {"L := max A > 1", "expected '(' after 'max', found 'A'"},
      {"L := max(A, Q_a) > 1", "expected a count in 'max', found a Boolean"},
      {"L := A > 1000000001",
       "expected counts of at most 1000000000 times the number of positions"},
      {"L := 40000 * 40000 * A > 1", "expected counts of at most 1000000000 times the number"},
      {"alphabet c", "expected one line 'alphabet', found a second one"},
      {"L := Q_a $ Q_b", "expected the end of the line, found '$'"},
      {"L := " + std::string(400, '(') + "Q_a", "expected an expression nested at most 300 deep"},
      {"L := MOD(i, 2) and Q_a", "expected a Boolean before 'and', found a count"},
      {"L := MOD(i, 0) = 0", "expected a number from 1 to 256 as modulus of a position, found '0'"},
      {"L := MOD(i, 257) = 0", "expected a number from 1 to 256 as modulus of a position, found"},
      {"L := MOD(A, 2) = 0", "expected the position 'i' after 'MOD(', found 'A'"},
      {"L := i = 3", "expected 'mod' after the position 'i', found '='"},
      {"L := n = 3",
       "expected the name of an earlier line, found 'n', at column 6; positions are written "},
      {"L := Q_a(j)", "expected the position 'i' between parentheses after a name or letter, fou"},
      {"L := #[j = i - 1] Q_a(i) = 1", "expected the position 'j' between parentheses after a n"},
      {"L := #[j = i + 1] Q_a(j) = 1", "expected positions up to i, found 'i +'"},
      {"L := #[j = i - 257] Q_a = 1", "expected a number from 0 to 256 after 'i -', found '257'"},
      {"L := #[j i] Q_a = 1", "expected '<', '<=', '=', '>=' or '>' after the position 'j', fou"},
      {"L := #[j = i - 1] A = 1", "expected a Boolean after '#[j ...]', found a count"},
      {"L := #[j < i] (#[j < i] Q_a = 1) = 1", "expected one '#[j ...]', found one inside another"},
  };
  for (const auto& [line, sentence] : sentences)
    EXPECT_EQ(refused(line).rfind("f.crasp:3: " + sentence, 0), 0u) << line << "\n"
                                                                    << refused(line);

  const auto whole = [](const std::string& text) {
    return support::refusal([&] { parse_crasp(text, "f.crasp"); });
  };
  EXPECT_EQ(whole(""), "f.crasp:1: expected a line 'alphabet LETTER...'");
  EXPECT_EQ(whole("L := true\n"),
            "f.crasp:1: expected a line 'alphabet LETTER...' first, found 'L', at column 1");
  EXPECT_EQ(whole("alphabet // a\n"), "f.crasp:1: expected letters after 'alphabet', at column 1");
  support::expect_parts(whole("alphabet a a\n"), {"f.crasp:1: ", "occurs twice"});
  EXPECT_EQ(whole("alphabet a\nA := #[Q_a]\n"),
            "f.crasp:3: expected a Boolean line, which decides, found none");
}

class CraspCommands : public support::CommandLine {};

TEST_F(CraspCommands, CompileTestDrawAndCompareAProgramOfTheUsers) {
  const std::string file = example("crasp/dyck1.crasp");
  const auto compiled = logdepth({"compile", "crasp", file, "-o", "dyck1.json", "--json"});
  EXPECT_EQ(compiled.status, 0) << compiled.err;
  support::expect_parts(compiled.err,
                        {"6 lines, counts nested to depth 2", "layers: 3 for comparisons, 0 "});
  support::expect_parts(compiled.out, {"\"comparisons\": 3", "\"nesting\": 2"});
  EXPECT_EQ(done({"run", "dyck1.json", "--batch", "-"}, "\n(())()\n)(\n"),
            "accept\naccept\nreject\n");
  for (const std::string& oracle : {"crasp:" + file, file})
    support::expect_parts(done({"test", "dyck1.json", "--against", oracle, "--up-to", "5"}),
                          {"passed: against crasp dyck1.crasp"});
  EXPECT_EQ(done({"run", "dyck1.json", "--batch", "-", "--engine", "float64"}, "(())()\n())(\n"),
            "accept\nreject\n");
  done({"diff", "dyck1.json", "--input", "(()))("});
  done({"draw", "dyck1.json", "--input", "())(", "--against", "crasp:" + file, "-o", "d.svg"});
  support::expect_parts(read_whole_file((folder.path() / "d.svg").string()),
                        {"count.1", "count.2"});
  support::expect_parts(done({"info", "dyck1.json"}), {"comparisons   3", "nesting       2"});
}

TEST_F(CraspCommands, AnswerForAWrongNetworkWithTheShortestWord) {
  const std::string file = example("crasp/dyck1.crasp");
  done({"compile", "crasp", file, "-o", "dyck1.json"});
  support::expect_parts(done({"test", "dyck1.json", "--against", "crasp:" + file, "--up-to", "3"}),
                        {"passed"});
  std::string text = read_whole_file(file);
  text.replace(text.find("M and B"), 7, "B");
  write_whole_file((folder.path() / "ties.crasp").string(), text);
  const auto failed = logdepth({"test", "dyck1.json", "--against", "ties.crasp"});
  EXPECT_EQ(failed.status, 1);
  support::expect_parts(failed.out, {"FAILED: against crasp ties.crasp", "counterexample: ')('",
                                     "--against ties.crasp -o counterexample.svg"});
}

TEST_F(CraspCommands, RefuseWithFileAndLine) {
  write_whole_file((folder.path() / "bad.crasp").string(),
                   "alphabet a\n\nL := #[Q_a]\nM := L and L\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"compile", "crasp", "bad.crasp", "-o", "bad.json"},
        {"compile", "crasp", "none.crasp", "-o", "bad.json"},
        {"compile", "crasp", example("crasp/dyck1.crasp"), "-o", example("crasp/dyck1.crasp")}})
    EXPECT_EQ(logdepth(arguments).status, 2) << arguments[2];
  const auto refused = logdepth({"compile", "crasp", "bad.crasp", "-o", "bad.json"});
  support::expect_parts(refused.err,
                        {"bad.crasp:4: expected a Boolean before 'and', found a count"});
  done({"compile", "crasp", example("crasp/majority.crasp"), "-o", "majority.json"});
  const auto oracle = logdepth({"test", "majority.json", "--against", "crasp:bad.crasp"});
  EXPECT_EQ(oracle.status, 2);
  support::expect_parts(oracle.err, {"bad.crasp:4: "});
  const auto other =
      logdepth({"test", "majority.json", "--against", "crasp:" + example("crasp/dyck1.crasp")});
  EXPECT_EQ(other.status, 2);
  support::expect_parts(other.err, {"not in the alphabet"});
}

}  // namespace
}  // namespace logdepth::crasp_program_tests
