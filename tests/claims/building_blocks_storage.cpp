// Appendix A of MS25, Lemmas A.1 to A.5, against direct formulas: scalars are read, stored,
// overwritten and cleared, in the layers that the constructions say, and nothing else changes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/program.hpp"
#include "tests/support/building_blocks_run.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::building_blocks_storage_tests {
namespace {

using support::BlockRun;
using support::hostile_rationals;
using support::joined;
using support::phi;
using support::RealRow;
using support::RealRows;

const std::vector<Norm> kNorms = {Norm::rms, Norm::layernorm};
const std::vector<ReadBy> kReaders = {ReadBy::feedforward, ReadBy::attention};
const RealRow kBlank2(2);

RealRow psi(const Rational& z) {
  return {Real(z), Real(1)};
}

/// The layer of the block is one sublayer of it.
void expect_one_sublayer(const BlockRun& block, ReadBy by) {
  EXPECT_EQ(block.layers(), 1u);
  EXPECT_EQ(block.has_attention(0), by == ReadBy::attention);
  EXPECT_EQ(block.has_feedforward(0), by == ReadBy::feedforward);
}

// --- A.1 -----------------------------------------------------------------------------------------

TEST(LemmaA1, PhiIsReadFromPhiAndFromPsiForEveryRational) {
  for (const Norm norm : kNorms)
    for (const ReadBy by : kReaders) {
      BlockRun block(read_MS25_lemA1(Stored::unit, by), norm);
      expect_one_sublayer(block, by);
      RealRows unit, raw, mixed;
      for (const Rational& z : hostile_rationals()) {
        unit.push_back(phi(z));
        raw.push_back(psi(z));
        mixed.push_back(mixed.size() % 2 == 0 ? psi(z) : phi(z));
      }
      block.run(unit);
      block.expect_only({{"x", unit}}, "phi");
      block.run_outside(raw);
      block.expect_only({{"x", unit}}, "psi");
      block.run_outside(mixed);
      block.expect_only({{"x", unit}}, "either");
      EXPECT_EQ(block.output(0, 1), Real(1));  // phi(0) = (0, 1)
    }
}

TEST(LemmaA1, PositionsAndNaturalNumbersAreReadByTheSameWeights) {
  for (const Norm norm : kNorms)
    for (const ReadBy by : kReaders) {
      BlockRun unit(read_MS25_lemA1(Stored::unit, by), norm);
      BlockRun position(read_MS25_lemA1(Stored::position, by), norm);
      BlockRun natural(read_MS25_lemA1(Stored::natural, by), norm);
      EXPECT_EQ(position.model().layers, unit.model().layers);
      EXPECT_EQ(natural.model().layers, unit.model().layers);
      RealRows rows, units;
      for (std::int64_t i = 0; i <= 20; ++i) {
        rows.push_back(psi(i));
        units.push_back(phi(i));
        unit.run({units.back()});
        if (i == 0) continue;
        natural.run(RealRows(3, psi(i)));
        natural.expect_only({{"x", RealRows(3, phi(i))}}, "m = " + std::to_string(i));
      }
      position.run(rows);
      position.expect_only({{"x", units}}, "positions");
    }
}

Rational random_rational() {
  const auto numerator = *rc::gen::inRange<std::int64_t>(-1000000, 1000000);
  const auto denominator = *rc::gen::inRange<std::int64_t>(1, 1000000);
  return {numerator, denominator};
}

RC_GTEST_PROP(LemmaA1, RandomRationalsAreRead, ()) {
  static BlockRun block(read_MS25_lemA1(), Norm::rms);
  const Rational z = random_rational();
  block.run({phi(z)});
  block.expect_only({{"x", {phi(z)}}}, z.text());
  block.run_outside({psi(z)});
  block.expect_only({{"x", {phi(z)}}}, z.text());
}

// --- A.2 -----------------------------------------------------------------------------------------

/// Unit vectors of `size` components: signs, phi, (2, 3, 6)/7 and (1, 1, 1, 1)/2.
std::vector<RealRow> unit_vectors(std::uint32_t size) {
  const auto sevenths = [](std::int64_t a) { return Real(Rational(a, 7)); };
  const Real half(Rational(1, 2));
  std::vector<RealRow> vectors;
  if (size == 1) return {{Real(1)}, {Real(-1)}};
  if (size == 3) return {{sevenths(2), sevenths(-3), sevenths(6)}, {Real(0), Real(-1), Real(0)}};
  if (size == 4) return {{half, -half, half, half}, {Real(0), Real(0), Real(0), Real(1)}};
  for (const Rational& z : hostile_rationals()) vectors.push_back(phi(z));
  return vectors;
}

void expect_read_exactly(const std::vector<std::uint32_t>& sizes, Norm norm, ReadBy by) {
  BlockRun block(read_several_MS25_lemA2(sizes, by), norm);
  expect_one_sublayer(block, by);
  RealRows rows(21);
  std::map<std::string, RealRows> read;
  for (std::size_t token = 0; token < rows.size(); ++token)
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const auto vectors = unit_vectors(sizes[j]);
      const RealRow& z = vectors[(token * (j + 1) + j) % vectors.size()];
      rows[token] = joined({rows[token], z});
      read["x" + std::to_string(j)].push_back(z);
    }
  block.run(rows);
  block.expect_only(read, std::to_string(sizes.size()) + " vectors");
}

