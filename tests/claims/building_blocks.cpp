// Appendix A of MS25, Lemmas A.1 to A.5, against direct formulas: scalars are read, stored,
// overwritten and cleared, in the layers that the constructions say, and nothing else changes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/program.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::building_blocks_tests { namespace {

using RealRow = std::vector<Real>;
using RealRows = std::vector<RealRow>;

Real phi(const Rational& z, std::size_t index) {
  return Real(index == 0 ? z : Rational(1)).divided_by_root(z * z + Rational(1));
}
RealRow phi(const Rational& z) {
  return {phi(z, 0), phi(z, 1)};
}
RealRow joined(std::initializer_list<RealRow> parts) {
  RealRow row;
  for (const RealRow& part : parts) row.insert(row.end(), part.begin(), part.end());
  return row;
}

/// Zero, small and large, both signs, and neighbours that differ by 1/10^9.
std::vector<Rational> hostile_rationals() {
  std::vector<Rational> values = {Rational(0)};
  const Rational tiny(1, 1000000000);
  for (const Rational& z :
       {tiny, Rational(1, 3), Rational(1, 2), Rational(1), Rational(1) + tiny, Rational(4, 3),
        Rational(2), Rational(7), Rational(7) + tiny, Rational(1000000000)}) {
    values.push_back(z);
    values.push_back(-z);
  }
  return values;
}

/// A block through its weights file: compiled, written, read, and run exactly on raw streams.
class BlockRun {
 public:
  /// `change` edits the weights by hand; the interpreter is then no longer asked.
  explicit BlockRun(Program program, Norm norm = Norm::rms,
                    const std::function<void(Model&)>& change = nullptr)
      : program_(std::move(program)), changed_(change != nullptr) {
    Model model = compile(program_, {norm, false, std::nullopt}).model;
    if (change) change(model);
    model_ = parse_weights(write_weights(model), program_.name);
    EXPECT_EQ(model_, model);
    runner_.emplace(model_);
    contracts_.emplace(model_, runner_->arithmetic());
  }
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;
  ~BlockRun() {
    for (const HeadPlace& head : contracts_->unevaluated())
      ADD_FAILURE() << program_.name << ": the promise of " << describe(head)
                    << " was never checked";
  }

  const Model& model() const { return model_; }
  std::size_t layers() const { return model_.layers.size(); }
  bool has_attention(std::size_t layer) const {
    return !model_.layers.at(layer).attention.heads.empty();
  }
  bool has_feedforward(std::size_t layer) const {
    return model_.layers.at(layer).feedforward.in.rows > 0;
  }

  /// Runs rows that the program admits: after every sublayer each cell is what the interpreter
  /// says.
  void run(const RealRows& rows) {
    const Tokens tokens = cells_tokens(rows);
    go(tokens);
    if (changed_) return;
    if (const auto found = first_difference(program_, model_, tokens).value())
      ADD_FAILURE() << describe(*found);
  }
  /// Runs any rows: what the weights do beyond what was proved of the program.
  void run_outside(const RealRows& rows) { go(cells_tokens(rows)); }

  Real output(std::size_t token, std::size_t row) { return runner_->logits(*end_, token)[row]; }

  /// The listed cells hold these values at the end; every other coordinate of the stream, padding
  /// and mirrors included, holds what it held before the first layer.
  void expect_only(const std::map<std::string, RealRows>& changes, const std::string& what) {
    const bool mirrored = model_.norm == Norm::layernorm;
    for (std::size_t token = 0; token < end_->tokens; ++token) {
      std::map<std::uint32_t, Real> expected;
      for (const auto& [cell, rows] : changes) {
        const auto& coordinates = model_.cells.at(cell).coordinates;
        ASSERT_EQ(rows.at(token).size(), coordinates.size());
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
          expected[coordinates[i]] = rows[token][i];
          if (mirrored) expected[coordinates[i] + model_.width / 2] = -rows[token][i];
        }
      }
      for (std::uint32_t c = 0; c < model_.width; ++c) {
        const auto change = expected.find(c);
        const Real want = change == expected.end() ? value(*start_, token, c) : change->second;
        ASSERT_EQ(value(*end_, token, c), want)
            << "expected " << want.text() << ", found " << value(*end_, token, c).text() << ": "
            << what << ", token " << token << ", coordinate " << c;
      }
    }
  }

 private:
  class Beginning : public ForwardObserver<ValueId> {
   public:
    void before(const Location& location, const Stream<ValueId>& stream) override {
      if (!first) first = stream;
      steps = location.step;
    }
    std::optional<Stream<ValueId>> first;
    std::size_t steps = 0;
  };

  void go(const Tokens& tokens) {
    Beginning beginning;
    auto stream = runner_->run(tokens, {&*contracts_, &beginning});
    ASSERT_TRUE(stream.has_value()) << describe(stream.refusal());
    EXPECT_EQ(contracts_->broken().value_or(""), "");
    EXPECT_EQ(beginning.steps, layers());
    start_ = beginning.first;
    end_ = std::move(stream).value();
  }
  const Real& value(const Stream<ValueId>& stream, std::size_t token, std::size_t coordinate) {
    return runner_->arithmetic().pool()[stream.at(token, coordinate)];
  }

  Program program_;
  bool changed_;
  Model model_;
  std::optional<Runner> runner_;
  std::optional<ContractCheck> contracts_;
  std::optional<Stream<ValueId>> start_, end_;
};

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

// Appendix A of MS25, Lemmas A.6 and A.7, against direct formulas: offsets of positions and
// equality of scalars; and a program of words that is put together from the parts.

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

}}  // namespace logdepth::building_blocks_tests
