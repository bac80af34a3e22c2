// MS25 Theorem 4.1 by the paper's own binary tree, repaired.
//
// Statement (MS25 Thm 4.1). For every regular language L there is a (0, 8, 9)-universal transformer
//   with causal masking that, on any string w$, recognises whether w is in L when unrolled
//   ceil(log2 |w|) times. Depth claimed: 8 ceil(log2 |w|) + 9.
// Here. The same tree in a (2, 2, 2)-universal transformer: two layers a level, ceil(log2 |w|)
//   levels in the loop and one in the final block. Every token yields its prefix product.
//
// Hypotheses. The letters, then one end token ($), no beginning token; the position encoding
//   separates the first position; averaging-hard causal attention; masked pre-norm (RMS or layer
//   norm) without epsilon; exact numbers. No bound on the length; the empty word is $ alone.
// Deviations from the paper's text, each with its reason:
//   - the last active token is found by the key of the token *after* it, so key and value are read
//     at j - 1: with key alpha_j and value delta_{j-1} four letters already go wrong; the key's
//     second part is the increasing component of phi(j), the other one would find the first token;
//   - its value is the product before the update, not after it;
//   - the count c of active tokens becomes phi(c - 1), the code of a position that exists and is
//     visible; with c = 0 it falls on position 0;
//   - c mod 2 is looked up at position c - 1, where it stands since the initial block, instead of
//     a division by seven layers in each level: parity is a property of positions;
//   - a token is active at the next level if it is active now *and* c is even: without the first
//     condition tokens between the grid points of the tree come back to life;
//   - floor(log2 |w|) + 1 levels: after ceil(log2 |w|) of them nothing has reached $ if |w| is a
//     power of two. The paper's nine final layers pay for that level, here the final block is it;
//   - tokens that have become inactive go on like $, which saves the mark for $ and makes every
//     token hold its prefix product.
//
// Cells (d.q: one one-hot row per point; a row whose image never changes is not stored)
//   one       constant
//   fst       flag                 p = 0
//   a         number 2             (p, 1)/(p+1), raw
//   I         key                  phi(p)
//   D         number               difference of two codes, zero iff p is even
//   even      flag                 p is even
//   act       flag, state          alpha: p is active; at the start true at letters, false at $
//   d.q / d   one-hot, state       image of point q under the product / the product itself
//   ap, dp.*  scratch              act and d of the token before (of itself at position 0)
//   fa, ds.*  scratch              act and d of the last active token before p; fa false: none
//   c         number 2, scratch    (c - 1, 1)/(p+1), cleared by the negated head
//   N         direction, scratch   phi(c - 1), also for c = 0; integers, c counts tokens
//   odd       flag, scratch        c is odd, or c = 0
// Initial. Layer 1: phi(p). Layer 2: `upper` selects ceil(p/2), `lower` floor(p/2), so D = 0 iff p
//   is even: upper asks for p/2, lower for (p-1)/2, and for x = j + 1/2 with j >= 0 the nearest
//   code in angle is that of j + 1. For tan is convex, so the tangent of the bisector of arctan j
//   and arctan(j+1) is below j + 1/2; and j + 1 <= p is visible. For p = 0 lower asks for -1/2: 0.
// Level (two layers).
//   1  attention     prev: match I back 1 on I: ap, dp := act, d there
//                    count: uniform: c
//      feed-forward  N := direction of c
//   2  attention     last: rightmost token j with ap: fa := ap_j = act_{j-1}, ds := dp_j = d_{j-1};
//                    j - 1 is the last active token before p, if there is one
//                    parity: the position nearest to c - 1: odd := even there
//                    count_again: the count with flipped signs: c := 0
//      feed-forward  d := ds d (ds acts first) if act and not odd, or not act and fa and odd;
//                    act := act and not odd; scratch := 0
//   Position 0 is the token before itself, so it has ap where it is active: at the first level. But
//   there every later token has ap as well, `last` is p itself, and d_0 stays, since c = 1 is odd.
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
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"

#include <stdexcept>

#include "compiler/program/program_text.hpp"
#include "constructions/product_cells.hpp"

