// What a head promises, checked against the contract's own words: every position compared, no
// directions numbered, nothing kept from row to row.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/segments.hpp"
#include "runtime/stream/stream.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"

namespace logdepth::contracts_tests {
namespace {

using Positions = std::vector<std::size_t>;
using Vector = std::vector<Real>;

/// One head at work: what every token holds, its queries and its keys.
struct Case {
  Contract contract;
  bool causal = true;
  std::vector<Vector> streams, queries, keys;

  std::size_t visible(std::size_t row) const { return causal ? row + 1 : streams.size(); }
};

Real form(const SparseVector& form, const Vector& stream) {
  Real sum;
  for (const SparseEntry& e : form) sum = sum + stream[e.index].scaled(e.value);
  return sum;
}

bool positive_multiple(const Real& qx, const Real& qy, const Real& kx, const Real& ky) {
  return (qx * ky - qy * kx).is_zero() && (qx * kx + qy * ky).sign() > 0;
}

Positions all(std::size_t count) {
  Positions positions;
  for (std::size_t j = 0; j < count; ++j) positions.push_back(j);
  return positions;
}

/// What the contract says has to be selected; empty when it cannot be kept.
Positions promised(const Case& c, std::size_t row) {
  const Positions visible = all(c.visible(row));
  if (const auto* rightmost = std::get_if<RightmostContract>(&c.contract)) {
    std::size_t best = 0;
    for (const std::size_t j : visible)
      if (form(rightmost->flag, c.streams[j]) >= form(rightmost->flag, c.streams[best])) best = j;
    return {best};
  }
  if (const auto* flagged = std::get_if<FlaggedContract>(&c.contract)) {
    if (flagged->when && form(*flagged->when, c.streams[row]).sign() <= 0) return visible;
    Positions found;
    for (const std::size_t j : visible)
      if (form(flagged->flag, c.streams[j]).sign() > 0) found.push_back(j);
    return found.empty() ? visible : found;
  }
  if (const auto* related = std::get_if<RelatedContract>(&c.contract)) {
    Positions found, preferred;
    for (const std::size_t j : visible)
      if (std::any_of(related->pairs.begin(), related->pairs.end(), [&](const auto& pair) {
            return c.streams[row][pair.query].sign() > 0 && c.streams[j][pair.key].sign() > 0;
          })) {
        found.push_back(j);
        if (form(related->prefer, c.streams[j]).sign() > 0) preferred.push_back(j);
      }
    return preferred.empty() ? found : preferred;
  }
  const auto& find = std::get<FindContract>(c.contract);
  Positions found;
  for (const std::size_t j : visible) {
    bool match = true;
    for (std::size_t t = 0; t < 2 * find.terms; t += 2)
      match = match && positive_multiple(c.queries[row][t], c.queries[row][t + 1], c.keys[j][t],
                                         c.keys[j][t + 1]);
    if (!match) continue;
    if (find.prefer && !found.empty()) {
      const auto order = c.keys[j].back() <=> c.keys[found.front()].back();
      if (order < 0) continue;
      if (order > 0) found.clear();
    }
    found.push_back(j);
  }
  if (find.exactly_one && found.size() != 1) return {};
  return found;
}

/// A model of one layer with one head, of which only the contract matters.
Model model_with(const Case& c) {
  Model model = example_cells_model();
  Layer layer;
  layer.attention.heads.push_back({c.causal, {}, {}, {}, {}, c.contract});
  model.layers = {layer};
  return model;
}

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  Case draw() {
    Case c;
    c.causal = below(2) == 0;
    const std::size_t tokens = 1 + below(9), terms = 1 + below(2), kind = below(5);
    const bool prefer = below(2) == 0;
    SparseVector flag, when;
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (below(2)) flag.push_back({i, Rational(below(2) ? 1 : -1)});
      if (below(2)) when.push_back({i, Rational(1, 2)});
    }
    if (kind == 0) c.contract = RightmostContract{flag};
    if (kind == 1) c.contract = FlaggedContract{flag, std::nullopt};
    if (kind == 1 && below(2)) std::get<FlaggedContract>(c.contract).when = when;
    if (kind == 2) c.contract = RelatedContract{{{0, 1}, {2, 2}}, when};
    if (kind > 2)
      c.contract = FindContract{static_cast<std::uint32_t>(terms), prefer, below(3) == 0};
    pool_.clear();
    for (std::size_t i = 0; i < 2 + below(3); ++i) pool_.push_back(direction());
    for (std::size_t i = 0; i < tokens; ++i) {
      c.streams.push_back({number(), number(), number()});
      c.queries.push_back(terms_of(terms));
      c.keys.push_back(terms_of(terms));
      if (below(4) == 0) c.queries.back().emplace_back(7);  // beyond the terms: of no importance
      c.queries.back().resize(2 * terms + 1);
      c.keys.back().push_back(Real(static_cast<std::int64_t>(below(2))));
    }
    return c;
  }

