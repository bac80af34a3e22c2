// What a float run decides, and what it says of its decisions: scores and numbers that its bounds
// cannot tell apart, facts that are not true, other rules than bounds, softmax, and numbers beyond
// the range of a format.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/power_of_two.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::float_decisions_tests { namespace {

using Engine = FloatOptions::Engine;
using Rule = FloatOptions::Rule;

FloatOptions arithmetic(Engine engine, std::uint32_t bits = 53) {
  FloatOptions options;
  options.engine = engine;
  options.bits = bits;
  return options;
}

/// Every token is given x and v and reads z = 2 (x, v)/|(x, v)|. One head scores z_x of the key by
/// the sign of x of the query and adds z_v of the selected token to a cell, which is read: accept
/// where it is positive.
Model two_keys_model() {
  Model m;
  m.name = "two keys";
  m.width = 4;
  m.input = CellsInput{{"x", "v"}, false};
  m.unroll.kind = Unroll::Kind::fixed;
  m.position = FirstFlagPosition{};
  m.output = AcceptOutput{};
  m.unembedding = {2, 4, {{0, 3, 1}, {1, 3, -1}}};
  m.shape = {1, 0, 0};
  Layer layer;
  layer.block = Block::initial;
  layer.attention.mask = {{0, 1}, {1, 1}};
  const SparseMatrix x{1, 4, {{0, 0, 1}}}, v{1, 4, {{0, 1, 1}}}, out{4, 1, {{3, 0, 1}}};
  layer.attention.heads = {{true, x, x, v, out, MatchContract{false}}};
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  m.layers = {layer};
  EXPECT_EQ(first_violation(m), "");
  return m;
}

Tokens two_cells(const std::vector<std::pair<Rational, Rational>>& rows) {
  std::vector<std::vector<Real>> tokens;
  for (const auto& [x, v] : rows) tokens.push_back({Real(x), Real(v)});
  return cells_tokens(tokens);
}

// The first two scores differ by 2^-k or so, and the values are +1 and -1 or so.
TEST(FloatDecisions, OfNearScoresAreCertifiedWhereTheFormatTellsThemApartAndElseAmbiguous) {
  const Model model = two_keys_model();
  const PrecisionFacts facts = no_facts(model);
  // Bounds are calculated in double, so that those of products are never much better than 2^-50.
  struct Format {
    FloatOptions options;
    int certain, hopeless;  ///< differences of 2^-certain are seen, those of 2^-hopeless are not
  };
  for (const auto& [options, certain, hopeless] :
       {Format{arithmetic(Engine::float32), 15, 26}, Format{arithmetic(Engine::float64), 44, 55},
        Format{arithmetic(Engine::mpfr, 8), 0, 10}, Format{arithmetic(Engine::mpfr, 90), 44, 92}}) {
    Runner exact(model);
    FloatRunner floats(model, facts, options);
    for (int k = 1; k < 100; ++k)
      for (const int sign : {1, -1}) {
        const Rational near = Rational(1) + Rational(sign) * power_of_two(-k);
        const Tokens tokens = two_cells({{1, 1}, {near, -1}, {Rational(1, 4), 1}});
        const bool expected = exact.accepts(exact.run(tokens).value(), 2).value();
        EXPECT_EQ(expected, sign < 0);
        const FloatStream stream = floats.run(tokens).value();
        const auto answer = floats.accepts(stream, 2);
        const bool certified =
            answer.has_value() && answer.value().certificate == Certificate::certified;
        if (certified) {
          EXPECT_EQ(answer.value().value, expected) << k;
        } else if (answer.has_value()) {
          EXPECT_EQ(answer.value().certificate, Certificate::ambiguous);
          EXPECT_NE(answer.value().reason.find("rows of attention"), std::string::npos);
          EXPECT_GT(floats.statistics().ambiguous, 0u);
        }
        if (k <= certain) {
          EXPECT_TRUE(certified) << k;
        }
        if (k >= hopeless) {
          EXPECT_FALSE(certified) << k;
        }
        EXPECT_FALSE(first_float_difference(model, facts, options, tokens).value());
      }
  }
}

/// Two keys that tie, with the values 1 and -1 or so, and one whose score is a third smaller.
Tokens tie_and_another() {
  return two_cells({{1, 1}, {1, -1}, {Rational(1, 2), 1}});
}

