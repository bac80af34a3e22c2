// MS25 Theorem 5.1: log depth decides graph connectivity.
//
// Statement (MS25 Thm 5.1). There is a (17, 2, 1)-universal transformer with causal and unmasked
//   heads that, unrolled ceil(log2 n) times, decides whether a (directed or undirected) graph over
//   n vertices has a path from s to t, given the n x n adjacency matrix, n^3 padding tokens, and
//   s, t in {1..n} in unary. Depth claimed: 2 ceil(log2 n) + 18.
// Here. `compact`: (6, 1, 1), depth ceil(log2(n-1)) + 7. `paper`: (6, 2, 1), depth
//   2 ceil(log2(n-1)) + 7. Both with ceil(log2(n-1)) loops, none for n <= 2, and both with n^3 or
//   with n^3 - n^2 padding tokens. They divide p by n as in the compact form of MS25 Lemma 3.1
//   (division_lem3_1.cpp), and look the division of p div n by n up at that position.
//   For a size given in advance: graph_connectivity_{sized,rows}_thm5_1.cpp.
//
// Notation. p is a position, N the number of tokens; div and mod by n. Tokens of triples (i, k, j)
//   have T = i, K = k, J = j (n^3 padding: T = i + 1); those of pairs (i, j) have U = K = i, J = j.
// Loop (compact). Invariant after l loops, on triples: C(i,k,j) iff there are walks of length
//     1..2^(l-1) from i to k and from k to j (C false for l = 0).
//   Step: with W_l(i,k) = A(i,k) or OR_k' C(i,k',k), a walk of length 1..2^l from i to k,
//     C(i,k,j) := W_l(i,k) and W_l(k,j).
// Loop (paper). Invariant after l loops, on pairs: B(i,j) iff there is a walk of length 1..2^l from
//     i to j.
//   Step: C(i,k,j) := B(i,k) and B(k,j) in the first layer, B(i,j) := A(i,j) or OR_k C(i,k,j) in
//     the second.
// End. After L loops both know the walks of length 1..2^L, and 2^L >= n - 1 covers all simple paths
//   between two different vertices.
//
// Matches exist at every token p, whatever it stands for (hypothesis 1 of the schema `found` in
// compiler/lemmas/head_schema.cpp). With u = p div n, r = u div n, k = u mod n, j = p mod n these
// positions match:
//                                n^3 - n^2 padding          n^3 padding
//   left, on (U, J)              r n + k = u <= p           max(r-1, 0) n + k <= u <= p
//   left, on (T, J)              r n^2 + k <= p             r n^2 + k <= p
//   right, on (U, J)             k n + j < n^2              k n + j < n^2
//   right and some C, on (T, J)  k n^2 + j < n^3            (k+1) n^2 + j < n^2 + n^3
//   last layer, on (U, J)        s n + t < n^2              s n + t < n^2
//   last layer, on (T, J)        s n^2 + t < n^3            (s+1) n^2 + t < n^2 + n^3
// (U, J) determines the position, so there the match is the only one.
// The margin (hypothesis 2) is smaller than the cost of every mismatch, for every n: proved at the
// same schema, with the polynomials.
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"

#include <string>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {
namespace {

/// What both forms say of themselves.
cells::Program connectivity(GraphPadding padding) {
  const bool n3 = padding == GraphPadding::n3;
  cells::Program p("connectivity");
  p.hypothesis(std::string("a graph over n >= 1 vertices: n^2 matrix tokens, ") +
               (n3 ? "n3" : "n3-n2") +
               " padding tokens, s+1 source and t+1 target tokens, vertices from 0");
  p.hypothesis("the position encoding separates the first position");
  p.hypothesis(causal_and_unmasked_network());
  // With 1..n the last column would get the coordinates (i+1, 0).
  p.deviation(
      "indices from 0; the paper's 1..n with p = in + j breaks quotient and remainder at the last "
      "column");
  p.deviation(
      "p and n on one scale by causal averages of gated counts; the paper does not provide p");
  // Paths of length 0 are s = t; walks of length 1..2^L cover the others once 2^L >= n-1.
  p.deviation(
      "B_0 = A, and s = t is compared at the end; ceil(log2(n-1)) iterations instead of ceil(log2 "
      "n)");
  // The paper's heads would mix them. With n^3 padding tokens T is one more than i as well.
  p.deviation(
      "keys of different cells separate matrix tokens from padding tokens with the same "
      "coordinates");
  // B and C are +-1 and overwritten, each by its layer.
  p.deviation("no layer counter: the repeated block alternates by itself");
  if (!n3) p.deviation("n^3 - n^2 padding tokens: matrix tokens represent triples as well");
  p.reads_adjacency(padding).log_loops_of_vertices({.minus = 1});
  return p;
}

/// The cells that both forms have, and how the forms go on with them. Integers in directions are
/// p, n, s+1, t+1 and counts of tokens, so at most N.
struct Connectivity {
  cells::Program& p;
  bool n3;  // n^3 padding tokens, which alone represent triples

