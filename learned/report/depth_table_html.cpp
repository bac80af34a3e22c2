#include "learned/report/depth_figure.hpp"
#include "learned/report/depth_table.hpp"
#include "learned/report/depth_table_text.hpp"
#include "objects/xml_text.hpp"

namespace logdepth {
namespace {

constexpr const char* kStyle =
    "body{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:15px;line-height:1.45;"
    "margin:2em auto;max-width:100em;padding:0 1em;color:#1a1a1a}"
    "h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em}p{max-width:60em}"
    "div.wide,figure{overflow-x:auto;margin:1em 0}"
    "table{border-collapse:collapse;font-size:13px}"
    "th,td{text-align:left;vertical-align:top;padding:.3em .9em .3em 0;border-bottom:1px solid "
    "#e3e3e3;min-width:4em;max-width:26em}";

std::string row(const std::vector<std::string>& cells, const std::string& tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += "<" + tag + ">" + xml_text(cell) + "</" + tag + ">";
  return text + "</tr>\n";
}

std::string paragraphs(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& paragraph : all) text += "<p>" + xml_text(paragraph) + "</p>\n";
  return text;
}

}  // namespace

std::string depth_table_html(const DepthTable& table) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<title>Depth against size</title>\n<style>" +
      std::string(kStyle) +
      "</style>\n</head>\n<body>\n<h1>Depth against size</h1>\n<p>Written by <code>" +
      xml_text(table.command) + "</code>.</p>\n" + paragraphs(depth_table_introduction(table)) +
      "<figure>\n" + depth_figure_svg(table) + "</figure>\n";
  for (const TextTable& part : depth_text_tables(table)) {
    text += "<h2>" + xml_text(part.heading) + "</h2>\n" + paragraphs(part.before) +
            "<div class=\"wide\"><table>\n" + row(part.columns, "th");
    for (const auto& cells : part.rows) text += row(cells, "td");
    text += "</table></div>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace logdepth
