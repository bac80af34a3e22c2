// MS25 Lemma 3.1: fixed depth transformers divide small integers.
// Defects in MS25 Lemma 3.1 and Appendix B: division.
#include "constructions/MS25/division_lem3_1.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

Claim division(const std::string& name, Form form, const DivisionOptions& options) {
  Claim claim = claim_named(name, form);
  claim.title = "Division of small integers";
  claim.statement =
      "If the stream of every token i holds psi(i), psi(m) and phi(a_i), a_i <= i, a transformer "
      "with causal heads and masked pre-norm adds phi(floor(a_i / m)) and phi(a_i mod m).";
  claim.source = "MS25 §3, Lemma 3.1 and Appendix B";
  claim.file = "constructions/MS25/division_lem3_1.cpp";
  claim.tests = {"tests/claims/division.cpp"};
  claim.claimed.text = "7 layers";
  claim.claimed.initial = 7;
  claim.claimed.repeated = claim.claimed.final = 0;
  claim.claimed.depth = [](std::uint64_t) { return std::uint64_t{7}; };

  // phi(i) and dir(i, m) as given numbers have the same cost as computed ones.
  claim.instances.push_back({.program = [options] { return division_MS25_lem3_1(options); },
                             .against = AgainstDivision{},
                             .bounds = {48, 2, 512}});
  return claim;
}

/// One network for a given length.
Claim floor_division(const std::string& name, bool own_argument) {
  constexpr std::uint64_t kLength = 512;
  Claim claim = division(name, Form::optimised, {});
  claim.file = "constructions/MS25/division_floor_lem3_1.cpp";
  claim.hypotheses = {"phi(i), dir(i, m) and dir(i, L) are given as unit vectors, not raw psi",
                      "one network for at most 8 L tokens"};
  if (own_argument) claim.hypotheses.push_back("a_i = i: every position divides itself");
  claim.instances[0].program = [own_argument] {
    return division_floor_MS25_lem3_1(kLength, own_argument);
  };
  return claim;
}

std::vector<Claim> lem3_1_claims() {
  std::vector<Claim> claims = {
      division("lem-3.1/paper", Form::repaired, {DivisionForm::paper}),
      division("lem-3.1/compact", Form::optimised, {DivisionForm::compact}),
      division("lem-3.1/own-argument", Form::optimised, {DivisionForm::compact, true}),
      division("lem-3.1/unit-inputs", Form::optimised, {DivisionForm::compact, false, true}),
      division("lem-3.1/own-argument-unit-inputs", Form::optimised,
               {DivisionForm::compact, true, true}),
      floor_division("lem-3.1/floor", false),
      floor_division("lem-3.1/floor-own-argument", true)};
  claims[2].hypotheses = {"a_i = i: every position divides itself"};
  claims[3].hypotheses = {"phi(i) and dir(i, m) are given as unit vectors, not raw psi"};
  claims[4].hypotheses = {"a_i = i, and phi(i) and dir(i, m) are given as unit vectors"};
  return claims;
}

Program compact_division() {
  return division_MS25_lem3_1();
}
Program paper_division() {
  return division_MS25_lem3_1({DivisionForm::paper, false, false});
}

constexpr const char* kQueryPlace = "Lemma 3.1, first layer";
constexpr const char* kQueryQuote =
    "The query at position i is q_i = phi(i, m) = phi(i/m) computed via Lem. A.2 leveraging the "
    "assumption that psi(i) and psi(m) are present in the residual stream. The key and value at "
    "position j are k_j = v_j = phi(j)";

