// MS25 Theorem 5.1 for a graph size given in advance: walks of k times the length in one layer.
//
// Statement (MS25 Thm 5.1). As in graph_connectivity_thm5_1.cpp.
// Here. For each n and k = 2, 3 a (0, 1, 1)-universal transformer over n^(k+1) + s + t + 2 tokens
//   with ceil(log_k(n-1)) loops, all rational; (1, 1, 1) for n <= 2, where no loop runs. A family of
//   transformers, one for each size. More padding buys fewer layers.
//
// Notation. Tokens p < n^(k+1) stand for (v_0, ..., v_k), the digits of p to base n; of them p < n^2
//   for the pairs (p div n, p mod n) as well. T = v_0, K_1, ..., K_(k-1) are the digits between, and
//   J = v_k; U = p div n.
// Loop. Invariant after l loops: C(v_0, ..., v_k) iff from each v_(m-1) to v_m there is a walk of
//     length 1..k^(l-1), or for m = 3 the two are the same (C false for l = 0); S and t are s and t
//     at the last token, for l >= 1.
//   Step: W_l(a, b) := A(a, b) or OR C(a, ..., b) is whether there is a walk of length 1..k^l from a
//     to b: C has two or three walks of length 1..k^(l-1), so every length from 2 to k^l (for l > 0).
//     C(v_0, ..., v_k) := W_l(v_0, v_1) and W_l(v_1, v_2), and for k = 3 (v_2 = v_3 or W_l(v_2, v_3)).
//   S and t do not depend on the loop; each finds them again, so that no initial layer is needed.
// End. The last layer reads W_L(s, t), and k^L >= n - 1 covers all simple paths.
// Matches exist at every token p, whatever it stands for (hypothesis 1 of the schema `found`): the
//   pair (T, K_1) is at position p div n^(k-1) <= p; the C of (T, ..., K_1), with zeros between, at
//   T n^k + K_1 <= p; the other digits are below n, and so are s and t.
// The margin is that of the form for a given size (graph_connectivity_sized_thm5_1.cpp): the largest
//   digit queried is T <= n + 2.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {
namespace {

/// The flags by which one step from a vertex of a tuple to the next is made: one of them is true.
using Step = std::vector<cells::Flag>;

/// C := every step is made.
cells::Rules every_step(const std::vector<Step>& steps, const cells::Flag& C) {
  cells::Rules rules;
  std::vector<cells::Rule> so_far = {{}};
  for (const Step& step : steps) {
    std::vector<cells::Rule> made;
    for (cells::Rule rule : so_far) {
      for (const cells::Flag& way : step) {
        made.push_back(rule);
        made.back().when.push_back(way);
        rule.when.push_back(!way);
      }
      rule.then = {!C};
      rules.push_back(rule);
    }
    so_far = std::move(made);
  }
  for (cells::Rule& rule : so_far) {
    rule.then = {C};
    rules.push_back(rule);
  }
  return rules;
}

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  std::uint64_t result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

/// The program with its metadata: source, hypotheses, costs. Layers are added below.
cells::Program radix_connectivity(std::uint32_t size, std::uint32_t radix) {
  require(size > 0, "a graph has at least one vertex, so --size is at least 1");
  require(radix == 2 || radix == kMaxGraphRadix,
          "walks become 2 or 3 times as long in a layer, so --radix is 2 or 3");
  const std::uint64_t positions = power(size, radix + 1) + 2 * size;
  if (positions > kMaxGraphPositions)
    throw SizeLimit(fmt::format(
        "a table of positions for {} vertices and radix {} has {} rows; the limit is {}; try {}",
        size, radix, positions, kMaxGraphPositions,
        radix == 3 ? "--radix 2"
                   : "--construction compact without --size, which supports every size"));

  const bool triples = radix == 2;
  cells::Program p("connectivity");
  p.construction("radix").source("MS25 Theorem 5.1 (optimised, for a given number of vertices)");
  const std::string padding = fmt::format("n^{} - n^2", radix + 1);
  // Smaller graphs get isolated vertices.
  p.hypothesis(clause(Assumption::vertices_at_most, std::to_string(size)) +
               fmt::format(", as n^2 matrix tokens, {} padding tokens, s+1 source and t+1 target "
                           "tokens",
                           padding));
  p.hypothesis(clause(Assumption::position_table));
  p.hypothesis(causal_and_unmasked_network());
  // It takes the place of the first-flag: coordinates and a margin need not be computed from counts.
  p.deviation(
      "a position encoding that depends on n replaces the initial layers; one transformer per "
      "size");
  if (!triples) p.deviation(padding + " padding tokens: tuples of 4 vertices instead of 3");
  p.reads_adjacency(triples ? GraphPadding::n3_minus_n2 : GraphPadding::n4_minus_n2, size)
      .log_loops_of_vertices({.base = radix, .minus = 1})
      .parameter("radix", std::to_string(radix));
  return p;
}

}  // namespace

