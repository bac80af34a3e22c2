// Defects of MS25 that leave nothing to compile or run: slips of indices, counts of layers,
// arithmetic. Each says why.
#include <utility>

#include "proofs-check/claims/defect_changes.hpp"

namespace logdepth {
namespace {

struct Record {
  std::uint32_t number;
  const char* id;
  const char* claim;
  const char* place;
  const char* quote;
  const char* change;
  const char* repair;
  const char* reason;
};

constexpr Record kRecords[] = {
    {6, "thm-4.1/key-that-depends-on-the-query", "thm-4.1",
     "Theorem 4.1, last paragraph but one of the proof",
     "A head then attends with query 1, key <phi(j)_1, 10 alpha_{i-1}^l>",
     "the key of token j holds the activeness of the token i that asks", "alpha_{j-1}",
     "Definition 2.2: the key of token j is a matrix times the stream of token j, so no weights "
     "say this. Without that part the key is phi(j)_1 alone, whatever is active."},
    {10, "thm-5.1/numbers-of-layers", "thm-5.1", "Appendix C, repeating layers and final layers",
     "r is initially set to 1 at layer 8 [...] layer (2l - 1) + 8 [...] layer 2l + 8",
     "the repeated block begins after layer 8 and not after layer 17",
     "8 reads 17: the theorem's (17, 2, 1) and the final layer 2 ceil(log n) + 18 agree",
     "Names of layers, not weights: a file states its own counts, and `measure` counts them."},
    {11, "thm-4.1/eight-layers-a-level", "thm-4.1", "Theorem 4.1, third paragraph of the proof",
     "we use Lem. 3.1 to construct 7 layers that compute c_i mod 2 with no storage overhead [...]. "
     "This requires at most 8 layers",
     "one level in 8 layers: 1 for the count, 7 for the division, and $ in parallel",
     "c mod 2 is looked up at position c - 1, where it stands from the beginning: two layers a "
     "level",
     "A count of layers of a network that the text does not give in full: the head at $ needs "
     "alpha^{l+1} of the token before, one layer after the division has ended, and multiplies "
     "after that. The tree's own layers are counted on its weights file."},
    {13, "cor-4.3/numbers-without-the-ceiling", "cor-4.3", "Sections 1 and 4.1",
     "a causally masked d-layer transformer that, on any string w$ of length at most 2^((d-5)/4) "
     "+ 1",
     "the ceiling of 4 ceil(log2 n) + 5 is dropped",
     "4 ceil(log2 n) + 5 <= d, for n a power of two",
     "Arithmetic: the claims about numbers compute the formula with and without the ceiling beside "
     "the text's 107 and 440K."},
    {24, "def-2.1/first-layer", "def-2.1", "Definition 2.1",
     "s-layer l if 1 < l <= s; r-layer (l - s) mod r if s < l <= s + r d(n)",
     "no case for layer 1, and r-layer 0 for every r-th layer",
     "1 <= l <= s, and ((l - s - 1) mod r) + 1",
     "No function is defined for l = 1 and no layer has the number 0, so there is nothing to run. "
     "The runner takes layers 1..s, then 1..r over and over."},
};

}  // namespace

std::vector<Defect> MS25_recorded_defects() {
  std::vector<Defect> defects;
  for (const Record& record : kRecords) {
    Defect d;
    d.number = record.number;
    d.id = record.id;
    d.claim = record.claim;
    d.place = record.place;
    d.quote = record.quote;
    d.change = record.change;
    d.repair = record.repair;
    d.reason = record.reason;
    defects.push_back(std::move(d));
  }
  return defects;
}

}  // namespace logdepth
