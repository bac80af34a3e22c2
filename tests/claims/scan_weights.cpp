// The weights that the scan construction writes: sizes, tables, rational activations, conventions.
#include <gtest/gtest.h>

#include <random>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::scan_weights_tests {
namespace {

using support::compile_scan;
using support::Language;
using support::Recogniser;
using support::ScanForm;

TEST(ScanWeights, OfA5AreSmall) {
  const Model model = compile_scan(support::word_problem("A5").action);
  const Measures m = measure(model, 1024);
  EXPECT_LE(m.units, 210u);
  EXPECT_LE(m.cells, 75u);
  EXPECT_LE(m.nonzeros, 5000u);
  EXPECT_EQ(m.heads, 1u);
  EXPECT_EQ(m.depth, 10u);
  EXPECT_LE(m.numerator_bits, 32u);
  EXPECT_LE(m.denominator_bits, 32u);
}

TEST(ScanWeights, OfA5HaveTheUnitsTheForecastSays) {
  for (const ScanForm& form : support::scan_forms()) {
    const Action action = named_monoid("S3");
    const ProductForecast forecast = forecast_scan(action, {form.positions, form.table});
    const Measures m = measure(compile_scan(action, form), 1);
    // The initial layer of the first-flag form, where the forecast counts the table's layer only.
    const std::size_t units =
        form.table == ScanTable::matrix ? forecast.matrix_units : forecast.monoid_units.value();
    if (form.positions == ScanPositions::first_flag) {
      EXPECT_GE(m.units, units) << form.name();
      EXPECT_LE(m.units, units + 16) << form.name();
    } else {
      EXPECT_EQ(m.units, units) << form.name();
    }
  }
}

bool all_rational(Recogniser& recogniser) {
  const ValuePool& pool = recogniser.runner().arithmetic().pool();
  for (ValueId id = 0; id < pool.size(); ++id)
    if (!pool[id].is_rational()) return false;
  return true;
}

TEST(ScanWeights, KeepEveryNumberRationalUnderRationalPositionCodes) {
  std::mt19937_64 random(laws::seed());
  for (const ScanForm& form : support::scan_forms())
    for (const bool strict : {false, true}) {
      ScanForm padded = form;
      padded.strict = strict;
      const Language language = support::word_problem("S3");
      Recogniser recogniser(compile_scan(language.action, padded));
      for (const std::size_t letters : {0u, 1u, 7u, 33u, 100u})
        ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, 2, letters)));
      EXPECT_EQ(all_rational(recogniser), form.positions != ScanPositions::first_flag)
          << padded.name();
    }
}

TEST(ScanWeights, OfA5KeepEveryNumberRational) {
  std::mt19937_64 random(laws::seed());
  const Language a5 = support::word_problem("A5");
  for (const auto positions : {ScanPositions::two_circle, ScanPositions::circle}) {
    ScanForm form;
    form.positions = positions;
    Recogniser recogniser(compile_scan(a5.action, form));
    ASSERT_TRUE(agrees(recogniser, a5, support::random_word(random, 2, 300)));
    EXPECT_TRUE(all_rational(recogniser));
  }
}

TEST(ScanWeights, AreTheSameBytesEveryTime) {
  for (const ScanForm& form : support::scan_forms()) {
    const Action action = named_monoid("D4");
    const std::string first = write_weights(compile_scan(action, form));
    EXPECT_EQ(first, write_weights(compile_scan(action, form))) << form.name();
    EXPECT_EQ(first, write_weights(parse_weights(first, "D4"))) << form.name();
  }
}

TEST(ScanWeights, DifferBetweenForms) {
  std::set<std::string> texts;
  for (const ScanForm& form : support::scan_forms()) {
    Model model = compile_scan(named_monoid("D4"), form);
    model.name = "D4";
    texts.insert(write_weights(model));
  }
  EXPECT_EQ(texts.size(), support::scan_forms().size());
}

TEST(ScanWeights, HaveTheDimensionsOfTheDefinitionWhenStrict) {
  for (ScanForm form : support::scan_forms())
    for (const auto unroll : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(9)}) {
      form.strict = true;
      form.unroll = unroll;
      const Model model = compile_scan(named_monoid("S3"), form);
      EXPECT_EQ(measure(model, 8).strict_width, model.width) << form.name();
      for (const Layer& layer : model.layers) {
        const std::size_t heads = layer.attention.heads.size();
        ASSERT_GT(heads, 0u);
        ASSERT_EQ(model.width % heads, 0u);
        for (const Head& head : layer.attention.heads)
          for (const SparseMatrix* map : {&head.query, &head.key, &head.value})
            EXPECT_EQ(map->rows, model.width / heads) << form.name();
      }
    }
}

TEST(ScanWeights, HaveASquareWidthWithoutPaddingToo) {
  for (const ScanForm& form : support::scan_forms()) {
    const Model model = compile_scan(named_monoid("S3"), form);
    const std::uint32_t square = form.norm == Norm::rms ? model.width : model.width / 2;
    std::uint32_t root = 0;
    while (root * root < square) ++root;
    EXPECT_EQ(root * root, square) << form.name();
    EXPECT_LE(model.width, measure(model, 1).strict_width) << form.name();
  }
}

