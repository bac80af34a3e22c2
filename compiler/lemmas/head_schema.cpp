#include "compiler/lemmas/head_schema.hpp"

#include "base/overload.hpp"
#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_lemmas {
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
// rightmost: SelectRightmost. q = 1, k = sum of 2 [flag] + h(p), up to an additive constant.
//
// Lemma. Let h be strictly increasing with values in [0, 1). If more flags hold at one position
//   than at another, its k is larger by more than 2 - 1 = 1 > 0, and among positions where equally
//   many hold the later one has the larger k. So the arg max is the last of the visible positions
//   where most of the flags hold: exactly one. No length enters.
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
  return {{{term(*constant_cell(program), 0)}}, {std::move(key)}};
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

}  // namespace logdepth::inline compiler_lemmas
