#include "constructions/MS25/graph_squaring.hpp"

namespace logdepth {

cells::Found PairsAndTriples::pair(const cells::Ratio& a, const cells::Ratio& b) const {
  return cells::find_one(a).key(U).also(b).key(J);
}
cells::Found PairsAndTriples::triples(const cells::Ratio& a, const cells::Ratio& b) const {
  return cells::find(a).key(T).also(b).key(J);
}

void embed_graph_tokens(cells::Program& p, const cells::OneHot& kind, const cells::Flag& A) {
  p.token("<edge>", kind == "matrix", A)
      .token("<no-edge>", kind == "matrix", !A)
      .token("<pad>", kind == "pad", !A)
      .token("<source>", kind == "source", !A)
      .token("<target>", kind == "target", !A);
}

cells::Statements GraphSquaring::loop() const {
  using namespace cells;
  const Vector &T = at.T, &K = at.K, &J = at.J;
  return {fetch("left_edge").unmasked(at.pair(at.i, K)).copy(xA, A),
          fetch("left_walk").unmasked(at.triples(T, K).prefer(C, margin)).copy(xC, C),
          fetch("right_edge").unmasked(at.pair(K, J)).copy(yA, A),
          fetch("right_walk").unmasked(at.triples(at.k_triple, J).prefer(C, margin)).copy(yC, C),
          // C := (xA or xC) and (yA or yC)
          lookup("both", {when(xA, yA).then(C),              //
                          when(xA, !yA, yC).then(C),         //
                          when(xA, !yA, !yC).then(!C),       //
                          when(!xA, xC, yA).then(C),         //
                          when(!xA, xC, !yA, yC).then(C),    //
                          when(!xA, xC, !yA, !yC).then(!C),  //
                          when(!xA, !xC).then(!C)}),
          erase(xA, xC, yA, yC)};
}

cells::Statements GraphSquaring::answer(const cells::Ratio& s, const cells::Ratio& s_triple,
                                        const cells::Ratio& t) const {
  using namespace cells;
  return {fetch("edge").unmasked(at.pair(s, t)).copy(zA, A),
          fetch("walk").unmasked(at.triples(s_triple, t).prefer(C, margin)).copy(zC, C)};
}

}  // namespace logdepth
