// What the interpreter says of single statements, where a program breaks its own word, and which
// inputs it does not take.
#include "compiler/meaning/interpret.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/stream/stream.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::interpret_tests { namespace {

using Rows = std::vector<std::vector<Real>>;

const std::string kHead = "logdepth-cells 1\ninput cells\nunroll fixed 0\n";

/// A program over raw cells, run on these rows; the message of the interpreter's complaint, if any.
struct Told {
  std::string broken;
  CellStates states;
};
Told tell(const std::string& text, Rows rows) {
  const Program program = parse_program(kHead + text, "test");
  try {
    return {"", interpret(program, cells_tokens(std::move(rows)))};
  } catch (const BrokenProgram& error) {
    return {error.what(), {}};
  }
}
std::vector<Real> column(const CellStates& states, const Component& c) {
  std::vector<Real> values;
  for (std::size_t token = 0; token < states.tokens; ++token) values.push_back(states.at(token, c));
  return values;
}

void expect_broken(const std::string& text, const Rows& rows, const std::string& reason) {
  const std::string broken = tell(text, rows).broken;
  EXPECT_NE(broken.find(reason), std::string::npos) << broken << "\nexpected: " << reason;
}

// --- writes --------------------------------------------------------------------------------------

TEST(Interpreter, RefusesACopyOntoACellThatHoldsAnythingAlsoANegativeValue) {
  const std::string text =
      "cell I key circle\ncell f flag\ncell g flag\ngiven I\ngiven f\ngiven g\n"
      "initial\nfetch f causal match I key I\ncopy g f\n";
  const Real zero(0), one(1);
  for (const int held : {-1, 1})
    expect_broken(text, {{zero, one, one, Real(held)}}, "cell g is not blank");
  const std::string normalise =
      "cell n number 2\ncell d direction 2\ngiven n natural\ngiven d\n"
      "initial\nnormalise d from n[0] n[1]\n";
  expect_broken(normalise, {{Real(2), one, Real(-1), zero}}, "cell d is not blank");
}

TEST(Interpreter, SetsFlagsAndLabelsAtTheTokenItself) {
  const std::string text =
      "cell I key circle\ncell x onehot a b\ncell f flag\ngiven I\ngiven x\ngiven f\n"
      "initial\nfetch f causal match I key I\nset x=b\nset f=false\n";
  const Told told = tell(text, {{0, 1, 1, 0, 1}, {Rational(-3, 5), Rational(4, 5), 1, 0, -1}});
  ASSERT_EQ(told.broken, "");
  EXPECT_EQ(column(told.states, {1, 0}), (std::vector<Real>{0, 0}));
  EXPECT_EQ(column(told.states, {1, 1}), (std::vector<Real>{1, 1}));
  EXPECT_EQ(column(told.states, {2, 0}), (std::vector<Real>{-1, -1}));
}

TEST(Interpreter, TestsOnlyFlagsThatHoldTheExpectedValue) {
  const std::string cells = "cell n number 2\ncell f flag\ngiven n natural\ngiven f\n";
  const Rows rows = {{2, 1, 1}};
  EXPECT_EQ(tell(cells + "initial\ntest f zero n[0]\n", rows).states.at(0, {1, 0}), Real(-1));
  expect_broken(cells + "initial\ntest f positive n[0]\n", rows, "flag f is not false");
  expect_broken(cells + "initial\ntest f zero n[0]\ntest f zero n[0]\n", rows,
                "flag f is not true");
  EXPECT_EQ(tell(cells + "initial\ntest f positive n[0]\n", {{2, 1, -1}}).states.at(0, {1, 0}),
            Real(1));
}

// --- selectors -----------------------------------------------------------------------------------

TEST(Interpreter, FindsNothingWithoutAMatchAPositiveMarginOrADirection) {
  const std::string cells =
      "cell one constant\ncell d direction 2\ncell e direction 2\ncell f flag\ncell n number 1\n"
      "given d\ngiven e\ngiven f\ninitial\n";
  const std::string add = "add n + 1/2 one + 1/2 f\n";
  const Real a(Rational(3, 5)), b(Rational(4, 5));
  const Rows rows = {{a, b, a, b, 1}, {b, a, a, b, -1}, {-a, -b, -a, b, -1}};
  // d of a token against e of the visible ones.
  expect_broken(cells + "fetch f causal find d key e\n" + add, rows,
                "token 1: no visible position matches");
  const Told self = tell(cells + "fetch f unmasked find e key e\n" + add, rows);
  ASSERT_EQ(self.broken, "");
  EXPECT_EQ(column(self.states, {4, 0}), (std::vector<Real>{Rational(1, 2), Rational(1, 2), 0}));
  const Told preferred =
      tell(cells + "fetch f unmasked find e key e prefer f=true margin one\n" + add, rows);
  EXPECT_EQ(column(preferred.states, {4, 0}), (std::vector<Real>{1, 1, 0}));
  expect_broken(cells + "fetch f unmasked find-one e key e\n" + add, rows,
                "token 0: 2 visible positions match");
  EXPECT_EQ(tell(cells + "fetch f unmasked find-one e key e and d key d\n" + add, rows).broken, "");
  // The opposite direction is no match, and the preference decides before the count.
  expect_broken(cells + "fetch f unmasked find ( - e[0] : - e[1] ) key e\n" + add, rows,
                "token 0: no visible position matches");
  const Told one =
      tell(cells + "fetch f unmasked find-one e key e prefer f=true margin one\n" + add, rows);
  EXPECT_EQ(one.broken, "");
  expect_broken(cells + "fetch f unmasked find e key e prefer f=true margin d[0]\n" + add, rows,
                "token 2: the margin is not positive");
  expect_broken(cells + "fetch f unmasked find ( + e[0] - e[0] : ) key e\n" + add, rows,
                "token 0: the wanted direction is zero");
}