TEST(FloatDecisions, TieWhereTheGapIsLargerThanTheBoundsAndNothingContradictsIt) {
  const Model model = two_keys_model();
  for (const Engine engine : {Engine::float64, Engine::float32}) {
    PrecisionFacts facts = no_facts(model);
    // One key of its own, two that tie, and the third row again.
    const auto states = [&](const Rational& gap) {
      facts.layers[0].heads[0].gap = SeparationLaw{gap, 0};
      FloatRunner floats(model, facts, arithmetic(engine));
      EXPECT_TRUE(floats.run(tie_and_another()).has_value());
      const FloatStatistics& s = floats.statistics();
      EXPECT_EQ(s.rows, 3u);
      EXPECT_EQ(s.single, 1u);
      return std::vector<std::uint64_t>{s.ties, s.alike, s.ambiguous};
    };
    using States = std::vector<std::uint64_t>;
    EXPECT_EQ(states(Rational(1, 1000000000)),
              engine == Engine::float64 ? (States{2, 0, 0}) : (States{0, 0, 2}));
    EXPECT_EQ(states(Rational(1, 1000)), (States{2, 0, 0}));
    // The third score is nearer than that, and not the largest: the third row does not believe it.
    EXPECT_EQ(states(Rational(5)), (States{1, 0, 1}));
  }
}

TEST(FloatDecisions, OfARowThatContradictsItsGapAreNotCertified) {
  const Model model = two_keys_model();
  // Values 1/sqrt 2 and -1/2 or so: the average of both is not what the exact run selects.
  const Tokens tokens = two_cells({{1, 1}, {Rational(4097, 4096), -1}, {Rational(1, 2), 1}});
  PrecisionFacts facts = no_facts(model);
  for (const std::uint32_t bits : {8, 9, 10}) {
    facts.layers[0].heads[0].gap = SeparationLaw{8, 0};
    FloatRunner floats(model, facts, arithmetic(Engine::mpfr, bits));
    const FloatStream stream = floats.run(tokens).value();
    const auto answer = floats.accepts(stream, 2);
    if (answer.has_value()) {
      EXPECT_EQ(answer.value().certificate, Certificate::ambiguous);
    }
    EXPECT_GT(floats.statistics().ambiguous, 0u);
  }
}

// --- softmax -------------------------------------------------------------------------------------

TEST(FloatDecisions, BySoftmaxApproachTheHardOnesAndAreNeverCertified) {
  const Model model = two_keys_model();
  const PrecisionFacts facts = no_facts(model);
  const Tokens tokens = two_cells({{1, 1}, {Rational(5, 4), -1}, {Rational(1, 4), 1}});
  for (const Engine engine : {Engine::float64, Engine::float32, Engine::mpfr}) {
    FloatRunner hard(model, facts, arithmetic(engine));
    const double selected = hard.run(tokens).value().at(2, 3).value;
    EXPECT_LT(selected, -1);
    double before = 10;
    for (const double temperature : {0.001, 0.1, 1.0, 4.0, 16.0, 64.0, 1000.0, 1e6}) {
      FloatOptions options = arithmetic(engine);
      options.temperature = temperature;
      FloatRunner floats(model, facts, options);
      const FloatStream stream = floats.run(tokens).value();
      const double distance = stream.at(2, 3).value - selected;
      EXPECT_LE(distance, before) << temperature;
      before = distance;
      if (temperature < 0.01) {
        // The average of the three: they are 1.41, -1.25 and 1.94.
        EXPECT_NEAR(stream.at(2, 3).value, 0.7, 0.01);
      }
      const auto answer = floats.accepts(stream, 2);
      ASSERT_TRUE(answer.has_value());
      EXPECT_EQ(answer.value().certificate, Certificate::uncertified);
      EXPECT_NE(answer.value().reason.find("softmax"), std::string::npos);
      EXPECT_EQ(answer.value().value, temperature < 8) << temperature;
      EXPECT_EQ(floats.numbers(stream, 2).certificate, Certificate::uncertified);
    }
    EXPECT_NEAR(before, 0, 1e-6);
  }
}

TEST(FloatDecisions, BySoftmaxOfAScanNeedALargeTemperature) {
  const Compiled compiled = compile(regular_language_scan_MS25_thm4_1(
      named_monoid("S3"), "S3", {ScanPositions::two_circle, ScanTable::matrix}));
  const Model& model = compiled.model;
  const PrecisionFacts& facts = compiled.facts;
  std::vector<std::string> letters;
  for (int i = 0; i < 40; ++i) letters.emplace_back(i * i % 7 < 3 ? "a" : "b");
  const Tokens tokens = tokens_of(model, letters).value();
  Runner exact(model);
  const auto expected = exact.run(tokens);
  const auto wrong = [&](double temperature) {
    FloatOptions options = arithmetic(Engine::float64);
    options.temperature = temperature;
    FloatRunner floats(model, facts, options);
    const FloatStream stream = floats.run(tokens).value();
    std::size_t count = 0;
    for (std::size_t token = 1; token < stream.tokens; ++token) {
      const auto got = floats.prefix(stream, token);
      if (got.has_value()) {
        EXPECT_EQ(got.value().certificate, Certificate::uncertified);
      }
      count +=
          !got.has_value() || got.value().value != exact.prefix(expected.value(), token).value();
    }
    return count;
  };
  EXPECT_GT(wrong(1), 20u);
  EXPECT_EQ(wrong(1e7), 0u);
}

