// MS25 Theorem 4.1 and Corollary 4.2: log depth recognises regular languages.
// Defects in MS25 Theorem 4.1: the binary tree for regular languages.
#include <fmt/core.h>

#include <utility>

#include "constructions/MS25/regular_language.hpp"
#include "constructions/product_cells.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/claim.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

/// One aperiodic language, one group that is abelian, one solvable, one not, and all maps of two
/// points, where resets and permutations meet.
std::vector<SampleLanguage> samples() {
  return {regex_sample("b*(ab*ab*)*", "even number of a", 9), monoid_sample("A5", 8),
          monoid_sample("S3", 8), monoid_sample("T2", 5),
          regex_sample("(a|b)*abb", "ends in abb", 9)};
}

using Builder = std::function<Program(const Action&, const std::string& name)>;

std::vector<Instance> instances(const Builder& construction,
                                const std::vector<std::uint64_t>& tight_at) {
  std::vector<Instance> result;
  for (const SampleLanguage& sample : samples()) {
    result.push_back(sample_instance(
        sample, [construction, sample] { return construction(sample.action(), sample.name); }));
  }
  result.front().tight_at =
      tight_at;  // a missing loop shows in the even number of a's at every length
  return result;
}

Claim theorem_4_1(const std::string& name, Form form, const Builder& construction) {
  Claim claim = claim_named(name, form);
  claim.title = "Regular languages in log depth";
  claim.statement =
      "For every regular language L there is a looped transformer with causal heads that decides, "
      "on any string w$, whether w is in L, with ceil(log2 |w|) loops.";
  claim.source = "MS25 §4, Theorem 4.1";
  claim.claimed.text = "(0, 8, 9), depth 8 ceil(log2 |w|) + 9";
  claim.claimed.initial = 0;
  claim.claimed.repeated = 8;
  claim.claimed.final = 9;
  claim.claimed.depth = [](std::uint64_t n) { return 8 * ceil_log2(n) + 9; };
  claim.claimed.counted = "|w|, without $";
  claim.instances = instances(construction, {2, 3, 5, 9});
  claim.curve = "regular languages";
  return claim;
}

/// The paper's binary tree. Its last level is the final block, so a loop is missed first at powers
/// of two.
Claim tree() {
  Claim claim = theorem_4_1("thm-4.1/tree", Form::repaired,
                            [](const Action& action, const std::string& name) {
                              return regular_language_tree_MS25_thm4_1(action, name);
                            });
  claim.file = "constructions/MS25/regular_language_tree_thm4_1.cpp";
  claim.tests = {"tests/claims/word_constructions.cpp", "tests/claims/word_construction_sizes.cpp"};
  claim.instances[0].tight_at = {2, 4, 8};
  return claim;
}

Claim scan(const std::string& name, ScanPositions positions) {
  Claim claim = theorem_4_1(name, Form::optimised,
                            [positions](const Action& action, const std::string& language) {
                              return regular_language_scan_MS25_thm4_1(
                                  action, language, {positions, ScanTable::automatic});
                            });
  claim.file = "constructions/MS25/regular_language_scan_thm4_1.cpp";
  claim.tests = {"tests/claims/word_constructions.cpp", "tests/claims/word_construction_sizes.cpp"};
  return claim;
}

/// One repeated layer and no other, from the first-flag alone: found by hand, not built.
Claim one_layer_from_the_first_flag() {
  Claim claim = theorem_4_1("thm-4.1/one-layer-first-flag", Form::optimised, {});
  claim.statement =
      "The same by one repeated layer and no other, (0, 1, 0), where the position encoding only "
      "separates the first position.";
  claim.instances.clear();
  claim.curve.clear();
  claim.reason =
      "the compiler has no type for it: the only feed-forward mask would be a direction in the "
      "first pass, which normalises the position, and of constant norm in the others, which "
      "multiply; a mask has one norm type for all passes";
  return claim;
}

constexpr std::uint64_t kRadixLength = 100;

Claim corollary_4_2(const std::string& name, Form form) {
  Claim claim = claim_named(name, form);
  claim.title = "Regular languages, a network per length";
  claim.statement =
      "For every regular language L there is a family of transformers T_n with causal heads such "
      "that T_n decides, on any string w$ of length n, whether w is in L.";
  claim.source = "MS25 §4, Corollary 4.2";
  claim.claimed.text = "4 ceil(log2 n) + 5 layers, n = |w$|";
  claim.claimed.depth = [](std::uint64_t n) { return 4 * ceil_log2(n + 1) + 5; };
  claim.claimed.counted = "|w$| = |w| + 1";
  claim.curve = "regular languages";
  return claim;
}

