// MS25 Corollary 4.2, optimised: one layer per factor k of the length.
//
// Statement (MS25 Cor 4.2). For every regular language L there is a family of causally masked
//   transformers T_n with 4 ceil(log2 n) + 5 layers such that T_n recognises, on any string w$ of
//   length n, whether w is in L.
// Here. For every radix k >= 2 and every promised length T a transformer (all layers initial,
//   nothing repeated) that decides every word of at most T letters, and yields every prefix
//   product, with ceil(log_k T) layers (rational position encodings) or ceil(log_k T) + 1 (the
//   paper's minimal assumption: the encoding separates the first position). k - 1 heads a layer.
//
// Hypotheses. One beginning token at position 0, then at most T letters; averaging-hard causal
//   attention; masked pre-norm (RMS or layer norm) without epsilon; exact numbers.
// Deviations from the paper's text, each with its reason:
//   - intervals that grow k-fold instead of a binary tree: no activeness, so a level is one layer,
//     and levels may multiply more than two products at the price of |M|^k or path units;
//   - a beginning token that acts as the identity instead of $ at the end: shifts that would leave
//     the word fall on it, and every token holds its prefix product;
//   - `two-circle`, `circle`: a richer position encoding than the paper's, which holds the codes of
//     all shifted positions, buys the initial layer and makes every activation rational;
//   - heads of the last layer whose shift is T or more are left out: they would read the identity.
//
// Cells (d.q: one one-hot row per point; a row whose image never changes is not stored)
//   one       constant
//   fst       flag             first-flag only: p = 0
//   a         number 2         first-flag only: (p, 1)/(p+1), raw, never read again after layer 1
//   I         key              code of p
//   P.l.c     pointer          rational codes only: code of max(p - c k^l, 0)
//   d.q / d   one-hot, state   image of point q under the product of the interval / that product
//   s<c>.*    scratch          the product c intervals to the left
// Layer l = 0, 1, ... (after the one that computes I from the first-flag).
//   attention     head c: match P.l.c (first-flag: I back c k^l) on I, causal, exactly one
//                 position: s_c := d there
//   feed-forward  d := s_{k-1} ... s_1 d (the furthest left acts first), scratch := 0
// Invariant. After l layers, with s = k^l: the interval of token p is [max(p-s+1, 0), p], and d is
//   the product of its letters (the identity for position 0).
//   Start, s = 1: d is the token's own letter.
//   Step: head c reads token j = max(p-cs, 0), whose interval [max(j-s+1, 0), j] ends where that of
//   head c-1 begins, or both contain position 0, whose letter is the identity; there nothing is
//   left to multiply. Together they cover [max(p-ks+1, 0), p].
//   End: s >= T covers positions 1..p for every p <= T.
// Nothing is multiplied, and no layer but the first-flag's is there, when no point can move.
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"

#include <fmt/core.h>

#include <limits>

#include "constructions/product_cells.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {

std::vector<std::vector<std::uint32_t>> radix_shifts(const RadixOptions& options) {
  if (options.radix < 2 || options.radix > kMaxRadix)
    throw InputError(
        fmt::format("radix {}: expected a number from 2 to {}", options.radix, kMaxRadix));
  constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max();
  if (options.max_length > limit)
    throw SizeLimit(fmt::format("a promised length of {} letters is more than the limit of {}",
                                options.max_length, limit));
  std::vector<std::vector<std::uint32_t>> layers;
  for (std::uint64_t reach = 1; reach < options.max_length; reach *= options.radix) {
    auto& shifts = layers.emplace_back();
    for (unsigned c = 1; c < options.radix && c * reach < options.max_length; ++c)
      shifts.push_back(static_cast<std::uint32_t>(c * reach));
  }
  return layers;
}

ProductForecast forecast_radix(const Action& action, const RadixOptions& options) {
  ProductDemand demand;
  demand.table = options.table;
  for (const auto& shifts : radix_shifts(options)) ++demand.layers[shifts.size() + 1];
  // The direction of the counts goes to I: two signs of each component.
  demand.other_units = options.positions == ScanPositions::first_flag ? 4 : 0;
  demand.advice = "a smaller --radix";
  return forecast_products(action, demand);
}

Program regular_language_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                           const RadixOptions& options) {
  const ProductForecast forecast = forecast_radix(action, options);
  const auto products = make_product_cells(action, forecast);
  const bool first_flag = options.positions == ScanPositions::first_flag;
  const std::string length = std::to_string(options.max_length);
  const std::string radix = std::to_string(options.radix);

  Program program;
  program.name = name;
  program.construction = "radix";
  program.source = "MS25 Cor 4.2 (optimised: one layer per factor " + radix + ")";
  program.alphabet = action.alphabet.names();
  program.unroll.kind = Unroll::Kind::fixed;
  program.unroll.max_length = options.max_length;
  program.hypotheses = {
      "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers",
      "one beginning token at position 0, then at most " + length + " letters"};
  program.deviations = {
      "intervals that grow by a factor " + radix +
          " replace the binary tree, so a level is one layer and needs no activeness",
      "a beginning token that acts as the identity replaces $ at the end"};
  const OwnPosition position = declare_own_position(program, options.positions);

  std::vector<ProductCells::Declaration> names;
  const auto layers = radix_shifts(options);
  // The first layer has the most heads.
  for (std::size_t c = layers.empty() ? 0 : layers.front().size(); c > 0; --c)
    names.push_back({fmt::format("s{}", c), Lifetime::scratch});
  names.push_back({"d", Lifetime::state});
  // From the left: s_{k-1}, ..., s_1, d, as they are multiplied.
  const auto copies = products->declare(program, names);
  const auto& d = copies.back();
  products->embed(program, d);
  if (first_flag) compute_own_position(program, position, {});

  for (std::size_t l = 0; l < layers.size() && !d.empty(); ++l) {
    const auto& shifts = layers[l];
    const std::vector<ProductCells::Product> factors(copies.end() - 1 - shifts.size(),
                                                     copies.end());
    EraseStatement erase;
    for (std::size_t c = 1; c <= shifts.size(); ++c) {
      const auto& s = factors[shifts.size() - c];
      FetchStatement fetch;
      fetch.name = fmt::format("left.{}.{}", l, c);
      if (first_flag) {
        fetch.selector = SelectPointed{position.key, position.key, shifts[c - 1]};
      } else {
        const auto pointer = static_cast<CellId>(program.cells.size());
        program.cells.push_back(
            {fmt::format("P.{}.{}", l, c), PointerType{position.code}, Lifetime::permanent});
        program.position.push_back({pointer, shifts[c - 1]});
        fetch.selector = SelectPointed{pointer, position.key, 0};
      }
      for (std::size_t row = 0; row < d.size(); ++row)
        fetch.writes.push_back(CopyWrite{s[row], d[row]});
      erase.cells.insert(erase.cells.end(), s.begin(), s.end());
      program.initial.push_back(std::move(fetch));
    }
    program.initial.push_back(*products->multiply(factors));
    program.initial.push_back(std::move(erase));
  }

  products->read(program, d, position.one);
  program.parameters["radix"] = radix;
  program.parameters["max_length"] = length;
  note_product_table(program, action, forecast);
  return program;
}

}  // namespace logdepth
