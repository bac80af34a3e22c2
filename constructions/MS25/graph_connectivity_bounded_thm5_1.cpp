// MS25 Theorem 5.1 for at most a given number of vertices: quotients at once.
//
// Statement (MS25 Thm 5.1). As in graph_connectivity_thm5_1.cpp.
// Here. A (5, 1, 1)-universal transformer for all graphs of n <= 8 L vertices, with
//   ceil(log2(n-1)) loops and the paper's minimal position encoding. Its size does not depend on L.
//   Graphs are not filled up: every n <= 8 L runs with its own number of tokens.
//
// Loop, answer and matches: those of the compact form in graph_connectivity_thm5_1.cpp, with the
//   codes of phi over L.
// Coordinates. R is the direction of (p, n, 1, f eps), all four averages of the second layer. Heads
//   floor and floor_before select floor(p/n) and floor((p-1)/n), or 0 for p = 0, by the lemma (floor,
//   phi over L) at the schema `nearest` in compiler/lemmas/head_schema.cpp, for n <= 8 L. So U needs no
//   third attention, and `stays` is false where a block of n positions begins, but for p = 0, where
//   fst is true. Among the p mod n + 1 tokens with the same U so far exactly one begins a block.
// The margin e = R_3 (hypothesis 2 of the schema `found`). With N >= n^3 + 2 tokens and f = 1/(32 L^2),
//     e = f (p+1) / (N n^2 |(p, n, 1, ...)|) < f sqrt(2) / (N n^2),   as p + 1 <= sqrt(2) sqrt(p^2+1).
//   A mismatch of the codes over L of a and v != a costs at least
//     g_L(a) = L^2 / (2 (a^2+L^2)((a+1)^2+L^2)) >= 1/L^2 g(a),   g(a) = 1 / (2 (a^2+1)((a+1)^2+1)):
//   the proof of the lemma (cost) there, with L^2 for 1. Queried a are at most n.
//   Loop. 2 e < g_L(n) if (n^2+1)((n+1)^2+1) <= 5 n^2 (n^3+2), since 4 sqrt(2)/32 < 1/5.            (1)
//   Last layer. The query (a, L)/w, w^2 = (s+1)^2 + (t+1)^2 + 1 < 2 n^2 + 2, is at least as long as
//   for L = 1: 2 e < g_L(n) sqrt(n^2+1)/w if
//     (2n^2+2)(n^2+1)((n+1)^2+1)^2 <= 32 n^4 (n^3+2)^2.                                           (2)
//   With n = 1 + x, right minus left has only non-negative coefficients in both, so both hold for
//   every n (tests/claims/connectivity.cpp expands them again).
#include <fmt/core.h>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {

namespace {

/// The program with its metadata: source, hypotheses, costs. Layers are added below.
cells::Program bounded_connectivity(std::uint32_t vertices) {
  require(vertices > 0, "a graph has at least one vertex, so --for-vertices is at least 1");
  if (vertices > kMaxBoundedVertices)
    throw SizeLimit(
        fmt::format("--for-vertices {}: the limit is {}; --construction compact supports every "
                    "number of vertices",
                    vertices, kMaxBoundedVertices));

  cells::Program p("connectivity");
  p.construction("bounded").source(
      "MS25 Theorem 5.1 (optimised, for at most a given number of vertices)");
  p.hypothesis(fmt::format(
      "a graph over 1 <= n <= {} vertices: n^2 matrix tokens, n3-n2 padding tokens, s+1 source and "
      "t+1 target tokens, vertices from 0",
      vertices));
  p.hypothesis("the position encoding separates the first position");
  p.hypothesis(causal_and_unmasked_network());
  p.deviation(
      "indices from 0; the paper's 1..n with p = in + j breaks quotient and remainder at the last "
      "column");
  p.deviation(
      "p and n on one scale by causal averages of gated counts; the paper does not provide p");
  p.deviation("quotients are fetched at once, by codes of p/L: right for n <= 8 L");
  p.deviation(
      "B_0 = A, and s = t is compared at the end; ceil(log2(n-1)) iterations instead of ceil(log2 "
      "n)");
  p.deviation(
      "one layer per squaring: an exact OR in one head, ties broken by a margin below every "
      "mismatch");
  p.deviation("n^3 - n^2 padding tokens: matrix tokens represent triples as well");
  p.reads_adjacency(GraphPadding::n3_minus_n2)
      .log_loops_of_vertices({.minus = 1})
      .at_most(vertices);
  return p;
}

}  // namespace