TEST(LemmaA2, SeveralUnitVectorsAreReadExactlyByOneMask) {
  for (const Norm norm : kNorms)
    for (const ReadBy by : kReaders) {
      for (std::size_t k = 1; k <= 10; ++k)
        expect_read_exactly(std::vector<std::uint32_t>(k, 2), norm, by);
      // All sizes from 1 to 4, up to four vectors.
      for (std::uint32_t code = 0; code < 256; ++code)
        if (norm == Norm::rms || code % 7 == 0)
          expect_read_exactly({code % 4 + 1, code / 4 % 4 + 1, code / 16 % 4 + 1, code / 64 + 1},
                              norm, by);
    }
}

TEST(LemmaA2, TheConstantCompletesEveryNumberOfVectorsToASquare) {
  for (std::size_t k = 1; k <= 10; ++k) {
    const BlockRun block(read_several_MS25_lemA2(std::vector<std::uint32_t>(k, 2)));
    const std::uint32_t one = block.model().cells.at("one").coordinates[0];
    Rational weight;
    for (const SparseEntry& entry : block.model().layers[0].feedforward.mask)
      if (entry.index == one) weight = entry.value;
    const bool square = k == 1 || k == 4 || k == 9;
    const std::int64_t vectors = static_cast<std::int64_t>(k);
    EXPECT_EQ(weight, square ? Rational(0) : Rational(vectors - 1, 2)) << k;
    EXPECT_TRUE((weight * weight + Rational(vectors)).square_root()) << k;
    EXPECT_EQ(Rational(2 * vectors).square_root().has_value(), k == 2 || k == 8) << k;
  }
}

// --- A.3 -----------------------------------------------------------------------------------------

/// Words of flags up to a length, each as rows of one value.
std::vector<RealRows> flag_words(std::size_t length) {
  std::vector<RealRows> words;
  for (std::size_t n = 1; n <= length; ++n)
    for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
      RealRows word;
      for (std::size_t i = 0; i < n; ++i) word.push_back({bits >> i & 1 ? Real(1) : Real(-1)});
      words.push_back(std::move(word));
    }
  return words;
}

/// The average of the flags up to each token.
std::vector<Rational> averages(const RealRows& flags) {
  std::vector<Rational> result;
  Rational sum;
  for (const RealRow& row : flags) {
    sum += row[0].rational_part();
    result.push_back(sum / Rational(static_cast<std::int64_t>(result.size() + 1)));
  }
  return result;
}

RealRows phi_of(const std::vector<Rational>& values) {
  RealRows rows;
  for (const Rational& z : values) rows.push_back(phi(z));
  return rows;
}

