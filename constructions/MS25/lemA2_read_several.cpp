// MS25 Lemma A.2: reading several unit vectors.
//
// Statement (MS25 Lemma A.2). There is a masked pre-norm that retrieves <phi_1, ..., phi_k> where
//   unit vectors phi_1, ..., phi_k are stored.
// Here. One sublayer, of either kind, which writes them to blank cells.
//
// Why. The squared norm of the masked stream is one rational square at every token.
// Contract (by attention). read: the tokens that hold the same vectors, at least the token itself.
#include <fmt/core.h>

#include "constructions/MS25/building_blocks_appA.hpp"
#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Program read_several_MS25_lemA2(const std::vector<std::uint32_t>& sizes, ReadBy by) {
  using namespace cells;
  cells::Program p("read several");
  p.construction(by == ReadBy::attention ? "attention" : "feed-forward");
  p.source("MS25 Lemma A.2").reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");
  p.hypothesis("z0, z1, ... are unit vectors");
  // The paper's scale 1/sqrt(2k) is rational only if 2k is a square; otherwise no rational matrix
  // can take it in. The mask also takes the constant 1 with weight w = (k - 1)/2, so that
  // k + w^2 = ((k + 1)/2)^2 and the scale 2/(k + 1) is rational. A square k needs no constant.
  p.deviation("the constant completes the norm to a rational square; 1/sqrt(2k) is irrational");

  p.constant();
  CellList all = {};
  Fetch copies = fetch("read");
  Statements moves;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const auto z = p.direction(fmt::format("z{}", j), sizes[j]);  // phi_j
    const auto x = p.direction(fmt::format("x{}", j), sizes[j]);  // the same, read and written
    p.given(z).outputs(x.name(), x);
    all = {all, z};
    copies = copies.copy(x, z);
    moves += move(x, z);
  }

  p.initial(by == ReadBy::attention ? copies.causal(same(all)) : moves);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