TEST(ScanTables, AutomaticTakesTheSmallerAndSaysSo) {
  std::size_t monoids = 0, matrices = 0;
  for (const char* name : {"A5", "Z60", "S3", "Z2", "flipflop", "V4", "T3", "Z6", "A4_x_Z5"}) {
    const Action action = named_monoid(name);
    const auto monoid = enumerate_monoid(action.generators, action.points, 1000);
    ASSERT_TRUE(monoid.has_value());
    ScanForm form;
    const Model chosen = compile_scan(action, form);
    const std::size_t units = measure(chosen, 1).units;
    const ProductForecast forecast = forecast_scan(action, {});
    EXPECT_EQ(forecast.monoid->size(), monoid->size()) << name;
    EXPECT_EQ(units, std::min(forecast.matrix_units, forecast.monoid_units.value())) << name;

    const bool is_monoid = forecast.monoid_units.value() < forecast.matrix_units;
    EXPECT_EQ(forecast.chosen, is_monoid ? ScanTable::monoid : ScanTable::matrix) << name;
    (is_monoid ? monoids : matrices) += 1;
    ASSERT_TRUE(text_in(chosen.parameters, "table"));
    EXPECT_EQ(*text_in(chosen.parameters, "table"), is_monoid ? "monoid" : "matrix");
    ASSERT_TRUE(text_in(chosen.parameters, "table_reason"));
    const std::string& said = *text_in(chosen.parameters, "table_reason");
    EXPECT_NE(said.find("smaller: "), std::string::npos) << said;
    for (const std::size_t figure :
         {forecast.matrix_units, forecast.monoid_units.value(), monoid->size()})
      EXPECT_NE(said.find(std::to_string(figure)), std::string::npos) << said;
  }
  EXPECT_GT(monoids, 0u);
  EXPECT_GT(matrices, 0u);
}

TEST(ScanTables, TheLargerOneIsBuiltOnRequest) {
  const Language a5 = support::word_problem("A5");
  ScanForm form;
  form.table = ScanTable::monoid;
  Recogniser recogniser(compile_scan(a5.action, form));
  EXPECT_EQ(measure(recogniser.model(), 1).units, 60u * 60 + 2 * 60 + 16);
  std::mt19937_64 random(laws::seed());
  for (const std::size_t letters : {0u, 1u, 2u, 17u, 65u})
    EXPECT_TRUE(agrees(recogniser, a5, support::random_word(random, 2, letters)));
}

TEST(ScanTables, RefuseALanguageThatIsTooLargeWithBothFigures) {
  const Language language = support::regex_language("(a|b)*a(a|b){9}", "ab");
  ASSERT_EQ(language.action.points, 1024u);
  // The last ten letters decide: 2^10 - 1 shorter words and 2^10 longest ones act differently.
  const std::string matrix = std::to_string(1024u * 1024 * 1024 + 2 * 1024 * 1024 + 16);
  const std::string monoid = std::to_string(2047u * 2047 + 2 * 2047 + 16);
  for (const ScanTable table : {ScanTable::automatic, ScanTable::matrix, ScanTable::monoid}) {
    try {
      regular_language_scan_MS25_thm4_1(language.action, "tenth from the end",
                                        {ScanPositions::two_circle, table});
      FAIL() << "not refused";
    } catch (const SizeLimit& limit) {
      const std::string said = limit.what();
      EXPECT_NE(said.find(matrix), std::string::npos) << said;
      EXPECT_NE(said.find(monoid), std::string::npos) << said;
      EXPECT_NE(said.find("2047 elements"), std::string::npos) << said;
      EXPECT_NE(said.find("try"), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
    }
  }
}

TEST(ScanTables, TakeASmallerLanguageOfTheSameKind) {
  const Language language = support::regex_language("(a|b)*a(a|b){3}", "ab");
  Recogniser recogniser(compile_scan(language.action));
  std::mt19937_64 random(laws::seed());
  for (std::size_t letters = 0; letters < 40; ++letters)
    EXPECT_TRUE(agrees(recogniser, language, support::random_word(random, 2, letters)));
}

TEST(ScanConvention, TheFirstLetterActsFirst) {
  // a = (0 1 2), b = (0 1 2 3 4), written as lists of images.
  Recogniser recogniser(compile_scan(support::word_problem("A5").action));
  EXPECT_EQ(recogniser.ask({0}).prefixes[0], (Transformation{1, 2, 0, 3, 4}));
  EXPECT_EQ(recogniser.ask({1}).prefixes[0], (Transformation{1, 2, 3, 4, 0}));
  EXPECT_EQ(recogniser.ask({0, 1}).prefixes[1], (Transformation{2, 3, 1, 4, 0}));
  EXPECT_EQ(recogniser.ask({1, 0}).prefixes[1], (Transformation{2, 0, 3, 4, 1}));
}

TEST(ScanConvention, TheReversedConventionDiffersOnA5) {
  // Over the two generators the verdicts agree, since i -> 2 - i inverts both; over all elements
  // as letters they do not.
  const Language a5 = support::word_problem("A5", true);
  ASSERT_EQ(a5.action.alphabet.size(), 60u);
  Recogniser recogniser(compile_scan(a5.action));
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

}  // namespace
}  // namespace logdepth::scan_weights_tests