Claim radix(const std::string& name, Form form, unsigned k, ScanPositions positions) {
  const auto construct = [k, positions](const Action& action, const std::string& language,
                                        std::uint64_t length) {
    return regular_language_radix_MS25_cor4_2(action, language,
                                              {k, length, positions, ScanTable::automatic});
  };
  Claim claim = corollary_4_2(name, form);
  claim.file = "constructions/MS25/regular_language_radix_cor4_2.cpp";
  claim.tests = {"tests/claims/word_constructions.cpp", "tests/claims/word_construction_sizes.cpp"};
  claim.instances = instances(
      [construct](const Action& action, const std::string& language) {
        return construct(action, language, kRadixLength);
      },
      {});
  claim.family = [construct](std::uint64_t length) {
    const SampleLanguage sample = samples()[0];
    return construct(sample.action(), sample.name, length);
  };

  // One layer fewer, at the shortest length that needs it.
  Instance shortest = claim.instances[0];
  const std::uint64_t length = std::uint64_t{k} * k + 1;
  shortest.name += fmt::format(", at most {} letters", length);
  shortest.program = [construct, length] {
    const SampleLanguage sample = samples()[0];
    return construct(sample.action(), sample.name, length);
  };
  shortest.bounds.up_to = 4;
  shortest.tight_at = {length};
  claim.instances.push_back(std::move(shortest));
  return claim;
}

/// One network for all lengths, k-fold intervals in r - 1 of the r layers of its loop.
Claim uniform_radix(const std::string& name, unsigned k, unsigned r) {
  Claim claim = corollary_4_2(name, Form::optimised);
  const UniformRadixOptions options{k, r, ScanTable::automatic};
  claim.file = "constructions/MS25/regular_language_uniform_radix_cor4_2.cpp";
  claim.tests = {"tests/claims/word_constructions.cpp", "tests/claims/word_construction_sizes.cpp"};
  claim.hypotheses = {"one network for all lengths, more than the corollary requires"};
  claim.instances = instances(
      [options](const Action& action, const std::string& language) {
        return regular_language_uniform_radix_MS25_cor4_2(action, language, options);
      },
      {2, reach_of_a_block(options) + 1});
  return claim;
}

/// Not commutative, so that the order of factors shows.
Action letters() {
  return named_monoid("S3");
}

