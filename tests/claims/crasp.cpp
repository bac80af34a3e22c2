// C-RASP programs: their interpreter and their network against languages decided here by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/file/weights_file.hpp"
#include "tests/support/crasp_programs.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/words.hpp"

namespace logdepth::crasp_tests {
namespace {

using Compiled = support::CompiledCrasp;
using support::crasp_example;
using Member = std::function<bool(const std::string&)>;

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

}  // namespace
}  // namespace logdepth::crasp_tests
