#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline report_pictures {

/// A cell of one number.
struct NumberCell {
  std::string name;
  std::uint32_t coordinate = 0;
};

/// Where a file that decides reachability keeps what it knows of the walks of a graph; a flag is
/// true where its number is positive. Which head fetches a cell is said by the weights: the one
/// that writes it. The names are those of graph_connectivity_*_MS25_thm5_1.cpp, where they are
/// explained: whoever calls cells so gets the picture, whatever the construction is called.
struct ReachabilityCells {
  /// `edges`: the edges are kept at tokens of pairs, walks at tokens of tuples (from, one or two
  /// vertices between, to); `pairs`: walks at both; `rows`: a row of the relation at the token of
  /// each vertex.
  enum class Form { edges, pairs, rows };
  Form form = Form::edges;
  NumberCell pair = {}, tuple = {};  ///< edges: A, C; pairs: B, C
  /// For each two neighbours of a tuple, what it knows of walks from one to the other: any of these
  /// flags is enough. The last is fetched from tuples where there are several, the others from
  /// pairs.
  std::vector<std::vector<NumberCell>> stretches = {};
  std::vector<NumberCell> row = {}, fetched = {};  ///< rows: R.j, and S.j, what is fetched for it
  std::vector<NumberCell> answers = {};  ///< what the last token fetches, and whether s = t

  bool has_tuples() const { return form != Form::rows; }
  /// By which a loop makes the walks longer.
  std::size_t factor() const { return has_tuples() ? stretches.size() : 2; }
};

/// The cells of this file, or why it does not say where they are, as a sentence.
std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model);

}  // namespace logdepth::inline report_pictures
