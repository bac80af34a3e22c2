// The constructions of products of letters against oracles: verdicts, every prefix product, every contract.
#include <gtest/gtest.h>

#include <random>

#include "compiler/difference/first_difference.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::word_constructions_tests { namespace {

using support::By;
using support::compile_form;
using support::Language;
using support::Recogniser;
using support::WordForm;

/// A construction in the sizes in which it is built here, and how long the words are.
struct Subject {
  std::string name;
  std::vector<WordForm> sizes;
  std::size_t most_units;     ///< a larger table takes too long to compile
  std::size_t unary, binary;  ///< letters of the small languages over one letter, over two
  std::vector<std::pair<const char*, std::size_t>> monoids,
      large;  ///< all words of so many letters
};
void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

Subject radix_of(unsigned radix) {
  return {"Radix" + std::to_string(radix),
          {{.by = By::radix, .radix = radix}},
          8000,
          20,
          radix == 2 ? 6u : 5u,
          {{"flipflop", 5}, {"Z6", 20}, {"S3", 6}, {"V4", 5}, {"T2", 5}},
          {{"A5", 5}, {"S5", 5}, {"T3", 5}}};
}

std::vector<Subject> subjects() {
  return {{"Scan",
           {{.by = By::scan}},
           8000,
           40,
           8,
           {{"flipflop", 5},
            {"Z6", 20},
            {"S3", 7},
            {"D4", 6},
            {"Q8", 6},
            {"V4", 6},
            {"T3", 4},
            {"Z2_x_Z3", 6}},
           {{"A5", 7}, {"S5", 7}}},
          {"Tree",
           {{.by = By::tree}},
           8000,
           33,
           6,
           {{"Z2", 33}, {"flipflop", 6}, {"Z6", 33}, {"S3", 6}, {"V4", 5}, {"T2", 6}},
           {{"A5", 5}, {"S5", 5}, {"T3", 5}}},
          radix_of(2),
          radix_of(3),
          radix_of(4),
          {"UniformRadix",
           {{.by = By::uniform_radix, .radix = 2, .block = 2},
            {.by = By::uniform_radix, .radix = 3, .block = 2},
            {.by = By::uniform_radix, .radix = 2, .block = 3},
            {.by = By::uniform_radix, .radix = 3, .block = 3},
            {.by = By::uniform_radix, .radix = 4, .block = 2}},
           3300,
           20,
           5,
           {{"Z2", 33}, {"flipflop", 4}, {"Z6", 20}, {"S3", 6}, {"V4", 4}, {"T2", 5}},
           {{"A5", 5}, {"T3", 5}}}};
}

using Variants = std::vector<WordForm> (*)(const WordForm&);

class WordConstructions : public testing::TestWithParam<Subject> {
 protected:
  /// Made for words of at most `longest` letters, with a table that is not too large.
  std::vector<WordForm> forms(const Action& action, std::uint64_t longest, Variants variants,
                              std::size_t most_units = GetParam().most_units) const {
    std::vector<WordForm> chosen;
    for (WordForm size : GetParam().sizes) {
      size.max_length = longest;
      for (const WordForm& form : variants(size))
        if (support::forecast_of(action, form).units() <= most_units) chosen.push_back(form);
    }
    return chosen;
  }

