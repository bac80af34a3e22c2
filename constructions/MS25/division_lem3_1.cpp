// MS25 Lemma 3.1: transformers divide small integers.
//
// Statement (MS25 Lemma 3.1). Let a_i = b_i m + c_i with a_i <= i, c_i < m. If psi(i), psi(m) and
//   phi(a_i) are in the residual stream at each token i, a 7-layer transformer with causal
//   attention and masked pre-norm adds phi(b_i) and phi(c_i) at each token i.
// Here. `compact`: 5 layers from the literal hypothesis, cleaned up; 4 if a_i = i or if phi(i) and
//   dir(i, m) are given as unit vectors, 3 if both. `paper`: the paper's steps, repaired: 8 layers.
//   One file serves every m and every length.
//
// Head promises, each at every token: own, near, mark, result (paper: before and here), exactly
//   one; last_multiple, the last token with e (there is one: m divides 0); count, the tokens with
//   the same B (paper: and b1), at least the token itself.
// Why e is right. dir(i, m)_0 = phi(j)_0 iff j m = i, since x -> x/sqrt(x^2+1) is injective. If m
//   divides i, then j = i/m <= i is visible and nearest. So B at i is phi(floor(i/m)), and the
//   tokens with the same B as i, up to i, are bm, ..., i: c + 1 of them, only the first one with e.
#include "constructions/MS25/division_lem3_1.hpp"

#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth { inline namespace constructions_MS25 {

// --- the steps of both forms ---------------------------------------------------------------------

cells::Statements blocks::multiples_heads(const Multiples& of) {
  using namespace cells;
  const auto& [I, R, Q, D, e] = of;
  return {fetch("near").causal(nearest(R).key(I)).copy(Q, I).add(D, I[0]),
          compare("mark", D, -R[0], e, I)};
}

cells::Statements blocks::multiples(const Multiples& of) {
  return {multiples_heads(of), cells::test(of.e).zero(of.D)};
}

