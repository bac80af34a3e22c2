#include "compiler/lemmas/head_schema.hpp"

#include <algorithm>

#include "base/overload.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth { inline namespace compiler_lemmas {
namespace {

Term term(CellId cell, std::uint32_t index, std::int64_t factor = 1) {
  return {{cell, index}, Rational(factor)};
}

/// A literal as +-1 (flags), or as 2 and 0 (one-hot labels): twice its truth, up to a constant.
Term doubled(const Program& program, const Literal& literal) {
  if (std::holds_alternative<FlagType>(program.cells[literal.cell].type))
    return term(literal.cell, 0, literal.value ? 1 : -1);
  return term(literal.cell, literal.value, 2);
}

// ---------------------------------------------------------------------------------------------
// pointed: SelectPointed. q = the pointer's code, k = the key's code.
//
// Lemma (circle). For t, u >= 0: circle(t).circle(u) = 1 - 2(t-u)^2 / ((1+t^2)(1+u^2)).
//   (1-t^2)(1-u^2) + 4tu = 1 + t^2u^2 - t^2 - u^2 + 4tu = (1+t^2)(1+u^2) - 2(t-u)^2.
//   So the score is 1 iff t = u and smaller otherwise. Positions p, r have t = p+1, u = r+1: the
//   arg max over any set of positions that contains e is e alone. No length enters.
//
// Lemma (two-circle). The score is circle(t/2^L).circle(u/2^M) + circle(L+1).circle(M+1) <= 1 + 1,
//   with equality iff t/2^L = u/2^M and L = M, hence t = u. So again e alone, for every length.
//   (L = floor(log2 t) is not needed here; it only widens the gap: for t, u in [1, N] with t != u
//   the score is below 2 - 2/(25 N^2).)
//
// Lemma (phi over L, back c >= 0). q = (x0 - c/L x1, x1) for the pointer (e, L)/sqrt(e^2+L^2), a
//   positive multiple of (e-c, L); k = (r, L)/sqrt(r^2+L^2). With a = e - c the score is a positive
//   multiple of f(r) = (a r + L^2)/sqrt(r^2 + L^2), and f'(r) = L^2 (a - r)/(r^2 + L^2)^(3/2): f
//   increases up to r = a and decreases after it. For a >= 0 the arg max over integers r >= 0 that
//   include a is a alone; for a < 0, f decreases on r >= 0 and the arg max is position 0 alone, which
//   is visible to every token. So the head selects exactly position max(e - c, 0), for every length.
//
// Lemma (fine b). The codes of e and r are circle(2e+b) and circle(2r+b) with first components
//   negated, so the score is 1 iff e = r and smaller otherwise, as for circle.
//
// Visibility: a pointer never points to the right of its token (PointerType; the passes prove it),
// so e, and with it max(e - c, 0), is visible under the causal mask.
HeadSchema pointed(const Program& program, const SelectPointed& selector) {
  HeadSchema schema;
  const CellType& type = program.cells[selector.key].type;
  for (std::uint32_t i = 0; i < size_of(type); ++i) {
    LinearForm query = {term(selector.pointer, i)};
    if (i == 0 && selector.back > 0)
      query.push_back(
          {{selector.pointer, 1}, -Rational(selector.back, held_code(type)->parameter)});
    schema.query.push_back(std::move(query));
    schema.key.push_back({term(selector.key, i)});
  }
  return schema;
}

// ---------------------------------------------------------------------------------------------
// same: SelectSame. q = k = the listed cells, each a vector of constant norm.
//
// Lemma. For vectors of equal norm, x.y <= |x||y| = |x|^2 with equality iff x = y (Cauchy-Schwarz).
//   Summed over the cells: the score of position j is maximal iff all its listed cells equal the
//   token's own. The token sees itself, so the maximum is attained and the selected set is exactly
//   the visible positions with equal cells; at least one. No length enters.
HeadSchema same(const Program& program, const SelectSame& selector) {
  HeadSchema schema;
  for (const CellId cell : selector.cells)
    for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i) {
      schema.query.push_back({term(cell, i)});
      schema.key.push_back({term(cell, i)});
    }
  return schema;
}

