// C-RASP programs: their interpreter and their network against languages decided here by hand.
#include "objects/crasp.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "logdepth/errors.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::crasp_tests { namespace {

using support::Recogniser;

using Member = std::function<bool(const std::string&)>;

/// A C-RASP program with its interpreter and its network.
struct Compiled {
  explicit Compiled(const std::string& text, Norm norm = Norm::rms)
      : crasp(parse_crasp(text, "test.crasp")),
        program(counting_program(crasp, "test")),
        oracle(make_crasp_oracle(crasp, "test")),
        network(compile(program, {norm, false, std::nullopt}).model) {}

  std::size_t number(const char* parameter) const {
    return std::stoull(program.parameters.at(parameter));
  }
  /// The depth of the file, which the parameters forecast; with positions they bound it.
  std::size_t depth() const {
    const std::size_t depth = measure(network.model(), 1).depth;
    const std::size_t sum = number("comparisons") + number("table_layers");
    if (program.parameters.contains("position_layers"))
      EXPECT_LE(depth, sum + number("position_layers"));
    else
      EXPECT_EQ(depth, sum);
    return depth;
  }
  /// What the network says; keeps its contracts.
  std::optional<bool> answer(const Word& word) {
    const support::Answer said = network.ask(word);
    EXPECT_FALSE(said.broken) << *said.broken;
    return said.accepts;
  }

  CraspProgram crasp;
  Program program;
  std::unique_ptr<LanguageOracle> oracle;
  Recogniser network;
};

/// The text of examples/crasp/NAME.
std::string crasp_example(const std::string& name) {
  return read_whole_file(support::source_dir() + "/examples/crasp/" + name);
}

/// Interpreter and network say of every word of at most `longest` letters, and of random ones of 100
/// to 130, what `member` says.
void expect_language(const std::string& text, const Member& member, std::size_t longest,
                     Norm norm = Norm::rms, int random_words = 20) {
  SCOPED_TRACE(text);
  Compiled compiled(text, norm);
  const auto expect = [&](const Word& word) {
    const std::string typed = compiled.crasp.alphabet.format_word(word);
    ASSERT_EQ(compiled.oracle->accepts(word), member(typed)) << "interpreter on '" << typed << "'";
    ASSERT_EQ(compiled.answer(word), member(typed)) << "network on '" << typed << "'";
  };
  const std::size_t letters = compiled.crasp.alphabet.size();
  support::for_each_word(letters, longest, expect);
  std::mt19937_64 random(laws::seed());
  for (int i = 0; i < random_words; ++i)
    expect(support::random_word(random, letters, 100 + random() % 31));
}

std::size_t count_of(const std::string& word, char letter) {
  return static_cast<std::size_t>(std::count(word.begin(), word.end(), letter));
}

bool more_a(const std::string& word) {
  return count_of(word, 'a') > count_of(word, 'b');
}

bool balanced(const std::string& word) {
  int open = 0;
  for (const char letter : word)
    if ((open += letter == '(' ? 1 : -1) < 0) return false;
  return open == 0;
}

bool blocks(const std::string& word) {
  const std::size_t n = word.size() / 3;
  return word == std::string(n, 'a') + std::string(n, 'b') + std::string(n, 'c');
}

bool holds_aba(const std::string& word) {
  std::size_t found = 0;
  for (const char letter : word)
    if (found < 3 && letter == "aba"[found]) ++found;
  return found == 3;
}

/// No two neighbouring a, and no a at every third position.
bool sparse(const std::string& word) {
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word[i] == 'a' && ((i > 0 && word[i - 1] == 'a') || (i + 1) % 3 == 0)) return false;
  return true;
}