TEST(Interpreter, ComparesUnderANormDirectionsAndNotLengths) {
  const std::string cells =
      "cell i number 2\ncell m number 2\ncell d direction 2\ncell n number 1\n"
      "given i position\ngiven m natural\ninitial\n";
  const Rows rows = {{0, 1, 3, 1}, {1, 1, 3, 1}};
  const Told told = tell(cells + "fetch f unmasked same m under m\ncopy d m\nadd n + m[1]\n", rows);
  ASSERT_EQ(told.broken, "");
  EXPECT_EQ(column(told.states, {2, 0}),
            (std::vector<Real>{Real::root({9, 10}), Real::root({9, 10})}));
  EXPECT_EQ(column(told.states, {3, 0}),
            (std::vector<Real>{Real::root({1, 10}), Real::root({1, 10})}));
  expect_broken(cells +
                    "fetch g causal uniform\nadd n + i[0]\nfetch f causal same n under n\n"
                    "add n + n\n",
                rows, "token 0: the group is zero and has no direction");
}

TEST(Interpreter, NearestIsTheLargestProductWithTheRationalTarget) {
  std::mt19937_64 random(laws::seed());
  const auto text_with = [](const std::string& code) {
    return "cell one constant\ncell I key " + code + "\ncell d direction 2\ncell Q pointer " +
           code + "\ngiven I\ngiven d\ninitial\nfetch f unmasked nearest d key I\ncopy Q I\n";
  };
  const std::string text = text_with("phi");
  const std::vector<std::pair<std::string, PositionCode>> codes = {
      {"phi", PositionCode::phi},
      {"phi over 2", PositionCode::phi_over(2)},
      {"phi over 9", PositionCode::phi_over(9)},
      {"fine 1", PositionCode::fine(1)},
      {"fine 2", PositionCode::fine(2)},
      {"fine 7", PositionCode::fine(7)}};
  std::size_t ties = 0;
  for (int i = 0; i < 900; ++i) {
    const auto& [name, code] = codes[random() % codes.size()];
    const std::int64_t q = 1 + static_cast<std::int64_t>(random() % 12);
    const std::int64_t p = static_cast<std::int64_t>(random() % 120) - 20;
    const Rational square(p * p + q * q);
    const std::vector<Real> target = {Real(p).divided_by_root(square),
                                      Real(q).divided_by_root(square)};
    const std::size_t tokens = 1 + random() % 9;
    Rows rows;
    std::size_t best = 0;
    std::vector<Real> products;
    for (std::size_t j = 0; j < tokens; ++j) {
      auto row = code_of(code, j);
      products.push_back(row[0] * target[0] + row[1] * target[1]);
      if (products[best] < products[j]) best = j;
      row.insert(row.end(), target.begin(), target.end());
      rows.push_back(row);
    }
    if (std::count(products.begin(), products.end(), products[best]) > 1) {
      ++ties;
      ASSERT_EQ(code.kind, PositionCode::Kind::fine);
      expect_broken(text_with(name), rows,
                    "token 0: two visible positions are equally near to " + Rational(p, q).text());
      continue;
    }
    const Told told = tell(text_with(name), rows);
    ASSERT_EQ(told.broken, "");
    const auto expected = code_of(code, best);
    EXPECT_EQ(told.states.at(0, {3, 0}), expected[0])
        << p << "/" << q << " of " << tokens << ", " << name;
    EXPECT_EQ(told.states.at(0, {3, 1}), expected[1]);
  }
  EXPECT_GT(ties, 0u);
  const auto with_target = [](const Real& x, const Real& w) {
    auto row = code_of(PositionCode::phi, 0);
    row.push_back(x);
    row.push_back(w);
    return Rows{row};
  };
  expect_broken(text, with_target(1, 0), "the denominator of the target is not positive");
  expect_broken(text, with_target(Real::root({1, 3}), Real::root({2, 3})),
                "the target is not a rational number");
}

