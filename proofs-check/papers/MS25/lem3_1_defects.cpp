// Defects in MS25 Lemma 3.1 and Appendix B: division.
#include <utility>

#include "constructions/MS25/division_lem3_1.hpp"
#include "proofs-check/claims/changed_program.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

Program compact_division() {
  return division_MS25_lem3_1();
}
Program paper_division() {
  return division_MS25_lem3_1({DivisionForm::paper, false, false});
}

/// One entry about division that runs, against / and %.
Defect division_defect(std::uint32_t number, const char* id, Program (*repaired)()) {
  Defect d;
  d.number = number;
  d.id = id;
  d.claim = "lem-3.1";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = repaired;
  d.search = search_division;
  d.up_to = 6;
  return d;
}

Defect booleans_zero_and_one() {
  Defect d = division_defect(3, "lem-3.1/booleans-zero-and-one", paper_division);
  d.place = "Lemma A.7, as used by the first two layers of Lemma 3.1";
  d.quote =
      "we can use a single transformer layer to write 1[x = y] in the residual stream [...] both "
      "e_j and h_j^1 can be read from the residual stream using masked pre-norm";
  d.change = "the equality test leaves e = 0 instead of -1 where m does not divide i";
  d.repair = "booleans are +1 and -1, so every mask that reads them has one norm at all tokens";
  d.edit = [](Model model) {
    FeedForward& block = model.layers[feedforward_of(model, "e", "D")].feedforward;
    scale_row(block.out, coordinate_of(model, "e"), Rational(1, 2));
    return model;
  };
  return d;
}

Defect neighbours_off_by_one() {
  Defect d = division_defect(7, "lem-3.1/neighbours-off-by-one", paper_division);
  d.place = "Lemma A.6, as used by the third layer of Lemma 3.1";
  d.quote = "We then use Lem. A.6 to construct a third layer that adds phi(i-1) and phi(i-2)";
  d.change = "the head averages [j >= k], which gives phi(i-k+1): the neighbours are i and i-1";
  d.repair = "phi(i-k) by a query shifted by k";
  d.edit = [](Model model) {
    // The query (x0 - k x1, x1) of phi(i) = (x0, x1), in both heads that fetch from position i-k.
    const std::uint32_t x1 = coordinate_of(model, "I", 1);
    for (const std::size_t which : {0, 2}) {
      set_entry(head_at(model, head_writing(model, "D1", which)).query, 0, x1, 0);
      set_entry(head_at(model, head_writing(model, "D2", which)).query, 0, x1, -1);
    }
    return model;
  };
  return d;
}

Defect positions_from_one() {
  Defect d = division_defect(8, "lem-3.1/positions-from-one", compact_division);
  d.place = "Lemma 3.1; positions 1 <= p <= n^2 in Appendix C, 1/i in Lemma A.6";
  d.quote =
      "In this case, there exists a position j* <= i such that i = m j* [...]. Since a_i <= i, the "
      "query matches exactly one position j = a_i";
  d.change = "the first token has i = 1: the position encoding adds 1 to the raw i of every token";
  d.repair =
      "positions count from 0: there is a multiple of m at or before every i, and a_i = 0 is one";
  d.edit = [](Model model) {
    auto& position = std::get<FirstFlagPosition>(model.position);
    for (SparseVector* fill : {&position.first, &position.rest})
      set_entry(*fill, coordinate_of(model, "i"), 1, Before::absent);
    return model;
  };
  return d;
}

Defect block_zero() {
  Defect d = division_defect(8, "lem-3.1/no-second-token-in-block-zero", paper_division);
  d.place = "Lemma 3.1, fourth and fifth layer; Appendix B";
  d.quote =
      "Of these positions, only b'm + 1 has the property that the quotient there is not the same "
      "as the quotient two position earlier";
  d.change = "no exception for i = 1, whose position i - 2 does not exist: it meets position 0";
  d.repair = "b2 is false where there is no position i - 2";
  d.program = [] {
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
  };
  return d;
}

constexpr const char* kQueryPlace = "Lemma 3.1, first layer";
constexpr const char* kQueryQuote =
    "The query at position i is q_i = phi(i, m) = phi(i/m) computed via Lem. A.2 leveraging the "
    "assumption that psi(i) and psi(m) are present in the residual stream. The key and value "
    "at position j are k_j = v_j = phi(j)";

Defect raw_query_as_a_program() {
  Defect d =
      division_defect(9, "lem-3.1/raw-query-beside-unit-keys-as-a-program", compact_division);
  d.place = kQueryPlace;
  d.quote = kQueryQuote;
  d.change = "the query is the raw (i, m), read by the mask that holds the keys phi(j)";
  d.repair = "dir(i, m) is normalised in a sublayer of its own before";
  d.kind = Defect::Kind::refused;
  d.search = nullptr;
  d.up_to = 0;
  d.program = [] {
    using namespace cells;
    ChangedProgram p(compact_division());
    const auto i = p.cell<Number>("i"), m = p.cell<Number>("m");
    return p.select("near", nearest(i[0] / m[0]).key(p.cell<Key>("I"))).program();
  };
  d.refusal = {"near", "cell i is a number"};
  return d;
}