  /// Every word of at most `longest` letters, the empty one first; stops at the first disagreement.
  void check_every_word(const Language& language, std::size_t longest, Variants variants) const {
    for (const WordForm& form : forms(language.action, longest, variants)) {
      Recogniser recogniser(compile_form(language.action, form));
      support::for_each_word(language.action.alphabet.size(), longest, [&](const Word& word) {
        if (HasFatalFailure()) return;
        ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, WordConstructions, testing::ValuesIn(subjects()),
                         [](const auto& info) { return info.param.name; });

TEST_P(WordConstructions, DecideSmallLanguagesOnEveryShortWordAndYieldTheirPrefixProducts) {
  for (const Language& language : support::small_languages())
    ASSERT_NO_FATAL_FAILURE(check_every_word(
        language, language.action.alphabet.size() == 1 ? GetParam().unary : GetParam().binary,
        support::all_forms));
}

TEST_P(WordConstructions, MultiplyInMonoidsOnEveryShortWord) {
  for (const auto& [name, longest] : GetParam().monoids)
    ASSERT_NO_FATAL_FAILURE(
        check_every_word(support::word_problem(name), longest, support::all_forms));
}

TEST_P(WordConstructions, MultiplyInA5AndS5AndT3OnEveryShortWord) {
  for (const auto& [name, longest] : GetParam().large)
    ASSERT_NO_FATAL_FAILURE(
        check_every_word(support::word_problem(name), longest, support::in_all_positions));
}

std::vector<WordForm> padded(const WordForm& size) {
  std::vector<WordForm> forms;
  for (WordForm form : support::in_all_positions(size))
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      form.norm = norm;
      form.strict = true;
      forms.push_back(form);
    }
  return forms;
}

TEST_P(WordConstructions, DecideThemWhenPaddedToTheStrictWidth) {
  ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem("S3"), 6, padded));
  ASSERT_NO_FATAL_FAILURE(check_every_word(support::tomita(4), 7, padded));
}

TEST_P(WordConstructions, AgreeOnRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  const By by = GetParam().sizes.front().by;
  const bool scan = by == By::scan;
  std::size_t accepted = 0, words = 0;
  for (std::size_t i = 0; i < (scan ? 200 : by == By::radix ? 30 : 60); ++i) {
    const std::size_t letters = 1 + random() % 4;
    const std::uint64_t longest = random() % (scan ? 201 : 101);
    const Language language = support::random_automaton(random, 2 + i % (scan ? 7 : 5), letters);
    const auto possible = forms(language.action, longest, padded, 40000);
    ASSERT_FALSE(possible.empty());
    WordForm form = possible[i % possible.size()];
    form.strict = i % 3 == 0;
    Recogniser recogniser(compile_form(language.action, form));
    for (const std::uint64_t length : {longest, random() % (longest + 1)}) {
      const Word word = support::random_word(random, letters, length);
      ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
      accepted += language.member(word);
      ++words;
    }
  }
  EXPECT_GT(accepted, words / 10);
  EXPECT_LT(accepted, words - words / 10);
}

TEST_P(WordConstructions, HoldWhatTheirProgramsMeanInEveryCellAfterEverySublayer) {
  std::mt19937_64 random(laws::seed());
  std::size_t turn = 0;
  for (const char* name : {"Z2", "S3", "flipflop", "T2", "T3", "A5"}) {
    const Action action = support::word_problem(name).action;
    for (WordForm form : forms(action, 17, support::all_forms)) {
      const Program program = program_of(action, form, name);
      ASSERT_EQ(parse_program(print_program(program), "printed"), program);
      form.strict = turn++ % 3 == 0;
      const Model model = compile_form(action, form);
      const bool large = support::forecast_of(action, form).units() > 1000;
      for (const std::size_t length : {0u, 1u, large ? 5u : 13u, large ? 8u : 17u}) {
        const Word word = support::random_word(random, action.alphabet.size(), length);
        const auto letters = support::letter_names(action.alphabet, word);
        ASSERT_FALSE(first_difference(program, model, letters).value()) << form.name();
      }
    }
  }
}

TEST_P(WordConstructions, LeaveTheFirstLetterFirstInEveryPlaceOfAProduct) {
  // a = (0 1 2), b = (0 1 2 3 4) as lists of images.
  const Action action = support::word_problem("A5").action;
  for (const WordForm& form : forms(action, 3, support::in_all_positions)) {
    Recogniser recogniser(compile_form(action, form));
    EXPECT_EQ(recogniser.ask({0, 1, 0}).prefixes,
              (std::vector<Transformation>{{1, 2, 0, 3, 4}, {2, 3, 1, 4, 0}, {0, 3, 2, 4, 1}}));
    EXPECT_EQ(recogniser.ask({1, 0, 0}).prefixes,
              (std::vector<Transformation>{{1, 2, 3, 4, 0}, {2, 0, 3, 4, 1}, {0, 1, 3, 4, 2}}));
  }
}

TEST_P(WordConstructions, KeepEveryNumberRationalUnderRationalPositionCodes) {
  std::mt19937_64 random(laws::seed());
  for (const auto& [name, longest] :
       {std::pair<const char*, std::size_t>{"S3", 100}, {"A5", 300}}) {
    const Language language = support::word_problem(name);
    for (const WordForm& size : GetParam().sizes)
      for (WordForm form : support::in_all_positions(size)) {
        form.max_length = longest;
        form.strict = longest == 100;
        Recogniser recogniser(compile_form(language.action, form));
        ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, 2, longest)));
        const ValuePool& pool = recogniser.runner().arithmetic().pool();
        bool rational = true;
        for (ValueId id = 0; id < pool.size(); ++id) rational = rational && pool[id].is_rational();
        EXPECT_EQ(rational, (form.by == By::scan || form.by == By::radix) &&
                                form.positions != ScanPositions::first_flag)
            << form.name();
      }
  }
}

// --- words of every length -----------------------------------------------------------------------

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
class ScanAroundPowers : public testing::TestWithParam<ScanPositions> {
 protected:
  void check(const Language& language) {
    Recogniser recogniser(compile_form(language.action, {.positions = GetParam()}));
    std::mt19937_64 random(laws::seed());
    std::vector<std::size_t> lengths = support::lengths_around_powers(8);
    lengths.insert(lengths.end(), {6, 30, 60, 120});
    for (const std::size_t length : lengths)
      for (const Word& word : sample(random, language.action.alphabet.size(), length))
        ASSERT_TRUE(agrees(recogniser, language, word)) << language.name << ", length " << length;
  }
};

TEST_P(ScanAroundPowers, DecidesGroupsAndTheFlipFlopAndCountsTheLengthModuloSixty) {
  for (const char* name : {"A5", "S5", "S3", "Z6", "D4", "Q8", "A4", "A4_x_Z5", "flipflop"})
    ASSERT_NO_FATAL_FAILURE(check(support::word_problem(name)));
  check(support::length_divisible_by(60));
}

