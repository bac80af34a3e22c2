// Depth and size of the constructions of products of letters, counted on the weights: as many layers as
// stated, and not one fewer; as many units as forecast.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "compiler/file/measure.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::word_construction_sizes_tests { namespace {

using support::By;
using support::compile_form;
using support::Language;
using support::levels_to_reach;
using support::Recogniser;
using support::WordForm;

constexpr std::uint64_t kLengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 64, 65, 1000};

/// A looped network: its loop makes the intervals `reach` times as long.
struct Looped {
  WordForm form;
  Shape shape;
  std::uint64_t reach;
  std::string formula;
  std::size_t layers(std::uint64_t letters) const {
    return shape.initial + shape.repeated * levels_to_reach(reach, letters) + shape.final;
  }
};

std::vector<Looped> looped() {
  std::vector<Looped> all;
  for (const WordForm& form : support::in_all_positions({.by = By::scan})) {
    const bool first_flag = form.positions == ScanPositions::first_flag;
    all.push_back({form, {first_flag, 1, 0}, 2, first_flag ? "ceil(log2 n) + 1" : "ceil(log2 n)"});
  }
  for (const WordForm& form : support::all_forms({.by = By::tree}))
    all.push_back({form, {2, 2, 2}, 2, "2 ceil(log2 n) + 4"});
  for (const auto& [radix, block, reach, logarithm] : {std::tuple{2u, 2u, 2u, "log2 n"},
                                                       {2u, 3u, 4u, "log_4 n"},
                                                       {3u, 2u, 3u, "log_3 n"},
                                                       {3u, 3u, 9u, "log_9 n"},
                                                       {4u, 2u, 4u, "log_4 n"},
                                                       {4u, 3u, 16u, "log_16 n"},
                                                       {8u, 2u, 8u, "log_8 n"},
                                                       {2u, 5u, 16u, "log_16 n"}}) {
    EXPECT_EQ(reach_of_a_block({radix, block}), reach);
    all.push_back({{.by = By::uniform_radix, .radix = radix, .block = block},
                   {2, block, 0},
                   reach,
                   std::to_string(block) + " ceil(" + logarithm + ") + 2"});
  }
  return all;
}

Model with_loops(Model model, std::size_t loops) {
  model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
  return model;
}

Language parity_of_a() {
  return support::regex_language("b*(ab*ab*)*", "ab");
}

/// a b b ... b: what is lost with the first letter shows in the parity of a.
Word one_a_then_b(std::size_t length) {
  Word word(length, 1);
  word[0] = 0;
  return word;
}

TEST(LoopedConstructions, HaveALoopForEachFactorOfTheLengthBesideTheLayersOfTheirShape) {
  for (const Looped& one : looped()) {
    const Model model = compile_form(parity_of_a().action, one.form);
    EXPECT_EQ(model.shape, one.shape) << one.form.name();
    EXPECT_EQ(model.unroll.max_length, std::nullopt);
    EXPECT_EQ(depth_formula(model), one.formula);
    for (const std::size_t letters : support::lengths_around_powers(40)) {
      const Measures m = measure(model, letters);
      EXPECT_EQ(m.loops, levels_to_reach(one.reach, letters)) << letters;
      EXPECT_EQ(m.depth, one.layers(letters)) << letters;
    }
    if (one.form.by != By::uniform_radix) continue;
    std::size_t heads = 0;
    for (const Layer& layer : model.layers)
      if (layer.block == Block::repeated) {
        EXPECT_TRUE(layer.attention.heads.size() == one.form.radix - 1 ||
                    &layer == &model.layers.back());
        heads += layer.attention.heads.size();
      }
    EXPECT_EQ(heads, (one.form.radix - 1) * (one.form.block - 1));
  }
}