  cells::Constant one = p.constant();
  cells::Flag fst = p.flag("fst");  // p = 0
  cells::OneHot kind = p.onehot("kind", {"matrix", "pad", "source", "target"});
  cells::Flag A = p.flag("A");                             // there is an edge; false off the matrix
  cells::Number a = p.number("a", 2);                      // (p, 1)/(p+1)
  cells::Key I = p.key("I", cells::phi);                   // p
  cells::Number G = p.number("G", 6);                      // see scales
  cells::Number x = p.number("x", 2);                      // a positive multiple of (p, n)
  cells::Direction R = p.integer_direction("R");           // of (p, n)
  cells::Number st = p.number("st", 3);                    // (s+1, t+1, 1)/N
  cells::Number d = p.number("d");                         // (s - t)/N
  cells::Direction W = p.integer_direction("W", 3);        // of (s+1, t+1, 1)
  cells::Pointer Q = p.pointer("Q", cells::phi);           // the position nearest to p/n
  cells::Number D = p.number("D");                         // difference of Q and R
  cells::Flag e = p.flag("e");                             // n divides p: D = 0
  cells::Pointer U = p.pointer("U", cells::phi);           // p div n
  cells::Pointer T = p.pointer("T", cells::phi);           // p div n div n
  cells::Pointer V = n3 ? p.pointer("V", cells::phi) : T;  // the triple's i; n^3: max(T - 1, 0)
  cells::Number c = p.number("c", 2);                      // a positive multiple of (p mod n, 1)
  cells::Direction J = p.integer_direction("J");           // p mod n
  cells::Direction K = p.integer_direction("K");           // (p div n) mod n
  cells::Flag same = p.flag("same");                       // last layer: s = t

  cells::Ratio s = (W[0] / W[2]).back(1), t = (W[1] / W[2]).back(1);
  cells::Ratio s_triple = n3 ? W[0] / W[2] : s;  // as T codes the i of triples
  cells::Ratio k_triple = n3 ? (K[0] + K[1]) / K[1] : K;
  PairsAndTriples graph = {U, T, K, J, V, k_triple};