Program graph_connectivity_bounded_MS25_thm5_1(std::uint32_t vertices) {
  using namespace cells;
  cells::Program p = bounded_connectivity(vertices);
  const std::uint32_t L = (vertices + 7) / 8;
  const PositionCode code = phi_over(L);

  const auto one = p.constant();
  const auto fst = p.flag("fst");  // p = 0
  const auto kind = p.onehot("kind", {"matrix", "pad", "source", "target"});
  const auto A = p.flag("A");                  // there is an edge; false off the matrix
  const auto a = p.number("a", 2);             // (p, 1)/(p+1)
  const auto I = p.key("I", code);             // p
  const auto G = p.number("G", 6);             // as in graph_connectivity_thm5_1.cpp
  const auto x = p.number("x", 4);             // a positive multiple of (p, n, 1), and eps
  const auto R = p.direction("R", 4);          // of (p, n, 1, f eps)
  const auto st = p.number("st", 3);           // (s+1, t+1, 1)/N
  const auto d = p.number("d");                // (s - t)/N
  const auto W = p.integer_direction("W", 3);  // of (s+1, t+1, 1)
  const auto D = p.number("D");                // difference of the codes of p div n and (p-1) div n
  const auto stays = p.flag("stays");          // they are the same: D = 0
  const auto U = p.pointer("U", code);         // p div n
  const auto T = p.pointer("T", code);         // p div n div n
  const auto c = p.number("c", 2);             // a positive multiple of (p mod n, 1)
  const auto J = p.direction("J");             // p mod n
  const auto K = p.direction("K");             // (p div n) mod n
  const auto same = p.flag("same");            // last layer: s = t
  p.position(fst);
  embed_graph_tokens(p, kind, A);

  const Form first = (one + fst) / 2;
  const auto counts = [&](const std::string& name, const Value& at_targets, std::uint32_t g) {
    return fetch(name)
        .unmasked(flagged(kind == "target").when(at_targets))
        .add(G[g], kind["matrix"] + kind["pad"])
        .add(G[g + 2], kind["matrix"])
        .add(G[g + 4], first);
  };
  const cells::Ratio s = (W[0] - W[2]) / (L * W[2]), t = (W[1] - W[2]) / (L * W[2]);
  const GraphSquaring square{p, {U, T, K, J, T, K}, A, R[3]};
  for (const char* token : kGraphTokens) p.token(token, !square.C);

  p.initial(blocks::offset("position", a, one, fst, 0), counts("counts_at_first", !fst, 0),
            counts("counts_elsewhere", fst, 1),
            fetch("terminals")
                .unmasked(uniform())
                .add(st[0], kind["source"])
                .add(st[1], kind["target"])
                .add(st[2], first)
                .add(d, kind["source"] - kind["target"]),
            normalise(I).from(a[0], L * a[1]));
  p.initial(
      fetch("p_and_n").causal(uniform()).under(G).add(x[0], G[3]).add(x[1], G[0]).add(x[2], G[2]),
      fetch("margin").unmasked(uniform()).under(G).add(x[3], G[4]),
      normalise(R).from(x[0], x[1], x[2], Fraction(1, 32 * std::int64_t{L} * L) * x[3]));
  p.initial(
      fetch("floor").causal(nearest((R[0] - R[1] / 2) / (L * R[1])).key(I)).copy(U, I).add(D, I[0]),
      fetch("floor_before")
          .causal(nearest((R[0] - R[2] - R[1] / 2) / (L * R[1])).key(I))
          .add(D, -I[0]),
      blocks::preset("mark", stays, I), test(stays).zero(D));
  p.initial(fetch("remainder")
                .causal(cells::same(U))
                .add(c[0], (stays - fst) / 2)
                .add(c[1], one + (fst - stays) / 2),
            fetch("second_quotient").causal(match(U).key(I)).copy(T, U),
            normalise(J).from(c[0], L * c[1]),
            fetch("second_remainder").causal(match(U).key(I)).copy(K, J),
            normalise(W).from(st[0], st[1], st[2]));
  p.repeated(square.loop());
  p.final(square.answer(s, s, t), fetch("own").unmasked(match(I).key(I)).set(same),
          test(same).zero(d));
  p.output("accept", square.zA + square.zC + same + 2 * one).output("reject", {});
  return p.program();
}

Construction bounded_connectivity_record() {
  return {
      .key = {"MS25", "Thm 5.1", "bounded"},
      .problem = Problem::graphs,
      .help = "compact with one layer less, for --for-vertices N",
      .options =
          {{"size", RefusedOption{": expected --for-vertices N, and graphs of fewer "
                                  "vertices are not filled up"}},
           vertices_option(
               "for-vertices",
               "largest number of vertices (bounded); the number of tokens depends on the graph",
               true),
           padding_option(false)},
      .program = [](const Request& r) {
        return graph_connectivity_bounded_MS25_thm5_1(
            static_cast<std::uint32_t>(number_of(r.values, "for-vertices")));
      }};
}

}}  // namespace logdepth::constructions_MS25
