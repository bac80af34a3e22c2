// Runs over nested radicals against the definition in 714 bits, against certified runs in MPFR, and,
// where no norm leaves the field, against exact ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/nested_ties.hpp"
#include "tests/support/plain_forward.hpp"
#include "tests/support/random_transformers.hpp"
#include "tests/support/wide_forward.hpp"

namespace logdepth::nested_runs_tests {
namespace {

using laws::Wide;

/// Whether the number may be this one, up to what 714 bits lose.
bool within(const Approximation& near, const Wide& value) {
  return std::isinf(near.bound) ||
         abs(Wide(near.value) - value) <= Wide(near.bound) + ldexp(Wide(1), -500);
}

/// Compares a run with the definition: every selected position, every coordinate after every
/// sublayer, and which of them are zero.
class Comparison : public ForwardObserver<NestedId> {
 public:
  Comparison(const PlainRunOf<Wide>& wide, const NestedRunner& runner)
      : wide_(wide), runner_(runner) {}

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    if ((*row.positions)() != wide_.selected.at(number_of(location)).at(head).at(row.row))
      difference = text(location) + ", head " + std::to_string(head) + ", token " +
                   std::to_string(row.row) + ": other positions";
    ties += row.count > 1 && !row.one_key;
  }
  void after(const Location& location, const Stream<NestedId>& stream) override {
    const auto& rows = wide_.streams.at(number_of(location) + 1);
    const NestedPool& pool = runner_.arithmetic().pool();
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (std::size_t c = 0; c < stream.width; ++c) {
        const NestedId got = stream.at(token, c);
        const Wide& wanted = rows[token][c];
        if (pool.sign(got) != laws::sign_of(wanted) || !within(pool.approximation(got), wanted))
          difference = text(location) + ", token " + std::to_string(token) + ", coordinate " +
                       std::to_string(c) + ": " + std::to_string(pool.approximation(got).value) +
                       ", by the definition " + wanted.str(20);
      }
    ++sublayers;
  }

  std::string difference;
  std::size_t sublayers = 0, ties = 0;

