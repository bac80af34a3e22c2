#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth {

/// A cell of one number.
struct NumberCell {
  std::string name;
  std::uint32_t coordinate = 0;
};

/// Where a file that decides reachability keeps what it knows of the walks of a graph; a flag is
/// true where its number is positive. Which head fetches a cell is said by the weights: the one
/// that writes it.
struct ReachabilityCells {
  /// Of the constructions in graph_connectivity_*_MS25_thm5_1.cpp, where the cells are explained:
  /// `edges` (compact, also sized) keeps the edges at tokens of pairs and walks at tokens of triples;
  /// `pairs` (paper) walks at both; `rows` a row of the relation at the token of each vertex.
  enum class Form { edges, pairs, rows };
  Form form = Form::edges;
  NumberCell pair, triple;                ///< edges: A, C; pairs: B, C
  std::vector<NumberCell> first, second;  ///< what a triple (u, k, v) fetches of (u, k) and (k, v)
  std::vector<NumberCell> row, fetched;   ///< rows: R.j, and S.j, what is fetched for it
  std::vector<NumberCell> answers;        ///< what the last token fetches, and whether s = t

  bool has_triples() const { return form != Form::rows; }
};

/// The cells of this file, or why it does not say where they are, as a sentence.
std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model);

}  // namespace logdepth
