// The depth of the tree, counted on the weights: two layers a level, floor(log2 |w|) + 1 levels,
// and not one fewer.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/unrolling.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/tree_forms.hpp"
#include "tests/support/words.hpp"

namespace logdepth::tree_depth_tests {
namespace {

using support::compile_tree;
using support::Language;
using support::Recogniser;
using support::TreeForm;

/// So many loops and no final block: `loops` levels.
Model with_levels(Model model, std::size_t loops) {
  model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
  model.layers.resize(model.shape.initial + model.shape.repeated);
  model.shape.final = 0;
  return model;
}

/// The product of letters first, ..., end - 1.
Transformation product(const Action& action, const Word& word, std::size_t first, std::size_t end) {
  Transformation result = identity_transformation(action.points);
  for (std::size_t i = first; i < end; ++i) result = compose(result, action.generators[word[i]]);
  return result;
}

/// The products that the tokens hold, that of the end token last.
std::vector<Transformation> held(const Model& model, const Action& action, const Word& word) {
  Runner runner(model);
  const auto stream = runner.run_word(support::letter_names(action.alphabet, word));
  std::vector<Transformation> result;
  for (std::size_t token = 0; token <= word.size(); ++token)
    result.push_back(
        std::get<std::vector<std::uint32_t>>(runner.prefix(stream.value(), token).value()));
  return result;
}

TEST(TreeDepth, IsTwoLayersALevelAndTwoInitialOnes) {
  for (const TreeForm& form : support::tree_forms()) {
    const Model model = compile_tree(named_monoid("S3"), form);
    EXPECT_EQ(model.shape, (Shape{2, 2, 2}));
    EXPECT_EQ(depth_formula(model), "2 ceil(log2 n) + 4");
    for (const std::size_t letters : support::lengths_around_powers(40)) {
      const Measures m = measure(model, letters);
      EXPECT_EQ(m.loops, support::doublings_to_reach(letters)) << letters;
      EXPECT_EQ(m.depth, 2 * support::doublings_to_reach(letters) + 4) << letters;
    }
  }
}

TEST(TreeDepth, EveryTokenHoldsTheProductThatTheInvariantSays) {
  std::mt19937_64 random(laws::seed());
  const Action action = named_monoid("A5");
  const Model model = compile_tree(action);
  for (std::size_t levels = 0; levels <= 5; ++levels)
    for (const std::size_t length : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 13u, 16u, 17u, 31u, 32u, 33u}) {
      const Word word = support::random_word(random, action.alphabet.size(), length);
      const auto products = held(with_levels(model, levels), action, word);
      const std::size_t s = std::size_t{1} << levels;
      for (std::size_t token = 0; token < length; ++token) {
        const std::size_t n = token + 1, letters = n % s == 0 ? s : n % s;
        EXPECT_EQ(products[token], product(action, word, n - letters, n)) << levels << ' ' << token;
      }
      EXPECT_EQ(products[length], product(action, word, length - length % s, length))
          << levels << ' ' << length;
    }
}

TEST(TreeDepth, ThePapersLevelsWithoutTheFinalOneMissPowersOfTwoAndNothingElse) {
  std::mt19937_64 random(laws::seed());
  const Action action = named_monoid("A5");
  const Model model = compile_tree(action);
  const Transformation identity = identity_transformation(action.points);
  for (std::size_t length = 0; length <= 66; ++length) {
    const std::size_t paper = support::doublings_to_reach(length);
    const std::size_t fewer = paper > 0 ? length % (std::size_t{1} << (paper - 1)) : 0;
    // A word whose product is neither the identity nor that of its last letters alone.
    Word word;
    Transformation all, end;
    do {
      word = support::random_word(random, action.alphabet.size(), length);
      all = product(action, word, 0, length);
      end = product(action, word, length - fewer, length);
    } while (length > 0 && (all == identity || all == end));
    const auto products = held(with_levels(model, paper), action, word);
    const bool power = length > 0 && (length & (length - 1)) == 0;
    EXPECT_EQ(products[length], power ? identity : all) << length;
    // The letters have their prefix products at that depth already.
    for (std::size_t token = 0; token < length; ++token)
      EXPECT_EQ(products[token], product(action, word, 0, token + 1)) << length << ' ' << token;
    EXPECT_EQ(held(with_levels(model, paper + 1), action, word)[length], all) << length;
    if (paper > 0) {
      EXPECT_EQ(held(with_levels(model, paper - 1), action, word)[length], end) << length;
    }
  }
}

TEST(TreeDepth, MoreLevelsThanNeededAreHarmless) {
  std::mt19937_64 random(laws::seed());
  for (const Language& language :
       {support::word_problem("A5"), support::word_problem("flipflop"), support::tomita(4)}) {
    Model model = compile_tree(language.action);
    for (const std::size_t extra : {1u, 2u, 5u})
      for (const std::size_t letters : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 17u, 33u}) {
        model.unroll = {Unroll::Kind::fixed, 0,
                        static_cast<std::uint32_t>(support::doublings_to_reach(letters) + extra),
                        std::nullopt};
        Recogniser more(model);
        EXPECT_TRUE(agrees(more, language,
                           support::random_word(random, language.action.alphabet.size(), letters)))
            << extra;
      }
  }
}

TEST(TreeDepth, IsKeptWhenUnrolled) {
  std::mt19937_64 random(laws::seed());
  const Language language = support::word_problem("S3");
  for (const std::uint64_t longest : {0u, 1u, 2u, 4u, 9u}) {
    CompileOptions options;
    options.unroll = longest;
    Recogniser recogniser(
        compile(regular_language_tree_MS25_thm4_1(language.action, "S3"), options).model);
    EXPECT_EQ(recogniser.model().layers.size(), 2 * support::doublings_to_reach(longest) + 4);
    for (std::size_t length = 0; length <= longest; ++length)
      EXPECT_TRUE(agrees(recogniser, language, support::random_word(random, 2, length)));
    EXPECT_FALSE(recogniser.ask(Word(longest + 1, 0)).accepts.has_value());
  }
}

TEST(TreeForecast, CountsTheUnitsOfBothTablesExactly) {
  for (const char* name : {"Z2", "flipflop", "S3", "T2", "A5"})
    for (const TreeForm& form : support::tree_forms()) {
      const Action action = named_monoid(name);
      const ProductForecast forecast = forecast_tree(action, {form.table});
      const std::size_t units = measure(compile_tree(action, form), 1).units;
      EXPECT_EQ(units, form.table == ScanTable::matrix ? forecast.matrix_units
                                                       : forecast.monoid_units.value())
          << name << ' ' << form.name();
    }
}

TEST(TreeForecast, RefusesATableThatIsTooLargeWithBothFigures) {
  try {
    regular_language_tree_MS25_thm4_1(named_monoid("T5"), "T5", {ScanTable::monoid});
    FAIL() << "not refused";
  } catch (const SizeLimit& limit) {
    const std::string said = limit.what();
    // 3125 elements: two blocks of two tables, six units an element, and 44 beside.
    EXPECT_NE(said.find(std::to_string(4 * 3125 * 3125 + 12 * 3125 + 44)), std::string::npos)
        << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace logdepth::tree_depth_tests
