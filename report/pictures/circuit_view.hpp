#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth { inline namespace report_pictures {

/// What the drawings say about a weights file, in words and by sublayer. Everything comes from the
/// weights; the file's optional cell index names coordinates, and the optional text
/// `derived.program`, when it fits the weights, names heads and look-ups and explains mask norms.

struct HeadView {
  std::string name;      ///< from the program, else "head 1"
  std::string contract;  ///< "exactly one position", ...
  std::string scope;     ///< "causal" or "unmasked"
  std::string match;     ///< what query and key read
  std::vector<std::string> writes;
  std::size_t dimension = 0, values = 0;  ///< rows of query and value
};
/// A group of feed-forward units with one purpose.
struct UnitsView {
  std::string kind;  ///< "look-up", "move", "erase", "normalise", "group"
  std::string name;  ///< of a look-up
  std::vector<std::string> lines;
  std::size_t units = 0;  ///< 0: shares the linear units of the sublayer
};
struct LayerView {
  Block block = Block::repeated;
  std::size_t layer = 0;               ///< in the file, from 0
  std::optional<std::size_t> same_as;  ///< an earlier layer with the same weights
  std::vector<std::string> attention_mask, feedforward_mask;
  std::string attention_norm, feedforward_norm;  ///< empty when it cannot be told
  std::vector<HeadView> heads;
  std::vector<UnitsView> parts;
  std::size_t units = 0;         ///< all of the sublayer
  std::size_t linear_units = 0;  ///< those outside look-ups; only when a program names them
};
struct CellRow {
  std::string names, type, coordinates, lifetime;
};
struct CircuitView {
  bool named = false;  ///< the program in `derived` fits
  std::vector<std::string> embedding, position, output;
  std::vector<LayerView> layers;
  std::vector<CellRow> cells;
};

CircuitView view_circuit(const Model& model);

/// The name of a model, as a heading.
std::string title_of(const Model& model);

/// A token kind as a reader should see it: the beginning token as `begin`, a letter with spaces and
/// the empty name made visible. Not escaped.
std::string visible_letter(std::string_view letter);

}}  // namespace logdepth::report_pictures
