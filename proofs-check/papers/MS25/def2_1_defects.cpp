// Defects in MS25 Definition 2.1.
#include "proofs-check/claims/defect.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

Defect first_layer() {
  Defect d;
  d.number = 24;
  d.id = "def-2.1/first-layer";
  d.claim = "def-2.1";
  d.place = "Definition 2.1";
  d.quote = "s-layer l if 1 < l <= s; r-layer (l - s) mod r if s < l <= s + r d(n)";
  d.change = "no case for layer 1, and r-layer 0 for every r-th layer";
  d.repair = "1 <= l <= s, and ((l - s - 1) mod r) + 1";
  d.reason =
      "No function is defined for l = 1 and no layer has the number 0, so there is nothing to run. "
      "The runner takes layers 1..s, then 1..r over and over.";
  return d;
}

}  // namespace

std::vector<Defect> MS25_def2_1_defects() {
  return {first_layer()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
