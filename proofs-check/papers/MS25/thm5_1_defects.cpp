// Defects in MS25 Theorem 5.1 and Appendix C: graph connectivity.
#include <utility>

#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "proofs-check/claims/changed_program.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

/// The repaired construction in the paper's form, with the paper's padding.
Program paper_connectivity() {
  return graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, GraphInput::Padding::n3);
}

Defect connectivity_defect(std::uint32_t number, const char* id) {
  Defect d;
  d.number = number;
  d.id = id;
  d.claim = "thm-5.1";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = paper_connectivity;
  d.search = search_graphs;
  d.up_to = 3;
  return d;
}

// --- coordinates ---------------------------------------------------------------------------------

Defect position_not_provided() {
  Defect d = connectivity_defect(9, "thm-5.1/position-not-provided");
  d.place = "Appendix C, initial layers";
  d.quote =
      "The transformer starts off by using layer 1 to store 1/N, n, n^2, s, and t in the residual "
      "stream at every position [...] it uses Lem. 3.1 (7 layers) with a_i set to p and m set n";
  d.change = "no head computes the position p, which Lemma 3.1 needs as psi(i) and phi(a_i)";
  d.repair = "a causal uniform head: (p, 1)/(p+1)";
  d.kind = Defect::Kind::refused;
  d.search = nullptr;
  d.up_to = 0;
  d.program = [] { return ChangedProgram(paper_connectivity()).drop("position").program(); };
  d.refusal = {"normalise I"};
  return d;
}

Defect number_on_another_scale() {
  Defect d = connectivity_defect(9, "thm-5.1/n-on-another-scale");
  d.place = "Appendix C, initial layers";
  d.quote =
      "Finally, the layer computes psi(n^3/N, n^2/N) and adds it to the residual stream. Again, "
      "this will be available to future layers as phi(n^3/N, n^2/N) = phi(n)";
  d.change = "n comes as the same number n^3/N at every token, beside n^2/N p/(p+1)";
  d.repair = "a causal average of a value at the first token alone: n^3/N 1/(p+1)";
  d.program = [] {
    using cells::Number;
    ChangedProgram p(paper_connectivity());
    const auto G = p.cell<Number>("G");
    return p.add("p_and_n", p.cell<Number>("x")[1], G[0] + G[1]).program();
  };
  return d;
}

Defect indices_from_one() {
  Defect d = connectivity_defect(10, "thm-5.1/vertices-from-one");
  d.place = "Theorem 5.1 and Appendix C, positions p = in + j and final layer";
  d.quote =
      "the final token uses a head that attends with query <phi(s), phi(t)> [...]. The keys in the "
      "first n^2 positions p = in + j are, as before, set to <phi(i), phi(j)>";
  d.change = "the query holds s, t in {1, ..., n} as they are counted, not s - 1 and t - 1";
  d.repair =
      "vertices, like positions, count from 0: quotient and remainder of p < n^2 are i, j < n";
  d.program = [] {
    using namespace cells;
    ChangedProgram p(paper_connectivity());
    const auto W = p.cell<Direction>("W"), J = p.cell<Direction>("J");
    const auto U = p.cell<Pointer>("U");
    return p.select("answer", find_one(W[0] / W[2]).key(U).also(W[1] / W[2]).key(J)).program();
  };
  return d;
}

Defect offset_of_a_stored_scalar() {
  Defect d = connectivity_defect(26, "thm-5.1/offset-of-a-stored-scalar");
  d.place = "Appendix C, coordinates of the padding tokens";
  d.quote = "Lastly, it uses Lem. A.6 applied to phi(i + 1) to add phi(i) to the residual stream";
  d.change = "Lemma A.6 as it is stated: phi(p - 1) of the position p, whatever the token stores";
  d.repair = "a query shifted by one finds position i, whose own code is phi(i)";
  d.program = [] {
    using namespace cells;
    ChangedProgram p(paper_connectivity());
    const auto I = p.cell<Key>("I");
    return p.select("row", match(I).back(1).key(I)).program();
  };
  return d;
}

// --- B and C -------------------------------------------------------------------------------------