Program tree_of_S3() {
  return regular_language_tree_MS25_thm4_1(letters(), "S3", {ScanTable::monoid});
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

constexpr const char* kPreviousQuote =
    "another layer attends with query 1, key <phi(j)_1, alpha_i^l>, and value delta_{j-1}^l to "
    "retrieve the group element delta_{j*}^l stored at the previous active token";

const std::vector<Defect> kLanguageDefects = {
    {.number = 6,
     .id = "thm-4.1/key-of-the-token-itself",
     .place = "Theorem 4.1, second paragraph of the proof",
     .quote = kPreviousQuote,
     .change = "key alpha_j beside value delta_{j-1}: an active token finds itself",
     .repair = "key and value are those of j - 1",
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(paper_tree());
           const auto act = p.cell<Flag>("act"), fst = p.cell<Flag>("fst");
           return p.select("last", rightmost(act, !fst).key(p.cell<Key>("I")), kLevels).program();
         }},
    {.number = 6,
     .id = "thm-4.1/decreasing-component",
     .place = "Theorem 4.1, second paragraph of the proof",
     .quote = kPreviousQuote,
     .change = "the second part of the key is phi(j)_1 = 1/sqrt(j^2 + 1), which decreases",
     .repair = "phi(j)_0, which increases, as in Lemma 3.1: the last active token wins",
     .edit =
         [](Model& model) {
           for (const std::size_t block : {0, 1}) {  // the repeated one and the final one
             SparseMatrix& key = head_at(model, head_writing(model, "ds", block)).key;
             const Rational weight = entry(key, 0, coordinate_of(model, "I"));
             set_entry(key, 0, coordinate_of(model, "I"), 0);
             set_entry(key, 0, coordinate_of(model, "I", 1), weight, Before::absent);
           }
         }},
    {.number = 6,
     .id = "thm-4.1/value-after-the-update",
     .place = "Theorem 4.1, last paragraph but one of the proof",
     .quote =
         "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>, and value <(1 - "
         "alpha_{j-1}^{l+1}) delta_{j-1}^{l+1}>. This retrieves a value [...] that is delta_j^l",
     .change = "$ multiplies by the product of the token after its update, delta^{l+1}",
     .repair = "by delta^l: the interval of that token alone",
     .program =
         [] {
           using cells::OneHot;
           ChangedProgram p(paper_tree());
           return p.ask("end", p.cell<OneHot>("se"), p.cell<OneHot>("de"), kLevels).program();
         }},
    {.number = 6,
     .id = "thm-4.1/key-that-depends-on-the-query",
     .place = "Theorem 4.1, last paragraph but one of the proof",
     .quote = "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>",
     .change = "the key of token j holds the activeness of the token i that holds the query",
     .repair = "alpha_{j-1}",
     .kind = Defect::Kind::recorded,
     .reason = "Definition 2.2: the key of token j is a matrix times the stream of token j, so "
               "no weights can express this. Without that part the key is phi(j)_1 alone, "
               "whatever is active."},
    {.number = 11,
     .id = "thm-4.1/eight-layers-a-level",
     .place = "Theorem 4.1, third paragraph of the proof",
     .quote = "we use Lem. 3.1 to construct 7 layers that compute c_i mod 2 with no storage "
              "overhead [...]. This requires at most 8 layers",
     .change = "one level in 8 layers: 1 for the count, 7 for the division, and $ in parallel",
     .repair = "c mod 2 is looked up at position c - 1, which holds it from the first layer on: "
               "two layers a level",
     .kind = Defect::Kind::recorded,
     .reason = "A count of layers of a network that the text does not give in full: the head at $ "
               "needs alpha^{l+1} of the token before, one layer after the division has ended, and "
               "multiplies after that. The tree's own layers are counted on its weights file."},
    {.number = 14,
     .id = "thm-4.1/levels-of-the-loop-alone",
     .place = "Theorem 4.1, last paragraph of the proof",
     .quote = "this can be expressed with 8 layers repeated ceil(log2 |w|) times and 9 final "
              "layers (to implement the additional step beyond ceil(log2 |w|))",
     .change = "ceil(log2 |w|) levels only: the file without its final block",
     .repair = "floor(log2 |w|) + 1 levels, as the paper's final layers have it: the text is "
               "right here",
     .repaired = tree_of_S3,
     .program = [] { return ChangedProgram(tree_of_S3()).drop_block(Block::final).program(); }},
    {.number = 23,
     .id = "thm-4.1/active-again",
     .place = "Theorem 4.1, third paragraph of the proof",
     .quote = "The current token is marked as active in layer l + 1 iff c_i = 0 mod 2, which is "
              "equivalent to checking whether i = t 2^l - 1 for some t",
     .change = "a letter becomes active where c is even, whether it was active or not",
     .repair = "only a token that is active stays active",
     .program = [] {
       using namespace cells;
       ChangedProgram p(paper_tree());
       const auto act = p.cell<Flag>("act"), odd = p.cell<Flag>("odd"),
                  letter = p.cell<Flag>("letter");
       p.replace_rules("active", {when(!act).then(!act)},
                       {when(!act, letter, !odd).then(act), when(!act, letter, odd).then(!act),
                        when(!act, !letter).then(!act)},
                       kLevels);
       return p.program();
     }}};

}  // namespace

PaperPart MS25_thm4_1() {
  return {{
              tree(),
              scan("thm-4.1/scan-two-circle", ScanPositions::two_circle),
              scan("thm-4.1/scan-circle", ScanPositions::circle),
              scan("thm-4.1/scan-first-flag", ScanPositions::first_flag),
              one_layer_from_the_first_flag(),
              radix("cor-4.2/radix-2-first-flag", Form::repaired, 2, ScanPositions::first_flag),
              radix("cor-4.2/radix-2", Form::optimised, 2, ScanPositions::two_circle),
              radix("cor-4.2/radix-3-first-flag", Form::optimised, 3, ScanPositions::first_flag),
              radix("cor-4.2/radix-4-first-flag", Form::optimised, 4, ScanPositions::first_flag),
              uniform_radix("cor-4.2/uniform-radix-2-3", 2, 3),
              uniform_radix("cor-4.2/uniform-radix-3-3", 3, 3),
          },
          with_common({.repaired = paper_tree, .search = search_words(letters()), .up_to = 6},
                      kLanguageDefects)};
}

}}  // namespace logdepth::proofs_check_papers_MS25
