// MS25 Theorem 4.1 by the paper's own binary tree, repaired.
//
// Statement (MS25 Thm 4.1). For every regular language L there is a (0, 8, 9)-universal transformer
//   with causal masking that, on any string w$, recognises whether w is in L when unrolled
//   ceil(log2 |w|) times. Depth claimed: 8 ceil(log2 |w|) + 9.
// Here. The same tree in a (2, 2, 2)-universal transformer: two layers a level, ceil(log2 |w|)
//   levels in the loop and one in the final block. Every token yields its prefix product.
//
// Initial. Layer 1: phi(p). Layer 2: `upper` selects ceil(p/2), `lower` floor(p/2), so D = 0 iff p
//   is even: upper asks for p/2, lower for (p-1)/2, and for x = j + 1/2 with j >= 0 the nearest
//   code in angle is that of j + 1. For tan is convex, so the tangent of the bisector of arctan j
//   and arctan(j+1) is below j + 1/2; and j + 1 <= p is visible. For p = 0 lower asks for -1/2: 0.
// Level (two layers). The last active token before p is j - 1, if there is one, where j is the last
//   token with ap: ap_j = act_{j-1} and dp_j = d_{j-1}. Position 0 is the token before itself, so it
//   has ap where it is active: at the first level. But there every later token has ap as well, `last`
//   is p itself, and d_0 stays, since c = 1 is odd.
// Invariant. After l levels, s = 2^l: act holds at the letters p with p+1 divisible by s. d is the
//   product of the last s letters up to p where act holds, else of the last (p+1) mod s, or |w| mod
//   s at $, which is the identity letter itself.
//   Step, with n = p+1, or |w| at $: c = floor(n/s).
//   - active, c even: the last active token before p is p - s, its product joins;
//   - active, c odd: n mod 2s = s letters are there already;
//   - not active, c odd: the last active token ends where the n mod s letters begin, and joins;
//   - not active, c even: n mod 2s = n mod s.
//   End: 2^l > |w| gives n mod 2^l = n at all tokens, so ceil(log2 |w|) + 1 levels are enough, and
//   more change nothing.
#include "compiler/program/program.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/construction.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_cells.hpp"

