// MS25 Theorem 5.1: log depth decides graph connectivity.
//
// Statement. There is a (17, 2, 1)-universal transformer with causal and unmasked heads that,
// unrolled
//   ceil(log2 n) times, decides whether a (directed or undirected) graph over n vertices has a path
//   from s to t, given the n x n adjacency matrix, n^3 padding tokens, and s, t in {1..n} in unary.
//   Depth claimed: 2 ceil(log2 n) + 18.
// Here. `compact`: (6, 1, 1) with ceil(log2(n-1)) loops, depth ceil(log2(n-1)) + 7. `paper`: (6, 2,
// 1),
//   depth 2 ceil(log2(n-1)) + 7. Both with n^3 or with n^3 - n^2 padding tokens.
//
// Hypotheses. n >= 1; the position encoding separates the first position; averaging-hard attention,
//   causal and unmasked heads, masked pre-norm without epsilon, exact numbers.
// Deviations from the paper's text, each with its reason:
//   - indices from 0 (p = i n + j; s, t in unary are s+1 and t+1 tokens): with 1..n the last column
//     would get the coordinates (i+1, 0);
//   - the position p and n on p's scale, which the paper does not provide: p/(p+1) and n/(p+1) are
//     causal averages of numbers that heads have placed at the first token and at all others;
//   - division by the scheme of MS25 Lemma 3.1 in its shortest form, twice with shared parts;
//   - B_0 is A; the diagonal (paths of length 0) is the comparison s = t in the last layer, which
//     also saves a loop: walks of length 1..2^L cover simple paths once 2^L >= n-1;
//   - matrix and padding tokens carry the same coordinates; keys of different cells (or shifted by
//   one)
//     tell them apart, where the paper's heads would mix them;
//   - C and B are +-1 and overwritten, without a layer counter: r = 2 already alternates;
//   - compact: an OR over k in one head. It matches on coordinates and breaks ties by the flag with
//   a
//     margin that the network computes, smaller than the cost of any mismatch.
//   - padding n^3 - n^2: all first n^3 tokens stand for triples (i, k, j), the first n^2 of them
//   for
//     pairs as well.
//
// Cells (p a position; floor and mod by n)
//   one, fst, kind, A      constant, first-flag, matrix/pad/source/target, edge (-1 off the matrix)
//   a          number 2    (p, 1)/(p+1)                       I   key        phi(p)
//   G          number 6    n^3/N, n^2/N, 1/N, each at the first token (even) or elsewhere (odd)
//   x          number 2    a positive multiple of (p, n)      R   direction  dir(p, n)
//   st, d      number 3, 1 (s+1, t+1, 1)/N and (s - t)/N      W   direction  dir(s+1, t+1, 1)
//   eps        number      1/(N sqrt(n^6 + n^4 + 1))          E   direction  dir(16, eps), margin
//   E_1 Q, D, e    as in the division: nearest to p/n, difference, n | p U  pointer    phi(p div n)
//   c  number 2    multiple of (p mod n, 1) J  direction  phi(p mod n)                    T pointer
//   phi(p div n div n) K  direction  phi((p div n) mod n) C  flag, state     walk of
//   length 1..2^(loops-1) from i to k and from k to j xA, xC, yA, yC     what the loop fetched
//   (paper: x, y; B flag, h number) zA, zC, same       last layer: A(s,t), OR_k C(s,k,t), s = t
//   (paper: zB)
// Of R, W, J and K integers are declared: p, n, s+1, t+1 and counts of tokens are at most N.
// Triple tokens have T = i, K = k, J = j (n^3 padding: T = i + 1), matrix tokens U = i, J = j.
//
// Loop (compact). Invariant after l loops, on triples: C(i,k,j) iff there are walks of length
//   1..2^(l-1) from i to k and from k to j (C false for l = 0). With W_l(i,k) = A(i,k) or OR_k'
//   C(i,k',k), a walk of length 1..2^l, the step is C(i,k,j) := W_l(i,k) and W_l(k,j). Loop
//   (paper). B(i,j) iff walk of length 1..2^l; C := B(i,k) and B(k,j); B := A or some C(i,k,j).
//   Ends: 2^L >= n - 1 covers all simple paths between two different vertices.
// Matches exist at every token, junk tokens included (hypothesis 1 of the schema in
// head_schema.cpp):
//   with u = p div n, t = u div n, k = u mod n, j = p mod n. n^3 - n^2 padding: (t,k) on (U,J) at
//   position t n + k = u <= p; (t,k) on (T,J) at t n^2 + k <= p; (k,j) on (U,J) at k n + j < n^2;
//   (k,j) on (T,J) at k n^2 + j < n^3. n^3 padding: (max(t-1,0),k) on (U,J) at max(t-1,0) n + k <=
//   p; (t,k) on (T,J) at t n^2 + k <= p; (k+1,j) on (T,J) at (k+1) n^2 + j < n^2 + n^3. (U,J)
//   determines p: one match.
// The margin (hypothesis 2) is smaller than every cost, for all n >= 1: same place, with the
// polynomials.
#include "constructions/graph_connectivity_MS25_thm5_1.hpp"

