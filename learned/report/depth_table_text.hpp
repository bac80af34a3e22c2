#pragma once

#include <string>
#include <vector>

#include "learned/report/depth_table.hpp"

namespace logdepth {

/// A table as words, before it becomes Markdown or HTML. Cells are not escaped.
struct TextTable {
  std::string heading;
  std::vector<std::string> before;  ///< paragraphs
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// What stands above the tables, as paragraphs.
std::vector<std::string> depth_table_introduction(const DepthTable& table);
/// The tables of the report: side by side, learned, widths, constructed; those without rows are
/// left out.
std::vector<TextTable> depth_text_tables(const DepthTable& table);

/// "stack", "loop (0, 1, 0)", with what tells the series from others.
std::string series_name(const LearnedSeries& series);
/// The preferred curve, "d = 4.80 log2 n* - 15.80, r2 = 1.00", and how many depths were censored: a
/// slope is never printed without. "not fitted" with the same number otherwise.
std::string fitted_curve_text(const LearnedSeries& series, const DepthFit& fit);

}  // namespace logdepth