// ---------------------------------------------------------------------------------------------
// rightmost: SelectRightmost. q = 1, k = sum of 2 [flag] + h(p), up to an additive constant; with a
// shared label also q = the token's one-hot A, k = twice the position's one-hot B.
//
// Lemma. Let h be strictly increasing with values in [0, 1). If more flags hold at one position
//   than at another, its k is larger by more than 2 - 1 = 1 > 0, and among positions where equally
//   many hold the later one has the larger k. So the arg max is the last of the visible positions
//   where most of the flags hold: exactly one. No length enters. A shared label is one more
//   condition: A.2B is 2 where both are the same label, else 0.
//     phi:     h(p) = p/sqrt(p^2+L^2), increasing from 0 towards 1.
//     circle:  h(p) = (t^2-1)/(t^2+1) = 1 - 2/(t^2+1) with t = p+1, increasing from 0 towards 1.
//     fine:    h(p) = (a^2-1)/(a^2+1), the same with a = 2p+b >= 1.
//   A flag f = +-1 contributes f itself (2 [f] = f + 1), its negation -f; a one-hot label x is 0 or
//   1 and contributes 2 x.
HeadSchema rightmost(const Program& program, const SelectRightmost& selector) {
  LinearForm key;
  for (const Literal& flag : selector.flags) key.push_back(doubled(program, flag));
  const bool falls = held_code(program.cells[selector.key].type) == PositionCode::circle;
  key.push_back(term(selector.key, 0, falls ? -1 : 1));
  HeadSchema schema{{{term(*constant_cell(program), 0)}}, {std::move(key)}};
  if (const auto& shared = selector.shared)
    for (std::uint32_t i = 0; i < size_of(program.cells[shared->own].type); ++i) {
      schema.query.push_back({term(shared->own, i)});
      schema.key.push_back({term(shared->there, i, 2)});
    }
  return schema;
}

// ---------------------------------------------------------------------------------------------
// flagged: SelectFlagged. q = [when] or 1, k = [flag], both 0 or 1.
//
// Lemma. If q = 0 all scores are 0. If q = 1 the score is [flag]: the arg max is where the flag
//   holds, or everywhere if it holds nowhere. A flag f counts as (1 + f)/2, doubled here.
HeadSchema flagged(const Program& program, const SelectFlagged& selector) {
  const CellId one = *constant_cell(program);
  const auto indicator = [&](const Literal& literal) {
    LinearForm form = {doubled(program, literal)};
    if (std::holds_alternative<FlagType>(program.cells[literal.cell].type))
      form.push_back(term(one, 0));
    return form;
  };
  return {{selector.when ? indicator(*selector.when) : LinearForm{term(one, 0)}},
          {indicator(selector.flag)}};
}