TEST(Crasp, ExamplesDecideTheirLanguages) {
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    const std::size_t less = norm == Norm::rms ? 0 : 3;
    expect_language(crasp_example("majority.crasp"), more_a, 11 - less, norm);
    expect_language(crasp_example("dyck1.crasp"), balanced, 11 - less, norm);
    expect_language(crasp_example("anbncn.crasp"), blocks, 8 - less, norm);
    expect_language(crasp_example("subsequence.crasp"), holds_aba, 8 - less, norm);
    expect_language(crasp_example("positions.crasp"), sparse, 8 - less, norm);
  }
}

TEST(Crasp, ExamplesDecideLongWordsOfTheirLanguagesAndNeighboursOfThose) {
  const auto expect = [](const char* file, const Member& member, std::string word) {
    Compiled compiled(crasp_example(file));
    const Alphabet& alphabet = compiled.crasp.alphabet;
    EXPECT_EQ(compiled.answer(alphabet.parse_word(word)), true) << word;
    EXPECT_TRUE(member(word));
    std::mt19937_64 random(laws::seed());
    for (int i = 0; i < 30; ++i) {
      std::string other = word;
      if (i % 2 == 0)
        std::swap(other[random() % other.size()], other[random() % other.size()]);
      else
        other.erase(random() % other.size(), 1);
      EXPECT_EQ(compiled.answer(alphabet.parse_word(other)), member(other)) << other;
    }
  };
  std::string brackets;
  for (int i = 0; i < 20; ++i)
    brackets += "(()" + std::string(i % 5, '(') + std::string(i % 5, ')') + ")";
  expect("dyck1.crasp", balanced, brackets);
  expect("anbncn.crasp", blocks,
         std::string(40, 'a') + std::string(40, 'b') + std::string(40, 'c'));
  expect("majority.crasp", more_a, std::string(61, 'b') + std::string(62, 'a'));
}

TEST(Crasp, ExamplesTakeALayerForEachComparisonAndForEachMomentOfTables) {
  struct Sizes {
    const char* file;
    std::size_t nesting, comparisons, table_layers;
  };
  for (const auto& [file, nesting, comparisons, table_layers] :
       {Sizes{"majority.crasp", 1, 1, 0}, Sizes{"dyck1.crasp", 2, 3, 0},
        Sizes{"anbncn.crasp", 2, 5, 1}, Sizes{"subsequence.crasp", 3, 3, 2},
        Sizes{"positions.crasp", 2, 1, 1}}) {
    const Compiled compiled(crasp_example(file));
    EXPECT_EQ(compiled.number("nesting"), nesting) << file;
    EXPECT_EQ(compiled.number("comparisons"), comparisons) << file;
    const std::size_t position_layers = file == std::string("positions.crasp") ? 2 : 0;
    EXPECT_EQ(compiled.depth(), comparisons + table_layers + position_layers) << file;
  }
}

