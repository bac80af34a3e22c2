// The inequalities of compiler/lemmas/head_schema.cpp, asked of the emitted query and key forms themselves
// at positions up to 10^9, exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/lemmas/head_schema.hpp"
#include "compiler/meaning/interpret.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/real.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::schemas_tests { namespace {

constexpr std::uint64_t kFar = 1000000000;

std::vector<Real> code(PositionCode kind, std::uint64_t position) {
  std::vector<Real> values;
  const Rational p(static_cast<std::int64_t>(position)), parameter(kind.parameter);
  if (kind.kind == PositionCode::Kind::phi) {
    const Rational square = p * p + parameter * parameter;
    return {Real(p).divided_by_root(square), Real(parameter).divided_by_root(square)};
  }
  if (kind.kind == PositionCode::Kind::fine) {
    const Rational a = Rational(2) * p + parameter, square = a * a + Rational(1);
    return {Real((a * a - Rational(1)) / square), Real(Rational(2) * a / square)};
  }
  for (const Rational& x :
       kind == PositionCode::circle ? circle_code(position) : two_circle_code(position))
    values.emplace_back(x);
  return values;
}

const std::vector<PositionCode> kPhis = {PositionCode::phi, PositionCode::phi_over(2),
                                         PositionCode::phi_over(9),
                                         PositionCode::phi_over(1 << 20)};
const std::vector<PositionCode> kFines = {PositionCode::fine(1), PositionCode::fine(2),
                                          PositionCode::fine(3), PositionCode::fine(1 << 20)};