  cells::Statements scales() const;
  cells::Statements quotient() const;
  cells::Statements vertices() const;
  cells::Statements compare_terminals() const;
  void compact() const;
  void paper() const;
};

// --- coordinates of every token, from the first-flag and the kinds: six layers -------------------

/// Two layers: I, and the raw scales x, st, d. The first token averages over all N tokens, the
/// others over the targets, and then the other way round: n^3/N, n^2/N and 1/N are in G[0], G[2],
/// G[4] at the first token and in G[1], G[3], G[5] at the others, and the rest of G is 0. So the
/// causal averages of G[3] and G[0] are n^2/N p/(p+1) and n^3/N 1/(p+1).
cells::Statements Connectivity::scales() const {
  using namespace cells;
  const Form triple = n3 ? kind["pad"] : kind["matrix"] + kind["pad"];  // true of n^3 tokens
  const Form first = (one + fst) / 2;
  const auto counts = [&](const std::string& name, const Value& at_targets, std::uint32_t g) {
    return fetch(name)
        .unmasked(flagged(kind == "target").when(at_targets))
        .add(G[g], triple)
        .add(G[g + 2], kind["matrix"])
        .add(G[g + 4], first);
  };
  return {blocks::offset("position", a, one, fst, 0),
          counts("counts_at_first", !fst, 0),
          counts("counts_elsewhere", fst, 1),
          fetch("terminals")
              .unmasked(uniform())
              .add(st[0], kind["source"])
              .add(st[1], kind["target"])
              .add(st[2], first)
              .add(d, kind["source"] - kind["target"]),
          normalise(I).from(a[0], a[1]),
          fetch("p_and_n").causal(uniform()).under(G).add(x[0], G[3]).add(x[1], G[0])};
}

/// Two layers: p div n, of Lemma 3.1.
cells::Statements Connectivity::quotient() const {
  using namespace cells;
  return {normalise(R).from(x[0], x[1]), blocks::multiples({I, R, Q, D, e}),
          fetch("quotient").causal(rightmost(e).key(I)).copy(U, Q)};
}

/// Two layers: p mod n, the same of position p div n, and s and t.
cells::Statements Connectivity::vertices() const {
  using namespace cells;
  return {
      fetch("remainder").causal(cells::same(U)).add(c[0], (one - e) / 2).add(c[1], (one + e) / 2),
      fetch("second_quotient").causal(match(U).key(I)).copy(T, U),
      normalise(J).from(c[0], c[1]),
      fetch("second_remainder").causal(match(U).key(I)).copy(K, J),
      n3 ? fetch("row").causal(match(T).back(1).key(I)).copy(V, I) : Statements(),
      normalise(W).from(st[0], st[1], st[2])};
}

/// same, in the last layer.
cells::Statements Connectivity::compare_terminals() const {
  using namespace cells;
  return {fetch("own").unmasked(match(I).key(I)).set(same), test(same).zero(d)};
}

// --- one layer per squaring ----------------------------------------------------------------------

void Connectivity::compact() const {
  using namespace cells;
  p.construction("compact").source("MS25 Theorem 5.1 (optimised)");
  // The OR is over k: a head matches on coordinates and prefers the tokens with C. The network itself
  // computes the margin.
  p.deviation(
      "one layer per squaring: an exact OR in one head, ties broken by a margin below every "
      "mismatch");
  const auto eps = p.number("eps");  // 1/(N sqrt(n^6 + n^4 + 1))
  const auto E = p.direction("E");   // of (16, eps), so that E[1] is the margin
  const GraphSquaring square{p, graph, A, E[1]};
  for (const char* token : kGraphTokens) p.token(token, !square.C);

  p.initial(scales(), fetch("margin").unmasked(uniform()).under(G).add(eps, G[4]),  //
            quotient(), normalise(E).from(16 * one, eps), vertices());
  p.repeated(square.loop());
  p.final(square.answer(s, s_triple, t), compare_terminals());
  p.output("accept", square.zA + square.zC + same + 2 * one).output("reject", {});
}

// --- the paper's two layers per squaring ---------------------------------------------------------

void Connectivity::paper() const {
  using namespace cells;
  p.construction("paper").source("MS25 Theorem 5.1 (repaired)");
  const auto h = p.number("h", 1, state);  // [A] + the average of [C] over k
  const auto B = p.flag("B", state);       // of the pair (i, j)
  const auto C = p.flag("C", state);       // of the triple (i, k, j)
  const auto x1 = p.flag("x1", scratch);   // B(i,k)
  const auto y1 = p.flag("y1", scratch);   // B(k,j)
  const auto zB = p.flag("zB");            // last layer: B(s,t)
  for (const std::string token : kGraphTokens) p.token(token, B == (token == "<edge>"), !C);

  const Form edge = (one + A) / 2, walk = (one + C) / 2;
  const auto own = match(I).key(I);
  const auto over_k = graph.triples(k_triple, J);  // at pairs, which have K = i
  p.initial(scales(), quotient(), vertices(), fetch("edge_first").unmasked(own).add(h, edge));
  p.repeated(fetch("left").unmasked(graph.pair(V, K)).copy(x1, B),
             fetch("right").unmasked(graph.pair(K, J)).copy(y1, B),
             fetch("some_undone").unmasked(over_k).add(h, -walk),
             fetch("edge_undone").unmasked(own).add(h, -edge),
             lookup("both", {when(x1, y1).then(C), when(x1, !y1).then(!C), when(!x1).then(!C)}),
             erase(x1, y1), fetch("some").unmasked(over_k).add(h, walk),
             fetch("edge").unmasked(own).add(h, edge).set(!B), test(B).positive(h));
  p.final(fetch("answer").unmasked(graph.pair(s, t)).copy(zB, B), compare_terminals());
  p.output("accept", zB + same + one).output("reject", {});
}

}  // namespace

Program graph_connectivity_MS25_thm5_1(ConnectivityForm form, GraphInput::Padding padding) {
  cells::Program p = connectivity(padding);
  const Connectivity c{p, padding == GraphPadding::n3};
  p.position(c.fst);
  embed_graph_tokens(p, c.kind, c.A);
  if (form == ConnectivityForm::compact)
    c.compact();
  else
    c.paper();
  return p.program();
}

namespace {

std::function<Program(const Request&)> program_of(ConnectivityForm form) {
  return [form](const Request& r) {
    return graph_connectivity_MS25_thm5_1(form, word_of(r.values, "padding") == "n3"
                                                    ? GraphInput::Padding::n3
                                                    : GraphInput::Padding::n3_minus_n2);
  };
}

}  // namespace

Construction compact_connectivity_record() {
  return {.key = {"MS25", "Thm 5.1", "compact"},
          .problem = Problem::graphs,
          .help = "one layer per squaring",
          .options = {padding_option(true)},
          .program = program_of(ConnectivityForm::compact),
          .depths = {{false, "compact"}}};
}

Construction paper_connectivity_record() {
  return {.key = {"MS25", "Thm 5.1", "paper"},
          .problem = Problem::graphs,
          .help = "two layers per squaring, as in the paper, repaired",
          .options = {padding_option(true)},
          .program = program_of(ConnectivityForm::paper),
          .depths = {{true, "paper"}}};
}

}}  // namespace logdepth::constructions_MS25