 private:
  Real number() {
    static const std::vector<Real> some = {
        0, 1, -1, Rational(1, 2), Real::root(Rational(2)), -Real::root(Rational(2)) + Real(1)};
    return some[below(some.size())];
  }
  /// Codes, roots, axes, zero, and directions that a double cannot tell apart.
  std::pair<Real, Real> direction() {
    const auto p = static_cast<std::int64_t>(below(4));
    switch (below(5)) {
      case 0: {
        const auto code = circle_code(1000000000 + static_cast<std::uint64_t>(p));
        return {code[0], code[1]};
      }
      case 1:
        return {Real(p).divided_by_root(Rational(p * p + 1)),
                Real(1).divided_by_root(Rational(p * p + 1))};
      case 2:
        return {Real(p - 1), Real(static_cast<std::int64_t>(below(3)) - 1)};
      case 3:
        return {Real::root(Rational(2)) + Real(Rational(p, std::int64_t{1} << 60)), Real(1)};
      default:
        return {number(), number()};
    }
  }
  Vector terms_of(std::size_t terms) {
    Vector vector;
    for (std::size_t t = 0; t < terms; ++t) {
      auto [x, y] = pool_[below(pool_.size())];
      const Rational factor = below(3) == 0 ? Rational(2, 3) : below(6) == 0 ? Rational(-1) : 1;
      vector.push_back(x.scaled(factor));
      vector.push_back(y.scaled(factor));
    }
    return vector;
  }
  std::mt19937_64 random_;
  std::vector<std::pair<Real, Real>> pool_;
};

