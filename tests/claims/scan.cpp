// The scan construction on every short word: verdicts, every prefix product, every contract.
#include <gtest/gtest.h>

#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::scan_tests {
namespace {

using support::compile_scan;
using support::for_each_word;
using support::Language;
using support::Recogniser;
using support::ScanForm;

/// Every word up to `longest` letters; stops at the first disagreement.
void check_every_word(const Language& language, const ScanForm& form, std::size_t longest) {
  Recogniser recogniser(compile_scan(language.action, form));
  for_each_word(language.action.alphabet.size(), longest, [&](const Word& word) {
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
  });
}

class ScanOnEveryShortWord : public testing::TestWithParam<ScanForm> {};

TEST_P(ScanOnEveryShortWord, DecidesSmallLanguagesAndYieldsTheirPrefixProducts) {
  for (const Language& language : support::small_languages()) {
    const std::size_t longest = language.action.alphabet.size() == 1 ? 40 : 8;
    ASSERT_NO_FATAL_FAILURE(check_every_word(language, GetParam(), longest)) << language.name;
  }
}

TEST_P(ScanOnEveryShortWord, MultipliesInMonoidsOfTwoAndThreeLetters) {
  for (const auto& [name, longest] : {std::pair<const char*, std::size_t>{"flipflop", 5},
                                      {"Z6", 20},
                                      {"S3", 7},
                                      {"D4", 6},
                                      {"Q8", 6},
                                      {"V4", 6},
                                      {"T3", 4},
                                      {"Z2_x_Z3", 6}})
    ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem(name), GetParam(), longest))
        << name;
}

INSTANTIATE_TEST_SUITE_P(Forms, ScanOnEveryShortWord, testing::ValuesIn(support::scan_forms()),
                         [](const auto& info) { return info.param.name(); });

TEST(Scan, DecidesEveryShortWordWhenPaddedToTheStrictWidth) {
  for (const auto positions : {ScanPositions::two_circle, ScanPositions::first_flag})
    for (const auto norm : {Norm::rms, Norm::layernorm}) {
      ScanForm form;
      form.positions = positions;
      form.norm = norm;
      form.strict = true;
      check_every_word(support::tomita(4), form, 7);
      check_every_word(support::word_problem("S3"), form, 6);
    }
}

TEST(Scan, MultipliesInA5AndS5OnEveryShortWord) {
  for (const char* name : {"A5", "S5"})
    for (const auto positions :
         {ScanPositions::two_circle, ScanPositions::circle, ScanPositions::first_flag}) {
      ScanForm form;
      form.positions = positions;
      check_every_word(support::word_problem(name), form, 7);
    }
}

TEST(Scan, TakesEveryElementOfAGroupAsALetter) {
  const Language s3 = support::word_problem("S3", true);
  ASSERT_EQ(s3.action.alphabet.size(), 6u);
  check_every_word(s3, {}, 4);
}

}  // namespace
}  // namespace logdepth::scan_tests