TEST(Crasp, EveryOperationMeansWhatTheFieldSays) {
  const auto counts = [](auto decides) {
    return [=](const std::string& word) {
      const auto a = static_cast<int>(count_of(word, 'a')),
                 b = static_cast<int>(count_of(word, 'b'));
      return decides(a, b, static_cast<int>(word.size()), word.empty() ? '-' : word.back());
    };
  };
  struct Case {
    const char* expression;
    std::function<bool(int a, int b, int n, char last)> decides;
  };
  const std::vector<Case> cases = {
      {"Q_a", [](int, int, int, char last) { return last == 'a'; }},
      {"not Q_a", [](int, int, int, char last) { return last != 'a'; }},
      {"Q_a or Q_b", [](int, int, int n, char) { return n > 0; }},
      {"Q_a and Q_b", [](int, int, int, char) { return false; }},
      {"true", [](int, int, int, char) { return true; }},
      {"false or Q_b", [](int, int, int, char last) { return last == 'b'; }},
      {"#[Q_a] < #[Q_b]", [](int a, int b, int, char) { return a < b; }},
      {"#[Q_a] <= #[Q_b]", [](int a, int b, int, char) { return a <= b; }},
      {"#[Q_a] = #[Q_b]", [](int a, int b, int, char) { return a == b; }},
      {"#[Q_a] >= #[Q_b]", [](int a, int b, int, char) { return a >= b; }},
      {"#[Q_a] > #[Q_b]", [](int a, int b, int, char) { return a > b; }},
      {"not #[Q_a] = #[Q_b]", [](int a, int b, int, char) { return a != b; }},
      {"#[true] = 3", [](int, int, int n, char) { return n == 3; }},
      {"#[false] = 0", [](int, int, int, char) { return true; }},
      {"#[not Q_a] > 2", [](int, int b, int, char) { return b > 2; }},
      {"#[not (Q_a or Q_b)] > 0", [](int, int, int, char) { return false; }},
      {"#[Q_a] < 0", [](int, int, int, char) { return false; }},
      {"2 * #[Q_a] > 3", [](int a, int, int, char) { return 2 * a > 3; }},
      {"2 * #[Q_a] = 3", [](int, int, int, char) { return false; }},
      {"4 * #[Q_a] - 6 * #[Q_b] <= 5", [](int a, int b, int, char) { return 4 * a - 6 * b <= 5; }},
      {"6 * #[Q_b] = 4 * #[Q_a] - 2", [](int a, int b, int, char) { return 6 * b == 4 * a - 2; }},
      {"#[Q_a] - 1 - 1 < #[Q_b]", [](int a, int b, int, char) { return a - 2 < b; }},
      {"#[Q_a] - (1 - 1) < #[Q_b]", [](int a, int b, int, char) { return a < b; }},
      {"- #[Q_a] + 3 > - 2 * #[Q_b]", [](int a, int b, int, char) { return 3 - a > -2 * b; }},
      {"not #[Q_a] < 2 and Q_b or Q_a",
       [](int a, int, int, char last) { return (a >= 2 && last == 'b') || last == 'a'; }},
      {"Q_a or Q_b and #[Q_a] = 2",
       [](int a, int, int, char last) { return last == 'a' || (last == 'b' && a == 2); }},
      {"min(#[Q_a], 3) > max(#[Q_b], 1)",
       [](int a, int b, int, char) { return std::min(a, 3) > std::max(b, 1); }},
      {"min(#[Q_a], #[Q_b]) = 2", [](int a, int b, int, char) { return std::min(a, b) == 2; }},
      {"3 - max(#[Q_a], 2 * #[Q_b]) >= 0",
       [](int a, int b, int, char) { return std::max(a, 2 * b) <= 3; }},
      {"max(min(#[Q_a], 4), #[Q_b]) - min(#[Q_a], 4) = 0",
       [](int a, int b, int, char) { return b <= std::min(a, 4); }},
      {"(Q_a ? #[Q_a] : 2 * #[Q_b]) > 4",
       [](int a, int b, int, char last) { return (last == 'a' ? a : 2 * b) > 4; }},
      {"(Q_a ? 1 : Q_b ? 2 : 3) = #[Q_a]",
       [](int a, int, int, char last) {
         return a == (last == 'a' ? 1 : last == 'b' ? 2 : 3);
       }},
      {"(#[Q_a] > 2 ? #[Q_b] : 0) = 1", [](int a, int b, int, char) { return a > 2 && b == 1; }},
      {"(true ? #[Q_a] : #[Q_b]) = 1", [](int a, int, int, char) { return a == 1; }},
  };
  for (const auto& [expression, decides] : cases)
    expect_language(fmt::format("alphabet a b\nL := {}\n", expression), counts(decides), 7,
                    Norm::rms, 3);
}

/// The last position, from 1 on; and how many of the positions `from` to `to` left of it are a.
struct Past {
  const std::string& word;
  std::size_t i() const { return word.size(); }
  int a(std::size_t from, std::size_t to) const {
    int count = 0;
    for (std::size_t back = from; back <= to && back < word.size(); ++back)
      count += word[word.size() - 1 - back] == 'a';
    return count;
  }
};

