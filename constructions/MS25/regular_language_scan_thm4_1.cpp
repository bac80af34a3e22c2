// MS25 Theorem 4.1, optimised: one layer per doubling.
//
// Statement (MS25 Thm 4.1). For every regular language L there is a (0, 8, 9)-universal transformer
//   with causal masking that, on any string w$, recognises whether w is in L when unrolled
//   ceil(log2 |w|) times. Depth claimed: 8 ceil(log2 |w|) + 9.
// Here. A (0, 1, 0)-universal transformer (rational position encodings) or a (1, 1, 0)-universal
//   one (the paper's minimal assumption: the encoding separates the first position) that decides
//   the same with ceil(log2 T) loops, T the number of letters, and yields every prefix product.
//
// Hypotheses. One beginning token at position 0, then the letters; averaging-hard causal attention;
//   masked pre-norm (RMS or layer norm) without epsilon; exact numbers. No bound on the length, the
//   empty word included.
// Deviations from the paper's text, each with its reason:
//   - intervals that double (Hillis-Steele) instead of a binary tree: no activeness, no division;
//   - a beginning token that acts as the identity instead of $ at the end: pointers that would
//     leave the word fall on it, so no case distinction is needed and every token holds its prefix
//     product;
//   - `two-circle`, `circle`: a richer position encoding than the paper's, which buys the initial
//     layer and makes every activation rational.
//
// Cells (d.q: one one-hot row per point; a row whose image never changes is not stored)
//   one       constant
//   fst       flag             first-flag only: p = 0
//   a         number 2         first-flag only: (p, 1)/(p+1), raw, never read again after layer 1
//   I         key              code of p
//   E         pointer, state   rational codes: code of max(e-1, 0), the token to fetch from;
//                              first-flag: phi(e), where [e, p] is the interval covered so far
//   d.q / d   one-hot, state   image of point q under the product of the interval / that product
//   sE, sd.*  scratch          what was fetched
// Loop (one layer).
//   attention     prev: match E (first-flag: E back 1) on I, causal, exactly one position j:
//                 sd := d_j, sE := E_j
//   feed-forward  d := sd d (the fetched interval acts first), E := sE, scratch := 0
// Invariant. After L loops, with s = 2^L: the interval of token p is [max(p-s+1, 0), p], d is the
//   product of its letters (the identity for position 0), and E codes max(p-s, 0) (rational codes)
//   or max(p-s+1, 0) (first-flag).
//   Start, s = 1: d is the token's own letter, E codes max(p-1, 0) or p.
//   Step: the head reads token j = max(p-s, 0), whose interval is [max(j-s+1, 0), j]; it ends where
//   the interval of p begins, or both contain position 0, whose letter is the identity.
//   End: s >= T covers positions 1..p for every p <= T.
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"

#include "constructions/product_cells.hpp"

namespace logdepth {

ProductForecast forecast_scan(const Action& action, const ScanOptions& options) {
  ProductDemand demand;
  demand.table = options.table;
  demand.layers = {{2, 1}};
  // Move and erase sE, overwrite E: two signs of each component of both.
  demand.other_units = 4 * (options.positions == ScanPositions::two_circle ? 4 : 2);
  demand.advice = "the reversed language";
  return forecast_products(action, demand);
}

Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options) {
  const ProductForecast forecast = forecast_scan(action, options);
  const auto products = make_product_cells(action, forecast);
  const bool first_flag = options.positions == ScanPositions::first_flag;

  Program program;
  program.name = name;
  program.construction = "scan";
  program.source = "MS25 Thm 4.1 (optimised: one layer per doubling)";
  program.alphabet = action.alphabet.names();
  program.unroll.kind = Unroll::Kind::ceil_log2_letters;
  program.hypotheses = {
      "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers",
      "one beginning token at position 0, then the letters; any length, the empty word included"};
  program.deviations = {
      "intervals that double replace the binary tree, so no activeness and no division",
      "a beginning token that acts as the identity replaces $ at the end"};

  const OwnPosition position = declare_own_position(program, options.positions);
  const auto declare_pointer = [&](const char* cell, Lifetime lifetime) {
    program.cells.push_back({cell, PointerType{position.code}, lifetime});
    return static_cast<CellId>(program.cells.size() - 1);
  };
  const CellId E = declare_pointer("E", Lifetime::state);
  const CellId sE = declare_pointer("sE", Lifetime::scratch);
  const auto copies =
      products->declare(program, {{"d", Lifetime::state}, {"sd", Lifetime::scratch}});
  const auto &d = copies[0], &sd = copies[1];
  products->embed(program, d);

  // The interval of a token is itself: its first position with the first-flag, the position before
  // it with a rational code.
  if (first_flag)
    compute_own_position(program, position, {E});
  else
    program.position.push_back({E, 1});

  FetchStatement prev;
  prev.name = "prev";
  prev.selector = SelectPointed{E, position.key, first_flag ? 1u : 0u};
  EraseStatement erase;
  for (std::size_t row = 0; row < d.size(); ++row) {
    prev.writes.push_back(CopyWrite{sd[row], d[row]});
    erase.cells.push_back(sd[row]);
  }
  prev.writes.push_back(CopyWrite{sE, E});
  erase.cells.push_back(sE);
  program.repeated.push_back(std::move(prev));
  if (auto product = products->multiply({sd, d})) program.repeated.push_back(std::move(*product));
  program.repeated.push_back(MoveStatement{E, sE});
  program.repeated.push_back(std::move(erase));

  products->read(program, d, position.one);
  note_product_table(program, action, forecast);
  return program;
}

}  // namespace logdepth
