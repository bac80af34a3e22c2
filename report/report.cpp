#include "report/report.hpp"

#include <algorithm>
#include <utility>

#include "report/figures/svg_elements.hpp"

namespace logdepth::report {

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<Range> range_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return Range{*median(values), *least, *most, values.size()};
}

std::vector<File> files_of(const Report& report) {
  // Names of folders need not be UTF-8.
  const std::string data = report.data.dump(1, ' ', false, Data::error_handler_t::replace) + "\n";
  std::vector<File> files = {{report.name + ".md", markdown(report)},
                             {report.name + ".json", data}};
  files.insert(files.end(), report.pictures.begin(), report.pictures.end());
  return files;
}

Report& Report::add(const std::string& paragraph) {
  page += "\n" + paragraph + "\n";
  return *this;
}

Report& Report::add(const Table& table) {
  page += "\n" + markdown_headings(table.headings, table.first_number);
  for (const auto& row : table.rows) page += markdown_row(row);
  return *this;
}

Report& Report::add_list(const std::vector<std::string>& items) {
  page += "\n";
  for (const std::string& item : items) page += "- " + item + "\n";
  return *this;
}

std::string markdown(const Report& report) {
  return "# " + report.title + "\n" + report.page;
}

void add_curve(LineChart& chart, const Curve& curve) {
  if (curve.points.empty()) return;
  PlotSeries line{curve.name, curve.style};
  PlotArea band{{}, curve.style.colour};
  band.title = curve.name + ": all seeds";
  PlotLine upper;
  bool several = false;
  for (const CurvePoint& point : curve.points) {
    const auto& [median, least, most, seeds] = point.number;
    line.line.emplace_back(point.x, median);
    line.marks.push_back({{point.x, median}, point.title, curve.shape});
    band.corners.emplace_back(point.x, least);
    upper.emplace_back(point.x, most);
    several = several || seeds > 1;
  }
  band.corners.insert(band.corners.end(), upper.rbegin(), upper.rend());
  if (several) chart.areas.push_back(std::move(band));
  chart.series.push_back(std::move(line));
}

PlotPoint largest(const LineChart& chart, PlotPoint most) {
  const auto reach = [&](const PlotPoint& at) {
    most = {std::max(most.first, at.first), std::max(most.second, at.second)};
  };
  for (const PlotSeries& series : chart.series) {
    for (const PlotMark& mark : series.marks) reach(mark.at);
    std::ranges::for_each(series.line, reach);
  }
  for (const PlotArea& area : chart.areas) std::ranges::for_each(area.corners, reach);
  return most;
}

}  // namespace logdepth::report
