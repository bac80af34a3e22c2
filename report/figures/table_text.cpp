#include "report/figures/table_text.hpp"

#include "base/xml_text.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr const char* kMarkdownMarks = "|\\*`<_";
constexpr const char* kPageStyle =
    "body{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:15px;line-height:1.45;"
    "margin:2em auto;max-width:90em;padding:0 1em;color:#1a1a1a}"
    "h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em}"
    "table{border-collapse:collapse;margin-bottom:1.5em;font-size:14px}"
    "th,td{text-align:left;vertical-align:top;padding:.3em .9em .3em 0;border-bottom:1px solid "
    "#e3e3e3}figure{margin:1em 0;overflow-x:auto}";

std::string table_row(const std::vector<std::string>& texts, const std::string& tag) {
  std::string row = "<tr>";
  for (const std::string& text : texts) row += "<" + tag + ">" + xml_text(text) + "</" + tag + ">";
  return row + "</tr>\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(kMarkdownMarks).find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

std::vector<std::string> markdown_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) result.push_back(markdown_text(text));
  return result;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += (cell.empty() ? "" : " ") + cell + " |";
  return row + "\n";
}

std::string markdown_headings(const std::vector<std::string>& cells, std::size_t first_number) {
  std::string text = markdown_row(cells) + "|";
  for (std::size_t i = 0; i < cells.size(); ++i) text += i < first_number ? "---|" : "--:|";
  return text + "\n";
}

std::string html_cell(std::string_view text, std::string_view kind) {
  return (kind.empty() ? "<td>" : "<td class=\"" + std::string(kind) + "\">") + xml_text(text) +
         "</td>";
}

std::string html_row(const std::vector<std::string>& texts) {
  return table_row(texts, "td");
}

std::string html_headings(const std::vector<std::string>& texts) {
  return table_row(texts, "th");
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  const std::string name = xml_text(title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>" + name +
         "</title>\n<style>" + kPageStyle + std::string(style) + "</style>\n</head>\n<body>\n<h1>" +
         name + "</h1>\n" + std::string(body) + "</body>\n</html>\n";
}

}  // namespace logdepth::inline report_figures