/// Codes of two components, whose first one tells positions apart.
std::vector<PositionCode> plane_codes() {
  std::vector<PositionCode> codes = {PositionCode::circle};
  codes.insert(codes.end(), kPhis.begin(), kPhis.end());
  codes.insert(codes.end(), kFines.begin(), kFines.end());
  return codes;
}
std::vector<PositionCode> all_codes() {
  std::vector<PositionCode> codes = plane_codes();
  codes.push_back(PositionCode::two_circle);
  return codes;
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

TEST(MatchSchema, FineScoresThePointedPositionAboveAllOthersAtAnyLength) {
  Positions positions(laws::seed());
  for (const PositionCode kind : kFines)
    for (int i = 0; i < 400; ++i)
      expect_the_pointed_position_wins(kind, positions.draw(), 0, positions);
}

TEST(MatchSchema, PhiBackCScoresThePositionCBeforeAboveAllOthersAndClampsToZero) {
  Positions positions(laws::seed());
  std::size_t clamped = 0;
  for (int i = 0; i < 1500; ++i) {
    const PositionCode kind = kPhis[positions.below(kPhis.size())];
    const std::uint64_t pointed = positions.draw();
    const std::uint64_t near = std::min<std::uint64_t>(pointed, 1u << 20);
    for (const std::uint64_t back : {std::uint64_t{0}, 1 + positions.below(3), near, near + 1}) {
      clamped += back > pointed;
      expect_the_pointed_position_wins(kind, pointed, static_cast<std::uint32_t>(back), positions);
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
    for (const PositionCode kind : all_codes()) {
      Real square;
      for (const Real& x : code(kind, p)) square = square + x * x;
      EXPECT_EQ(square, Real(*squared_norm(KeyType{kind}))) << "position " << p;
      EXPECT_EQ(code(kind, p).size(), size_of(KeyType{kind}));
    }
  }
}

TEST(PositionCodes, FillKeysWithTheOwnPositionAndPointersWithAnEarlierOneClampedAtZero) {
  for (const PositionCode kind : {PositionCode::circle, PositionCode::two_circle,
                                  PositionCode::fine(1), PositionCode::fine(5)})
    for (const std::uint32_t back : {0u, 1u, 3u, 100u}) {
      Program p = program_with(kind);
      p.position = {{kKey, 0}, {kPointer, back}, {kFlag, 0, true}};
      const std::vector<std::string> letters(40, "a");
      const CellStates states = start_states(p, word_tokens(WordInput{}, letters).value());
      ASSERT_EQ(states.tokens, 41u);
      for (std::uint64_t token = 0; token < states.tokens; ++token) {
        EXPECT_EQ(states.at(token, {kFlag, 0}), Real(token % 2 == 0 ? 1 : -1));
        for (std::uint32_t i = 0; i < size_of(KeyType{kind}); ++i) {
          EXPECT_EQ(states.at(token, {kKey, i}), code(kind, token)[i]);
          EXPECT_EQ(states.at(token, {kPointer, i}),
                    code(kind, token >= back ? token - back : 0)[i]);
        }
      }
    }
}

TEST(RightmostSchema, TheIncreasingPartStaysBelowOneAndTheFlagOutweighsIt) {
  Positions positions(laws::seed());
  for (const PositionCode kind : plane_codes()) {
    const Program p = program_with(kind);
    for (const Literal flag : {Literal{kFlag, 0}, Literal{kFlag, 1}, Literal{kOneHot, 1}}) {
      const HeadSchema schema = head_schema(p, SelectRightmost{{flag}, std::nullopt, kKey});
      const auto at = [&](std::uint64_t position, bool flagged) {
        Token token = token_at(kind, position);
        token[kFlag][0] = flagged == (flag.value == 1) ? 1 : -1;
        token[kOneHot] = flagged ? std::vector<Real>{0, 1, 0} : std::vector<Real>{1, 0, 0};
        return token;
      };
      const Token asking = token_at(kind, 0);
      const Real off = flag.cell == kFlag ? Real(-1) : Real(0);  // what the flag adds when unset
      for (int i = 0; i < 400; ++i) {
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
      // It begins with 0; h of fine at p = 0 is that of a = b.
      const Rational least(kind.kind == PositionCode::Kind::fine ? kind.parameter : 1);
      const Rational square = least * least;
      EXPECT_EQ(score(schema, asking, at(0, false)) - off,
                Real((square - Rational(1)) / (square + Rational(1))));
    }
  }
}

TEST(SameSchema, ScoresEqualCellsAboveUnequalOnesAndAllEqualOnesAlike) {
  Positions positions(laws::seed());
  for (const PositionCode kind : all_codes()) {
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

TEST(RightmostSchema, MoreFlagsOutweighAnyPosition) {
  Positions positions(laws::seed());
  for (const PositionCode kind : plane_codes()) {
    const HeadSchema schema = head_schema(
        program_with(kind), SelectRightmost{{{kFlag, 1}, {kOneHot, 1}}, std::nullopt, kKey});
    const auto at = [&](std::uint64_t position, std::uint64_t flags) {
      Token token = token_at(kind, position);
      token[kFlag][0] = flags % 2 == 1 ? 1 : -1;
      token[kOneHot] = flags >= 2 ? std::vector<Real>{0, 1, 0} : std::vector<Real>{1, 0, 0};
      return token;
    };
    const auto held = [](std::uint64_t flags) { return flags % 2 + flags / 2; };
    const Token asking = token_at(kind, 0);
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t a = positions.draw(), b = positions.draw();
      const std::uint64_t f = positions.below(4), g = positions.below(4);
      const bool before = held(f) < held(g) || (held(f) == held(g) && a < b);
      const bool equal = held(f) == held(g) && a == b;
      const Real left = score(schema, asking, at(a, f)), right = score(schema, asking, at(b, g));
      ASSERT_EQ(left < right, before) << a << ", " << f << " against " << b << ", " << g;
      ASSERT_EQ(left == right, equal);
    }
  }
}

TEST(RightmostSchema, ASharedLabelIsOneMoreFlag) {
  Positions positions(laws::seed());
  for (const PositionCode kind : plane_codes()) {
    const HeadSchema schema = head_schema(
        program_with(kind), SelectRightmost{{{kFlag, 1}}, SharedLabel{kOneHot, kOneHot}, kKey});
    const auto token = [&](std::uint64_t position, bool flag, std::uint64_t label) {
      Token result = token_at(kind, position);
      result[kFlag][0] = flag ? 1 : -1;
      result[kOneHot] = {0, 0, 0};
      result[kOneHot][label] = 1;
      return result;
    };
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t a = positions.draw(), b = positions.draw();
      const bool f = positions.below(2) == 0, g = positions.below(2) == 0;
      const std::uint64_t own = positions.below(3), l = positions.below(3), m = positions.below(3);
      const auto held = [&](bool flag, std::uint64_t label) { return flag + (label == own); };
      const Token asking = token(0, false, own);
      ASSERT_EQ(score(schema, asking, token(a, f, l)) < score(schema, asking, token(b, g, m)),
                held(f, l) < held(g, m) || (held(f, l) == held(g, m) && a < b))
          << own << ": " << a << ", " << f << l << " against " << b << ", " << g << m;
    }
  }
}

TEST(FlaggedSchema, ScoresTheFlagWhereItIsAskedForAndNothingElsewhere) {
  const Program p = program_with(PositionCode::phi);
  const auto token = [&](bool flag, std::uint32_t label) {
    Token result = token_at(PositionCode::phi, 7);
    result[kFlag][0] = flag ? 1 : -1;
    result[kOneHot] = {0, 0, 0};
    result[kOneHot][label] = 1;
    return result;
  };
  const auto holds = [](const Literal& l, bool flag, std::uint32_t label) {
    return l.cell == kFlag ? flag == (l.value == 1) : label == l.value;
  };
  const std::vector<Literal> literals = {{kFlag, 0}, {kFlag, 1}, {kOneHot, 0}, {kOneHot, 2}};
  for (const Literal& flag : literals)
    for (std::size_t w = 0; w <= literals.size(); ++w) {
      SelectFlagged selector{flag, std::nullopt};
      if (w < literals.size()) selector.when = literals[w];
      const HeadSchema schema = head_schema(p, selector);
      for (const bool asks : {false, true})
        for (const bool has : {false, true})
          for (const std::uint32_t a : {0u, 1u, 2u})
            for (const std::uint32_t b : {0u, 1u, 2u}) {
              const bool counts =
                  (!selector.when || holds(*selector.when, asks, a)) && holds(flag, has, b);
              const Real got = score(schema, token(asks, a), token(has, b));
              ASSERT_EQ(got.is_zero(), !counts);
              ASSERT_GE(got, Real(0));
            }
    }
}

TEST(NearestSchema, ScoresTheNeighbourOfARationalNumberAboveAllOthers) {
  Positions positions(laws::seed());
  std::size_t whole = 0, negative = 0;
  for (int i = 0; i < 900; ++i) {
    const PositionCode kind = kPhis[positions.below(kPhis.size())];
    const Program p = program_with(kind);
    const Rational over = Rational(1, kind.parameter);
    // (P - c) / d for a code of P
    const std::uint64_t pointed = positions.draw();
    const auto shift = static_cast<std::int64_t>(positions.below(50));
    const auto divisor = static_cast<std::int64_t>(1 + positions.below(9));
    const Ratio target{{{{kPointer, 0}, Rational(1)}, {{kPointer, 1}, Rational(-shift) * over}},
                       {{{kPointer, 1}, Rational(divisor)}}};
    const HeadSchema schema = head_schema(p, SelectNearest{target, kKey});
    const Token asking = token_at(kind, 0, pointed);
    const Rational x(static_cast<std::int64_t>(pointed) - shift, divisor);
    const std::uint64_t below = x.sign() <= 0 ? 0
                                              : (pointed - static_cast<std::uint64_t>(shift)) /
                                                    static_cast<std::uint64_t>(divisor);
    const auto at = [&](std::uint64_t r) { return score(schema, asking, token_at(kind, r)); };
    std::uint64_t best = below;
    if (x.sign() > 0 && !x.is_integer()) {
      ASSERT_NE(at(below), at(below + 1)) << "a tie at " << x.text();
      if (at(below) < at(below + 1)) best = below + 1;
    }
    whole += x.is_integer();
    negative += x.sign() < 0;
    for (const std::uint64_t rival : positions.rivals(best, 8))
      ASSERT_LT(at(rival), at(best)) << x.text() << ": " << rival << " against " << best;
  }
  EXPECT_GT(whole, 50u);
  EXPECT_GT(negative, 20u);
}

TEST(FoundSchema, ScoresMatchesByTheLengthsOfTheQueriesAndLetsTheFlagDecideAmongThem) {
  Positions positions(laws::seed());
  const Program p = program_with(PositionCode::phi);
  // The position before the pointer's, and the pointer's own cell, both by their phi codes.
  const Ratio before{{{{kPointer, 0}, Rational(1)}, {{kPointer, 1}, Rational(-1)}},
                     {{{kPointer, 1}, Rational(1)}}};
  const Ratio itself{{{{kPointer, 0}, Rational(1)}}, {{{kPointer, 1}, Rational(1)}}};
  const HeadSchema schema =
      head_schema(p, SelectFound{{{before, kKey}, {itself, kPointer}},
                                 Preference{{kFlag, 1}, {{kOne, 0}, Rational(1)}}});
  ASSERT_EQ(schema.query.size(), 5u);
  const auto asked = [&](std::uint64_t key, std::uint64_t pointer, bool flag) {
    Token token = token_at(PositionCode::phi, key, pointer);
    token[kFlag][0] = flag ? 1 : -1;
    return token;
  };
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t pointed = 1 + positions.draw();
    const std::uint64_t other = 1 + positions.draw();
    // The margin of this schema is 1 and far too large: it is taken off on both sides.
    const Token asking = asked(0, pointed, false);
    const auto gain = [&](const Token& token) {
      return score(schema, asking, token) - token[kFlag][0];
    };
    const Real top = gain(asked(pointed - 1, pointed, false));
    EXPECT_EQ(top, gain(asked(pointed - 1, pointed, true)));
    EXPECT_EQ(score(schema, asking, asked(other, other, true)) -
                  score(schema, asking, asked(other, other, false)),
              Real(2));
    if (other == pointed) continue;
    EXPECT_LT(gain(asked(other - 1, pointed, false)), top);
    EXPECT_LT(gain(asked(pointed - 1, other, false)), top);
  }
}

TEST(FoundSchema, AMismatchOfTwoCodesCostsAtLeastTheStatedGap) {
  Positions positions(laws::seed());
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t a = positions.draw(), v = positions.draw();
    if (a == v) continue;
    const auto wanted = code(PositionCode::phi, a), key = code(PositionCode::phi, v);
    const Rational x(static_cast<std::int64_t>(a)), next = x + Rational(1);
    const Rational gap = Rational(1, 2) / ((x * x + Rational(1)) * (next * next + Rational(1)));
    EXPECT_LE(wanted[0] * key[0] + wanted[1] * key[1], Real(Rational(1) - gap)) << a << ", " << v;
  }
}

/// Polynomials with integer coefficients, constant term first.
using Polynomial = std::vector<std::int64_t>;
Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}
Polynomial operator-(Polynomial a, const Polynomial& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}
/// p(1 + x)
Polynomial shifted(const Polynomial& p) {
  Polynomial result = {0}, power = {1};
  for (const std::int64_t c : p) {
    Polynomial term = power;
    for (std::int64_t& t : term) t = -c * t;
    result = result - term;
    power = power * Polynomial{1, 1};
  }
  return result;
}

