// The exact instance of the numbers: signs of sums with a rational part beside roots, and norms of
// vectors whose mean is not zero.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::exact_runs_tests {
namespace {

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

}  // namespace
}  // namespace logdepth::exact_runs_tests
