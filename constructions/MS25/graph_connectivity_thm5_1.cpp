// MS25 Theorem 5.1: log depth decides graph connectivity.
//
// Statement (MS25 Thm 5.1). There is a (17, 2, 1)-universal transformer with causal and unmasked
//   heads that, unrolled ceil(log2 n) times, decides whether a (directed or undirected) graph over
//   n vertices has a path from s to t, given the n x n adjacency matrix, n^3 padding tokens, and
//   s, t in {1..n} in unary. Depth claimed: 2 ceil(log2 n) + 18.
// Here. `compact`: (6, 1, 1), depth ceil(log2(n-1)) + 7. `paper`: (6, 2, 1), depth
//   2 ceil(log2(n-1)) + 7. Both with ceil(log2(n-1)) loops, none for n <= 2, and both with n^3 or
//   with n^3 - n^2 padding tokens. They divide p by n as in the compact form of MS25 Lemma 3.1
//   (division_MS25_lem3_1.cpp), and look the division of p div n by n up at that position.
//
// Hypotheses. n >= 1; the position encoding separates the first position; averaging-hard attention,
//   causal and unmasked heads, masked pre-norm without epsilon, exact numbers.
// Deviations from the paper's text, each with its reason:
//   - indices from 0 (p = i n + j; s and t in unary are s+1 and t+1 tokens): with 1..n the last
//     column would get the coordinates (i+1, 0);
//   - the position p, and n on p's scale, which the paper does not provide: p/(p+1) and n/(p+1) are
//     causal averages of numbers that heads have placed at the first token and at all others;
//   - B_0 is A; the diagonal (paths of length 0) is the comparison s = t in the last layer, which
//     also saves a loop: walks of length 1..2^L cover simple paths once 2^L >= n-1;
//   - matrix and padding tokens carry the same coordinates; keys of different cells (or shifted by
//     one) tell them apart, where the paper's heads would mix them;
//   - C and B are +-1 and overwritten, without a layer counter: a block of two layers alternates by
//     itself;
//   - compact: one layer per squaring, an OR over k in one head, which matches on coordinates and
//     breaks ties by the flag, with a margin below the cost of every mismatch; the network computes
//     the margin;
//   - padding n^3 - n^2: all first n^3 tokens stand for triples (i, k, j), the first n^2 of them
//     for pairs as well.
//
// Cells (p a position, N the number of tokens, div and mod by n)
//   one             constant
//   fst             flag           p = 0
//   kind            one-hot        matrix, pad, source, target
//   A               flag           there is an edge; false off the matrix
//   a               number 2       (p, 1)/(p+1)
//   I               key            phi(p)
//   G               number 6       n^3/N, n^2/N and 1/N: at the first token in components 0, 2, 4,
//                                  at the others in 1, 3, 5, and 0 in the rest
//   st              number 3       (s+1, t+1, 1)/N
//   d               number         (s - t)/N
//   W               direction 3    of (s+1, t+1, 1)
//   x               number 2       a positive multiple of (p, n)
//   R               direction 2    of (p, n)
//   Q, D, e                        as in the division: phi of the position nearest to p/n, the
//                                  difference, n | p
//   U               pointer        phi(p div n)
//   c               number 2       a positive multiple of (p mod n, 1)
//   J               direction 2    phi(p mod n)
//   T               pointer        phi(p div n div n)
//   K               direction 2    phi((p div n) mod n)
//   V               pointer        n^3 padding: phi(max(p div n div n - 1, 0))
//   same            flag           last layer: s = t
//   compact
//   eps             number         1/(N sqrt(n^6 + n^4 + 1))
//   E               direction 2    of (16, eps); the margin is E_1
//   C               flag, state    the triple (i, k, j): see the loop
//   xA, xC, yA, yC  flag, scratch  what the loop fetched
//   zA, zC          flag           last layer: A(s,t), OR_k C(s,k,t)
//   paper
//   B, C            flag, state    the pair (i, j) and the triple (i, k, j): see the loop
//   h               number, state  [A] + the average of [C] over k
//   x1, y1          flag, scratch  what the loop fetched
//   zB              flag           last layer: B(s,t)
// Of R, W, J and K integers are declared: p, n, s+1, t+1 and counts of tokens are at most N.
// Tokens of triples have T = i, K = k, J = j (n^3 padding: T = i + 1); those of pairs U = i, J = j.
//
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
// compiler/laws/head_schema.cpp). With u = p div n, r = u div n, k = u mod n, j = p mod n these
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

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_squaring.hpp"

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
