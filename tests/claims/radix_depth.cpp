// The depth of the radix construction, counted on the weights: ceil(log_k T), and not one fewer.
#include <gtest/gtest.h>

#include <set>

#include "compiler/file/measure.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/radix_forms.hpp"

namespace logdepth::radix_depth_tests {
namespace {

using support::compile_radix;
using support::Language;
using support::levels_to_reach;
using support::RadixForm;
using support::Recogniser;

constexpr ScanPositions kCodes[] = {ScanPositions::two_circle, ScanPositions::circle,
                                    ScanPositions::first_flag};
constexpr std::uint64_t kLengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 64, 65, 1000};

/// The same weights without their last layer.
Model one_layer_fewer(Model model) {
  model.layers.pop_back();
  --model.shape.initial;
  return model;
}

/// a b b ... b: what is lost with the first letter shows in the parity of a.
Word one_a_then_b(std::size_t length) {
  Word word(length, 1);
  word[0] = 0;
  return word;
}

TEST(RadixDepth, IsTheCeilingOfTheLogarithmToTheRadixAndOneMoreForTheFirstFlag) {
  for (const unsigned radix : {2u, 3u, 4u, 5u, 64u})
    for (const std::uint64_t size : kLengths)
      for (const ScanPositions positions : kCodes) {
        RadixForm form{radix, size, positions};
        if (radix == 64) form.table = ScanTable::matrix;
        const Model model = compile_radix(support::regex_language("a*", "ab").action, form);
        const std::size_t claimed =
            levels_to_reach(radix, size) + (positions == ScanPositions::first_flag ? 1 : 0);
        EXPECT_EQ(model.layers.size(), claimed) << form.name();
        EXPECT_EQ(model.shape, (Shape{static_cast<std::uint32_t>(claimed), 0, 0})) << form.name();
        EXPECT_EQ(depth_formula(model), std::to_string(claimed));
        EXPECT_EQ(model.unroll.max_length, size);
        for (const std::uint64_t letters : {std::uint64_t{0}, size / 2, size})
          EXPECT_EQ(measure(model, letters).depth, claimed);
      }
  EXPECT_EQ(levels_to_reach(2, 1024), 10u);
  EXPECT_EQ(levels_to_reach(3, 28), 4u);
}

TEST(RadixDepth, OneLayerFewerForgetsTheFirstLetterJustBeyondEveryPower) {
  const Language parity = support::regex_language("b*(ab*ab*)*", "ab");
  for (const unsigned radix : {2u, 3u, 4u})
    for (const ScanPositions positions : kCodes)
      for (std::uint64_t power = 1; power <= 64; power *= radix) {
        const Model model = compile_radix(parity.action, {radix, power + 1, positions});
        const Word word = one_a_then_b(power + 1);
        Recogniser enough(model);
        EXPECT_TRUE(agrees(enough, parity, word)) << radix << ' ' << power;

        Recogniser fewer(one_layer_fewer(model));
        const support::Answer answer = fewer.ask(word);
        ASSERT_TRUE(answer.accepts.has_value());
        EXPECT_NE(*answer.accepts, parity.member(word)) << radix << ' ' << power;
        const auto expected = support::products(parity.action, word);
        for (std::size_t i = 0; i < power; ++i) EXPECT_EQ(answer.prefixes[i], expected[i]);
        EXPECT_NE(answer.prefixes[power], expected[power]) << radix << ' ' << power;
      }
}

TEST(RadixDepth, OneHeadFewerInTheLastLayerIsWrongAtThePromisedLength) {
  const Language parity = support::regex_language("b*(ab*ab*)*", "ab");
  // In the last layer c heads reach (c + 1) 3^2 letters: T is one more than c heads fewer one
  // reach.
  for (const std::uint64_t heads : {1u, 2u}) {
    const std::uint64_t size = heads * 9 + 1;
    Model model = compile_radix(parity.action, {3, size});
    ASSERT_EQ(model.layers.back().attention.heads.size(), heads);
    Recogniser enough(model);
    EXPECT_TRUE(agrees(enough, parity, one_a_then_b(size)));
    // The furthest head reads the beginning token instead.
    auto& fills = std::get<CodePosition>(model.position).fills;
    ASSERT_EQ(fills.back().back, heads * 9);
    fills.back().back = 1000;
    Recogniser fewer(std::move(model));
    EXPECT_FALSE(agrees(fewer, parity, one_a_then_b(size)));
    EXPECT_TRUE(agrees(fewer, parity, one_a_then_b(size - 1)));
  }
}

TEST(RadixHeads, AreOneFewerThanTheRadixAndOnlyThoseThatReachALetter) {
  for (const unsigned radix : {2u, 3u, 4u})
    for (const std::uint64_t size : kLengths) {
      std::uint64_t reach = 1;
      std::set<std::uint32_t> all;
      const auto layers = radix_shifts({radix, size});
      EXPECT_EQ(layers.size(), levels_to_reach(radix, size));
      for (const auto& shifts : layers) {
        EXPECT_FALSE(shifts.empty());
        EXPECT_LE(shifts.size(), radix - 1);
        if (&shifts != &layers.back()) {
          EXPECT_EQ(shifts.size(), radix - 1);
        }
        for (std::size_t c = 1; c <= shifts.size(); ++c) {
          EXPECT_EQ(shifts[c - 1], c * reach);
          EXPECT_LT(shifts[c - 1], size);
          all.insert(shifts[c - 1]);
        }
        reach *= radix;
      }
      const Model model = compile_radix(named_monoid("Z2"), {radix, size});
      std::size_t heads = 0;
      for (const Layer& layer : model.layers) heads += layer.attention.heads.size();
      EXPECT_EQ(heads, all.size());
    }
}

TEST(RadixForecast, CountsTheUnitsOfBothTablesExactly) {
  for (const char* name : {"Z2", "flipflop", "S3", "T2"})
    for (const unsigned radix : {2u, 3u, 4u})
      for (const std::uint64_t size : {1u, 2u, 5u, 17u, 65u})
        for (const RadixForm& form : support::radix_forms(radix, size)) {
          const Action action = named_monoid(name);
          const ProductForecast forecast =
              forecast_radix(action, {radix, size, form.positions, form.table});
          ASSERT_FALSE(forecast.refusal.has_value());
          const std::size_t units = measure(compile_radix(action, form), size).units;
          EXPECT_EQ(units, form.table == ScanTable::matrix ? forecast.matrix_units
                                                           : forecast.monoid_units.value())
              << name << ' ' << form.name();
        }
}

TEST(RadixForecast, OfA5SaysWhatFourFactorsCost) {
  // Paths of four steps among five points, four times 25 components to clear, in two layers.
  const ProductForecast matrix = forecast_radix(named_monoid("A5"), {4, 16});
  EXPECT_EQ(matrix.matrix_units, 2u * (5 * 5 * 5 * 5 * 5 + 4 * 25));
  EXPECT_EQ(matrix.monoid_units, 2u * (60u * 60 * 60 * 60 + 4 * 60));
  EXPECT_EQ(matrix.chosen, ScanTable::matrix);
}

TEST(RadixForecast, RefusesATableThatIsTooLargeWithBothFigures) {
  for (const ScanTable table : {ScanTable::automatic, ScanTable::matrix, ScanTable::monoid}) {
    try {
      regular_language_radix_MS25_cor4_2(named_monoid("A5"), "A5",
                                         {8, 64, ScanPositions::two_circle, table});
      FAIL() << "not refused";
    } catch (const SizeLimit& limit) {
      const std::string said = limit.what();
      EXPECT_NE(said.find(std::to_string(2 * (1953125 + 200))), std::string::npos) << said;
      EXPECT_NE(said.find(std::to_string(2 * (167961600000000 + 480))), std::string::npos) << said;
      EXPECT_NE(said.find("a smaller --radix"), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
    }
  }
}

TEST(RadixForecast, StopsCountingTablesThatNoNumberHolds) {
  // 60^64 is a multiple of 2^64.
  for (const ScanTable table : {ScanTable::automatic, ScanTable::matrix, ScanTable::monoid}) {
    const ProductForecast forecast =
        forecast_radix(named_monoid("A5"), {64, 4096, ScanPositions::two_circle, table});
    ASSERT_TRUE(forecast.refusal.has_value());
    EXPECT_NE(forecast.refusal->find("needs more than 10^18 hidden units"), std::string::npos)
        << *forecast.refusal;
    EXPECT_GT(*forecast.monoid_units, kMaxScanUnits);
  }
}

TEST(RadixForecast, RefusesARadixOrALengthOutsideItsRange) {
  const Action action = named_monoid("Z2");
  for (const unsigned radix : {0u, 1u, kMaxRadix + 1})
    EXPECT_THROW(regular_language_radix_MS25_cor4_2(action, "Z2", {radix, 4}), InputError);
  EXPECT_THROW(regular_language_radix_MS25_cor4_2(action, "Z2", {2, std::uint64_t{1} << 32}),
               SizeLimit);
  EXPECT_EQ(radix_shifts({2, (std::uint64_t{1} << 32) - 1}).size(), 32u);
  EXPECT_NO_THROW(
      regular_language_radix_MS25_cor4_2(action, "Z2", {2, (std::uint64_t{1} << 32) - 1}));
}

TEST(RadixDepth, IsZeroProductsWhereNoPointCanMove) {
  const Language all = support::regex_language("(a|b)*", "ab");
  for (const ScanPositions positions : kCodes) {
    Recogniser recogniser(compile_radix(all.action, {3, 20, positions, ScanTable::matrix}));
    EXPECT_EQ(recogniser.model().layers.size(), positions == ScanPositions::first_flag ? 1u : 0u);
    EXPECT_TRUE(agrees(recogniser, all, Word(20, 1)));
  }
}

}  // namespace
}  // namespace logdepth::radix_depth_tests