Defect raw_query() {
  Defect d = division_defect(9, "lem-3.1/raw-query-beside-unit-keys", compact_division);
  d.place = kQueryPlace;
  d.quote = kQueryQuote;
  d.change = "the query is the raw (i, m), read by the mask that holds the keys phi(j)";
  d.repair = "dir(i, m) is normalised in a sublayer of its own before";
  d.edit = [](Model model) {
    const HeadPlace near = head_writing(model, "Q");
    SparseVector& mask = model.layers[near.layer].attention.mask;
    SparseMatrix& query = head_at(model, near).query;
    std::uint32_t row = 0;
    for (const char* raw : {"i", "m"}) {
      set_entry(mask, coordinate_of(model, raw), 1, Before::absent);
      set_entry(query, row, coordinate_of(model, "R", row), 0);
      set_entry(query, row++, coordinate_of(model, raw), 1, Before::absent);
    }
    return model;
  };
  return d;
}

Defect raw_argument() {
  Defect d = division_defect(9, "lem-3.1/raw-argument-beside-unit-keys", compact_division);
  d.place = "Lemma 3.1, its hypothesis and sixth layer";
  d.quote =
      "Suppose psi(i), psi(m), and phi(a_i) (or psi(a_i)) are present in the residual stream [...] "
      "the sixth layer attends with query q_i = phi(a_i), key k_j = phi(j)";
  d.change = "psi(a_i) is given instead of phi(a_i), in the mask that holds the keys phi(j)";
  d.repair = "phi(a_i) is given, or (a_i, 1) is normalised in a sublayer of its own before";
  d.edit = [](Model model) {
    for (std::string& name : std::get<CellsInput>(model.input).names)
      if (name[0] == 'a') name[0] = 'd';  // (a_i, 1), as division_rows gives it
    return model;
  };
  return d;
}

Defect minus_in_the_score() {
  Defect d = division_defect(12, "lem-3.1/minus-in-the-score", compact_division);
  d.place = "Appendix B, second layer";
  d.quote = "In the second layer, q_i . k_j = e_j - [phi(j)]_0";
  d.change = "phi(j)_0 enters the key of the second layer with a minus";
  d.repair = "with a plus, the last multiple wins";
  d.edit = [](Model model) {
    SparseMatrix& key = head_at(model, head_writing(model, "B")).key;
    const std::uint32_t increasing = coordinate_of(model, "I");
    set_entry(key, 0, increasing, -entry(key, 0, increasing));
    return model;
  };
  return d;
}

Defect two_tests_at_once() {
  Defect d = division_defect(20, "lem-3.1/two-equality-tests-in-one-sublayer", paper_division);
  d.place = "Lemma 3.1, fourth layer";
  d.quote =
      "In parallel for k in {1, 2}, the fourth layer attends [...]. It uses Lem. A.7 (on the first "
      "coordinate) to store in the residual stream a boolean b_i^k";
  d.change = "one feed-forward sublayer tests both differences, so its mask holds both";
  d.repair = "two differences are two masks, in two sublayers";
  d.edit = [](Model model) {
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
    return model;
  };
  return d;
}

Defect junk_at_multiples() {
  Defect d = division_defect(25, "lem-3.1/multiples-attend-elsewhere", paper_division);
  d.place = "Lemma 3.1, fifth layer";
  d.quote =
      "with query q_i = <phi(floor(i/m)), 1>, key k_j = <phi(floor(j/m)), b_j^1> [...] if m does "
      "divide i (which can be checked with a separate, parallel head), we write psi(0)";
  d.change =
      "the query selects b^1 = 1 also where m divides i and no such token has the quotient; a "
      "parallel head adds to the stream and cannot choose, so the case is not told apart";
  d.repair =
      "the query holds the token's own b^1, so a multiple finds itself; no case is distinguished";
  d.edit = [](Model model) {
    const HeadPlace count = head_writing(model, "c");
    SparseMatrix& query = head_at(model, count).query;
    const std::uint32_t one = coordinate_of(model, "one"), b1 = coordinate_of(model, "b1");
    const Rational weight = entry(model.layers[count.layer].attention.mask, one);
    set_entry(query, 2, b1, 0);
    set_entry(query, 2, one, weight.inverse(), Before::absent);
    return model;
  };
  return d;
}

}  // namespace

std::vector<Defect> MS25_lem3_1_defects() {
  return {booleans_zero_and_one(),  neighbours_off_by_one(),
          positions_from_one(),     block_zero(),
          raw_query_as_a_program(), raw_query(),
          raw_argument(),           minus_in_the_score(),
          two_tests_at_once(),      junk_at_multiples()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