// ---------------------------------------------------------------------------------------------
// nearest: SelectNearest. q = a positive multiple of (x, 1), k = the code of r.
//
// Lemma (phi over L). Write y = L x. For rational x the arg max of f(r) = (y r + L^2)/sqrt(r^2 + L^2)
//   over the integers r = 0 .. R is exactly one position; it is r = y if y is one of them, and 0 if
//   y <= 0. As above f increases up to r = y and decreases after it, so only the two neighbours
//   j < y < j + 1 of a non-integer y could tie (one of them, if y lies outside 0 .. R). A tie says
//   (y j + L^2)^2 ((j+1)^2 + L^2) = (y (j+1) + L^2)^2 (j^2 + L^2), where neither square is zero; so
//   (j^2 + L^2)((j+1)^2 + L^2) would be the square of a rational. But it is X^2 + L^2 with
//   X = j^2 + j + L^2, and the first square above X^2 is larger: (X+1)^2 > X^2 + 2 L^2. For integers y
//   the maximum is y alone, because f is strictly monotone on either side. No length enters.
//
// Lemma (fine b). The codes are unit vectors whose slopes (first by second component), so whose angles
//   too, increase with r; the score is the cosine of the angle to q. So the arg max is the position j
//   with B(j-1) < x < B(j), or the first or last visible one, where B(j) is the slope of the bisector
//   of the codes of j and j+1; it is both of them where x = B(j). With half-angles, circle(a) is
//   (cos, sin) of 2 arccot a up to the sign of the first component, so the bisector of a = 2j+b and
//   a+2 has the cotangent of a sum as its slope:
//     B(j) = (a (a+2) - 1)/(2a + 2) = ((a+1)^2 - 2)/(2 (a+1)) = j + (b+1)/2 - 1/(2j+b+1).
//   It is rational, so that there is one position is owed by the construction: the interpreter and
//   every exact run check it.
//
// What constructions cite: exact floors. Let c >= 0 be an integer, m >= 1, j = floor(c/m), so that
//   j <= c/m <= j + 1 - 1/m; "selects floor(c/m)" means min(j, R), R the last visible position: if
//   the target lies above B(j-1), it lies above all bisectors of visible positions up to min(j, R).
// Lemma (floor, fine). For m <= b the target x = c/m + (b-1)/2 selects floor(c/m):
//     x >= j + (b-1)/2 > j + (b-1)/2 - 1/(2j+b-1) = B(j-1) for j >= 1, and
//     x <= j + (b+1)/2 - 1/m < B(j), because m < 2j+b+1.
//   (For m = b + 1 and c = b there is a tie between 0 and 1.)
// Lemma (bisector, phi over L). In terms of y = L x, the codes of j and j+1 meet at j + 1/2 - d(j) with
//   0 < d(j) < 1/(8L) for j >= 0. Let s = |(j, L)|, t = |(j+1, L)|. The bisector (j, L)/s + (j+1, L)/t
//   has y = (j t + (j+1) s)/(s + t) = j + s/(s+t), so with u = 2j+1 >= 1
//     d(j) = 1/2 - s/(s+t) = (t-s)/(2(s+t)) = (t^2-s^2)/(2 (s+t)^2) = u/(2 (s+t)^2) > 0,
//   where (s+t)^2 = s^2 + t^2 + 2 s t > (u^2+1)/2 + 2L^2 + (u^2-1)/2 + 2L^2 = u^2 + 4L^2 >= 4Lu,
//   because s t = sqrt(X^2 + L^2) > X = (u^2-1)/4 + L^2, with X as above.
// Lemma (floor, phi over L). For m <= 8L the target with y = c/m - 1/2 selects floor(c/m):
//     y >= j - 1/2 > j - 1/2 - d(j-1) for j >= 1, and
//     y <= j + 1/2 - 1/m <= j + 1/2 - 1/(8L) < j + 1/2 - d(j).
//   (With L = 1 and m = 9 it does not: c = 17 selects 2.)
// Lemma (rounding, phi over L). For m <= 4L, as for L = m, the target with y = (2c - m + 1)/(2m) selects
//   floor(c/m). It lies between j - 1/2 + 1/(2m) and j + 1/2 - 1/(2m), away from j - 1/2 and j + 1/2 by
//   at least 1/(8L), more than the bisectors are. This holds of negative c and keys that are the
//   directions of (j, L) for negative j as well: mirrored, j to -j, they meet at j + 1/2 + d(-1-j).
//
// The passes prove that x is rational and that the second component of q is positive.
HeadSchema nearest(const SelectNearest& selector) {
  return {{selector.target.numerator, selector.target.denominator},
          {{term(selector.key, 0)}, {term(selector.key, 1)}}};
}