// The three inequalities in the head comment of `found`, for every number of vertices n >= 1; the
// one of source and target tokens in the loop, which there is for n >= 2 only.
TEST(FoundSchema, TheMarginOfTheGraphConstructionIsSmallerThanAnyMismatch) {
  const Polynomial square = {1, 0, 1}, next = {2, 2, 1};  // n^2 + 1, (n+1)^2 + 1
  const Polynomial tokens = {2, 0, 0, 1};                 // n^3 + 2
  const Polynomial norm = {1, 0, 0, 0, 1, 0, 1};          // n^6 + n^4 + 1
  const Polynomial loop = Polynomial{0, 0, 0, 4} * tokens - square * next;
  EXPECT_EQ(shifted(loop), (Polynomial{2, 30, 69, 82, 59, 24, 4}));
  const Polynomial all_tokens = {2, 0, 1, 1}, next_but_one = {5, 4, 1};  // n^3+n^2+2, (n+2)^2+1
  const Polynomial terminals = Polynomial{0, 0, 0, 4} * all_tokens - next * next_but_one;
  for (const std::int64_t coefficient : shifted(shifted(terminals))) EXPECT_GT(coefficient, 0);
  const Polynomial last =
      Polynomial{16} * tokens * tokens * norm - Polynomial{1, 0, 2} * square * next * next;
  for (const std::int64_t coefficient : shifted(last)) EXPECT_GE(coefficient, 0);
  EXPECT_GT(shifted(last).front(), 0);
}

