// MS25 Theorem 5.1: log depth decides graph connectivity.
// Defects in MS25 Theorem 5.1 and Appendix C: graph connectivity.
#include <fmt/core.h>

#include <functional>
#include <utility>

#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "proofs-check/claims/claim.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

/// The theorem, whatever the construction in `file`.
Claim theorem_5_1(const std::string& name, Form form, const std::string& file) {
  Claim claim = claim_named(name, form);
  claim.title = "Graph connectivity in log depth";
  claim.statement =
      "There is a looped transformer with causal and unmasked heads that, given the adjacency "
      "matrix of a directed or undirected graph over n vertices, n^3 padding tokens and s, t in "
      "unary, decides with ceil(log2 n) loops whether there is a path from s to t.";
  claim.source = "MS25 §5, Theorem 5.1 and Appendix C";
  claim.claimed.text = "(17, 2, 1), depth 2 ceil(log2 n) + 18, n^3 padding tokens";
  claim.claimed.initial = 17;
  claim.claimed.repeated = 2;
  claim.claimed.final = 1;
  claim.claimed.depth = [](std::uint64_t n) { return 2 * ceil_log2(n) + 18; };
  claim.claimed.counted = "the number of vertices";
  claim.file = file;
  claim.tests = {"tests/claims/connectivity.cpp"};
  claim.curve = "graph connectivity";
  return claim;
}

/// One network for every n.
Claim connectivity(const std::string& name, ConnectivityForm form, GraphInput::Padding padding) {
  const bool compact = form == ConnectivityForm::compact;
  const bool small = padding == GraphInput::Padding::n3_minus_n2;
  Claim claim = theorem_5_1(name, compact || small ? Form::optimised : Form::repaired,
                            "constructions/MS25/graph_connectivity_thm5_1.cpp");

  const auto program = [form, padding] { return graph_connectivity_MS25_thm5_1(form, padding); };
  claim.instances = {{.name = "directed",
                      .program = program,
                      .against = AgainstReachability{false, true},  // four vertices take two loops
                      .bounds = {3, 4, compact && small ? std::size_t{10} : std::size_t{7}},
                      .tight_at = {3, 4, 6}},
                     {.name = "undirected",
                      .program = program,
                      .against = AgainstReachability{true, false},
                      .bounds = {4, 2, 6},
                      .layernorm = false}};  // the same file as for directed graphs
  return claim;
}

/// One network, of a size that does not depend on the contract, for every n up to it.
Claim bounded() {
  Claim claim =
      connectivity("thm-5.1/bounded", ConnectivityForm::compact, GraphInput::Padding::n3_minus_n2);
  claim.file = "constructions/MS25/graph_connectivity_bounded_thm5_1.cpp";
  claim.hypotheses = {"one network for at most 8 L vertices"};
  for (Instance& instance : claim.instances)
    instance.program = [] { return graph_connectivity_bounded_MS25_thm5_1(10); };
  return claim;
}

/// Four layers before the loop: found by hand, not built.
Claim four_initial_layers() {
  Claim claim = theorem_5_1("thm-5.1/four-initial-layers", Form::optimised, "");
  claim.tests.clear();
  claim.statement =
      "The same with four layers before a loop of one layer, (4, 1, 1), for every n, by a rational "
      "position encoding that does not know n.";
  claim.curve.clear();
  claim.reason =
      "no position encoding of a program holds it: 1/(2p+1) as a number beside unit codes, and a "
      "polygon of six components whose last three are squares that sum to 4n - 6; and a query for "
      "a vertex from a code of another kind is no linear form of it";
  return claim;
}

/// One network per n: the theorem is about a single one, so these are records of another kind.
Claim family(const std::string& name, const std::string& file,
             const std::function<Program(std::uint32_t)>& construction,
             const std::vector<std::pair<std::uint32_t, Bounds>>& sizes) {
  Claim claim = theorem_5_1(name, Form::optimised, file);
  claim.hypotheses = {"one network per number of vertices"};
  claim.family = [construction](std::uint64_t n) {
    return construction(static_cast<std::uint32_t>(n));
  };
  for (const auto& [size, bounds] : sizes)
    claim.instances.push_back(
        {.name = fmt::format("for {} vertices", size),
         .program = [construction, size = size] { return construction(size); },
         .against = AgainstReachability{false, bounds.up_to + 1 == size},
         .bounds = bounds,
         .tight_at = {size}});
  return claim;
}

/// The same with walks `radix` times as long after each loop.
Claim radix(const std::string& name, std::uint32_t radix,
            const std::vector<std::pair<std::uint32_t, Bounds>>& sizes) {
  Claim claim = family(
      name, "constructions/MS25/graph_connectivity_radix_thm5_1.cpp",
      [radix](std::uint32_t size) { return graph_connectivity_radix_MS25_thm5_1(size, radix); },
      sizes);
  claim.hypotheses.push_back(fmt::format("n^{} - n^2 padding tokens", radix + 1));
  return claim;
}

