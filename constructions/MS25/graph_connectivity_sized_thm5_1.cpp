// MS25 Theorem 5.1 for a graph size given in advance: coordinates in the position encoding.
//
// Statement (MS25 Thm 5.1). As in graph_connectivity_thm5_1.cpp.
// Here. For each n a (1, 1, 1)-universal transformer over the same tokens (n^3 - n^2 padding) with
//   ceil(log2(n-1)) loops, all rational. A family of transformers, one for each size.
//
// Loop. That of the uniform form, with the same matches at every token. Its margin is a constant.
//   A mismatch of the circle codes of a and b != a, with x = a + 1 and y = b + 1, costs
//     2 (x-y)^2 / ((1+x^2)(1+y^2)) >= 2 / ((1+x^2)(1+(x+1)^2)):
//   for y > x the cost grows with y, since (y-x)/sqrt(1+y^2) does; for y < x, (x-y)^2/(1+y^2) is
//   least at y = x - 1, where it is 1/(1+(x-1)^2). Queried a are at most n + 2, so x <= n + 3, and
//   twice the margin 1 / (2 (1+(n+3)^2)(1+(n+4)^2)) is half of the least cost.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program graph_connectivity_sized_MS25_thm5_1(std::uint32_t size) {
  using namespace cells;
  require(size > 0, "a graph has at least one vertex, so --size is at least 1");
  if (size > kMaxSizedVertices)
    throw SizeLimit(
        fmt::format("a table of positions for {} vertices has {} rows; the limit is {} vertices; "
                    "try without --size, which supports every size, or --construction rows",
                    size, std::uint64_t{size} * size * size + 2 * size, kMaxSizedVertices));

  cells::Program p("connectivity");
  p.construction("compact").source("MS25 Theorem 5.1 (optimised, for a given number of vertices)");
  // Smaller graphs get isolated vertices.
  p.hypothesis(
      clause(Assumption::vertices_at_most, std::to_string(size)) +
      ", as n^2 matrix tokens, n^3 - n^2 padding tokens, s+1 source and t+1 target tokens");
  p.hypothesis(clause(Assumption::position_table));
  p.hypothesis(causal_and_unmasked_network());
  // It takes the place of the first-flag: coordinates and a margin need not be computed from counts.
  p.deviation(
      "a position encoding that depends on n replaces the initial layers; one transformer per "
      "size");
  p.reads_adjacency(GraphPadding::n3_minus_n2, size).log_loops_of_vertices({.minus = 1});

  const std::uint32_t none = 2 * size;
  std::vector<std::string> offsets = numbered(none);
  offsets.emplace_back("none");

  const auto one = p.constant();
  const auto kind = p.onehot("kind", {"matrix", "pad", "source", "target"});
  const auto A = p.flag("A");                // there is an edge; false off the matrix
  const auto I = p.key("I", cells::circle);  // the position p; div and mod by n:
  const auto U = p.direction("U");           // p div n
  const auto T = p.direction("T");           // p div n div n
  const auto K = p.direction("K");           // (p div n) mod n
  const auto J = p.direction("J");           // p mod n
  const std::int64_t x = size + 3;
  const Fraction margin(1, 2 * (1 + x * x) * (1 + (x + 1) * (x + 1)));
  const GraphSquaring square{p, {U, T, K, J, T, K}, A, margin * one};
  const auto same = p.flag("same");       // S = V - S - 1, at the last token: s = t
  const auto V = p.onehot("V", offsets);  // p - n^3 at the source and target tokens, else `none`
  const auto S = p.onehot("S", offsets);  // V of the last source token so far; at the targets: s
  const auto t = p.onehot("t", numbered(size));  // V - S - 1, at the last token: t

  embed_graph_tokens(p, kind, A);
  for (const char* token : kGraphTokens) p.token(token, !square.C);
  const std::uint32_t triples = size * size * size;
  for (std::uint32_t q = 0; q < triples + 2 * size; ++q) {
    const std::uint32_t u = q / size;
    p.at({{I, q},
          {U, u},
          {T, u / size},
          {K, u % size},
          {J, q % size},
          V.at(q < triples ? none : q - triples)});
  }

  const auto source = code_of_vertex(S, size);
  p.initial(fetch("last_source").causal(rightmost(kind == "source").key(I)).copy(S, V),
            lookup("target", target_of_offsets(S, V, t, same)));
  p.repeated(square.loop());
  p.final(square.answer(source, source, code_of_vertex(t, size)));
  p.output("accept", square.zA + square.zC + same + 2 * one).output("reject", {});
  return p.program();
}

Construction sized_connectivity_record() {
  return {.key = {"MS25", "Thm 5.1", "sized"},
          .problem = Problem::graphs,
          .word = "compact",
          .given = "size",
          .options = {size_option(false), padding_option(false)},
          .program = [](const Request& r) {
            return graph_connectivity_sized_MS25_thm5_1(
                static_cast<std::uint32_t>(number_of(r.values, "size")));
          }};
}

}}  // namespace logdepth::constructions_MS25
