// MS25 Theorem 5.1 for a graph size given in advance: one token per vertex.
//
// Statement (MS25 Thm 5.1). A (17, 2, 1)-universal transformer, unrolled ceil(log2 n) times,
//   decides connectivity of graphs over n vertices from n^2 + n^3 + s + t tokens.
// Here. For each n a (0, 1, 0)-universal transformer over n tokens that computes the whole
//   reflexive-transitive closure in ceil(log2(n-1)) layers. Every number is rational. Its width
//   grows with n, so this is a family of transformers, not one: the paper's theorem is about one.
//
// Loop. Head j at token i looks at the tokens k with R_ik true; if R_kj is true at one of them it
//   selects those, else all of them; so what it copies is OR_k (R_ik and R_kj). Token i itself is
//   always among them, since R_ii is true. A walk of length 0..2^(l+1) is one of length 0..2^l and
//   one more.
// End. 2^L >= n - 1 covers every simple path; n <= 2 needs no loop.
#include <fmt/core.h>

#include <string>

#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/graph_squaring.hpp"
#include "logdepth/program.hpp"
#include "runtime/file/hypotheses.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program graph_connectivity_rows_MS25_thm5_1(std::uint32_t size) {
  using namespace cells;
  require(size > 0, "a graph has at least one vertex, so --size is at least 1");
  if (size > kMaxRowsSize)
    throw SizeLimit(
        fmt::format("rows for {} vertices need {} heads; the limit is {}; try --construction "
                    "compact, which supports every size",
                    size, size, kMaxRowsSize));

  cells::Program p("reachability");
  p.construction("rows").source("MS25 Theorem 5.1 (optimised, for a given number of vertices)");
  // Smaller graphs get isolated vertices.
  p.hypothesis(clause(Assumption::vertices_at_most, std::to_string(size)) +
               "; token i is given row i of its adjacency matrix with the diagonal true");
  p.hypothesis(clause(Assumption::position_table, std::to_string(size)) + ", " +
               clause(Assumption::unmasked_heads) +
               ", masked pre-norm without epsilon, exact numbers");
  // Instead of n^2 + n^3 + s + t tokens: so no causal head, no division and no padding.
  p.deviation("one token per vertex, given its row; one transformer per size; all pairs at once");
  p.reads_rows(size).log_loops_of_vertices({.minus = 1});

  p.constant();
  const auto R = p.flags("R", size, state);  // a walk of length 0..2^l from i to j, after l loops
  const auto v = p.onehot("v", numbered(size));  // i, from the position
  const auto S = p.flags("S", size, scratch);    // what head j fetched

  p.token("<vertex>");
  for (std::uint32_t j = 0; j < size; ++j) p.given(R[j]).at({v.at(j)});
  for (std::uint32_t j = 0; j < size; ++j)
    p.repeated(
        fetch(fmt::format("to.{}", j)).unmasked(related(R).label(v).prefer(R[j])).copy(S[j], R[j]));
  for (std::uint32_t j = 0; j < size; ++j) p.repeated(move(R[j], S[j]));
  p.repeated(erase(S));
  p.relation();
  for (std::uint32_t j = 0; j < size; ++j) p.output(std::to_string(j), R[j]);
  return p.program();
}

Construction rows_connectivity_record() {
  return {.key = {"MS25", "Thm 5.1", "rows"},
          .problem = Problem::graphs,
          .help = "one token per vertex, all pairs in one run, for --size N",
          .options = {size_option(true), {"padding", RefusedOption{", which has no padding"}}},
          .program =
              [](const Request& r) {
                return graph_connectivity_rows_MS25_thm5_1(
                    static_cast<std::uint32_t>(number_of(r.values, "size")));
              },
          .depths = {{false, "rows (a network per n)", {}, "size", 9, "ceil(log2(n-1))", 65}}};
}

}}  // namespace logdepth::constructions_MS25
