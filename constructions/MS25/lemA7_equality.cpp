// MS25 Lemma A.7: equality of two scalars.
//
// Statement (MS25 Lemma A.7). Given scalars x, y computable by heads or stored in the stream, one
//   layer writes 1[x = y], and a second one clears all intermediate values.
// Here. One layer, and the attention of a second one; from raw psi(x) and psi(y) two, and the
//   attention of a third.
//
// Why. D alone in the mask is read as its sign, decided exactly: 0 only if D = 0. For clearing, the
//   heads repeat what they read from cells that nothing has written since (A.5).
// Contract. own, compare: exactly one, the token itself (raw: the tokens with the same i and m); x:
//   all tokens up to this one; y: all tokens.
#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth { inline namespace constructions_MS25 {

cells::Fetch blocks::preset(const std::string& name, const cells::Flag& flag,
                            const cells::Key& key) {
  using namespace cells;
  return fetch(name).causal(match(key).key(key)).set(flag);
}

cells::Fetch blocks::compare(const std::string& name, const cells::Number& number,
                             const cells::Form& form, const cells::Flag& flag,
                             const cells::Key& key) {
  using namespace cells;
  return fetch(name).causal(match(key).key(key)).add(number, form).set(flag);
}

Program equality_MS25_lemA7(Compared compared, bool clear) {
  using namespace cells;
  const std::string cleared = clear ? ", cleared" : "";
  cells::Program p("equality");
  p.source("MS25 Lemma A.7").reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  // Nor may its mask hold anything but x - y (read with the constant it would be scaled by the
  // data): the 1 of 1 - ReLU(s) - ReLU(-s) is the flag that the attention sets; the feed-forward
  // sublayer takes 2 ReLU(s) + 2 ReLU(-s) away.
  p.deviation("the 1 comes from attention: a feed-forward sublayer has no bias");
  // Not 1 or 0, so that masks that read it have a constant norm (A.2).
  p.deviation("the answer is +1 or -1");

  p.constant();
  const auto I = p.key("I", phi);  // phi(i)
  const auto D = p.number("D");    // a positive multiple of x - y; stored: phi(x)_0 - phi(y)_0
  const auto e = p.flag("e");      // the answer
  Statements heads;                // whose averages make up D

  if (compared == Compared::stored) {
    p.construction("stored" + cleared);
    p.hypothesis("I = phi(i) at position i, from 0; x = phi(x) and y = phi(y)");
    // What a mask reads of two scalars is their phi, not x - y. phi(x)_0 = phi(y)_0 if and only if
    // x = y, since x -> x/sqrt(x^2 + 1) is injective.
    p.deviation("phi(x) and phi(y) are compared, not x and y");
    const auto x = p.direction("x");  // phi(x)
    const auto y = p.direction("y");  // phi(y)
    p.given(I).given(x).given(y);
    heads = blocks::compare("compare", D, x[0] - y[0], e, I);
    p.initial(heads);
  } else if (compared == Compared::computed) {
    p.construction("computed" + cleared);
    p.hypothesis(
        "I = phi(i) at position i, from 0; x and y are computed by heads: the average of f up to "
        "here, the average of g over all tokens");
    const auto f = p.flag("f");
    const auto g = p.flag("g");
    p.given(I).given(f).given(g);
    heads = {fetch("x").causal(uniform()).add(D, f), fetch("y").unmasked(uniform()).add(D, -g)};
    p.initial(heads, blocks::preset("own", e, I));
  } else {
    p.construction("raw" + cleared);
    p.hypothesis(
        "raw psi(i) at position i, from 0, and raw psi(m), m >= 1 an integer, the same at all "
        "tokens");
    // They are r (i, 1, m, 1) with r > 0, and r (i - m) has the sign of i - m. That mask has no room
    // for the constant, so the flag is set by a second layer, and tested there.
    p.deviation("x and y are read under their joint norm, so the flag is set a layer later");
    const auto i = p.number("i", 2);  // psi(i), x = i
    const auto m = p.number("m", 2);  // psi(m), y = m
    p.given_position(i).given_natural(m);
    heads = fetch("compare").causal(same(i, m)).under(i, m).add(D, i[0] - m[0]);
    p.initial(heads, normalise(I).from(i[0], i[1]), blocks::preset("own", e, I));
  }

  p.initial(test(e).zero(D));
  if (clear) p.initial(undone(heads));
  p.output("equal", e);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