/// The verdict is wrong and every prefix is right, but for that of the last letter.
void expect_forgets_the_first_letter(Model model, std::size_t power, const std::string& name) {
  const Language parity = parity_of_a();
  const Word word = one_a_then_b(power + 1);
  Recogniser fewer(std::move(model));
  const support::Answer answer = fewer.ask(word);
  ASSERT_TRUE(answer.accepts.has_value());
  EXPECT_NE(*answer.accepts, parity.member(word)) << name << ", " << power;
  const auto expected = support::products(parity.action, word);
  for (std::size_t i = 0; i < power; ++i) EXPECT_EQ(answer.prefixes[i], expected[i]) << name;
  EXPECT_NE(answer.prefixes[power], expected[power]) << name << ", " << power;
}

TEST(LoopedConstructions, WithOneLoopFewerForgetTheFirstLetterJustBeyondEveryPower) {
  for (const Looped& one : looped()) {
    if (one.form.by == By::tree) continue;  // below: it has a final block
    const Model model = compile_form(parity_of_a().action, one.form);
    std::size_t loops = 0;
    for (std::size_t power = 1; power <= 128; power *= one.reach, ++loops) {
      Recogniser enough(with_loops(model, loops + 1));
      EXPECT_TRUE(agrees(enough, parity_of_a(), one_a_then_b(power + 1))) << one.form.name();
      expect_forgets_the_first_letter(with_loops(model, loops), power, one.form.name());
    }
  }
}

TEST(LoopedConstructions, AreNotHarmedByMoreLoopsThanNeeded) {
  std::mt19937_64 random(laws::seed());
  for (const Looped& one : looped()) {
    if (one.form.radix > 3 || one.form.block > 3) continue;
    for (const Language& language :
         {support::word_problem("A5"), support::word_problem("flipflop"), support::tomita(4)}) {
      if (support::forecast_of(language.action, one.form).units() > 4000) continue;
      const Model model = compile_form(language.action, one.form);
      for (const std::size_t extra : {1u, 2u, 5u})
        for (const std::size_t letters : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 17u, 33u}) {
          Recogniser more(with_loops(model, levels_to_reach(one.reach, letters) + extra));
          EXPECT_TRUE(
              agrees(more, language,
                     support::random_word(random, language.action.alphabet.size(), letters)))
              << one.form.name() << ", " << extra;
        }
    }
  }
}

TEST(LoopedConstructions, UnrolledAreRightUpToTheirLengthInAsManyLayersAndRefuseBeyond) {
  std::mt19937_64 random(laws::seed());
  const Language language = support::word_problem("S3");
  for (const Looped& one : looped())
    for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 31u, 33u, 1024u}) {
      WordForm form = one.form;
      if (form.radix > 3 || form.block > 3) continue;
      if (form.by != By::tree && size % 2 == 1) form.norm = Norm::layernorm;
      form.unroll = size;
      Recogniser unrolled(compile_form(language.action, form));
      const Model& model = unrolled.model();
      EXPECT_EQ(model.layers.size(), one.layers(size)) << form.name();
      EXPECT_EQ(model.shape.repeated, 0u);
      EXPECT_EQ(model.unroll.max_length, size);
      for (const std::size_t letters : {std::size_t{0}, size / 2, size})
        EXPECT_EQ(measure(model, letters).depth, one.layers(size));
      for (std::size_t length = 0; length <= std::min<std::size_t>(size, 40); ++length)
        EXPECT_TRUE(agrees(unrolled, language, support::random_word(random, 2, length)));
      for (const std::size_t beyond : {size + 1, 2 * size + 2}) {
        const auto stream = unrolled.runner().run_word(
            support::letter_names(language.action.alphabet, Word(beyond, 0)));
        ASSERT_FALSE(stream.has_value()) << form.name();
        EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
      }
    }
}

// --- the tree, level by level --------------------------------------------------------------------

