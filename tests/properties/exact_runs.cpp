// The exact instance of the numbers: signs of sums with a rational part beside roots, and norms of
// vectors whose mean is not zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/stream.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/plain_forward.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::exact_runs_tests { namespace {

using laws::Wide;

/// One token "a" whose cells are `values`, one feed-forward unit per row of `in` that writes its
/// activation to a cell of its own; `norm` and `width` as given.
Model units_model(const SparseVector& values, const SparseMatrix& in, Norm norm) {
  Model m;
  m.name = "units";
  m.width = in.columns;
  m.norm = norm;
  m.input = WordInput{false, false};
  m.alphabet = {"a"};
  m.embedding = {{"a", values}};
  m.unroll.kind = Unroll::Kind::fixed;
  m.position = FirstFlagPosition{};
  m.shape = {1, 0, 0};
  Layer layer;
  layer.block = Block::initial;
  SparseMatrix out{m.width, in.rows, {}};
  CellsOutput names;
  m.unembedding = {in.rows, m.width, {}};
  for (std::uint32_t unit = 0; unit < in.rows; ++unit) {
    const std::uint32_t target = m.width - in.rows + unit;
    out.entries.push_back({target, unit, 1});
    m.unembedding.entries.push_back({unit, target, 1});
    names.names.push_back("u" + std::to_string(unit));
  }
  for (std::uint32_t i = 0; i < m.width - in.rows; ++i) layer.feedforward.mask.push_back({i, 1});
  layer.feedforward.in = in;
  layer.feedforward.out = out;
  m.layers = {layer};
  m.output = names;
  EXPECT_EQ(first_violation(m), "");
  return m;
}

std::vector<Real> activations(const Model& model) {
  Runner runner(model);
  const auto stream = runner.run_word({"a"});
  EXPECT_TRUE(stream.has_value());
  return stream.has_value() ? runner.logits(stream.value(), 0) : std::vector<Real>();
}

TEST(ExactRuns, TheSignOfASumCountsItsRationalPart) {
  Exact arithmetic;
  const ValueId root = arithmetic.number(Real::root(Rational(2)));
  const ValueId one = arithmetic.number(Rational(1));
  const auto sign = [&](const Rational& rational, const Rational& roots) {
    Exact::Sum sum;
    arithmetic.accumulate(sum, roots, root);
    arithmetic.accumulate(sum, rational, one);
    const int found = arithmetic.sign_of(sum);
    EXPECT_EQ(arithmetic.sign(arithmetic.close(sum)), found);
    return found;
  };
  EXPECT_EQ(sign(Rational(-3, 2), 1), -1);  // the roots alone are positive
  EXPECT_EQ(sign(Rational(3, 2), -1), 1);   // and negative
  EXPECT_EQ(sign(Rational(-7, 5), 1), 1);
  EXPECT_EQ(sign(Rational(7, 5), -1), -1);
  EXPECT_EQ(sign(0, 1), 1);
  EXPECT_EQ(sign(-2, 0), -1);
}

// x = 1 and y = sqrt 2 beside a third cell that makes |h|^2 = 5 = width, so z = h: the units sum
// -+3/2 +- sqrt 2, where the roots alone would have the other sign.
TEST(ExactRuns, AUnitWhoseRationalPartOutweighsItsRootsIsSilent) {
  Model m = units_model(
      {{0, 1}}, {2, 5, {{0, 0, Rational(-3, 2)}, {0, 1, 1}, {1, 0, Rational(3, 2)}, {1, 1, -1}}},
      Norm::rms);
  m.embedding = {};
  m.alphabet = {};
  m.input = CellsInput{{"x", "y", "rest"}, false};
  ASSERT_EQ(first_violation(m), "");
  Runner runner(m);
  const Real root = Real::root(Rational(2));
  const auto stream = runner.run(cells_tokens({{Real(1), root, root}}));
  ASSERT_TRUE(stream.has_value());
  EXPECT_EQ(runner.logits(stream.value(), 0),
            (std::vector<Real>{Real(0), Real(Rational(3, 2)) - root}));
}

// mean = 4/4 = 1, x - mean = (2, 0, -1, -1), |.|^2 = 6: z = 2 (2, 0, -1, -1)/sqrt 6. Divided by
// width - 1, or taken over the non-zero cells alone, it would be another vector.
TEST(ExactRuns, LayerNormSubtractsTheMeanOverAllCoordinates) {
  const SparseMatrix in{2, 4, {{0, 0, 1}, {1, 1, 1}, {1, 2, -1}, {1, 3, Rational(1, 2)}}};
  const Model model = units_model({{0, 3}, {1, 1}}, in, Norm::layernorm);
  const auto over_root = [](const Rational& x) { return Real(x).divided_by_root(Rational(6)); };
  EXPECT_EQ(activations(model), (std::vector<Real>{over_root(4), over_root(1)}));
}