TEST(UniformSchema, ScoresEveryPositionAlike) {
  const Program p = program_with(PositionCode::phi);
  const HeadSchema schema = head_schema(p, SelectAll{});
  EXPECT_EQ(schema.query.size(), schema.key.size());
  for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{1}, kFar})
    EXPECT_EQ(score(schema, token_at(PositionCode::phi, 5), token_at(PositionCode::phi, position)),
              Real(0));
}

// The inequalities of compiler/lemmas/head_schema.cpp against every small case, exactly: they hold for
// all pairs below N, and with an exponent less they would not.

using Vector = std::vector<Real>;
using Integers = std::vector<std::int64_t>;

Rational bound(const SeparationLaw& law, std::int64_t size) {
  Rational value = law.coefficient;
  for (std::uint32_t i = 0; i < law.exponent; ++i) value = value / Rational(size);
  return value;
}

Real product(const Vector& a, const Vector& b) {
  Real sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}
Real distance(const Real& a, const Real& b) {
  const Real difference = a - b;
  return difference.sign() < 0 ? -difference : difference;
}

Vector unit(const Integers& integers) {
  Rational square;
  for (const std::int64_t x : integers) square += Rational(x * x);
  Vector vector;
  for (const std::int64_t x : integers) vector.push_back(Real(x).divided_by_root(square));
  return vector;
}

