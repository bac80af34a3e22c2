// MS25 Lemma A.4: removing and overwriting a unit vector.
//
// Statement (MS25 Lemma A.4). If a unit-norm vector is stored at I, a feed-forward sublayer removes
//   it; with a layer that stores a new value in parallel, it is overwritten.
// Here. One feed-forward sublayer for both: the new value comes from the same sublayer, so the same
//   mask reads it (A.2). No deviation.
//
// Why. Read alone, or with others of constant norm, z is known exactly, and z - z = 0. A coordinate
//   x passes the ReLU as ReLU(x) - ReLU(-x).
#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions_MS25 {
namespace {

Program remove_or_overwrite(bool overwrite, std::uint32_t size) {
  using namespace cells;
  cells::Program p(overwrite ? "overwrite" : "remove");
  p.construction("feed-forward").source("MS25 Lemma A.4").reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  p.hypothesis("z is a unit vector");

  p.constant();
  const auto z = p.direction("z", size);
  const auto kept = p.direction("kept");  // another one, not touched
  p.given(z).given(kept);

  if (overwrite) {
    const auto y = p.direction("y", size);  // the new value
    p.given(y).initial(move(z, y)).outputs("z", z);
  } else {
    p.initial(erase(z));
  }
  p.outputs("kept", kept);
  return p.program();
}

}  // namespace

Program remove_MS25_lemA4(std::uint32_t size) {
  return remove_or_overwrite(false, size);
}

Program overwrite_MS25_lemA4(std::uint32_t size) {
  return remove_or_overwrite(true, size);
}

}}  // namespace logdepth::constructions_MS25
