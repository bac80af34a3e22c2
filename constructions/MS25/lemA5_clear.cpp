// MS25 Lemma A.5: clearing what a layer wrote.
//
// Statement (MS25 Lemma A.5). If a layer wrote delta to indices at which h was blank, another layer
//   resets h + delta to h: a copy of the first layer with all signs flipped.
// Here. False as stated where the feed-forward sublayer reads what its own layer's attention wrote;
//   repaired below. One layer writes, one clears. As a part of other constructions the attention's
//   half of it is `undone`, a word of the builder (logdepth/statements.hpp).
//
// Why. z ends as an average plus its negative, both of the cells f and one, which nothing writes.
// Contract. measure, measure_again: all tokens up to this one.
#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program clear_MS25_lemA5() {
  using namespace cells;
  cells::Program p("clear");
  p.construction("repaired").source("MS25 Lemma A.5").reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  p.hypothesis("the cells that the attention read are not written in between");
  // In the copy with flipped signs the attention first takes away what the feed-forward sublayer
  // read, which reads h instead: here, blank cells, so its output would stay behind. Repaired:
  // - what attention wrote is undone by the attention with flipped signs, provided that no cell that
  //   it reads has been written since;
  // - what the feed-forward sublayer wrote is undone before that, by the same sublayer with flipped
  //   signs in a layer before (then clearing takes a layer more than the paper says), or at any time
  //   by Lemma A.4 if it is a unit vector. Here: by A.4, so that one layer is enough.
  p.deviation(
      "what the feed-forward sublayer read from its own attention it cannot read again: its output "
      "is removed as a unit vector");

  const auto f = p.flag("f");
  const auto one = p.constant();
  const auto z = p.number("z", 2);  // (the average of f, 1)
  const auto x = p.direction("x");  // its direction
  p.given(f);

  const auto measure = fetch("measure").causal(uniform()).add(z[0], f).add(z[1], one);
  p.initial(measure, normalise(x).from(z[0], z[1]),  // the layer
            undone(measure), erase(x));              // the layer that clears
  p.output("kept", f);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
