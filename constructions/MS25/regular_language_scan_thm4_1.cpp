// MS25 Theorem 4.1, optimised: one layer per doubling.
//
// Statement (MS25 Thm 4.1). For every regular language L there is a (0, 8, 9)-universal transformer
//   with causal masking that, on any string w$, recognises whether w is in L when unrolled
//   ceil(log2 |w|) times. Depth claimed: 8 ceil(log2 |w|) + 9.
// Here. A (0, 1, 0)-universal transformer (rational position encodings) or a (1, 1, 0)-universal
//   one (the paper's minimal assumption: the encoding separates the first position) that decides
//   the same with ceil(log2 T) loops, T the number of letters, and yields every prefix product.
//
// Invariant. After L loops, with s = 2^L: the interval of token p is [max(p-s+1, 0), p], d is the
//   product of its letters (the identity for position 0), and E codes max(p-s, 0) (rational codes)
//   or max(p-s+1, 0) (first-flag).
//   Start, s = 1: d is the token's own letter, E codes max(p-1, 0) or p.
//   Step: the head reads token j = max(p-s, 0), whose interval is [max(j-s+1, 0), j]; it ends where
//   the interval of p begins, or both contain position 0, whose letter is the identity.
//   End: s >= T covers positions 1..p for every p <= T.
#include "compiler/program/program.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/construction.hpp"
#include "constructions/product_cells.hpp"

namespace logdepth { inline namespace constructions_MS25 {

ProductForecast forecast_scan(const Action& action, const ScanOptions& options) {
  ProductDemand demand;
  demand.table = options.table;
  demand.layers = {{2, 1}};
  // Move and erase sE, overwrite E: two signs of each component of both.
  demand.other_units = 4 * (options.positions == ScanPositions::two_circle ? 4 : 2);
  demand.advice = "the reversed language";
  return forecast_products(action, demand);
}

ScanCells declare_scan(cells::Program& p, const OwnPosition& position,
                       const ProductCells& products) {
  using namespace cells;
  const Pointer E = p.pointer("E", position.code, state),
                sE = p.pointer("sE", position.code, scratch);
  const auto copies = products.declare(p, {{"d", state}, {"sd", scratch}});
  return {E, sE, copies[0], copies[1]};
}

cells::Statements begin_scan(cells::Program& p, const OwnPosition& position,
                             const ScanCells& scan) {
  if (position.first) return own_position(position, scan.E);
  p.position(scan.E, 1);
  return {};
}

cells::Statements scan_step(const OwnPosition& position, const ScanCells& scan,
                            const ProductCells& products) {
  using namespace cells;
  const auto& [E, sE, d, sd] = scan;
  return {fetch("prev")
              .causal(match(E).back(position.first ? 1 : 0).key(position.I))
              .copy(sd, d)
              .copy(sE, E),
          products.multiply({sd, d}),  // d := sd d, the fetched interval acts first
          move(E, sE),                 //
          erase(sd, sE)};
}

Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options) {
  using namespace cells;
  const ProductForecast forecast = forecast_scan(action, options);
  const auto products = make_product_cells(action, forecast);

  cells::Program p(name);
  p.construction("scan").source("MS25 Thm 4.1 (optimised: one layer per doubling)");
  p.hypothesis(causal_network());
  p.hypothesis(words_of_any_length());
  // Hillis-Steele: nothing becomes active or inactive, so there is nothing to divide.
  p.deviation("intervals that double replace the binary tree, so no activeness and no division");
  // Pointers that would leave the word fall on it, so no case is told apart, and every token holds
  // its prefix product.
  p.deviation("a beginning token that acts as the identity replaces $ at the end");
  p.alphabet(action.alphabet.names()).log_loops_of_letters();

  const OwnPosition position = declare_own_position(p, options.positions);
  const ScanCells scan = declare_scan(p, position, *products);
  products->embed(p, scan.d);
  p.initial(begin_scan(p, position, scan));
  p.repeated(scan_step(position, scan, *products));
  products->read(p, scan.d, position.one);
  note_product_table(p, action, forecast);
  return p.program();
}

Construction scan_record() {
  return {.key = {"MS25", "Thm 4.1", "scan"},
          .problem = Problem::words,
          .help = "MS25 Theorem 4.1",
          .options = {positions_option(), table_option()},
          .program =
              [](const Request& r) {
                return regular_language_scan_MS25_thm4_1(
                    *r.action, r.name, {positions_of(r.values), table_of(r.values)});
              },
          .compared = 1,
          .multiplies = true,
          .depths = {{false, "scan", {{"positions", kFirstFlag}}}, {false, "scan"}},
          .cells = {
              {"d", "product of the last 2^L letters, after L layers"},
              {"d.", "image of point {} under the product of the last 2^L letters, after L layers"},
              {"sd", "d of the token that E points to"},
              {"sd.", "d.{} of the token that E points to"},
              {"E", "position of the token whose letters end where these begin, at least 0"},
              {"sE", "E of the token that E points to"}}};
}

}}  // namespace logdepth::constructions_MS25