/// So many loops and no final block: `loops` levels.
Model with_levels(Model model, std::size_t loops) {
  model = with_loops(std::move(model), loops);
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

TEST(TreeDepth, EveryTokenHoldsTheProductThatTheInvariantSays) {
  std::mt19937_64 random(laws::seed());
  const Action action = named_monoid("A5");
  const Model model = compile_form(action, {.by = By::tree});
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
  const Model model = compile_form(action, {.by = By::tree});
  const Transformation identity = identity_transformation(action.points);
  for (std::size_t length = 0; length <= 66; ++length) {
    const std::size_t paper = levels_to_reach(2, length);
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

// --- the radix for a given length: ceil(log_k T) -------------------------------------------------

TEST(RadixDepth, IsTheCeilingOfTheLogarithmToTheRadixAndOneMoreForTheFirstFlag) {
  for (const unsigned radix : {2u, 3u, 4u, 5u, 64u})
    for (const std::uint64_t size : kLengths)
      for (WordForm form :
           support::in_all_positions({.by = By::radix, .radix = radix, .max_length = size})) {
        if (radix == 64) form.table = ScanTable::matrix;
        const Model model = compile_form(support::regex_language("a*", "ab").action, form);
        const std::size_t claimed =
            levels_to_reach(radix, size) + (form.positions == ScanPositions::first_flag ? 1 : 0);
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
  for (const unsigned radix : {2u, 3u, 4u})
    for (std::uint64_t power = 1; power <= 64; power *= radix)
      for (const WordForm& form :
           support::in_all_positions({.by = By::radix, .radix = radix, .max_length = power + 1})) {
        Model model = compile_form(parity_of_a().action, form);
        Recogniser enough(model);
        EXPECT_TRUE(agrees(enough, parity_of_a(), one_a_then_b(power + 1))) << form.name();
        model.layers.pop_back();
        --model.shape.initial;
        expect_forgets_the_first_letter(std::move(model), power, form.name());
      }
}

TEST(RadixDepth, OneHeadFewerInTheLastLayerIsWrongAtThePromisedLength) {
  const Language parity = parity_of_a();
  // In the last layer c heads reach (c + 1) 3^2 letters: T is one more than c heads fewer one
  // reach.
  for (const std::uint64_t heads : {1u, 2u}) {
    const std::uint64_t size = heads * 9 + 1;
    Model model = compile_form(parity.action, {.by = By::radix, .radix = 3, .max_length = size});
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
      const Model model =
          compile_form(named_monoid("Z2"), {.by = By::radix, .radix = radix, .max_length = size});
      std::size_t heads = 0;
      for (const Layer& layer : model.layers) heads += layer.attention.heads.size();
      EXPECT_EQ(heads, all.size());
    }
}

TEST(Radix, RefusesLongerWords) {
  const Language language = support::word_problem("S3");
  for (const unsigned radix : {2u, 3u, 5u})
    for (const std::uint64_t size : {0u, 1u, 2u, 5u, 9u, 28u})
      for (const WordForm& form :
           support::in_all_positions({.by = By::radix, .radix = radix, .max_length = size})) {
        Recogniser recogniser(compile_form(language.action, form));
        EXPECT_TRUE(recogniser.ask(Word(size, 0)).accepts.has_value());
        for (const std::uint64_t beyond : {size + 1, 2 * size + 2}) {
          const auto stream = recogniser.runner().run_word(
              support::letter_names(language.action.alphabet, Word(beyond, 0)));
          ASSERT_FALSE(stream.has_value()) << form.name();
          EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
        }
      }
}

TEST(CeilingOfALogarithm, IsHowOftenOneHasToBeMultiplied) {
  for (const std::uint64_t base : {2u, 3u, 4u, 9u, 10u, 1000000u})
    for (std::uint64_t n = 0; n <= 1100; ++n)
      EXPECT_EQ(ceil_log(base, n), levels_to_reach(base, n)) << base;
  for (std::uint64_t n = 0; n <= 1100; ++n) EXPECT_EQ(ceil_log(2, n), ceil_log2(n));
  const std::uint64_t largest = ~std::uint64_t{0};
  EXPECT_EQ(ceil_log(2, largest), 64u);
  EXPECT_EQ(ceil_log(3, largest), 41u);
  EXPECT_EQ(ceil_log(16, largest), 16u);
  EXPECT_EQ(ceil_log(largest, largest), 1u);
}

TEST(ConstantLanguages, HaveNoProductsWhereNoPointCanMove) {
  const Language all = support::regex_language("(a|b)*", "ab");
  std::vector<WordForm> forms =
      support::in_all_positions({.by = By::radix, .radix = 3, .max_length = 20});
  forms.push_back({.by = By::uniform_radix, .radix = 3, .block = 3});
  for (WordForm& form : forms) {
    form.table = ScanTable::matrix;
    Recogniser recogniser(compile_form(all.action, form));
    EXPECT_EQ(recogniser.model().layers.size(),
              form.positions == ScanPositions::first_flag ? 1u : 0u);
    for (const std::size_t length : {0u, 1u, 20u})
      EXPECT_TRUE(agrees(recogniser, all, Word(length, 1)));
  }
}

// --- the tables ----------------------------------------------------------------------------------

TEST(Forecasts, CountTheUnitsOfBothTablesExactly) {
  std::vector<WordForm> sizes = {{.by = By::scan}, {.by = By::tree}};
  for (const unsigned radix : {2u, 3u, 4u})
    for (const std::uint64_t size : {1u, 2u, 5u, 17u, 65u})
      sizes.push_back({.by = By::radix, .radix = radix, .max_length = size});
  for (const auto& [radix, block] : {std::pair{2u, 2u}, {2u, 4u}, {3u, 2u}, {3u, 3u}})
    sizes.push_back({.by = By::uniform_radix, .radix = radix, .block = block});
  for (const char* name : {"Z2", "flipflop", "S3", "T2", "A5"})
    for (const WordForm& size : sizes)
      for (const WordForm& form : support::all_forms(size)) {
        const Action action = named_monoid(name);
        const ProductForecast forecast = support::forecast_of(action, form);
        const std::size_t units =
            form.table == ScanTable::matrix ? forecast.matrix_units : forecast.monoid_units.value();
        if (name == std::string("A5") && units > 20000) continue;
        ASSERT_FALSE(forecast.refusal.has_value());
        const std::size_t built = measure(compile_form(action, form), 1).units;
        // The initial layer of a scan with the first-flag, where the forecast counts the table's layer only.
        const bool more = form.by == By::scan && form.positions == ScanPositions::first_flag;
        EXPECT_GE(built, units) << name << ' ' << form.name();
        EXPECT_LE(built, units + (more ? 16 : 0)) << name << ' ' << form.name();
      }
}

TEST(Forecasts, OfARadixOfFourOnA5SayWhatFourFactorsCost) {
  // Paths of four steps among five points, four times 25 components to clear, in two layers.
  const ProductForecast matrix = forecast_radix(named_monoid("A5"), {4, 16});
  EXPECT_EQ(matrix.matrix_units, 2u * (5 * 5 * 5 * 5 * 5 + 4 * 25));
  EXPECT_EQ(matrix.monoid_units, 2u * (60u * 60 * 60 * 60 + 4 * 60));
  EXPECT_EQ(matrix.chosen, ScanTable::matrix);
}

TEST(Tables, ThatAreTooLargeAreRefusedWithBothFigures) {
  struct Refused {
    WordForm form;
    Action action;
    std::vector<ScanTable> tables;
    std::vector<std::string> said;
  };
  const std::vector<ScanTable> any = {ScanTable::automatic, ScanTable::matrix, ScanTable::monoid};
  const Language tenth = support::regex_language("(a|b)*a(a|b){9}", "ab");
  ASSERT_EQ(tenth.action.points, 1024u);
  for (
      const Refused& refused : std::vector<Refused>{
          // The last ten letters decide: 2^10 - 1 shorter words and 2^10 longest ones act differently.
          {{.by = By::scan},
           tenth.action,
           any,
           {std::to_string(1024u * 1024 * 1024 + 2 * 1024 * 1024 + 16),
            std::to_string(2047u * 2047 + 2 * 2047 + 16), "2047 elements", "try"}},
          // 3125 elements: two blocks of two tables, six units an element, and 44 beside.
          {{.by = By::tree},
           named_monoid("T5"),
           {ScanTable::monoid},
           {std::to_string(4 * 3125 * 3125 + 12 * 3125 + 44)}},
          {{.by = By::radix, .radix = 8, .max_length = 64},
           named_monoid("A5"),
           any,
           {std::to_string(2 * (1953125 + 200)), std::to_string(2 * (167961600000000 + 480)),
            "a smaller --radix"}},
          // Paths of nine steps among five points, nine times 25 components to clear, and 28 beside.
          {{.by = By::uniform_radix, .radix = 9},
           named_monoid("A5"),
           {ScanTable::automatic},
           {std::to_string(9765625 + 9 * 25 + 28), "a smaller --radix"}}})
    for (const ScanTable table : refused.tables) {
      WordForm form = refused.form;
      form.table = table;
      const std::string said =
          support::refusal<SizeLimit>([&] { program_of(refused.action, form, "refused"); });
      for (const std::string& part : refused.said)
        EXPECT_NE(said.find(part), std::string::npos) << form.name() << ": " << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
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

TEST(RadixForecast, RefusesARadixALengthOrABlockOutsideItsRange) {
  const Action action = named_monoid("Z2");
  for (const unsigned radix : {0u, 1u, kMaxRadix + 1})
    EXPECT_THROW(regular_language_radix_MS25_cor4_2(action, "Z2", {radix, 4}), InputError);
  EXPECT_THROW(regular_language_radix_MS25_cor4_2(action, "Z2", {2, std::uint64_t{1} << 32}),
               SizeLimit);
  EXPECT_EQ(radix_shifts({2, (std::uint64_t{1} << 32) - 1}).size(), 32u);
  EXPECT_NO_THROW(
      regular_language_radix_MS25_cor4_2(action, "Z2", {2, (std::uint64_t{1} << 32) - 1}));
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

TEST(ScanTables, AutomaticTakesTheSmallerAndSaysSo) {
  std::size_t monoids = 0, matrices = 0;
  for (const char* name : {"A5", "Z60", "S3", "Z2", "flipflop", "V4", "T3", "Z6", "A4_x_Z5"}) {
    const Action action = named_monoid(name);
    const auto monoid = enumerate_monoid(action.generators, action.points, 1000);
    ASSERT_TRUE(monoid.has_value());
    const Model chosen = compile_form(action);
    const std::size_t units = measure(chosen, 1).units;
    const ProductForecast forecast = support::forecast_of(action, {});
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
  Recogniser recogniser(compile_form(a5.action, {.table = ScanTable::monoid}));
  EXPECT_EQ(measure(recogniser.model(), 1).units, 60u * 60 + 2 * 60 + 16);
  std::mt19937_64 random(laws::seed());
  for (const std::size_t letters : {0u, 1u, 2u, 17u, 65u})
    EXPECT_TRUE(agrees(recogniser, a5, support::random_word(random, 2, letters)));
}

// --- the weights of a scan -----------------------------------------------------------------------

TEST(ScanWeights, OfA5AreSmall) {
  const Measures m = measure(compile_form(support::word_problem("A5").action), 1024);
  EXPECT_LE(m.units, 210u);
  EXPECT_LE(m.cells, 75u);
  EXPECT_LE(m.nonzeros, 5000u);
  EXPECT_EQ(m.heads, 1u);
  EXPECT_EQ(m.depth, 10u);
  EXPECT_LE(m.numerator_bits, 32u);
  EXPECT_LE(m.denominator_bits, 32u);
}

TEST(ScanWeights, HaveTheDimensionsOfTheDefinitionWhenStrict) {
  for (WordForm form : support::all_forms({.by = By::scan}))
    for (const auto unroll : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(9)}) {
      form.strict = true;
      form.unroll = unroll;
      const Model model = compile_form(named_monoid("S3"), form);
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
  for (const WordForm& form : support::all_forms({.by = By::scan})) {
    const Model model = compile_form(named_monoid("S3"), form);
    const std::uint32_t square = form.norm == Norm::rms ? model.width : model.width / 2;
    std::uint32_t root = 0;
    while (root * root < square) ++root;
    EXPECT_EQ(root * root, square) << form.name();
    EXPECT_LE(model.width, measure(model, 1).strict_width) << form.name();
  }
}

}}  // namespace logdepth::word_construction_sizes_tests
