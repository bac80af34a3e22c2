#include "compiler/lemmas/separation_lemmas.hpp"

#include <algorithm>

namespace logdepth::inline compiler_lemmas {
namespace {

Rational integer(std::uint64_t value) {
  return {static_cast<std::int64_t>(value)};
}
Rational square(std::uint64_t value) {
  return integer(value) * integer(value);
}

/// g with 2 (N - 1) + b <= g N.
Rational fine_reach(PositionCode code) {
  return integer(std::max(code.parameter, 2u));
}

}  // namespace

// For unit vectors q, k with c = q.k:  1 - c >= (1 - c)(1 + c)/2 = (1 - c^2)/2, half the squared
// sine of their angle. For integer vectors a, b the squared sine is
//   (|a|^2 |b|^2 - (a.b)^2) / (|a|^2 |b|^2),
// whose numerator is an integer, and not 0 unless they are parallel (Cauchy-Schwarz). In the plane
// it is the square of the determinant.
// For all N >= 1 and L >= 1:  L^2 + (N-1)^2 <= L^2 N^2,                                        (*)
// since the difference is (N-1) (L^2 (N+1) - (N-1)).
//
// Lemma (phi over L). Positions a != b below N: the determinant of (a, L) and (b, L) is L (a - b), so
//   1 - c >= L^2 (a - b)^2 / (2 (L^2+a^2)(L^2+b^2)) >= 1 / (2 L^2 N^4) by (*).
//
// Lemma (circle). Positions with t != u in [1, N] lose 2 (t-u)^2 / ((1+t^2)(1+u^2))
//   (position_code.hpp). One of t, u is at most N - 1, so by (*) this is at least
//   2 / (N^2 (1 + N^2)), and 1 + N^2 <= 5/4 N^2 for N >= 2: at least 8 / (5 N^4).
//
// Lemma (two-circle). With t = x 2^L, u = y 2^M, x and y in [1, 2), the loss is the sum of those of
//   (x, y) and (L+1, M+1). If L = M, then |x - y| >= 2^-L >= 1/N and 1 + x^2, 1 + y^2 < 5, so the
//   first is above 2 / (25 N^2). If L < M, then N >= 2^M and the second is at least
//   2 / ((1+(M+1)^2)(1+M^2)), and f(M) = (1+(M+1)^2)(1+M^2) <= 25 * 4^M: f(1) = 10, f(2) = 50, and
//   f(M+1)/f(M) = (1+(M+2)^2)/(1+M^2) <= 17/5 < 4 for M >= 2, since it decreases.
//   So at least 2 / (25 N^2).
//
// Lemma (fine b). The codes of positions j != i are those of circle at a = 2j + b and 2i + b, with
//   first components negated, so they lose 2 (2j-2i)^2 / ((1+a^2)(1+a'^2)). With g = max(b, 2), a is
//   at most 2(N-1) + b <= g N, so 1 + a^2 <= (g^2+1) N^2: at least 8 / ((g^2+1)^2 N^4).
SeparationLaw code_gap(PositionCode code) {
  switch (code.kind) {
    case PositionCode::Kind::phi:
      return {(Rational(2) * square(code.parameter)).inverse(), 4};
    case PositionCode::Kind::circle:
      return {{8, 5}, 4};
    case PositionCode::Kind::two_circle:
      return {{2, 25}, 2};
    case PositionCode::Kind::fine: {
      const Rational norm = fine_reach(code) * fine_reach(code) + Rational(1);
      return {Rational(8) / (norm * norm), 4};
    }
  }
  return {};
}

// Lemma (phi over L, back c). Let a = e - c. If a >= 0 the query is the code of a. If a < 0, position
//   0 scores L/sqrt(a^2+L^2), and r >= 1 at most what position 1 does (head_schema.cpp),
//     (a + L^2)/sqrt((a^2+L^2)(1+L^2)) <= (L^2 - 1)/sqrt(1+L^2) / sqrt(a^2+L^2)
//                                      <= (L^2 - 1)/L / sqrt(a^2+L^2).
//   So the gap is at least 1/(L sqrt(a^2+L^2)) >= 1/(L (c+L)), because |a| <= c; for N >= 2 this is at
//   least 16/(L (c+L)) N^-4.
SeparationLaw shifted_phi_gap(std::uint32_t L, std::uint32_t back) {
  const Rational beyond = integer(L) * (integer(back) + integer(L));
  return {std::min(code_gap(PositionCode::phi_over(L)).coefficient, Rational(16) / beyond), 4};
}

// Lemma (integer directions). |a|^2 and |b|^2 are at most size * bound^2 * N^2. Opposite vectors
//   lose 2, others that are not parallel at least half of 1 / (|a|^2 |b|^2).
SeparationLaw direction_gap(std::uint32_t size, std::uint32_t bound) {
  const Rational square = integer(size) * integer(bound) * integer(bound);
  return {(Rational(2) * square * square).inverse(), 4};
}

// Lemma (phi over L). h(p) = p/sqrt(p^2+L^2) has the derivative L^2 (p^2+L^2)^(-3/2), which
//   decreases: for p < r < N, h(r) - h(p) >= h(r) - h(r-1) >= L^2 (L^2+(N-1)^2)^(-3/2)
//   >= 1/(L N^3) by (*).
//
// Lemma (circle). With u > t >= 1, u <= N the components (1-t^2)/(1+t^2) = 2/(1+t^2) - 1 differ by
//   at least 2/((u-1)^2+1) - 2/(u^2+1) = 2(2u-1) / ((1+(u-1)^2)(1+u^2))
//                                     >= 2 (3u/2) / (u^2 5/4 u^2) = 12/(5 u^3) >= 12/5 N^-3,
//   by (*) and u >= 2.
//
// Lemma (fine b). h = 1 - 2/(a^2+1) with a = 2p + b. For p < r < N let a be that of r - 1: at least
//   2/(a^2+1) - 2/((a+2)^2+1) = 8 (a+1) / ((a^2+1)((a+2)^2+1)) >= 8 / ((a+1)((a+2)^2+1)), since
//   a^2 + 1 <= (a+1)^2. As above a + 2 <= g N, so at least 8 / (g (g^2+1) N^3).
//
// Lemma (integer vectors). Let x = (a, b) and y = (c, d), not 0, and a/|x| != c/|y|.
//   If a or c is 0, or their signs differ, the difference is at least |a|/|x| or |c|/|y|, one that
//   is not 0, so at least 1/|x| or at least 1/|y|. Else it is that of |a|/|x| and |c|/|y|, so let
//   all four be >= 0 and a, c >= 1. Divided by common divisors they are no larger: let a, b be
//   coprime, and c, d. Then
//     |a/|x| - c/|y|| = |a^2 |y|^2 - c^2 |x|^2| / (|x||y| (a|y| + c|x|)),
//   and the numerator is |a^2 d^2 - c^2 b^2| = |ad - cb| (ad + cb), not 0, so at least ad + cb.
//   - b, d >= 1: ad + cb >= a + c and a|y| + c|x| <= (a + c) M, where M is the larger one of |x|
//     and |y|. So the difference is at least 1/(|x||y| M).
//   - b = 0, so a = 1 and d >= 1: at least d / (|y| (|y| + c)) >= 1/(2 |y|^2). Likewise for d = 0.
//   Two integer vectors. With entries up to A = g N and C = h N, |x| <= sqrt(2) A and
//   |y| <= sqrt(2) C, so in all cases at least 1 / (4 A C max(A, C)).
//   A phi code and an integer vector. With x = (a, 1), a < N, and C = h N, |x| <= N by (*), so
//   |x||y| M <= 2 h^2 N^3, and 2 |x|^2 <= 2 N^2, while b = 1. In all cases at least
//   1 / (2 h^2 N^3).
//   The code phi over L is that of the integer vector (a, L), with entries up to L N.
std::optional<SeparationLaw> difference(const FirstComponent& a, const FirstComponent& b) {
  using Kind = PositionCode::Kind;
  if (a.code && a.code == b.code) {
    switch (a.code->kind) {
      case Kind::phi:
        return SeparationLaw{integer(a.code->parameter).inverse(), 3};
      case Kind::circle:
        return SeparationLaw{{12, 5}, 3};
      case Kind::two_circle:
        return std::nullopt;
      case Kind::fine: {
        const Rational g = fine_reach(*a.code);
        return SeparationLaw{Rational(8) / (g * (g * g + Rational(1))), 3};
      }
    }
  }
  if (!a.code && b.code) return difference(b, a);
  for (const FirstComponent* x : {&a, &b})
    if (x->code && x->code->kind != Kind::phi) return std::nullopt;
  if (a.code == PositionCode::phi && !b.code)
    return SeparationLaw{(Rational(2) * square(b.bound)).inverse(), 3};
  const auto reach = [](const FirstComponent& x) {
    return integer(x.code ? x.code->parameter : x.bound);
  };
  const Rational g = reach(a), h = reach(b);
  return SeparationLaw{(Rational(4) * g * h * std::max(g, h)).inverse(), 3};
}

// For N >= 2 and e <= E: c N^-e >= c 2^(E-e) N^-E.
SeparationLaw least(std::span<const SeparationLaw> laws) {
  SeparationLaw result = laws.front();
  for (const SeparationLaw& law : laws) result.exponent = std::max(result.exponent, law.exponent);
  std::optional<Rational> coefficient;
  for (const SeparationLaw& law : laws) {
    const Rational c =
        law.coefficient * integer(std::uint64_t{1} << (result.exponent - law.exponent));
    if (!coefficient || c < *coefficient) coefficient = c;
  }
  result.coefficient = *coefficient;
  return result;
}

}  // namespace logdepth::inline compiler_lemmas
