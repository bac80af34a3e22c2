// MS25 Corollary 4.2 with one network for all lengths: radix k in a repeated block of r layers.
//
// Statement (MS25 Cor 4.2). For every regular language L there is a family of causally masked
//   transformers T_n with 4 ceil(log2 n) + 5 layers such that T_n recognises, on any string w$ of
//   length n, whether w is in L.
// Here. For every k >= 2 and r >= 2 a (2, r, 0)-universal transformer, one for all lengths, that
//   decides every word of T letters, and yields every prefix product, with ceil(log_K T) loops for
//   K = k^(r-1): r/((r-1) log2 k) layers per doubling. k - 1 heads a layer.
//
// Hypotheses. One beginning token at position 0, then the letters; the position encoding separates
//   the first position; averaging-hard causal attention; masked pre-norm (RMS or layer norm)
//   without epsilon; exact numbers. No bound on the length, the empty word included.
// Deviations from the paper's text, each with its reason:
//   - one looped network instead of one per length: the length s of the intervals is not known to a
//     repeated layer, so each token carries the direction of (p, s, 1), and reads p - c s from it;
//   - intervals that grow k-fold instead of a binary tree: no activeness;
//   - a beginning token that acts as the identity instead of $ at the end: shifts that would leave
//     the word fall on it, and every token holds its prefix product.
//
// Cells (d.q: one one-hot row per point; a row whose image never changes is not stored)
//   one       constant
//   fst       flag                p = 0
//   g         number 3            (p, 1, 1)/(p+1), raw, never read again after layer 2
//   I         key                 phi(p)
//   u, v      direction 3, state  of (p, s, 1) for an interval length s
//   d.q / d   one-hot, state      image of point q under the product of the interval / that product
//   s<c>.*    scratch             the product c intervals to the left
// Block, K = k^(r-1).
//   layer 0      attention     head c = 1..k-1: the position nearest to p - c s, from v:
//                              s_c := d there
//                feed-forward  d := s_{k-1} ... s_1 d (the furthest left acts first), u := v,
//                              s_c and v := 0
//   layer i      for i = 1..r-2: the same for p - c k^i s, from u, which stays
//   layer r - 1  no attention
//                feed-forward  v := direction of (u0, K u1, u2)
// Invariant. After l blocks, with s = K^l: the interval of token p is [max(p-s+1, 0), p], d is the
//   product of its letters (the identity for position 0), and v is the direction of (p, s, 1).
//   Start, s = 1: d is the token's own letter, u = v = direction of (p, 1, 1).
//   Step: as for a promised length (regular_language_radix_MS25_cor4_2.cpp), since the position
//   nearest to max(p - cs, 0) is that position; r - 1 layers lengthen the intervals k-fold each.
//   End: s >= T covers positions 1..p for every p <= T.
// Nothing is multiplied, and no layer is there, when no point can move.
#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"

#include <fmt/core.h>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/product_cells.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

constexpr const char* kUniformRadixStart = R"cells(logdepth-cells 1
construction uniform-radix
hypothesis "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers"
hypothesis "one beginning token at position 0, then the letters; any length, the empty word included"
hypothesis "the position encoding only separates the first position"
deviation "one looped network instead of one per length: tokens carry the direction of (p, length of the intervals, 1)"
deviation "a beginning token that acts as the identity replaces $ at the end"
cell one constant
cell fst flag
cell g number 3
cell I key phi
cell u state direction 3
cell v state direction 3
position fst
initial
  fetch position causal uniform
    add g[0] + 1/2 one - 1/2 fst
    add g[1] + 1/2 one + 1/2 fst
    add g[2] + 1/2 one + 1/2 fst
  normalise I from g[0] g[1]
  normalise u v from g[0] g[1] g[2]
)cells";

