// MS25 Lemma A.3: storing a scalar.
//
// Statement (MS25 Lemma A.3). If a head computes the scalar z from h, two layers h -> h' -> h''
//   exist so that phi(z) is read by a masked pre-norm from h' or h'', and is stored in h'' at
//   formerly blank indices I.
// Here. Two layers, the second one without a feed-forward sublayer; one where psi(z) may stay.
//
// Why. The head writes (z, 1), the 1 as an average of the constant, so the direction exists. It
//   reads cells that no sublayer in between has written: its average is the same once more (A.5).
// Contract. measure, measure_again: all tokens up to this one.
#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program store_MS25_lemA3(const StoreOptions& options) {
  using namespace cells;
  const auto scale = options.scale.small();
  require(scale.has_value(), "a scale of more than 63 bits cannot be stored by Lemma A.3");

  cells::Program p("store");
  p.construction(options.clear_raw ? "cleared" : "one layer").source("MS25 Lemma A.3");
  p.parameter("scale", options.scale.text()).reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  p.hypothesis("z is computed by a head: scale times the average of the flag f up to here");
  // The paper's second layer reads psi(z) from I with its feed-forward sublayer after its attention
  // has taken psi(z) away. Here the first layer's own feed-forward sublayer reads it and writes
  // phi(z) to I; psi(z) lies in a raw cell beside, which the second layer's attention clears.
  // (Written onto psi(z) itself it works as well: the direction is the same.)
  p.deviation(
      "phi(z) is read and written by the first layer already: after the second layer's attention "
      "psi(z) is no longer there to be read");

  const auto f = p.flag("f");
  const auto one = p.constant();
  const auto z = p.number("z", 2);  // psi(z)
  const auto x = p.direction("x");  // phi(z), the indices I
  p.given(f);

  const auto measure = fetch("measure")
                           .causal(uniform())
                           .add(z[0], Fraction(scale->numerator, scale->denominator) * f)
                           .add(z[1], one);
  p.initial(measure, normalise(x).from(z[0], z[1]));
  if (options.clear_raw) p.initial(undone(measure));
  p.outputs("phi", x);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