TEST(ExactRuns, LayerNormOfEqualCoordinatesIsZero) {
  Model model = units_model({{0, 3}, {1, 3}}, {1, 3, {{0, 0, 1}, {0, 2, -1}}}, Norm::layernorm);
  model.layers[0].feedforward.mask = {{0, 1}, {1, 1}, {2, 1}};
  model.embedding["a"] = {{0, 3}, {1, 3}, {2, 3}};
  EXPECT_EQ(activations(model), std::vector<Real>{3});  // what stood there, and no more
}

TEST(ExactRuns, RmsOfTheSameCellsSubtractsNothing) {
  const SparseMatrix in{2, 4, {{0, 0, 1}, {1, 1, 1}}};
  const Model model = units_model({{0, 3}, {1, 1}}, in, Norm::rms);
  const auto over_root = [](const Rational& x) { return Real(x).divided_by_root(Rational(10)); };
  EXPECT_EQ(activations(model), (std::vector<Real>{over_root(6), over_root(2)}));
}

// Random small models run by the forward pass, with everything it groups and remembers, and by the
// definition, with nothing of the kind: the stream after every sublayer, what the heads select, and
// where a norm leaves the field.

/// Compares a run with the plain one, sublayer by sublayer.
class Comparison : public ForwardObserver<ValueId> {
 public:
  Comparison(const PlainRun& plain, const ValuePool& pool) : plain_(plain), pool_(pool) {}

  void before(const Location& location, const Stream<ValueId>& stream) override {
    compare(stream, number_of(location), "before");
  }
  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    ++rows;
    const auto& selected = plain_.selected.at(number_of(location)).at(head).at(row.row);
    if ((*row.positions)() != selected || row.count != selected.size() ||
        row.last != selected.back())
      fail(location, "head " + std::to_string(head) + ", token " + std::to_string(row.row) +
                         " selects other positions");
  }
  void after(const Location& location, const Stream<ValueId>& stream) override {
    ++sublayers;
    compare(stream, number_of(location) + 1, "after");
  }

  /// Compares a stream with the `number`-th of the plain run.
  void compare(const Stream<ValueId>& stream, std::size_t number, const std::string& when) {
    if (number >= plain_.streams.size() || stream.tokens != plain_.streams[number].size()) {
      differences.push_back(when + " sublayer " + std::to_string(number) + ": no such stream");
      return;
    }
    for (std::size_t token = 0; token < stream.tokens; ++token)
      for (std::size_t c = 0; c < stream.width; ++c) {
        const Real &got = pool_[stream.at(token, c)], &wanted = plain_.streams[number][token][c];
        if (!(got == wanted))
          differences.push_back(when + " sublayer " + std::to_string(number) + ", token " +
                                std::to_string(token) + ", coordinate " + std::to_string(c) + ": " +
                                got.text() + ", by the definition " + wanted.text());
      }
  }

  std::vector<std::string> differences;
  std::size_t sublayers = 0, rows = 0;

 private:
  static std::size_t number_of(const Location& location) {
    return 2 * (location.step - 1) + (location.sublayer == Sublayer::feedforward ? 1 : 0);
  }
  void fail(const Location& location, const std::string& what) {
    differences.push_back("sublayer " + std::to_string(number_of(location)) + ": " + what);
  }
  const PlainRun& plain_;
  const ValuePool& pool_;
};

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (std::size_t token = 0; token < tokens.kinds.size(); ++token) {
    text += "token " + std::to_string(token) + ": " + tokens.kinds[token];
    if (!tokens.given.empty())
      for (const Real& value : tokens.given[token]) text.append(" ").append(value.text());
    text += "\n";
  }
  return text;
}

struct Tally {
  std::size_t runs = 0, to_the_end = 0, sublayers = 0, rows = 0, left_the_field = 0;
};