TEST(Crasp, PositionsAndDistancesMeanWhatTheLiteratureSays) {
  constexpr std::size_t all = 1000;
  struct Case {
    const char* lines;
    std::function<bool(const Past&)> decides;
    std::size_t position_layers;
  };
  const std::vector<Case> cases = {
      {"L := MOD(i, 2) = 0", [](const Past& p) { return p.i() % 2 == 0; }, 0},
      {"L(i) := i mod 2 = 1", [](const Past& p) { return p.i() % 2 == 1; }, 0},
      {"L := MOD(i, 1) = 0", [](const Past&) { return true; }, 0},
      {"L := MOD(i, 3) = 1", [](const Past& p) { return p.i() % 3 == 1; }, 2},
      {"L := i % 7 >= 3", [](const Past& p) { return p.i() % 7 >= 3; }, 2},
      {"L := mod(i, 5) = MOD(i, 3)", [](const Past& p) { return p.i() % 5 == p.i() % 3; }, 2},
      {"L := MOD(i, 5) < #[Q_a]",
       [](const Past& p) { return static_cast<int>(p.i() % 5) < p.a(0, all); }, 2},
      {"L := #[MOD(i, 4) > 1 and Q_a] = 2",
       [](const Past& p) {
         int count = 0;
         for (std::size_t i = 1; i <= p.i(); ++i) count += i % 4 > 1 && p.word[i - 1] == 'a';
         return count == 2;
       },
       2},
      {"L := #[j = i - 1] Q_a(j) = 1", [](const Past& p) { return p.a(1, 1) == 1; }, 1},
      {"L := #[j = i - 3] Q_a = 0", [](const Past& p) { return p.a(3, 3) == 0; }, 1},
      {"L := #[j = i] Q_a(j) > 0", [](const Past& p) { return p.a(0, 0) > 0; }, 0},
      {"L := #[j = i - 2] true = 1", [](const Past& p) { return p.i() > 2; }, 1},
      {"L := #[j = i - 2] not Q_a(j) = 1",
       [](const Past& p) { return p.i() > 2 && p.a(2, 2) == 0; }, 1},
      {"L := #[j <= i] Q_a(j) = 2", [](const Past& p) { return p.a(0, all) == 2; }, 0},
      {"L := #[j < i] Q_a(j) = 2", [](const Past& p) { return p.a(1, all) == 2; }, 1},
      {"L := #[j <= i - 2] Q_a(j) = 2", [](const Past& p) { return p.a(2, all) == 2; }, 1},
      {"L := #[j >= i - 2] Q_a(j) = 2", [](const Past& p) { return p.a(0, 2) == 2; }, 1},
      {"L := #[j < i - 1, j > i - 5] Q_a(j) >= 2", [](const Past& p) { return p.a(2, 4) >= 2; }, 1},
      {"L := #[j < i - 5, j > i - 2] Q_a(j) = 0", [](const Past&) { return true; }, 0},
      {"A(i) := #[j = i - 1] Q_a(j) = 1\nL(i) := #[j = i - 2] A(j) = 1",
       [](const Past& p) { return p.a(3, 3) == 1; }, 1},
      {"P := #[Q_a] > 1\nL := #[j = i - 1] P(j) = 1", [](const Past& p) { return p.a(1, all) > 1; },
       1},
      {"P := #[Q_a] = 0\nL := #[j = i - 2] P(j) = 1",
       [](const Past& p) { return p.i() > 2 && p.a(2, all) == 0; }, 1},
      {"P := not #[Q_a] > 1\nL := #[j < i] P(j) = 2",
       [](const Past& p) {
         int count = 0;
         for (std::size_t n = 1; n < p.i(); ++n) count += Past{p.word.substr(0, n)}.a(0, all) <= 1;
         return count == 2;
       },
       0},
      {"L := #[j = i - 1] (MOD(j, 3) = 0 or Q_a(j)) = 1",
       [](const Past& p) { return p.i() > 1 && ((p.i() - 1) % 3 == 0 || p.a(1, 1) == 1); }, 2},
      {"i := #[Q_a]\nj := 1\nL := #[j = i] = i",  // lines may be called i and j
       [](const Past& p) {
         int count = 0;
         for (std::size_t n = 1; n <= p.i(); ++n) count += Past{p.word.substr(0, n)}.a(0, all) == 1;
         return count == p.a(0, all);
       },
       0},
  };
  for (const auto& [lines, decides, position_layers] : cases) {
    const std::string text = fmt::format("alphabet a b\n{}\n", lines);
    expect_language(
        text, [&](const std::string& word) { return decides(Past{word}); }, 7, Norm::rms, 3);
    const Compiled compiled(text);
    const auto& parameters = compiled.program.parameters;
    EXPECT_EQ(parameters.contains("position_layers") ? compiled.number("position_layers") : 0u,
              position_layers)
        << lines;
    EXPECT_EQ(compiled.depth(),
              compiled.number("comparisons") + compiled.number("table_layers") + position_layers)
        << lines;
  }
}