 private:
  static std::size_t number_of(const Location& location) {
    return 2 * (location.step - 1) + (location.sublayer == Sublayer::feedforward ? 1 : 0);
  }
  static std::string text(const Location& location) {
    return "sublayer " + std::to_string(number_of(location));
  }
  const PlainRunOf<Wide>& wide_;
  const NestedRunner& runner_;
};

TEST(NestedRuns, RandomModelsThatLeaveTheFieldRunAsTheDefinitionSays) {
  RandomTransformers random(laws::seed() + 4);
  std::size_t left = 0, large = 0, undecided = 0, sublayers = 0, ties = 0, certified = 0;
  RadicalTower::Statistics total;
  for (std::size_t models = 0; models < 1500; ++models) {
    const Model model = random.model();
    const Tokens tokens = random.input(model);
    Runner runner(model);
    const auto exact = runner.run(tokens);
    if (exact.has_value()) continue;
    ASSERT_TRUE(std::holds_alternative<OutsideField>(exact.refusal()));
    ++left;
    // What grows beyond this takes seconds; it is compared up to there.
    NestedRunner nested(model, std::size_t{1} << 20);
    const PlainRunOf<Wide> wide = wide_forward(model, tokens);
    Comparison comparison(wide, nested);
    std::optional<Refusal> refusal;
    bool too_large = false;
    try {
      refusal = nested.run(tokens, {&comparison});
    } catch (const SizeLimit&) {
      too_large = true;
    }
    ASSERT_EQ(comparison.difference, "") << "model " << models << "\n" << write_weights(model);
    sublayers += comparison.sublayers;
    ties += comparison.ties;
    total += nested.arithmetic().pool().tower().statistics();
    large += too_large;
    if (too_large) continue;
    if (refusal) {
      const auto* open = std::get_if<OutsideField>(&*refusal);
      ASSERT_TRUE(open && open->reason.starts_with("also with nested radicals: layer "))
          << describe(*refusal);
      ++undecided;
      continue;
    }
    const PrecisionFacts facts = no_facts(model);
    FloatOptions options;
    options.engine = FloatOptions::Engine::mpfr;
    options.bits = 400;
    FloatRunner floats(model, facts, options);
    const auto stream = floats.run(tokens).value();
    for (std::size_t token = 0; token < nested.tokens(); ++token) {
      const auto logits = nested.approximate_logits(token);
      if (!logits.has_value()) continue;
      const auto numbers = floats.numbers(stream, token);
      const bool sure = numbers.certificate == Certificate::certified;
      certified += sure;
      for (std::size_t row = 0; row < logits.value().size(); ++row) {
        const Approximation& near = logits.value()[row];
        EXPECT_TRUE(within(near, wide.logits[token][row])) << write_weights(model);
        EXPECT_TRUE(!sure || std::abs(near.value - numbers.value[row].value) <=
                                 near.bound + numbers.value[row].error + 1e-12)
            << write_weights(model);
      }
    }
  }
  std::cout << left << " runs left the field, " << large << " too large, " << undecided
            << " undecided; " << sublayers << " sublayers, " << ties << " ties of different keys; "
            << total.roots << " roots, " << total.by_enclosure << " signs by enclosures, "
            << total.by_elimination << " by elimination, of these " << total.zeros << " zero; "
            << certified << " tokens certified in 400 bits\n";
  EXPECT_GT(left, 300u);
  EXPECT_LT(10 * large, left);
  EXPECT_LT(50 * undecided, left);
  EXPECT_GT(ties, 100u);
  EXPECT_GT(certified, 100u);
}

TEST(NestedRuns, WhereNoNormLeavesTheFieldTheAnswersAreTheExactOnes) {
  RandomTransformers random(laws::seed() + 5);
  std::size_t compared = 0, irrational = 0;
  for (std::size_t models = 0; models < 1500; ++models) {
    const Model model = random.model();
    const Tokens tokens = random.input(model);
    Runner runner(model);
    const auto stream = runner.run(tokens);
    if (!stream.has_value()) continue;
    NestedRunner nested(model);
    ASSERT_FALSE(nested.run(tokens).has_value()) << write_weights(model);
    for (std::size_t token = 0; token < nested.tokens(); ++token) {
      std::vector<Real> logits = runner.logits(stream.value(), token);
      ASSERT_TRUE(nested.has_logits(token, logits).value()) << write_weights(model);
      std::vector<std::string> texts;
      for (const Real& logit : logits) texts.push_back(logit.text());
      EXPECT_EQ(nested.logits(token).value(), texts);
      for (const Real& logit : logits) irrational += !logit.is_rational();
      // Other numbers, however near, are not the logits.
      logits.back() = logits.back() + Real(Rational(1, std::int64_t{1} << 60));
      EXPECT_FALSE(nested.has_logits(token, logits).value());
      ++compared;
    }
    EXPECT_EQ(nested.arithmetic().pool().tower().size(), 0u);
  }
  std::cout << compared << " tokens, " << irrational << " irrational logits\n";
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(irrational, 300u);
}

// One changed weight of a scan: the factors of all norms leave the field, and every layer multiplies by
// one. Without names of long numbers this word takes half a GiB and minutes.
TEST(NestedRuns, NumbersGrowWithTheirTokensAndNotWithEveryNorm) {
  Model model = compile(regular_language_scan_MS25_thm4_1(named_monoid("S3"), "S3")).model;
  model.layers[0].feedforward.in.entries.back().value = Rational(1, 3);
  std::vector<std::string> letters;
  for (int i = 0; i < 33; ++i) letters.emplace_back(i * i % 7 < 3 ? "a" : "b");
  const Tokens tokens = tokens_of(model, letters).value();
  DecidedRun run(model, 1, std::size_t{64} << 20);
  ASSERT_FALSE(run.run(tokens).has_value());
  ASSERT_TRUE(run.left_field().has_value());
  EXPECT_GT(run.nested_statistics().roots, 100u);
  FloatOptions options;
  options.engine = FloatOptions::Engine::mpfr;
  options.bits = 400;
  const PrecisionFacts facts = no_facts(model);
  FloatRunner floats(model, facts, options);
  const auto stream = floats.run(tokens).value();
  for (std::size_t token = 0; token <= letters.size(); ++token) {
    const auto logits = run.approximate_logits(token).value();
    const auto numbers = floats.numbers(stream, token);
    for (std::size_t row = 0; row < logits.size(); ++row)
      EXPECT_NEAR(logits[row].value, numbers.value[row].value, 1e-9) << token;
  }
}

Rational power_of_half(unsigned exponent) {
  return Rational(mpq_class(mpz_class(1), mpz_class(1) << exponent));
}

// The two scores of the last token tie by Cauchy and Schwarz, between roots that do not show it.
// Then the votes cancel, and the logits tie in the same way.
TEST(NestedRuns, ATieThatOnlyTheRootsHideIsATieAndBesideItThereIsNone) {
  const Model model = support::votes_of_directions();
  ASSERT_EQ(find_violation(model), std::nullopt);
  DecidedRun run(model);
  ASSERT_FALSE(run.run(tokens_of(model, support::opposite_votes(1)).value()).has_value());
  ASSERT_TRUE(run.left_field().has_value());
  EXPECT_NE(run.left_field()->reason.find("layer 1, attention mask, token 0"), std::string::npos);
  const auto tie = run.accepts(1);
  ASSERT_FALSE(tie.has_value());
  EXPECT_EQ(describe(tie.refusal()), "undecided: the logits of accept and reject are both 0");
  EXPECT_TRUE(run.has_logits(1, std::vector<Real>{0, 0}).value());
  EXPECT_FALSE(run.nonzero(1, 3).has_value());
  EXPECT_TRUE(run.nonzero(1, 2).has_value());
  EXPECT_GT(run.nested_statistics().zeros, 0u);
  // A larger vote shortens the direction beside it. 2^-1500 is too little for the enclosures.
  for (const unsigned exponent : {20u, 60u, 400u, 1500u})
    for (const int side : {1, -1}) {
      const Rational more = power_of_half(exponent) * Rational(side);
      ASSERT_FALSE(run.run(tokens_of(model, support::opposite_votes(1, more)).value()));
      const auto verdict = run.accepts(1);
      ASSERT_TRUE(verdict.has_value()) << describe(verdict.refusal());
      EXPECT_EQ(verdict.value(), side < 0) << exponent;
    }
}

// Pairs of opposite votes with roots of their own, whose squares have too many roots for an inverse: what
// they add up to is 0, and each pair squares what it takes to see that.
TEST(NestedRuns, WhatTheLimitsDoNotDecideIsOutsideTheFieldWithItsPlace) {
  const Model model = support::votes_of_directions(true);
  DecidedRun run(model);
  std::vector<std::vector<Real>> rows;
  std::size_t decided = 0;
  std::optional<Refusal> refusal;
  for (std::int64_t k = 1; k <= 8 && !refusal; ++k) {
    for (auto& row : support::opposite_votes(k, 0, RadicalTower::kMostRoots + 1))
      rows.push_back(std::move(row));
    refusal = run.run(tokens_of(model, rows).value());
    if (refusal) break;
    ++decided;
    EXPECT_FALSE(run.accepts(0).has_value());
    EXPECT_TRUE(run.has_logits(0, std::vector<Real>{0, 0}).value());
  }
  EXPECT_GE(decided, 1u);
  ASSERT_TRUE(refusal.has_value());
  const auto* open = std::get_if<OutsideField>(&*refusal);
  ASSERT_NE(open, nullptr) << describe(*refusal);
  std::cout << decided << " pairs decided; then: " << open->reason << "\n";
  EXPECT_TRUE(open->reason.starts_with("layer 1, attention mask, token 0: the squared norm "))
      << open->reason;
  EXPECT_NE(open->reason.find("; also with nested radicals: layer 1, attention of "),
            std::string::npos)
      << open->reason;
  EXPECT_NE(open->reason.find("not clearly other than 0 to 16384 bits"), std::string::npos);
  // The next input does not suffer from it.
  EXPECT_FALSE(run.run(tokens_of(model, support::opposite_votes(3)).value()).has_value());
  EXPECT_TRUE(run.has_logits(0, std::vector<Real>{0, 0}).value());
}

TEST(NestedRuns, MemoryIsALimitOfItsOwn) {
  const Model model = support::votes_of_directions();
  NestedRunner nested(model, 1000);
  EXPECT_THROW(static_cast<void>(nested.run(tokens_of(model, support::opposite_votes(1)).value())),
               SizeLimit);
}

// The numbers of the exact run are still there while the input is run again.
TEST(NestedRuns, BothRunsTogetherStayWithinTheMemory) {
  const Model model = support::votes_of_directions();
  const Tokens tokens = tokens_of(model, support::opposite_votes(1)).value();
  Runner runner(model);
  ASSERT_FALSE(runner.run(tokens).has_value());
  NestedRunner nested(model);
  ASSERT_FALSE(nested.run(tokens).has_value());
  DecidedRun enough(model, 1, 2 * (runner.bytes() + nested.bytes()));
  EXPECT_FALSE(enough.run(tokens).has_value());
  DecidedRun too_little(model, 1, std::max(runner.bytes(), nested.bytes()) + nested.bytes() / 4);
  EXPECT_THROW(static_cast<void>(too_little.run(tokens)), SizeLimit);
}

TEST(NestedRuns, AnInputOutsideTheHypothesesIsRefusedAsByTheExactRun) {
  const Model model = support::votes_of_directions();
  NestedRunner nested(model);
  const auto none = nested.run(tokens_of(model, std::vector<std::vector<Real>>{}).value());
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(*none));
}

}  // namespace
}  // namespace logdepth::nested_runs_tests