const std::vector<Defect> kDivisionDefects = {
    {.number = 3,
     .id = "lem-3.1/booleans-zero-and-one",
     .place = "Lemma A.7, as used by the first two layers of Lemma 3.1",
     .quote =
         "we can use a single transformer layer to write 1[x = y] in the residual stream [...] "
         "both e_j and h_j^1 can be read from the residual stream using masked pre-norm",
     .change = "the equality test leaves e = 0 instead of -1 where m does not divide i",
     .repair = "booleans are +1 and -1, so every mask that reads them has one norm at all tokens",
     .edit =
         [](Model& model) {
           FeedForward& block = model.layers[feedforward_of(model, "e", "D")].feedforward;
           scale_row(block.out, coordinate_of(model, "e"), Rational(1, 2));
         }},
    {.number = 7,
     .id = "lem-3.1/neighbours-off-by-one",
     .place = "Lemma A.6, as used by the third layer of Lemma 3.1",
     .quote = "We then use Lem. A.6 to construct a third layer that adds phi(i-1) and phi(i-2)",
     .change = "the head averages [j >= k], which gives phi(i-k+1): the neighbours are i and i-1",
     .repair = "phi(i-k) by a query shifted by k",
     .edit =
         [](Model& model) {
           // The query (x0 - k x1, x1) of phi(i) = (x0, x1), in both heads that fetch from position i-k.
           const std::uint32_t x1 = coordinate_of(model, "I", 1);
           for (const std::size_t which : {0, 2}) {
             set_entry(head_at(model, head_writing(model, "D1", which)).query, 0, x1, 0);
             set_entry(head_at(model, head_writing(model, "D2", which)).query, 0, x1, -1);
           }
         }},
    {.number = 8,
     .id = "lem-3.1/positions-from-one",
     .place = "Lemma 3.1; positions 1 <= p <= n^2 in Appendix C, 1/i in Lemma A.6",
     .quote = "In this case, there exists a position j* <= i such that i = m j* [...]. Since a_i "
              "<= i, the query matches exactly one position j = a_i",
     .change =
         "the first token has i = 1: the position encoding adds 1 to the raw i of every token",
     .repair = "positions count from 0: there is a multiple of m at or before every i, and a_i = "
               "0 is one",
     .repaired = compact_division,
     .edit =
         [](Model& model) {
           auto& position = std::get<FirstFlagPosition>(model.position);
           for (SparseVector* fill : {&position.first, &position.rest})
             set_entry(*fill, coordinate_of(model, "i"), 1, Before::absent);
         }},
    {.number = 8,
     .id = "lem-3.1/no-second-token-in-block-zero",
     .place = "Lemma 3.1, fourth and fifth layer; Appendix B",
     .quote = "Of these positions, only b'm + 1 has the property that the quotient there is not "
              "the same as the quotient two position earlier",
     .change = "no exception for i = 1, whose position i - 2 does not exist: it meets position 0",
     .repair = "b2 is false where there is no position i - 2",
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(paper_division());
           const auto fst = p.cell<Flag>("fst"), p1 = p.cell<Flag>("p1"), b1 = p.cell<Flag>("b1"),
                      s1 = p.cell<Flag>("s1"), s2 = p.cell<Flag>("s2");
           const auto place = p.cell<OneHot>("place");
           p.replace_rules("neighbours",
                           {when(!fst, p1, s1).then(b1, place == "second"),
                            when(!fst, !p1, s1, !s2).then(b1, place == "second"),
                            when(!fst, !p1, s1, s2).then(b1, place == "later")},
                           {when(!fst, s1, !s2).then(b1, place == "second"),
                            when(!fst, s1, s2).then(b1, place == "later")});
           return p.program();
         }},
    {.number = 9,
     .id = "lem-3.1/raw-query-beside-unit-keys-as-a-program",
     .place = kQueryPlace,
     .quote = kQueryQuote,
     .change = "the query is the raw (i, m), read by the mask that holds the keys phi(j)",
     .repair = "dir(i, m) is normalised in a sublayer of its own before",
     .kind = Defect::Kind::refused,
     .repaired = compact_division,
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(compact_division());
           const auto i = p.cell<Number>("i"), m = p.cell<Number>("m");
           return p.select("near", nearest(i[0] / m[0]).key(p.cell<Key>("I"))).program();
         },
     .refusal = {"near", "cell i is a number"}},
    {.number = 9,
     .id = "lem-3.1/raw-query-beside-unit-keys",
     .place = kQueryPlace,
     .quote = kQueryQuote,
     .change = "the query is the raw (i, m), read by the mask that holds the keys phi(j)",
     .repair = "dir(i, m) is normalised in a sublayer of its own before",
     .repaired = compact_division,
     .edit =
         [](Model& model) {
           const HeadPlace near = head_writing(model, "Q");
           SparseVector& mask = model.layers[near.layer].attention.mask;
           SparseMatrix& query = head_at(model, near).query;
           std::uint32_t row = 0;
           for (const char* raw : {"i", "m"}) {
             set_entry(mask, coordinate_of(model, raw), 1, Before::absent);
             set_entry(query, row, coordinate_of(model, "R", row), 0);
             set_entry(query, row++, coordinate_of(model, raw), 1, Before::absent);
           }
         }},
    {.number = 9,
     .id = "lem-3.1/raw-argument-beside-unit-keys",
     .place = "Lemma 3.1, its hypothesis and sixth layer",
     .quote = "Suppose psi(i), psi(m), and phi(a_i) (or psi(a_i)) are present in the residual "
              "stream [...] the sixth layer attends with query q_i = phi(a_i), key k_j = phi(j)",
     .change = "psi(a_i) is given instead of phi(a_i), in the mask that holds the keys phi(j)",
     .repair = "phi(a_i) is given, or (a_i, 1) is normalised in a sublayer of its own before",
     .repaired = compact_division,
     .edit =
         [](Model& model) {
           for (std::string& name : std::get<CellsInput>(model.input).names)
             if (name[0] == 'a') name[0] = 'd';  // (a_i, 1), as division_rows gives it
         }},
    {.number = 12,
     .id = "lem-3.1/minus-in-the-score",
     .place = "Appendix B, second layer",
     .quote = "In the second layer, q_i . k_j = e_j - [phi(j)]_0",
     .change = "phi(j)_0 enters the key of the second layer with a minus",
     .repair = "with a plus, the last multiple wins",
     .repaired = compact_division,
     .edit =
         [](Model& model) {
           SparseMatrix& key = head_at(model, head_writing(model, "B")).key;
           const std::uint32_t increasing = coordinate_of(model, "I");
           set_entry(key, 0, increasing, -entry(key, 0, increasing));
         }},
    {.number = 20,
     .id = "lem-3.1/two-equality-tests-in-one-sublayer",
     .place = "Lemma 3.1, fourth layer",
     .quote = "In parallel for k in {1, 2}, the fourth layer attends [...]. It uses Lem. A.7 (on "
              "the first coordinate) to store in the residual stream a boolean b_i^k",
     .change = "one feed-forward sublayer tests both differences, so its mask holds both",
     .repair = "two differences are two masks, in two sublayers",
     .edit =
         [](Model& model) {
           FeedForward& first = model.layers[feedforward_of(model, "s1", "D1")].feedforward;
           FeedForward& second = model.layers[feedforward_of(model, "s2", "D2")].feedforward;
           for (const SparseEntry& e : second.mask)
             set_entry(first.mask, e.index, e.value, Before::absent);
           for (const MatrixEntry& e : second.in.entries)
             set_entry(first.in, first.in.rows + e.row, e.column, e.value, Before::absent);
           for (const MatrixEntry& e : second.out.entries)
             set_entry(first.out, e.row, first.in.rows + e.column, e.value, Before::absent);
           first.in.rows += second.in.rows;
           first.out.columns = first.in.rows;
           second = {{}, {0, model.width, {}}, {model.width, 0, {}}};
         }},
    {.number = 25,
     .id = "lem-3.1/multiples-attend-elsewhere",
     .place = "Lemma 3.1, fifth layer",
     .quote =
         "with query q_i = <phi(floor(i/m)), 1>, key k_j = <phi(floor(j/m)), b_j^1> [...] if m "
         "does divide i (which can be checked with a separate, parallel head), we write psi(0)",
     .change =
         "the query selects b^1 = 1 also where m divides i and no such token has the quotient; a "
         "parallel head adds to the stream and cannot choose, so the case is not told apart",
     .repair = "the query holds the token's own b^1, so a multiple finds itself; no case is "
               "distinguished",
     .edit = [](Model& model) {
       const HeadPlace count = head_writing(model, "c");
       SparseMatrix& query = head_at(model, count).query;
       const std::uint32_t one = coordinate_of(model, "one"), b1 = coordinate_of(model, "b1");
       const Rational weight = entry(model.layers[count.layer].attention.mask, one);
       set_entry(query, 2, b1, 0);
       set_entry(query, 2, one, weight.inverse(), Before::absent);
     }}};

}  // namespace

PaperPart MS25_lem3_1() {
  return {lem3_1_claims(),
          with_common({.repaired = paper_division, .search = search_division, .up_to = 6},
                      kDivisionDefects)};
}

}}  // namespace logdepth::proofs_check_papers_MS25
