#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace logdepth { inline namespace report_figures {

struct EggboxCell {
  std::vector<std::string> lines = {};  ///< what it holds
  std::string name = {};                ///< below them, in a colour
  bool filled = false;
  std::string title = {};  ///< for who points at it
};

/// Cells in rows and columns, all of one size.
struct EggboxBlock {
  std::string name = {};                             ///< above it, in the colour of names; or none
  std::vector<std::string> rows = {}, columns = {};  ///< what stands at each; or none
  std::vector<std::vector<EggboxCell>> cells = {};
  std::string left_out = {};            ///< below it
  std::vector<std::size_t> below = {};  ///< blocks that lines lead down to; later ones
};

/// Boxes above each other as their order has it: a line leads down to each that is next below.
struct Eggbox {
  std::string title, subtitle;
  std::vector<EggboxBlock> blocks;
  std::vector<std::string> notes;  ///< under the picture
};
std::string eggbox_svg(const Eggbox& eggbox);

}}  // namespace logdepth::report_figures
