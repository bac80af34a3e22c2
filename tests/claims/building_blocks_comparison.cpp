// Appendix A of MS25, Lemmas A.6 and A.7, against direct formulas: offsets of positions and
// equality of scalars; and a program of words that is put together from the parts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/blocks.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "tests/support/building_blocks_run.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::building_blocks_comparison_tests {
namespace {

using support::BlockRun;
using support::hostile_rationals;
using support::joined;
using support::phi;
using support::RealRow;
using support::RealRows;

const std::vector<Norm> kNorms = {Norm::rms, Norm::layernorm};
constexpr std::int64_t kTokens = 21;

Real sign(bool equal) {
  return equal ? Real(1) : Real(-1);
}

// --- A.6 -----------------------------------------------------------------------------------------

TEST(LemmaA6, PhiOfAnEarlierPositionIsWrittenInOneLayerFromTheFirstFlagAlone) {
  for (const Norm norm : kNorms)
    for (std::uint32_t k = 0; k <= 8; ++k) {
      BlockRun stays(offset_MS25_lemA6(k, OffsetForm::one_layer), norm);
      BlockRun cleared(offset_MS25_lemA6(k, OffsetForm::cleared), norm);
      EXPECT_EQ(stays.layers(), 1u);
      EXPECT_EQ(cleared.layers(), 2u);
      EXPECT_FALSE(cleared.has_feedforward(1));
      RealRows rows, codes, raw;
      for (std::int64_t i = 0; i < kTokens; ++i) {
        rows.push_back(phi(Rational(-i, 3)));
        codes.push_back(phi(i - k));  // also for i < k, where the lemma says nothing
        raw.push_back({Real(Rational(i - k, i + 1)), Real(Rational(1, i + 1))});
      }
      const std::string what = "k = " + std::to_string(k);
      stays.run(rows);
      stays.expect_only({{"x", codes}, {"a", raw}}, what);
      cleared.run(rows);
      cleared.expect_only({{"x", codes}}, what);
    }
}

TEST(LemmaA6, AShiftedQueryFetchesFromAnEarlierPositionWithoutALayerOfItsOwn) {
  for (const Norm norm : kNorms)
    for (std::uint32_t k = 0; k <= 8; ++k) {
      BlockRun block(offset_MS25_lemA6(k, OffsetForm::shifted_query), norm);
      EXPECT_EQ(block.layers(), 1u);  // as many as for k = 0, where nothing is shifted
      EXPECT_FALSE(block.has_feedforward(0));
      RealRows rows, before;
      for (std::int64_t i = 0; i < kTokens; ++i) {
        rows.push_back(joined({phi(i), phi(Rational(i * i - 30, 7))}));
        const RealRow& source = rows[static_cast<std::size_t>(std::max<std::int64_t>(i - k, 0))];
        before.push_back({source[2], source[3]});
      }
      block.run(rows);
      block.expect_only({{"x", before}}, "k = " + std::to_string(k));
    }
}

/// The heads of the lemma's proof: uniform, with values 1[j = 0] and 1[j >= k].
Program offset_as_written() {
  return parse_program(R"cells(logdepth-cells 1
program "offset as written"
input cells
unroll fixed 0
cell small flag
cell one constant
cell fst flag
cell a number 2
cell x direction 2
given small
position fst
initial
fetch position causal uniform
  add a[0] + 1/2 one - 1/2 small
  add a[1] + 1/2 one + 1/2 fst
normalise x from a[0] a[1]
output phi.0 + x[0]
)cells",
                       "test");
}

TEST(LemmaA6, TheValuesOfThePaperAreOffByOne) {
  BlockRun block(offset_as_written());
  for (std::int64_t k = 0; k <= 4; ++k) {
    RealRows rows, codes, raw;
    for (std::int64_t i = 0; i < kTokens; ++i) {
      rows.push_back({sign(i < k)});
      const std::int64_t got = std::max<std::int64_t>(i - k + 1, 0);
      codes.push_back(phi(got));
      raw.push_back({Real(Rational(got, i + 1)), Real(Rational(1, i + 1))});
    }
    block.run(rows);
    block.expect_only({{"x", codes}, {"a", raw}}, "phi(i - k + 1)");
  }
}

// --- A.7 -----------------------------------------------------------------------------------------

