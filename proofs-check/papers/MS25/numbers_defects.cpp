// Defects in MS25 Corollary 4.3.
#include "proofs-check/claims/defect.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

Defect numbers_without_the_ceiling() {
  Defect d;
  d.number = 13;
  d.id = "cor-4.3/numbers-without-the-ceiling";
  d.claim = "cor-4.3";
  d.place = "Sections 1 and 4.1";
  d.quote =
      "a causally masked d-layer transformer that, on any string w$ of length at most 2^((d-5)/4) "
      "+ 1";
  d.change = "the ceiling of 4 ceil(log2 n) + 5 is dropped";
  d.repair = "4 ceil(log2 n) + 5 <= d, for n a power of two";
  d.reason =
      "Arithmetic: the claims about numbers compute the formula with and without the ceiling "
      "beside the text's 107 and 440K.";
  return d;
}

}  // namespace

std::vector<Defect> MS25_numbers_defects() {
  return {numbers_without_the_ceiling()};
}

}  // namespace logdepth::inline proofs_check_papers_MS25