/// The repeated block.
std::vector<Statement> block(const Program& program, const ProductCells& products,
                             const std::vector<ProductCells::Product>& factors,
                             const UniformRadixOptions& options) {
  const CellId key = *program.find("I"), u = *program.find("u"), v = *program.find("v");
  const auto& d = factors.back();
  std::vector<Statement> statements;
  std::uint32_t reach = 1;
  for (unsigned layer = 0; layer + 1 < options.block; ++layer) {
    EraseStatement erase;
    for (unsigned c = 1; c < options.radix; ++c) {
      const CellId from = layer == 0 ? v : u;
      const auto& s = factors[options.radix - 1 - c];
      FetchStatement fetch;
      fetch.name = fmt::format("left.{}.{}", layer, c);
      const auto shift = static_cast<std::int64_t>(c) * reach;
      fetch.selector = SelectNearest{
          {{{{from, 0}, Rational(1)}, {{from, 1}, Rational(-shift)}}, {{{from, 2}, Rational(1)}}},
          key};
      for (std::size_t row = 0; row < d.size(); ++row)
        fetch.writes.push_back(CopyWrite{s[row], d[row]});
      erase.cells.insert(erase.cells.end(), s.begin(), s.end());
      statements.push_back(std::move(fetch));
    }
    statements.push_back(*products.multiply(factors));
    if (layer == 0) {
      statements.push_back(MoveStatement{u, v});
      erase.cells.push_back(v);
    }
    statements.push_back(std::move(erase));
    reach *= options.radix;
  }
  statements.push_back(NormaliseStatement{
      {v}, {{{u, 0}, Rational(1)}, {{u, 1}, Rational(reach)}, {{u, 2}, Rational(1)}}});
  return statements;
}

}  // namespace

std::uint32_t reach_of_a_block(const UniformRadixOptions& options) {
  if (options.radix < 2 || options.radix > kMaxRadix)
    throw InputError(
        fmt::format("radix {}: expected a number from 2 to {}", options.radix, kMaxRadix));
  if (options.block < 2)
    throw InputError(fmt::format("a block of {} layers: expected at least 2", options.block));
  std::uint32_t reach = 1;
  for (unsigned layer = 1; layer < options.block; ++layer) {
    if (reach > kMaxReach / options.radix)
      throw InputError(fmt::format(
          "radix {} with a block of {} layers: a block may lengthen intervals {}-fold at most",
          options.radix, options.block, kMaxReach));
    reach *= options.radix;
  }
  return reach;
}

ProductForecast forecast_uniform_radix(const Action& action, const UniformRadixOptions& options) {
  reach_of_a_block(options);
  ProductDemand demand;
  demand.table = options.table;
  demand.layers = {{options.radix, options.block - 1}};
  // Two signs of each component: I; u and v at the beginning; v to u and its end; u; v.
  demand.other_units = 4 + 4 * 6;
  demand.advice = "a smaller --radix";
  return forecast_products(action, demand);
}

Program regular_language_uniform_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                                   const UniformRadixOptions& options) {
  const std::uint32_t reach = reach_of_a_block(options);
  const ProductForecast forecast = forecast_uniform_radix(action, options);
  const auto products = make_product_cells(action, forecast);
  const std::string radix = std::to_string(options.radix), layers = std::to_string(options.block);

  Program program = parse_program(kUniformRadixStart, "uniform radix");
  program.name = name;
  program.source = "MS25 Cor 4.2 (optimised, one network for all lengths: radix " + radix +
                   ", blocks of " + layers + " layers)";
  program.deviations.push_back("intervals that grow by a factor " + radix +
                               " replace the binary tree, so there is no activeness");
  program.alphabet = action.alphabet.names();
  program.unroll.base = reach;

  std::vector<ProductCells::Declaration> names;
  for (unsigned c = options.radix - 1; c > 0; --c)
    names.push_back({fmt::format("s{}", c), Lifetime::scratch});
  names.push_back({"d", Lifetime::state});
  // From the left: s_{k-1}, ..., s_1, d, as they are multiplied.
  const auto factors = products->declare(program, names);
  const auto& d = factors.back();
  products->embed(program, d);

  if (d.empty()) {
    program.initial.clear();
  } else {
    program.repeated = block(program, *products, factors, options);
  }
  products->read(program, d, *program.find("one"));
  program.parameters["radix"] = radix;
  program.parameters["block"] = layers;
  note_product_table(program, action, forecast);
  return program;
}

}  // namespace logdepth
