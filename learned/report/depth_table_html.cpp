#include "base/xml_text.hpp"
#include "learned/report/depth_table.hpp"
#include "learned/report/depth_table_text.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

constexpr const char* kStyle =
    "p{max-width:60em}div.wide{overflow-x:auto;margin:1em 0}th,td{min-width:4em;max-width:26em}";

std::string paragraphs(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& paragraph : all) text += "<p>" + xml_text(paragraph) + "</p>\n";
  return text;
}

}  // namespace

std::string depth_table_html(const DepthTable& table, const std::vector<DepthFigure>& figures) {
  std::string body = "<p>Written by <code>" + xml_text(table.command) + "</code>.</p>\n" +
                     paragraphs(depth_table_introduction(table));
  for (const DepthFigure& figure : figures) body += "<figure>\n" + figure.svg + "</figure>\n";
  for (const TextTable& part : depth_text_tables(table)) {
    body += "<h2>" + xml_text(part.heading) + "</h2>\n" + paragraphs(part.before) +
            "<div class=\"wide\"><table>\n" + html_headings(part.columns);
    for (const auto& cells : part.rows) body += html_row(cells);
    body += "</table></div>\n";
  }
  return html_page("Depth against size", kStyle, body);
}

}  // namespace logdepth