/// Every integer vector that is not zero with components of at most `most`, divided by its greatest
/// common divisor.
std::vector<Integers> primitive_vectors(std::uint32_t size, std::int64_t most) {
  std::vector<Integers> vectors;
  Integers current(size, -most);
  while (true) {
    std::int64_t divisor = 0;
    for (const std::int64_t x : current) divisor = std::gcd(divisor, x);
    if (divisor == 1) vectors.push_back(current);
    std::size_t i = 0;
    while (i < size && current[i] == most) current[i++] = -most;
    if (i == size) return vectors;
    ++current[i];
  }
}

/// The law holds of the smallest such number at every size, and some size is near its exponent: the
/// smallest number times N^exponent does not grow.
class Smallest {
 public:
  explicit Smallest(const SeparationLaw& law) : law_(law) {}
  void see(const Real& value) {
    if (!smallest_ || value < *smallest_) smallest_ = value;
  }
  /// Everything below `size` has been seen.
  void check(std::int64_t size) {
    ASSERT_TRUE(smallest_);
    EXPECT_GE(*smallest_, Real(bound(law_, size))) << "N = " << size;
    last_ = smallest_->approximate().value / bound(law_, size).approximate();
  }
  /// How many times the law's bound the smallest number was at the largest size.
  double slack() const { return last_; }

