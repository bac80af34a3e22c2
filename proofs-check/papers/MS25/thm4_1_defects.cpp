// Defects in MS25 Theorem 4.1: the binary tree for regular languages.
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "constructions/product_cells.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/changed_program.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

/// Not commutative, so that the order of factors shows.
Action letters() {
  return named_monoid("S3");
}

Program tree_of_S3() {
  return regular_language_tree_MS25_thm4_1(letters(), "S3", {ScanTable::monoid});
}

Defect regular_defect(std::uint32_t number, const char* id, Program (*repaired)()) {
  Defect d;
  d.number = number;
  d.id = id;
  d.claim = "thm-4.1";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = repaired;
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_words(model, bounds, letters());
  };
  d.up_to = 6;
  return d;
}

cells::Product row(const cells::OneHot& cell) {
  cells::Product product;
  product.add(cell);
  return product;
}

/// The tree as the paper tells it, repaired: letters and $ have heads of their own, every active
/// letter with an active one before it multiplies, whether it stays active or not, and tokens that
/// are no longer active rest. (The construction lets them go on like $, which the paper's sentences
/// do not speak of.)
Program paper_tree() {
  using namespace cells;
  cells::Program p(tree_of_S3());
  const auto one = p.cell<Constant>("one");
  const auto fst = p.cell<Flag>("fst"), even = p.cell<Flag>("even"), act = p.cell<Flag>("act"),
             ap = p.cell<Flag>("ap"), fa = p.cell<Flag>("fa"), odd = p.cell<Flag>("odd");
  const auto I = p.cell<Key>("I");
  const auto c = p.cell<Number>("c");
  const auto N = p.cell<Direction>("N");
  const auto d = p.cell<OneHot>("d"), dp = p.cell<OneHot>("dp"), ds = p.cell<OneHot>("ds");
  const auto letter = p.flag("letter");                 // and not $
  const auto se = p.onehot("se", d.labels(), scratch);  // what $ finds, before the update
  const auto dq = p.onehot("dq", d.labels(), scratch);  // the updated d of the token before
  const auto de = p.onehot("de", d.labels(), scratch);  // what $ would find after it
  for (const std::string& name : p.program().alphabet) p.token(name, letter);
  p.token(kEnd, !letter);

  const Action action = letters();
  const ProductForecast forecast = forecast_tree(action, {ScanTable::monoid});
  const auto products = make_product_cells(action, forecast);
  Rules active = {when(act, !odd).then(act), when(act, odd).then(!act), when(!act).then(!act)};
  Rules end;
  const auto add = [](Rules& rules, const Rules& more) {
    rules.insert(rules.end(), more.begin(), more.end());
  };
  add(active, under({act, !fst, fa}, products->product({row(ds), row(d)})));
  for (const auto& rest : {std::vector<Value>{act, fst}, {act, !fst, !fa}, {!act}})
    add(active, products->keep(rest, row(d)));
  add(end, under({!letter, fa, odd}, products->product({row(se), row(d)})));
  for (const auto& rest : {std::vector<Value>{!letter, fa, !odd}, {!letter, !fa}, {letter}})
    add(end, products->keep(rest, row(d)));

  const auto count =
      fetch("count").causal(uniform()).add(c[0], (act - fst) / 2).add(c[1], (one + fst) / 2);
  const Statements level = {
      fetch("prev").causal(match(I).back(1).key(I)).copy(ap, act).copy(dp, d),
      count,
      normalise(N).from(c[0], c[1]),
      fetch("last").causal(rightmost(ap, !fst).key(I)).copy(ds, dp),
      fetch("last_for_end").causal(rightmost(ap, !fst).key(I)).copy(fa, ap).copy(se, dp),
      fetch("parity").causal(nearest(N).key(I)).copy(odd, even),
      undone(count),
      lookup("active", active),
      fetch("prev_after").causal(match(I).back(1).key(I)).copy(dq, d),
      fetch("last_after").causal(rightmost(ap, !fst).key(I)).copy(de, dq),
      lookup("end", end),
      erase(ap, fa, N, odd, dp, ds, se, dq, de)};
  p.program().repeated.clear();
  p.program().final.clear();
  return p.repeated(level).final(level).program();
}

/// Its level stands in the repeated and in the final block.
constexpr std::size_t kLevels = 2;

// --- 6: which token is fetched -------------------------------------------------------------------

constexpr const char* kPreviousQuote =
    "another layer attends with query 1, key <phi(j)_1, alpha_i^l>, and value delta_{j-1}^l to "
    "retrieve the group element delta_{j*}^l stored at the previous active token";

Defect key_of_the_token_itself() {
  Defect d = regular_defect(6, "thm-4.1/key-of-the-token-itself", paper_tree);
  d.place = "Theorem 4.1, second paragraph of the proof";
  d.quote = kPreviousQuote;
  d.change = "key alpha_j beside value delta_{j-1}: an active token finds itself";
  d.repair = "key and value are those of j - 1";
  d.program = [] {
    using namespace cells;
    ChangedProgram p(paper_tree());
    const auto act = p.cell<Flag>("act"), fst = p.cell<Flag>("fst");
    return p.select("last", rightmost(act, !fst).key(p.cell<Key>("I")), kLevels).program();
  };
  return d;
}