/// The paper's form with B_0 of equation (1), computed from the comparison i = j.
Program with_diagonal() {
  using namespace cells;
  ChangedProgram p(paper_connectivity());
  const auto o = p.number("o");              // i - j
  const auto diagonal = p.flag("diagonal");  // i = j
  p.put_behind(o, "same").put_behind(diagonal, "o");
  const auto I = p.cell<Key>("I");
  const auto U = p.cell<Pointer>("U");
  const auto J = p.cell<Direction>("J");
  const auto A = p.cell<Flag>("A"), B = p.cell<Flag>("B");
  p.initial(fetch("compare").unmasked(match(I).key(I)).add(o, U[0] - J[0]).set(diagonal),
            test(diagonal).zero(o),
            lookup("first", {when(A, diagonal).then(B), when(A, !diagonal).then(B),
                             when(!A, diagonal).then(B), when(!A, !diagonal).then(!B)}));
  return p.program();
}

Defect both_instead_of_either() {
  Defect d = connectivity_defect(18, "thm-5.1/and-instead-of-or");
  d.place = "Appendix C, layer 17";
  d.quote =
      "it uses Lem. A.7 to compute I(phi(A(i, j)) = phi(1)) and I(phi(i) = phi(j)) [...]. It then "
      "uses a feedforward layer to output 1 if both of these are 1, and output 0 otherwise";
  d.change = "B_0 is true where there is an edge and i = j";
  d.repair = "or, as in equation (1)";
  d.repaired = with_diagonal;
  d.program = [] {
    using namespace cells;
    ChangedProgram p(with_diagonal());
    const auto A = p.cell<Flag>("A"), B = p.cell<Flag>("B"), diagonal = p.cell<Flag>("diagonal");
    p.replace_rules("first", {when(A, !diagonal).then(B), when(!A, diagonal).then(B)},
                    {when(A, !diagonal).then(!B), when(!A, diagonal).then(!B)});
    return p.program();
  };
  return d;
}

Defect keys_of_two_kinds() {
  Defect d = connectivity_defect(19, "thm-5.1/matrix-and-padding-share-keys");
  d.place = "Appendix C, C-layers";
  d.quote =
      "The keys in the first n^2 positions q = i'n + j' are set to <phi(i'), phi(j')> [...]. The "
      "two heads thus attend solely to positions with coordinates (i, k) and (k, j)";
  d.change = "the key of the first head reads i' from a cell (K) that padding tokens fill as well";
  d.repair = "keys read cells (U, J) that no padding token shares with a matrix token";
  d.program = [] {
    using namespace cells;
    ChangedProgram p(paper_connectivity());
    const auto V = p.cell<Pointer>("V");
    const auto K = p.cell<Direction>("K"), J = p.cell<Direction>("J");
    return p.select("left", find_one(V).key(K).also(K).key(J)).program();
  };
  return d;
}

Defect half_for_false() {
  Defect d = connectivity_defect(16, "thm-5.1/one-half-for-false");
  d.place = "Appendix C, B-layers";
  d.quote =
      "the feedforward layer reads sigma = sgn(h - 1/(2n)), computes z = (1 + ReLU(sigma))/2, and "
      "writes z to the residual stream. The value z is precisely the desired B_l(i, j)";
  d.change =
      "B becomes (1 + ReLU(sigma))/2, which is 1/2 for sigma = -1; as +-1, 2z - 1 = ReLU(sigma)";
  d.repair = "z = ReLU(sigma), or as +-1: B = -1 + 2 ReLU(sigma)";
  d.edit = [](Model model) {
    // The attention sets B to 0 and not to -1, the feed-forward sublayer adds ReLU(sigma) once.
    Head& head = head_at(model, head_writing(model, "B"));
    const std::uint32_t b = coordinate_of(model, "B");
    set_entry(head.value, value_row(head, b), coordinate_of(model, "one"), 0);
    scale_row(model.layers[feedforward_of(model, "B", "h")].feedforward.out, b, Rational(1, 2));
    return model;
  };
  return d;
}

Defect numbers_of_layers() {
  Defect d;
  d.number = 10;
  d.id = "thm-5.1/numbers-of-layers";
  d.claim = "thm-5.1";
  d.place = "Appendix C, repeating layers and final layers";
  d.quote = "r is initially set to 1 at layer 8 [...] layer (2l - 1) + 8 [...] layer 2l + 8";
  d.change = "the repeated block begins after layer 8 and not after layer 17";
  d.repair = "8 reads 17: the theorem's (17, 2, 1) and the final layer 2 ceil(log n) + 18 agree";
  d.reason =
      "Names of layers, not weights: a file states its own counts, and `measure` counts them.";
  return d;
}

