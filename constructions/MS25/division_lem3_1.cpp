// MS25 Lemma 3.1: transformers divide small integers.
//
// Statement (MS25 Lemma 3.1). Let a_i = b_i m + c_i with a_i <= i, c_i < m. If psi(i), psi(m) and
//   phi(a_i) are in the residual stream at each token i, a 7-layer transformer with causal
//   attention and masked pre-norm adds phi(b_i) and phi(c_i) at each token i.
// Here. `compact`: 5 layers from the literal hypothesis, cleaned up; 4 if a_i = i or if phi(i) and
//   dir(i, m) are given as unit vectors, 3 if both. `paper`: the paper's steps, repaired: 8 layers.
//   One file serves every m and every length.
//
// Hypotheses. Positions i count from 0; m >= 1 is an integer, the same at all tokens; a constant 1
//   (and, for `paper`, the first-flag) comes with the position encoding; averaging-hard causal
//   attention; masked pre-norm without epsilon; exact numbers.
// Deviations from the paper's text, each with its reason:
//   - positions count from 0: counted from 1 there is no multiple of m at the positions before m,
//     and no position to fetch for a_i = 0;
//   - (i, m) and (i, 1) are normalised in sublayers of their own: a mask that holds raw numbers
//     beside unit vectors has a norm that depends on the data, and each sublayer has one mask;
//   - "e_j - phi(j)_0" in the second layer's score must be a sum: with minus the first multiple
//     wins;
//   - compact: the remainder is counted with the multiples themselves as marks, c/(c+1) and 1/(c+1)
//     over all tokens of the block, so no comparison with neighbours, no exception at multiples;
//   - paper: b^1 and b^2 are false where a neighbour i - 1 or i - 2 does not exist (the paper's
//     comparison then meets the token itself, and all of block 0 goes wrong);
//   - paper: m | i is no case of its own: the head averages [b^1] beside [not b^2] over the tokens
//     with the same quotient and the same b^1, which is (1, 1/c) or, at multiples, (0, 1);
//   - paper: the two equality tests, of D1 and D2, stand in two feed-forward sublayers, because one
//     sublayer has one mask.
//
// Cells
//   i, m         number 2      given: (i, 1), (m, 1); with unit inputs I and R are given instead
//   a            pointer       given: phi(a_i); with a_i = i there is none
//   one          constant      1
//   I            key           phi(i)
//   R            direction 2   dir(i, m); declared as integers: i and m are at most N
//   Q            pointer       phi(j), j the position nearest to i/m
//   D            number        phi(j)_0 - dir(i, m)_0 for that j; cleared by the negated heads
//   e            flag          m divides i: D = 0
//   B            pointer       phi(floor(i / m)), fetched from the last multiple at or before i
//   c            number 2      a positive multiple of (i mod m, 1); cleared by the negated head
//   C            direction 2   phi(i mod m); integers, counts of tokens
//   quotient     pointer       the answer, fetched from position a_i; with a_i = i it is B
//   remainder    direction 2   the answer, fetched from position a_i; with a_i = i it is C
//   paper
//   fst, p1      flag          first-flag, and that of the token before
//   D1, D2       number        difference from the quotient at position i - 1, at i - 2
//   s1, s2       flag          the quotient is that of i - 1, of i - 2
//   b1           flag          b^1: i - 1 exists and has the same quotient
//   place        one-hot       first, second or later token of its block
//
// Head promises, each at every token: own, near, mark, result (paper: before and here), exactly
//   one; last_multiple, the last token with e (there is one: m divides 0); count, the tokens with
//   the same B (paper: and b1), at least the token itself.
// Why e is right. dir(i, m)_0 = phi(j)_0 iff j m = i, since x -> x/sqrt(x^2+1) is injective. If m
//   divides i, then j = i/m <= i is visible and nearest. So B at i is phi(floor(i/m)), and the
//   tokens with the same B as i, up to i, are bm, ..., i: c + 1 of them, only the first one with e.
#include "constructions/MS25/division_lem3_1.hpp"

#include <string>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/blocks.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

constexpr const char* kDivisionStart = R"cells(logdepth-cells 1
hypothesis "raw psi(i) = (i, 1), raw psi(m) = (m, 1) and phi(a_i) in the stream at token i, positions from 0"
hypothesis "0 <= a_i <= i, m >= 1 an integer, the same at all tokens"
hypothesis "averaging-hard causal attention, masked pre-norm without epsilon, exact numbers"
deviation "positions count from 0: from 1 there is no multiple of m before position m, and none to fetch for a_i = 0"
deviation "(i, 1) and (i, m) are normalised in sublayers of their own: one sublayer has one mask"
deviation "the nearest multiple wins by e_j + phi(j)_0, not minus"
input cells
unroll fixed 0
cell one constant
)cells";

/// phi(i) from (i, 1), and dir(i, m).
std::string units() {
  return blocks::read("own", "i", "I") + "normalise R from i[0] m[0]\n";
}

/// Where m divides i, the position nearest to i/m is the quotient itself.
std::string quotients() {
  return blocks::multiples() + R"cells(
  fetch last_multiple causal rightmost e=true key I
    copy B Q
)cells" + blocks::undone(blocks::multiples_heads());
}

constexpr const char* kDivisionOutputLines = R"cells(
output quotient.0 + quotient[0]
output quotient.1 + quotient[1]
output remainder.0 + remainder[0]
output remainder.1 + remainder[1]
)cells";