TEST(LemmaA3, ComputedScalarsAreStoredAsPhiInOneLayerAndPsiIsClearedInTwo) {
  const Rational tiny(1, 1000000000);
  for (const Norm norm : kNorms)
    for (const Rational& scale :
         {Rational(1), Rational(-3), Rational(5, 7), tiny, Rational(0), Rational(1000000000)}) {
      BlockRun kept(store_MS25_lemA3({scale, false}), norm);
      BlockRun cleared(store_MS25_lemA3({scale, true}), norm);
      EXPECT_EQ(kept.layers(), 1u);
      EXPECT_EQ(cleared.layers(), 2u);
      EXPECT_FALSE(cleared.has_feedforward(1));
      for (const RealRows& word : flag_words(6)) {
        std::vector<Rational> z;
        RealRows raw;
        for (const Rational& average : averages(word)) {
          z.push_back(scale * average);
          raw.push_back(psi(z.back()));
        }
        kept.run(word);
        kept.expect_only({{"x", phi_of(z)}, {"z", raw}}, "scale " + scale.text());
        cleared.run(word);
        cleared.expect_only({{"x", phi_of(z)}}, "scale " + scale.text());
        if (HasFailure()) return;
      }
    }
}

/// Sends what is written to `from` in this layer's feed-forward sublayer to `to`.
void redirect(Model& model, std::size_t layer, const std::string& from, const std::string& to) {
  auto& entries = model.layers[layer].feedforward.out.entries;
  const std::uint32_t mirror = model.norm == Norm::layernorm ? model.width / 2 : 0;
  for (MatrixEntry& entry : entries)
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint32_t source = model.cells.at(from).coordinates[i];
      const std::uint32_t target = model.cells.at(to).coordinates[i];
      if (entry.row == source) {
        entry.row = target;
      } else if (mirror && entry.row == source + mirror) {
        entry.row = target + mirror;
      }
    }
  std::sort(entries.begin(), entries.end(), [](const MatrixEntry& a, const MatrixEntry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
}

TEST(LemmaA3, PhiMayAlsoBeWrittenOntoPsiItselfBeforePsiIsTakenAway) {
  for (const Norm norm : kNorms) {
    BlockRun block(store_MS25_lemA3(), norm, [](Model& m) { redirect(m, 0, "x", "z"); });
    for (const RealRows& word : flag_words(6)) {
      block.run(word);
      block.expect_only({{"z", phi_of(averages(word))}}, "in place");
    }
  }
}

TEST(LemmaA3, InTheOrderOfThePaperPsiIsGoneBeforeItCanBeRead) {
  BlockRun block(store_MS25_lemA3(), Norm::rms, [](Model& m) {
    redirect(m, 0, "x", "z");
    std::swap(m.layers[0].feedforward, m.layers[1].feedforward);
  });
  block.run({{Real(1)}});
  block.expect_only({}, "z is blank, not phi(1)");
}

// --- A.4 -----------------------------------------------------------------------------------------

TEST(LemmaA4, UnitVectorsAreRemovedAndOverwrittenByOneFeedForwardSublayer) {
  for (const Norm norm : kNorms)
    for (std::uint32_t size = 1; size <= 4; ++size) {
      BlockRun remove(remove_MS25_lemA4(size), norm), overwrite(overwrite_MS25_lemA4(size), norm);
      expect_one_sublayer(remove, ReadBy::feedforward);
      expect_one_sublayer(overwrite, ReadBy::feedforward);
      const auto vectors = unit_vectors(size);
      for (const RealRow& y : vectors) {
        RealRows rows, values, zeros;
        for (const RealRow& z : vectors) {
          rows.push_back(joined({z, phi(Rational(-5, 3))}));
          values.push_back(joined({rows.back(), y}));
          zeros.emplace_back(size);
        }
        remove.run(rows);
        remove.expect_only({{"z", zeros}}, "removed");
        overwrite.run(values);
        overwrite.expect_only({{"z", RealRows(vectors.size(), y)}}, "overwritten");
      }
    }
}

TEST(LemmaA4, APsiOfAnotherNormIsNotRemoved) {
  BlockRun block(remove_MS25_lemA4());
  block.run_outside({joined({psi(1), phi(0)})});
  const Real rest = Real(1) - phi(1, 0);
  block.expect_only({{"z", {{rest, rest}}}}, "psi(1) - phi(1)");
}

// --- A.5 -----------------------------------------------------------------------------------------

void negate(SparseMatrix& matrix) {
  for (MatrixEntry& entry : matrix.entries) entry.value = -entry.value;
}

/// The lemma's second layer, as its proof says: a copy of the first with all signs flipped.
Layer flipped(const Layer& layer) {
  Layer copy = layer;
  for (Head& head : copy.attention.heads) negate(head.output);
  negate(copy.feedforward.out);
  return copy;
}

void set_layers(Model& model, std::vector<Layer> layers) {
  model.layers = std::move(layers);
  model.shape.initial = static_cast<std::uint32_t>(model.layers.size());
}

TEST(LemmaA5, ALayerIsUndoneAndNothingStays) {
  for (const Norm norm : kNorms) {
    BlockRun block(clear_MS25_lemA5(), norm);
    EXPECT_EQ(block.layers(), 2u);
    for (const RealRows& word : flag_words(7)) {
      block.run(word);
      block.expect_only({}, "everything as before");
    }
  }
}

TEST(LemmaA5, TheCopyWithFlippedSignsUndoesAttentionButNotTheFeedForwardSublayerBehindIt) {
  for (const Norm norm : kNorms) {
    BlockRun block(clear_MS25_lemA5(), norm, [](Model& m) {
      set_layers(m, {m.layers[0], flipped(m.layers[0])});
    });
    for (const RealRows& word : flag_words(5)) {
      block.run(word);
      block.expect_only({{"x", phi_of(averages(word))}}, "x stays behind");
    }
  }
}

TEST(LemmaA5, FeedForwardFirstAndAttentionInTheNextLayerUndoesBoth) {
  for (const Norm norm : kNorms) {
    BlockRun block(clear_MS25_lemA5(), norm, [](Model& m) {
      Layer feedforward = flipped(m.layers[0]), attention = feedforward;
      feedforward.attention = {};
      attention.feedforward.mask.clear();
      attention.feedforward.in.rows = attention.feedforward.out.columns = 0;
      attention.feedforward.in.entries.clear();
      attention.feedforward.out.entries.clear();
      set_layers(m, {m.layers[0], feedforward, attention});
    });
    for (const RealRows& word : flag_words(5)) {
      block.run(word);
      block.expect_only({}, "everything as before");
    }
  }
}

TEST(LemmaA5, UndoneHeadsRepeatAveragesAloneAndWithFlippedSigns) {
  using namespace cells;
  cells::Program p("undone");
  const auto one = p.constant();
  const auto e = p.flag("e");
  const auto I = p.key("I", PositionCode::phi);
  const auto Q = p.pointer("Q", PositionCode::phi);
  const auto D = p.number("D", 2);
  p.initial(
      undone({fetch("near").causal(nearest(Q).key(I)).copy(Q, I).add(D[0], I[0] - one / 2),
              fetch("copies").causal(match(I).key(I)).copy(Q, I).set(e),
              fetch("far").unmasked(flagged(e).when(!e)).set(e).add(D[1], Fraction(2, 3) * e)}));
  const std::string text = p.text();
  EXPECT_EQ(text.substr(text.find("initial\n")),
            "initial\n"
            "  fetch near_again causal nearest Q key I\n"
            "    add D[0] - I[0] + 1/2 one\n"
            "  fetch far_again unmasked flagged e=true when e=false\n"
            "    add D[1] - 2/3 e\n\n");
}

TEST(LemmaA5, OnlyHeadsAreUndone) {
  using namespace cells;
  cells::Program p("undone");
  const auto e = p.flag("e");
  const auto D = p.number("D");
  EXPECT_THROW((void)undone({fetch("near").causal(uniform()).add(D, e), test(e).zero(D)}),
               InputError);
}

}  // namespace
}  // namespace logdepth::building_blocks_storage_tests
