#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// A named cell of a weights file: where it lies, what it holds, and which parts of the network
/// touch it.
struct CellMeaning {
  std::string name, type, lifetime;
  std::vector<std::uint32_t> coordinates;
  /// "head prev (layer 0)", "look-up product (layer 0)", "embedding", "output", ...: in the order of
  /// a run. Layers are those of the file, from 0.
  std::vector<std::string> read_by, written_by;
  std::string meaning;  ///< one line: "one of 3 labels: begin, a, b"
};

/// All cells of the file's index, in the order of their first coordinates; none where the file has
/// no index. Names of heads and look-ups are those of the embedded program where it fits the
/// weights; otherwise heads have numbers, and feed-forward sublayers are one part each.
std::vector<CellMeaning> cell_meanings(const Model& model);

}  // namespace logdepth::inline compiler_file
