#pragma once

#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

struct PairCell {
  std::string mark;  ///< a character or two; none where nothing is said
  std::string fill = {}, ink = {};
  bool framed = false;
  std::string key = {};  ///< strip_picture.hpp
};

/// Who is related to whom: a row for each that is, a column for each that it is related to.
struct PairMatrix {
  std::vector<std::string> names;            ///< of rows and columns
  std::vector<std::vector<PairCell>> cells;  ///< [row][column]
  std::string row_title, column_title;
};

PlotPoint pair_matrix_size(const PairMatrix& matrix);
std::string pair_matrix_elements(const PairMatrix& matrix, PlotPoint corner);

}  // namespace logdepth::inline report_figures
