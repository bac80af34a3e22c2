// The lemmas of compiler/lemmas/head_schema.cpp that constructions cite: heads that select exactly
// floor(c/m). Scores are compared as integers, squared where there are roots.

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/lemmas/head_schema.hpp"
#include "compiler/meaning/cell_reader.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::floors_tests {
namespace {

/// Whether the query (y, d L) / d is nearer to (i, L) than to (k, L), where both cosines are positive.
bool nearer_phi(std::int64_t y, std::int64_t d, std::int64_t L, std::int64_t i, std::int64_t k) {
  const mpz_class square = mpz_class(L) * L;
  const auto product = [&](std::int64_t r) {
    const mpz_class value = mpz_class(y) * r + square * d;
    EXPECT_GT(value, 0);
    return value;
  };
  const auto norm = [&](std::int64_t r) { return mpz_class(mpz_class(r) * r + square); };
  const mpz_class to_i = product(i), to_k = product(k);
  return to_i * to_i * norm(k) > to_k * to_k * norm(i);
}

/// The sign of the difference of the scores of the fine codes of i and k for the query (x, d).
int compare_fine(std::int64_t x, std::int64_t d, std::int64_t b, std::int64_t i, std::int64_t k) {
  const auto a = [&](std::int64_t r) { return mpz_class(2 * r + b); };
  const auto product = [&](std::int64_t r) {
    return mpz_class(x * (a(r) * a(r) - 1) + d * 2 * a(r));
  };
  const auto norm = [&](std::int64_t r) { return mpz_class(a(r) * a(r) + 1); };
  return cmp(product(i) * norm(k), product(k) * norm(i));
}

std::vector<std::int64_t> quotients() {
  std::vector<std::int64_t> all;
  for (std::int64_t j = 0; j < 300; ++j) all.push_back(j);
  for (const std::int64_t j : {1000, 10000, 1000000}) all.push_back(j);
  return all;
}
/// The target grows with the remainder, so the ends decide.
std::vector<std::int64_t> remainders(std::int64_t m) {
  return {0, m / 2, m - 1};
}

/// With y = (2c + shift) / (2m): c = m j + rest is sent to j, from either neighbour.
bool rounds(std::int64_t m, std::int64_t L, std::int64_t shift, std::int64_t j, std::int64_t rest,
            bool first) {
  const std::int64_t y = 2 * (m * j + rest) + shift;
  return (first || nearer_phi(y, 2 * m, L, j, j - 1)) && nearer_phi(y, 2 * m, L, j, j + 1);
}

TEST(Floors, PhiOverMRoundsTheQuotientByMForBothSigns) {
  for (std::int64_t m = 2; m <= 64; ++m)
    for (const std::int64_t magnitude : quotients())
      for (const std::int64_t j : {magnitude, -magnitude})
        for (const std::int64_t rest : remainders(m))
          for (const std::int64_t L : {m, (m + 3) / 4})
            ASSERT_TRUE(rounds(m, L, 1 - m, j, rest, false))
                << "m = " << m << ", L = " << L << ", c = " << m * j + rest;
}

TEST(Floors, PhiOverLTakesHalfOffTheQuotientByUpToEightL) {
  for (std::int64_t m = 1; m <= 64; ++m)
    for (const std::int64_t j : quotients())
      for (const std::int64_t rest : remainders(m))
        for (const std::int64_t L : {(m + 7) / 8, m})
          ASSERT_TRUE(rounds(m, L, -m, j, rest, j == 0))
              << "m = " << m << ", L = " << L << ", c = " << m * j + rest;
}

TEST(Floors, OnePlaceBeyondTheseBoundsTheyFail) {
  EXPECT_FALSE(rounds(9, 1, -9, 1, 8, false)) << "c = 17";
  EXPECT_FALSE(rounds(5, 1, 1 - 5, 1, 4, false)) << "c = 9";
  EXPECT_FALSE(rounds(9, 1, 1 - 9, 1, 8, false));
  for (std::int64_t b = 1; b <= 64; ++b)
    EXPECT_EQ(compare_fine(2 * b + (b - 1) * (b + 1), 2 * (b + 1), b, 0, 1), 0) << "no tie";
}

TEST(Floors, FineSelectsTheQuotientByEveryModulusUpToItsParameter) {
  for (const std::int64_t b : {1, 2, 3, 5, 8, 16, 64})
    for (std::int64_t m = 1; m <= b; ++m)
      for (const std::int64_t j : quotients())
        for (const std::int64_t rest : remainders(m)) {
          // c/m + (b-1)/2
          const std::int64_t x = 2 * (m * j + rest) + (b - 1) * m, d = 2 * m;
          ASSERT_GT(compare_fine(x, d, b, j, j + 1), 0)
              << "b = " << b << ", m = " << m << ", " << j;
          ASSERT_TRUE(j == 0 || compare_fine(x, d, b, j, j - 1) > 0)
              << "b = " << b << ", m = " << m;
        }
}

TEST(Floors, BisectorsOfFineCodesAreWhereTheLemmaSays) {
  for (const std::int64_t b : {1, 2, 3, 8, 64})
    for (const std::int64_t j : quotients()) {
      const std::int64_t a = 2 * j + b + 1;  // j + (b+1)/2 - 1/a
      EXPECT_EQ(compare_fine(a * a - 2, 2 * a, b, j, j + 1), 0);
    }
}

/// The one position of 0, ..., last that the head selects for the direction of (c, 1); -1 for a tie.
std::int64_t selected(const Program& program, const SelectNearest& nearest, std::int64_t c,
                      std::int64_t last) {
  const HeadSchema schema = head_schema(program, nearest);
  const PositionCode code = std::get<KeyType>(program.cells[nearest.key].type).code;
  const auto direction = phi_code(c);
  std::vector<Real> scores;
  for (std::int64_t r = 0; r <= last; ++r) {
    const auto key = code_of(code, static_cast<std::uint64_t>(r));
    Real score;
    for (std::size_t d = 0; d < schema.query.size(); ++d) {
      Real query;
      for (const Term& t : schema.query[d])
        query = query + direction[t.component.index].scaled(t.factor);
      for (const Term& t : schema.key[d])
        score = score + query * key[t.component.index].scaled(t.factor);
    }
    scores.push_back(score);
  }
  const auto best = std::max_element(scores.begin(), scores.end());
  return std::count(scores.begin(), scores.end(), *best) == 1 ? best - scores.begin() : -1;
}

TEST(Floors, HeadsSelectTheQuotientOrTheLastVisiblePosition) {
  constexpr CellId kDirection = 0, kKey = 1;
  const auto form = [](const Rational& slope, const Rational& constant) {
    return LinearForm{{{kDirection, 0}, slope}, {{kDirection, 1}, constant}};
  };
  for (std::int64_t m = 2; m <= 11; ++m) {
    const auto over = static_cast<std::uint32_t>(m);
    const Rational part(1, m), of_L(1, m * m);
    struct Head {
      PositionCode code;
      LinearForm numerator;
    };
    for (const Head& head :
         std::vector<Head>{{PositionCode::fine(over), form(part, Rational(m - 1, 2))},
                           {PositionCode::phi_over(over), form(of_L, Rational(1 - m, 2) * of_L)},
                           {PositionCode::phi_over(over), form(of_L, Rational(-1, 2) * part)}}) {
      Program program;
      program.cells = {{"C", DirectionType{2}, Lifetime::permanent},
                       {"I", KeyType{head.code}, Lifetime::permanent}};
      const SelectNearest nearest{{head.numerator, {{{kDirection, 1}, Rational(1)}}}, kKey};
      for (std::int64_t last = 0; last <= 3; ++last)
        for (std::int64_t c = 0; c <= m * (last + 2); ++c)
          ASSERT_EQ(selected(program, nearest, c, last), std::min(c / m, last))
              << "m = " << m << ", c = " << c << ", last = " << last;
    }
  }
}

}  // namespace
}  // namespace logdepth::floors_tests
