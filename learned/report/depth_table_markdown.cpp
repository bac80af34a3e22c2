#include "learned/report/depth_table.hpp"
#include "learned/report/depth_table_text.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {

std::string depth_table_markdown(const DepthTable& table, const std::vector<DepthFigure>& figures) {
  std::string text = "# Depth\n\nWritten by `" + table.command + "`.\n";
  for (const std::string& paragraph : depth_table_introduction(table))
    text += "\n" + markdown_text(paragraph) + "\n";
  for (const DepthFigure& figure : figures)
    text += "\n![depth against size, " + markdown_text(figure.problem) + "](" + figure.file + ")\n";
  for (const TextTable& part : depth_text_tables(table)) {
    text += "\n## " + part.heading + "\n";
    for (const std::string& paragraph : part.before) text += "\n" + markdown_text(paragraph) + "\n";
    text += "\n" + markdown_headings(markdown_texts(part.columns));
    for (const auto& cells : part.rows) text += markdown_row(markdown_texts(cells));
  }
  return text;
}

}  // namespace logdepth