// ---------------------------------------------------------------------------------------------
// found: SelectFound. Per term q_i = (numerator, denominator) and k_i a unit vector; with `prefer`
// one more dimension, q = margin e > 0 and k = the flag f = +-1.
//
// Lemma (match). q_i.k_i <= |q_i|, with equality iff k_i is the direction of q_i (Cauchy-Schwarz).
//   So a position reaches sum |q_i| iff it matches in every term. Hypothesis 1, owed by the
//   construction at every token and checked by every exact run: some visible position matches. Then
//   without `prefer` the arg max is exactly the set of matches.
// Lemma (tie-break). Hypothesis 2: 2 e is less than what any mismatch costs, that is
//   2 e < sum |q_i| - sum q_i.k_i for every visible position that does not match. Then a match with
//   f = -1 scores sum |q_i| - e, a mismatch less than sum |q_i| - 2 e + e, so the arg max is the
//   set of matches with f = +1 if there is one, else of all matches. The average of f over it is
//   exactly +1 or -1: an OR without a threshold.
// Lemma (cost). Let k = phi(v), q = phi(a), both of integers, v != a. With c = q.k,
//   (1 + a^2)(1 + v^2) = (a v + 1)^2 + (a - v)^2, so 1 - c^2 = (a-v)^2 / ((1+a^2)(1+v^2)) and
//   1 - c >= (1 - c^2)/2. For |a - v| >= 1 one has (a-v)^2 ((a+1)^2 + 1) >= v^2 + 1, hence
//   1 - c >= g(a) := 1 / (2 (a^2 + 1)((a+1)^2 + 1)). The bound needs no limit on v. A query of
//   length |q| costs |q| times as much. That of phi(a) shifted up, (x + w, w) of phi(a - 1) =
//   (x, w), is longer than 1, so it only costs more.
//
// Hypothesis 2 for e = the second component of dir(16, eps), eps = 1/(N sqrt(n^6 + n^4 + 1)), as in
//   MS25 Thm 5.1 over n vertices with N tokens (constructions/MS25/graph_connectivity_thm5_1.cpp):
//   0 < e < eps/16, and N >= n^3 + 2.
//   Loop. Matrix and padding tokens query a <= n: 2 eps/16 < g(n) if, since n^6+n^4+1 > n^6,
//     (n^2+1)((n+1)^2+1) <= 4 n^3 (n^3+2).                                                    (1)
//   Source and target tokens query, for n >= 2, a <= n with n^3 - n^2 padding, and a <= n + 1 with
//   n^3 padding, where N >= n^3 + n^2 + 2 (for n = 1 there is no loop): 2 eps/16 < g(n + 1) if
//     ((n+1)^2+1)((n+2)^2+1) <= 4 n^3 (n^3+n^2+2).                                            (2)
//   Last layer. The query for a <= n is (a, 1)/w, with w^2 = (s+1)^2 + (t+1)^2 + 1 <= 2 n^2 + 1 and
//   of length sqrt(a^2+1)/w: 2 eps/16 < g(n) sqrt(n^2+1)/w if
//     (2n^2+1)(n^2+1)((n+1)^2+1)^2 < 16 (n^3+2)^2 (n^6+n^4+1).                                (3)
//   Substitute n = 1 + x, in (2) n = 2 + x: right minus left has only non-negative coefficients in
//   x, in (1) it is 4x^6 + 24x^5 + 59x^4 + 82x^3 + 69x^2 + 30x + 2. So all three hold for these n
//   (tests/properties/schemas.cpp expands them again).
HeadSchema found(const Program& program, const SelectFound& selector) {
  HeadSchema schema;
  for (const FindTerm& t : selector.terms) {
    schema.query.push_back(t.wanted.numerator);
    schema.query.push_back(t.wanted.denominator);
    schema.key.push_back({term(t.key, 0)});
    schema.key.push_back({term(t.key, 1)});
  }
  if (selector.prefer) {
    schema.query.push_back({selector.prefer->margin});
    schema.key.push_back({doubled(program, selector.prefer->flag)});
  }
  return schema;
}