// --- other rules ---------------------------------------------------------------------------------

/// How many quotients and remainders of one division are wrong when read as the nearest integer.
std::size_t wrong_divisions(const Model& model, const PrecisionFacts& facts,
                            const FloatOptions& options, const DivisionInput& input) {
  FloatRunner floats(model, facts, options);
  const FloatStream stream =
      floats.run(tokens_of(model, division_rows(model, input)).value()).value();
  const DivisionFile file = division_file(model);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < input.dividends.size(); ++i) {
    const auto numbers = floats.numbers(stream, i);
    EXPECT_EQ(numbers.certificate == Certificate::certified, options.rule == Rule::bounded);
    const auto read = [&](std::size_t k) {
      return numbers.value[file.rows[k]].value / numbers.value[file.rows[k + 1]].value;
    };
    const auto is = [&](double number, std::uint64_t right) {
      return std::fabs(number - static_cast<double>(right)) < 0.5;
    };
    wrong += !is(read(0), input.dividends[i] / input.divisor) ||
             !is(read(2), input.dividends[i] % input.divisor);
  }
  return wrong;
}

// The construction asks whether a difference of two averages is zero, and they are computed in two
// ways: without a tolerance the answer is a matter of luck.
TEST(FloatDecisions, WithoutAToleranceForZeroAreWrongInDivision) {
  const Compiled compiled = compile(division_MS25_lem3_1());
  const Model& model = compiled.model;
  const PrecisionFacts& facts = compiled.facts;
  std::size_t plain = 0;
  for (const std::uint64_t divisor : {2, 3, 5, 7, 11, 49}) {
    DivisionInput input{divisor, {}};
    for (std::uint64_t i = 0; i < 100; ++i) input.dividends.push_back(i);
    FloatOptions options = arithmetic(Engine::float64);
    EXPECT_EQ(wrong_divisions(model, facts, options, input), 0u);
    options.rule = Rule::snapped;
    options.tolerance = 1e-10;
    EXPECT_EQ(wrong_divisions(model, facts, options, input), 0u);
    options.rule = Rule::plain;
    plain += wrong_divisions(model, facts, options, input);
  }
  std::cout << plain << " of 600 wrong without a tolerance\n";
  EXPECT_GT(plain, 0u);
}

TEST(FloatDecisions, ByEqualNumbersSelectTheLargestScoreAndItsTies) {
  const Model model = two_keys_model();
  const PrecisionFacts facts = no_facts(model);
  for (const Engine engine : {Engine::float64, Engine::float32, Engine::mpfr}) {
    FloatOptions options = arithmetic(engine, 24);
    options.rule = Rule::plain;
    FloatRunner floats(model, facts, options);
    const FloatStream stream = floats.run(tie_and_another()).value();
    EXPECT_GT(stream.at(0, 3).value, 1);
    EXPECT_EQ(stream.at(1, 3).value, 0);  // of 1.41 and -1.41
    EXPECT_EQ(floats.statistics().single, 1u);
    EXPECT_EQ(floats.statistics().ties, 2u);
    EXPECT_EQ(floats.accepts(stream, 0).value().certificate, Certificate::uncertified);
  }
}

// |(x, v)| = 1, so z = 2 (x, v), and with that fact known linear pairs of units are taken out.
// ReLU(z) + ReLU(-z) = |z| is not one.
TEST(FloatDecisions, OfAKnownNormFoldNoPairOfUnitsThatIsNotLinear) {
  Model model = two_keys_model();
  Layer& layer = model.layers[0];
  layer.attention.heads.clear();
  layer.feedforward.mask = {{0, 1}, {1, 1}};
  layer.feedforward.in = {4, 4, {{0, 0, 1}, {1, 0, -1}, {2, 1, 1}, {3, 1, -1}}};
  layer.feedforward.out = {4, 4, {{2, 2, 3}, {2, 3, -3}, {3, 0, 1}, {3, 1, 1}}};
  ASSERT_EQ(first_violation(model), "");
  PrecisionFacts facts = no_facts(model);
  facts.layers[0].feedforward.scale = Rational(2);
  const Rational three(3, 5), four(4, 5);
  const Tokens tokens = two_cells({{three, four}, {-three, four}, {four, -three}});
  for (const Engine engine : {Engine::float64, Engine::float32, Engine::mpfr}) {
    EXPECT_FALSE(first_float_difference(model, facts, arithmetic(engine, 24), tokens).value());
    FloatRunner floats(model, facts, arithmetic(engine, 24));
    const FloatStream stream = floats.run(tokens).value();
    EXPECT_NEAR(stream.at(0, 3).value, 1.2, 1e-6);
    EXPECT_NEAR(stream.at(1, 3).value, 1.2, 1e-6);
    EXPECT_NEAR(stream.at(2, 2).value, -3.6, 1e-6);
  }
}

