// The scan construction on languages of the literature, at lengths around every power of two.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::scan_languages_tests {
namespace {

using support::compile_scan;
using support::Language;
using support::Recogniser;
using support::ScanForm;

/// A random word of this length, and (for groups) a shorter random word written so often that its
/// product may be the identity again.
std::vector<Word> sample(std::mt19937_64& random, std::size_t letters, std::size_t length) {
  std::vector<Word> words = {support::random_word(random, letters, length)};
  for (const std::size_t times : {6u, 30u, 60u})
    if (length > 0 && length % times == 0)
      words.push_back(
          support::repeated(support::random_word(random, letters, length / times), times));
  return words;
}

/// Random words at 2^k - 1, 2^k, 2^k + 1 and at some multiples of 60.
void check_around_powers(const Language& language, const ScanForm& form, std::size_t exponent) {
  Recogniser recogniser(compile_scan(language.action, form));
  std::mt19937_64 random(laws::seed());
  std::vector<std::size_t> lengths = support::lengths_around_powers(exponent);
  lengths.insert(lengths.end(), {6, 30, 60, 120});
  for (const std::size_t length : lengths)
    for (const Word& word : sample(random, language.action.alphabet.size(), length))
      ASSERT_TRUE(agrees(recogniser, language, word)) << form.name() << ", length " << length;
}

class ScanAroundPowers : public testing::TestWithParam<ScanPositions> {
 protected:
  void check(const Language& language) {
    ScanForm form;
    form.positions = GetParam();
    check_around_powers(language, form, 8);
  }
};

TEST_P(ScanAroundPowers, DecidesTheWordProblemsOfA5AndS5) {
  check(support::word_problem("A5"));
  check(support::word_problem("S5"));
}

TEST_P(ScanAroundPowers, DecidesSolvableGroupsAndTheirProducts) {
  for (const char* name : {"S3", "Z6", "D4", "Q8", "A4", "A4_x_Z5"})
    ASSERT_NO_FATAL_FAILURE(check(support::word_problem(name))) << name;
}

TEST_P(ScanAroundPowers, CountsTheLengthModuloSixty) {
  check(support::length_divisible_by(60));
}

TEST_P(ScanAroundPowers, DecidesTheFlipFlop) {
  check(support::word_problem("flipflop"));
}

TEST_P(ScanAroundPowers, DecidesTrivialLanguagesThoseOfOneLetterAndTomitas) {
  for (const Language& language : support::small_languages())
    ASSERT_NO_FATAL_FAILURE(check(language)) << language.name;
}

INSTANTIATE_TEST_SUITE_P(Positions, ScanAroundPowers,
                         testing::Values(ScanPositions::two_circle, ScanPositions::circle,
                                         ScanPositions::first_flag),
                         [](const auto& info) { return support::test_name(info.param); });

/// A walk through `levels` levels of brackets that never leaves them, closed at the end.
Word balanced_word(std::mt19937_64& random, std::size_t levels, std::size_t pairs) {
  Word word;
  std::size_t open = 0;
  for (std::size_t left = pairs; left > 0 || open > 0;) {
    const bool opens = open == 0 || (left > 0 && open < levels && random() % 2 == 0);
    word.push_back(opens ? 0 : 1);
    open = opens ? open + 1 : open - 1;
    left -= opens;
  }
  return word;
}

TEST(ScanOnBrackets, AcceptsLongBalancedWordsAndRejectsThemBroken) {
  std::mt19937_64 random(laws::seed());
  for (const std::size_t depth : {1u, 3u, 6u}) {
    const Language language = support::bounded_dyck(depth);
    Recogniser recogniser(compile_scan(language.action));
    for (const std::size_t pairs : {1u, 8u, 32u, 100u}) {
      const Word word = balanced_word(random, depth, pairs);
      ASSERT_TRUE(language.member(word));
      EXPECT_TRUE(agrees(recogniser, language, word));
      Word broken = word;
      Letter& flipped = broken[random() % broken.size()];
      flipped = 1 - flipped;
      ASSERT_FALSE(language.member(broken));
      EXPECT_TRUE(agrees(recogniser, language, broken));
    }
  }
}

TEST(ScanOnRandomAutomata, AgreesOnWordsOfUpToTwoHundredLetters) {
  std::mt19937_64 random(laws::seed());
  const auto forms = support::scan_forms();
  std::size_t accepted = 0, words = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t letters = 1 + random() % 4;
    const Language language = support::random_automaton(random, 2 + i % 7, letters);
    ScanForm form = forms[i % forms.size()];
    if (form.table == ScanTable::monoid) form.table = ScanTable::automatic;  // may be too large
    Recogniser recogniser(compile_scan(language.action, form));
    for (const std::size_t longest : {12u, 40u, 200u}) {
      const Word word = support::random_word(random, letters, random() % (longest + 1));
      ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
      accepted += language.member(word);
      ++words;
    }
  }
  EXPECT_GT(accepted, words / 5);
  EXPECT_LT(accepted, words - words / 5);
}

}  // namespace
}  // namespace logdepth::scan_languages_tests