// ---------------------------------------------------------------------------------------------
// related: SelectRelated. q = (flags f_l = +-1, 1/2), k = (label one-hot, p), where p is the
// preference, +-1 for a flag and 2 or 0 for a label.
//
// Lemma. A related position scores 1 + p/2, any other -1 + p/2. The values of p/2 differ by at most
//   1 and 2 > 1, so the arg max is among the related ones, and of these those with the larger p.
//   With R_i the row of vertex i, R_ii = +1, as flags and p = R_kj, this is an OR over k of R_ik
//   and R_kj in one head: no margin, no length. Hypothesis, checked by every exact run: some
//   visible position is related.
HeadSchema related(const Program& program, const SelectRelated& selector) {
  HeadSchema schema;
  for (std::uint32_t l = 0; l < selector.flags.size(); ++l) {
    schema.query.push_back({term(selector.flags[l], 0)});
    schema.key.push_back({term(selector.label, l)});
  }
  schema.query.push_back({{{*constant_cell(program), 0}, Rational(1, 2)}});
  schema.key.push_back({doubled(program, selector.prefer)});
  return schema;
}

}  // namespace

// uniform: SelectAll. q = 0, so every score is 0 and every visible position is selected.
HeadSchema head_schema(const Program& program, const Selector& selector) {
  return std::visit(Overload{[](const SelectAll&) {
                               return HeadSchema{{{}}, {{}}};
                             },
                             [&](const SelectPointed& s) { return pointed(program, s); },
                             [&](const SelectSame& s) { return same(program, s); },
                             [&](const SelectRightmost& s) { return rightmost(program, s); },
                             [&](const SelectNearest& s) { return nearest(s); },
                             [&](const SelectFlagged& s) { return flagged(program, s); },
                             [&](const SelectFound& s) { return found(program, s); },
                             [&](const SelectRelated& s) { return related(program, s); }},
                    selector);
}

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
//   (runtime/file/model_meaning.hpp). One of t, u is at most N - 1, so by (*) this is at least
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

namespace {

using Sum = std::vector<Summand>;

bool selects_one(const Summand& s) {
  const auto* found = std::get_if<SelectFound>(&s.selector);
  return std::holds_alternative<SelectPointed>(s.selector) ||
         std::holds_alternative<SelectNearest>(s.selector) ||
         std::holds_alternative<SelectRightmost>(s.selector) || (found && found->one);
}

/// The least positive integer that makes all of these integers.
Rational common_denominator(const std::vector<Rational>& values) {
  mpz_class result = 1;
  for (const Rational& value : values) {
    const mpz_class denominator = value.to_mpq().get_den();
    mpz_lcm(result.get_mpz_t(), result.get_mpz_t(), denominator.get_mpz_t());
  }
  return Rational(mpq_class(result));
}

/// Adds numbers of which all values of the form are sums; false where it reads anything else than
/// flags, labels and the constant. A flag is 2 b - 1 for a b in {0, 1}.
bool add_steps(const Program& program, const LinearForm& form, std::vector<Rational>& steps) {
  Rational fixed;
  for (const Term& t : form) {
    const CellType& cell = program.cells[t.component.cell].type;
    if (std::holds_alternative<ConstantType>(cell)) {
      fixed += t.factor;
    } else if (std::holds_alternative<FlagType>(cell)) {
      fixed -= t.factor;
      steps.push_back(t.factor * Rational(2));
    } else if (std::holds_alternative<OneHotType>(cell)) {
      steps.push_back(t.factor);
    } else {
      return false;
    }
  }
  steps.push_back(fixed);
  return true;
}

class ZeroLaw {
 public:
  ZeroLaw(const Program& program, const AbstractState& contents) : p_(program), c_(contents) {}