Program graph_connectivity_radix_MS25_thm5_1(std::uint32_t size, std::uint32_t radix) {
  using namespace cells;
  cells::Program p = radix_connectivity(size, radix);
  const std::uint64_t tuples = power(size, radix + 1), positions = tuples + 2 * size;
  const bool triples = radix == 2;
  const std::uint32_t none = 2 * size;
  std::vector<std::string> offsets = numbered(none);
  offsets.emplace_back("none");

  const auto one = p.constant();
  const auto kind = p.onehot("kind", {"matrix", "pad", "source", "target"});
  const auto A = p.flag("A");                     // there is an edge; false off the matrix
  const auto I = p.key("I", cells::circle);       // the position p
  const auto U = p.direction("U");                // p div n
  std::vector<Direction> v = {p.direction("T")};  // the vertices of the token: T, K1, ..., J
  for (std::uint32_t m = 1; m < radix; ++m) v.push_back(p.direction(fmt::format("K{}", m)));
  v.push_back(p.direction("J"));
  const auto &T = v.front(), &J = v.back();
  const auto C = p.flag("C", state);  // walks from each vertex to the next
  std::vector<Flag> edges, walks;     // from the vertex before to vertex m: A, and the OR of C
  for (std::uint32_t m = 1; m <= radix; ++m) {
    edges.push_back(p.flag(fmt::format("x{}", m), scratch));
    walks.push_back(p.flag(fmt::format("y{}", m), scratch));
  }
  std::vector<Step> steps = {{edges[0], walks[0]}, {edges[1], walks[1]}};
  if (!triples) steps.push_back({p.flag("stay"), edges[2], walks[2]});  // the last two are the same
  const auto V = p.onehot("V", offsets);  // p - n^(k+1) behind the tuples, before: none
  const auto last = p.onehot("last", offsets, scratch);  // V of the last source token so far
  const auto S = p.onehot("S", offsets, state);          // the same; at the targets: s
  const auto t = p.onehot("t", numbered(size), state);   // V - S - 1, at the last token: t
  const auto same = p.flag("same", state);               // at the last token: s = t
  const auto zA = p.flag("zA"), zC = p.flag("zC");       // last layer: A(s, t), OR C(s, ..., t)

  embed_graph_tokens(p, kind, A);
  for (const char* token : kGraphTokens) p.token(token, !C, S == "none", t.at(0), !same);
  for (std::uint32_t q = 0; q < positions; ++q) {
    std::vector<TableEntry> row = {{I, q}, {U, q / size}};
    std::uint32_t digits = q;
    for (std::uint32_t m = radix; m > 0; --m, digits /= size) row.push_back({v[m], digits % size});
    row.push_back({T, digits});
    if (!triples) row.push_back(steps[2][0] == (q / size % size == q % size));
    row.push_back(V.at(q < tuples ? none : q - static_cast<std::uint32_t>(tuples)));
    p.at(row);
  }

  const auto pair = [&](const cells::Ratio& a, const cells::Ratio& b) {
    return find_one(a).key(U).also(b).key(J);
  };
  const std::int64_t x = size + 3;
  const Form margin = Fraction(1, 2 * (1 + x * x) * (1 + (x + 1) * (x + 1))) * one;
  const auto tuple = [&](const cells::Ratio& a, const cells::Ratio& b) {
    return find(a).key(T).also(b).key(J).prefer(C, margin);
  };
  const Statements terminals = {
      fetch("last_source").causal(rightmost(kind == "source").key(I)).copy(last, V),
      lookup("target", target_of_offsets(last, V, t, same)), move(S, last), erase(last)};
  if (size <= 2)
    p.initial(terminals);
  else
    p.repeated(terminals);
  for (std::uint32_t m = 0; m < radix; ++m)
    p.repeated(
        fetch(fmt::format("edge{}", m + 1)).unmasked(pair(v[m], v[m + 1])).copy(edges[m], A),
        fetch(fmt::format("walk{}", m + 1)).unmasked(tuple(v[m], v[m + 1])).copy(walks[m], C));
  p.repeated(lookup("every_step", every_step(steps, C)), erase(edges), erase(walks));
  const auto source = code_of_vertex(S, size), target = code_of_vertex(t, size);
  p.final(fetch("edge").unmasked(pair(source, target)).copy(zA, A),
          fetch("walk").unmasked(tuple(source, target)).copy(zC, C));
  p.output("accept", zA + zC + same + 2 * one).output("reject", {});
  return p.program();
}

Construction radix_connectivity_record() {
  return {.key = {"MS25", "Thm 5.1", "radix"},
          .problem = Problem::graphs,
          .help = "one layer multiplies the length of walks by --radix, for --size N",
          .options = {size_option(true),
                      {"radix", CountOption{.otherwise = kMaxGraphRadix},
                       "factor of --construction radix: 2 with n^3 - n^2 padding tokens, 3 with "
                       "n^4 - n^2 (default: 3)"},
                      {"padding", RefusedOption{": --radix determines it"}}},
          .program = [](const Request& r) {
            return graph_connectivity_radix_MS25_thm5_1(
                static_cast<std::uint32_t>(number_of(r.values, "size")),
                static_cast<std::uint32_t>(number_of(r.values, "radix")));
          }};
}

}}  // namespace logdepth::constructions_MS25
