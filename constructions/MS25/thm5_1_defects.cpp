// Defects in MS25 Theorem 5.1 and Appendix C: graph connectivity.
#include <utility>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "proofs-check/claims/defect_changes.hpp"
#include "proofs-check/claims/defect_search.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

/// The repaired construction in the paper's form, with the paper's padding.
Program paper_connectivity() {
  return graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, GraphInput::Padding::n3);
}

Defect connectivity_defect(std::uint32_t number, const char* id) {
  Defect d;
  d.number = number;
  d.id = std::string("thm-5.1/") + id;
  d.claim = "thm-5.1";
  d.kind = Defect::Kind::runs;
  d.repaired = d.program = paper_connectivity;
  d.search = search_graphs;
  d.up_to = 3;
  return d;
}

// --- coordinates ---------------------------------------------------------------------------------

Defect position_not_provided() {
  Defect d = connectivity_defect(9, "position-not-provided");
  d.place = "Appendix C, initial layers";
  d.quote =
      "The transformer starts off by using layer 1 to store 1/N, n, n^2, s, and t in the residual "
      "stream at every position [...] it uses Lem. 3.1 (7 layers) with a_i set to p and m set n";
  d.change = "no head computes the position p, which Lemma 3.1 needs as psi(i) and phi(a_i)";
  d.repair = "a causal uniform head: (p, 1)/(p+1)";
  d.kind = Defect::Kind::refused;
  d.search = nullptr;
  d.up_to = 0;
  d.program = [] {
    return with_changes(paper_connectivity(), {{"  fetch position causal uniform\n"
                                                "    add a[0] + 1/2 one - 1/2 fst\n"
                                                "    add a[1] + 1/2 one + 1/2 fst\n",
                                                ""}});
  };
  d.refusal = {"normalise I"};
  return d;
}

Defect number_on_another_scale() {
  Defect d = connectivity_defect(9, "n-on-another-scale");
  d.place = "Appendix C, initial layers";
  d.quote =
      "Finally, the layer computes psi(n^3/N, n^2/N) and adds it to the residual stream. Again, "
      "this will be available to future layers as phi(n^3/N, n^2/N) = phi(n)";
  d.change = "n comes as the same number n^3/N at every token, beside n^2/N p/(p+1)";
  d.repair = "a causal average of what stands at the first token alone: n^3/N 1/(p+1)";
  d.program = [] {
    return with_changes(paper_connectivity(),
                        {{"    add x[1] + G[0]\n", "    add x[1] + G[0] + G[1]\n"}});
  };
  return d;
}

Defect indices_from_one() {
  Defect d = connectivity_defect(10, "vertices-from-one");
  d.place = "Theorem 5.1 and Appendix C, positions p = in + j and final layer";
  d.quote =
      "the final token uses a head that attends with query <phi(s), phi(t)> [...]. The keys in the "
      "first n^2 positions p = in + j are, as before, set to <phi(i), phi(j)>";
  d.change = "the query holds s, t in {1, ..., n} as they are counted, not s - 1 and t - 1";
  d.repair =
      "vertices, like positions, count from 0: quotient and remainder of p < n^2 are i, j < n";
  d.program = [] {
    return with_changes(paper_connectivity(),
                        {{"( + W[0] - W[2] : + W[2] ) key U and ( + W[1] - W[2] : + W[2] ) key J",
                          "( + W[0] : + W[2] ) key U and ( + W[1] : + W[2] ) key J"}});
  };
  return d;
}

Defect offset_of_a_stored_scalar() {
  Defect d = connectivity_defect(26, "offset-of-a-stored-scalar");
  d.place = "Appendix C, coordinates of the padding tokens";
  d.quote = "Lastly, it uses Lem. A.6 applied to phi(i + 1) to add phi(i) to the residual stream";
  d.change = "Lemma A.6 as it is stated: phi(p - 1) of the position p, whatever the token stores";
  d.repair = "a query shifted by one finds position i, whose own code is phi(i)";
  d.program = [] {
    return with_changes(paper_connectivity(), {{"fetch row causal match T back 1 key I",
                                                "fetch row causal match I back 1 key I"}});
  };
  return d;
}

// --- B and C -------------------------------------------------------------------------------------