  std::optional<SeparationLaw> of(const Component& number) const {
    const AbstractValue& content = c_[number.cell];
    if (content.kind != AbstractValue::Kind::number) return std::nullopt;
    if (content.given) return SeparationLaw{1, 0};  // (p, 1) and (m, 1) are integers
    if (content.unknown) return std::nullopt;
    const Sum& sum = content.sums[number.index];
    if (auto law = of_two_values(sum)) return law;
    if (auto law = of_mean_and_own(sum)) return law;
    if (auto law = of_averages(sum)) return law;
    return of_one_group(sum);
  }

 private:
  const CellType& type(CellId cell) const { return p_.cells[cell].type; }

  /// f (x_0 - y_0), where x and y are codes or declared directions at one position each: the
  /// difference of two first components.
  std::optional<SeparationLaw> of_two_values(const Sum& sum) const {
    LinearForm terms;
    for (const Summand& s : sum) {
      if (!s.under.empty() || !selects_one(s)) return std::nullopt;
      terms.insert(terms.end(), s.form.begin(), s.form.end());
    }
    if (terms.size() != 2 || !(terms[0].factor + terms[1].factor).is_zero()) return std::nullopt;
    const auto a = first_component(terms[0].component), b = first_component(terms[1].component);
    if (!a || !b) return std::nullopt;
    auto law = difference(*a, *b);
    if (law) law->coefficient *= terms[0].factor.abs();
    return law;
  }

  std::optional<FirstComponent> first_component(const Component& c) const {
    if (c.index != 0) return std::nullopt;
    if (const auto code = held_code(type(c.cell))) return FirstComponent{code};
    const auto* direction = std::get_if<DirectionType>(&type(c.cell));
    if (!direction || direction->size != 2 || !direction->integers) return std::nullopt;
    return FirstComponent{std::nullopt, *direction->integers};
  }

  /// f times the mean of x(j) over the positions j that a causal head selects, minus f x(i) of the
  /// token i itself, where x is the first component of the position's own code. It is monotone, so
  /// all x(j) - x(i) with j < i have one sign and are at least `difference`. At least half of the
  /// selected positions are not i, unless i is the only one: 0, or at least half that difference.
  std::optional<SeparationLaw> of_mean_and_own(const Sum& sum) const {
    const auto own =
        std::ranges::find_if(sum, [](const Summand& s) { return selects_self(s.selector); });
    if (sum.size() != 2 || own == sum.end() || own->form.size() != 1) return std::nullopt;
    const Summand& mean = own == sum.begin() ? sum[1] : sum[0];
    const Term& x = own->form.front();
    if (!mean.causal || !mean.under.empty() || !own->under.empty() || x.component.index != 0 ||
        mean.form != LinearForm{{x.component, -x.factor}})
      return std::nullopt;
    const auto* key = std::get_if<KeyType>(&type(x.component.cell));
    auto law = key ? difference({key->code}, {key->code}) : std::nullopt;
    if (law) law->coefficient *= x.factor.abs() * Rational(1, 2);
    return law;
  }

  /// Averages of forms over flags, labels and the constant. With n positions selected, n d times
  /// such an average is an integer, d the common denominator of the form's values; so is the sum
  /// times d and the numbers of the different selections, each at most N: at least 1 / (d N^k).
  std::optional<SeparationLaw> of_averages(const Sum& sum) const {
    std::vector<Rational> steps;
    std::vector<const Summand*> selections;
    for (const Summand& s : sum) {
      if (!s.under.empty() || !add_steps(p_, s.form, steps)) return std::nullopt;
      const auto same = [&](const Summand* t) { return same_selection(*t, s); };
      if (!selects_one(s) && std::none_of(selections.begin(), selections.end(), same))
        selections.push_back(&s);
    }
    return SeparationLaw{common_denominator(steps).inverse(),
                         static_cast<std::uint32_t>(selections.size())};
  }

