#include "compiler/head_schema.hpp"

#include "compiler/program_rules.hpp"
#include "objects/overload.hpp"

namespace logdepth {
namespace {

Term term(CellId cell, std::uint32_t index, std::int64_t factor = 1) {
  return {{cell, index}, Rational(factor)};
}

// ---------------------------------------------------------------------------------------------
// match: SelectPointed. q = the pointer's code, k = the key's code.
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
// Lemma (phi, back c >= 0). q = (x0 - c x1, x1) for the pointer phi(e) = (e, 1)/sqrt(e^2+1), a
//   positive multiple of (e-c, 1); k = (r, 1)/sqrt(r^2+1). With a = e - c the score is a positive
//   multiple of f(r) = (a r + 1)/sqrt(r^2 + 1), and f'(r) = (a - r)/(r^2 + 1)^(3/2): f increases up
//   to r = a and decreases after it. For a >= 0 the arg max over integers r >= 0 that include a is
//   a alone; for a < 0, f decreases on r >= 0 and the arg max is position 0 alone, which is visible
//   to every token. So the head selects exactly position max(e - c, 0), for every length.
//
// Visibility: a pointer never points to the right of its token (PointerType; the passes prove it),
// so e, and with it max(e - c, 0), is visible under the causal mask.
HeadSchema pointed(const Program& program, const SelectPointed& selector) {
  HeadSchema schema;
  const std::uint32_t size = size_of(program.cells[selector.key].type);
  for (std::uint32_t i = 0; i < size; ++i) {
    LinearForm query = {term(selector.pointer, i)};
    if (i == 0 && selector.back > 0)
      query.push_back(term(selector.pointer, 1, -static_cast<std::int64_t>(selector.back)));
    schema.query.push_back(std::move(query));
    schema.key.push_back({term(selector.key, i)});
  }
  return schema;
}

// ---------------------------------------------------------------------------------------------
// match: SelectSame. q = k = the listed cells, each a vector of constant norm.
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
// rightmost: SelectRightmost. q = 1, k = 2 [flag] + h(p), up to an additive constant.
//
// Lemma. Let h be strictly increasing with values in [0, 1). Then k of any flagged position exceeds
//   k of any other by more than 2 - 1 = 1 > 0, and among positions with the same flag the later one
//   has the larger k. So the arg max is the last flagged position if there is one, else the last
//   visible position: exactly one. No length enters.
//   phi: h(p) = p/sqrt(p^2+1), increasing from 0 towards 1.
//   circle: h(p) = (t^2-1)/(t^2+1) = 1 - 2/(t^2+1) with t = p+1, increasing from 0 towards 1.
//   A flag f = +-1 contributes f itself (2 [f] = f + 1), its negation -f; a one-hot label 2 x.
HeadSchema rightmost(const Program& program, const SelectRightmost& selector) {
  const CellId one = *constant_cell(program);
  LinearForm key;
  if (std::holds_alternative<FlagType>(program.cells[selector.flag.cell].type)) {
    key.push_back(term(selector.flag.cell, 0, selector.flag.value ? 1 : -1));
  } else {
    key.push_back(term(selector.flag.cell, selector.flag.value, 2));
  }
  const bool phi = std::get<KeyType>(program.cells[selector.key].type).code == PositionCode::phi;
  key.push_back(term(selector.key, 0, phi ? 1 : -1));
  return {{{term(one, 0)}}, {std::move(key)}};
}

}  // namespace

// uniform: SelectAll. q = 0, so every score is 0 and every visible position is selected.
HeadSchema head_schema(const Program& program, const Selector& selector) {
  return std::visit(Overload{[](const SelectAll&) {
                               return HeadSchema{{{}}, {{}}};
                             },
                             [&](const SelectPointed& s) { return pointed(program, s); },
                             [&](const SelectSame& s) { return same(program, s); },
                             [&](const SelectRightmost& s) { return rightmost(program, s); }},
                    selector);
}

}  // namespace logdepth