std::string compact_division(const DivisionOptions& options) {
  std::string text = kDivisionStart;
  text += R"cells(program division
construction compact
source "MS25 Lemma 3.1 (optimised)"
deviation "the remainder is counted with the multiples as marks; no comparison with the neighbours"
)cells";
  if (options.unit_inputs) {
    text += "cell I key phi\ncell R direction 2\ngiven I\ngiven R ratio\n";
  } else {
    text +=
        "cell i number 2\ncell m number 2\ncell I key phi\ncell R direction 2 integers 1\n"
        "given i position\ngiven m natural\n";
  }
  text += R"cells(cell Q pointer phi
cell B pointer phi
cell C direction 2 integers 1
cell D number 1
cell c number 2
cell e flag
)cells";
  if (!options.own_argument)
    text += "cell a pointer phi\ngiven a\ncell quotient pointer phi\ncell remainder direction 2\n";
  text += "initial\n";
  if (!options.unit_inputs) text += units();
  const std::string count =
      "fetch count causal same B\n"
      "  add c[0] + 1/2 one - 1/2 e\n"
      "  add c[1] + 1/2 one + 1/2 e\n";
  text += quotients() + count + "normalise C from c[0] c[1]\n";
  if (options.own_argument) {
    // The result is the token's own; c is all that stays behind.
    text += R"cells(
output quotient.0 + B[0]
output quotient.1 + B[1]
output remainder.0 + C[0]
output remainder.1 + C[1]
)cells";
    return text;
  }
  text += R"cells(
  fetch result causal match a key I
    copy quotient B
    copy remainder C
)cells" + blocks::undone(count);
  text += options.unit_inputs ? "  erase Q B C e\n" : "  erase I R Q B C e\n";
  return text + kDivisionOutputLines;
}

/// The paper's steps in its order: multiples, quotient, two comparisons with earlier quotients, the
/// count over the block without its first token, the result, the cleaning.
std::string paper_division() {
  std::string text = kDivisionStart;
  text += R"cells(program division
construction paper
source "MS25 Lemma 3.1 (repaired)"
hypothesis "the position encoding separates the first position"
deviation "b1 and b2 are false where positions i-1 or i-2 do not exist; else block 0 finds itself"
deviation "the head of the fifth layer averages [b1] beside [not b2] over one b1: m | i is no exception"
deviation "two equality tests need two feed-forward sublayers: one sublayer has one mask"
cell i number 2
cell m number 2
cell a pointer phi
cell fst flag
cell p1 flag
cell I key phi
cell R direction 2 integers 1
cell Q pointer phi
cell B pointer phi
cell C direction 2 integers 1
cell D number 1
cell D1 number 1
cell D2 number 1
cell c number 2
cell e flag
cell s1 flag
cell s2 flag
cell b1 flag
cell place onehot first second later
cell quotient pointer phi
cell remainder direction 2
given i position
given m natural
given a
position fst
initial
)cells";
  const auto neighbours = [](const std::string& k) {
    return "fetch before" + k + " causal match I back " + k + " key I\n  add D" + k + " + B[0]\n" +
           (k == "1" ? "  copy p1 fst\n" : "") +
           blocks::compare("here" + k, "D" + k, "- B[0]", "s" + k, "I");
  };
  const std::string count =
      "fetch count causal same B b1\n"
      "  add c[0] + place[second] + place[later]\n"
      "  add c[1] + place[first] + place[second]\n";
  text += units() + quotients();
  text += neighbours("1") + blocks::decide("s1", "D1");
  text += neighbours("2") + blocks::undone(neighbours("1"));
  text += blocks::decide("s2", "D2") + blocks::undone(neighbours("2"));
  text += R"cells(
  lookup neighbours
    rule fst=true -> b1=false place=first
    rule fst=false s1=false -> b1=false place=first
    rule fst=false p1=true s1=true -> b1=true place=second
    rule fst=false p1=false s1=true s2=false -> b1=true place=second
    rule fst=false p1=false s1=true s2=true -> b1=true place=later
)cells" + count +
          R"cells(
  normalise C from c[0] c[1]
  fetch result causal match a key I
    copy quotient B
    copy remainder C
)cells" + blocks::undone(count) +
          R"cells(
  erase I R Q B C e p1 s1 s2 b1 place
)cells";
  return text + kDivisionOutputLines;
}

}  // namespace

Program division_MS25_lem3_1(const DivisionOptions& options) {
  if (options.form == DivisionForm::paper) {
    if (options.own_argument || options.unit_inputs)
      throw InputError("the paper's form of division takes raw psi(i), psi(m) and phi(a_i)");
    return parse_program(paper_division(), "division, paper");
  }
  return parse_program(compact_division(options), "division, compact");
}

namespace blocks {

std::string multiples_heads() {
  return "fetch near causal nearest R key I\n  copy Q I\n  add D + I[0]\n" +
         compare("mark", "D", "- R[0]", "e", "I");
}

std::string multiples() {
  return multiples_heads() + decide("e", "D");
}

cells::Statements multiples_heads(const Multiples& cells) {
  using namespace logdepth::cells;
  const auto& [I, R, Q, D, e] = cells;
  return {fetch("near").causal(nearest(R).key(I)).copy(Q, I).add(D, I[0]),
          compare("mark", D, -R[0], e, I)};
}

cells::Statements multiples(const Multiples& cells) {
  return {multiples_heads(cells), cells::test(cells.e).zero(cells.D)};
}

}  // namespace blocks
}  // namespace logdepth