TEST(Crasp, ResiduesOfEveryModulusAreExactAtLongLengths) {
  for (const int m : {2, 3, 4, 9, 16}) {
    Compiled compiled(fmt::format("alphabet a\nL := MOD(i, {}) = {}\n", m, m - 1));
    for (const std::size_t length : {0, 1, 255, 256, 257, 510, 511, 512})
      EXPECT_EQ(compiled.answer(Word(length, 0)),
                length % static_cast<std::size_t>(m) + 1 == static_cast<std::size_t>(m))
          << m << " " << length;
  }
}

TEST(Crasp, CountsFormulasThatHoldBeforeTheFirstLetterAtLettersOnly) {
  // At the beginning token 0 = 0 holds, and so does #[Q_a] = 0.
  expect_language(
      "alphabet a b\nL := #[#[Q_a] = 0] = 2\n",
      [](const std::string& word) { return std::min(word.find('a'), word.size()) == 2; }, 9);
  expect_language(
      "alphabet a b\nL := #[not #[Q_a] > #[Q_b]] = #[true]\n",
      [](const std::string& word) {
        for (std::size_t n = 0; n <= word.size(); ++n)
          if (more_a(word.substr(0, n))) return false;
        return true;
      },
      9);
}

TEST(Crasp, OfTheEmptyWordNoLetterTestHoldsAndEveryCountIsZero) {
  const std::map<std::string, bool> answers = {{"Q_a", false},
                                               {"not Q_a", true},
                                               {"#[true] = 0", true},
                                               {"#[not Q_a] > 0", false},
                                               {"#[#[Q_a] = 0] = 0", true},
                                               {"#[not Q_a] = 0 and not Q_a", true}};
  for (const auto& [expression, answer] : answers) {
    Compiled compiled("alphabet a\nL := " + expression);
    EXPECT_EQ(compiled.oracle->accepts({}), answer) << expression;
    EXPECT_EQ(compiled.answer({}), answer) << expression;
  }
}

TEST(Crasp, WithOneLetterComparesLengths) {
  expect_language(
      "alphabet a\nL := 3 * #[Q_a] <= 20 and #[Q_a] >= 2\n",
      [](const std::string& word) { return word.size() >= 2 && word.size() <= 6; }, 12);
}

TEST(Crasp, LettersMayBeAnyText) {
  expect_language(
      "alphabet ( ä Q_ \"\r\n"
      "  L:=#[Q_(]>#[Q_ä]+#[ Q_\"Q_\" ]+#[Q_\"\"\"] // more ( than others\n",
      [](const std::string& word) {  // letters stand between blanks
        const std::size_t letters = word.empty() ? 0 : count_of(word, ' ') + 1;
        return 2 * count_of(word, '(') > letters;
      },
      4, Norm::rms, 5);
}