/// The paper's form with B_0 of equation (1), computed from the comparison i = j.
Program with_diagonal() {
  return with_changes(
      paper_connectivity(),
      {{"cell same flag\n", "cell same flag\ncell o number 1\ncell diagonal flag\n"},
       {"\nrepeated\n",
        "  fetch compare unmasked match I key I\n"
        "    add o + U[0] - J[0]\n"
        "    set diagonal=true\n"
        "  test diagonal zero o\n"
        "  lookup first\n"
        "    rule A=true diagonal=true -> B=true\n"
        "    rule A=true diagonal=false -> B=true\n"
        "    rule A=false diagonal=true -> B=true\n"
        "    rule A=false diagonal=false -> B=false\n"
        "\nrepeated\n"}});
}

Defect both_instead_of_either() {
  Defect d = connectivity_defect(18, "and-instead-of-or");
  d.place = "Appendix C, layer 17";
  d.quote =
      "it uses Lem. A.7 to compute I(phi(A(i, j)) = phi(1)) and I(phi(i) = phi(j)) [...]. It then "
      "uses a feedforward layer to output 1 if both of these are 1, and output 0 otherwise";
  d.change = "B_0 is true where there is an edge and i = j";
  d.repair = "or, as in equation (1)";
  d.repaired = with_diagonal;
  d.program = [] {
    return with_changes(
        with_diagonal(),
        {{"rule A=true diagonal=false -> B=true", "rule A=true diagonal=false -> B=false"},
         {"rule A=false diagonal=true -> B=true", "rule A=false diagonal=true -> B=false"}});
  };
  return d;
}

Defect keys_of_two_kinds() {
  Defect d = connectivity_defect(19, "matrix-and-padding-share-keys");
  d.place = "Appendix C, C-layers";
  d.quote =
      "The keys in the first n^2 positions q = i'n + j' are set to <phi(i'), phi(j')> [...]. The "
      "two heads thus attend solely to positions with coordinates (i, k) and (k, j)";
  d.change = "the key of the first head reads i' from a cell (K) that padding tokens fill as well";
  d.repair = "keys read cells (U, J) that no padding token shares with a matrix token";
  d.program = [] {
    return with_changes(paper_connectivity(),
                        {{"fetch left unmasked find-one V key U and K key J",
                          "fetch left unmasked find-one V key K and K key J"}});
  };
  return d;
}

Defect half_for_false() {
  Defect d = connectivity_defect(16, "one-half-for-false");
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

// --- what a repeated layer adds ------------------------------------------------------------------

/// The boolean r alone, one layer per loop: r is flipped ceil(log2 letters) times.
Program layer_counter() {
  return parse_program(R"cells(logdepth-cells 1
program "layer counter"
source "MS25 Theorem 5.1, repeating layers"
alphabet a
unroll ceil_log2 letters minus 0
cell one constant
cell r state flag
token <begin> r=true
token a r=true
repeated
  lookup flip
    rule r=true -> r=false
    rule r=false -> r=true
output r + r
)cells",
                       "layer counter");
}

Defect counter_stays() {
  Defect d = connectivity_defect(15, "counter-stays-at-one");
  d.place = "Appendix C, repeating layers";
  d.quote =
      "Each repeating layer retrieves r from the residual stream and adds 1 - r to the same "
      "coordinate in the residual stream. The net effect is that the value of r alternates between "
      "1 and 0";
  d.change = "r := r + (1 - r) = 1, where r = 1 as well";
  d.repair = "add 1 - 2r; and with two layers in the block no counter is needed";
  d.repaired = layer_counter;
  d.program = [] {
    return with_changes(layer_counter(), {{"rule r=true -> r=false", "rule r=true -> r=true"}});
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
  return parse_program(R"cells(logdepth-cells 1
program "updated number"
source "MS25 Theorem 5.1, B-layers"
alphabet a
unroll ceil_log2 letters minus 0
cell one constant
cell B state number 2
cell read direction 2
token <begin>
token a
initial
  fetch start causal uniform
    add B[0] + one
    add B[1] + one
repeated
  fetch update causal uniform
    add B[0] + one - one
    add B[1] + one - one
final
  normalise read from B[0] B[1]
output B.0 + read[0]
output B.1 + read[1]
)cells",
                       "updated number");
}

Defect constant_accumulates() {
  Defect d = connectivity_defect(17, "constant-component-accumulates");
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
  return {position_not_provided(),  number_on_another_scale(), indices_from_one(),
          counter_stays(),          half_for_false(),          constant_accumulates(),
          both_instead_of_either(), keys_of_two_kinds(),       offset_of_a_stored_scalar()};
}

}  // namespace logdepth