/// Runs both forms on pairs of stored scalars, one token per pair.
void expect_compared(BlockRun& stays, BlockRun& cleared,
                     const std::vector<std::pair<Rational, Rational>>& pairs) {
  RealRows rows, answers, differences;
  for (const auto& [x, y] : pairs) {
    rows.push_back(joined({phi(static_cast<std::int64_t>(rows.size())), phi(x), phi(y)}));
    answers.push_back({sign(x == y)});
    differences.push_back({phi(x, 0) - phi(y, 0)});
  }
  stays.run(rows);
  stays.expect_only({{"e", answers}, {"D", differences}}, "D stays");
  cleared.run(rows);
  cleared.expect_only({{"e", answers}}, "cleared");
}

TEST(LemmaA7, StoredScalarsAreComparedInOneLayerAndClearedByTheNextAttention) {
  for (const Norm norm : kNorms) {
    BlockRun stays(equality_MS25_lemA7(Compared::stored, false), norm);
    BlockRun cleared(equality_MS25_lemA7(Compared::stored, true), norm);
    EXPECT_EQ(stays.layers(), 1u);
    EXPECT_EQ(cleared.layers(), 2u);
    EXPECT_FALSE(cleared.has_feedforward(1));
    std::vector<std::pair<Rational, Rational>> pairs;
    for (const Rational& x : hostile_rationals())
      for (const Rational& y : hostile_rationals()) {
        pairs.emplace_back(x, y);
        if (pairs.size() < kTokens) continue;
        expect_compared(stays, cleared, pairs);
        pairs.clear();
      }
    expect_compared(stays, cleared, {{Rational(0), Rational(0)}});
  }
}

RC_GTEST_PROP(LemmaA7, RandomScalarsAreComparedExactly, ()) {
  static BlockRun stays(equality_MS25_lemA7(Compared::stored, false));
  static BlockRun cleared(equality_MS25_lemA7(Compared::stored, true));
  const auto rational = [] {
    const auto numerator = *rc::gen::inRange<std::int64_t>(-300, 300);
    const auto denominator = *rc::gen::inRange<std::int64_t>(1, 300);
    return Rational(numerator, denominator);
  };
  const Rational x = rational();
  const auto exponent = *rc::gen::inRange<std::int64_t>(1, 18);
  std::int64_t power = 1;
  for (std::int64_t e = 0; e < exponent; ++e) power *= 10;
  expect_compared(stays, cleared, {{x, rational()}, {x, x}, {x, x + Rational(1, power)}});
}

TEST(LemmaA7, ScalarsComputedByTwoHeadsAreComparedInOneLayer) {
  for (const Norm norm : kNorms) {
    BlockRun stays(equality_MS25_lemA7(Compared::computed, false), norm);
    BlockRun cleared(equality_MS25_lemA7(Compared::computed, true), norm);
    EXPECT_EQ(stays.layers(), 1u);
    EXPECT_EQ(cleared.layers(), 2u);
    EXPECT_FALSE(cleared.has_feedforward(1));
    // Every pair of words of flags: x the average up to the token, y the average over all.
    for (std::int64_t n = 1; n <= 5; ++n)
      for (std::size_t bits = 0; bits < std::size_t{1} << (2 * n); ++bits) {
        RealRows rows, answers, differences;
        std::vector<Rational> x;
        Rational fs, gs;
        for (std::int64_t i = 0; i < n; ++i) {
          const Rational f(bits >> i & 1 ? 1 : -1), g(bits >> (n + i) & 1 ? 1 : -1);
          rows.push_back(joined({phi(i), {Real(f), Real(g)}}));
          fs += f;
          gs += g;
          x.push_back(fs / Rational(i + 1));
        }
        for (const Rational& average : x) {
          const Rational difference = average - gs / Rational(n);
          answers.push_back({sign(difference.is_zero())});
          differences.push_back({Real(difference)});
        }
        stays.run(rows);
        stays.expect_only({{"e", answers}, {"D", differences}}, "D stays");
        cleared.run(rows);
        cleared.expect_only({{"e", answers}}, "cleared");
        if (HasFailure()) return;
      }
  }
}