  /// The same positions, also if the averages were taken at different times.
  static bool same_selection(const Summand& a, const Summand& b) {
    const bool unchanged =
        std::holds_alternative<SelectAll>(a.selector) || (a.current && b.current);
    return unchanged && a.selector == b.selector && a.causal == b.causal;
  }

  /// A form of given numbers (p, 1), (m, 1) under their joint norm, where all selected positions
  /// have the token's own direction, and so its own numbers, because one of them is 1. An integer
  /// over a common denominator d, divided by the norm of k integers up to N: at least 1 / (d k N).
  std::optional<SeparationLaw> of_one_group(const Sum& sum) const {
    if (sum.size() != 1 || !sum.front().current) return std::nullopt;
    const Summand& s = sum.front();
    if (s.under.empty() || !std::holds_alternative<SelectSame>(s.selector)) return std::nullopt;
    std::int64_t size = 0;
    for (const CellId cell : s.under) {
      if (!c_[cell].given) return std::nullopt;
      size += size_of(type(cell));
    }
    std::vector<Rational> factors;
    for (const Term& t : s.form) factors.push_back(t.factor);
    return SeparationLaw{(common_denominator(factors) * Rational(size)).inverse(), 1};
  }

  const Program& p_;
  const AbstractState& c_;
};

}  // namespace

// Lemma (gap of `find`, without `prefer`). By the head's contract some visible position m matches in
//   every term: q_b = |q_b| k_b(m). A position j that does not match differs from m in the key of some
//   term b, so it scores less by at least |q_b| (k_b(m).k_b(m) - k_b(m).k_b(j)): the gap of two
//   different values of that key, times |q_b|. Nothing is gained in other terms (Cauchy-Schwarz). If a
//   single query is scaled to length 1, this holds with min(|q_b|, 1) as well.
//
// Lemma (length of a query). By the contract q is not 0. If q = g (X[0], X[1]) for a cell X of norm 1,
//   its length is |g|. Let X be a direction of integers (a, b) up to h N, and q = (f X[0] + f' X[1] + v,
//   g X[1]), where f and all values of v are multiples of 1/d. If b is not 0, then |q| >= |g X[1]| =
//   |g b|/|(a, b)| >= |g|/(sqrt(2) h N) >= 2|g|/(3 h N). If b is 0, then X[0] = +-1 and q = (+-f + v, 0)
//   is not 0, so |q| >= 1/d.
std::optional<SeparationLaw> query_length(const Program& program, const Ratio& wanted) {
  if (wanted.denominator.size() != 1) return std::nullopt;
  const auto& [second, g] = wanted.denominator.front();
  const Component first{second.cell, 0};
  const CellType& type = program.cells[second.cell].type;
  if (second.index != 1 || size_of(type) != 2 || g.is_zero()) return std::nullopt;
  if (squared_norm(type) == Rational(1) && wanted.numerator == LinearForm{{first, g}})
    return SeparationLaw{std::min(g.abs(), Rational(1)), 0};
  const auto* direction = std::get_if<DirectionType>(&type);
  if (!direction || !direction->integers) return std::nullopt;
  LinearForm v;
  std::vector<Rational> parts;
  for (const Term& t : wanted.numerator) {
    if (t.component == first) parts.push_back(t.factor);
    if (t.component.cell != second.cell) v.push_back(t);
  }
  if (!add_steps(program, v, parts)) return std::nullopt;
  const Rational part = g.abs() * Rational(2, 3) / integer(*direction->integers);
  const std::vector<SeparationLaw> laws = {{std::min(part, Rational(1)), 1},
                                           {common_denominator(parts).inverse(), 0}};
  return least(laws);
}

std::optional<SeparationLaw> zero_law(const Program& program, const Component& number,
                                      const AbstractState& contents) {
  return ZeroLaw(program, contents).of(number);
}

}}  // namespace logdepth::compiler_lemmas