 private:
  SeparationLaw law_;
  std::optional<Real> smallest_;
  double last_ = 0;
};

TEST(SeparationLaws, TheCodesOfTwoPositionsAreApart) {
  for (const PositionCode code :
       {PositionCode::phi, PositionCode::phi_over(2), PositionCode::phi_over(9),
        PositionCode::circle, PositionCode::two_circle, PositionCode::fine(1),
        PositionCode::fine(2), PositionCode::fine(5)}) {
    const Rational square = code == PositionCode::two_circle ? 2 : 1;
    Smallest gap(code_gap(code));
    std::vector<Vector> codes = {code_of(code, 0)};
    for (std::int64_t size = 2; size <= 40; ++size) {
      codes.push_back(code_of(code, static_cast<std::uint64_t>(size - 1)));
      for (std::int64_t p = 0; p + 1 < size; ++p)
        gap.see(Real(square) - product(codes.back(), codes[static_cast<std::size_t>(p)]));
      gap.check(size);
    }
    // A law for all sizes is near the truth where N is near L, or 2 N near b.
    const double reach =
        code.kind == PositionCode::Kind::fine ? code.parameter / 2.0 : code.parameter;
    EXPECT_LT(gap.slack(), 8 * std::pow(std::max(reach, 1.0), 4)) << "it gives too much away";
  }
}

TEST(SeparationLaws, AShiftedQueryIsNearestToItsPosition) {
  for (const std::uint32_t over : {1u, 2u, 9u})
    for (std::uint32_t back = 1; back <= 70; ++back) {
      const SeparationLaw law = shifted_phi_gap(over, back);
      for (std::int64_t size = 2; size <= 9; ++size)
        for (std::int64_t e = 0; e < size; ++e) {
          const Vector query = unit({e - back, over});
          const std::int64_t target = std::max<std::int64_t>(e - back, 0);
          const Real best = product(query, unit({target, over}));
          for (std::int64_t r = 0; r < size; ++r) {
            if (r == target) continue;
            ASSERT_GE(best - product(query, unit({r, over})), Real(bound(law, size)))
                << "over " << over << ", back " << back << ", N = " << size << ", e = " << e
                << ", r = " << r;
          }
        }
    }
  EXPECT_EQ(shifted_phi_gap(1, 3), code_gap(PositionCode::phi));
  EXPECT_EQ(shifted_phi_gap(9, 3), code_gap(PositionCode::phi_over(9)));
  EXPECT_EQ(shifted_phi_gap(1, 100).coefficient, Rational(16, 101));
}