TEST(Contracts, AreKeptExactlyWhenTheirWordsAre) {
  RandomCases cases(laws::seed());
  std::map<std::pair<std::size_t, bool>, std::size_t> seen;  // kind of contract, kept
  for (int i = 0; i < 6000; ++i) {
    const Case c = cases.draw();
    const Model model = model_with(c);
    Exact arithmetic;
    Stream<ValueId> stream(
        std::make_shared<SegmentPools<ValueId>>(segments_of(model), ValuePool::kZero),
        c.streams.size());
    TuplePool<ValueId> vectors(c.keys.front().size(), ValuePool::kZero);
    HeadRows<ValueId> rows;
    rows.causal = c.causal;
    rows.vectors = &vectors;
    const auto numbers = [&](const Vector& vector, std::size_t size) {
      std::vector<ValueId> ids;
      for (const Real& x : vector) ids.push_back(arithmetic.number(x));
      ids.resize(size, arithmetic.zero());
      return ids;
    };
    for (std::size_t token = 0; token < c.streams.size(); ++token) {
      stream.set_row(token, numbers(c.streams[token], model.width));
      rows.queries.push_back(vectors.intern(numbers(c.queries[token], vectors.length()).data()));
      rows.keys.push_back(vectors.intern(numbers(c.keys[token], vectors.length()).data()));
    }
    ContractCheck check(model, arithmetic);
    const Location location{1, 0, Sublayer::attention};
    check.before(location, stream);
    check.on_head(location, 0, rows);
    for (std::size_t row = rows.tokens(); row-- > 0;) {  // rows come in any order
      const Positions wanted = promised(c, row);
      Positions selected = wanted;
      if (selected.empty() || cases.below(2)) {  // something else, at least one position
        selected.clear();
        for (std::size_t j = 0; j < c.visible(row); ++j)
          if (cases.below(2)) selected.push_back(j);
        if (selected.empty()) selected.push_back(cases.below(c.visible(row)));
      }
      const std::function<Positions()> positions = [&] { return selected; };
      bool one_key = true;
      for (const std::size_t j : selected)
        one_key = one_key && c.keys[j] == c.keys[selected.front()];
      check.on_row(location, 0,
                   {row, c.visible(row), selected.size(), selected.back(), one_key, &positions});
      EXPECT_EQ(!check.broken(), selected == wanted)
          << "case " << i << ", row " << row << ": " << check.broken().value_or("kept");
      ++seen[{c.contract.index(), !check.broken()}];
      check.forgive();
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [kind, count] : seen) EXPECT_GT(count, 500u) << kind.first << kind.second;
}

/// A head over two cells of the stream, run for real: query and key take cells 0 and 1.
Model head_model(const Contract& contract, bool causal) {
  Model m;
  m.name = "head";
  m.width = 4;
  m.input = CellsInput{{"x", "y", "f"}, false};
  m.unroll.kind = Unroll::Kind::fixed;
  m.output = CellsOutput{{"x"}};
  m.unembedding = {1, 4, {{0, 0, 1}}};
  m.position = FirstFlagPosition{};
  m.shape = {1, 0, 0};
  Layer layer;
  layer.block = Block::initial;
  layer.attention.mask = {{0, 1}, {1, 1}};
  const SparseMatrix both{2, 4, {{0, 0, 1}, {1, 1, 1}}};
  layer.attention.heads = {{causal, both, both, {0, 4, {}}, {4, 0, {}}, contract}};
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  m.layers = {layer};
  EXPECT_EQ(first_violation(m), "");
  return m;
}

std::string broken_by(const Model& model, const std::vector<Vector>& rows) {
  Runner runner(model);
  ContractCheck check(model, runner.arithmetic());
  EXPECT_TRUE(runner.run(cells_tokens(rows), {&check}).has_value());
  EXPECT_EQ(check.total_evaluated(), rows.size());
  return check.broken().value_or("");
}

// Under a mask of the pair alone every direction is a unit vector, and the best key is the token's.
TEST(Contracts, ARunThatFindsItsOwnDirectionKeepsTheContractToFind) {
  const std::vector<Vector> rows = {
      {3, 4, 1}, {Real(1), Real::root(Rational(2)), 1}, {6, 8, -1}, {-3, -4, 1}};
  const Contract find = FindContract{1, false, false};
  EXPECT_EQ(broken_by(head_model(find, true), rows), "");
  EXPECT_EQ(broken_by(head_model(find, false), rows), "");
  EXPECT_EQ(broken_by(head_model(FindContract{1, false, true}, true), rows),
            "layer 1, head 0, token 2: expected the one position that matches, found 2 of 3 "
            "(position 0, 2)");
  // A token that is zero finds nothing, whatever it selects.
  EXPECT_EQ(broken_by(head_model(find, true), {{0, 0, 1}}),
            "layer 1, head 0, token 0: expected the matching positions, found 1 of 1 (position "
            "0)");
}

TEST(Contracts, TheContractOfALargestFlagCountsEveryFlag) {
  // Selected is the own direction; promised the last position with the largest 2 x + f.
  const Contract rightmost = RightmostContract{{{0, 2}, {2, 1}}};
  EXPECT_EQ(broken_by(head_model(rightmost, true), {{1, 0, 0}, {0, 1, 2}, {1, 1, 1}}), "");
  EXPECT_EQ(broken_by(head_model(rightmost, true), {{1, 0, 1}, {0, 1, 0}}),
            "layer 1, head 0, token 1: expected the last position where the flags are largest, "
            "found 1 of 2 (position 1)");
}

TEST(Contracts, AFlaggedHeadTakesAllPositionsWhereItsConditionFails) {
  const SparseVector flag = {{2, 1}}, when = {{0, 1}};
  // Both tokens have one direction, so each selects both.
  EXPECT_EQ(broken_by(head_model(FlaggedContract{flag, {}}, false), {{1, 1, 1}, {2, 2, 1}}), "");
  EXPECT_EQ(broken_by(head_model(FlaggedContract{flag, {}}, false), {{1, 1, -1}, {2, 2, 0}}), "");
  EXPECT_EQ(broken_by(head_model(FlaggedContract{flag, when}, false), {{-1, 1, 1}, {-2, 2, -1}}),
            "");
  EXPECT_EQ(broken_by(head_model(FlaggedContract{flag, {}}, false), {{1, 1, 1}, {2, 2, -1}}),
            "layer 1, head 0, token 0: expected the flagged positions, found 2 of 2 (position "
            "0, 1)");
}

}  // namespace
}  // namespace logdepth::contracts_tests
