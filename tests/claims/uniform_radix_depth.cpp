// The depth of the uniform radix construction, counted on the weights: r ceil(log_K T) + 2 with
// K = k^(r-1), and not one block fewer.
#include <gtest/gtest.h>

#include <random>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/radix_forms.hpp"
#include "tests/support/uniform_radix_forms.hpp"
#include "tests/support/words.hpp"

namespace logdepth::uniform_radix_depth_tests {
namespace {

using support::compile_uniform_radix;
using support::Language;
using support::levels_to_reach;
using support::Recogniser;
using support::UniformRadixForm;

/// Radix, layers of the block, and how much longer a block makes the intervals.
struct Sizes {
  unsigned radix, block, reach;
};
constexpr Sizes kSizes[] = {{2, 2, 2}, {2, 3, 4},  {3, 2, 3}, {3, 3, 9},
                            {4, 2, 4}, {4, 3, 16}, {8, 2, 8}, {2, 5, 16}};

Model with_loops(Model model, std::size_t loops) {
  model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
  return model;
}

/// a b b ... b: what is lost with the first letter shows in the parity of a.
Word one_a_then_b(std::size_t length) {
  Word word(length, 1);
  word[0] = 0;
  return word;
}

Language parity_of_a() {
  return support::regex_language("b*(ab*ab*)*", "ab");
}

TEST(UniformRadixDepth, IsOneBlockPerFactorOfTheLengthAndTwoInitialLayers) {
  for (const auto& [radix, block, reach] : kSizes) {
    EXPECT_EQ(reach_of_a_block({radix, block}), reach);
    const Model model = compile_uniform_radix(parity_of_a().action, {radix, block});
    EXPECT_EQ(model.shape, (Shape{2, block, 0}));
    EXPECT_EQ(model.unroll.base, reach);
    EXPECT_EQ(model.unroll.max_length, std::nullopt);
    std::size_t heads = 0;
    for (const Layer& layer : model.layers)
      if (layer.block == Block::repeated) {
        EXPECT_TRUE(layer.attention.heads.size() == radix - 1 || &layer == &model.layers.back());
        heads += layer.attention.heads.size();
      }
    EXPECT_EQ(heads, (radix - 1) * (block - 1));
    for (const std::size_t letters : support::lengths_around_powers(40)) {
      const Measures m = measure(model, letters);
      EXPECT_EQ(m.loops, levels_to_reach(reach, letters)) << letters;
      EXPECT_EQ(m.depth, 2 + block * levels_to_reach(reach, letters)) << letters;
    }
  }
  EXPECT_EQ(depth_formula(compile_uniform_radix(parity_of_a().action, {2, 2})),
            "2 ceil(log2 n) + 2");
  EXPECT_EQ(depth_formula(compile_uniform_radix(parity_of_a().action, {3, 3})),
            "3 ceil(log_9 n) + 2");
}

TEST(UniformRadixDepth, OneBlockFewerForgetsTheFirstLetterJustBeyondEveryPower) {
  const Language parity = parity_of_a();
  for (const auto& [radix, block, reach] : kSizes) {
    const Model model = compile_uniform_radix(parity.action, {radix, block});
    std::size_t loops = 0;
    for (std::size_t power = 1; power <= 81; power *= reach, ++loops) {
      const Word word = one_a_then_b(power + 1);
      Recogniser enough(with_loops(model, loops + 1));
      EXPECT_TRUE(agrees(enough, parity, word)) << radix << ' ' << block << ' ' << power;
      Recogniser fewer(with_loops(model, loops));
      EXPECT_FALSE(agrees(fewer, parity, word)) << radix << ' ' << block << ' ' << power;
      EXPECT_TRUE(agrees(fewer, parity, one_a_then_b(power)));
    }
  }
}

TEST(UniformRadixDepth, MoreBlocksThanNeededAreHarmless) {
  std::mt19937_64 random(laws::seed());
  for (const Language& language : {support::word_problem("A5"), support::tomita(4)}) {
    const Model model = compile_uniform_radix(language.action, {3, 3});
    for (const std::size_t loops : {2u, 3u, 4u})
      for (const std::size_t letters : {0u, 1u, 2u, 9u, 10u, 17u, 33u}) {
        Recogniser more(with_loops(model, loops));
        EXPECT_TRUE(agrees(more, language,
                           support::random_word(random, language.action.alphabet.size(), letters)))
            << loops;
      }
  }
}

TEST(UniformRadixDepth, IsKeptWhenUnrolled) {
  std::mt19937_64 random(laws::seed());
  const Language language = support::word_problem("S3");
  for (const std::uint64_t longest : {0u, 1u, 2u, 9u, 10u}) {
    CompileOptions options;
    options.unroll = longest;
    Recogniser recogniser(
        compile(regular_language_uniform_radix_MS25_cor4_2(language.action, "S3", {3, 3}), options)
            .model);
    EXPECT_EQ(recogniser.model().layers.size(), 2 + 3 * levels_to_reach(9, longest));
    for (std::size_t length = 0; length <= longest; ++length)
      EXPECT_TRUE(agrees(recogniser, language, support::random_word(random, 2, length)));
    EXPECT_FALSE(recogniser.ask(Word(longest + 1, 0)).accepts.has_value());
  }
}

TEST(UniformRadixDepth, IsZeroWhereNoPointCanMove) {
  const Language all = support::regex_language("(a|b)*", "ab");
  Recogniser recogniser(compile_uniform_radix(all.action, {3, 3, ScanTable::matrix}));
  EXPECT_EQ(recogniser.model().layers.size(), 0u);
  for (const std::size_t length : {0u, 1u, 20u})
    EXPECT_TRUE(agrees(recogniser, all, Word(length, 1)));
}

TEST(CeilingOfALogarithm, IsHowOftenOneHasToBeMultiplied) {
  for (const std::uint64_t base : {2u, 3u, 4u, 9u, 10u, 1000000u})
    for (std::uint64_t n = 0; n <= 1100; ++n)
      EXPECT_EQ(ceil_log(base, n), levels_to_reach(static_cast<unsigned>(base), n)) << base;
  for (std::uint64_t n = 0; n <= 1100; ++n) EXPECT_EQ(ceil_log(2, n), ceil_log2(n));
  const std::uint64_t largest = ~std::uint64_t{0};
  EXPECT_EQ(ceil_log(2, largest), 64u);
  EXPECT_EQ(ceil_log(3, largest), 41u);
  EXPECT_EQ(ceil_log(16, largest), 16u);
  EXPECT_EQ(ceil_log(largest, largest), 1u);
}

TEST(UniformRadixForecast, CountsTheUnitsOfBothTablesExactly) {
  for (const char* name : {"Z2", "flipflop", "S3", "T2"})
    for (const Sizes& sizes : {Sizes{2, 2, 2}, {2, 4, 8}, {3, 2, 3}, {3, 3, 9}})
      for (const UniformRadixForm& form : support::uniform_radix_forms(sizes.radix, sizes.block)) {
        const Action action = named_monoid(name);
        const ProductForecast forecast =
            forecast_uniform_radix(action, {form.radix, form.block, form.table});
        const std::size_t units = measure(compile_uniform_radix(action, form), 1).units;
        EXPECT_EQ(units, form.table == ScanTable::matrix ? forecast.matrix_units
                                                         : forecast.monoid_units.value())
            << name << ' ' << form.name();
      }
}

TEST(UniformRadixForecast, RefusesATableThatIsTooLargeWithBothFigures) {
  try {
    regular_language_uniform_radix_MS25_cor4_2(named_monoid("A5"), "A5", {9, 2});
    FAIL() << "not refused";
  } catch (const SizeLimit& limit) {
    const std::string said = limit.what();
    // Paths of nine steps among five points, nine times 25 components to clear, and 28 beside.
    EXPECT_NE(said.find(std::to_string(9765625 + 9 * 25 + 28)), std::string::npos) << said;
    EXPECT_NE(said.find("a smaller --radix"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(UniformRadixForecast, RefusesARadixOrABlockOutsideItsRange) {
  const Action action = named_monoid("Z2");
  for (const auto& [radix, block] : {std::pair{0u, 2u},
                                     {1u, 2u},
                                     {65u, 2u},
                                     {2u, 0u},
                                     {2u, 1u},
                                     {2u, 22u},
                                     {64u, 5u},
                                     {3u, 1000000000u}})
    EXPECT_THROW(forecast_uniform_radix(action, {radix, block}), InputError) << radix << block;
  EXPECT_EQ(reach_of_a_block({2, 21}), kMaxReach);
  EXPECT_EQ(reach_of_a_block({32, 5}), kMaxReach);
}

}  // namespace
}  // namespace logdepth::uniform_radix_depth_tests
