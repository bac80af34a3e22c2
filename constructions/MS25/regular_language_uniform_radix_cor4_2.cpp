// MS25 Corollary 4.2 with one network for all lengths: radix k in a repeated block of r layers.
//
// Statement (MS25 Cor 4.2). For every regular language L there is a family of causally masked
//   transformers T_n with 4 ceil(log2 n) + 5 layers such that T_n recognises, on any string w$ of
//   length n, whether w is in L.
// Here. For every k >= 2 and r >= 2 a (2, r, 0)-universal transformer, one for all lengths, that
//   decides every word of T letters, and yields every prefix product, with ceil(log_K T) loops for
//   K = k^(r-1): r/((r-1) log2 k) layers per doubling. k - 1 heads a layer.
//
// Block, K = k^(r-1): layer 0 fetches, multiplies and keeps v in u; layers 1..r-2 fetch, with u, and
//   multiply; layer r - 1 has no attention and makes the next v, the direction of (u0, K u1, u2).
// Invariant. After l blocks, with s = K^l: the interval of token p is [max(p-s+1, 0), p], d is the
//   product of its letters (the identity for position 0), and v is the direction of (p, s, 1).
//   Start, s = 1: d is the token's own letter, u = v = direction of (p, 1, 1).
//   Step: as for a given length (regular_language_radix_cor4_2.cpp), since the position
//   nearest to max(p - cs, 0) is that position; r - 1 layers lengthen the intervals k-fold each.
//   End: s >= T covers positions 1..p for every p <= T.
// Nothing is multiplied, and no layer is there, when no point can move.
#include <fmt/core.h>

#include "compiler/program/program.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/construction.hpp"
#include "constructions/product_cells.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace constructions_MS25 {
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
  using namespace cells;
  const std::uint32_t reach = reach_of_a_block(options);
  const ProductForecast forecast = forecast_uniform_radix(action, options);
  const auto products = make_product_cells(action, forecast);
  const std::string radix = std::to_string(options.radix), layers = std::to_string(options.block);

  cells::Program p(name);
  p.construction("uniform-radix");
  p.source("MS25 Cor 4.2 (optimised, one network for all lengths: radix " + radix + ", blocks of " +
           layers + " layers)");
  p.hypothesis(causal_network());
  p.hypothesis(words_of_any_length());
  p.hypothesis(clause(Assumption::first_flag));
  // A repeated layer does not know the length s of the intervals; so p - c s is read off the token.
  p.deviation(
      "one looped network instead of one per length: tokens carry the direction of (p, length of "
      "the intervals, 1)");
  // Shifts that would leave the word fall on it, and every token holds its prefix product.
  p.deviation("a beginning token that acts as the identity replaces $ at the end");
  p.deviation("intervals that grow by a factor " + radix +
              " replace the binary tree, so there is no activeness");
  p.alphabet(action.alphabet.names()).log_loops_of_letters({.base = reach});

  const auto one = p.constant();
  const auto fst = p.flag("fst");   // p = 0
  const auto g = p.number("g", 3);  // (p, 1, 1)/(p+1), raw, never read again after layer 2
  const auto I = p.key("I", phi);   // phi(p)
  const auto u = p.direction("u", 3, state);  // of (p, s, 1), s the length of the intervals; kept
  const auto v = p.direction("v", 3, state);  // the same, at the beginning of a block
  p.position(fst);
  // s_{k-1}, ..., s_1, d from the left, as they are multiplied: d is the product of the interval,
  // s_c what the token c intervals to the left holds.
  std::vector<ProductCells::Declaration> names;
  for (unsigned c = options.radix - 1; c > 0; --c)
    names.push_back({fmt::format("s{}", c), scratch});
  names.push_back({"d", state});
  const auto factors = products->declare(p, names);
  const auto& d = factors.back();
  products->embed(p, d);

  const Form rest_share = (one - fst) / 2, first_share = (one + fst) / 2;
  if (!d.empty())
    p.initial(fetch("position")
                  .causal(uniform())
                  .add(g[0], rest_share)
                  .add(g[1], first_share)
                  .add(g[2], first_share),
              normalise(I).from(g[0], g[1]),  //
              normalise(u, v).from(g[0], g[1], g[2]));
  std::uint32_t factor = 1;  // k^layer
  for (unsigned layer = 0; layer + 1 < options.block && !d.empty();
       ++layer, factor *= options.radix) {
    const Direction& at = layer == 0 ? v : u;
    CellList fetched;
    for (unsigned c = 1; c < options.radix; ++c) {
      const auto& s = factors[options.radix - 1 - c];
      const auto shift = static_cast<std::int64_t>(c) * factor;
      p.repeated(fetch(fmt::format("left.{}.{}", layer, c))
                     .causal(nearest((at[0] - shift * at[1]) / at[2]).key(I))
                     .copy(s, d));
      fetched += s;
    }
    p.repeated(products->multiply(factors));
    if (layer == 0)
      p.repeated(move(u, v), erase(fetched, v));
    else
      p.repeated(erase(fetched));
  }
  if (!d.empty()) p.repeated(normalise(v).from(u[0], reach * u[1], u[2]));

  products->read(p, d, one);
  p.parameter("radix", radix).parameter("block", layers);
  note_product_table(p, action, forecast);
  return p.program();
}

Construction uniform_radix_record() {
  const auto options = [](const Values& values) {
    return UniformRadixOptions{static_cast<unsigned>(number_of(values, "radix")),
                               static_cast<unsigned>(number_of(values, "block")), table_of(values)};
  };
  return {.key = {"MS25", "Cor 4.2", "uniform-radix"},
          .problem = Problem::words,
          .word = "radix",
          .help = "or all lengths without it",
          .options = {radix_option(),
                      {"block", CountOption{.otherwise = 2},
                       "layers of the repeated block of --construction radix without --unroll: 2 "
                       "or more (default: 2)"},
                      positions_option({ScanPositions::first_flag}),
                      table_option()},
          .program =
              [options](const Request& r) {
                return regular_language_uniform_radix_MS25_cor4_2(*r.action, r.name,
                                                                  options(r.values));
              },
          .check = [options](const Values& values) { reach_of_a_block(options(values)); }};
}

}}  // namespace logdepth::constructions_MS25
