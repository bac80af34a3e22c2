// The inequalities of compiler/head_schema.cpp, asked of the emitted query and key forms themselves
// at positions up to 10^9, exactly.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/head_schema.hpp"
#include "compiler/interpret.hpp"
#include "runtime/position_code.hpp"
#include "runtime/real.hpp"
#include "tests/laws/fixed_seed.hpp"

namespace logdepth {
namespace {

constexpr std::uint64_t kFar = 1000000000;

std::vector<Real> code(PositionCode kind, std::uint64_t position) {
  std::vector<Real> values;
  if (kind == PositionCode::phi) {
    const Rational p(static_cast<std::int64_t>(position));
    const Rational square = p * p + Rational(1);
    return {Real(p).divided_by_root(square), Real(1).divided_by_root(square)};
  }
  for (const Rational& x :
       kind == PositionCode::circle ? circle_code(position) : two_circle_code(position))
    values.emplace_back(x);
  return values;
}

/// Cells of one token, each with the values of its components.
using Token = std::vector<std::vector<Real>>;

Real value(const LinearForm& form, const Token& token) {
  Real sum;
  for (const Term& t : form)
    sum = sum + token[t.component.cell][t.component.index].scaled(t.factor);
  return sum;
}

Real score(const HeadSchema& schema, const Token& asking, const Token& asked) {
  Real sum;
  for (std::size_t d = 0; d < schema.query.size(); ++d)
    sum = sum + value(schema.query[d], asking) * value(schema.key[d], asked);
  return sum;
}

enum : CellId { kOne, kKey, kPointer, kFlag, kOneHot };

Program program_with(PositionCode kind) {
  Program p;
  p.alphabet = {"a"};
  p.embedding["a"];
  p.embedding[kBeginToken];
  p.cells = {{"one", ConstantType{}, Lifetime::permanent},
             {"I", KeyType{kind}, Lifetime::permanent},
             {"E", PointerType{kind}, Lifetime::permanent},
             {"f", FlagType{}, Lifetime::permanent},
             {"x", OneHotType{{"u", "v", "w"}}, Lifetime::permanent}};
  return p;
}

Token token_at(PositionCode kind, std::uint64_t position, std::uint64_t pointed = 0) {
  return {{Real(1)}, code(kind, position), code(kind, pointed), {Real(-1)}, {0, 0, 1}};
}

class Positions {
 public:
  explicit Positions(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  /// Small, near a power of two, near 10^9, or anything up to 10^9.
  std::uint64_t draw() {
    switch (below(4)) {
      case 0:
        return below(20);
      case 1:
        return std::min<std::uint64_t>((std::uint64_t{1} << below(30)) + below(5), kFar + 2) - 2 +
               (below(2) == 0 ? 1 : 2);
      case 2:
        return kFar - below(4);
      default:
        return below(kFar + 1);
    }
  }
  /// Positions that could win against `best`: its neighbours, both ends, the powers of two and
  /// theirs, the same place on the neighbouring circle, and random ones.
  std::set<std::uint64_t> rivals(std::uint64_t best, std::size_t random_ones) {
    std::set<std::uint64_t> found = {0, 1, kFar, best + 1, best + 2, 2 * best + 1, best / 2};
    if (best >= 1) found.insert(best - 1);
    if (best >= 2) found.insert(best - 2);
    for (int k = 0; k < 30; k += 1 + static_cast<int>(below(3)))
      for (const std::int64_t off : {-2, -1, 0, 1})
        if (const std::int64_t p = (std::int64_t{1} << k) + off; p >= 0)
          found.insert(static_cast<std::uint64_t>(p));
    for (std::size_t i = 0; i < random_ones; ++i) found.insert(draw());
    found.erase(best);
    return found;
  }

 private:
  std::mt19937_64 random_;
};

void expect_the_pointed_position_wins(PositionCode kind, std::uint64_t pointed, std::uint32_t back,
                                      Positions& positions) {
  const Program p = program_with(kind);
  const HeadSchema schema = head_schema(p, SelectPointed{kPointer, kKey, back});
  const std::uint64_t best = pointed >= back ? pointed - back : 0;
  const Token asking = token_at(kind, 0, pointed);
  const Real top = score(schema, asking, token_at(kind, best));
  for (const std::uint64_t rival : positions.rivals(best, 8))
    ASSERT_LT(score(schema, asking, token_at(kind, rival)), top)
        << "pointer at " << pointed << " back " << back << ": " << rival << " against " << best;
}

TEST(MatchSchema, CircleScoresThePointedPositionAboveAllOthersAtAnyLength) {
  Positions positions(laws::seed());
  for (int i = 0; i < 1500; ++i)
    expect_the_pointed_position_wins(PositionCode::circle, positions.draw(), 0, positions);
}

TEST(MatchSchema, TwoCircleScoresThePointedPositionAboveAllOthersAtAnyLength) {
  Positions positions(laws::seed());
  for (int i = 0; i < 1500; ++i)
    expect_the_pointed_position_wins(PositionCode::two_circle, positions.draw(), 0, positions);
}

TEST(MatchSchema, PhiBackCScoresThePositionCBeforeAboveAllOthersAndClampsToZero) {
  Positions positions(laws::seed());
  std::size_t clamped = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t pointed = positions.draw();
    const std::uint64_t near = std::min<std::uint64_t>(pointed, 1u << 20);
    for (const std::uint64_t back : {std::uint64_t{0}, 1 + positions.below(3), near, near + 1}) {
      clamped += back > pointed;
      expect_the_pointed_position_wins(PositionCode::phi, pointed, static_cast<std::uint32_t>(back),
                                       positions);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(clamped, 100u);
}

TEST(MatchSchema, TheGapsStatedWithTheCodesHold) {
  // circle: exactly 1 - 2 (t-u)^2 / ((1+t^2)(1+u^2)); two-circle: below 2 - 2/(25 N^2).
  Positions positions(laws::seed());
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t a = positions.draw(), b = positions.draw();
    if (a == b) continue;
    const Rational t(static_cast<std::int64_t>(a + 1)), u(static_cast<std::int64_t>(b + 1));
    const auto dot = [](const std::vector<Real>& x, const std::vector<Real>& y) {
      Real sum;
      for (std::size_t k = 0; k < x.size(); ++k) sum = sum + x[k] * y[k];
      return sum;
    };
    const Rational loss =
        Rational(2) * (t - u) * (t - u) / ((Rational(1) + t * t) * (Rational(1) + u * u));
    EXPECT_EQ(dot(code(PositionCode::circle, a), code(PositionCode::circle, b)),
              Real(Rational(1) - loss));
    const Rational n = std::max(t, u);
    EXPECT_LT(dot(code(PositionCode::two_circle, a), code(PositionCode::two_circle, b)),
              Real(Rational(2) - Rational(2) / (Rational(25) * n * n)));
  }
}

TEST(PositionCodes, AreUnitVectorsExactlyAndTwoCircleHasSquaredNormTwo) {
  Positions positions(laws::seed());
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t p = i < 40 ? static_cast<std::uint64_t>(i) : positions.draw();
    for (const PositionCode kind :
         {PositionCode::phi, PositionCode::circle, PositionCode::two_circle}) {
      Real square;
      for (const Real& x : code(kind, p)) square = square + x * x;
      EXPECT_EQ(square, Real(*squared_norm(KeyType{kind}))) << "position " << p;
      EXPECT_EQ(code(kind, p).size(), size_of(KeyType{kind}));
    }
  }
}

TEST(PositionCodes, FillKeysWithTheOwnPositionAndPointersWithAnEarlierOneClampedAtZero) {
  for (const PositionCode kind : {PositionCode::circle, PositionCode::two_circle})
    for (const std::uint32_t back : {0u, 1u, 3u, 100u}) {
      Program p = program_with(kind);
      p.position = {{kKey, 0}, {kPointer, back}};
      const CellStates states = start_states(p, std::vector<std::string>(40, "a"));
      ASSERT_EQ(states.tokens, 41u);
      for (std::uint64_t token = 0; token < states.tokens; ++token)
        for (std::uint32_t i = 0; i < size_of(KeyType{kind}); ++i) {
          EXPECT_EQ(states.at(token, {kKey, i}), code(kind, token)[i]);
          EXPECT_EQ(states.at(token, {kPointer, i}),
                    code(kind, token >= back ? token - back : 0)[i]);
        }
    }
}

TEST(RightmostSchema, TheIncreasingPartStaysBelowOneAndTheFlagOutweighsIt) {
  Positions positions(laws::seed());
  for (const PositionCode kind : {PositionCode::phi, PositionCode::circle}) {
    const Program p = program_with(kind);
    for (const Literal flag : {Literal{kFlag, 0}, Literal{kFlag, 1}, Literal{kOneHot, 1}}) {
      const HeadSchema schema = head_schema(p, SelectRightmost{flag, kKey});
      const auto at = [&](std::uint64_t position, bool flagged) {
        Token token = token_at(kind, position);
        token[kFlag][0] = flagged == (flag.value == 1) ? 1 : -1;
        token[kOneHot] = flagged ? std::vector<Real>{0, 1, 0} : std::vector<Real>{1, 0, 0};
        return token;
      };
      const Token asking = token_at(kind, 0);
      const Real off = flag.cell == kFlag ? Real(-1) : Real(0);  // what the flag adds when unset
      for (int i = 0; i < 1500; ++i) {
        const std::uint64_t a = positions.draw();
        const std::uint64_t b = positions.below(2) == 0 ? a + 1 : a + 1 + positions.draw();
        const Real low = score(schema, asking, at(a, false)) - off;
        const Real high = score(schema, asking, at(b, false)) - off;
        ASSERT_GE(low, Real(0));
        ASSERT_LT(low, high) << a << " against " << b;
        ASSERT_LT(high, Real(1));
        ASSERT_LT(score(schema, asking, at(a, true)), score(schema, asking, at(b, true)));
        // A flagged position beats any other, however far to its right, by more than one.
        ASSERT_LT(score(schema, asking, at(b, false)) + Real(1),
                  score(schema, asking, at(a, true)));
      }
      EXPECT_EQ(score(schema, asking, at(0, false)) - off, Real(0));
    }
  }
}

TEST(SameSchema, ScoresEqualCellsAboveUnequalOnesAndAllEqualOnesAlike) {
  Positions positions(laws::seed());
  for (const PositionCode kind :
       {PositionCode::phi, PositionCode::circle, PositionCode::two_circle}) {
    const Program p = program_with(kind);
    const auto draw = [&] {
      Token token =
          token_at(kind, positions.below(3) == 0 ? kFar - positions.below(3) : positions.below(3),
                   positions.below(2));
      token[kFlag][0] = positions.below(2) == 0 ? 1 : -1;
      token[kOneHot] = {0, 0, 0};
      token[kOneHot][positions.below(3)] = 1;
      return token;
    };
    std::size_t equal_pairs = 0;
    for (const std::vector<CellId>& cells : {std::vector<CellId>{kFlag},
                                             {kOneHot, kFlag},
                                             {kKey},
                                             {kPointer, kOneHot, kOne},
                                             {kKey, kOneHot}}) {
      const HeadSchema schema = head_schema(p, SelectSame{cells});
      Real top;
      for (const CellId cell : cells) top = top + Real(*squared_norm(p.cells[cell].type));
      for (int i = 0; i < 200; ++i) {
        const Token a = draw(), b = draw();
        const bool equal =
            std::all_of(cells.begin(), cells.end(), [&](CellId c) { return a[c] == b[c]; });
        if (equal) {
          ASSERT_EQ(score(schema, a, b), top);
        } else {
          ASSERT_LT(score(schema, a, b), top);
        }
        equal_pairs += equal;
      }
    }
    EXPECT_GT(equal_pairs, 100u);
  }
}

TEST(UniformSchema, ScoresEveryPositionAlike) {
  const Program p = program_with(PositionCode::phi);
  const HeadSchema schema = head_schema(p, SelectAll{});
  EXPECT_EQ(schema.query.size(), schema.key.size());
  for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{1}, kFar})
    EXPECT_EQ(score(schema, token_at(PositionCode::phi, 5), token_at(PositionCode::phi, position)),
              Real(0));
}

}  // namespace
}  // namespace logdepth