TEST(LemmaA7, RawScalarsAreComparedUnderTheirJointNormInTwoLayers) {
  const Rational tiny(1, 1000000000);
  for (const Norm norm : kNorms) {
    BlockRun stays(equality_MS25_lemA7(Compared::raw, false), norm);
    BlockRun cleared(equality_MS25_lemA7(Compared::raw, true), norm);
    EXPECT_EQ(stays.layers(), 2u);
    EXPECT_EQ(cleared.layers(), 3u);
    EXPECT_FALSE(cleared.has_feedforward(2));
    for (std::int64_t m = 1; m <= 20; ++m)
      // Only whole numbers are proved; the weights compare any.
      for (const Rational& y : {Rational(m), Rational(m) + tiny, Rational(-m), Rational(1, m)}) {
        RealRows rows, answers, codes;
        for (std::int64_t i = 0; i < kTokens; ++i) {
          rows.push_back({Real(i), Real(1), Real(y), Real(1)});
          answers.push_back({sign(Rational(i) == y)});
          codes.push_back(phi(i));
        }
        if (y == Rational(m)) {
          cleared.run(rows);
          stays.run(rows);
        } else {
          cleared.run_outside(rows);
        }
        cleared.expect_only({{"e", answers}, {"I", codes}}, "y = " + y.text());
        if (HasFailure()) return;
      }
  }
}

// --- the parts together --------------------------------------------------------------------------

/// For every prefix: are there as many a as b, and did the letter k places before also end such a
/// prefix? Written with the parts only.
Program balanced_prefixes(std::uint32_t k) {
  using namespace cells;
  cells::Program p("balanced prefixes");
  p.alphabet({"a", "b"}).fixed_loops(0);
  const auto one = p.constant();
  const auto fst = p.flag("fst");
  const auto x = p.onehot("x", {"a", "b", "none"});
  const auto count = p.number("count", 2);
  const auto shifted = p.number("shifted", 2);
  const auto letters = p.number("letters", 2);
  const auto I = p.key("I", PositionCode::phi);
  const auto P = p.direction("P");
  const auto Z = p.direction("Z");
  const auto D = p.number("D");
  const auto e = p.flag("e");
  const auto before = p.flag("before");
  p.position(fst);
  p.token(kBegin, x == "none").token("a", x == "a").token("b", x == "b");

  const auto position = blocks::offset("position", count, one, fst, 0);
  const auto earlier = blocks::offset("earlier", shifted, one, fst, k);
  const auto difference =
      fetch("letters").causal(uniform()).add(letters[0], x["a"] - x["b"]).add(letters[1], one);
  const auto same = blocks::compare("balance", D, Z[0], e, I);
  p.initial(position, blocks::read("own_code", count, I), earlier,
            normalise(P).from(shifted[0], shifted[1]), difference,
            normalise(Z).from(letters[0], letters[1]), same, test(e).zero(D), undone(same),
            fetch("before").causal(nearest(P).key(I)).copy(before, e),
            undone({position, earlier, difference}), erase(P, Z));
  p.output("same", e).output("before", before);
  return p.program();
}

TEST(Parts, BuildAProgramOfWordsThatCleansUpAfterItself) {
  for (const Norm norm : kNorms)
    for (const std::uint32_t k : {0u, 1u, 2u}) {
      const Program program = balanced_prefixes(k);
      const Model model = compile(program, {norm, false, std::nullopt}).model;
      Runner runner(model);
      ContractCheck promises(model, runner.arithmetic());
      for (std::size_t n = 0; n <= 6; ++n)
        for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
          std::vector<std::string> word;
          std::vector<int> surplus = {0};
          for (std::size_t i = 0; i < n; ++i) {
            word.emplace_back(bits >> i & 1 ? "a" : "b");
            surplus.push_back(surplus.back() + (bits >> i & 1 ? 1 : -1));
          }
          const auto stream = runner.run_word(word, {&promises});
          ASSERT_TRUE(stream.has_value());
          for (std::size_t token = 0; token <= n; ++token) {
            const auto logits = runner.logits(stream.value(), token);
            EXPECT_EQ(logits[0], sign(surplus[token] == 0));
            EXPECT_EQ(logits[1], sign(surplus[token >= k ? token - k : 0] == 0));
            for (const char* cell : {"count", "shifted", "letters", "D", "P", "Z"})
              for (const std::uint32_t c : model.cells.at(cell).coordinates)
                EXPECT_EQ(stream.value().at(token, c), ValuePool::kZero) << cell;
          }
        }
      EXPECT_EQ(promises.broken().value_or(""), "");
    }
}

}  // namespace
}  // namespace logdepth::building_blocks_comparison_tests
