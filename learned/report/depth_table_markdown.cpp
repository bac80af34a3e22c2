#include "learned/report/depth_table.hpp"
#include "learned/report/depth_table_text.hpp"

namespace logdepth {
namespace {

/// What Markdown and the HTML in it would read as something else.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (c == '|' || c == '\\' || c == '*' || c == '`' || c == '<' || c == '_') result += '\\';
    result += c;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + escaped(cell) + " |";
  return text + "\n";
}

}  // namespace

std::string depth_table_markdown(const DepthTable& table, const std::string& figure) {
  std::string text = "# Depth\n\nWritten by `" + table.command + "`.\n";
  for (const std::string& paragraph : depth_table_introduction(table))
    text += "\n" + escaped(paragraph) + "\n";
  if (!figure.empty()) text += "\n![depth against size](" + figure + ")\n";
  for (const TextTable& part : depth_text_tables(table)) {
    text += "\n## " + part.heading + "\n";
    for (const std::string& paragraph : part.before) text += "\n" + escaped(paragraph) + "\n";
    text += "\n" + row(part.columns) + "|";
    for (std::size_t i = 0; i < part.columns.size(); ++i) text += "---|";
    text += "\n";
    for (const auto& cells : part.rows) text += row(cells);
  }
  return text;
}

}  // namespace logdepth
