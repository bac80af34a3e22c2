// MS25 Lemma 3.1 for a given length: a look-up that rounds down.
//
// Statement (MS25 Lemma 3.1). As in division_lem3_1.cpp.
// Here. 3 layers if phi(i), dir(i, m) and dir(i, L) are given as unit vectors, 2 if also a_i = i; for
//   at most 8 L tokens and every m, or for every length and m <= 8 L. One file serves every m.
//
// Head promises, each at every token: floor, near, mark, result exactly one; count, the tokens with
//   the same B, at least the token itself.
// Why B is phi(floor(i/m)). The target of floor is y = i/m - 1/2 among the codes of phi over L. For
//   m <= 8 L it selects floor(i/m), by the lemma (floor, phi over L) at the schema `nearest` in
//   compiler/lemmas/head_schema.cpp. For m > 8 L > i the quotient is 0, and i/m <= (8L-1)/(8L+1)
//   < 1 - 1/(8L): so y < 1/2 - 1/(8L), below the bisector of the codes of 0 and 1 (lemma bisector).
// Why e and the remainder are right: as in division_lem3_1.cpp. Both heads of the first layer read
//   what is given, so the quotient need not wait for e.
#include <fmt/core.h>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program division_floor_MS25_lem3_1(std::uint64_t length, bool own_argument) {
  using namespace cells;
  constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 24;
  require(length > 0, "an input has at least one token, so --for-length is at least 1");
  if (length > kMaxLength)
    throw SizeLimit(fmt::format(
        "--for-length {}: the limit is {}; --construction compact supports every length", length,
        kMaxLength));
  const auto L = static_cast<std::uint32_t>((length + 7) / 8);

  cells::Program p("division");
  p.construction("floor").source("MS25 Lemma 3.1 (optimised, for a given length)");
  p.reads_cells().fixed_loops(0).at_most(length);
  p.hypothesis(
      fmt::format("phi(i), dir(i, {}), dir(i, m){} in the stream at token i, positions from "
                  "0",
                  L, own_argument ? "" : " and phi(a_i)"));
  p.hypothesis(std::string(own_argument ? "a_i = i" : "0 <= a_i <= i") +
               ", m >= 1 an integer, the same at all tokens");
  p.hypothesis(clause(Assumption::tokens_at_most, std::to_string(length)));
  p.hypothesis(causal_network());
  p.deviation(
      "positions count from 0: from 1 there is no multiple of m before position m, and none to "
      "fetch for a_i = 0");
  p.deviation(
      "the quotient is fetched at once: keys dir(j, L) are so even that one look-up rounds "
      "down");
  p.deviation(
      "the remainder is counted with the multiples as marks; no comparison with the neighbours");

  const auto one = p.constant();
  const auto I = p.key("I", phi);                             // phi(i)
  const auto IL = p.key(fmt::format("I{}", L), phi_over(L));  // dir(i, L)
  const auto R = p.direction("R");                            // dir(i, m)
  const auto B = p.pointer("B", phi);                         // phi(floor(i / m))
  const auto C = p.integer_direction("C");                    // phi(i mod m); counts of tokens
  const auto D = p.number("D");     // phi(j)_0 - dir(i, m)_0 for the position j nearest to i/m
  const auto c = p.number("c", 2);  // a positive multiple of (i mod m, 1)
  const auto e = p.flag("e");       // m divides i: D = 0
  p.given(I).given(IL).given_ratio(R);

  const Statements marks = {fetch("near").causal(nearest(R).key(I)).add(D, I[0]),
                            blocks::compare("mark", D, -R[0], e, I)};
  const auto count =
      fetch("count").causal(same(B)).add(c[0], (one - e) / 2).add(c[1], (one + e) / 2);
  p.initial(fetch("floor").causal(nearest((R[0] - R[1] / 2) / (L * R[1])).key(IL)).copy(B, I),  //
            marks, test(e).zero(D),                                                             //
            count, normalise(C).from(c[0], c[1]));
  if (own_argument) {
    // The result is the token's own; c, D and e stay behind.
    p.outputs("quotient", B).outputs("remainder", C);
    return p.program();
  }
  const auto a = p.pointer("a", phi);                // phi(a_i)
  const auto quotient = p.pointer("quotient", phi);  // the answers: B and C of position a_i
  const auto remainder = p.direction("remainder");
  p.given(a);
  p.initial(undone(marks),
            fetch("result").causal(match(a).key(I)).copy(quotient, B).copy(remainder, C),
            undone(count), erase(B, C, e));
  p.outputs("quotient", quotient).outputs("remainder", remainder);
  return p.program();
}

Construction floor_division_record() {
  return {.key = {"MS25", "Lemma 3.1", "floor"},
          .problem = Problem::divisions,
          .help = "fewest layers for --for-length N, from unit vectors",
          .options =
              {own_argument_option(),
               {"unit-inputs", RefusedOption{": it always takes unit vectors"}},
               {"for-length", CountOption{.needed = "N, the number of tokens"},
                "largest number of tokens (floor); the input also has dir(i, L), L = ceil(N/8)"}},
          .program = [](const Request& r) {
            return division_floor_MS25_lem3_1(number_of(r.values, "for-length"),
                                              r.values.contains("own-argument"));
          }};
}

}}  // namespace logdepth::constructions_MS25
