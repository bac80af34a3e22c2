#include <algorithm>
#include <string_view>

#include "base/xml_text.hpp"
#include "report/figures/table_text.hpp"
#include "report/report.hpp"

namespace logdepth::report {
namespace {

/// Markdown within a line, of the kind that reports are written in, as HTML.
std::string inline_html(std::string_view markdown) {
  std::string html, plain;
  bool bold = false;
  const auto flush = [&] {
    html += xml_text(plain);
    plain.clear();
  };
  while (!markdown.empty()) {
    if (markdown.front() == '\\' && markdown.size() > 1) {
      plain += markdown[1];
      markdown.remove_prefix(2);
    } else if (markdown.starts_with("**")) {
      flush();
      bold = !bold;
      html += bold ? "<b>" : "</b>";
      markdown.remove_prefix(2);
    } else if (const auto end = markdown.find('`', 1);
               markdown.front() == '`' && end != std::string_view::npos) {
      flush();
      html += "<code>" + xml_text(markdown.substr(1, end - 1)) + "</code>";
      markdown.remove_prefix(end + 1);
    } else {
      plain += markdown.front();
      markdown.remove_prefix(1);
    }
  }
  flush();
  return html;
}

std::string element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + inline_html(text) + "</" + tag + ">";
}

std::string row_of(const std::vector<std::string>& cells, const std::string& tag) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += element(tag, cell);
  return row + "</tr>\n";
}

/// The blocks of a report, which has the pictures.
struct Page {
  const Report& report;

  std::string operator()(const Heading& heading) const {
    return element("h" + std::to_string(heading.level), heading.text) + "\n";
  }
  std::string operator()(const Prose& prose) const { return element("p", prose.text) + "\n"; }
  std::string operator()(const List& list) const {
    std::string text = "<ul>\n";
    for (const std::string& item : list.items) text += element("li", item) + "\n";
    return text + "</ul>\n";
  }
  std::string operator()(const Table& table) const {
    if (table.rows.empty() && !table.without_rows.empty())
      return element("p", table.without_rows) + "\n";
    std::string text = "<div class=\"wide\"><table>\n" + row_of(table.headings, "th");
    for (const auto& row : table.rows) text += row_of(row, "td");
    return text + "</table></div>\n";
  }
  std::string operator()(const Criteria& block) const {
    std::string text;
    for (const Criterion& criterion : block.criteria) {
      // The first line is the criterion's, those below are its parts'.
      const std::string lines = criterion_markdown(criterion, block.seeds_are);
      const std::size_t first = lines.find('\n');
      List parts;
      for (std::size_t at = first + 1; at < lines.size(); at = lines.find('\n', at) + 1)
        parts.items.push_back(lines.substr(at + 4, lines.find('\n', at) - at - 4));
      text += element("p", lines.substr(2, first - 2)) + "\n" + (*this)(parts);
    }
    return text;
  }
  std::string operator()(const Figure& figure) const {
    return "<figure>\n" + std::ranges::find(report.pictures, figure.file, &File::name)->text +
           "</figure>\n";
  }
};

}  // namespace

std::string html(const Report& report, const std::string& style) {
  std::string body;
  for (const Block& block : report.blocks) body += std::visit(Page{report}, block);
  return html_page(report.title, style, body);
}

}  // namespace logdepth::report