namespace {

/// I := phi(i) and R := dir(i, m).
cells::Statements units(const cells::Number& i, const cells::Number& m, const cells::Key& I,
                        const cells::Direction& R) {
  using namespace cells;
  return {blocks::read("own", i, I), normalise(R).from(i[0], m[0])};
}

/// B := phi(floor(i / m)), from the last multiple at or before i: where m divides i, the position
/// nearest to i/m is the quotient itself.
cells::Statements quotients(const blocks::Multiples& of, const cells::Pointer& B) {
  using namespace cells;
  return {blocks::multiples(of),
          fetch("last_multiple").causal(rightmost(of.e).key(of.I)).copy(B, of.Q),
          undone(blocks::multiples_heads(of))};
}

/// What both forms say of themselves.
cells::Program division(const std::string& construction, const std::string& source,
                        const DivisionOptions& options) {
  cells::Program p("division");
  p.construction(construction).source(source).reads_cells().fixed_loops(0);
  const bool own = options.own_argument, unit = options.unit_inputs;
  const std::string numbers = unit  ? own ? "phi(i) and dir(i, m)" : "phi(i), dir(i, m)"
                              : own ? "raw psi(i) = (i, 1) and raw psi(m) = (m, 1)"
                                    : "raw psi(i) = (i, 1), raw psi(m) = (m, 1)";
  p.hypothesis(numbers + (own ? "" : " and phi(a_i)") +
               " in the stream at token i, positions from 0");
  p.hypothesis(std::string(own ? "a_i = i" : "0 <= a_i <= i") +
               ", m >= 1 an integer, the same at all tokens");
  p.hypothesis(causal_network());
  p.deviation(
      "positions count from 0: from 1 there is no multiple of m before position m, and none to "
      "fetch for a_i = 0");
  // A mask that holds raw numbers beside unit vectors has a norm that depends on the data.
  if (!unit)
    p.deviation(
        "(i, 1) and (i, m) are normalised in sublayers of their own: one sublayer has one mask");
  // The score of the second layer: with minus the first multiple wins.
  p.deviation("the nearest multiple wins by e_j + phi(j)_0, not minus");
  return p;
}

// --- the compact form ----------------------------------------------------------------------------

/// What the lemma may assume.
struct Assumed {
  cells::Key I;             ///< phi(i)
  cells::Direction R;       ///< dir(i, m)
  cells::Statements units;  ///< by which both come about
};
Assumed raw_numbers(cells::Program& p) {
  const auto i = p.number("i", 2);  // (i, 1)
  const auto m = p.number("m", 2);  // (m, 1)
  const auto I = p.key("I", cells::phi);
  const auto R = p.integer_direction("R");  // i and m are at most N
  p.given_position(i).given_natural(m);
  return {I, R, units(i, m, I, R)};
}
Assumed unit_vectors(cells::Program& p) {
  const auto I = p.key("I", cells::phi);
  const auto R = p.direction("R");
  p.given(I).given_ratio(R);
  return {I, R, {}};
}

Program compact_division(const DivisionOptions& options) {
  using namespace cells;
  cells::Program p = division("compact", "MS25 Lemma 3.1 (optimised)", options);
  // The marks give c/(c+1) and 1/(c+1) over all tokens of the block, also at multiples.
  p.deviation(
      "the remainder is counted with the multiples as marks; no comparison with the neighbours");

  const auto one = p.constant();
  const auto [I, R, units] = options.unit_inputs ? unit_vectors(p) : raw_numbers(p);
  const auto Q = p.pointer("Q", phi);       // phi(j), j the position nearest to i/m
  const auto B = p.pointer("B", phi);       // phi(floor(i / m))
  const auto C = p.integer_direction("C");  // phi(i mod m); counts of tokens
  const auto D = p.number("D");             // phi(j)_0 - dir(i, m)_0 for that j, then 0 again
  const auto c = p.number("c", 2);          // a positive multiple of (i mod m, 1), then 0 again
  const auto e = p.flag("e");               // m divides i: D = 0

  const auto count =
      fetch("count").causal(same(B)).add(c[0], (one - e) / 2).add(c[1], (one + e) / 2);
  p.initial(units, quotients({I, R, Q, D, e}, B), count, normalise(C).from(c[0], c[1]));
  if (options.own_argument) {
    // The result is the token's own; c, Q and e stay behind, and I and R.
    p.outputs("quotient", B).outputs("remainder", C);
    return p.program();
  }

  const auto a = p.pointer("a", phi);                // phi(a_i)
  const auto quotient = p.pointer("quotient", phi);  // the answers: B and C of position a_i
  const auto remainder = p.direction("remainder");
  p.given(a);
  p.initial(fetch("result").causal(match(a).key(I)).copy(quotient, B).copy(remainder, C),
            undone(count),
            erase(options.unit_inputs ? CellList{Q, B, C, e} : CellList{I, R, Q, B, C, e}));
  p.outputs("quotient", quotient).outputs("remainder", remainder);
  return p.program();
}

// --- the paper's form: its steps, in its order ---------------------------------------------------

Program paper_division() {
  using namespace cells;
  cells::Program p = division("paper", "MS25 Lemma 3.1 (repaired)", {});
  p.hypothesis("the position encoding separates the first position");
  // The paper's comparison then meets the token itself.
  p.deviation(
      "b1 and b2 are false where positions i-1 or i-2 do not exist; else block 0 finds itself");
  // Over the tokens with the same quotient and the same b1 that is (1, 1/c) or, at multiples,
  // (0, 1).
  p.deviation(
      "the head of the fifth layer averages [b1] together with [not b2] over one b1: m | i is no "
      "exception");
  p.deviation("two equality tests need two feed-forward sublayers: one sublayer has one mask");

  p.constant();
  const auto i = p.number("i", 2);     // (i, 1)
  const auto m = p.number("m", 2);     // (m, 1)
  const auto a = p.pointer("a", phi);  // phi(a_i)
  const auto fst = p.flag("fst");      // i = 0
  const auto p1 = p.flag("p1");        // i = 1
  const auto I = p.key("I", phi);      // I, R, Q, B, C, D, c, e: as above
  const auto R = p.integer_direction("R");
  const auto Q = p.pointer("Q", phi);
  const auto B = p.pointer("B", phi);
  const auto C = p.integer_direction("C");
  const auto D = p.number("D");
  const auto D1 = p.number("D1");  // difference from the quotient at position i - 1
  const auto D2 = p.number("D2");  // and at i - 2
  const auto c = p.number("c", 2);
  const auto e = p.flag("e");
  const auto s1 = p.flag("s1");  // the quotient is that of i - 1
  const auto s2 = p.flag("s2");  // and of i - 2
  const auto b1 = p.flag("b1");  // b^1: i - 1 exists and has the same quotient
  const auto place = p.onehot("place", {"first", "second", "later"});  // of the token in its block
  const auto quotient = p.pointer("quotient", phi);  // the answers: B and C of position a_i
  const auto remainder = p.direction("remainder");
  p.given_position(i).given_natural(m).given(a).position(fst);

  const Statements differs1 = {
      fetch("before1").causal(match(I).back(1).key(I)).add(D1, B[0]).copy(p1, fst),
      blocks::compare("here1", D1, -B[0], s1, I)};
  const Statements differs2 = {fetch("before2").causal(match(I).back(2).key(I)).add(D2, B[0]),
                               blocks::compare("here2", D2, -B[0], s2, I)};
  const auto count = fetch("count")
                         .causal(same(B, b1))
                         .add(c[0], place["second"] + place["later"])
                         .add(c[1], place["first"] + place["second"]);

  p.initial(units(i, m, I, R), quotients({I, R, Q, D, e}, B),  //
            differs1, test(s1).zero(D1),                       //
            differs2, undone(differs1), test(s2).zero(D2), undone(differs2),
            lookup("neighbours", {when(fst).then(!b1, place == "first"),
                                  when(!fst, !s1).then(!b1, place == "first"),
                                  when(!fst, p1, s1).then(b1, place == "second"),
                                  when(!fst, !p1, s1, !s2).then(b1, place == "second"),
                                  when(!fst, !p1, s1, s2).then(b1, place == "later")}),
            count, normalise(C).from(c[0], c[1]),
            fetch("result").causal(match(a).key(I)).copy(quotient, B).copy(remainder, C),
            undone(count), erase(I, R, Q, B, C, e, p1, s1, s2, b1, place));
  p.outputs("quotient", quotient).outputs("remainder", remainder);
  return p.program();
}

}  // namespace

Program division_MS25_lem3_1(const DivisionOptions& options) {
  if (options.form == DivisionForm::compact) return compact_division(options);
  require(!options.own_argument && !options.unit_inputs,
          "the paper's form of division takes raw psi(i), psi(m) and phi(a_i)");
  return paper_division();
}

Construction compact_division_record() {
  return {.key = {"MS25", "Lemma 3.1", "compact"},
          .problem = Problem::divisions,
          .help = "fewest layers for every length",
          .options = {own_argument_option(),
                      {"unit-inputs", FlagOption{},
                       "take phi(i) and dir(i, m) as unit vectors (compact)"}},
          .program = [](const Request& r) {
            return division_MS25_lem3_1({DivisionForm::compact, r.values.contains("own-argument"),
                                         r.values.contains("unit-inputs")});
          }};
}

Construction paper_division_record() {
  return {.key = {"MS25", "Lemma 3.1", "paper"},
          .problem = Problem::divisions,
          .help = "the paper's steps, repaired",
          .program = [](const Request&) { return division_MS25_lem3_1({DivisionForm::paper}); }};
}

}}  // namespace logdepth::constructions_MS25