std::vector<Claim> thm5_1_claims() {
  using Padding = GraphInput::Padding;
  return {connectivity("thm-5.1/paper-n3", ConnectivityForm::paper, Padding::n3),
          connectivity("thm-5.1/paper-n3-n2", ConnectivityForm::paper, Padding::n3_minus_n2),
          connectivity("thm-5.1/compact-n3", ConnectivityForm::compact, Padding::n3),
          connectivity("thm-5.1/compact-n3-n2", ConnectivityForm::compact, Padding::n3_minus_n2),
          bounded(),
          four_initial_layers(),
          family("thm-5.1/sized", "constructions/MS25/graph_connectivity_sized_thm5_1.cpp",
                 graph_connectivity_sized_MS25_thm5_1,
                 {{3, {3, 0, 3}}, {4, {3, 4, 4}}, {6, {1, 2, 6}}}),
          radix("thm-5.1/radix-2", 2, {{3, {3, 0, 3}}, {4, {3, 4, 4}}, {6, {1, 2, 6}}}),
          radix("thm-5.1/radix-3", 3, {{3, {3, 0, 3}}, {5, {1, 4, 5}}}),
          family("thm-5.1/rows", "constructions/MS25/graph_connectivity_rows_thm5_1.cpp",
                 graph_connectivity_rows_MS25_thm5_1, {{4, {4, 20, 4}}, {10, {1, 20, 10}}})};
}

/// The repaired construction in the paper's form, with the paper's padding.
Program paper_connectivity() {
  return graph_connectivity_MS25_thm5_1(ConnectivityForm::paper, GraphInput::Padding::n3);
}

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

