#include "constructions/MS25/graph_squaring.hpp"

#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace constructions_MS25 {

Option vertices_option(const std::string& name, const std::string& help, bool needed) {
  return {name, CountOption{.needed = needed ? "N, the number of vertices" : ""}, help};
}

Option size_option(bool needed) {
  return vertices_option("size", "largest number of vertices: fewer layers, all values rational",
                         needed);
}

Option padding_option(bool both) {
  ChoiceOption choice{{"n3-n2"}, "n3-n2"};
  if (both) choice.words.insert(choice.words.begin(), "n3");
  return {"padding", choice, "number of padding tokens"};
}

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

cells::Rules target_of_offsets(const cells::OneHot& source, const cells::OneHot& own,
                               const cells::OneHot& t, const cells::Flag& same) {
  cells::Rules rules;
  const std::uint32_t size = t.size(), none = 2 * size;
  for (std::uint32_t s = 0; s <= none; ++s)
    for (std::uint32_t v = 0; v <= none; ++v) {
      // s + 1 source tokens and t + 1 target tokens end at offset s + t + 1.
      const bool good = s < size && v > s && v - s - 1 < size && v != none;
      const std::uint32_t there = good ? v - s - 1 : 0;
      rules.push_back(
          cells::when(source.at(s), own.at(v)).then(t.at(there), same == (good && s == there)));
    }
  return rules;
}

cells::Ratio code_of_vertex(const cells::OneHot& cell, std::uint32_t size) {
  cells::Form code[2];
  for (std::uint32_t label = 0; label < cell.size(); ++label)
    for (std::size_t i = 0; i < 2; ++i) {
      const auto [p, q] = *circle_code(label < size ? label : 0)[i].small();
      code[i] += cells::Fraction(p, q) * cell[cell.labels()[label]];
    }
  return code[0] / code[1];
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

}}  // namespace logdepth::constructions_MS25
