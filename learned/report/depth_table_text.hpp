#pragma once

#include <string>
#include <vector>

#include "learned/report/depth_table.hpp"

namespace logdepth::inline learned_report {

/// A table as words, before it becomes Markdown or HTML. Cells are not escaped.
struct TextTable {
  std::string heading;
  std::vector<std::string> before;  ///< paragraphs
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// What stands above the tables, as paragraphs.
std::vector<std::string> depth_table_introduction(const DepthTable& table);
/// The tables of the report: side by side, what is compared, learned, reach by iteration, past the
/// reach, run by run, widths, constructed; those without rows are left out.
std::vector<TextTable> depth_text_tables(const DepthTable& table);

// Two of them, which are about networks one by one.
/// Every law with the size of its network, what that was trained on, and how far it holds.
TextTable compared_table(const DepthTable& table);
/// Every training: what it reached at which depth, with its interval, whether that was settled, the
/// law of a network that was asked by loops, and the tokens until each length was passed.
TextTable runs_table(const DepthTable& table);

// What takes the place of a slope where the number of iterations is prescribed.
/// Of each problem and iteration the distribution over seeds of the reach and of what was added to it.
TextTable reach_table(const DepthTable& table);
/// How accuracy falls behind the reach, and whether it falls otherwise of solvable monoids.
TextTable edge_table(const DepthTable& table);

}  // namespace logdepth::inline learned_report