TEST(Crasp, ComparisonsThatSayTheSameAreOne) {
  const auto comparisons = [](const std::string& lines) {
    return Compiled("alphabet a b\nA := #[Q_a]\nB := #[Q_b]\n" + lines).number("comparisons");
  };
  EXPECT_EQ(comparisons("L := A < B and B > A and not A >= B and 2 * A + 1 < 2 * B\n"), 1u);
  EXPECT_EQ(comparisons("X := A < B\nY := X\nZ := not Y\nL := X and not Z\n"), 1u);
  EXPECT_EQ(comparisons("L := A = B or 3 * B - 3 * A = 0\n"), 1u);
  EXPECT_EQ(comparisons("L := A < B or A = B\n"), 2u);
}

TEST(Crasp, LinesThatDoNotDecideCostNothing) {
  const std::string lines = "alphabet a b\nL := #[Q_a] > 2\n";
  const std::string more =
      "alphabet a b\nX := #[Q_b] = 1\nY := #[X and Q_a]\nL := #[Q_a] > 2\nZ := #[L]\n";
  EXPECT_EQ(weights_hash(Compiled(lines).network.model()),
            weights_hash(Compiled(more).network.model()));
}

TEST(Crasp, NestedDeeplyTakesALayerForEachLevel) {
  std::string text = "alphabet a b\nx0 := Q_a\n";
  for (int i = 1; i <= 12; ++i) text += fmt::format("x{} := #[x{}] > 1\n", i, i - 1);
  // Level k begins to hold one position later than the one below it, the first at the second a.
  const Member member = [](const std::string& word) {
    std::size_t at = 0;
    for (int a = 0; a < 2; ++at)
      if (at == word.size())
        return false;
      else
        a += word[at] == 'a';
    return word.size() - at >= 11;
  };
  Compiled compiled(text);
  EXPECT_EQ(compiled.number("nesting"), 12u);
  EXPECT_EQ(compiled.depth(), 12u);
  expect_language(text, member, 4);
  Word word(13, 1);
  word[0] = word[2] = 0;
  EXPECT_EQ(compiled.answer(word), false);
  word.push_back(1);
  EXPECT_EQ(compiled.answer(word), true);
}

TEST(Crasp, ACombinationOfManyIsDecidedInTwoLayersOfSmallTables) {
  // Exactly one of these holds for every count from 0 to 7: 2^8 ways to ask them one by one.
  std::string either;
  for (int i = 0; i < 8; ++i)
    either += fmt::format("{}(#[Q_a] = {} and #[Q_b] <= {})", i ? " or " : "", i, 2 * i % 7);
  const std::string text = "alphabet a b\nX := " + either + "\nL := #[X] = 4\n";
  const Compiled compiled(text);
  EXPECT_EQ(compiled.number("table_layers"), 2u);
  EXPECT_LT(measure(compiled.network.model(), 1).units, 100u);
  expect_language(
      text,
      [](const std::string& word) {
        int held = 0;
        for (std::size_t n = 1; n <= word.size(); ++n) {
          const std::string prefix = word.substr(0, n);
          const auto a = count_of(prefix, 'a');
          held += a < 8 && count_of(prefix, 'b') <= 2 * a % 7;
        }
        return held == 4;
      },
      7, Norm::rms, 3);
}

// C-RASP programs that nobody wrote: their network against their interpreter. What is broken or cannot
// be read, and the commands.

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
  support::expect_parts(
      support::refusal<SizeLimit>(
          [&] { counting_program(parse_crasp(text(9), "nine.crasp"), "nine"); }),
      {"nine.crasp:3: ", "the 9 min, max and conditionals", "up to 2^9", "at most 256"});
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

}}  // namespace logdepth::crasp_tests