TEST(Interpreter, QuotientsAreFoundExactlyWhereTheyAreRational) {
  std::mt19937_64 random(laws::seed());
  const auto rational = [&] {
    return Rational(static_cast<std::int64_t>(random() % 9) - 4,
                    1 + static_cast<std::int64_t>(random() % 4));
  };
  for (int i = 0; i < 2000; ++i) {
    Real b = rational();
    for (std::size_t k = random() % 3; k > 0; --k)
      b = b + Real::root(Rational(1 + static_cast<std::int64_t>(random() % 12))).scaled(rational());
    if (b.is_zero()) continue;
    const Rational factor = rational();
    EXPECT_EQ(rational_factor(b.scaled(factor), b), factor);
    const Real other = b.scaled(factor) + Real::root(Rational(13));
    EXPECT_FALSE(rational_factor(other, b).has_value()) << other.text() << " / " << b.text();
  }
}

// --- inputs --------------------------------------------------------------------------------------

TEST(GivenValues, AreWhatTheProgramSaysOfItsInput) {
  const Real third = Rational(1, 3), a = Rational(3, 5), b = Rational(4, 5);
  struct Case {
    std::string cell;
    Rows good, bad;  ///< bad: the values of the last token are refused
  };
  const std::vector<Case> cases = {
      {"cell x flag\ngiven x\n", {{1}, {-1}}, {{1}, {0}}},
      {"cell x onehot u v\ngiven x\n", {{1, 0}, {0, 1}}, {{a, b}}},
      {"cell x onehot u v\ngiven x\n", {{1, 0}}, {{-1, 0}}},
      {"cell x onehot u v w\ngiven x\n", {{0, 0, 1}}, {{0, 1, 1}}},
      {"cell x direction 2\ngiven x\n", {{a, -b}, {0, 1}}, {{third, third}}},
      {"cell x key phi\ngiven x\n", {code_of(PositionCode::phi, 0)}, {{1, 0}}},
      {"cell x pointer circle\ngiven x\n",
       {code_of(PositionCode::circle, 0), code_of(PositionCode::circle, 0)},
       {code_of(PositionCode::circle, 0), code_of(PositionCode::circle, 2)}},
      {"cell x number 2\ngiven x position\n", {{0, 1}, {1, 1}}, {{0, 1}, {2, 1}}},
      {"cell x number 2\ngiven x natural\n", {{7, 1}, {7, 1}}, {{7, 1}, {6, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{0, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{third, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{1, 2}}}};
  for (const Case& c : cases) {
    const Program program = parse_program(kHead + c.cell, "test");
    const CellStates states = start_states(program, cells_tokens(c.good));
    for (std::size_t token = 0; token < c.good.size(); ++token)
      for (std::uint32_t i = 0; i < c.good[token].size(); ++i)
        EXPECT_EQ(states.at(token, {0, i}), c.good[token][i]);
    const std::string at = "token " + std::to_string(c.bad.size() - 1) + ": cell x ";
    const std::string said = support::refusal([&] { start_states(program, cells_tokens(c.bad)); });
    EXPECT_TRUE(said.starts_with(at)) << said;
    EXPECT_THROW(start_states(program, cells_tokens({{}})), InputError);
  }
}

TEST(StartStates, KnowTheTokensAndPositionsOfTheProgramOnly) {
  const auto program = [](const std::string& text) {
    return parse_program("logdepth-cells 1\n" + text, "test");
  };
  const Program framed = program(
      "alphabet a\nbegin\nend\ncell x flag\ntoken a x=true\ntoken <begin> x=false\n"
      "token <end> x=false\nat x=true\nat x=true\nat x=true\n");
  const auto tokens = [](const std::vector<std::string>& letters) {
    return word_tokens(WordInput{true, true}, letters).value();
  };
  EXPECT_EQ(start_states(framed, tokens({"a"})).tokens, 3u);
  for (const std::string unknown : {"b", "<begin>", "<end>"})
    EXPECT_THROW(start_states(framed, tokens({unknown})), InputError) << unknown;
  EXPECT_THROW(start_states(framed, tokens({"a", "a"})), InputError) << "the table has three rows";
}

TEST(StartStates, FillATableOfPositionsRowByRow) {
  const Program p = parse_program(kHead +
                                      "cell one constant\ncell d direction 2\ncell f flag\n"
                                      "cell x onehot u v\nat d=0 f=true x=v\nat x=u d=2 f=false\n",
                                  "test");
  const CellStates states = start_states(p, cells_tokens(Rows(2)));
  EXPECT_EQ(column(states, {0, 0}), (std::vector<Real>{1, 1}));
  EXPECT_EQ(column(states, {1, 0}), (std::vector<Real>{0, Rational(-4, 5)}));
  EXPECT_EQ(column(states, {1, 1}), (std::vector<Real>{1, Rational(3, 5)}));
  EXPECT_EQ(column(states, {2, 0}), (std::vector<Real>{1, -1}));
  EXPECT_EQ(column(states, {3, 0}), (std::vector<Real>{0, 1}));
  EXPECT_EQ(column(states, {3, 1}), (std::vector<Real>{1, 0}));
}

// What a head promises, checked against the contract's own words: every position compared, no
// directions numbered, nothing kept from row to row.

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
      check.clear_broken();
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

}}  // namespace logdepth::interpret_tests
