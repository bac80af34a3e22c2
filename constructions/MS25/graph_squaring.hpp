#pragma once

#include <string>

#include "constructions/construction.hpp"
#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions_MS25 {

/// The options of constructions for a number of vertices; `needed`: it has to be given.
Option vertices_option(const std::string& name, const std::string& help, bool needed);
Option size_option(bool needed);
/// --padding, for those that have both, and for those with n^3 - n^2 tokens only.
Option padding_option(bool both);

/// What the tokens of a graph stand for: pairs (i, j) of vertices, found by the keys (U, J), and
/// triples (i, k, j), found by (T, J).
struct PairsAndTriples {
  cells::Vector U, T;     ///< i of a pair; i of a triple
  cells::Vector K, J;     ///< k (of a pair, i once more) and j
  cells::Ratio i;         ///< of the own triple, as U codes it
  cells::Ratio k_triple;  ///< the own k, as T codes the i of a triple

  /// The pair (a, b).
  cells::Found pair(const cells::Ratio& a, const cells::Ratio& b) const;
  /// The triples (a, k, b) for all k, where `a` is as T codes it.
  cells::Found triples(const cells::Ratio& a, const cells::Ratio& b) const;
};

/// The kinds of tokens of a graph, and what each fills of these cells; A is false off the matrix.
inline constexpr const char* kGraphTokens[] = {"<edge>", "<no-edge>", "<pad>", "<source>",
                                               "<target>"};
void embed_graph_tokens(cells::Program& p, const cells::OneHot& kind, const cells::Flag& A);

// Where positions are a table for `size` vertices: offsets p - (tokens before the sources) are
// labels 0 .. 2 size - 1, and the last label stands for none.

/// t and whether s = t, from the offset of the last source token and that of the token itself. At
/// the last token that is the target; elsewhere t is any vertex and `same` false.
cells::Rules target_of_offsets(const cells::OneHot& source, const cells::OneHot& own,
                               const cells::OneHot& t, const cells::Flag& same);
/// The circle code of the vertex that a label stands for; labels from `size` on read as vertex 0. A
/// linear image of a one-hot cell is any code.
cells::Ratio code_of_vertex(const cells::OneHot& cell, std::uint32_t size);

/// The loop of MS25 Theorem 5.1 in one layer, and the layer that answers: what the compact form and
/// that for a given size share. The invariant is proved in graph_connectivity_thm5_1.cpp.
struct GraphSquaring {
  cells::Program& p;
  PairsAndTriples at;
  cells::Flag A;       ///< of a pair: there is an edge
  cells::Form margin;  ///< by which C breaks ties: positive, below the cost of every mismatch

  cells::Flag C = p.flag("C", cells::state);  ///< of a triple: walks from i to k and from k to j
  cells::Flag xA = p.flag("xA", cells::scratch);  ///< A(i, k)
  cells::Flag xC = p.flag("xC", cells::scratch);  ///< OR_k' C(i, k', k)
  cells::Flag yA = p.flag("yA", cells::scratch);  ///< A(k, j)
  cells::Flag yC = p.flag("yC", cells::scratch);  ///< OR_k' C(k, k', j)
  cells::Flag zA = p.flag("zA");                  ///< A(s, t)
  cells::Flag zC = p.flag("zC");                  ///< OR_k C(s, k, t)

  cells::Statements loop() const;
  /// zA and zC; `s_triple` is s as T codes it.
  cells::Statements answer(const cells::Ratio& s, const cells::Ratio& s_triple,
                           const cells::Ratio& t) const;
};

}}  // namespace logdepth::constructions_MS25