/// The first difference between a run and the plain one, or nothing.
std::string difference(Runner& runner, const Tokens& tokens, const PlainRun& plain, Tally& tally) {
  Comparison comparison(plain, runner.arithmetic().pool());
  const auto stream = runner.run(tokens, {&comparison});
  ++tally.runs;
  tally.sublayers += comparison.sublayers;
  tally.rows += comparison.rows;
  if (!comparison.differences.empty()) return comparison.differences.front();
  if (!stream.has_value()) {
    ++tally.left_the_field;
    const auto* left = std::get_if<OutsideField>(&stream.refusal());
    if (!left || plain.left_field.empty() || !left->reason.starts_with(plain.left_field + ": "))
      return describe(stream.refusal()) + "; by the definition: " + plain.left_field;
    return "";
  }
  if (!plain.left_field.empty()) return "ran to the end; by the definition: " + plain.left_field;
  ++tally.to_the_end;
  if (comparison.sublayers + 1 != plain.streams.size()) return "another number of sublayers";
  comparison.compare(stream.value(), plain.streams.size() - 1, "at the end of");
  if (!comparison.differences.empty()) return comparison.differences.front();
  for (std::size_t token = 0; token < tokens.kinds.size(); ++token)
    if (runner.logits(stream.value(), token) != plain.logits[token])
      return "other logits at token " + std::to_string(token);
  return "";
}

// The same runner for several inputs, and for the first of them again: what it remembers of one is
// right for the next, also where one left the field.
TEST(ForwardPass, RandomModelsRunAsTheDefinitionSays) {
  RandomTransformers random(laws::seed());
  Tally tally;
  AttentionStatistics statistics;
  std::size_t models = 0, with_long_segments = 0;
  for (; models < 9000; ++models) {
    const Model model = random.model();
    ASSERT_EQ(first_violation(model), "");
    with_long_segments += segments_of(model).size() < model.width;
    Runner runner(model);
    std::vector<Tokens> inputs;
    for (int i = 0; i < 3; ++i) inputs.push_back(random.input(model));
    inputs.push_back(inputs.front());
    for (const Tokens& tokens : inputs) {
      const PlainRun plain = plain_forward(model, tokens);
      const std::string found = difference(runner, tokens, plain, tally);
      ASSERT_EQ(found, "") << "model " << models << "\n" << text_of(tokens) << write_weights(model);
    }
    statistics += runner.arithmetic().statistics();
  }
  std::cout << models << " models, " << with_long_segments
            << " with segments of several coordinates; " << tally.runs << " runs, "
            << tally.to_the_end << " to the end, " << tally.sublayers << " sublayers, "
            << tally.rows << " rows of heads, by rule";
  for (const std::uint64_t rows : statistics.by_rule) std::cout << " " << rows;
  std::cout << "\n";
  EXPECT_GT(with_long_segments, models / 2);
  EXPECT_GT(tally.to_the_end, tally.runs / 3);
  EXPECT_GT(tally.left_the_field, tally.runs / 10);
  EXPECT_GT(tally.sublayers, 2 * tally.runs);
  EXPECT_EQ(statistics.rows, tally.rows);
  for (const AttentionRule rule :
       {AttentionRule::uniform, AttentionRule::one_query, AttentionRule::distinct_keys})
    EXPECT_GT(statistics.by_rule[static_cast<std::size_t>(rule)], 1000u)
        << attention_rule_name(rule);
}

constexpr std::size_t kPlenty = std::size_t{1} << 30;

// A pass that forgets everything between runs, and one that forgets between sublayers because
// memory is short, run the same, or say that it does not suffice.
TEST(ForwardPass, ForgettingChangesNoAnswer) {
  RandomTransformers random(laws::seed() + 1);
  std::size_t compared = 0, forgot = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    const Model model = random.model();
    const Tokens first = random.input(model);
    std::size_t needed = 0;  // for the first input, with plenty of memory
    for (const std::size_t eighths : {8, 7, 6, 5, 4, 2}) {
      Exact arithmetic;
      Forward<Exact> forward(model, arithmetic, needed == 0 ? kPlenty : needed * eighths / 8);
      for (const Tokens& tokens : {first, first, random.input(model)}) {
        const PlainRun plain = plain_forward(model, tokens);
        auto stream = forward.stream(tokens.kinds.size());
        ASSERT_FALSE(embed(model, tokens, arithmetic, stream).has_value());
        Comparison comparison(plain, arithmetic.pool());
        try {
          const auto end = forward.run(stream, loops_at(model.unroll, tokens.size), {&comparison});
          ASSERT_EQ(end.has_value(), plain.left_field.empty());
          if (needed == 0) needed = forward.bytes();
          forgot += eighths < 8 && end.has_value();
          forward.forget();
          // A stream from before can still be read.
          if (end.has_value())
            comparison.compare(end.value(), plain.streams.size() - 1, "at the end of");
          ++compared;
        } catch (const SizeLimit&) {
          ++refused;
        }
        ASSERT_EQ(comparison.differences, std::vector<std::string>()) << write_weights(model);
        arithmetic.forget();
        forward.forget();
      }
    }
  }
  std::cout << compared << " runs compared, " << forgot << " of them to the end with less memory, "
            << refused << " refused\n";
  EXPECT_GT(compared, 2500u);
  EXPECT_GT(forgot, 500u);
  EXPECT_GT(refused, 1000u);
}