#include <string>

#include "compiler/program/program_text.hpp"
#include "constructions/building_blocks_MS25_appA.hpp"
#include "constructions/division_MS25_lem3_1.hpp"
#include "constructions/graph_squaring.hpp"

namespace logdepth {
namespace {

/// What differs with the padding: where the triples stand, and how T is read.
struct Triples {
  std::string padding;     ///< the word of the text form
  std::string count;       ///< tokens of which there are n^3
  std::string row;         ///< i as an index of pairs
  std::string fetch_row;   ///< the statement that brings it, if it is not T itself
  std::string middle_row;  ///< k as a first index of triples
  std::string source_row;  ///< s as a first index of triples
};

Triples triples(GraphInput::Padding padding) {
  if (padding == GraphInput::Padding::n3)
    return {"n3",
            "+ kind[pad]",
            "V",
            "  fetch row causal match T back 1 key I\n    copy V I\n",
            "( + K[0] + K[1] : + K[1] )",
            "( + W[0] : + W[2] )"};
  return {"n3-n2", "+ kind[matrix] + kind[pad]", "T", "", "K", "( + W[0] - W[2] : + W[2] )"};
}

std::string start(const Triples& layout) {
  return R"cells(logdepth-cells 1
program connectivity
hypothesis "a graph over n >= 1 vertices: n^2 matrix tokens, )cells" +
         layout.padding +
         R"cells( padding tokens, s+1 source and t+1 target tokens, vertices from 0"
hypothesis "the position encoding separates the first position"
hypothesis "averaging-hard attention, causal and unmasked heads, masked pre-norm without epsilon, exact numbers"
deviation "indices from 0; the paper's 1..n with p = in + j breaks quotient and remainder at the last column"
deviation "p and n on one scale by causal averages of gated counts; the paper does not provide p"
deviation "B_0 = A, and s = t is compared at the end; ceil(log2(n-1)) loops instead of ceil(log2 n)"
deviation "keys of different cells separate matrix tokens from padding tokens with the same coordinates"
deviation "no layer counter: the repeated block alternates by itself"
)cells" +
         (layout.padding == "n3" ? ""
                                 : "deviation \"n^3 - n^2 padding tokens: matrix tokens stand for "
                                   "triples as well\"\n") +
         "input graph adjacency " + layout.padding + R"cells(
unroll ceil_log2 vertices minus 1
cell one constant
cell fst flag
cell kind onehot matrix pad source target
cell A flag
cell a number 2
cell I key phi
cell G number 6
cell x number 2
cell R direction 2 integers 1
cell st number 3
cell d number 1
cell W direction 3 integers 1
cell Q pointer phi
cell D number 1
cell e flag
cell U pointer phi
cell T pointer phi
)cells" + (layout.fetch_row.empty() ? "" : "cell V pointer phi\n") +
         R"cells(cell c number 2
cell J direction 2 integers 1
cell K direction 2 integers 1
cell same flag
position fst
)cells";
}

std::string tokens(const std::string& edge, const std::string& other) {
  return "token <edge> kind=matrix A=true " + edge + "\n" +  //
         "token <no-edge> kind=matrix A=false " + other + "\n" + "token <pad> kind=pad A=false " +
         other + "\n" + "token <source> kind=source A=false " + other + "\n" +
         "token <target> kind=target A=false " + other + "\n";
}