namespace logdepth {
namespace {

constexpr const char* kTreeStart = R"cells(logdepth-cells 1
construction tree
source "MS25 Thm 4.1 (the paper's tree, repaired)"
hypothesis "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers"
hypothesis "the letters, then an end token, no beginning token; any length, the empty word included"
hypothesis "the position encoding only separates the first position"
deviation "the last active token j - 1 is found by key and value at j; the key's other part increases with j"
deviation "the fetched product is that before the update"
deviation "the count c is kept as phi(c - 1), the code of a visible position"
deviation "c mod 2 is looked up at position c - 1 instead of a division in each level"
deviation "a token stays active if it is active and c is even; the paper forgets the first condition"
deviation "floor(log2 |w|) + 1 levels: after ceil(log2 |w|) nothing has reached the end token at powers of two"
deviation "inactive tokens go on like the end token and hold their prefix products"
no-begin
end
unroll ceil_log2 letters minus 0
cell one constant
cell fst flag
cell a number 2
cell I key phi
cell D number 1
cell even flag
cell act state flag
cell ap scratch flag
cell fa scratch flag
cell c scratch number 2
cell N scratch direction 2 integers 1
cell odd scratch flag
position fst
initial
  fetch position causal uniform
    add a[0] + 1/2 one - 1/2 fst
    add a[1] + 1/2 one + 1/2 fst
  normalise I from a[0] a[1]
  fetch upper causal nearest ( + 1/2 I[0] : + I[1] ) key I
    add D + I[0]
  fetch lower causal nearest ( + 1/2 I[0] - 1/2 I[1] : + I[1] ) key I
    add D - I[0]
  fetch mark causal match I key I
    set even=true
  test even zero D
)cells";

constexpr const char* kTreeLevel = R"cells(
  fetch prev causal match I back 1 key I
    copy ap act
  fetch count causal uniform
    add c[0] + 1/2 act - 1/2 fst
    add c[1] + 1/2 one + 1/2 fst
  normalise N from c[0] c[1]
  fetch last causal rightmost ap=true key I
    copy fa ap
  fetch parity causal nearest N key I
    copy odd even
  fetch count_again causal uniform
    add c[0] - 1/2 act + 1/2 fst
    add c[1] - 1/2 one - 1/2 fst
  lookup level
    rule act=true odd=false -> act=true
    rule act=true odd=true -> act=false
    rule act=false -> act=false
  erase ap fa N odd
)cells";

template <class Statement_>
Statement_& statement(std::vector<Statement>& block, const std::string& name) {
  for (Statement& s : block)
    if (auto* found = std::get_if<Statement_>(&s); found && found->name == name) return *found;
  throw std::logic_error("tree: no statement " + name);
}

/// A level's part that handles products: what is fetched beside the flags, and when it is joined.
class ProductsOfALevel {
 public:
  ProductsOfALevel(const Program& program, const ProductCells& products,
                   const std::vector<ProductCells::Product>& copies)
      : cells_(program.cells), own_(copies[0]), before_(copies[1]), active_(copies[2]) {
    if (auto product = products.multiply({active_, own_})) {
      const Literal act = literal(program, "act", true), idle = literal(program, "act", false);
      const Literal odd = literal(program, "odd", true), even = literal(program, "odd", false);
      const Literal found = literal(program, "fa", true), none = literal(program, "fa", false);
      join(product->rules, {act, even});
      join(product->rules, {idle, found, odd});
      keep({act, odd});
      keep({idle, found, even});
      keep({idle, none});
    }
  }

  void add_to(std::vector<Statement>& block) const {
    for (std::size_t row = 0; row < own_.size(); ++row) {
      statement<FetchStatement>(block, "prev").writes.push_back(CopyWrite{before_[row], own_[row]});
      statement<FetchStatement>(block, "last")
          .writes.push_back(CopyWrite{active_[row], before_[row]});
    }
    auto& rules = statement<LookupStatement>(block, "level").rules;
    rules.insert(rules.end(), rules_.begin(), rules_.end());
    auto& erased = std::get<EraseStatement>(block.back()).cells;
    for (const auto* product : {&before_, &active_})
      erased.insert(erased.end(), product->begin(), product->end());
  }

 private:
  static Literal literal(const Program& program, const char* cell, bool value) {
    return {*program.find(cell), value ? 1u : 0u};
  }

  void join(const std::vector<Rule>& product, const std::vector<Literal>& when) {
    for (Rule rule : product) {
      rule.when.insert(rule.when.begin(), when.begin(), when.end());
      rules_.push_back(std::move(rule));
    }
  }

  void keep(const std::vector<Literal>& when) {
    for (const CellId cell : own_)
      for (std::uint32_t label = 0; label < size_of(cells_[cell].type); ++label) {
        Rule rule{when, {{cell, label}}};
        rule.when.push_back({cell, label});
        rules_.push_back(std::move(rule));
      }
  }

  const std::vector<Cell>& cells_;
  const ProductCells::Product &own_, &before_, &active_;
  std::vector<Rule> rules_;
};

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
  const ProductForecast forecast = forecast_tree(action, options);
  const auto products = make_product_cells(action, forecast);

  Program program = parse_program(
      std::string(kTreeStart) + "repeated" + kTreeLevel + "final" + kTreeLevel, "tree");
  program.name = name;
  program.alphabet = action.alphabet.names();
  const auto copies = products->declare(
      program, {{"d", Lifetime::state}, {"dp", Lifetime::scratch}, {"ds", Lifetime::scratch}});
  products->embed(program, copies[0], kEndToken);
  const CellId active = *program.find("act");
  for (auto& [token, fills] : program.embedding)
    fills.push_back({active, token == kEndToken ? 0u : 1u});

  const ProductsOfALevel level(program, *products, copies);
  level.add_to(program.repeated);
  level.add_to(program.final);
  products->read(program, copies[0], *program.find("one"));
  note_product_table(program, action, forecast);
  return program;
}

}  // namespace logdepth
