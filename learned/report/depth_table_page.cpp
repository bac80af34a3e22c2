#include "learned/report/depth_table.hpp"
#include "learned/report/depth_table_text.hpp"
#include "report/figures/table_text.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr const char* kStyle =
    "p{max-width:60em}div.wide{overflow-x:auto;margin:1em 0}th,td{min-width:4em;max-width:26em}";

report::Report page_of(const DepthTable& table, const std::vector<DepthFigure>& figures,
                       const char* title) {
  report::Report page{"depth", title};
  page.add("Written by `" + table.command + "`.");
  for (const std::string& paragraph : depth_table_introduction(table))
    page.add(markdown_text(paragraph));
  for (const DepthFigure& figure : figures) {
    page.pictures.push_back({figure.file, figure.svg});
    page.add(report::Figure{figure.file, "depth against size, " + markdown_text(figure.problem)});
  }
  for (const TextTable& part : depth_text_tables(table)) {
    page.add(report::Heading{part.heading});
    for (const std::string& paragraph : part.before) page.add(markdown_text(paragraph));
    report::Table shown{markdown_texts(part.columns)};
    for (const auto& cells : part.rows) shown.rows.push_back(markdown_texts(cells));
    page.add(shown);
  }
  return page;
}

}  // namespace

std::string depth_table_markdown(const DepthTable& table, const std::vector<DepthFigure>& figures) {
  return report::markdown(page_of(table, figures, "Depth"));
}

std::string depth_table_html(const DepthTable& table, const std::vector<DepthFigure>& figures) {
  return report::html(page_of(table, figures, "Depth against size"), kStyle);
}

}  // namespace logdepth::inline learned_report