TEST(SeparationLaws, DirectionsOfIntegersAreApart) {
  for (const auto& [components, factor, sizes] :
       std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>>{
           {2, 1, 9}, {2, 2, 4}, {3, 1, 3}}) {
    Smallest gap(direction_gap(components, factor));
    for (std::int64_t size = 2; size <= sizes; ++size) {
      const auto vectors = primitive_vectors(components, size * factor);
      for (std::size_t i = 0; i < vectors.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          gap.see(Real(1) - product(unit(vectors[i]), unit(vectors[j])));
      gap.check(size);
    }
    EXPECT_LT(gap.slack(), 8);
  }
}

/// The first components of one kind at size N; each once.
std::vector<Real> first_components(const FirstComponent& kind, std::int64_t size) {
  std::vector<Real> values;
  if (kind.code) {
    for (std::int64_t p = 0; p < size; ++p)
      values.push_back(code_of(*kind.code, static_cast<std::uint64_t>(p))[0]);
    return values;
  }
  for (const Integers& v : primitive_vectors(2, size * kind.bound)) values.push_back(unit(v)[0]);
  return values;
}

TEST(SeparationLaws, FirstComponentsAreEqualOrApart) {
  const FirstComponent phi{PositionCode::phi}, circle{PositionCode::circle};
  const FirstComponent one{std::nullopt, 1}, two{std::nullopt, 2};
  const FirstComponent phi_over_2{PositionCode::phi_over(2)}, fine{PositionCode::fine(3)};
  struct Case {
    FirstComponent a, b;
    std::int64_t sizes;
    double slack;
  };
  for (const Case& c : std::vector<Case>{{phi, phi, 24, 2},
                                         {circle, circle, 24, 3},
                                         {phi_over_2, phi_over_2, 24, 16},
                                         {{PositionCode::fine(1)}, {PositionCode::fine(1)}, 24, 3},
                                         {fine, fine, 24, 8},
                                         {phi, phi_over_2, 12, 80},
                                         {phi_over_2, one, 8, 80},
                                         {phi, one, 12, 9},
                                         {two, phi, 6, 16},
                                         {one, one, 9, 9},
                                         {one, two, 5, 16}}) {
    const auto law = difference(c.a, c.b);
    ASSERT_TRUE(law);
    EXPECT_EQ(law, difference(c.b, c.a));
    Smallest gap(*law);
    for (std::int64_t size = 2; size <= c.sizes; ++size) {
      for (const Real& x : first_components(c.a, size))
        for (const Real& y : first_components(c.b, size))
          if (x != y) gap.see(distance(x, y));
      gap.check(size);
    }
    EXPECT_LT(gap.slack(), c.slack);
  }
  // One token: phi(0) beside a direction of integers of at most 1.
  for (const Integers& v : primitive_vectors(2, 1)) {
    if (v[0] == 0) continue;
    EXPECT_GE(distance(unit(v)[0], Real(0)), Real(bound(*difference(phi, one), 1)));
  }
  EXPECT_FALSE(difference(circle, phi));
  EXPECT_FALSE(difference(one, circle));
  EXPECT_FALSE(difference(fine, phi));
  EXPECT_FALSE(difference(fine, FirstComponent{PositionCode::fine(2)}));
  const FirstComponent two_circle{PositionCode::two_circle};
  EXPECT_FALSE(difference(two_circle, two_circle));
}

enum : CellId { kDirection = kOneHot + 1, kOther };

Program program_with_directions(std::uint32_t integers) {
  Program p = program_with(PositionCode::circle);
  p.cells.push_back({"X", DirectionType{2, integers}, Lifetime::permanent});
  p.cells.push_back({"Y", DirectionType{2}, Lifetime::permanent});
  return p;
}

TEST(SeparationLaws, AQueryOfFindIsAsLongAsStated) {
  const Component x{kDirection, 0}, y{kDirection, 1}, one{kOne, 0}, flag{kFlag, 0};
  const Component label{kOneHot, 1};
  const std::vector<std::pair<std::uint32_t, Ratio>> cases = {
      // That of compile formula.
      {4, {{{x, 1}, {y, {-3, 4}}, {one, {3, 10}}, {flag, {3, 10}}}, {{y, 1}}}},
      {1, {{{x, 1}, {y, -1}}, {{y, 1}}}},
      {2, {{{x, {1, 3}}, {y, 5}, {one, {1, 2}}, {flag, {-1, 6}}, {label, 2}}, {{y, {-7, 2}}}}},
      {3, {{{y, 1}, {label, {1, 9}}}, {{y, {1, 100}}}}},
      {1, {{{x, -1}, {one, {4, 5}}, {label, {1, 10}}}, {{y, 1000}}}}};
  for (const auto& [integers, wanted] : cases) {
    const auto law = query_length(program_with_directions(integers), wanted);
    ASSERT_TRUE(law);
    for (std::int64_t size = 2; size <= 4; ++size) {
      const Rational least = bound(*law, size);
      EXPECT_LE(least, Rational(1));
      for (const Integers& direction : primitive_vectors(2, size * integers))
        for (const int more : {0, 1, 2, 3}) {
          Token token = token_at(PositionCode::circle, 0);
          token[kFlag] = {more % 2 == 0 ? 1 : -1};
          if (more < 2) token[kOneHot] = {0, 1, 0};
          token.push_back(unit(direction));
          const Real first = value(wanted.numerator, token);
          const Real second = value(wanted.denominator, token);
          const Real square = first * first + second * second;
          ASSERT_TRUE(square.is_zero() || square >= Real(least * least))
              << integers << ", " << size;
        }
    }
  }
}

TEST(SeparationLaws, OfOtherQueriesOfFindNoLengthIsStated) {
  const Program p = program_with_directions(3);
  const auto at = [](CellId cell, std::uint32_t index, const Rational& factor = 1) {
    return Term{{cell, index}, factor};
  };
  const auto length = [&](const LinearForm& numerator, const LinearForm& denominator) {
    return query_length(p, {numerator, denominator});
  };
  // Of whole cells it is the factor, however they are declared.
  for (const CellId cell : {kDirection, kOther}) {
    EXPECT_EQ(length({at(cell, 0, {-1, 3})}, {at(cell, 1, {-1, 3})}), (SeparationLaw{{1, 3}, 0}));
    EXPECT_EQ(length({at(cell, 0, 7)}, {at(cell, 1, 7)}), (SeparationLaw{1, 0}));
  }
  EXPECT_EQ(length({at(kPointer, 0)}, {at(kPointer, 1)}), (SeparationLaw{1, 0}));
  EXPECT_EQ(length({at(kDirection, 0, 2)}, {at(kDirection, 1)}), (SeparationLaw{{2, 9}, 1}));
  EXPECT_EQ(length({at(kOne, 0, {1, 90})}, {at(kDirection, 1)}), (SeparationLaw{{1, 45}, 1}));
  // These may come arbitrarily near to zero, for all that is declared.
  EXPECT_FALSE(length({at(kOther, 0, 2)}, {at(kOther, 1)}));
  EXPECT_FALSE(length({at(kPointer, 0), at(kPointer, 1, -1)}, {at(kPointer, 1)}));
  EXPECT_FALSE(length({at(kDirection, 0), at(kOther, 0)}, {at(kDirection, 1)}));
  EXPECT_FALSE(length({at(kDirection, 1)}, {at(kDirection, 0)}));
  EXPECT_FALSE(length({at(kDirection, 0)}, {at(kDirection, 1), at(kOne, 0)}));
  EXPECT_FALSE(length({at(kDirection, 0, 0)}, {at(kDirection, 1, 0)}));
}

TEST(SeparationLaws, TheLeastOfSeveralFollowsFromEach) {
  const std::vector<SeparationLaw> laws = {{2, 0}, {{1, 3}, 2}, {1, 1}};
  const SeparationLaw law = least(laws);
  for (std::int64_t size = 2; size <= 50; ++size)
    for (const SeparationLaw& each : laws) EXPECT_LE(bound(law, size), bound(each, size));
  EXPECT_EQ(law, (SeparationLaw{{1, 3}, 2}));
}

TEST(SeparationLaws, ABoundInDoubleIsNeverTooLarge) {
  for (const SeparationLaw& law : std::vector<SeparationLaw>{
           {{1, 3}, 0}, {{1, 10}, 1}, {{2, 25}, 2}, {{1, 7}, 4}, {1, 64}, {{1, 3}, 64}})
    for (const double size : {1.0, 2.0, 3.0, 10.0, 1000.5, 3e7, 1e18, 1e300}) {
      const double value = law.at(size);
      mpq_class exact = law.coefficient.to_mpq();
      for (std::uint32_t i = 0; i < law.exponent; ++i) exact /= mpq_class(size);
      EXPECT_LE(mpq_class(value), exact);
      const double next = std::nextafter(value, 1e308);
      EXPECT_GT(mpq_class(next), exact) << "not the largest double below";
    }
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(0.5)), 0.5) << "there is at least one token";
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(std::numeric_limits<double>::infinity())), 0);
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(std::numeric_limits<double>::quiet_NaN())), 0);
}

}}  // namespace logdepth::schemas_tests
