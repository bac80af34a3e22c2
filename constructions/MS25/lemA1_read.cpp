// MS25 Lemma A.1: reading a scalar.
//
// Statement (MS25 Lemma A.1). There is a masked pre-norm that retrieves phi(z) where phi(z) or
//   psi(z) is stored.
// Here. One sublayer, of either kind. A layer that reads must also write: phi(z) goes to a blank
//   cell. No deviation.
//
// Why. psi(z) is not zero and phi(z) is its direction, so the mask {z} alone normalises both to
//   phi(z). The three programs are one file but for the declared input, and every rational z may be
//   run on any of them.
// Contract (by attention). read: the tokens of the same direction, at least the token itself; their
//   average is that direction.
#include "constructions/MS25/building_blocks_appA.hpp"

namespace logdepth { inline namespace constructions_MS25 {

cells::Fetch blocks::read(const std::string& name, const cells::Vector& raw,
                          const cells::Vector& unit) {
  using namespace cells;
  return fetch(name).causal(same(raw)).under(raw).copy(unit, raw);
}

namespace {

/// z, which comes with the input.
cells::Vector given_scalar(cells::Program& p, Stored stored) {
  if (stored == Stored::unit) {
    p.hypothesis("z = phi(z), or raw psi(z), for any rational z");
    const auto z = p.direction("z");
    p.given(z);
    return z;
  }
  const auto z = p.number("z", 2);
  if (stored == Stored::position)
    p.hypothesis("z = raw psi(i) at position i, from 0").given_position(z);
  else
    p.hypothesis("z = raw psi(m), m >= 1 an integer, the same at all tokens").given_natural(z);
  return z;
}

}  // namespace

Program read_MS25_lemA1(Stored stored, ReadBy by) {
  using namespace cells;
  cells::Program p("read");
  p.construction(by == ReadBy::attention ? "attention" : "feed-forward");
  p.source("MS25 Lemma A.1").reads_cells().fixed_loops(0);
  p.hypothesis("masked pre-norm without epsilon, averaging-hard attention, exact numbers");

  const auto z = given_scalar(p, stored);  // phi(z), psi(i) or psi(m)
  const auto x = p.direction("x");         // phi(z)

  p.initial(by == ReadBy::attention ? blocks::read("read", z, x)  //
                                    : normalise(x).from(z[0], z[1]));
  p.outputs("phi", x);
  return p.program();
}

}}  // namespace logdepth::constructions_MS25