// --- refusals ------------------------------------------------------------------------------------

std::string refusal(const FloatOptions& options) {
  const Model model = two_keys_model();
  return support::refusal([&] { FloatRunner(model, no_facts(model), options); });
}

TEST(FloatDecisions, AreRefusedForBitsOutOfRangeAndDevicesThatAreNotThere) {
  for (const std::uint32_t bits : {0u, 1u, 501u, 4000000000u})
    EXPECT_EQ(refusal(arithmetic(Engine::mpfr, bits)),
              "--engine: expected mpfr:2 to mpfr:500, found mpfr:" + std::to_string(bits));
  for (const std::uint32_t bits : {2, 500})
    EXPECT_EQ(refusal(arithmetic(Engine::mpfr, bits)), "accepted");
  FloatOptions options = arithmetic(Engine::mpfr);
  options.device = FloatOptions::Device::cuda;
  if (!built_with_cuda()) {
    EXPECT_EQ(cuda_devices(), 0);
    EXPECT_EQ(refusal(options),
              "--device cuda: this logdepth was built without CUDA; build it with "
              "-DLOGDEPTH_CUDA=ON, where nvcc is "
              "installed");
  } else {
    EXPECT_EQ(refusal(options), "--device cuda: the mpfr engine runs on the CPU only");
  }
  options.engine = Engine::float64;
  if (cuda_devices() == 0) {
    EXPECT_NE(refusal(options).find("--device cuda: "), std::string::npos);
  }
}

TEST(FloatDecisions, AreRefusedForTheInputsThatAnExactRunRefuses) {
  const Model model = two_keys_model();
  const PrecisionFacts facts = no_facts(model);
  FloatRunner floats(model, facts, arithmetic(Engine::float64));
  Runner exact(model);
  const auto got = floats.run(cells_tokens({}));
  const auto expected = exact.run(cells_tokens({}));
  ASSERT_FALSE(got.has_value() || expected.has_value());
  EXPECT_EQ(describe(got.refusal()), describe(expected.refusal()));
}

// --- the range of a format -----------------------------------------------------------------------

// Neither overflow nor underflow is an excuse: the bounds say how little is known then.
TEST(FloatDecisions, BeyondTheRangeOfTheFormatAreNotCertifiedWrong) {
  const Model model = two_keys_model();
  const PrecisionFacts facts = no_facts(model);
  std::size_t certified = 0;
  for (const int exponent : {1030, 600, 300,  200,  128,  100,  64,   40,   -20,   -40,
                             -64,  -75, -100, -140, -160, -300, -520, -600, -1060, -1100})
    for (const int difference : {0, 1, 30}) {
      const Rational size = power_of_two(exponent), other = size * power_of_two(-difference);
      for (const Tokens& tokens :
           {two_cells({{size, other}, {other, -size}, {size, size * Rational(-1, 2)}}),
            two_cells({{1, size}, {1, -size}, {other, 1}}),
            two_cells({{-size, 1}, {size * Rational(2, 3), -1}, {other, 1}}),
            two_cells({{-1, size}, {1, other}, {1, -size}})}) {
        Runner exact(model);
        const auto expected = exact.run(tokens);
        for (const Engine engine : {Engine::float32, Engine::float64, Engine::mpfr}) {
          FloatRunner floats(model, facts, arithmetic(engine, 24));
          const FloatStream stream = floats.run(tokens).value();
          for (std::size_t token = 0; token < 3; ++token) {
            const auto right = exact.accepts(expected.value(), token);
            const auto got = floats.accepts(stream, token);
            if (!got.has_value() || got.value().certificate != Certificate::certified) continue;
            ++certified;
            EXPECT_TRUE(right.has_value() && right.value() == got.value().value)
                << "2^" << exponent << ", 2^" << difference << ", token " << token << ", engine "
                << static_cast<int>(engine);
          }
          const auto difference_found =
              first_float_difference(model, facts, arithmetic(engine, 24), tokens).value();
          if (difference_found) {
            ADD_FAILURE() << "2^" << exponent << ", 2^" << difference << ", engine "
                          << static_cast<int>(engine) << ", token " << difference_found->token
                          << ": expected " << difference_found->expected << ", found "
                          << difference_found->found;
          }
        }
      }
    }
  std::cout << certified << " certified\n";
  EXPECT_GT(certified, 500u);
}

}}  // namespace logdepth::float_decisions_tests