TEST_P(ScanAroundPowers, DecidesTrivialLanguagesThoseOfOneLetterAndTomitas) {
  for (const Language& language : support::small_languages())
    ASSERT_NO_FATAL_FAILURE(check(language));
}

INSTANTIATE_TEST_SUITE_P(Positions, ScanAroundPowers,
                         testing::Values(ScanPositions::two_circle, ScanPositions::circle,
                                         ScanPositions::first_flag),
                         [](const auto& info) {
                           std::string name = positions_name(info.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Tree, IsRightAtEveryLength) {
  std::mt19937_64 random(laws::seed());
  for (const Language& language : {support::word_problem("S3"), support::word_problem("T2"),
                                   support::word_problem("flipflop"), support::tomita(4)})
    for (const WordForm& form : support::all_forms({.by = By::tree})) {
      Recogniser recogniser(compile_form(language.action, form));
      for (std::size_t length = 7; length <= 65; length += length == 33 ? 30 : 1)
        ASSERT_TRUE(agrees(recogniser, language,
                           support::random_word(random, language.action.alphabet.size(), length)))
            << form.name() << ", " << length << " letters";
    }
}

TEST(Radix, IsRightAtEveryLengthUpToThePromisedOne) {
  std::mt19937_64 random(laws::seed());
  const std::vector<Language> languages = {support::word_problem("S3"), support::word_problem("A5"),
                                           support::word_problem("flipflop"), support::tomita(4)};
  std::size_t turn = 0;
  for (const unsigned radix : {2u, 3u, 4u})
    for (const std::uint64_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 64, 65, 100})
      for (WordForm form :
           support::in_all_positions({.by = By::radix, .radix = radix, .max_length = size}))
        for (const Norm norm : {Norm::rms, Norm::layernorm}) {
          const Language& language = languages[turn++ % languages.size()];
          form.norm = norm;
          Recogniser recogniser(compile_form(language.action, form));
          const std::size_t letters = language.action.alphabet.size();
          for (const std::uint64_t length :
               {size, size - std::min<std::uint64_t>(size, 1), size / 2, random() % (size + 1)})
            ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, letters, length)))
                << form.name() << ", " << length << " letters";
        }
}

TEST(UniformRadix, IsRightAroundThePowersOfEveryRadixAndBlockUpToAHundredLetters) {
  std::mt19937_64 random(laws::seed());
  std::size_t turn = 0;
  for (const char* name : {"S3", "T2"})
    for (const auto& [radix, block] : {std::pair{2u, 2u},
                                       {2u, 3u},
                                       {3u, 2u},
                                       {3u, 3u},
                                       {4u, 2u},
                                       {4u, 3u},
                                       {8u, 2u},
                                       {2u, 4u}}) {
      const Language language = support::word_problem(name);
      const WordForm form{.by = By::uniform_radix,
                          .radix = radix,
                          .block = block,
                          .norm = turn++ % 2 ? Norm::rms : Norm::layernorm};
      Recogniser recogniser(compile_form(language.action, form));
      for (const std::size_t length :
           {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 63, 64, 65, 81, 82, 100})
        ASSERT_TRUE(agrees(recogniser, language,
                           support::random_word(random, language.action.alphabet.size(), length)))
            << form.name() << ", " << length << " letters";
    }
}

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
    Recogniser recogniser(compile_form(language.action));
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

TEST(Scan, TakesEveryElementOfAGroupAsALetter) {
  const Language s3 = support::word_problem("S3", true);
  ASSERT_EQ(s3.action.alphabet.size(), 6u);
  Recogniser recogniser(compile_form(s3.action));
  support::for_each_word(6, 4,
                         [&](const Word& word) { EXPECT_TRUE(agrees(recogniser, s3, word)); });
}

TEST(Scan, TellsTheReversedConventionApartOnA5) {
  // Over the two generators the verdicts agree, since i -> 2 - i inverts both; over all elements
  // as letters they do not.
  const Language a5 = support::word_problem("A5", true);
  ASSERT_EQ(a5.action.alphabet.size(), 60u);
  Recogniser recogniser(compile_form(a5.action));
  std::mt19937_64 random(laws::seed());
  std::size_t differing = 0;
  for (std::size_t tried = 0; tried < 20; ++tried) {
    Word word = support::random_word(random, 60, 2);
    const Transformation product = support::products(a5.action, word).back();
    for (Letter letter = 0; letter < 60; ++letter)  // completes the word to the identity
      if (compose(product, a5.action.generators[letter]) == identity_transformation(5))
        word.push_back(letter);
    ASSERT_EQ(word.size(), 3u);
    EXPECT_TRUE(agrees(recogniser, a5, word));
    EXPECT_TRUE(recogniser.ask(word).accepts.value());
    const Word reversed(word.rbegin(), word.rend());
    EXPECT_TRUE(agrees(recogniser, a5, reversed));
    differing += !recogniser.ask(reversed).accepts.value();
  }
  EXPECT_GT(differing, 10u);
}

}}  // namespace logdepth::word_constructions_tests