const std::vector<Defect> kConnectivityDefects = {
    {.number = 9,
     .id = "thm-5.1/position-not-provided",
     .place = "Appendix C, initial layers",
     .quote = "The transformer starts off by using layer 1 to store 1/N, n, n^2, s, and t in the "
              "residual stream at every position [...] it uses Lem. 3.1 (7 layers) with a_i set "
              "to p and m set n",
     .change = "no head computes the position p, which Lemma 3.1 needs as psi(i) and phi(a_i)",
     .repair = "a causal uniform head: (p, 1)/(p+1)",
     .kind = Defect::Kind::refused,
     .program = [] { return ChangedProgram(paper_connectivity()).drop("position").program(); },
     .refusal = {"normalise I"}},
    {.number = 9,
     .id = "thm-5.1/n-on-another-scale",
     .place = "Appendix C, initial layers",
     .quote = "Finally, the layer computes psi(n^3/N, n^2/N) and adds it to the residual stream. "
              "Again, this will be available to future layers as phi(n^3/N, n^2/N) = phi(n)",
     .change = "n comes as the same number n^3/N at every token, beside n^2/N p/(p+1)",
     .repair = "a causal average of a value at the first token alone: n^3/N 1/(p+1)",
     .program =
         [] {
           using cells::Number;
           ChangedProgram p(paper_connectivity());
           const auto G = p.cell<Number>("G");
           return p.add("p_and_n", p.cell<Number>("x")[1], G[0] + G[1]).program();
         }},
    {.number = 10,
     .id = "thm-5.1/vertices-from-one",
     .place = "Theorem 5.1 and Appendix C, positions p = in + j and final layer",
     .quote =
         "the final token uses a head that attends with query <phi(s), phi(t)> [...]. The keys "
         "in the first n^2 positions p = in + j are, as before, set to <phi(i), phi(j)>",
     .change = "the query holds s, t in {1, ..., n} as they are counted, not s - 1 and t - 1",
     .repair =
         "vertices, like positions, count from 0: quotient and remainder of p < n^2 are i, j < n",
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(paper_connectivity());
           const auto W = p.cell<Direction>("W"), J = p.cell<Direction>("J");
           const auto U = p.cell<Pointer>("U");
           return p.select("answer", find_one(W[0] / W[2]).key(U).also(W[1] / W[2]).key(J))
               .program();
         }},
    {.number = 10,
     .id = "thm-5.1/numbers-of-layers",
     .place = "Appendix C, repeating layers and final layers",
     .quote = "r is initially set to 1 at layer 8 [...] layer (2l - 1) + 8 [...] layer 2l + 8",
     .change = "the repeated block begins after layer 8 and not after layer 17",
     .repair = "8 reads 17: the theorem's (17, 2, 1) and the final layer 2 ceil(log n) + 18 agree",
     .kind = Defect::Kind::recorded,
     .reason = "Names of layers, not weights: a file states its own counts, and `measure` counts "
               "them."},
    {.number = 15,
     .id = "thm-5.1/counter-stays-at-one",
     .place = "Appendix C, repeating layers",
     .quote = "Each repeating layer retrieves r from the residual stream and adds 1 - r to the "
              "same coordinate in the residual stream. The net effect is that the value of r "
              "alternates between 1 and 0",
     .change = "r := r + (1 - r) = 1, where r = 1 as well",
     .repair = "add 1 - 2r; and with two layers in the block no counter is needed",
     .repaired = layer_counter,
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(layer_counter());
           const auto r = p.cell<Flag>("r");
           return p.replace_rules("flip", {when(r).then(!r)}, {when(r).then(r)}).program();
         },
     .search = search_lengths([](std::size_t letters) {
       return std::vector<Real>{Real(ceil_log2(letters) % 2 == 0 ? 1 : -1)};
     }),
     .up_to = 8},
    {.number = 16,
     .id = "thm-5.1/one-half-for-false",
     .place = "Appendix C, B-layers",
     .quote =
         "the feedforward layer reads sigma = sgn(h - 1/(2n)), computes z = (1 + ReLU(sigma))/2, "
         "and writes z to the residual stream. The value z is precisely the desired B_l(i, j)",
     .change = "B becomes (1 + ReLU(sigma))/2, which is 1/2 for sigma = -1; as +-1, 2z - 1 = "
               "ReLU(sigma)",
     .repair = "z = ReLU(sigma), or as +-1: B = -1 + 2 ReLU(sigma)",
     .edit =
         [](Model& model) {
           // The attention sets B to 0 and not to -1, the feed-forward sublayer adds ReLU(sigma) once.
           Head& head = head_at(model, head_writing(model, "B"));
           const std::uint32_t b = coordinate_of(model, "B");
           set_entry(head.value, value_row(head, b), coordinate_of(model, "one"), 0);
           scale_row(model.layers[feedforward_of(model, "B", "h")].feedforward.out, b,
                     Rational(1, 2));
         }},
    {.number = 17,
     .id = "thm-5.1/constant-component-accumulates",
     .place = "Appendix C, B-layers",
     .quote = "by adding psi(B_l(i, j) - B_{l-1}(i, j)) to the stream at the same coordinates",
     .change = "the difference 0 is added as psi(0) = <0, 1, 0, -1>",
     .repair = "add <difference, 0>: the constant component stays 1",
     .repaired = updated_number,
     .edit =
         [](Model& model) {
           // Both heads read the constant by the same mask; what `start` adds, `update` adds again.
           const std::uint32_t one = coordinate_of(model, "one"),
                               target = coordinate_of(model, "B", 1);
           const Head& start = head_at(model, head_writing(model, "B", 0));
           const Rational weight = entry(start.value, value_row(start, target), one);
           Head& update = head_at(model, head_writing(model, "B", 1));
           set_entry(update.value, value_row(update, target), one, weight, Before::absent);
         },
     .search = search_lengths([](std::size_t) { return phi_values(1); }),
     .up_to = 8},
    {.number = 18,
     .id = "thm-5.1/and-instead-of-or",
     .place = "Appendix C, layer 17",
     .quote = "it uses Lem. A.7 to compute I(phi(A(i, j)) = phi(1)) and I(phi(i) = phi(j)) "
              "[...]. It then uses a feedforward layer to output 1 if both of these are 1, and "
              "output 0 otherwise",
     .change = "B_0 is true where there is an edge and i = j",
     .repair = "or, as in equation (1)",
     .repaired = with_diagonal,
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(with_diagonal());
           const auto A = p.cell<Flag>("A"), B = p.cell<Flag>("B"),
                      diagonal = p.cell<Flag>("diagonal");
           p.replace_rules("first", {when(A, !diagonal).then(B), when(!A, diagonal).then(B)},
                           {when(A, !diagonal).then(!B), when(!A, diagonal).then(!B)});
           return p.program();
         }},
    {.number = 19,
     .id = "thm-5.1/matrix-and-padding-share-keys",
     .place = "Appendix C, C-layers",
     .quote =
         "The keys in the first n^2 positions q = i'n + j' are set to <phi(i'), phi(j')> [...]. "
         "The two heads thus attend solely to positions with coordinates (i, k) and (k, j)",
     .change =
         "the key of the first head reads i' from a cell (K) that padding tokens fill as well",
     .repair = "keys read cells (U, J) that no padding token shares with a matrix token",
     .program =
         [] {
           using namespace cells;
           ChangedProgram p(paper_connectivity());
           const auto V = p.cell<Pointer>("V");
           const auto K = p.cell<Direction>("K"), J = p.cell<Direction>("J");
           return p.select("left", find_one(V).key(K).also(K).key(J)).program();
         }},
    {.number = 26,
     .id = "thm-5.1/offset-of-a-stored-scalar",
     .place = "Appendix C, coordinates of the padding tokens",
     .quote = "Lastly, it uses Lem. A.6 applied to phi(i + 1) to add phi(i) to the residual stream",
     .change = "Lemma A.6 as it is stated: phi(p - 1) of the position p, whatever the token stores",
     .repair = "a query shifted by one finds position i, whose own code is phi(i)",
     .program = [] {
       using namespace cells;
       ChangedProgram p(paper_connectivity());
       const auto I = p.cell<Key>("I");
       return p.select("row", match(I).back(1).key(I)).program();
     }}};

}  // namespace

PaperPart MS25_thm5_1() {
  return {thm5_1_claims(),
          with_common({.repaired = paper_connectivity, .search = search_graphs, .up_to = 3},
                      kConnectivityDefects)};
}

}}  // namespace logdepth::proofs_check_papers_MS25
