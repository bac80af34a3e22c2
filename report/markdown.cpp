#include "report/figures/table_text.hpp"
#include "report/report.hpp"

namespace logdepth::report {
namespace {

std::string text_of(const Heading& heading) {
  return std::string(static_cast<std::size_t>(heading.level), '#') + " " + heading.text + "\n";
}

std::string text_of(const Prose& prose) {
  return prose.text + "\n";
}

std::string text_of(const List& list) {
  std::string text;
  for (const std::string& item : list.items) text += "- " + item + "\n";
  return text;
}

std::string text_of(const Table& table) {
  if (table.rows.empty() && !table.without_rows.empty()) return table.without_rows + "\n";
  std::string text = markdown_headings(table.headings, table.first_number);
  for (const auto& row : table.rows) text += markdown_row(row);
  return text;
}

std::string text_of(const Criteria& block) {
  std::string text;
  for (const Criterion& criterion : block.criteria)
    text += criterion_markdown(criterion, block.seeds_are);
  return text;
}

std::string text_of(const Figure& figure) {
  return "![" + figure.meaning + "](" + figure.file + ")\n";
}

}  // namespace

std::string markdown(const Report& report) {
  std::string text = "# " + report.title + "\n";
  for (const Block& block : report.blocks)
    text += "\n" + std::visit([](const auto& one) { return text_of(one); }, block);
  return text;
}

}  // namespace logdepth::report