// --- what a repeated layer adds ------------------------------------------------------------------

/// The boolean r alone, one layer per loop: r is flipped ceil(log2 letters) times.
Program layer_counter() {
  using namespace cells;
  cells::Program p("layer counter");
  p.source("MS25 Theorem 5.1, repeating layers").alphabet({"a"}).log_loops_of_letters();
  p.constant();
  const auto r = p.flag("r", state);
  p.token(kBegin, r).token("a", r);
  p.repeated(lookup("flip", {when(r).then(!r), when(!r).then(r)}));
  return p.output("r", r).program();
}

Defect counter_stays() {
  Defect d = connectivity_defect(15, "thm-5.1/counter-stays-at-one");
  d.place = "Appendix C, repeating layers";
  d.quote =
      "Each repeating layer retrieves r from the residual stream and adds 1 - r to the same "
      "coordinate in the residual stream. The net effect is that the value of r alternates between "
      "1 and 0";
  d.change = "r := r + (1 - r) = 1, where r = 1 as well";
  d.repair = "add 1 - 2r; and with two layers in the block no counter is needed";
  d.repaired = layer_counter;
  d.program = [] {
    using namespace cells;
    ChangedProgram p(layer_counter());
    const auto r = p.cell<Flag>("r");
    return p.replace_rules("flip", {when(r).then(!r)}, {when(r).then(r)}).program();
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_lengths(model, bounds, [](std::size_t letters) {
      return std::vector<Real>{Real(ceil_log2(letters) % 2 == 0 ? 1 : -1)};
    });
  };
  d.up_to = 8;
  return d;
}

/// B = 1 stored as psi(B), and updates that leave it as it is, ceil(log2 letters) times.
Program updated_number() {
  using namespace cells;
  cells::Program p("updated number");
  p.source("MS25 Theorem 5.1, B-layers").alphabet({"a"}).log_loops_of_letters();
  const auto one = p.constant();
  const auto B = p.number("B", 2, state);
  const auto read = p.direction("read");
  p.token(kBegin).token("a");
  p.initial(fetch("start").causal(uniform()).add(B[0], one).add(B[1], one));
  p.repeated(fetch("update").causal(uniform()).add(B[0], one - one).add(B[1], one - one));
  p.final(normalise(read).from(B[0], B[1]));
  return p.outputs("B", read).program();
}

Defect constant_accumulates() {
  Defect d = connectivity_defect(17, "thm-5.1/constant-component-accumulates");
  d.place = "Appendix C, B-layers";
  d.quote = "by adding psi(B_l(i, j) - B_{l-1}(i, j)) to the stream at the same coordinates";
  d.change = "the difference 0 is added as psi(0) = <0, 1, 0, -1>";
  d.repair = "add <difference, 0>: the constant component stays 1";
  d.repaired = updated_number;
  d.program = updated_number;
  d.edit = [](Model model) {
    // Both heads read the constant by the same mask; what `start` adds, `update` adds again.
    const std::uint32_t one = coordinate_of(model, "one"), target = coordinate_of(model, "B", 1);
    const Head& start = head_at(model, head_writing(model, "B", 0));
    const Rational weight = entry(start.value, value_row(start, target), one);
    Head& update = head_at(model, head_writing(model, "B", 1));
    set_entry(update.value, value_row(update, target), one, weight, Before::absent);
    return model;
  };
  d.search = [](const Model& model, SearchBounds bounds) {
    return search_lengths(model, bounds, [](std::size_t) {
      const auto one = phi_code(1);
      return std::vector<Real>{one[0], one[1]};
    });
  };
  d.up_to = 8;
  return d;
}

}  // namespace

std::vector<Defect> MS25_thm5_1_defects() {
  return {position_not_provided(),    number_on_another_scale(), indices_from_one(),
          numbers_of_layers(),        counter_stays(),           half_for_false(),
          constant_accumulates(),     both_instead_of_either(),  keys_of_two_kinds(),
          offset_of_a_stored_scalar()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