Defect decreasing_component() {
  Defect d = regular_defect(6, "thm-4.1/decreasing-component", paper_tree);
  d.place = "Theorem 4.1, second paragraph of the proof";
  d.quote = kPreviousQuote;
  d.change = "the second part of the key is phi(j)_1 = 1/sqrt(j^2 + 1), which decreases";
  d.repair = "phi(j)_0, which increases, as in Lemma 3.1: the last active token wins";
  d.edit = [](Model model) {
    for (const std::size_t block : {0, 1}) {  // the repeated one and the final one
      SparseMatrix& key = head_at(model, head_writing(model, "ds", block)).key;
      const Rational weight = entry(key, 0, coordinate_of(model, "I"));
      set_entry(key, 0, coordinate_of(model, "I"), 0);
      set_entry(key, 0, coordinate_of(model, "I", 1), weight, Before::absent);
    }
    return model;
  };
  return d;
}

Defect value_after_the_update() {
  Defect d = regular_defect(6, "thm-4.1/value-after-the-update", paper_tree);
  d.place = "Theorem 4.1, last paragraph but one of the proof";
  d.quote =
      "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>, and value "
      "<(1 - alpha_{j-1}^{l+1}) delta_{j-1}^{l+1}>. This retrieves a value [...] that is delta_j^l";
  d.change = "$ multiplies by the product of the token after its update, delta^{l+1}";
  d.repair = "by delta^l: the interval of that token alone";
  d.program = [] {
    using cells::OneHot;
    ChangedProgram p(paper_tree());
    return p.ask("end", p.cell<OneHot>("se"), p.cell<OneHot>("de"), kLevels).program();
  };
  return d;
}

Defect key_that_depends_on_the_query() {
  Defect d;
  d.number = 6;
  d.id = "thm-4.1/key-that-depends-on-the-query";
  d.claim = "thm-4.1";
  d.place = "Theorem 4.1, last paragraph but one of the proof";
  d.quote = "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>";
  d.change = "the key of token j holds the activeness of the token i that holds the query";
  d.repair = "alpha_{j-1}";
  d.reason =
      "Definition 2.2: the key of token j is a matrix times the stream of token j, so no weights "
      "can express this. Without that part the key is phi(j)_1 alone, whatever is active.";
  return d;
}

// --- 11, 14, 23: levels ---------------------------------------------------------------------------

Defect eight_layers_a_level() {
  Defect d;
  d.number = 11;
  d.id = "thm-4.1/eight-layers-a-level";
  d.claim = "thm-4.1";
  d.place = "Theorem 4.1, third paragraph of the proof";
  d.quote =
      "we use Lem. 3.1 to construct 7 layers that compute c_i mod 2 with no storage overhead "
      "[...]. This requires at most 8 layers";
  d.change = "one level in 8 layers: 1 for the count, 7 for the division, and $ in parallel";
  d.repair =
      "c mod 2 is looked up at position c - 1, which holds it from the first layer on: two layers "
      "a "
      "level";
  d.reason =
      "A count of layers of a network that the text does not give in full: the head at $ needs "
      "alpha^{l+1} of the token before, one layer after the division has ended, and multiplies "
      "after that. The tree's own layers are counted on its weights file.";
  return d;
}

Defect levels_of_the_loop_alone() {
  Defect d = regular_defect(14, "thm-4.1/levels-of-the-loop-alone", tree_of_S3);
  d.place = "Theorem 4.1, last paragraph of the proof";
  d.quote =
      "this can be expressed with 8 layers repeated ceil(log2 |w|) times and 9 final layers (to "
      "implement the additional step beyond ceil(log2 |w|))";
  d.change = "ceil(log2 |w|) levels only: the file without its final block";
  d.repair =
      "floor(log2 |w|) + 1 levels, as the paper's final layers have it: the text is right here";
  d.program = [] { return ChangedProgram(tree_of_S3()).drop_block(Block::final).program(); };
  return d;
}

Defect active_again() {
  Defect d = regular_defect(23, "thm-4.1/active-again", paper_tree);
  d.place = "Theorem 4.1, third paragraph of the proof";
  d.quote =
      "The current token is marked as active in layer l + 1 iff c_i = 0 mod 2, which is equivalent "
      "to checking whether i = t 2^l - 1 for some t";
  d.change = "a letter becomes active where c is even, whether it was active or not";
  d.repair = "only a token that is active stays active";
  d.program = [] {
    using namespace cells;
    ChangedProgram p(paper_tree());
    const auto act = p.cell<Flag>("act"), odd = p.cell<Flag>("odd"),
               letter = p.cell<Flag>("letter");
    p.replace_rules("active", {when(!act).then(!act)},
                    {when(!act, letter, !odd).then(act), when(!act, letter, odd).then(!act),
                     when(!act, !letter).then(!act)},
                    kLevels);
    return p.program();
  };
  return d;
}

}  // namespace

std::vector<Defect> MS25_thm4_1_defects() {
  return {key_of_the_token_itself(),
          decreasing_component(),
          value_after_the_update(),
          key_that_depends_on_the_query(),
          eight_layers_a_level(),
          levels_of_the_loop_alone(),
          active_again()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