// With memory for little more than one input a runner drops what it knows before the next.
TEST(ForwardPass, ARunnerThatForgetsEarlierInputsRunsAsTheDefinitionSays) {
  RandomTransformers random(laws::seed() + 2);
  Tally tally;
  std::size_t forgot = 0;
  for (int i = 0; i < 500; ++i) {
    const Model model = random.model();
    std::size_t enough = 0;
    std::vector<Tokens> inputs;
    for (int k = 0; k < 4; ++k) inputs.push_back(random.input(model));
    for (const Tokens& tokens : inputs) {
      Runner runner(model);
      ASSERT_EQ(difference(runner, tokens, plain_forward(model, tokens), tally), "");
      enough = std::max(enough, runner.bytes());
    }
    Runner runner(model, enough + enough / 2);
    std::size_t before = 0;
    for (const Tokens& tokens : inputs) {
      ASSERT_EQ(difference(runner, tokens, plain_forward(model, tokens), tally), "")
          << text_of(tokens) << write_weights(model);
      forgot += runner.bytes() < before;
      before = runner.bytes();
    }
  }
  std::cout << tally.runs << " runs, " << forgot << " after which less was remembered\n";
  EXPECT_GT(tally.to_the_end, 1000u);
  EXPECT_GT(forgot, 300u);
}

// Runs over nested radicals against the definition in 714 bits, against certified runs in MPFR, and,
// where no norm leaves the field, against exact ones.

/// Whether the number may be this one, up to what 714 bits lose.
bool within(const Approximation& near, const Wide& value) {
  return std::isinf(near.bound) ||
         abs(Wide(near.value) - value) <= Wide(near.bound) + ldexp(Wide(1), -500);
}

/// Logits of a token in double, each with a bound on its error.
Outcome<std::vector<Approximation>> approximations(NestedRunner& nested, std::size_t token) {
  return nested.read(token, [](const NestedLogits& read) {
    std::vector<Approximation> near;
    for (const NestedId id : read.logits) near.push_back(read.arithmetic.pool().approximation(id));
    return Outcome<std::vector<Approximation>>(std::move(near));
  });
}

/// Compares a run with the definition: every selected position, every coordinate after every
/// sublayer, and which of them are zero.
class NestedComparison : public ForwardObserver<NestedId> {
 public:
  NestedComparison(const PlainRunOf<Wide>& wide, const NestedRunner& runner)
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
    NestedComparison comparison(wide, nested);
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
      const auto logits = approximations(nested, token);
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
      const auto are = [&](const auto& read) { return logits_are(read, logits); };
      ASSERT_TRUE(nested.read(token, are).value()) << write_weights(model);
      std::vector<std::string> texts;
      for (const Real& logit : logits) texts.push_back(logit.text());
      EXPECT_EQ(nested.read(token, [](const auto& read) { return texts_of(read); }).value(), texts);
      for (const Real& logit : logits) irrational += !logit.is_rational();
      // Other numbers, however near, are not the logits.
      logits.back() = logits.back() + Real(Rational(1, std::int64_t{1} << 60));
      EXPECT_FALSE(nested.read(token, are).value());
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
  NestedRunner nested(model, std::size_t{64} << 20);
  ASSERT_FALSE(nested.run(tokens).has_value());
  EXPECT_GT(nested.arithmetic().pool().tower().statistics().roots, 100u);
  FloatOptions options;
  options.engine = FloatOptions::Engine::mpfr;
  options.bits = 400;
  const PrecisionFacts facts = no_facts(model);
  FloatRunner floats(model, facts, options);
  const auto stream = floats.run(tokens).value();
  for (std::size_t token = 0; token <= letters.size(); ++token) {
    const auto logits = approximations(nested, token).value();
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
  DecidedRun enough(model, 2 * (runner.bytes() + nested.bytes()));
  EXPECT_FALSE(enough.run(tokens).has_value());
  DecidedRun too_little(model, std::max(runner.bytes(), nested.bytes()) + nested.bytes() / 4);
  EXPECT_THROW(static_cast<void>(too_little.run(tokens)), SizeLimit);
}

TEST(NestedRuns, AnInputOutsideTheHypothesesIsRefusedAsByTheExactRun) {
  const Model model = support::votes_of_directions();
  NestedRunner nested(model);
  const auto none = nested.run(tokens_of(model, std::vector<std::vector<Real>>{}).value());
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(*none));
}

}}  // namespace logdepth::exact_runs_tests
