#include "report/report.hpp"

#include <algorithm>
#include <utility>

#include "base/phrases.hpp"
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

Data data_of(const std::optional<Range>& range) {
  if (!range) return {};
  return {{"median", range->median},
          {"least", range->least},
          {"most", range->most},
          {"seeds", range->seeds}};
}

double number_of(const Data& data) {
  return (data.is_object() ? data.at("median") : data).get<double>();
}

std::pair<double, double> ends_of(const Data& data) {
  if (data.is_object()) return {data.at("least"), data.at("most")};
  return {number_of(data), number_of(data)};
}

std::size_t seeds_of(const Data& data) {
  if (data.is_null()) return 0;
  return data.is_object() ? data.at("seeds").get<std::size_t>() : 1;
}

std::string json(const Report& report) {
  // Names of folders need not be UTF-8.
  return report.data.dump(1, ' ', false, Data::error_handler_t::replace) + "\n";
}

std::vector<File> files_of(const Report& report) {
  std::vector<File> files = {{report.name + ".md", markdown(report)},
                             {report.name + ".json", json(report)}};
  files.insert(files.end(), report.pictures.begin(), report.pictures.end());
  return files;
}

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
  std::string text = markdown_headings(table.headings, table.first_number);
  for (const auto& row : table.rows) text += markdown_row(row);
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

Drawing drawing(LineChart chart) {
  const double width = chart_width(chart), height = chart_height(chart);
  return {width, height,
          [chart = std::move(chart)](PlotPoint corner) { return draw_chart(chart, corner); }};
}

Drawing drawing(Legend legend) {
  const double width = legend.column_width * static_cast<double>(legend.columns);
  const double height = legend_height(legend);
  return {width, height,
          [legend = std::move(legend)](PlotPoint corner) { return draw_legend(legend, corner); }};
}

std::string picture_svg(const Picture& picture) {
  std::string elements;
  double y = picture.top;
  for (const Strip& strip : picture.strips) {
    double height = 0;
    for (const Placed& placed : strip.parts) {
      elements += placed.part.draw({placed.left, y + placed.down});
      height = std::max(height, placed.down + placed.part.height);
    }
    y += height + strip.below;
  }
  return svg_document(picture.width, y, picture.title, elements);
}

void add_curve(LineChart& chart, const Curve& curve) {
  if (curve.points.empty()) return;
  PlotSeries line{curve.name, curve.style};
  PlotArea band{{}, curve.style.colour};
  band.title = curve.name + ": all seeds";
  PlotLine upper;
  bool several = false;
  for (const CurvePoint& point : curve.points) {
    const double number = number_of(point.number);
    const auto [least, most] = ends_of(point.number);
    line.line.emplace_back(point.x, number);
    line.marks.push_back({{point.x, number}, point.title, curve.shape});
    band.corners.emplace_back(point.x, least);
    upper.emplace_back(point.x, most);
    several = several || seeds_of(point.number) > 1;
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
