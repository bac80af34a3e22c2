// MS25 Theorem 5.1 for a graph size given in advance: one token per vertex.
//
// Statement (MS25 Thm 5.1). A (17, 2, 1)-universal transformer, unrolled ceil(log2 n) times,
//   decides connectivity of graphs over n vertices from n^2 + n^3 + s + t tokens.
// Here. For each n a (0, 1, 0)-universal transformer over n tokens that computes the whole
//   reflexive-transitive closure in ceil(log2(n-1)) layers. Every number is rational. Its width
//   grows with n, so this is a family of transformers, not one: the paper's theorem is about one.
//
// Hypotheses. Token i is vertex i and is given row i of the adjacency matrix, with R_ii true; the
//   position encoding is a table of the n positions (one-hot); averaging-hard unmasked heads;
//   masked pre-norm without epsilon; exact numbers. Smaller graphs get isolated vertices.
// Deviation. One token per vertex, given its row, instead of n^2 + n^3 + s + t tokens: so no causal
//   head, no division and no padding; one transformer per size; an answer for all pairs at once
//   instead of one for (s, t).
//
// Cells
//   one       constant
//   R.j       flag, state   a walk of length 0..2^l from vertex i to vertex j, after l loops
//   v         one-hot       i, from the position
//   S.j       scratch       what head j fetched
// Loop. Head j at token i looks at the tokens k with R_ik true; if R_kj is true at one of them it
//   selects those, else all of them; so what it copies is OR_k (R_ik and R_kj). Token i itself is
//   always among them, since R_ii is true. A walk of length 0..2^(l+1) is one of length 0..2^l and
//   one more.
// End. 2^L >= n - 1 covers every simple path; n <= 2 needs no loop.
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"

#include <fmt/core.h>

#include <string>

#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {

Program graph_connectivity_rows_MS25_thm5_1(std::uint32_t size) {
  if (size == 0) throw InputError("a graph has at least one vertex, so --size is at least 1");
  if (size > kMaxRowsSize)
    throw SizeLimit(
        fmt::format("rows for {} vertices need {} heads; the limit is {}; try --construction "
                    "compact, which serves every size",
                    size, size, kMaxRowsSize));
  const auto each = [&](const auto& line) {
    std::string text;
    for (std::uint32_t j = 0; j < size; ++j) text += line(std::to_string(j));
    return text;
  };
  using S = const std::string&;
  const std::string rows = each([](S j) { return " R." + j; });
  const std::string fetched = each([](S j) { return " S." + j; });
  const std::string n = std::to_string(size);
  const std::string text =
      R"cells(logdepth-cells 1
program reachability
construction rows
source "MS25 Theorem 5.1 (optimised, for a given number of vertices)"
hypothesis "a graph of at most )cells" +
      n + R"cells( vertices; token i is given row i of its adjacency matrix with the diagonal true"
hypothesis "a table of )cells" +
      n + R"cells( positions, unmasked heads, masked pre-norm without epsilon, exact numbers"
deviation "one token per vertex, given its row; one transformer per size; all pairs at once"
input graph rows size )cells" +
      n + R"cells(
unroll ceil_log2 vertices minus 1
cell one constant
)cells" +
      each([](S j) { return "cell R." + j + " state flag\n"; }) + "cell v onehot" +
      each([](S j) { return " " + j; }) + "\n" +
      each([](S j) { return "cell S." + j + " scratch flag\n"; }) +
      each([](S j) { return "given R." + j + "\n"; }) +
      each([](S j) { return "at v=" + j + "\n"; }) + "token <vertex>\nrepeated\n" + each([&](S j) {
        return "  fetch to." + j + " unmasked related" + rows + " label v prefer R." + j +
               "=true\n    copy S." + j + " R." + j + "\n";
      }) +
      each([](S j) { return "  move R." + j + " S." + j + "\n"; }) + "  erase" + fetched +
      "\nrelation\n" + each([](S j) { return "output " + j + " + R." + j + "\n"; });
  return parse_program(text, "reachability by rows");
}

}  // namespace logdepth