namespace logdepth { inline namespace constructions_MS25 {

namespace {

/// The program with its metadata: source, hypotheses, costs. Layers are added below.
cells::Program tree(const Action& action, const std::string& name) {
  cells::Program p(name);
  p.construction("tree").source("MS25 Thm 4.1 (the paper's tree, repaired)");
  p.hypothesis(causal_network());
  p.hypothesis("the letters, " + clause(Assumption::end_token) + ", " +
               clause(Assumption::no_begin_token) + "; " + clause(Assumption::any_length) +
               ", the empty word included");
  p.hypothesis(clause(Assumption::first_flag));
  // With key alpha_j and value delta_{j-1} four letters already go wrong; the other component of
  // phi(j) decreases and would find the first token.
  p.deviation(
      "the last active token j - 1 is found by key and value at j; the key's other part increases "
      "with j");
  p.deviation("the fetched product is that before the update");
  p.deviation("the count c is kept as phi(c - 1), the code of a visible position");
  // Parity is a property of positions: it stands there since the initial block.
  p.deviation("c mod 2 is looked up at position c - 1 instead of a division in each level");
  // Otherwise tokens between the grid points of the tree come back to life.
  p.deviation(
      "a token stays active if it is active and c is even; the paper forgets the first condition");
  // The paper's nine final layers pay for the last level; here the final block is it.
  p.deviation(
      "ceil(log2 |w|) + 1 levels, floor(log2 |w|) + 1 of which are needed: after ceil(log2 |w|) "
      "nothing has reached the end token at powers of two");
  // That saves the mark for $.
  p.deviation("inactive tokens behave like the end token and hold their prefix products");
  p.alphabet(action.alphabet.names()).no_begin().end().log_loops_of_letters();
  return p;
}

}  // namespace

ProductForecast forecast_tree(const Action& action, const TreeOptions& options) {
  ProductDemand demand;
  demand.table = options.table;
  // The loop and the final block: both tables twice, three units that keep a component, and besides
  // the two factors the copy `dp` is cleared.
  demand.layers = {{2, 2}};
  demand.tables = 2;
  demand.component_units = 4;
  // Initial: I, and the two signs of D. Each level: N, the rules and signs of act, what is erased.
  demand.other_units = 4 + 2 + 2 * (4 + 3 + 2 + 10);
  demand.advice = "--construction scan";
  return forecast_products(action, demand);
}

Program regular_language_tree_MS25_thm4_1(const Action& action, const std::string& name,
                                          const TreeOptions& options) {
  using namespace cells;
  const ProductForecast forecast = forecast_tree(action, options);
  const auto products = make_product_cells(action, forecast);

  cells::Program p = tree(action, name);
  const auto one = p.constant();
  const auto fst = p.flag("fst");            // p = 0
  const auto a = p.number("a", 2);           // (p, 1)/(p+1), raw
  const auto I = p.key("I", phi);            // phi(p)
  const auto D = p.number("D");              // difference of two codes, zero iff p is even
  const auto even = p.flag("even");          // p is even
  const auto act = p.flag("act", state);     // alpha: p is active; at the start, letters are
  const auto ap = p.flag("ap", scratch);     // act of the token before (of itself at position 0)
  const auto fa = p.flag("fa", scratch);     // act of the last active token before p: there is one
  const auto c = p.number("c", 2, scratch);  // (c - 1, 1)/(p+1), cleared by the negated head
  const auto N = p.integer_direction("N", 2, scratch);  // phi(c - 1), also for c = 0
  const auto odd = p.flag("odd", scratch);              // c is odd, or c = 0
  p.position(fst);
  // The product of the interval, that of the token before, that of the last active token.
  const auto copies = products->declare(p, {{"d", state}, {"dp", scratch}, {"ds", scratch}});
  const auto &d = copies[0], &dp = copies[1], &ds = copies[2];
  products->embed(p, d, kEnd);
  for (const std::string& letter : action.alphabet.names()) p.token(letter, act);
  p.token(kEnd, !act);

  p.initial(blocks::offset("position", a, one, fst, 0), normalise(I).from(a[0], a[1]),
            fetch("upper").causal(nearest((I[0] / 2) / I[1]).key(I)).add(D, I[0]),
            fetch("lower").causal(nearest((I[0] / 2 - I[1] / 2) / I[1]).key(I)).add(D, -Form(I[0])),
            fetch("mark").causal(match(I).key(I)).set(even),  //
            test(even).zero(D));

  const auto count =
      fetch("count").causal(uniform()).add(c[0], (act - fst) / 2).add(c[1], (one + fst) / 2);
  Rules rules = {when(act, !odd).then(act), when(act, odd).then(!act), when(!act).then(!act)};
  // d := ds d, ds acting first, where act and not odd, or not act and fa and odd.
  const auto joined = products->product({ds, d});
  const auto add = [&](const Rules& more) { rules.insert(rules.end(), more.begin(), more.end()); };
  if (!joined.empty())
    for (const Rules& part :
         {under({act, !odd}, joined), under({!act, fa, odd}, joined), products->keep({act, odd}, d),
          products->keep({!act, fa, !odd}, d), products->keep({!act, !fa}, d)})
      add(part);
  const Statements level = {fetch("prev").causal(match(I).back(1).key(I)).copy(ap, act).copy(dp, d),
                            count,
                            normalise(N).from(c[0], c[1]),
                            fetch("last").causal(rightmost(ap).key(I)).copy(fa, ap).copy(ds, dp),
                            fetch("parity").causal(nearest(N).key(I)).copy(odd, even),
                            undone(count),
                            lookup("level", rules),
                            erase(ap, fa, N, odd, dp, ds)};
  p.repeated(level).final(level);

  products->read(p, d, one);
  note_product_table(p, action, forecast);
  return p.program();
}

Construction tree_record() {
  return {.key = {"MS25", "Thm 4.1", "tree"},
          .problem = Problem::words,
          .help = "the same, with the tree of the paper",
          .options = {positions_option({ScanPositions::first_flag}), table_option()},
          .program =
              [](const Request& r) {
                return regular_language_tree_MS25_thm4_1(*r.action, r.name, {table_of(r.values)});
              },
          .compared = 3,
          .multiplies = true,
          .depths = {{true, "tree"}}};
}

}}  // namespace logdepth::constructions_MS25