/// Coordinates of every token, from the first-flag and the kinds. `scale` and `margin` stand where
/// the compact form adds the computation of its margin.
std::string coordinates(const Triples& layout, const std::string& scale,
                        const std::string& margin) {
  return R"cells(
initial
)cells" + blocks::offset("position", "a", "one", "fst", 0) +
         R"cells(  fetch counts_at_first unmasked flagged kind=target when fst=false
    add G[0] )cells" +
         layout.count + R"cells(
    add G[2] + kind[matrix]
    add G[4] + 1/2 one + 1/2 fst
  fetch counts_elsewhere unmasked flagged kind=target when fst=true
    add G[1] )cells" +
         layout.count + R"cells(
    add G[3] + kind[matrix]
    add G[5] + 1/2 one + 1/2 fst
  fetch terminals unmasked uniform
    add st[0] + kind[source]
    add st[1] + kind[target]
    add st[2] + 1/2 one + 1/2 fst
    add d + kind[source] - kind[target]
  normalise I from a[0] a[1]
  fetch p_and_n causal uniform under G
    add x[0] + G[3]
    add x[1] + G[0]
)cells" + scale +
         R"cells(  normalise R from x[0] x[1]
)cells" + blocks::multiples() +
         R"cells(  fetch quotient causal rightmost e=true key I
    copy U Q
)cells" + margin +
         R"cells(  fetch remainder causal same U
    add c[0] + 1/2 one - 1/2 e
    add c[1] + 1/2 one + 1/2 e
  fetch second_quotient causal match U key I
    copy T U
  normalise J from c[0] c[1]
  fetch second_remainder causal match U key I
    copy K J
)cells" + layout.fetch_row +
         R"cells(  normalise W from st[0] st[1] st[2]
)cells";
}

std::string compact_connectivity(const Triples& layout) {
  return start(layout) + R"cells(construction compact
source "MS25 Theorem 5.1 (optimised)"
deviation "one layer per squaring: an exact OR in one head, ties broken by a margin below every mismatch"
cell eps number 1
cell E direction 2
cell C state flag
cell xA scratch flag
cell xC scratch flag
cell yA scratch flag
cell yC scratch flag
cell zA flag
cell zC flag
)cells" + tokens("C=false", "C=false") +
         coordinates(layout, "  fetch margin unmasked uniform under G\n    add eps + G[4]\n",
                     "  normalise E from 16*one eps\n") +
         R"cells()cells" + squaring_loop(layout.row, layout.middle_row, "E[1]") +
         R"cells(final
  fetch edge unmasked find-one ( + W[0] - W[2] : + W[2] ) key U and ( + W[1] - W[2] : + W[2] ) key J
    copy zA A
  fetch walk unmasked find )cells" +
         layout.source_row +
         R"cells( key T and ( + W[1] - W[2] : + W[2] ) key J prefer C=true margin E[1]
    copy zC C
  fetch own unmasked match I key I
    set same=true
  test same zero d
output accept + zA + zC + same + 2 one
output reject
)cells";
}

std::string paper_connectivity(const Triples& layout) {
  // h = [A] + average of [C] over k; taken back before C changes.
  const std::string some_c = "unmasked find " + layout.middle_row + " key T and J key J\n";
  const std::string own = "unmasked match I key I\n";
  return start(layout) + R"cells(construction paper
source "MS25 Theorem 5.1 (repaired)"
cell h state number 1
cell B state flag
cell C state flag
cell x1 scratch flag
cell y1 scratch flag
cell zB flag
)cells" + tokens("B=true C=false", "B=false C=false") +
         coordinates(layout, "", "") + "  fetch edge_first " + own +
         R"cells(    add h + 1/2 one + 1/2 A
repeated
  fetch left unmasked find-one )cells" +
         layout.row + R"cells( key U and K key J
    copy x1 B
  fetch right unmasked find-one K key U and J key J
    copy y1 B
  fetch some_undone )cells" +
         some_c + R"cells(    add h - 1/2 one - 1/2 C
  fetch edge_undone )cells" +
         own + R"cells(    add h - 1/2 one - 1/2 A
  lookup both
    rule x1=true y1=true -> C=true
    rule x1=true y1=false -> C=false
    rule x1=false -> C=false
  erase x1 y1
  fetch some )cells" +
         some_c + R"cells(    add h + 1/2 one + 1/2 C
  fetch edge )cells" +
         own + R"cells(    add h + 1/2 one + 1/2 A
    set B=false
  test B positive h
final
  fetch answer unmasked find-one ( + W[0] - W[2] : + W[2] ) key U and ( + W[1] - W[2] : + W[2] ) key J
    copy zB B
  fetch own unmasked match I key I
    set same=true
  test same zero d
output accept + zB + same + one
output reject
)cells";
}

}  // namespace

Program graph_connectivity_MS25_thm5_1(ConnectivityForm form, GraphInput::Padding padding) {
  const Triples layout = triples(padding);
  return form == ConnectivityForm::compact
             ? parse_program(compact_connectivity(layout), "connectivity, compact")
             : parse_program(paper_connectivity(layout), "connectivity, paper");
}

}  // namespace logdepth
